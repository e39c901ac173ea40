/* SPDX-License-Identifier: MIT */
#include "sync/sync_hosts.h"

#include "base/base_error.h"
#include "base/base_time.h"

#include <string.h>

/* ---- hosts without clocks ---- */

struct sync_hosts *sync_typed_copy(const struct sync_hosts *hosts)
{
	struct sync_hosts *copy = g_new(struct sync_hosts, 1);

	g_atomic_ref_count_init(&copy->references);
	copy->n = hosts->n;
	copy->vcpus = g_array_copy(hosts->vcpus);
	copy->hosts = g_memdup2(hosts->hosts, hosts->n * sizeof *hosts->hosts);
	for (unsigned i = 0; i < copy->n; i++) {
		struct sync_host *h = &copy->hosts[i];

		h->clock = h->clock ? sync_clock_new(g_array_copy(h->clock->lines)) : NULL;
		h->placed = NULL; /* the caller may change the clocks */
		h->errors = h->errors ? g_array_copy(h->errors) : NULL;
		h->bounds = h->bounds ? sync_bounds_copy(h->bounds) : NULL;
	}
	return copy;
}

static void forget_clock(struct sync_host *h, enum sync_quality quality)
{
	g_clear_pointer(&h->clock, sync_clock_free);
	g_clear_pointer(&h->bounds, g_array_unref);
	g_clear_pointer(&h->errors, g_array_unref);
	h->quality = quality;
	h->error_max = INT64_MAX;
	h->violations_after = 0;
}

void sync_typed_take_out(struct sync_hosts *hosts)
{
	for (unsigned i = 1; i < hosts->n; i++) {
		forget_clock(&hosts->hosts[i], SYNC_NONE);
		hosts->hosts[i].by = i;
	}
	hosts->hosts[0].violations_after = 0;
}

struct sync_hosts *sync_typed_none(unsigned n)
{
	struct sync_hosts *hosts = sync_hosts_new_empty(n);

	hosts->hosts[0] = (struct sync_host){ .quality = SYNC_ACCURATE,
		.clock = sync_clock_new_shifted(0),
		.errors = g_array_new(FALSE, TRUE, sizeof(int64_t)) };
	g_array_set_size(hosts->hosts[0].errors, 1);
	sync_typed_take_out(hosts);
	return hosts;
}

void sync_typed_count_as(struct sync_hosts *hosts, const struct sync_hosts *counted)
{
	for (unsigned i = 0; i < hosts->n; i++) {
		hosts->hosts[i].counts = counted->hosts[i].counts;
		hosts->hosts[i].exchanged = counted->hosts[i].exchanged;
		hosts->hosts[i].violations_before = counted->hosts[i].violations_before;
	}
}

/* ---- offsets ---- */

/* Make the error of H unknown. */
static void forget_error(struct sync_host *h)
{
	h->error_max = INT64_MAX;
	for (guint i = 0; i < h->errors->len; i++)
		g_array_index(h->errors, int64_t, i) = INT64_MAX;
}

static bool refuse_host(const char *const *names, unsigned n, const char *item, GError **error)
{
	g_autoptr(GString) hosts = g_string_new(NULL);

	for (unsigned i = 1; i < n; i++)
		g_string_append_printf(hosts, "%s%s", i > 1 ? ", " : "", names[i]);
	return base_error_false(error, BASE_ERROR_USAGE,
		"\"%s\": no such host; hosts with a clock to set: %s", item, n > 1 ? hosts->str : "none");
}

/* ITEM is "HOST=OFFSET", with an offset like "+2.5ms", "-100s", "3us". */
static bool read_item(const char *const *names, unsigned n, const char *item, unsigned *host, int64_t *offset,
	GError **error)
{
	const char *equals = strrchr(item, '=');
	size_t length = equals ? (size_t)(equals - item) : 0;
	bool negative = equals && equals[1] == '-', has_sign = negative || (equals && equals[1] == '+');

	if (!equals)
		return base_error_false(error, BASE_ERROR_USAGE,
			"\"%s\" is not HOST=OFFSET, such as db=-2.5ms", item);
	for (*host = 0; *host < n; ++*host)
		if (strlen(names[*host]) == length && strncmp(names[*host], item, length) == 0)
			break;
	if (*host == n)
		return refuse_host(names, n, item, error);
	if (*host == 0)
		return base_error_false(error, BASE_ERROR_USAGE,
			"\"%s\": the clock of %s is the reference; set the clocks of the other hosts", item,
			names[0]);
	if (!base_time_parse_duration(equals + 1 + has_sign, offset, error))
		return false;
	*offset = negative ? -*offset : *offset;
	return true;
}

/* Set SET[i] and OFFSETS[i] for each host that TEXT names. */
static bool typed_read_all(const char *const *names, unsigned n, const char *text, bool *set,
	int64_t *offsets, GError **error)
{
	g_auto(GStrv) items = g_strsplit(text, ",", -1);
	bool fine = true;

	for (char **item = items; fine && *item; item++) {
		unsigned host;
		int64_t offset;

		fine = read_item(names, n, *item, &host, &offset, error);
		if (fine && set[host]) {
			fine = base_error_false(error, BASE_ERROR_USAGE,
				"\"%s\": the clock of that host is set twice", *item);
		} else if (fine) {
			set[host] = true;
			offsets[host] = offset;
		}
	}
	return fine;
}

bool sync_typed_set(struct sync_hosts *hosts, const char *const *names, const char *text, GError **error)
{
	int64_t *offsets = g_new0(int64_t, hosts->n);
	bool *set = g_new0(bool, hosts->n);
	bool fine = typed_read_all(names, hosts->n, text, set, offsets, error);

	for (unsigned i = 0; fine && i < hosts->n; i++) {
		struct sync_host *h = &hosts->hosts[i];

		if (!set[i])
			continue;
		forget_clock(h, SYNC_TYPED);
		h->clock = sync_clock_new_shifted(offsets[i]);
		h->by = 0;
		h->errors = g_array_new(FALSE, TRUE, sizeof(int64_t));
		g_array_set_size(h->errors, 1);
	}
	for (unsigned i = 0; fine && i < hosts->n; i++) {
		unsigned at = i; /* the first host on the way with a typed clock, or the last host */

		while (hosts->hosts[at].quality != SYNC_TYPED && hosts->hosts[at].by != at)
			at = hosts->hosts[at].by;
		if (hosts->hosts[i].clock && hosts->hosts[at].quality == SYNC_TYPED)
			forget_error(&hosts->hosts[i]);
	}
	g_free(offsets);
	g_free(set);
	return fine;
}

/* ---- places of hosts without clocks ---- */

static bool has_events(const struct sync_span *span)
{
	return span->from != INT64_MIN;
}

static bool overlap(const struct sync_span *a, const struct sync_span *b)
{
	return a->from <= b->to && b->from <= a->to;
}

static void widen(struct sync_span *span, const struct sync_span *by)
{
	span->from = MIN(span->from, by->from);
	span->to = MAX(span->to, by->to);
}

/* The span of all hosts with a clock, by the clock of the reference. */
static struct sync_span known_span(const struct sync_hosts *hosts, const struct sync_span *spans)
{
	struct sync_span known = spans[0];

	for (unsigned i = 1; i < hosts->n; i++) {
		struct sync_span shown;

		if (!hosts->hosts[i].clock || !has_events(&spans[i]))
			continue;
		shown.from = sync_clock_reference(hosts->hosts[i].clock, spans[i].from);
		shown.to = sync_clock_reference(hosts->hosts[i].clock, spans[i].to);
		widen(&known, &shown);
	}
	return known;
}

/* The span of HOST and all hosts of LOOSE that overlap it, directly or by way of others. */
static struct sync_span place_group_of(const bool *loose, const struct sync_span *spans, unsigned n,
	unsigned host)
{
	struct sync_span group = spans[host];
	bool wider = true;

	while (wider) {
		struct sync_span before = group;

		for (unsigned i = 0; i < n; i++)
			if (loose[i] && overlap(&group, &spans[i]))
				widen(&group, &spans[i]);
		wider = group.from != before.from || group.to != before.to;
	}
	return group;
}

bool sync_place_starts(struct sync_hosts *hosts, const struct sync_span *spans)
{
	struct sync_span known;
	bool *loose, any = false;

	if (!has_events(&spans[0]))
		return false;
	known = known_span(hosts, spans);
	loose = g_new0(bool, hosts->n);
	for (unsigned i = 1; i < hosts->n; i++)
		loose[i] = !hosts->hosts[i].clock && hosts->hosts[i].quality != SYNC_NONE &&
			has_events(&spans[i]);
	for (unsigned i = 1; i < hosts->n; i++) {
		struct sync_span group;
		int64_t shift;

		if (!loose[i])
			continue;
		group = place_group_of(loose, spans, hosts->n, i);
		if (overlap(&group, &known) || __builtin_sub_overflow(spans[0].from, group.from, &shift))
			continue;
		sync_clock_free(hosts->hosts[i].placed);
		hosts->hosts[i].placed = sync_clock_new_shifted(shift);
		any = true;
	}
	g_free(loose);
	return any;
}

int64_t sync_place_shift(const struct sync_host *h)
{
	if (!h->placed)
		return 0;
	return (int64_t)(g_array_index(h->placed->lines, struct sync_line, 0).offset >> SYNC_FRACTION_BITS);
}
