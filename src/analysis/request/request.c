/* SPDX-License-Identifier: MIT */
/*
 * How it works: an exchange is what one of its ends saw.  A request is shown from the client's side, if that
 * was recorded.  The segments of the critical path divide its time.
 */
#include "analysis/request/request.h"

#include "analysis/path/path.h"
#include "base/base_error.h"
#include "base/base_time.h"
#include "query/host/tracer.h"

/* Set the times of both sides: what this end saw, and what the other end did. */
static void set_times(struct qry *q, struct ana_request *r)
{
	const struct ana_exchange *x = &r->x;
	bool there = x->peer_from != MDL_NEVER && x->peer_to != MDL_NEVER;
	bool as_asker = x->asked || (there && x->peer != MDL_NONE);
	struct mdl_wakeup wakeup;

	r->row = x->asked || !as_asker ? x->thread : x->peer;
	r->from = x->asked || !as_asker ? x->from : x->peer_from;
	r->to = (x->asked || !as_asker ? x->to : x->peer_to) + 1;
	if (x->request.packets == 0 || x->reply.packets == 0)
		r->served = BASE_TIME_NONE;
	else if (!x->asked)
		r->served = x->to - x->from;
	else if (there)
		r->served = x->peer_to - x->peer_from;
	/* The reply has arrived when the thread that waited for it runs again. */
	if (as_asker && r->row != MDL_NONE && qry_wakeup_after(q, r->row, r->to - 1, &wakeup) &&
		wakeup.since != MDL_NEVER && wakeup.since < r->to && wakeup.ran_at != MDL_NEVER)
		r->to = wakeup.ran_at;
}

struct ana_request ana_request_of(struct qry *q, const struct ana_exchange *x)
{
	struct ana_request r = { .x = *x,
		.asker = x->asked ? x->thread : x->peer,
		.server = x->asked ? x->peer : x->thread,
		.asker_host = x->asked ? x->host : x->peer_host,
		.server_host = x->asked ? x->peer_host : x->host,
		.served = BASE_TIME_NONE,
		.cpu = BASE_TIME_NONE,
		.net = BASE_TIME_NONE,
		.waiting = BASE_TIME_NONE,
		.unknown = BASE_TIME_NONE };

	set_times(q, &r);
	return r;
}

/* The sum of R that counts segments of KIND. */
static int64_t *request_sum_of(struct ana_request *r, enum ana_segment_kind kind)
{
	switch (kind) {
	case ANA_SEG_RUNNING:
	case ANA_SEG_SYSCALL:
	case ANA_SEG_INTERRUPTED: return &r->cpu;
	case ANA_SEG_NETWORK: return &r->net;
	case ANA_SEG_UNKNOWN: return &r->unknown;
	default: return &r->waiting;
	}
}

bool ana_request_sum(struct qry *q, struct ana_request *r, struct base_progress *progress, GError **error)
{
	GError *why = NULL;
	struct ana_path *path;

	if (r->row == MDL_NONE)
		return true;
	path = ana_path_new(q, r->row, r->from, r->to, progress, &why);
	if (g_error_matches(why, BASE_ERROR, BASE_ERROR_NO_ANSWER)) {
		g_error_free(why);
		return true;
	}
	if (!path) {
		g_propagate_error(error, why);
		return false;
	}
	r->cpu = r->net = r->waiting = r->unknown = 0;
	for (guint i = 0; i < path->segments->len; i++) {
		const struct ana_segment *s = ana_path_segment(path, i);

		*request_sum_of(r, s->kind) += s->to - s->from;
	}
	/* The path covers only the life of the thread. */
	r->unknown += (r->to - r->from) - (path->to - path->from);
	ana_path_free(path);
	return true;
}

/* ---- all requests ---- */

struct each {
	struct qry *q;
	ana_request_visit *visit;
	void *data;
};

static void visit(void *data, const struct ana_exchange *x)
{
	const struct each *each = data;
	struct ana_request r = ana_request_of(each->q, x);

	each->visit(each->data, &r);
}

bool ana_request_each(struct qry *q, uint32_t row, uint32_t host, int64_t from, int64_t to,
	struct base_progress *progress, ana_request_visit *visitor, void *data)
{
	return ana_exchange_each(q, row, host, from, to, progress, visit, &(struct each){ q, visitor, data });
}

static void request_append(void *data, const struct ana_request *r)
{
	g_array_append_vals(data, r, 1);
}

static int request_by_begin(const void *a, const void *b)
{
	const struct ana_request *x = a, *y = b;

	return x->x.from < y->x.from ? -1 : x->x.from > y->x.from;
}

/* ALL (taken), sorted; NULL if not FINE. */
static GArray *in_order(GArray *all, bool fine)
{
	if (fine)
		g_array_sort(all, request_by_begin);
	else
		g_clear_pointer(&all, g_array_unref);
	return all;
}

GArray *ana_request_list(struct qry *q, uint32_t row, uint32_t host, int64_t from, int64_t to,
	struct base_progress *progress)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct ana_request));

	return in_order(all, ana_request_each(q, row, host, from, to, progress, request_append, all));
}

/* ---- requests of a scope ---- */

struct scoped {
	const struct qry *q;
	const struct ana_request_asked *asked;
	uint32_t process; /* of PROCESS */
	ana_request_visit *visit;
	void *data;
};

static bool is_tracer(const struct qry *q, uint32_t row)
{
	return row != MDL_NONE && qry_is_tracer(q, row);
}

static bool request_is_of(const struct qry *q, uint32_t row, uint32_t process)
{
	return row != MDL_NONE && qry_row(q, row)->process == process;
}

static void visit_scoped(void *data, const struct ana_request *r)
{
	const struct scoped *s = data;

	if (s->asked->hide_tracer && (is_tracer(s->q, r->asker) || is_tracer(s->q, r->server)))
		return;
	if (s->asked->scope == ANA_REQUEST_INSIDE && (r->asker == MDL_NONE || r->server == MDL_NONE))
		return;
	if (s->asked->scope != ANA_REQUEST_PROCESS || request_is_of(s->q, r->asker, s->process) ||
		request_is_of(s->q, r->server, s->process))
		s->visit(s->data, r);
}

const char *const ana_request_scopes[ANA_REQUEST_SCOPES] = { [ANA_REQUEST_ALL] = "all",
	[ANA_REQUEST_INSIDE] = "both ends",
	[ANA_REQUEST_HOST] = "host",
	[ANA_REQUEST_PROCESS] = "process",
	[ANA_REQUEST_THREAD] = "thread" };

bool ana_request_scope_each(struct qry *q, const struct ana_request_asked *asked,
	struct base_progress *progress, ana_request_visit *visitor, void *data)
{
	const struct qry_row *row = asked->row == MDL_NONE ? NULL : qry_row(q, asked->row);
	struct scoped s = { q, asked, row ? row->process : MDL_NONE, visitor, data };

	return ana_request_each(q, asked->scope == ANA_REQUEST_THREAD ? asked->row : MDL_NONE,
		row ? row->host : MDL_NONE, asked->from, asked->to, progress, visit_scoped, &s);
}

GArray *ana_request_scope_list(struct qry *q, const struct ana_request_asked *asked,
	struct base_progress *progress)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct ana_request));

	return in_order(all, ana_request_scope_each(q, asked, progress, request_append, all));
}
