/* SPDX-License-Identifier: MIT */
/* Parts of the list of events, and events by their numbers: what is made of steps alone. */
#include "query/events/events.h"
#include "query/host/parts.h"

#include <string.h>

/* ---- lists ---- */

static void list_line_clear(gpointer data)
{
	g_free(((struct qry_events_line *)data)->fields);
}

/* Append up to N events from the place on; false with an error. */
static bool list_append(struct qry_events *e, GArray *list, unsigned n, struct base_progress *progress,
	GError **error)
{
	struct qry_events_line line;

	while (n-- > 0) {
		int got = qry_events_step(e, 1, &line.event, progress, error);

		if (got <= 0)
			return got == 0;
		line.fields = qry_events_fields(e, error);
		if (!line.fields)
			return false;
		g_array_append_val(list, line);
	}
	return true;
}

GArray *qry_events_list(struct qry_events *e, unsigned before, unsigned after, struct base_progress *progress,
	GError **error)
{
	GArray *list = g_array_new(FALSE, FALSE, sizeof(struct qry_events_line));
	struct qry_event event;
	unsigned back = 0;
	int got = 1;

	g_array_set_clear_func(list, list_line_clear);
	while (back < before && (got = qry_events_step(e, -1, &event, progress, error)) == 1)
		back++;
	if (got < 0 ||
		!list_append(e, list, after > UINT_MAX - back ? UINT_MAX : back + after, progress, error))
		g_clear_pointer(&list, g_array_unref);
	return list;
}

/* ---- numbers ---- */

/* "#123" or "123#". */
static bool parse_rank(const char *text, uint64_t *rank)
{
	const char *digits = text[0] == '#' ? text + 1 : text;
	char *end;

	if (!g_ascii_isdigit(*digits))
		return false;
	*rank = g_ascii_strtoull(digits, &end, 10);
	return digits == text ? !strcmp(end, "#") : *end == '\0';
}

bool qry_event_parse(const struct qry *q, const char *text, uint32_t *host, uint64_t *rank)
{
	const char *slash = strrchr(text, '/');

	if (!slash)
		return parse_rank(text, rank);
	for (uint32_t i = 0; i < q->sources->len; i++) {
		const char *name = qry_source(q, i)->name;

		if (strlen(name) != (size_t)(slash - text) || strncmp(name, text, strlen(name)) != 0)
			continue;
		*host = i;
		return parse_rank(slash + 1, rank);
	}
	return false;
}

bool qry_event_time(struct qry *q, uint32_t host, uint64_t rank, int64_t *time, GError **error)
{
	struct qry_events_filter only = QRY_EVENTS_ALL;
	struct qry_events *e;
	struct qry_event event;
	bool fine;

	only.host = host;
	e = qry_events_new(q, &only, error);
	fine = e && qry_events_seek_rank(e, host, rank, error) &&
		qry_events_step(e, 1, &event, NULL, error) == 1;
	if (fine)
		*time = event.time;
	qry_events_free(e);
	return fine;
}
