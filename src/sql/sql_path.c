/* SPDX-License-Identifier: MIT */
/* path(utid, begin, end) and blame(utid, begin, end): the critical path of a thread, and the account of its time. */
#include "sql/sql_parts.h"

#include "analysis/account/account.h"
#include "analysis/path/path.h"
#include "base/base_error.h"
#include "base/base_progress.h"
#include "base/base_time.h"
#include "table/json.h"

/* Ask about the thread and the window in VALUES: utid, begin, end.  0 if one of them is NULL. */
static int ask_window(struct sql *s, sqlite3_value *const *values, struct table_question *ask,
	G_GNUC_UNUSED GError **error)
{
	int64_t utid = sqlite3_value_int64(values[0]);

	for (unsigned i = 0; i < 3; i++)
		if (sqlite3_value_type(values[i]) == SQLITE_NULL)
			return 0;
	if (utid < 0 || utid >= qry_row_count(s->q))
		return 0;
	ask->row = (uint32_t)utid;
	ask->from = base_time_near(sqlite3_value_int64(values[1]));
	ask->to = base_time_near(sqlite3_value_int64(values[2]));
	return ask->from < ask->to && qry_row(s->q, ask->row)->type == MDL_ROW_THREAD;
}

/* ---- path ---- */

/* A segment has no meaning without its path. */
struct step {
	const struct ana_path *path;
	const struct ana_segment *s;
};

struct path {
	struct table_cursor of;
	struct ana_path *path; /* owned; NULL: the thread does not live in the window */
	guint next;
	struct step step;
};

static bool path_open(struct table_cursor *cursor, GError **error)
{
	struct path *c = (struct path *)cursor;
	const struct table_question *ask = &cursor->ask;
	GError *problem = NULL;

	c->path = ana_path_new(cursor->q, ask->row, ask->from, ask->to, ask->progress, &problem);
	if (c->path || g_error_matches(problem, BASE_ERROR, BASE_ERROR_NO_ANSWER)) {
		g_clear_error(&problem);
		return true;
	}
	g_propagate_error(error, problem);
	return false;
}

static int path_next(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct path *c = (struct path *)cursor;

	if (!c->path || c->next >= c->path->segments->len)
		return 0;
	c->step = (struct step){ c->path, ana_path_segment(c->path, c->next++) };
	*row = &c->step;
	return 1;
}

static void path_close(struct table_cursor *cursor)
{
	struct path *c = (struct path *)cursor;

	if (c->path)
		ana_path_free(c->path);
}

TABLE_COLUMNS(path_columns)
{
	const struct step *x = row;
	const struct ana_segment *s = row ? x->s : NULL;
	const struct ana_actor *a = row ? ana_path_actor(x->path, s->actor) : NULL;

	TABLE_COLUMN("ts", NULL, TABLE_TIME, "begin of the segment", number = s->from);
	TABLE_COLUMN("dur", NULL, TABLE_DURATION, "", number = s->to - s->from);
	TABLE_COLUMN("utid", NULL, TABLE_NUMBER, "the thread that is followed", number = table_id(s->row));
	TABLE_COLUMN("actor", NULL, TABLE_WORD, "who used the time: `wk-server[1234]`, `vdb`",
		word = a->label);
	TABLE_COLUMN("actor_type", NULL, TABLE_WORD, "see [path](#path)",
		word = ana_actor_type_name(a->type));
	TABLE_COLUMN("name", NULL, TABLE_WORD, "the actor without its TID", word = a->name);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "of the actor", word = table_host(in->q, a->host));
	TABLE_COLUMN("kind", NULL, TABLE_WORD, "kind of the segment, see [path](#path)",
		word = ana_segment_kind_name(s->kind));
	TABLE_COLUMN("detail", NULL, TABLE_WORD, "", taken = ana_path_detail(in->q, s));
	TABLE_COLUMN("depth", NULL, TABLE_NUMBER, "0: the thread itself; 1: its waker; …", number = s->depth);
	TABLE_COLUMN("grade", NULL, TABLE_WORD, "", word = ana_grade_name(s->doubts));
	TABLE_DOUBTS("", true, s->doubts);
}

static const struct table path_table = {
	.name = "path",
	.list = "segments",
	.doc = "a segment of the critical path of thread `utid` from `begin` to `end`; none if the thread does not live then",
	.columns = path_columns,
	.size = sizeof(struct path),
	.takes = TABLE_BY_TIME | TABLE_NEEDS_SWITCHES,
	.open = path_open,
	.next = path_next,
	.close = path_close,
};

const struct sql_source sql_source_path = {
	.table = &path_table,
	.arguments = { "in_utid", "begin", "end" },
	.required = 3,
	.ask = ask_window,
};

/* ---- blame ---- */

struct blame {
	struct table_cursor of;
	struct ana_blame *blame; /* owned */
	guint next;
};

static bool blame_open(struct table_cursor *cursor, GError **error)
{
	struct blame *c = (struct blame *)cursor;
	const struct table_question *ask = &cursor->ask;

	c->blame = ana_account_new(cursor->q, ask->row, ask->from, ask->to, 0, NULL, ask->progress);
	cursor->in.context = c->blame;
	if (!base_progress_cancelled(ask->progress))
		return true;
	return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
}

static int blame_next(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct blame *c = (struct blame *)cursor;

	if (c->next >= c->blame->parts->len)
		return 0;
	*row = &g_array_index(c->blame->parts, struct ana_blame_part, c->next++);
	return 1;
}

static void blame_close(struct table_cursor *cursor)
{
	ana_blame_free(((struct blame *)cursor)->blame);
}

static const struct table_alias blame_aliases[] = { { "time", "dur" }, { NULL, NULL } };

static const struct table blame_table = {
	.name = "blame",
	.list = "blame",
	.doc = "a part of the time of thread `utid` from `begin` to `end`, as in [why](#why): the parts sum to it",
	.columns = table_blame_columns,
	.aliases = blame_aliases,
	.size = sizeof(struct blame),
	.takes = TABLE_NEEDS_SWITCHES,
	.open = blame_open,
	.next = blame_next,
	.close = blame_close,
};

const struct sql_source sql_source_blame = {
	.table = &blame_table,
	.arguments = { "in_utid", "begin", "end" },
	.required = 3,
	.ask = ask_window,
};
