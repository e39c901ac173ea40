/* SPDX-License-Identifier: MIT */
/*
 * Packets on their way from host to host, timed by the clocks in use.  The experiment's file of packets
 * matches received and sent packets (query/clock/sync.h).  If clocks are off, so are these times, and they
 * may be negative.  Without a clock between two hosts there are no such times.
 */
#include "analysis/latency/kind.h"

#include "base/base_error.h"
#include "query/clock/sync.h"

#define LOOK_EVERY 4096 /* packets between two checks for cancellation */

static void network_add(struct qry_kept *cases, const struct qry_passage *p, uint32_t interface)
{
	struct mdl_span span = { .start = p->sent,
		.end = p->received,
		.row = MDL_NONE,
		.cpu = MDL_NONE,
		.key = (uint64_t)interface << 32 | p->sender };
	int64_t length;

	if (!__builtin_sub_overflow(p->received, p->sent, &length))
		qry_kept_add(cases, p->receiver, &span);
}

static bool network_collect(struct qry_kept *cases, uint32_t host, struct base_progress *progress,
	GError **error)
{
	struct sync_hosts *clocks;
	struct qry_transfers *received;
	struct qry_passages *all;
	struct qry_passage p;

	if (qry_host_count(cases->q) == 1)
		return base_error_false(error, BASE_ERROR_NO_ANSWER,
			"network latencies need the traces of several hosts");
	clocks = qry_sync_open(cases->q, false, progress, error);
	if (!clocks)
		return false;
	sync_hosts_unref(clocks);
	all = qry_passages_new(cases->q, host, INT64_MIN);
	received = qry_transfers_new(cases->q, host, INT64_MIN);
	for (uint64_t i = 1; qry_passages_next(all, &p); i++) {
		/* The interface that received it, a string of the receiver; 0: not recorded. */
		struct mdl_transfer t = { 0 };

		while (p.error != INT64_MAX && qry_transfers_number(received) <= p.received_number &&
			qry_transfers_next(received, &t))
			;
		if (p.error != INT64_MAX)
			network_add(cases, &p, t.device);
		if (i % LOOK_EVERY == 0 && base_progress_cancelled(progress)) /* the caller checks, too */
			break;
	}
	qry_transfers_free(received);
	qry_passages_free(all);
	return true;
}

/* True if SPAN has no row, and names another host and an interface of the receiver (idx_spans_holds). */
static bool network_holds(const void *experiment, G_GNUC_UNUSED unsigned what, uint32_t host,
	const struct mdl_span *span)
{
	const struct qry *q = experiment;
	uint64_t sender = (uint32_t)span->key;

	return span->row == MDL_NONE && sender < qry_host_count(q) && sender != host &&
		span->key >> 32 < qry_string_count(q, host);
}

static void network_explain(G_GNUC_UNUSED struct qry *q, G_GNUC_UNUSED struct ana_latency_case *c)
{
}

/* "client > httpd" */
static char *key(struct qry *q, const struct ana_latency_case *c)
{
	return g_strdup_printf("%s > %s", qry_host(q, (uint32_t)c->number)->name, qry_host(q, c->host)->name);
}

/* The interface of the receiver. */
static char *device(struct qry *q, const struct ana_latency_case *c)
{
	const char *name = qry_string(q, c->host, (uint32_t)(c->number >> 32));

	return *name ? g_strdup(name) : NULL;
}

const struct ana_latency_kind ana_latency_network = { .name = "network",
	.from = ANA_LATENCY_FROM_EVENTS,
	.needs = { { UINT64_C(1) << MDL_GROUP_NET_SENT, "net_dev_queue", NULL },
		{ UINT64_C(1) << MDL_GROUP_NET_RECEIVED, "net_if_receive_skb", NULL } },
	.of_lines = true,
	.account = ANA_ACCOUNT_PACKET,
	.collect_host = network_collect,
	.holds = network_holds,
	.explain = network_explain,
	.key = key,
	.device = device };
