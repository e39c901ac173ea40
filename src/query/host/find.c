/* SPDX-License-Identifier: MIT */
/*
 * How it works: names may contain "/" and "@" (kworker/0:1), so SPEC is tried whole first, and split only if
 * that finds nothing. A name means the threads whose last name it is, or that have it at the given time. Only
 * if there is none does it mean the threads that had it earlier, because each child of a shell has the
 * shell's name until it runs a program.
 */
#include "query/host/parts.h"

#include "base/base_error.h"
#include "base/base_near.h"
#include "base/base_time.h"

#include <string.h>

/* SPEC, split. */
struct wanted {
	const char *host; /* NULL: any host */
	gsize host_length;
	char *what;   /* TID or name; owned */
	int64_t time; /* BASE_TIME_NONE: any */
	bool former;  /* any name that it ever had matches */
};

static bool find_is_number(const char *text, int64_t *number)
{
	char *end;

	if (!g_ascii_isdigit(*text))
		return false;
	*number = g_ascii_strtoll(text, &end, 10);
	return *end == '\0';
}

/* True if R lives at TIME. The end of a life is exclusive, because the next life of its TID may begin there.
 * At the end of the trace it is inclusive. */
static bool lives_at(const struct qry *q, const struct qry_row *r, int64_t time)
{
	return time >= r->first &&
		(time < r->last || (time == r->last && time == qry_source(q, r->host)->host.to));
}

static bool matches(const struct qry *q, const struct qry_row *r, const struct wanted *w)
{
	const char *name;
	int64_t tid;

	if (r->type != MDL_ROW_THREAD)
		return false;
	if (w->host) {
		const char *host = qry_source(q, r->host)->name;

		if (strlen(host) != w->host_length || strncmp(host, w->host, w->host_length) != 0)
			return false;
	}
	if (w->time != BASE_TIME_NONE && !lives_at(q, r, w->time))
		return false;
	if (find_is_number(w->what, &tid))
		return r->nr == tid;
	if (w->former) {
		g_autoptr(GPtrArray) names = qry_names(q, r->id);

		return g_ptr_array_find_with_equal_func(names, w->what, g_str_equal, NULL);
	}
	/* An unknown name is empty and matches nothing. */
	name = w->time == BASE_TIME_NONE ? r->name : qry_name_at(q, r->id, w->time);
	return *w->what && g_str_equal(name, w->what);
}

static GArray *all_matches(const struct qry *q, struct wanted *w)
{
	GArray *found = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (unsigned former = 0; former < 2 && found->len == 0; former++) {
		w->former = former;
		for (uint32_t i = 0; i < q->n_rows; i++)
			if (matches(q, &q->rows[i], w))
				g_array_append_val(found, i);
	}
	return found;
}

/* Matches of SPEC, first whole, then without "HOST/". */
static GArray *try_spec(const struct qry *q, const char *spec, int64_t time)
{
	struct wanted w = { .what = (char *)(uintptr_t)spec, .time = time };
	GArray *found = all_matches(q, &w);
	const char *slash = strchr(spec, '/');

	if (found->len > 0 || !slash)
		return found;
	g_array_unref(found);
	w.host = spec;
	w.host_length = (gsize)(slash - spec);
	w.what = (char *)(uintptr_t)(slash + 1);
	return all_matches(q, &w);
}

static GArray *find_spec(const struct qry *q, const char *spec)
{
	GArray *found = try_spec(q, spec, BASE_TIME_NONE);
	const char *at = strrchr(spec, '@');
	int64_t time;
	g_autofree char *before = NULL;

	if (found->len > 0 || !at || !base_time_parse(at + 1, q->from, q->to, &time, NULL))
		return found;
	g_array_unref(found);
	before = g_strndup(spec, (gsize)(at - spec));
	found = try_spec(q, before, time);
	return found;
}

/* Number of threads with the host and the TID of R that live at TIME, or with BASE_TIME_NONE at any time. */
static unsigned count_alike(const struct qry *q, const struct qry_row *r, int64_t time)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < q->n_rows; i++)
		n += q->rows[i].type == MDL_ROW_THREAD && q->rows[i].host == r->host &&
			q->rows[i].nr == r->nr && (time == BASE_TIME_NONE || lives_at(q, &q->rows[i], time));
	return n;
}

/* The shortest SPEC that means row R alone. The caller frees. */
static char *what_to_type(const struct qry *q, const struct qry_row *r)
{
	const char *host = qry_source(q, r->host)->name, *slash = "/";
	int64_t time = r->first + (r->last - r->first) / 2;

	if (q->sources->len == 1)
		host = slash = "";
	if (r->nr == 0)
		return g_strdup_printf("%s%s%s", host, slash, r->name);
	if (count_alike(q, r, BASE_TIME_NONE) == 1)
		return g_strdup_printf("%s%s%" G_GINT64_FORMAT, host, slash, r->nr);
	/* Find a time at which no other thread of this TID lives. A thread that took over the TID of the main
	 * thread by exec lived beside that one before. */
	if (count_alike(q, r, time) > 1)
		time = count_alike(q, r, r->first) == 1 || r->last == r->first ? r->first : r->last - 1;
	return g_strdup_printf("%s%s%" G_GINT64_FORMAT "@%" G_GINT64_FORMAT, host, slash, r->nr, time);
}

static void set_several(const struct qry *q, const char *spec, const GArray *found, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);

	g_string_printf(text, "%u threads match \"%s\"; type one of these:", found->len, spec);
	for (guint i = 0; i < found->len; i++) {
		uint32_t row = g_array_index(found, uint32_t, i);
		g_autofree char *type = what_to_type(q, &q->rows[row]), *label = qry_row_label(q, row);

		g_string_append_printf(text, "\n  %-24s %s", type, label);
	}
	g_set_error_literal(error, BASE_ERROR, BASE_ERROR_USAGE, text->str);
}

/* Names of threads similar to SPEC without "HOST/" and "@TIME", as base_near_text() returns them. */
static char *near_threads(const struct qry *q, const char *spec)
{
	const char *slash = strchr(spec, '/');
	g_autofree char *host = slash ? g_strndup(spec, (gsize)(slash - spec)) : NULL;
	const char *name = host && qry_find_host(q, host, &(uint32_t){ 0 }, NULL) ? slash + 1 : spec;
	g_autofree char *word = g_strndup(name, strcspn(name, "@"));
	struct base_near near;
	int64_t tid;

	base_near_init(&near, word, false);
	for (uint32_t i = 0; i < q->n_rows && !find_is_number(word, &tid); i++)
		if (q->rows[i].type == MDL_ROW_THREAD)
			base_near_offer(&near, q->rows[i].name);
	return base_near_text(&near);
}

bool qry_find_thread(const struct qry *q, const char *spec, uint32_t *row, GError **error)
{
	g_autoptr(GArray) found = find_spec(q, spec);
	g_autofree char *near = found->len == 0 && error ? near_threads(q, spec) : NULL;
	bool ok = found->len == 1;

	if (ok)
		*row = g_array_index(found, uint32_t, 0);
	else if (found->len == 0)
		g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER,
			"no thread \"%s\" in the trace%s; list them with: wakepath threads", spec,
			near ? near : "");
	else
		set_several(q, spec, found, error);
	return ok;
}

bool qry_find_host(const struct qry *q, const char *name, uint32_t *host, GError **error)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (*host = 0; *host < qry_host_count(q); ++*host) {
		const char *own = qry_host(q, *host)->name;

		if (g_str_equal(own, name))
			return true;
		g_string_append_printf(names, "%s%s", *host > 0 ? ", " : "", own);
	}
	return base_error_false(error, BASE_ERROR_NO_ANSWER, "no host \"%s\" in the trace: it has %s", name,
		names->str);
}

bool qry_find_line(const struct qry *q, enum mdl_row_type type, const char *spec, uint32_t *row,
	GError **error)
{
	const char *slash = strrchr(spec, '/');
	g_autofree char *host = slash ? g_strndup(spec, (gsize)(slash - spec)) : NULL;
	const char *what = type == MDL_ROW_CPU ? "CPU" : "interrupt line";
	int64_t nr;
	unsigned found = 0;

	if (!find_is_number(slash ? slash + 1 : spec, &nr))
		return base_error_false(error, BASE_ERROR_USAGE,
			"\"%s\" is no %s: type its number, or HOST/NUMBER", spec, what);
	for (uint32_t i = 0; i < q->n_rows; i++) {
		const struct qry_row *r = &q->rows[i];

		if (r->type != type || r->nr != nr ||
			(host && !g_str_equal(qry_source(q, r->host)->name, host)))
			continue;
		*row = i;
		found++;
	}
	if (found > 1)
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
			"%u hosts have %s %" G_GINT64_FORMAT "; type HOST/%" G_GINT64_FORMAT, found, what, nr,
			nr);
	else if (found == 0)
		g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER, "no %s \"%s\" in the trace", what, spec);
	return found == 1;
}

bool qry_find_device(const struct qry *q, const char *spec, uint32_t *row, GError **error)
{
	unsigned found = 0;

	for (uint32_t i = 0; i < q->n_rows; i++) {
		const struct qry_row *r = &q->rows[i];
		g_autofree char *full = r->type == MDL_ROW_DEVICE
			? g_strdup_printf("%s/%s", qry_source(q, r->host)->name, r->name)
			: NULL;

		if (!full || (!g_str_equal(spec, r->name) && !g_str_equal(spec, full)))
			continue;
		*row = i;
		found++;
	}
	if (found > 1)
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
			"%u hosts have a device \"%s\"; type HOST/%s", found, spec, spec);
	else if (found == 0)
		g_set_error(error, BASE_ERROR, BASE_ERROR_NO_ANSWER,
			"no requests to a block device \"%s\" in the trace", spec);
	return found == 1;
}
