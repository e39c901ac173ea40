/* SPDX-License-Identifier: MIT */
/*
 * An exchange is what one of its ends saw; a request is told from the side that asked, wherever that can be
 * seen.  Its time there parts into what the segments of the critical path say.
 */
#include "analysis/ana_request.h"

#include "analysis/ana_path.h"
#include "base/base_error.h"
#include "base/base_time.h"

/* The time of the two sides: what this end saw, and what the other one did. */
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
	/* The reply is there when who waited for it runs again. */
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

/* Which of R's sums has a segment of KIND. */
static int64_t *sum_of(struct ana_request *r, enum ana_segment_kind kind)
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
		const struct ana_segment *s = &g_array_index(path->segments, struct ana_segment, i);

		*sum_of(r, s->kind) += s->to - s->from;
	}
	/* The path is that of the thread's life. */
	r->unknown += (r->to - r->from) - (path->to - path->from);
	ana_path_free(path);
	return true;
}

GArray *ana_request_list(struct qry *q, uint32_t row, uint32_t host, int64_t from, int64_t to,
	struct base_progress *progress)
{
	g_autoptr(GArray) exchanges = row == MDL_NONE ? ana_exchange_list_all(q, host, from, to, progress)
						      : ana_exchange_list(q, row, from, to, progress);
	GArray *requests;

	if (!exchanges)
		return NULL;
	requests = g_array_sized_new(FALSE, FALSE, sizeof(struct ana_request), exchanges->len);
	for (guint i = 0; i < exchanges->len; i++) {
		struct ana_request r = ana_request_of(q, &g_array_index(exchanges, struct ana_exchange, i));

		g_array_append_val(requests, r);
	}
	return requests;
}
