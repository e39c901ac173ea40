/* SPDX-License-Identifier: MIT */
/* A critical path: title, segments, links and sums. */
#include "export/exp.h"

#include "export/exp_rows.h"

#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>

static bool path_json(GString *out, struct qry *q, const struct ana_path *path, const struct exp_options *o,
	GError **error)
{
	base_json_put(out, "subject", table_json_subject(q, path->subject));
	base_json_time(out, "from", path->from);
	base_json_time(out, "to", path->to);
	base_json_time(out, "asked_from", path->window.asked_from);
	base_json_time(out, "asked_to", path->window.asked_to);
	base_json_text(out, "begins", path->window.begins);
	base_json_text(out, "ends", path->window.ends);
	return exp_rows_all(out, &table_path_segments, o, q, path, error) &&
		exp_rows_all(out, &table_path_links, o, q, path, error) &&
		exp_rows_all(out, &table_path_summary, o, q, path, error);
}

/* Append the limits of the subject's life within the window: "; of the 193 ms asked for: created at
 * 10:03:09.540460665, exited at 10:03:09.588781445". */
static void append_cut(GString *out, const struct ana_path *path)
{
	const struct ana_path_window *w = &path->window;
	const struct {
		const char *why;
		int64_t at;
	} cuts[] = { { w->begins, w->from }, { w->ends, w->to } };
	const char *between = ": ";
	g_autofree char *asked = NULL;

	if (!w->begins && !w->ends)
		return;
	asked = table_duration_text(w->asked_to - w->asked_from);
	g_string_append_printf(out, "; of the %s asked for", asked);
	for (size_t i = 0; i < G_N_ELEMENTS(cuts); i++) {
		g_autofree char *at = table_time_text(cuts[i].at);

		if (!cuts[i].why)
			continue;
		g_string_append_printf(out, "%s%s at %s", between, cuts[i].why, at);
		between = ", ";
	}
}

GString *exp_path_title(const struct qry *q, const struct ana_path *path)
{
	g_autofree char *label = qry_row_label(q, path->subject), *from = base_time_format_full(path->from);
	g_autofree char *length = table_duration_text(path->to - path->from);
	GString *title = g_string_new("Critical path of ");

	exp_table_append_clean(title, label);
	g_string_append_printf(title, " from %s, %s, %u segment%s", from, length, path->segments->len,
		base_text_s(path->segments->len));
	append_cut(title, path);
	return title;
}

bool exp_path_text(GString *out, struct qry *q, const struct ana_path *path, guint most,
	const struct exp_options *o, GError **error)
{
	g_autoptr(GString) title = exp_path_title(q, path);

	g_string_append_printf(out, "%s\n", title->str);
	if (!exp_rows_all(out, &table_path_summary, o, q, path, error))
		return false;
	g_string_append_c(out, '\n');
	if (!exp_rows_table(out, &table_path_segments, o, q, path, most, NULL, error))
		return false;
	if (path->segments->len > most)
		g_string_append_printf(out, "and %u more: wakepath path TRACE --thread %" PRId64 "\n",
			path->segments->len - most, qry_row(q, path->subject)->nr);
	return true;
}

/* Text for a ticket: hosts and their traces, sums, segments and links. */
static bool path_markdown(GString *out, struct qry *q, const struct ana_path *path,
	const struct exp_options *o, GError **error)
{
	static const struct {
		const char *title;
		const struct table *table;
	} parts[] = { { "Time by actor", &table_path_summary }, { "Segments", &table_path_segments },
		{ "Links", &table_path_links } };
	g_autoptr(GString) title = exp_path_title(q, path);
	bool fine = true;

	g_string_append(out, "### ");
	exp_markdown_text(out, title->str);
	g_string_append_c(out, '\n');
	for (uint32_t i = 0; i < qry_host_count(q); i++) {
		const struct qry_host *h = qry_host(q, i);

		g_string_append(out, "\n- host ");
		exp_markdown_text(out, h->name);
		g_string_append(out, *h->meta->release ? ", kernel " : "");
		exp_markdown_text(out, h->meta->release);
		g_string_append(out, ", trace ");
		exp_markdown_text(out, h->meta->path);
	}
	g_string_append_c(out, '\n');
	for (size_t i = 0; fine && i < G_N_ELEMENTS(parts); i++) {
		g_string_append_printf(out, "\n#### %s\n\n", parts[i].title);
		fine = exp_rows_all(out, parts[i].table, o, q, path, error);
	}
	return fine;
}

EXP_WRITER(exp_path)
{
	if (o->format == TABLE_JSON)
		return path_json(out, q, result, o, error);
	if (o->format == TABLE_TEXT)
		return exp_path_text(out, q, result, UINT_MAX, o, error);
	if (o->format == TABLE_MARKDOWN)
		return path_markdown(out, q, result, o, error);
	return exp_rows_all(out, &table_path_segments, o, q, result, error);
}
