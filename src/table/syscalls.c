/* SPDX-License-Identifier: MIT */
/*
 * System calls. The index has their begins and ends, but not their results. If the results are asked for, the
 * events of the ends are read in parallel. Both come host by host in the order of the ends.
 */
#include "table/cases.h"

#include "base/base_error.h"
#include "base/base_time.h"
#include "query/events/scan.h"

#include <string.h>

struct call {
	struct table_case c;
	int64_t ret; /* BASE_TIME_NONE: not asked for, or unknown */
};

struct calls {
	struct table_cases cases;
	struct qry_scan *scan; /* owned; the ends of calls of HOST; NULL: none */
	uint32_t host;
	bool has_event;
	struct qry_event event; /* the next event, if HAS_EVENT */
	int64_t ret;            /* of EVENT */
	struct call call;
};

#define RETURNED 7 /* number of the column "ret" */

TABLE_COLUMNS(call_columns)
{
	const struct call *call = row;
	const struct table_case *c = row ? &call->c : NULL;

	table_cases_columns(to, c, in);
	table_cases_thread(to, c, in);
	TABLE_COLUMN("name", NULL, TABLE_WORD, "`read`, `futex`, …",
		taken = qry_span_key(in->q, c->host, MDL_SPAN_SYSCALL, c->span.key));
	TABLE_COLUMN("thread_name", NULL, TABLE_WORD, "name of the thread",
		word = table_name(in->q, c->span.row, c->span.start));
	g_assert(to->n == RETURNED);
	TABLE_COLUMN("ret", NULL, TABLE_NUMBER, "what it returned: below 0 an error", number = call->ret);
}

static bool open_calls(struct table_cursor *c, GError **error)
{
	((struct calls *)c)->host = MDL_NONE;
	return table_cases_open((struct table_cases *)c, NULL, "syscall", error);
}

/* True if NAME is the end of a system call, in any tracer. */
static bool is_end(G_GNUC_UNUSED void *data, const char *name)
{
	const char *behind = strrchr(name, ':');

	name = behind ? behind + 1 : name;
	return g_str_has_prefix(name, "syscall_exit_") || g_str_has_prefix(name, "compat_syscall_exit_") ||
		g_str_has_prefix(name, "sys_exit") || g_str_equal(name, "exit_syscall");
}

static bool begin_host(struct calls *c, GError **error)
{
	static const char *const fields[] = { "ret" };
	const struct qry_scan_want want = { .fields = fields, .n_fields = 1 };
	struct qry_events_filter filter = QRY_EVENTS_ALL;

	g_clear_pointer(&c->scan, qry_scan_free);
	c->host = filter.host = c->call.c.host;
	filter.from = c->call.c.span.end;
	filter.wants = is_end;
	c->has_event = false;
	c->scan = qry_scan_new(c->cases.of.q, &filter, &want, error);
	return c->scan;
}

/* Read the next event if there is none. Returns 1; 0 at the end; -1 with an error. */
static int have_event(struct calls *c, GError **error)
{
	const struct trc_value *value;
	int more = 1;

	if (!c->has_event)
		more = qry_scan_next(c->scan, &c->event, c->cases.of.ask.progress, error);
	if (more <= 0 || c->has_event)
		return more;
	value = qry_scan_values(c->scan, error);
	if (!value)
		return -1;
	c->ret = value->type == TRC_VALUE_SIGNED || value->type == TRC_VALUE_UNSIGNED ? (int64_t)value->number
										      : BASE_TIME_NONE;
	c->has_event = true;
	return 1;
}

/* Set the result of the call. False with an error. */
static bool find_ret(struct calls *c, GError **error)
{
	const struct mdl_span *span = &c->call.c.span;
	int more;

	if (c->host != c->call.c.host && !begin_host(c, error))
		return false;
	while ((more = have_event(c, error)) > 0 && c->event.time <= span->end) {
		bool is_it = c->event.time == span->end && c->event.cpu == span->cpu;

		c->has_event = false;
		if (is_it) {
			c->call.ret = c->ret;
			return true;
		}
	}
	return more >= 0;
}

static int next_call(struct table_cursor *cursor, const void **row, GError **error)
{
	struct calls *c = (struct calls *)cursor;
	const void *found_case;
	int found = table_cases_next(cursor, &found_case, error);

	if (found <= 0)
		return found;
	c->call = (struct call){ *(const struct table_case *)found_case, BASE_TIME_NONE };
	if (cursor->wanted >> RETURNED & 1 && !find_ret(c, error))
		return -1;
	*row = &c->call;
	return 1;
}

static void close_calls(struct table_cursor *cursor)
{
	qry_scan_free(((struct calls *)cursor)->scan);
	table_cases_close(cursor);
}

const struct table table_syscalls = {
	.name = "syscall",
	.list = "syscalls",
	.doc = "a system call that ended in the trace",
	.columns = call_columns,
	.size = sizeof(struct calls),
	.takes = TABLE_TAKES_ROW | TABLE_TAKES_WINDOW,
	.rows = table_cases_rows,
	.open = open_calls,
	.next = next_call,
	.close = close_calls,
};
