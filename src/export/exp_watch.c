/* SPDX-License-Identifier: MIT */
/* The report of a watch: how often, how long, the worst cases, and how they differ from typical ones. */
#include "export/exp.h"

#include "export/exp_rows.h"

#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>
#include <string.h>

/* ---- JSON ---- */

static GString *notes_json(const struct watch_manifest *m)
{
	GString *list = base_json_list();

	for (guint i = 0; i < m->notes->len; i++) {
		const struct watch_note *note = &g_array_index(m->notes, struct watch_note, i);
		GString *o = base_json_object();

		base_json_time(o, "wall", note->wall);
		base_json_text(o, "text", note->text);
		base_json_put(list, NULL, o);
	}
	return list;
}

/* The result of exp_compare() for each trigger; null if there is nothing to compare. NULL with an error. */
static GString *compares_json(struct qry *q, const struct exp_watch_of *of, const struct exp_options *o,
	GError **error)
{
	GString *list = base_json_list();

	for (guint i = 0; i < of->watched->triggers->len; i++) {
		const struct ana_watched_sum *sum = &g_array_index(of->watched->triggers,
			struct ana_watched_sum, i);
		GString *json = base_json_object(), *compare = g_string_new(NULL);

		base_json_text(json, "trigger", sum->trigger);
		base_json_text(json, "why_not", of->why_not[i]);
		if (of->compares[i] && !exp_compare(compare, q, of->compares[i], o, error)) {
			g_string_free(compare, TRUE);
			g_string_free(json, TRUE);
			g_string_free(list, TRUE);
			return NULL;
		}
		if (of->compares[i]) /* without its closing brace, which base_json_put() adds */
			g_string_truncate(compare, (gsize)(strrchr(compare->str, '}') - compare->str));
		base_json_put(json, "compare", of->compares[i] ? g_steal_pointer(&compare) : NULL);
		if (compare)
			g_string_free(compare, TRUE);
		base_json_put(list, NULL, json);
	}
	return list;
}

static bool watch_json(GString *out, struct qry *q, const struct exp_watch_of *of,
	const struct exp_options *o, GError **error)
{
	const struct watch_manifest *m = of->watched->manifest;
	struct exp_options own = *o;
	GString *compares;

	own.file = NULL; /* the parts inside must not be written to the file */
	compares = compares_json(q, of, &own, error);
	if (!compares)
		return false;
	base_json_text(out, "host", m->host);
	base_json_text(out, "kernel", m->kernel);
	base_json_int(out, "runs", (int64_t)m->starts);
	base_json_time(out, "since", m->starts > 0 ? m->since : BASE_TIME_NONE);
	base_json_int(out, "watched", m->watched);
	base_json_int(out, "paused", m->paused);
	base_json_put(out, "notes", notes_json(m));
	base_json_put(out, "compares", compares);
	return exp_rows_all(out, &table_watch_triggers, o, q, of->watched, error) &&
		exp_rows_all(out, &table_watch_hours, o, q, of->watched, error) &&
		exp_rows_all(out, &table_watch_classes, o, q, of->watched, error) &&
		exp_rows_all(out, &table_watch_hits, o, q, of->watched, error);
}

/* ---- text and Markdown ---- */

static void put_heading(GString *out, const struct exp_options *o, const char *text)
{
	g_string_append(out, o->format == TABLE_MARKDOWN ? "\n### " : "\n");
	if (o->format == TABLE_MARKDOWN)
		exp_markdown_text(out, text);
	else
		exp_table_append_clean(out, text);
	g_string_append(out, o->format == TABLE_MARKDOWN ? "\n\n" : "\n");
}

static void put_line(GString *out, const struct exp_options *o, const char *text)
{
	if (o->format == TABLE_MARKDOWN)
		exp_markdown_text(out, text);
	else
		exp_table_append_clean(out, text);
	g_string_append(out, o->format == TABLE_MARKDOWN ? "\n\n" : "\n");
}

/* WALL (ns since the Epoch), to a second; the caller frees. */
static char *date_text(int64_t wall)
{
	g_autofree char *text = base_time_format_full(wall);

	return g_strndup(text, strcspn(text, "."));
}

/* "vm, Linux 6.1.0: watched for 23 h 59 min since 2026-01-31 08:00:00, in 1 run" */
static void watch_head(GString *out, const struct watch_manifest *m, const struct exp_options *o)
{
	g_autofree char *watched = table_duration_text(m->watched), *paused = table_duration_text(m->paused),
			*since = date_text(m->since);
	g_autoptr(GString) line = g_string_new(NULL);

	g_string_printf(line, "%s, Linux %s: watched for %s since %s, in %" PRIu64 " run%s", m->host,
		m->kernel, watched, since, m->starts, base_text_s(m->starts));
	if (m->paused > 0)
		g_string_append_printf(line, "; it paused for %s to keep its budget", paused);
	put_line(out, o, line->str);
	for (unsigned i = 0; i < m->triggers->len; i++) {
		const struct watch_trigger *t = watch_manifest_trigger_at(m, i);

		if (t->lost == 0)
			continue;
		g_string_printf(line,
			"%s: events of the measurement were lost %" PRIu64
			" time%s, so some latencies are not counted",
			t->text, t->lost, base_text_s(t->lost));
		put_line(out, o, line->str);
	}
}

static bool put_rows(GString *out, const struct table *table, const char *heading, struct qry *q,
	const struct exp_watch_of *of, const struct exp_options *o, GError **error)
{
	put_heading(out, o, heading);
	return exp_rows_all(out, table, o, q, of->watched, error);
}

static bool put_compares(GString *out, struct qry *q, const struct exp_watch_of *of,
	const struct exp_options *o, GError **error)
{
	struct exp_options own = *o;

	own.command = NULL; /* the command of the whole report is at its end */
	for (guint i = 0; i < of->watched->triggers->len; i++) {
		const struct ana_watched_sum *sum = &g_array_index(of->watched->triggers,
			struct ana_watched_sum, i);
		g_autofree char *heading = g_strdup_printf("%s: hits against typical cases", sum->trigger);

		put_heading(out, o, heading);
		if (!of->compares[i])
			put_line(out, o, of->why_not[i]);
		else if (!exp_compare(out, q, of->compares[i], &own, error))
			return false;
	}
	return true;
}

static void put_notes(GString *out, const struct watch_manifest *m, const struct exp_options *o)
{
	for (guint i = 0; i < m->notes->len; i++) {
		const struct watch_note *note = &g_array_index(m->notes, struct watch_note, i);
		g_autofree char *time = date_text(note->wall),
				*line = g_strdup_printf("%s  %s", time, note->text);

		if (i == 0)
			put_heading(out, o, "What the watch said");
		put_line(out, o, line);
	}
}

EXP_WRITER(exp_watch)
{
	const struct exp_watch_of *of = result;

	if (o->format == TABLE_JSON)
		return watch_json(out, q, of, o, error);
	if (o->format == TABLE_CSV)
		return exp_rows_all(out, &table_watch_hits, o, q, of->watched, error);
	watch_head(out, of->watched->manifest, o);
	if (!put_rows(out, &table_watch_triggers, "Triggers", q, of, o, error) ||
		!put_rows(out, &table_watch_hours, "Hours", q, of, o, error) ||
		!put_rows(out, &table_watch_hits, "Hits that are kept, the worst first, then typical cases",
			q, of, o, error) ||
		!put_compares(out, q, of, o, error) ||
		!put_rows(out, &table_watch_classes, "Distribution of all latencies", q, of, o, error))
		return false;
	put_notes(out, of->watched->manifest, o);
	return true;
}
