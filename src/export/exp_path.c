/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_csv.h"
#include "export/exp_json.h"
#include "export/exp_source.h"
#include "export/exp_table.h"

#include "base/base_time.h"

#define INDENT_MAX 8	/* deeper recursion is not indented further */

static const struct ana_actor *actor_of(const struct ana_path *path, uint32_t actor)
{
	return &g_array_index(path->actors, struct ana_actor, actor);
}

static const struct ana_segment *segment_of(const struct ana_path *path, uint32_t segment)
{
	return &g_array_index(path->segments, struct ana_segment, segment);
}

/* What ended the wait of segment S; NULL when nothing did. */
static const struct ana_source *source_of(const struct ana_path *path, const struct ana_segment *s)
{
	return s->source == UINT32_MAX ? NULL : &g_array_index(path->sources, struct ana_source, s->source);
}

static JsonObject *actor_json(const struct qry *q, const struct ana_path *path, uint32_t actor)
{
	const struct ana_actor *a = actor_of(path, actor);
	JsonObject *o = json_object_new();

	exp_json_text(o, "type", ana_actor_type_name(a->type));
	exp_json_text(o, "host", qry_host(q, a->host)->name);
	exp_json_natural(o, "tid", a->row == MDL_NONE ? -1 : qry_row(q, a->row)->nr);
	exp_json_text(o, "name", a->name);
	return o;
}

/* Of a packet's way between hosts, ns; -1 none or unknown. */
static int64_t error_of(const struct ana_segment *s)
{
	return s->crossing.crossed && s->crossing.error != INT64_MAX ? s->crossing.error : -1;
}

static JsonObject *segment_json(struct qry *q, const struct ana_path *path, const struct ana_segment *s)
{
	const struct ana_source *source = source_of(path, s);
	JsonObject *o = json_object_new();
	char *detail = ana_path_detail(q, s);

	exp_json_time(o, "from", s->from);
	exp_json_time(o, "to", s->to);
	exp_json_object(o, "actor", actor_json(q, path, s->actor));
	exp_json_text(o, "kind", ana_segment_kind_name(s->kind));
	exp_json_text(o, "detail", detail);
	g_free(detail);
	exp_json_object(o, "source", source ? exp_source_json(q, source->row, &source->wakeup) : NULL);
	exp_json_int(o, "depth", s->depth);
	exp_json_text(o, "on_path_because", s->because);
	exp_json_natural(o, "error", error_of(s));
	exp_json_text(o, "grade", s->crossing.crossed ? ana_grade_name(s->crossing.grade) : NULL);
	return o;
}

/* One end of a link: the actor, and which segment it is. */
static JsonObject *link_end_json(const struct qry *q, const struct ana_path *path, uint32_t segment)
{
	JsonObject *o = actor_json(q, path, segment_of(path, segment)->actor);

	exp_json_int(o, "segment", segment);
	return o;
}

static JsonObject *link_json(const struct qry *q, const struct ana_path *path, const struct ana_link *l)
{
	JsonObject *o = json_object_new();

	exp_json_time(o, "at", l->at);
	exp_json_time(o, "arrival", l->arrival);
	exp_json_object(o, "from", link_end_json(q, path, l->from));
	exp_json_object(o, "to", link_end_json(q, path, l->to));
	exp_json_text(o, "kind", ana_link_kind_name(l->kind));
	return o;
}

static JsonObject *summary_json(const struct qry *q, const struct ana_path *path, const struct ana_summary *s)
{
	JsonObject *o = json_object_new();

	exp_json_object(o, "actor", actor_json(q, path, s->actor));
	exp_json_text(o, "kind", ana_segment_kind_name(s->kind));
	exp_json_int(o, "time", s->time);
	json_object_set_double_member(o, "share", s->share);
	exp_json_int(o, "segments", s->segments);
	return o;
}

static void path_json(GString *out, struct qry *q, const struct ana_path *path)
{
	JsonObject *span = json_object_new();

	exp_json_time(span, "from", path->from);
	exp_json_time(span, "to", path->to);
	exp_json_time(span, "asked_from", path->window.asked_from);
	exp_json_time(span, "asked_to", path->window.asked_to);
	exp_json_text(span, "begins", path->window.begins);
	exp_json_text(span, "ends", path->window.ends);
	exp_json_begin(out);
	exp_json_put(out, "subject", exp_json_subject(q, path->subject));
	exp_json_put_members(out, span);
	exp_json_begin_list(out, "segments");
	for (guint i = 0; i < path->segments->len; i++)
		exp_json_put(out, NULL, segment_json(q, path, segment_of(path, i)));
	exp_json_end_list(out);
	exp_json_begin_list(out, "links");
	for (guint i = 0; i < path->links->len; i++)
		exp_json_put(out, NULL, link_json(q, path, &g_array_index(path->links, struct ana_link, i)));
	exp_json_end_list(out);
	exp_json_begin_list(out, "summary");
	for (guint i = 0; i < path->summary->len; i++)
		exp_json_put(out, NULL, summary_json(q, path, &g_array_index(path->summary, struct ana_summary, i)));
	exp_json_end_list(out);
	exp_json_end(out);
}

static void path_csv(GString *out, struct qry *q, const struct ana_path *path)
{
	struct exp_csv csv = exp_csv_begin(out, "from,to,duration,actor_type,host,tid,name,kind,detail,depth,"
						"source_kind,source_grade,on_path_because,error,grade");

	for (guint i = 0; i < path->segments->len; i++) {
		const struct ana_segment *s = segment_of(path, i);
		const struct ana_actor *a = actor_of(path, s->actor);
		const struct ana_source *source = source_of(path, s);
		char *detail = ana_path_detail(q, s);

		exp_csv_time(&csv, s->from);
		exp_csv_time(&csv, s->to);
		exp_csv_int(&csv, s->to - s->from);
		exp_csv_text(&csv, ana_actor_type_name(a->type));
		exp_csv_text(&csv, qry_host(q, a->host)->name);
		exp_csv_natural(&csv, a->row == MDL_NONE ? -1 : qry_row(q, a->row)->nr);
		exp_csv_text(&csv, a->name);
		exp_csv_text(&csv, ana_segment_kind_name(s->kind));
		exp_csv_text(&csv, detail);
		g_free(detail);
		exp_csv_int(&csv, s->depth);
		exp_csv_text(&csv, source ? ana_kind_name(source->kind) : NULL);
		exp_csv_text(&csv, source ? ana_grade_name(source->grade) : NULL);
		exp_csv_text(&csv, s->because);
		exp_csv_natural(&csv, error_of(s));
		exp_csv_text(&csv, s->crossing.crossed ? ana_grade_name(s->crossing.grade) : NULL);
		exp_csv_end_line(&csv);
	}
}

/* Where the path goes after segment INDEX: "wakeup > wk-stage0[1234]"; NULL when it stays.  The caller frees. */
static char *hand_over_text(const struct ana_path *path, guint index, guint *next_link)
{
	const struct ana_link *l;

	while (*next_link < path->links->len && g_array_index(path->links, struct ana_link, *next_link).from < index)
		(*next_link)++;
	if (*next_link == path->links->len)
		return NULL;
	l = &g_array_index(path->links, struct ana_link, *next_link);
	if (l->from != index)
		return NULL;
	return g_strdup_printf("%s > %s", ana_link_kind_name(l->kind), actor_of(path, segment_of(path, l->to)->actor)->label);
}

/* The detail of a segment, and what ended the wait unless the hand-over says so.  The caller frees. */
static char *explanation(struct qry *q, const struct ana_path *path, const struct ana_segment *s, bool handed_over)
{
	const struct ana_source *source = handed_over ? NULL : source_of(path, s);
	char *detail = ana_path_detail(q, s), *cause, *text;

	if (!source)
		return detail;
	cause = ana_source_text(q, source);
	text = detail && *detail ? g_strconcat(detail, "; ", cause, NULL) : g_strdup(cause);
	g_free(detail);
	g_free(cause);
	return text;
}

static void segments_text(GString *out, struct qry *q, const struct ana_path *path)
{
	static const char *const headers[] = { ">AT", ">FOR", "ACTOR", "KIND", "THEN", "WHAT", NULL };
	struct exp_table *t = exp_table_new(headers);
	guint next_link = 0;

	for (guint i = 0; i < path->segments->len; i++) {
		const struct ana_segment *s = segment_of(path, i);
		char *at = exp_table_duration(s->from - path->from);
		char *hand_over = hand_over_text(path, i, &next_link);

		exp_table_take(t, g_strconcat("+", at, NULL));
		exp_table_add_duration(t, s->to - s->from);
		exp_table_take(t, g_strdup_printf("%*s%s", 2 * (int)MIN(s->depth, INDENT_MAX), "", actor_of(path, s->actor)->label));
		exp_table_add(t, ana_segment_kind_name(s->kind));
		exp_table_add(t, hand_over);
		exp_table_take(t, explanation(q, path, s, hand_over != NULL));
		g_free(hand_over);
		g_free(at);
	}
	exp_table_finish(t, out, "");
}

static void summary_text(GString *out, const struct ana_path *path)
{
	static const char *const headers[] = { ">TIME", ">SHARE", ">SEGMENTS", "KIND", "ACTOR", NULL };
	struct exp_table *t = exp_table_new(headers);

	for (guint i = 0; i < path->summary->len; i++) {
		const struct ana_summary *s = &g_array_index(path->summary, struct ana_summary, i);

		exp_table_add_duration(t, s->time);
		exp_table_take(t, g_strdup_printf("%.1f %%", 100 * s->share));
		exp_table_add_int(t, s->segments);
		exp_table_add(t, ana_segment_kind_name(s->kind));
		exp_table_add(t, actor_of(path, s->actor)->label);
	}
	exp_table_finish(t, out, "");
}

/* How much of what was asked for it lived: "; of the 193 ms asked for: created at 10:03:09.540460665, exited at 10:03:09.588781445". */
static void append_cut(GString *out, const struct ana_path *path)
{
	const struct ana_path_window *w = &path->window;
	const struct { const char *why; int64_t at; } cuts[] = { { w->begins, w->from }, { w->ends, w->to } };
	const char *before = ": ";
	char *asked;

	if (!w->begins && !w->ends)
		return;
	asked = exp_table_duration(w->asked_to - w->asked_from);
	g_string_append_printf(out, "; of the %s asked for", asked);
	g_free(asked);
	for (size_t i = 0; i < G_N_ELEMENTS(cuts); i++) {
		char *at;

		if (!cuts[i].why)
			continue;
		at = base_time_format_clock(cuts[i].at, 9);
		g_string_append_printf(out, "%s%s at %s", before, cuts[i].why, at);
		before = ", ";
		g_free(at);
	}
}

static void path_text(GString *out, struct qry *q, const struct ana_path *path)
{
	char *label = qry_row_label(q, path->subject), *from = base_time_format_full(path->from);
	char *length = exp_table_duration(path->to - path->from);

	g_string_append(out, "Critical flow of ");
	exp_table_append_clean(out, label);
	g_string_append_printf(out, " from %s, %s, %u segments", from, length, path->segments->len);
	append_cut(out, path);
	g_string_append_c(out, '\n');
	segments_text(out, q, path);
	g_string_append_c(out, '\n');
	summary_text(out, path);
	g_free(label);
	g_free(from);
	g_free(length);
}

void exp_path(GString *out, struct qry *q, const struct ana_path *path, enum exp_format format)
{
	switch (format) {
	case EXP_JSON:
		path_json(out, q, path);
		break;
	case EXP_CSV:
		path_csv(out, q, path);
		break;
	case EXP_TEXT:
		path_text(out, q, path);
		break;
	}
}
