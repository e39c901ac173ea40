/* SPDX-License-Identifier: MIT */
#include "query/qry_sync.h"

#include "query/qry_parts.h"

#include "base/base_progress.h"

struct host_packets {
	struct qry *q;
	uint32_t host;
	const struct qry_tracer_flows *leave_out;
	struct base_progress *progress;
};

struct cursor {
	const struct host_packets *of;	/* weak */
	struct qry_transfers *transfers;
	uint64_t number;
};

static void *cursor_open(void *data)
{
	const struct host_packets *h = data;
	struct cursor *c = g_new(struct cursor, 1);

	*c = (struct cursor){ .of = h, .transfers = qry_transfers_new(h->q, h->host, INT64_MIN) };
	return c;
}

/* T has rows of its host's own. */
static bool is_left_out(const struct host_packets *h, const struct mdl_transfer *t)
{
	struct mdl_transfer shown = *t;

	if (shown.by.thread != MDL_NONE)
		shown.by.thread += qry_host(h->q, h->host)->first_row;
	return qry_tracer_flows_have(h->leave_out, h->host, &shown);
}

/* The next one that is not left out; *NUMBER is its number among all. */
static bool next_wanted(struct cursor *c, struct mdl_transfer *t, uint64_t *number)
{
	const struct host_packets *h = c->of;

	do {
		if (base_progress_cancelled(h->progress) || !qry_transfers_next_own(c->transfers, t))
			return false;
		*number = c->number++;
	} while (h->leave_out && is_left_out(h, t));
	return true;
}

static bool cursor_next(void *cursor, struct sync_packet *packet)
{
	struct cursor *c = cursor;
	struct mdl_transfer t;
	uint64_t number;

	if (!next_wanted(c, &t, &number))
		return false;
	*packet = (struct sync_packet){ .time = t.by.time, .number = number, .received = t.received, .device = t.device, .packet = t.packet };
	return true;
}

static void cursor_close(void *cursor)
{
	struct cursor *c = cursor;

	qry_transfers_free(c->transfers);
	g_free(c);
}

static void keep_pair(void *data, const struct sync_pair *pair)
{
	struct qry *q = data;

	g_array_append_vals(q->pairs[pair->receiver], pair, 1);
}

static void keep_no_pair(void *data, const struct sync_pair *pair)
{
	(void)data;
	(void)pair;
}

static void forget_pairs(struct qry *q)
{
	qry_pairs_free(q);
	q->pairs = g_new(GArray *, qry_host_count(q));
	for (uint32_t i = 0; i < qry_host_count(q); i++)
		q->pairs[i] = g_array_new(FALSE, FALSE, sizeof(struct sync_pair));
}

struct sync_hosts *qry_sync_new(struct qry *q, const struct qry_tracer_flows *leave_out, struct base_progress *progress)
{
	uint32_t n = qry_host_count(q);
	struct host_packets *hosts = g_new(struct host_packets, n);
	struct sync_source *sources = g_new(struct sync_source, n);
	struct sync_span *spans = g_new(struct sync_span, n);
	struct sync_hosts *found;

	for (uint32_t i = 0; i < n; i++) {
		const struct idx_meta *meta = qry_host(q, i)->meta;

		hosts[i] = (struct host_packets){ q, i, leave_out, progress };
		sources[i] = (struct sync_source){ &hosts[i], cursor_open, cursor_next, cursor_close };
		spans[i] = (struct sync_span){ meta->from, meta->to };
	}
	if (!leave_out)
		forget_pairs(q);
	found = sync_hosts_new(sources, spans, n, leave_out ? keep_no_pair : keep_pair, q);
	g_free(hosts);
	g_free(sources);
	g_free(spans);
	return found;
}

uint32_t qry_sync_namesake(const struct qry *q, uint32_t host)
{
	const char *name = qry_host(q, host)->meta->host;

	for (uint32_t i = 0; i < host && *name != '\0'; i++)
		if (g_str_equal(qry_host(q, i)->meta->host, name))
			return i;
	return MDL_NONE;
}
