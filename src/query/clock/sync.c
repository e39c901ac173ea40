/* SPDX-License-Identifier: MIT */
#include "query/clock/sync.h"

#include "query/host/parts.h"

#include "base/base_progress.h"

#define READINGS 3 /* of each host: for the survey, for what it sent, for what it received */
#define TELL 4096  /* packets between two times that progress is told */

/* How far reading all of them is. */
struct reading {
	struct base_progress *progress; /* or NULL */
	uint64_t read, all;
};

struct host_packets {
	struct qry *q;
	uint32_t host;
	const struct qry_tracer_flows *leave_out;
	struct reading *reading;
};

struct cursor {
	const struct host_packets *of;   /* weak */
	struct idx_transfers *transfers; /* in the host's own time */
	uint64_t number;
};

static void *cursor_open(void *data)
{
	const struct host_packets *h = data;
	struct cursor *c = g_new(struct cursor, 1);

	*c = (struct cursor){ .of = h, .transfers = idx_transfers_new(qry_source(h->q, h->host)->reader) };
	idx_transfers_seek(c->transfers, INT64_MIN);
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

/* False when it was cancelled. */
static bool sync_go_on(struct reading *r)
{
	if (r->progress && ++r->read % TELL == 0)
		base_progress_set(r->progress, (double)r->read / (double)r->all, r->read);
	return !base_progress_cancelled(r->progress);
}

/* The next one that is not left out; *NUMBER is its number among all. */
static bool next_wanted(struct cursor *c, struct mdl_transfer *t, uint64_t *number)
{
	const struct host_packets *h = c->of;

	do {
		if (!sync_go_on(h->reading) || !idx_transfers_next(c->transfers, t))
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
	*packet = (struct sync_packet){ .time = t.by.time,
		.number = number,
		.received = t.received,
		.device = t.device,
		.packet = t.packet };
	return true;
}

static void cursor_close(void *cursor)
{
	struct cursor *c = cursor;

	idx_transfers_free(c->transfers);
	g_free(c);
}

struct sync_span *qry_sync_spans(const struct qry *q)
{
	struct sync_span *spans = g_new(struct sync_span, qry_host_count(q));

	for (uint32_t i = 0; i < qry_host_count(q); i++)
		spans[i] = (struct sync_span){ qry_host(q, i)->meta->from, qry_host(q, i)->meta->to };
	return spans;
}

/* Packets of all hosts, each read as often as matching does. */
static uint64_t all_packets(const struct qry *q)
{
	uint64_t all = 0;

	for (uint32_t i = 0; i < qry_host_count(q); i++)
		all += READINGS * idx_reader_transfer_count(qry_source(q, i)->reader);
	return all;
}

/* Times of HOST are its clock's 0 and what that counted since. */
static void set_twin(const struct qry *q, uint32_t host, struct sync_source *source)
{
	uint32_t twin = qry_sync_twin(q, host);

	if (twin == MDL_NONE)
		return;
	source->has_twin = !__builtin_sub_overflow(qry_host(q, host)->meta->clock_zero,
		qry_host(q, twin)->meta->clock_zero, &source->ahead);
	source->twin = twin;
}

struct sync_hosts *qry_sync_match(struct qry *q, const struct qry_tracer_flows *leave_out,
	struct base_progress *progress, void (*pair)(void *data, const struct sync_pair *pair), void *data)
{
	uint32_t n = qry_host_count(q);
	struct host_packets *hosts = g_new(struct host_packets, n);
	struct sync_source *sources = g_new(struct sync_source, n);
	g_autofree struct sync_span *spans = qry_sync_spans(q);
	struct reading reading = { .progress = progress, .all = all_packets(q) };
	struct trc_guests *told = qry_guests_told(q);
	struct sync_guests *guests = qry_guests_new(q, told, progress);
	struct sync_hosts *found;

	if (progress)
		base_progress_set_label(progress, "matching packets");
	for (uint32_t i = 0; i < n; i++) {
		hosts[i] = (struct host_packets){ q, i, leave_out, &reading };
		sources[i] = (struct sync_source){ .data = &hosts[i],
			.open = cursor_open,
			.next = cursor_next,
			.close = cursor_close };
		set_twin(q, i, &sources[i]);
		sources[i].peer = qry_guests_peer(q, told, i);
		sources[i].has_peer = sources[i].peer != MDL_NONE;
	}
	found = sync_hosts_new(sources, guests, spans, n, pair, data);
	qry_guests_free(guests);
	qry_guests_told_free(q, told);
	g_free(hosts);
	g_free(sources);
	return found;
}

static bool is_one_clock(const struct idx_meta *a, const struct idx_meta *b)
{
	return *a->clock_uuid != '\0' && g_str_equal(a->clock_uuid, b->clock_uuid) &&
		a->clock_frequency == b->clock_frequency;
}

uint32_t qry_sync_twin(const struct qry *q, uint32_t host)
{
	for (uint32_t i = 0; i < host; i++)
		if (is_one_clock(qry_host(q, i)->meta, qry_host(q, host)->meta))
			return i;
	return MDL_NONE;
}

uint32_t qry_sync_namesake(const struct qry *q, uint32_t host)
{
	const char *name = qry_host(q, host)->meta->host;

	for (uint32_t i = 0; i < host && *name != '\0'; i++)
		if (g_str_equal(qry_host(q, i)->meta->host, name))
			return i;
	return MDL_NONE;
}
