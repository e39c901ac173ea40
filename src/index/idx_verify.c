/* SPDX-License-Identifier: MIT */
/*
 * How it works: opening proves header and tables.  Then each series is walked (idx_verify_tree.c), and what
 * is in its leaves is held against what records of their kind can be.
 */
#include "index/idx_verify.h"

#include "index/idx_cause.h"
#include "index/idx_load.h"
#include "index/idx_packets.h"
#include "index/idx_verify_cause.h"
#include "index/idx_verify_tree.h"
#include "index/idx_transfer.h"
#include "index/idx_wake.h"
#include "base/base_varint.h"

#include <string.h>

struct verify {
	struct idx_reader *r;
	struct idx_verify_tree tree; /* the series being walked */
	struct idx_verify_totals *totals;
	uint8_t *named; /* by number of a cause: 1 when a wake-up names it */
	uint64_t n_named;
	/* of the series being walked */
	bool has_last;
	struct mdl_interval last; /* intervals: the one before */
	int64_t last_time;        /* wake-ups, times, packets: of the one before */
	uint64_t last_end;        /* packets: where the one before ends in the file */
	uint64_t events;          /* packets: in those seen */
};

static void found_at(struct verify *v, const struct idx_child *at, const char *what)
{
	idx_verify_found_at(&v->tree, at, what);
}

static void check_interval(struct verify *v, const struct idx_child *at, const struct mdl_interval *i)
{
	if (i->to <= i->from)
		found_at(v, at, "an interval is empty or ends before it begins");
	if (v->has_last && i->from != v->last.to)
		found_at(v, at, "an interval does not begin where the one before ends");
	if (v->has_last && i->state == v->last.state && i->detail == v->last.detail && i->aux == v->last.aux)
		found_at(v, at, "two neighbours are alike");
	v->last = *i;
	v->has_last = true;
}

static void check_intervals(struct verify *v, const struct idx_child *at, const uint8_t *block,
	struct idx_child *real)
{
	struct mdl_interval intervals[IDX_LEAF_INTERVALS];
	struct idx_leaf leaf;
	uint64_t length;

	if (!idx_leaf_open(block, at->size, &leaf) ||
		!idx_leaf_check(&leaf, v->tree.series.row_type, v->tree.series.limits)) {
		found_at(v, at, "the inside of a leaf of intervals does not hold");
		return;
	}
	idx_leaf_read(&leaf, at->first, intervals);
	for (unsigned i = 0; i < leaf.count; i++) {
		check_interval(v, at, &intervals[i]);
		real->sums[intervals[i].state] += (uint64_t)intervals[i].to - (uint64_t)intervals[i].from;
	}
	real->count = leaf.count;
	real->end = intervals[leaf.count - 1].to;
	length = (uint64_t)real->end - (uint64_t)intervals[leaf.count - 1].from;
	real->tail = length >> 60 == 0 ? length << 4 | intervals[leaf.count - 1].state : 0;
	v->totals->intervals += leaf.count;
}

static void check_time(struct verify *v, const struct idx_child *at, int64_t time)
{
	if (v->has_last && time < v->last_time)
		found_at(v, at, "times step back");
	v->last_time = time;
	v->has_last = true;
}

/* A wake-up names cause NUMBER, 0 none: no other one does. */
static void check_named(struct verify *v, const struct idx_child *at, uint32_t number)
{
	if (number == 0)
		return;
	if (v->named[number])
		found_at(v, at, "the cause of a wake-up is that of another");
	v->n_named += !v->named[number];
	v->named[number] = 1;
}

static void check_wakeups(struct verify *v, const struct idx_child *at, const uint8_t *block,
	struct idx_child *real)
{
	struct mdl_wakeup wakeups[IDX_LEAF_WAKEUPS];
	unsigned n = idx_wake_read(block, at->size, at->first, v->tree.series.limits, wakeups);

	if (n == 0)
		found_at(v, at, "the inside of a leaf of wake-ups does not hold");
	for (unsigned i = 0; i < n; i++) {
		check_time(v, at, wakeups[i].time);
		check_named(v, at, wakeups[i].cause);
	}
	real->count = n;
	v->totals->wakeups += n;
}

static void check_causes(struct verify *v, const struct idx_child *at, const uint8_t *block,
	struct idx_child *real)
{
	unsigned n = idx_cause_count(block, at->size);
	struct mdl_cause cause;

	if (n == 0)
		found_at(v, at, "the inside of a leaf of causes does not hold");
	for (unsigned i = 0; i < n; i++) {
		const char *wrong = "a cause does not hold";

		if (idx_cause_read(block, at->size, i, v->tree.series.limits, &cause))
			wrong = idx_verify_cause(&cause, v->r->t->meta->from, v->r->t->meta->to);
		if (wrong)
			found_at(v, at, wrong);
	}
	real->count = n;
	v->totals->causes += n;
}

static void check_times(struct verify *v, const struct idx_child *at, const uint8_t *block,
	struct idx_child *real)
{
	const uint8_t *p = block + IDX_BLOCK_HEAD, *end = block + at->size;
	uint64_t time = (uint64_t)at->first, distance;

	while (p && p < end) {
		p = base_varint_get(p, end, &distance);
		if (!p)
			break;
		time += distance;
		check_time(v, at, (int64_t)time);
		real->count++;
	}
	if (!p)
		found_at(v, at, "the inside of a leaf of event times does not hold");
}

static void check_packets(struct verify *v, const struct idx_child *at, const uint8_t *block,
	struct idx_child *real)
{
	struct idx_packet packets[IDX_LEAF_PACKETS];
	unsigned n = idx_packets_read(block, at->size, at->first, v->events, packets);

	if (n == 0)
		found_at(v, at, "the inside of a leaf of packets does not hold");
	for (unsigned i = 0; i < n; i++) {
		check_time(v, at, packets[i].first);
		check_time(v, at, packets[i].last);
		if (packets[i].size > 0 && packets[i].offset < v->last_end)
			found_at(v, at, "a packet begins before the one before it ends");
		v->last_end = MAX(v->last_end, packets[i].offset + packets[i].size);
		v->events += packets[i].events;
		real->sums[IDX_PACKETS_EVENTS] += packets[i].events;
	}
	real->count = n;
	v->totals->packets += n;
}

static void check_transfers(struct verify *v, const struct idx_child *at, const uint8_t *block,
	struct idx_child *real)
{
	struct mdl_transfer transfers[IDX_LEAF_TRANSFERS];
	unsigned n = idx_transfer_read(block, at->size, at->first, v->tree.series.limits, transfers);

	if (n == 0)
		found_at(v, at, "the inside of a leaf of transfers does not hold");
	for (unsigned i = 0; i < n; i++) {
		check_time(v, at, transfers[i].by.time);
		if (!idx_verify_act(&transfers[i].by, v->r->t->meta->from, v->r->t->meta->to))
			found_at(v, at,
				"a packet was sent or received outside the trace, or before the interrupt in which that happened");
	}
	real->count = n;
	v->totals->transfers += n;
}

static void check_leaf(void *data, const struct idx_child *at, const uint8_t *block, struct idx_child *real)
{
	struct verify *v = data;

	switch (block[0]) {
	case IDX_KIND_INTERVALS: check_intervals(v, at, block, real); break;
	case IDX_KIND_WAKEUPS: check_wakeups(v, at, block, real); break;
	case IDX_KIND_PACKETS: check_packets(v, at, block, real); break;
	case IDX_KIND_CAUSES: check_causes(v, at, block, real); break;
	case IDX_KIND_TRANSFERS: check_transfers(v, at, block, real); break;
	default: check_times(v, at, block, real);
	}
}

static void check_series(struct verify *v, const struct idx_ref *ref, uint8_t kind, uint32_t row,
	uint8_t row_type)
{
	v->has_last = false;
	v->tree.series = idx_load_series(v->r, ref, kind, row, row_type);
	idx_verify_series(&v->tree);
}

static void check_row(struct verify *v, uint32_t row)
{
	struct idx_load_row l = idx_load_row(v->r, row);

	check_series(v, &l.intervals, IDX_KIND_INTERVALS, row, l.row.type);
	if (l.intervals.offset == 0 ? l.row.first != l.row.last
				    : l.intervals.first != l.row.first || v->last.to != l.row.last)
		idx_verify_found(&v->tree, "row %u: its intervals do not cover its life", row);
	check_series(v, &l.wakeups, IDX_KIND_WAKEUPS, row, l.row.type);
}

static void check_events(struct verify *v)
{
	uint64_t events = v->r->t->meta->events;

	check_series(v, &v->r->times, IDX_KIND_TIMES, MDL_NONE, 0);
	if (v->r->times.count != events / IDX_EVENT_STEP + (events % IDX_EVENT_STEP > 0))
		idx_verify_found(&v->tree, "the times of events do not go with their number");
}

static void check_stream(struct verify *v, uint32_t stream)
{
	const struct idx_load_stream *s = &v->r->t->streams[stream];

	v->events = v->last_end = 0;
	check_series(v, &s->packets, IDX_KIND_PACKETS, stream, 0);
	if (v->events != s->stream.events)
		idx_verify_found(&v->tree,
			"stream %u: its packets hold %" G_GUINT64_FORMAT " events, it has %" G_GUINT64_FORMAT,
			stream, v->events, s->stream.events);
}

static void check_all_causes(struct verify *v)
{
	check_series(v, &v->r->causes, IDX_KIND_CAUSES, MDL_NONE, 0);
	if (v->n_named != v->r->causes.count)
		idx_verify_found(&v->tree,
			"%" G_GUINT64_FORMAT " causes, but wake-ups name %" G_GUINT64_FORMAT,
			v->r->causes.count, v->n_named);
}

bool idx_verify(const char *path, const char *fingerprint, idx_verify_report report, void *data,
	struct idx_verify_totals *totals)
{
	struct verify v = { .tree = { .report = report, .data = data, .totals = totals, .leaf = check_leaf },
		.totals = totals };
	GError *error = NULL;

	memset(totals, 0, sizeof *totals);
	v.tree.owner = &v;
	v.r = idx_reader_open(path, fingerprint, &error);
	if (!v.r) {
		idx_verify_found(&v.tree, "%s", error->message);
		g_error_free(error);
		return false;
	}
	totals->bytes = idx_reader_bytes(v.r);
	v.named = g_malloc0((size_t)v.r->causes.count + 1);
	for (uint32_t row = 0; row < idx_reader_row_count(v.r); row++)
		check_row(&v, row);
	check_all_causes(&v);
	check_series(&v, &v.r->transfers, IDX_KIND_TRANSFERS, MDL_NONE, 0);
	check_events(&v);
	for (uint32_t stream = 0; stream < idx_reader_stream_count(v.r); stream++)
		check_stream(&v, stream);
	idx_verify_size(&v.tree, v.r->map);
	g_free(v.named);
	idx_reader_free(v.r);
	return totals->findings == 0;
}
