/* SPDX-License-Identifier: MIT */
/* Where to look first: the overview, and the user's bookmarks. */
#include "table/table.h"

#include "table/json.h"

#include "analysis/cpu/blame.h"
#include "analysis/latency/mark.h"
#include "analysis/overview/overview.h"
#include "base/base_time.h"
#include "query/bookmarks.h"

#include <string.h>

/* ---- the overview ---- */

/* A line and its part. */
struct entry {
	enum ana_overview_part part;
	const struct ana_overview_line *line;
};

TABLE_COLUMNS(line_columns)
{
	const struct entry *e = row;
	const struct ana_overview_line *line = e ? e->line : NULL;

	TABLE_COLUMN("part", NULL, TABLE_WORD,
		"`vcpus`: virtual CPUs that waited longest for a CPU of their host, and who had it; `cpu`: threads that ran most, without interrupts; `interrupts`: those that took most time; `wakeup`: the slowest wake-ups; `requests`: the slowest requests over the net, without remote shells; `waiting`: user threads that lost most time, as the sentences count it, one for each name; `taken`: who had the CPU while user threads waited for one; `disks`: those with the slowest operations",
		word = ana_overview_name(e->part));
	TABLE_COLUMN("time", ">TIME", TABLE_DURATION,
		"sort key within a part: a sum; for `wakeup`, `requests` and `disks` the longest case",
		number = line->time);
	TABLE_COLUMN("share", ">SHARE", TABLE_SHARE,
		"of the host's time in the trace (`cpu`, `interrupts`), of the thread's life (`waiting`)",
		share = line->of > 0 ? (double)line->time / (double)line->of : (double)NAN);
	TABLE_COLUMN("count", ">COUNT", TABLE_NUMBER, "number of waits or operations",
		number = line->count > 0 ? (int64_t)line->count : BASE_TIME_NONE);
	TABLE_COLUMN("name", "NAME", TABLE_WORD, "thread, interrupt or device", word = line->name);
	TABLE_COLUMN("what", "WHAT", TABLE_WORD,
		"more about it: what it waited for most, what ran instead, which thread it delayed longest, which server it asked",
		word = line->what);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "its host",
		word = table_host(in->q, line->row == MDL_NONE ? MDL_NONE : qry_row(in->q, line->row)->host));
	TABLE_COLUMN("nr", NULL, TABLE_NUMBER, "TID or interrupt number to look at",
		number = table_nr(in->q, line->row));
	TABLE_COLUMN("from", "AT", TABLE_TIME,
		"where to look: begin of the longest run (`cpu`, `interrupts`), the longest wait, the slowest operation",
		number = line->row == MDL_NONE ? BASE_TIME_NONE : line->from);
	TABLE_COLUMN("to", NULL, TABLE_TIME, "its end",
		number = line->row == MDL_NONE ? BASE_TIME_NONE : line->to);
}

struct overview {
	struct table_cursor of;
	struct ana_overview *made; /* owned; NULL: the asker has the overview */
	const struct ana_overview *all;
	unsigned part;
	guint line;
	struct entry entry;
};

static bool open_overview(struct table_cursor *cursor, GError **error)
{
	struct overview *c = (struct overview *)cursor;
	const struct table_question *ask = &cursor->ask;

	if (!ask->result)
		c->made = ana_overview_new(cursor->q, ask->top ? ask->top : UINT_MAX, ask->hide_tracer,
			ask->progress, error);
	c->all = c->made ? c->made : ask->result;
	return c->all;
}

static int next_line(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct overview *c = (struct overview *)cursor;
	const char *only = cursor->ask.kind;

	for (; c->part < ANA_OVERVIEW_N; c->part++, c->line = 0) { /* ALL has no answers */
		const GArray *lines = c->all->lines[c->part];

		if (!lines || c->line >= lines->len ||
			(only && !g_str_equal(only, ana_overview_name(c->part))))
			continue;
		c->entry = (struct entry){ c->part,
			&g_array_index(lines, struct ana_overview_line, c->line++) };
		*row = &c->entry;
		return 1;
	}
	return 0;
}

static void close_overview(struct table_cursor *cursor)
{
	ana_overview_free(((struct overview *)cursor)->made);
}

static bool overview_lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct ana_overview_line *line = ((const struct entry *)row)->line;

	*to = (struct table_place){ .row = line->row,
		.from = line->from,
		.to = line->to,
		.is_wait = line->way == ANA_OVERVIEW_WAIT };
	return line->row != MDL_NONE;
}

const struct table table_overview = {
	.name = "overview",
	.list = "top",
	.doc = "where the time went, and the worst of each kind; `kind`: one part of it",
	.columns = line_columns,
	.size = sizeof(struct overview),
	.takes = TABLE_TAKES_KIND,
	.open = open_overview,
	.next = next_line,
	.close = close_overview,
	.lead = overview_lead,
};

/* ---- answers ---- */

TABLE_COLUMNS(answer_columns)
{
	const struct ana_overview_line *line = row;
	const struct ana_answer *a = line ? line->answer : NULL;
	bool spans = line && line->way == ANA_OVERVIEW_SPANS;

	TABLE_COLUMN("text", "TEXT", TABLE_WORD, "the sentence", word = a->text);
	TABLE_OBJECT("subject", NULL, TABLE_WORD,
		"SUBJECT: the thread that lost time, that others waited for, that sent the requests, or that had the slowest span",
		table_json_subject(in->q, line->row), qry_row_label(in->q, line->row));
	TABLE_COLUMN("from", "AT", TABLE_TIME,
		"begin of the longest case of `cause`, or the slowest request or span", number = line->from);
	TABLE_COLUMN("to", NULL, TABLE_TIME, "its end", number = line->to);
	TABLE_COLUMN("share", NULL, TABLE_SHARE, "`lost` of `life`",
		share = a->life > 0 ? (double)line->time / (double)a->life : (double)NAN);
	TABLE_COLUMN("lost", NULL, TABLE_DURATION,
		"time that was lost: by a thread, between pieces of its work; by others that waited for the subject; for requests, the sum of their times; for spans, their time beyond the median",
		number = line->time);
	TABLE_COLUMN("life", NULL, TABLE_DURATION,
		"life of the thread, until its exit; or the sum of all requests or spans", number = a->life);
	TABLE_COLUMN("ran", NULL, TABLE_DURATION,
		"time that the thread ran, without interrupts and without spinning for IPIs; null: the answer is about requests, spans, or a thread that others waited for",
		number = a->ran);
	TABLE_COLUMN("span", NULL, TABLE_WORD,
		"name of the spans that the answer is about; null: it is about a thread or requests",
		word = spans ? line->what + strlen(ANA_PROGRAM_PREFIX) : NULL);
	TABLE_COLUMN("kind", NULL, TABLE_WORD,
		"the kind of wait that took most of it, as in `causes`; `stolen`: a virtual CPU was not inside the guest, as in `why`; `waiting` with `ran` null: others waited for the subject; null: the answer is about spans",
		word = spans        ? NULL
			: a->stolen ? ana_phase_name(ANA_PHASE_STOLEN)
				    : ana_kind_name(a->kind));
	TABLE_COLUMN("kind_time", NULL, TABLE_DURATION, "time lost to that kind", number = a->of_kind);
	TABLE_COLUMN("cause", NULL, TABLE_WORD,
		"the largest cause of that kind, the server of the requests, or the thread that waited longest for the subject; null: the answer is about spans",
		word = a->cause);
	TABLE_COLUMN("cause_time", NULL, TABLE_DURATION, "time lost to that cause", number = a->by_cause);
	TABLE_COLUMN("count", NULL, TABLE_NUMBER,
		"how often `cause` took time; or the number of requests, of spans, or of threads that waited for the subject",
		number = (int64_t)a->count);
	TABLE_COLUMN("p50", NULL, TABLE_DURATION,
		"of the requests or spans; null: the answer is about a thread", number = a->p50);
	TABLE_COLUMN("longest", NULL, TABLE_DURATION, "the longest of them", number = a->longest);
	TABLE_COLUMN("longest_wait", NULL, TABLE_DURATION,
		"the whole wait that contains `longest`; for requests and spans the same as `longest`",
		number = a->whole);
	TABLE_COLUMN("alike", NULL, TABLE_NUMBER,
		"number of threads with that name, the subject included; 1 for requests and spans",
		number = (int64_t)a->alike);
}

static bool answer_lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct ana_overview_line *line = row;

	*to = (struct table_place){ .row = line->row, .from = line->from, .to = line->to };
	return line->row != MDL_NONE;
}

const struct table table_answers = {
	.name = "answer",
	.list = "answers",
	.doc = "a sentence about work that lost time, the largest loss first; at most five",
	.columns = answer_columns,
	.rows_are = TABLE_ROWS_ARRAY,
	.part = TABLE_WHOLE,
	.takes = TABLE_NEEDS_RESULT,
	.lead = answer_lead,
};

/* ---- the story of a time ---- */

TABLE_COLUMNS(story_columns)
{
	const struct ana_story_part *p = row;
	const struct ana_story *s = in->context;

	TABLE_COLUMN("time", ">TIME", TABLE_DURATION, "the parts sum to the time that was asked for",
		number = p->time);
	TABLE_COLUMN("share", ">SHARE", TABLE_SHARE, "of that time",
		share = (double)p->time / (double)(s->to - s->from));
	TABLE_COLUMN("cause", NULL, TABLE_YES, "true: one of the three largest causes", number = p->is_cause);
	TABLE_COLUMN("what", "WHAT", TABLE_WORD, "what the thread did, and because of whom",
		taken = g_strdup_printf("%s%s%s", p->what, *p->what ? " " : "", p->text));
	TABLE_COLUMN("grade", "GRADE", TABLE_WORD, "how sure that is", word = ana_grade_name(p->doubts));
	TABLE_DOUBTS("", p, p->doubts);
}

const struct table table_story = {
	.name = "story_part",
	.list = "parts",
	.doc = "a part of the time of a story: what the thread ran, a cause, the rest",
	.columns = story_columns,
	.rows_are = TABLE_ROWS_ARRAY,
	.part = offsetof(struct ana_story, parts),
	.takes = TABLE_NEEDS_RESULT,
};

/* ---- bookmarks ---- */

/* TIME of a bookmark; BASE_TIME_NONE if it is unknown. */
static int64_t known(const struct qry_bookmark *b, int64_t time)
{
	return b->host == MDL_NONE || time == MDL_NEVER ? BASE_TIME_NONE : time;
}

TABLE_COLUMNS(bookmark_columns)
{
	const struct qry_bookmark *b = row;
	const char letter[2] = { b ? b->letter : 0, 0 };

	TABLE_COLUMN("letter", "LETTER", TABLE_WORD, "`a` to `z`", taken = g_strdup(letter));
	TABLE_COLUMN("host", NULL, TABLE_WORD, "host; null if that host is not open",
		word = table_host(in->q, b->host));
	TABLE_COLUMN("row", "ROW", TABLE_WORD,
		"thread, CPU or interrupt; null if there is none, or it does not exist here",
		taken = b->row == MDL_NONE ? NULL : qry_row_label(in->q, b->row));
	TABLE_COLUMN("time", "AT", TABLE_TIME, "instant", number = known(b, b->time));
	TABLE_COLUMN("from", NULL, TABLE_TIME, "begin of the window", number = known(b, b->from));
	TABLE_COLUMN("to", NULL, TABLE_TIME, "end of the window", number = known(b, b->to));
	TABLE_COLUMN("selected_from", NULL, TABLE_TIME, "begin of the selection",
		number = known(b, b->selected_from));
	TABLE_COLUMN("selected_to", NULL, TABLE_TIME, "end of the selection",
		number = known(b, b->selected_to));
	TABLE_COLUMN("note", "NOTE", TABLE_LONG, "note; empty if there is none", word = b->note);
}

static void *make_bookmarks(struct table_cursor *c, GError **error)
{
	return qry_bookmarks_read(c->q, error);
}

static bool bookmark_lead(G_GNUC_UNUSED const struct table_cursor *c, const void *row, struct table_place *to)
{
	const struct qry_bookmark *b = row;
	int64_t time = known(b, b->time);

	*to = (struct table_place){ .row = b->row, .from = time, .to = time };
	return b->row != MDL_NONE || time != BASE_TIME_NONE;
}

const struct table table_bookmarks = {
	.name = "bookmark",
	.list = "bookmarks",
	.doc = "a bookmark of the explorer",
	.columns = bookmark_columns,
	.rows_are = TABLE_ROWS_ARRAY,
	.part = TABLE_WHOLE,
	.make = make_bookmarks,
	.free = (GDestroyNotify)g_array_unref,
	.lead = bookmark_lead,
};
