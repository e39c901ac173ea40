/* SPDX-License-Identifier: MIT */
#include "export/exp.h"

#include "export/exp_rows.h"

#include "analysis/wait/ipiwait.h"

#include "base/base_text.h"
#include "base/base_time.h"

#include <inttypes.h>

#define INDENT_MAX 8 /* deeper recursion is not indented further */

/* The source that ended the wait of segment S; NULL: none. */
static const struct ana_source *source_of(const struct ana_path *path, const struct ana_segment *s)
{
	return s->source == UINT32_MAX ? NULL : &g_array_index(path->sources, struct ana_source, s->source);
}

static GString *actor_json(const struct qry *q, const struct ana_path *path, uint32_t actor)
{
	const struct ana_actor *a = ana_path_actor(path, actor);
	GString *o = base_json_object();

	base_json_text(o, "type", ana_actor_type_name(a->type));
	base_json_text(o, "host", qry_host(q, a->host)->name);
	base_json_time(o, "tid", table_nr(q, a->row));
	base_json_text(o, "name", a->name);
	return o;
}

/* One end of a link: the actor, and the number of the segment. */
static GString *link_end_json(const struct qry *q, const struct ana_path *path, uint32_t segment)
{
	GString *o = actor_json(q, path, ana_path_segment(path, segment)->actor);

	base_json_int(o, "segment", segment);
	return o;
}

/* The actor at one end of a link.  The caller frees. */
static char *link_end_text(const struct ana_path *path, uint32_t segment)
{
	return g_strdup(ana_path_actor(path, ana_path_segment(path, segment)->actor)->label);
}

mdl_doubts exp_path_link_doubts(const struct ana_path *path, const struct ana_link *l)
{
	const struct ana_segment *from = ana_path_segment(path, l->from), *to = ana_path_segment(path, l->to);
	const struct ana_source *source = source_of(path, from);

	if (l->kind == ANA_LINK_NETWORK)
		return to->crossing.crossed ? to->crossing.doubts : from->doubts;
	return source ? source->doubts : from->doubts;
}

TABLE_COLUMNS(link_columns)
{
	const struct ana_link *l = row;

	TABLE_COLUMN("at", "AT", TABLE_TIME, "sent, arrived", number = l->at);
	TABLE_COLUMN("arrival", "ARRIVAL", TABLE_TIME, "sent, arrived", number = l->arrival);
	TABLE_OBJECT("from", "FROM", TABLE_WORD, "", link_end_json(in->q, in->context, l->from),
		link_end_text(in->context, l->from));
	TABLE_OBJECT("to", "TO", TABLE_WORD, "", link_end_json(in->q, in->context, l->to),
		link_end_text(in->context, l->to));
	TABLE_COLUMN("kind", "KIND", TABLE_WORD,
		"`wakeup`, `fork`, `network`, `ipi`, `vm` (between a guest and its host)",
		word = ana_link_kind_name(l->kind));
	TABLE_COLUMN("grade", "GRADE", TABLE_WORD,
		"how sure this link is: the grade of the SOURCE that ended the wait, or of the packet on its way",
		word = ana_grade_name(exp_path_link_doubts(in->context, l)));
	TABLE_DOUBTS("", true, exp_path_link_doubts(in->context, l));
}

TABLE_COLUMNS(summary_columns)
{
	const struct ana_summary *s = row;

	TABLE_OBJECT("actor", NULL, TABLE_WORD, "the table below the segments",
		actor_json(in->q, in->context, s->actor), NULL); /* in ACTOR */
	TABLE_COLUMN("kind", "KIND", TABLE_LONG, "", word = ana_segment_kind_name(s->kind));
	TABLE_COLUMN("time", ">TIME", TABLE_DURATION, "", number = s->time);
	TABLE_COLUMN("share", ">SHARE", TABLE_SHARE, "of the path", share = s->share);
	TABLE_COLUMN("segments", ">SEGMENTS", TABLE_NUMBER, "", number = s->segments);
	TABLE_COLUMN("", "ACTOR", TABLE_LONG, "", word = ana_path_actor(in->context, s->actor)->label);
}

/* The link by which the path leaves segment INDEX: "wakeup > wk-stage0[1234]"; NULL: it stays.  The caller
 * frees. */
static char *hand_over_text(const struct ana_path *path, guint index, guint *next_link)
{
	const struct ana_link *l;

	while (*next_link < path->links->len &&
		g_array_index(path->links, struct ana_link, *next_link).from < index)
		(*next_link)++;
	if (*next_link == path->links->len)
		return NULL;
	l = &g_array_index(path->links, struct ana_link, *next_link);
	if (l->from != index)
		return NULL;
	return g_strdup_printf("%s > %s", ana_link_kind_name(l->kind),
		ana_path_actor(path, ana_path_segment(path, l->to)->actor)->label);
}

/* The detail of a segment, and what ended the wait unless THEN says it.  The caller frees. */
static char *explanation(struct qry *q, const struct ana_path *path, const struct ana_segment *s,
	bool handed_over)
{
	const struct ana_source *source = handed_over ? NULL : source_of(path, s);
	char *detail = ana_path_detail(q, s), *cause, *text;

	if (s->kind == ANA_SEG_THROTTLED) {
		text = g_strconcat(detail, ana_grade_mark(s->doubts), NULL);
		g_free(detail);
		return text;
	}
	if (!source)
		return detail;
	cause = ana_source_text(q, source);
	text = detail && *detail ? g_strconcat(detail, "; ", cause, NULL) : g_strdup(cause);
	g_free(detail);
	g_free(cause);
	return text;
}

/* ---- columns of segments ---- */

/* A segment, and the link by which the path leaves it. */
struct segment {
	const struct ana_path *path;
	const struct ana_segment *s;
	const struct ana_source *source; /* NULL none */
	char *then;                      /* owned; NULL: it stays */
	bool spins;                      /* it is a part of IPI */
	struct mdl_ipi_wait ipi;
};

/* The statement that the segment makes by itself is graded: a packet's way, a budget that was used up, a wait for
 * an IPI. */
static bool is_graded(const struct segment *x)
{
	return x->s->crossing.crossed || x->spins || x->s->kind == ANA_SEG_THROTTLED;
}

static mdl_doubts graded_doubts(struct qry *q, const struct segment *x)
{
	if (x->spins)
		return ana_ipiwait_doubts(q, &x->ipi);
	return x->s->kind == ANA_SEG_THROTTLED ? x->s->doubts : x->s->crossing.doubts;
}

/* A wait for an IPI. */
static GString *ipi_wait_json(const struct table_in *in, const struct segment *x)
{
	struct ana_why *why = ana_ipiwait_why(in->q, &x->ipi);
	g_autofree char *cpus = ana_ipiwait_cpus(&x->ipi);
	GString *o = base_json_object();

	base_json_text(o, "cpus", cpus);
	base_json_int(o, "last_cpu", x->ipi.last);
	base_json_time(o, "sent", x->ipi.from);
	base_json_time(o, "entry", x->ipi.entry);
	base_json_time(o, "taken", x->ipi.to);
	base_json_text(o, "caller", ana_ipiwait_caller(in->q, &x->ipi));
	base_json_put(o, "evidence", in->evidence->list(in->evidence, why, 0, why->evidence->len));
	ana_why_free(why);
	return o;
}

/* The actor, indented by the depth.  The caller frees. */
static char *actor_text(const struct segment *x, enum table_format format)
{
	const char *indent = format == TABLE_TEXT ? "  " : format == TABLE_MARKDOWN ? "› " : "";
	GString *text = g_string_new(NULL);

	for (uint32_t i = 0; i < MIN(x->s->depth, INDENT_MAX); i++)
		g_string_append(text, indent);
	return g_string_free(g_string_append(text, ana_path_actor(x->path, x->s->actor)->label), FALSE);
}

TABLE_COLUMNS(columns)
{
	const struct segment *x = row;
	const struct ana_actor *a = row ? ana_path_actor(x->path, x->s->actor) : NULL;

	TABLE_COLUMN_BY("from", ">AT", TABLE_TIME, "", cell->number = x->s->from;
			cell->taken = table_told(in->format) ? table_signed_text(x->s->from - x->path->from)
							     : NULL);
	TABLE_COLUMN("to", NULL, TABLE_TIME, "", number = x->s->to); /* AT and FOR */
	TABLE_COLUMN("duration", ">FOR", TABLE_DURATION, "", number = x->s->to - x->s->from);
	/* in ACTOR, DEPTH as its indent: */
	TABLE_COLUMN("actor_type", NULL, TABLE_WORD, "the members of `actor`",
		word = ana_actor_type_name(a->type));
	TABLE_COLUMN("host", NULL, TABLE_WORD, "the members of `actor`",
		word = qry_host(in->q, a->host)->name);
	TABLE_COLUMN("tid", NULL, TABLE_NUMBER, "", number = table_nr(in->q, a->row));
	TABLE_COLUMN("name", NULL, TABLE_WORD, "the members of `actor`", word = a->name);
	TABLE_COLUMN("kind", "KIND", TABLE_LONG, "see below", word = ana_segment_kind_name(x->s->kind));
	TABLE_COLUMN("detail", NULL, TABLE_WORD,
		"more about the kind: what interrupted it, why a packet was not followed",
		taken = ana_path_detail(in->q, x->s)); /* in WHAT */
	TABLE_COLUMN("depth", NULL, TABLE_NUMBER,
		"nesting level of waits; 0 is the subject. The text indents by it", number = x->s->depth);
	TABLE_COLUMN("source_kind", NULL, TABLE_WORD, "kind and grade of `source`",
		word = x->source ? ana_kind_name(x->source->kind) : NULL); /* in WHAT and THEN */
	TABLE_COLUMN("source_grade", NULL, TABLE_WORD, "kind and grade of `source`",
		word = x->source ? ana_grade_name(x->source->doubts) : NULL);
	TABLE_COLUMN("on_path_because", "ON THE PATH", TABLE_LONG, "", word = x->s->because);
	/* in WHAT: of a packet's way between hosts; the grade also of a budget that was used up */
	TABLE_COLUMN("error", NULL, TABLE_DURATION,
		"a packet on its way, or `vm-interrupt`: possible error of the length",
		number = x->s->crossing.crossed ? table_bound(x->s->crossing.error) : BASE_TIME_NONE);
	TABLE_COLUMN("grade", NULL, TABLE_WORD,
		"a packet on its way: how sure; `vm-interrupt`: how sure it is that it was this one of the posted interrupts; `throttled`: inferred; `ipi-wait`: how sure it is that the thread waited",
		word = is_graded(x) ? ana_grade_name(graded_doubts(in->q, x)) : NULL);
	TABLE_OBJECT("actor", "ACTOR", TABLE_WORD, "who has this segment",
		actor_json(in->q, x->path, x->s->actor), actor_text(x, in->format));
	TABLE_OBJECT("source", NULL, TABLE_WORD, "of the wake-up that ended the segment",
		x->source ? table_source_json(in->q, x->source->row, &x->source->wakeup, in->evidence) : NULL,
		x->source ? ana_source_text(in->q, x->source) : NULL);
	TABLE_OBJECT("ipi_wait", NULL, TABLE_WORD, "", x->spins ? ipi_wait_json(in, x) : NULL,
		x->spins ? ana_ipiwait_text(in->q, &x->ipi) : NULL);
	TABLE_COLUMN("then", "THEN", TABLE_LONG, "the link that leads on, as one text", word = x->then);
	TABLE_COLUMN("what", "WHAT", TABLE_LONG, "all of WHAT as one text",
		taken = explanation(in->q, x->path, x->s, x->then));
	TABLE_DOUBTS("source_", x->source, x->source->doubts);
	TABLE_DOUBTS("", is_graded(x), graded_doubts(in->q, x));
}

/* The first MOST segments; EVIDENCE: only for JSON. */
static void put_segments(GString *out, struct qry *q, const struct ana_path *path, guint most,
	const struct exp_options *o, struct exp_evidence *evidence)
{
	struct exp_rows *rows = exp_rows_new(out, "segments", columns, o, q, NULL);
	guint next_link = 0;

	exp_rows_await(rows, evidence);
	for (guint i = 0; i < MIN(path->segments->len, most); i++) {
		const struct ana_segment *s = ana_path_segment(path, i);
		struct segment x = { path, s, source_of(path, s), hand_over_text(path, i, &next_link), false,
			{ 0 } };

		x.spins = ana_path_ipi_wait(q, s, &x.ipi);

		exp_rows_add(rows, &x);
		g_free(x.then);
	}
	exp_rows_finish(rows);
}

/* ---- the whole ---- */

static bool path_json(GString *out, struct qry *q, const struct ana_path *path, const struct exp_options *o,
	GError **error)
{
	struct exp_evidence *evidence = exp_evidence_new(q, out, o);

	base_json_put(out, "subject", table_json_subject(q, path->subject));
	base_json_time(out, "from", path->from);
	base_json_time(out, "to", path->to);
	base_json_time(out, "asked_from", path->window.asked_from);
	base_json_time(out, "asked_to", path->window.asked_to);
	base_json_text(out, "begins", path->window.begins);
	base_json_text(out, "ends", path->window.ends);
	put_segments(out, q, path, UINT_MAX, o, evidence);
	exp_rows_array(out, "links", link_columns, o, q, path, path->links, UINT_MAX);
	exp_rows_array(out, "summary", summary_columns, o, q, path, path->summary, UINT_MAX);
	return exp_evidence_finish(evidence, error);
}

/* The limits of the subject's life within the window: "; of the 193 ms asked for: created at
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

void exp_path_text(GString *out, struct qry *q, const struct ana_path *path, guint most,
	const struct exp_options *o)
{
	g_autoptr(GString) title = exp_path_title(q, path);

	g_string_append_printf(out, "%s\n", title->str);
	put_segments(out, q, path, most, o, NULL);
	if (path->segments->len > most)
		g_string_append_printf(out, "and %u more: wakepath path TRACE --thread %" PRId64 "\n",
			path->segments->len - most, qry_row(q, path->subject)->nr);
	g_string_append_c(out, '\n');
	exp_rows_array(out, "summary", summary_columns, o, q, path, path->summary, UINT_MAX);
}

/* A ticket: the hosts and their traces, sums, segments and links. */
static void path_markdown(GString *out, struct qry *q, const struct ana_path *path,
	const struct exp_options *o)
{
	g_autoptr(GString) title = exp_path_title(q, path);

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
	g_string_append(out, "\n\n#### Time by actor\n\n");
	exp_rows_array(out, "summary", summary_columns, o, q, path, path->summary, UINT_MAX);
	g_string_append(out, "\n#### Segments\n\n");
	put_segments(out, q, path, UINT_MAX, o, NULL);
	g_string_append(out, "\n#### Links\n\n");
	exp_rows_array(out, "links", link_columns, o, q, path, path->links, UINT_MAX);
}

EXP_WRITER(exp_path)
{
	if (o->format == TABLE_JSON)
		return path_json(out, q, result, o, error);
	if (o->format == TABLE_TEXT)
		exp_path_text(out, q, result, UINT_MAX, o);
	else if (o->format == TABLE_MARKDOWN)
		path_markdown(out, q, result, o);
	else
		put_segments(out, q, result, UINT_MAX, o, NULL);
	return true;
}
