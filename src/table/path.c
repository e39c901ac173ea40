/* SPDX-License-Identifier: MIT */
/*
 * A critical path: its segments, its links, its sums. The result is a struct ana_path. Without a result, each
 * of these tables walks the path.
 */
#include "table/json.h"
#include "table/rows.h"

#include "analysis/path/path.h"
#include "analysis/wait/ipiwait.h"
#include "base/base_time.h"

#define INDENT_MAX 8 /* deeper levels are not indented further */

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

/* One end of a link: the actor and the number of its segment. */
static GString *link_end_json(const struct qry *q, const struct ana_path *path, uint32_t segment)
{
	GString *o = actor_json(q, path, ana_path_segment(path, segment)->actor);

	base_json_int(o, "segment", segment);
	return o;
}

/* The label of the actor at one end of a link. The caller frees. */
static char *link_end_text(const struct ana_path *path, uint32_t segment)
{
	return g_strdup(ana_path_actor(path, ana_path_segment(path, segment)->actor)->label);
}

mdl_doubts table_link_doubts(const struct ana_path *path, const struct ana_link *l)
{
	const struct ana_segment *from = ana_path_segment(path, l->from), *to = ana_path_segment(path, l->to);
	const struct ana_source *source = source_of(path, from);

	if (l->kind == ANA_LINK_DECLARED)
		return MDL_DOUBT(DECLARED);
	if (l->kind == ANA_LINK_NETWORK)
		return to->crossing.crossed ? to->crossing.doubts : from->doubts;
	return source ? source->doubts : from->doubts;
}

TABLE_COLUMNS(link_columns)
{
	const struct ana_link *l = row;

	TABLE_COLUMN("at", "AT", TABLE_TIME, "sent", number = l->at);
	TABLE_COLUMN("arrival", "ARRIVAL", TABLE_TIME, "arrived", number = l->arrival);
	TABLE_OBJECT("from", "FROM", TABLE_WORD, "{}: ", link_end_json(in->q, in->context, l->from),
		link_end_text(in->context, l->from));
	TABLE_OBJECT("to", "TO", TABLE_WORD, "{}: ", link_end_json(in->q, in->context, l->to),
		link_end_text(in->context, l->to));
	TABLE_COLUMN("kind", "KIND", TABLE_WORD,
		"`wakeup`, `fork`, `network`, `ipi`, `vm` (between a guest and its host), `declared` (to a thread that waited on its CPU for this one)",
		word = ana_link_kind_name(l->kind));
	TABLE_COLUMN("grade", "GRADE", TABLE_WORD,
		"how sure this link is: the grade of the SOURCE that ended the wait, or of the packet on its way",
		word = ana_grade_name(table_link_doubts(in->context, l)));
	TABLE_DOUBTS("", true, table_link_doubts(in->context, l));
}

/* The link by which the path leaves segment INDEX: "wakeup > wk-stage0[1234]"; NULL: none. Caller frees. */
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

/* The detail of a segment, and what ended the wait unless a link says it (HANDED_OVER). The caller frees. */
static char *explanation(struct qry *q, const struct ana_path *path, const struct ana_segment *s,
	bool handed_over)
{
	const struct ana_source *source = handed_over ? NULL : source_of(path, s);
	char *detail = ana_path_detail(q, s), *cause, *text;

	if (s->kind == ANA_SEG_THROTTLED || s->kind == ANA_SEG_WAITING) {
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

/* A segment and the link by which the path leaves it. */
struct segment {
	const struct ana_path *path;
	const struct ana_segment *s;
	const struct ana_source *source; /* NULL: none */
	char *then;                      /* owned; NULL: the path does not leave */
	struct qry_counts counts;        /* of the segment */
	bool spins;                      /* the thread spins: the segment is part of the wait IPI */
	struct mdl_ipi_wait ipi;
};

/* True if the segment itself is a statement with a grade: a packet on its way, an exhausted budget, a wait
 * for an IPI, a declared wait. */
static bool is_graded(const struct segment *x)
{
	return x->s->crossing.crossed || x->spins || x->s->kind == ANA_SEG_THROTTLED ||
		x->s->kind == ANA_SEG_WAITING;
}

static mdl_doubts graded_doubts(struct qry *q, const struct segment *x)
{
	if (x->spins)
		return ana_ipiwait_doubts(q, &x->ipi);
	return x->s->crossing.crossed ? x->s->crossing.doubts : x->s->doubts;
}

/* The wait for an IPI of segment X. */
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

/* The label of the actor, indented by the depth. The caller frees. */
static char *actor_text(const struct segment *x, enum table_format format)
{
	const char *indent = format == TABLE_TEXT ? "  " : format == TABLE_MARKDOWN ? "› " : "";
	GString *text = g_string_new(NULL);

	for (uint32_t i = 0; i < MIN(x->s->depth, INDENT_MAX); i++)
		g_string_append(text, indent);
	return g_string_free(g_string_append(text, ana_path_actor(x->path, x->s->actor)->label), FALSE);
}

TABLE_COLUMNS(segment_columns)
{
	const struct segment *x = row;
	const struct ana_actor *a = row ? ana_path_actor(x->path, x->s->actor) : NULL;

	TABLE_COLUMN_BY("from", ">AT", TABLE_TIME, "", cell->number = x->s->from;
			cell->taken = table_told(in->format) ? table_signed_text(x->s->from - x->path->from)
							     : NULL);
	TABLE_COLUMN("utid", NULL, TABLE_NUMBER | TABLE_ONLY_SQL, "the thread that is followed",
		number = table_id(x->s->row));
	TABLE_COLUMN("to", "(FOR", TABLE_TIME, "", number = x->s->to);
	TABLE_COLUMN("duration", ">FOR", TABLE_DURATION, "", number = x->s->to - x->s->from);
	TABLE_COLUMN("actor_type", "(ACTOR", TABLE_WORD, "type of `actor`",
		word = ana_actor_type_name(a->type));
	TABLE_COLUMN("host", "(ACTOR", TABLE_WORD, "host of `actor`", word = qry_host(in->q, a->host)->name);
	TABLE_COLUMN("tid", "(ACTOR", TABLE_NUMBER, "TID of `actor`", number = table_nr(in->q, a->row));
	TABLE_COLUMN("name", "(ACTOR", TABLE_WORD, "name of `actor`", word = a->name);
	TABLE_COLUMN("kind", "KIND", TABLE_LONG, "see below", word = ana_segment_kind_name(x->s->kind));
	TABLE_COLUMN("detail", "(WHAT", TABLE_WORD,
		"more about the kind: what interrupted it, why a packet was not followed; `in memcg reclaim` and similar: the thread was in this work of the kernel for memory, with `for` and a time if only for a part of the segment",
		taken = ana_path_detail(in->q, x->s));
	TABLE_COLUMN("depth", "(ACTOR", TABLE_NUMBER,
		"nesting level of waits; 0 is the subject. The text indents by it", number = x->s->depth);
	TABLE_COLUMN("source_kind", "(WHAT", TABLE_WORD, "kind of `source`",
		word = x->source ? ana_kind_name(x->source->kind) : NULL);
	TABLE_COLUMN("source_grade", "(WHAT", TABLE_WORD, "grade of `source`",
		word = x->source ? ana_grade_name(x->source->doubts) : NULL);
	TABLE_COLUMN("on_path_because", "ON THE PATH", TABLE_LONG, "", word = x->s->because);
	/* Text has ERROR in WHAT for packets between hosts, and GRADE also for exhausted budgets. */
	TABLE_COLUMN("error", "(WHAT", TABLE_DURATION,
		"a packet on its way, or `vm-interrupt`: possible error of the length",
		number = x->s->crossing.crossed ? table_bound(x->s->crossing.error) : BASE_TIME_NONE);
	TABLE_COLUMN("grade", "(WHAT", TABLE_WORD,
		"a packet on its way: how sure; `vm-interrupt`: how sure it is that the guest handled this one of the posted interrupts; `throttled`: inferred; `ipi-wait`: how sure it is that the thread waited; `waiting`: declared",
		word = is_graded(x) ? ana_grade_name(graded_doubts(in->q, x)) : NULL);
	TABLE_OBJECT("actor", "ACTOR", TABLE_WORD, "ACTOR: the thread, interrupt, disk, … whose time this is",
		actor_json(in->q, x->path, x->s->actor), actor_text(x, in->format));
	TABLE_OBJECT("source", "(WHAT", TABLE_WORD, "SOURCE: of the wake-up that ended the segment",
		x->source ? table_source_json(in->q, x->source->row, &x->source->wakeup, in->evidence) : NULL,
		x->source ? ana_source_text(in->q, x->source) : NULL);
	TABLE_OBJECT("ipi_wait", NULL, TABLE_WORD, "{}: ", x->spins ? ipi_wait_json(in, x) : NULL,
		x->spins ? ana_ipiwait_text(in->q, &x->ipi) : NULL);
	TABLE_COLUMN("then", "THEN", TABLE_LONG, "the link that leads on, as one text", word = x->then);
	TABLE_COLUMN("what", "WHAT", TABLE_LONG, "all of WHAT as one text",
		taken = explanation(in->q, x->path, x->s, x->then));
	TABLE_DOUBTS("source_", x->source, x->source->doubts);
	TABLE_DOUBTS("", is_graded(x), graded_doubts(in->q, x));
	TABLE_COUNTS(&x->counts,
		"name → number: of a segment on a CPU, what each counter counted in it; null if it was not read at both ends, or within");
}

/* ---- counters ---- */

/* True if the thread of S had a CPU. */
static bool is_on_cpu(const struct ana_segment *s)
{
	return s->row != MDL_NONE &&
		(s->kind == ANA_SEG_RUNNING || s->kind == ANA_SEG_SYSCALL || s->kind == ANA_SEG_INTERRUPTED ||
			s->kind == ANA_SEG_IPI_WAIT);
}

/*
 * Counts of each thread on PATH. Counters are read when a thread gets a CPU and when it leaves it, so
 * adjacent segments on a CPU are one time. Returns row → struct qry_counts, owned; the caller unrefs.
 */
static GHashTable *counts_of_threads(struct qry *q, const struct ana_path *path)
{
	GHashTable *all = g_hash_table_new_full(NULL, NULL, NULL, g_free);

	for (guint i = 0, next; i < path->segments->len; i = next) {
		const struct ana_segment *s = ana_path_segment(path, i), *last = s;
		struct qry_counts counts, *sum;

		for (next = i + 1; next < path->segments->len; next++) {
			const struct ana_segment *other = ana_path_segment(path, next);

			if (!is_on_cpu(last) || !is_on_cpu(other) || other->row != s->row ||
				other->from != last->to)
				break;
			last = other;
		}
		if (!is_on_cpu(s) || !qry_counts(q, s->row, s->from, last->to, &counts))
			continue;
		sum = g_hash_table_lookup(all, GUINT_TO_POINTER(s->row));
		if (!sum) {
			sum = g_new0(struct qry_counts, 1);
			g_hash_table_insert(all, GUINT_TO_POINTER(s->row), sum);
		}
		qry_counts_add(sum, &counts);
	}
	return all;
}

/* A line of the summary. */
struct sum {
	const struct ana_summary *s;
	struct qry_counts *counts; /* owned; NULL: none */
};

struct sums {
	struct table_list of;
	GHashTable *left; /* owned; the rest of counts_of_threads() that no line has; NULL until needed */
	struct sum now;
};

/* The counts of a thread are in its first line of time on a CPU. */
static int next_sum(struct table_cursor *cursor, const void **row, GError **error)
{
	struct sums *c = (struct sums *)cursor;
	int found = table_list_next(cursor, row, error);
	const struct ana_actor *a;

	g_clear_pointer(&c->now.counts, g_free);
	if (found <= 0)
		return found;
	c->now.s = *row;
	*row = &c->now;
	if (!c->left)
		c->left = qry_has_counters(cursor->q) ? counts_of_threads(cursor->q, cursor->in.context)
						      : g_hash_table_new(NULL, NULL);
	a = ana_path_actor(cursor->in.context, c->now.s->actor);
	if (c->now.s->kind == ANA_SEG_RUNNING || c->now.s->kind == ANA_SEG_SYSCALL)
		g_hash_table_steal_extended(c->left, GUINT_TO_POINTER(a->row), NULL,
			(gpointer *)&c->now.counts);
	return 1;
}

static void close_sums(struct table_cursor *cursor)
{
	struct sums *c = (struct sums *)cursor;

	g_free(c->now.counts);
	if (c->left)
		g_hash_table_unref(c->left);
}

TABLE_COLUMNS(summary_columns)
{
	const struct sum *x = row;
	const struct ana_summary *s = row ? x->s : NULL;

	TABLE_OBJECT("actor", NULL, TABLE_WORD, "ACTOR: the table above the segments",
		actor_json(in->q, in->context, s->actor), NULL);
	TABLE_COLUMN("kind", "KIND", TABLE_LONG, "", word = ana_segment_kind_name(s->kind));
	TABLE_COLUMN("time", ">TIME", TABLE_DURATION, "", number = s->time);
	TABLE_COLUMN("share", ">SHARE", TABLE_SHARE, "of the path", share = s->share);
	TABLE_COLUMN("segments", ">SEGMENTS", TABLE_NUMBER, "", number = s->segments);
	TABLE_COLUMN("", "ACTOR", TABLE_LONG, "", word = ana_path_actor(in->context, s->actor)->label);
	TABLE_COUNTS(x->counts,
		"name → number: what each counter counted in all segments in which the thread had a CPU, in its first line of `running` or `syscall`");
}

/* ---- cursors ---- */

struct path {
	struct table_list of;
	guint next_link; /* the link of the next segment is this one or a later one */
	struct segment now;
};

static void *make_path(struct table_cursor *c, GError **error)
{
	return ana_path_new(c->q, c->ask.row, c->ask.from, c->ask.to, c->ask.progress, error);
}

static int next_segment(struct table_cursor *cursor, const void **row, GError **error)
{
	struct path *c = (struct path *)cursor;
	const struct ana_path *path = cursor->in.context;
	guint index = c->of.next;
	int found = table_list_next(cursor, row, error);

	g_free(c->now.then);
	c->now = (struct segment){ .path = path };
	if (found <= 0)
		return found;
	c->now.s = *row;
	c->now.source = source_of(path, c->now.s);
	c->now.then = hand_over_text(path, index, &c->next_link);
	c->now.spins = ana_path_ipi_wait(cursor->q, c->now.s, &c->now.ipi);
	if (qry_has_counters(cursor->q) && is_on_cpu(c->now.s))
		qry_counts(cursor->q, c->now.s->row, c->now.s->from, c->now.s->to, &c->now.counts);
	*row = &c->now;
	return 1;
}

static void close_segments(struct table_cursor *cursor)
{
	g_free(((struct path *)cursor)->now.then);
}

static bool segment_lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct segment *x = row;

	*to = (struct table_place){ .row = x->s->row,
		.from = x->s->from,
		.to = x->s->to,
		.is_wait = x->source };
	return true;
}

static bool link_lead(const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct ana_link *l = row;

	*to = (struct table_place){ .row = ana_path_segment(c->in.context, l->to)->row,
		.from = l->at,
		.to = l->arrival };
	return true;
}

static const struct table_alias segment_aliases[] = {
	{ "from", "ts" },
	{ "to", NULL },
	{ "duration", "dur" },
	{ "what", NULL },
	{ "ipi_wait", NULL },
	{ NULL, NULL },
};
#define PATH(part_of, text)                                                                               \
	.list = #part_of, .doc = (text), .takes = TABLE_TAKES_ROW | TABLE_TAKES_WINDOW | TABLE_NEEDS_ROW, \
	.rows_are = TABLE_ROWS_ARRAY, .part = offsetof(struct ana_path, part_of), .make = make_path,      \
	.free = (GDestroyNotify)ana_path_free

const struct table table_path_segments = {
	PATH(segments, "a segment of the critical path of a thread"),
	.name = "path",
	.columns = segment_columns,
	.aliases = segment_aliases,
	.size = sizeof(struct path),
	.next = next_segment,
	.close = close_segments,
	.lead = segment_lead,
};

const struct table table_path_links = {
	PATH(links, "a link of the critical path of a thread, from one actor to another"),
	.name = "path_link",
	.columns = link_columns,
	.lead = link_lead,
};

const struct table table_path_summary = {
	PATH(summary, "an actor on the critical path of a thread, with a kind of its time"),
	.name = "path_sum",
	.columns = summary_columns,
	.size = sizeof(struct sums),
	.next = next_sum,
	.close = close_sums,
};
