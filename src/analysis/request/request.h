/* SPDX-License-Identifier: MIT */
/*
 * A request over the net as a whole: who asked, how long that took there, and where the time went: how long
 * the other side had it, and the critical path of who asked, summed up.
 */
#ifndef ANA_REQUEST_H
#define ANA_REQUEST_H

#include "analysis/request/exchange.h"

/* Times that are not known, or not looked at yet, are BASE_TIME_NONE. */
struct ana_request {
	struct ana_exchange x;  /* with its other end */
	uint32_t asker, server; /* rows of the threads that asked and were asked; MDL_NONE not known */
	uint32_t asker_host, server_host; /* MDL_NONE: not of the experiment */
	uint32_t row; /* whose time FROM to TO is: the asker's; where nothing is known of that the server's */
	/* From the first packet of the request until the last of the reply is there, and the thread that
	 * waited for it runs again. */
	int64_t from, to;
	int64_t served; /* ns: from the first packet of the request at the server's to the last of the reply
			   there */
	/* ns of the critical path of ROW from FROM to TO, which they sum up to: something ran, be it an
	 * interrupt; packets were on their way; something was waited for; not known. */
	int64_t cpu, net, waiting, unknown;
};

/* X, with its other end, as a request; its path is not looked at. */
struct ana_request ana_request_of(struct qry *q, const struct ana_exchange *x);
/* Sum up R's path: CPU to UNKNOWN; they stay unknown where there is none to look at.  False with an error,
 * BASE_ERROR_CANCELLED when PROGRESS (may be NULL) was.  Costs about the segments of the path. */
bool ana_request_sum(struct qry *q, struct ana_request *r, struct base_progress *progress, GError **error);

typedef void ana_request_visit(void *data, const struct ana_request *r);

/* Hand the requests of thread ROW, or with MDL_NONE those of HOST, MDL_NONE of all hosts, that begin in
 * [FROM, TO), to VISIT with DATA, as ana_exchange_each() has them.  False when PROGRESS (may be NULL) was
 * cancelled. */
bool ana_request_each(struct qry *q, uint32_t row, uint32_t host, int64_t from, int64_t to,
	struct base_progress *progress, ana_request_visit *visit, void *data);
/* The same by the begin of their exchanges: GArray of struct ana_request, for the caller to unref; NULL when
 * PROGRESS was cancelled. */
GArray *ana_request_list(struct qry *q, uint32_t row, uint32_t host, int64_t from, int64_t to,
	struct base_progress *progress);

/* Whose requests, asked or served; INSIDE: those of which both ends are in the recording. */
enum ana_request_scope {
	ANA_REQUEST_ALL,
	ANA_REQUEST_INSIDE,
	ANA_REQUEST_HOST,
	ANA_REQUEST_PROCESS,
	ANA_REQUEST_THREAD,
	ANA_REQUEST_SCOPES
};

struct ana_request_asked {
	enum ana_request_scope scope;
	uint32_t row;     /* of THREAD and PROCESS; of HOST any row of it; MDL_NONE */
	int64_t from, to; /* those that begin in [FROM, TO) */
	bool hide_tracer; /* without those of the tracer's own threads */
};

/* As ana_request_each() and ana_request_list(). */
bool ana_request_scope_each(struct qry *q, const struct ana_request_asked *asked,
	struct base_progress *progress, ana_request_visit *visit, void *data);
GArray *ana_request_scope_list(struct qry *q, const struct ana_request_asked *asked,
	struct base_progress *progress);

#endif
