/* SPDX-License-Identifier: MIT */
/* A network request as a whole: its client, its duration, the time at the server, and a summary of the
 * client's critical path. */
#ifndef ANA_REQUEST_H
#define ANA_REQUEST_H

#include "analysis/request/exchange.h"

/* Times that are unknown, or not determined yet, are BASE_TIME_NONE. */
struct ana_request {
	struct ana_exchange x;  /* with its other end */
	uint32_t asker, server; /* rows of the threads that asked and that replied; MDL_NONE unknown */
	uint32_t asker_host, server_host; /* MDL_NONE: not in the experiment */
	/* row of the thread whose time FROM to TO is: the asker, or the server if nothing is known of the
	 * asker */
	uint32_t row;
	/* From the request's first packet until the reply's last packet arrived and the thread that waited
	 * for it runs again. */
	int64_t from, to;
	int64_t served; /* ns at the server: from the request's first packet to the reply's last */
	/* ns on the critical path of ROW from FROM to TO; they sum to that time: running (also an interrupt);
	 * packets under way; waiting for something; unknown. */
	int64_t cpu, net, waiting, unknown;
};

/* X, with its other end, as a request.  Does not find its path. */
struct ana_request ana_request_of(struct qry *q, const struct ana_exchange *x);
/* Sum up R's path into CPU, NET, WAITING and UNKNOWN.  They stay BASE_TIME_NONE if there is no path.  False
 * with an error: BASE_ERROR_CANCELLED if PROGRESS (may be NULL) was cancelled.  Costs time in the number of
 * segments of the path. */
bool ana_request_sum(struct qry *q, struct ana_request *r, struct base_progress *progress, GError **error);

typedef void ana_request_visit(void *data, const struct ana_request *r);

/* Pass the requests that begin in [FROM, TO) to VISIT with DATA: those of thread ROW; ROW MDL_NONE: of HOST;
 * both MDL_NONE: of all hosts.  See ana_exchange_each().  False if PROGRESS (may be NULL) was cancelled. */
bool ana_request_each(struct qry *q, uint32_t row, uint32_t host, int64_t from, int64_t to,
	struct base_progress *progress, ana_request_visit *visit, void *data);
/* Like ana_request_each(), sorted by begin of their exchanges (GArray of struct ana_request).  The caller
 * unrefs.  NULL if PROGRESS was cancelled. */
GArray *ana_request_list(struct qry *q, uint32_t row, uint32_t host, int64_t from, int64_t to,
	struct base_progress *progress);

/* Selects requests that the scope asked or served. INSIDE: both ends are in the recording. */
enum ana_request_scope {
	ANA_REQUEST_ALL,
	ANA_REQUEST_INSIDE,
	ANA_REQUEST_HOST,
	ANA_REQUEST_PROCESS,
	ANA_REQUEST_THREAD,
	ANA_REQUEST_SCOPES
};
/* "all", "both ends", "host", "process", "thread": as users type them, and as stored views have them. */
extern const char *const ana_request_scopes[ANA_REQUEST_SCOPES];

struct ana_request_asked {
	enum ana_request_scope scope;
	uint32_t row;     /* of THREAD and PROCESS; HOST: any row of it; else MDL_NONE */
	int64_t from, to; /* only those that begin in [FROM, TO) */
	bool hide_tracer; /* leave out those of the tracer's threads */
};

/* Like ana_request_each() and ana_request_list(). */
bool ana_request_scope_each(struct qry *q, const struct ana_request_asked *asked,
	struct base_progress *progress, ana_request_visit *visit, void *data);
GArray *ana_request_scope_list(struct qry *q, const struct ana_request_asked *asked,
	struct base_progress *progress);

#endif
