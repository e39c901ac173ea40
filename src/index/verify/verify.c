/* SPDX-License-Identifier: MIT */
/*
 * How it works: opening checks header and tables. Then this walks the series that each chunk refers to
 * (index/verify/tree.c), and checks that each record in their leaves is possible and agrees with the chunk.
 */
#include "index/verify/verify.h"

#include "base/base_varint.h"
#include "index/table/parts.h"
#include "index/verify/tree.h"

#include <stddef.h>
#include <string.h>

struct verify {
	struct idx_reader *r;
	struct idx_verify_tree tree; /* the series being walked */
	uint8_t *named;              /* by number of a cause: 1 if a wake-up has it */
	uint64_t n_named;
	/* In the current series: */
	bool has_last;
	struct mdl_interval last; /* intervals: the previous one */
	int64_t last_time;        /* wake-ups, times, packets: time of the previous one, ns */
	uint64_t last_end;        /* packets: end of the previous one in the stream's file */
	uint64_t events;          /* packets: events in those seen so far */
};

/* Check that the time of the next record in the leaf AT is not before the previous one. */
static void verify_time(struct verify *v, const struct idx_child *at, int64_t time)
{
	if (v->has_last && time < v->last_time)
		idx_verify_found_at(&v->tree, at, "times step back");
	v->last_time = time;
	v->has_last = true;
}

/* Walk the series below REF (idx_load_series()). LEAF checks each leaf; its OWNER is V. */
static void verify_walk(struct verify *v, const struct idx_ref *ref, uint8_t kind, uint32_t row,
	uint8_t row_type, idx_verify_leaf leaf)
{
	v->has_last = false;
	v->tree.leaf = leaf;
	v->tree.series = idx_load_series(v->r, ref, kind, row, row_type);
	idx_verify_series(&v->tree);
}

/* ---- acts and causes ---- */

/* True if the N instants TIMES are ascending and in [FROM, TO]. MDL_NEVER is skipped. */
static bool in_order(const int64_t *times, unsigned n, int64_t from, int64_t to)
{
	for (unsigned i = 0; i < n; i++) {
		if (times[i] == MDL_NEVER)
			continue;
		if (times[i] < from || times[i] > to)
			return false;
		from = times[i];
	}
	return true;
}

/* True if ACT is in the trace's span [FROM, TO] and not before the entry of its interrupt. */
static bool verify_act(const struct mdl_act *act, int64_t from, int64_t to)
{
	const int64_t times[] = { act->entry, act->time };

	return in_order(times, 2, from, to);
}

/* True if the times that OPS lists are in order. */
static bool fact_in_order(const struct mdl_fact_ops *ops, const struct mdl_facts *facts, int64_t from,
	int64_t to)
{
	int64_t times[sizeof ops->order / sizeof *ops->order];
	unsigned n = 0;

	for (; n < sizeof times / sizeof *times && ops->order[n] != 0; n++)
		times[n] = *(const int64_t *)mdl_fact_peek(facts, ops->order[n]);
	return in_order(times, n, from, to) && (!ops->check || ops->check(facts, from));
}

/* True if each act of a fact with OPS is possible (verify_act()). */
static bool acts_in_order(const struct mdl_fact_ops *ops, const struct mdl_facts *facts, int64_t from,
	int64_t to)
{
	for (const struct mdl_field *f = ops->fields; f->type != MDL_FIELD_END; f++) {
		const struct mdl_act *act = mdl_fact_peek(facts, f->at);

		if (f->type == MDL_FIELD_ACT && act->time != MDL_NEVER && !verify_act(act, from, to))
			return false;
	}
	return true;
}

/* The first impossible value in CAUSE, in a trace from FROM to TO (static text); NULL if there is none. */
static const char *verify_cause(const struct mdl_cause *cause, int64_t from, int64_t to)
{
	static const char bad_act[] =
		"an act of a cause lies outside the trace, or before the interrupt that did it";

	for (unsigned i = 0; i < cause->chain.n; i++) {
		const struct mdl_act *act = &cause->chain.hops[i].act;

		if (!verify_act(act, from, to))
			return bad_act;
		if (i > 0 && act->time < cause->chain.hops[i - 1].act.time)
			return "the steps of a cause are out of order";
	}
	for (unsigned i = 0; i < MDL_FACTS_N; i++) {
		if (!(cause->facts.has & 1u << i))
			continue;
		if (!acts_in_order(mdl_fact_all[i], &cause->facts, from, to))
			return bad_act;
		if (!fact_in_order(mdl_fact_all[i], &cause->facts, from, to))
			return "the times of a fact in a cause are out of order";
	}
	return NULL;
}

/* ---- ROWS ---- */

static void check_interval(struct verify *v, const struct idx_child *at, const struct mdl_interval *i)
{
	if (i->to <= i->from)
		idx_verify_found_at(&v->tree, at, "an interval is empty or ends before it begins");
	if (v->has_last && i->from != v->last.to)
		idx_verify_found_at(&v->tree, at, "an interval does not begin where the one before ends");
	if (v->has_last && i->state == v->last.state && i->detail == v->last.detail && i->aux == v->last.aux)
		idx_verify_found_at(&v->tree, at, "two adjacent intervals are equal");
	v->last = *i;
	v->has_last = true;
}

static void check_intervals(void *owner, const struct idx_child *at, const uint8_t *block,
	struct idx_child *real)
{
	struct verify *v = owner;
	struct mdl_interval intervals[IDX_LEAF_INTERVALS];
	struct idx_leaf leaf;
	uint64_t length;

	if (!idx_leaf_open(block, at->size, &leaf) ||
		!idx_leaf_read(&leaf, v->tree.series.row_type, v->tree.series.limits, at->first, intervals))
		return;
	for (unsigned i = 0; i < leaf.count; i++) {
		check_interval(v, at, &intervals[i]);
		real->sums[intervals[i].state] += (uint64_t)intervals[i].to - (uint64_t)intervals[i].from;
	}
	real->count = leaf.count;
	real->end = intervals[leaf.count - 1].to;
	length = (uint64_t)real->end - (uint64_t)intervals[leaf.count - 1].from;
	real->tail = length >> 60 == 0 ? length << 4 | intervals[leaf.count - 1].state : 0;
	v->tree.totals->intervals += leaf.count;
}

static void check_wakeups(void *owner, const struct idx_child *at, const uint8_t *block,
	struct idx_child *real)
{
	struct verify *v = owner;
	struct mdl_wakeup wakeups[IDX_LEAF_WAKEUPS];
	unsigned n = idx_wake_read(block, at->size, idx_wake_count(block), at->first, v->tree.series.limits,
		wakeups);

	for (unsigned i = 0; i < n; i++) {
		uint32_t cause = wakeups[i].cause; /* 0: none */

		verify_time(v, at, wakeups[i].time);
		if (cause > 0 && v->named[cause])
			idx_verify_found_at(&v->tree, at, "two wake-ups have the same cause");
		v->n_named += cause > 0 && !v->named[cause];
		v->named[cause] = 1;
		real->sums[IDX_WAKE_EMPTY] += mdl_wakeup_is_empty(&wakeups[i]);
	}
	real->count = n;
	v->tree.totals->wakeups += n;
}

static void check_counts(void *owner, const struct idx_child *at, const uint8_t *block,
	struct idx_child *real)
{
	struct verify *v = owner;
	struct mdl_counted counted[IDX_LEAF_COUNTS];
	unsigned n = idx_counts_read(block, at->size, at->first, counted);

	for (unsigned i = 0; i < n; i++) {
		verify_time(v, at, counted[i].from);
		v->last_time = counted[i].to;
		if (counted[i].has >> v->r->t->meta->counters->len != 0)
			idx_verify_found_at(&v->tree, at, "it has a counter without a name");
		real->sums[IDX_COUNTS_TIME] += (uint64_t)counted[i].to - (uint64_t)counted[i].from;
		for (unsigned k = 0; k < MDL_COUNTERS; k++)
			real->sums[IDX_COUNTS_FIRST + k] += counted[i].value[k];
	}
	real->count = n;
	v->tree.totals->counted += n;
}

static void check_row(struct verify *v, uint32_t row)
{
	struct idx_load_row l = idx_load_row(v->r, row);
	struct idx_ref counts;

	verify_walk(v, &l.intervals, IDX_KIND_INTERVALS, row, l.row.type, check_intervals);
	if (l.intervals.offset == 0 ? l.row.first != l.row.last
				    : l.intervals.first != l.row.first || v->last.to != l.row.last)
		idx_verify_found(&v->tree, "row %u: its intervals do not cover its life", row);
	verify_walk(v, &l.wakeups, IDX_KIND_WAKEUPS, row, l.row.type, check_wakeups);
	if (!idx_reader_has_counts(v->r, row))
		return;
	counts = idx_get_ref(v->r->t->counts + (size_t)v->r->t->counted[row] * IDX_COUNTS_SIZE + 8);
	if (l.row.type != MDL_ROW_THREAD)
		idx_verify_found(&v->tree, "row %u: it has counts but is not a thread", row);
	verify_walk(v, &counts, IDX_KIND_COUNTS, row, l.row.type, check_counts);
	if (counts.first < l.row.first || v->last_time > l.row.last)
		idx_verify_found(&v->tree, "row %u: its counts lie outside its life", row);
}

static bool is_in_trace(const struct verify *v, int64_t time)
{
	return time >= v->r->t->meta->from && time <= v->r->t->meta->to;
}

/* Check that the facts of ROW agree with each other and with its names. */
static void check_facts(struct verify *v, uint32_t row)
{
	const uint8_t *p = idx_load_record(v->r, row);
	const struct idx_load_row l = idx_load_record_row(p);
	const struct mdl_row r = l.row;
	const struct idx_shared *t = v->r->t;
	bool thread = r.type == MDL_ROW_THREAD,
	     has_priorities = t->first_priority[row + 1] > t->first_priority[row];

	if (p[1] > 3 || p[3] != 0 || idx_get32(p + 132) != 0)
		idx_verify_found(&v->tree, "row %u: its record has unused bits that are not 0", row);
	if (r.last > r.first && (!is_in_trace(v, r.first) || !is_in_trace(v, r.last)))
		idx_verify_found(&v->tree, "row %u: its life lies outside the trace", row);
	if (l.n_names > 0 && idx_reader_name(v->r, row, l.n_names - 1).name != r.name)
		idx_verify_found(&v->tree, "row %u: its name is not the last of its names", row);
	if (r.parent != MDL_NONE && *idx_load_record(v->r, r.parent) != MDL_ROW_THREAD)
		idx_verify_found(&v->tree, "row %u: its parent is not a thread", row);
	for (uint32_t i = 0; i < idx_reader_ipi_wait_count(v->r, row); i++) {
		struct mdl_ipi_wait w = idx_reader_ipi_wait(v->r, row, i);

		if (!thread || !is_in_trace(v, w.from) || !is_in_trace(v, w.to))
			idx_verify_found(&v->tree,
				"row %u: a wait for an IPI lies outside the trace, or the row is not a thread",
				row);
	}
	if (!thread && (l.n_names > 0 || has_priorities || r.cgroup != 0))
		idx_verify_found(&v->tree, "row %u: it has names, priorities or a cgroup but is not a thread",
			row);
}

/* ---- EVNT ---- */

static void check_times(void *owner, const struct idx_child *at, const uint8_t *block, struct idx_child *real)
{
	struct verify *v = owner;
	const uint8_t *p = block + IDX_BLOCK_HEAD, *end = block + at->size;
	uint64_t time = (uint64_t)at->first, distance;

	while (p < end && (p = base_varint_get(p, end, &distance))) {
		time += distance;
		verify_time(v, at, (int64_t)time);
		real->count++;
	}
	if (!p)
		real->count = 0;
}

/* ---- PKTS ---- */

static void check_packets(void *owner, const struct idx_child *at, const uint8_t *block,
	struct idx_child *real)
{
	struct verify *v = owner;
	struct idx_packet packets[IDX_LEAF_PACKETS];
	unsigned n = idx_packets_read(block, at->size, at->first, v->events, packets);

	for (unsigned i = 0; i < n; i++) {
		verify_time(v, at, packets[i].first);
		verify_time(v, at, packets[i].last);
		if (packets[i].size > 0 && packets[i].offset < v->last_end)
			idx_verify_found_at(&v->tree, at, "a packet begins before the one before it ends");
		v->last_end = MAX(v->last_end, packets[i].offset + packets[i].size);
		v->events += packets[i].events;
		real->sums[IDX_PACKETS_EVENTS] += packets[i].events;
	}
	real->count = n;
	v->tree.totals->packets += n;
}

/* ---- CAUS ---- */

static void check_causes(void *owner, const struct idx_child *at, const uint8_t *block,
	struct idx_child *real)
{
	struct verify *v = owner;
	unsigned n = idx_cause_count(block, at->size);
	struct mdl_cause cause;

	for (unsigned i = 0; i < n; i++) {
		const char *wrong = "a cause is invalid";

		if (idx_cause_read(block, at->size, i, v->tree.series.limits, &cause))
			wrong = verify_cause(&cause, v->r->t->meta->from, v->r->t->meta->to);
		if (wrong)
			idx_verify_found_at(&v->tree, at, wrong);
	}
	real->count = n;
	v->tree.totals->causes += n;
}

/* ---- PCKT ---- */

static void check_transfers(void *owner, const struct idx_child *at, const uint8_t *block,
	struct idx_child *real)
{
	struct verify *v = owner;
	struct mdl_transfer transfers[IDX_LEAF_TRANSFERS];
	unsigned n = idx_transfer_read(block, at->size, at->first, v->tree.series.limits, transfers);

	for (unsigned i = 0; i < n; i++) {
		verify_time(v, at, transfers[i].by.time);
		if (!verify_act(&transfers[i].by, v->r->t->meta->from, v->r->t->meta->to))
			idx_verify_found_at(&v->tree, at,
				"a packet was sent or received outside the trace, or before the interrupt that did it");
	}
	real->count = n;
	v->tree.totals->transfers += n;
}

/* ---- all ---- */

/* In file order, because the check of causes needs the causes that the wake-ups of rows have. */
static void verify_chunks(struct verify *v)
{
	struct idx_reader *r = v->r;
	uint64_t events = r->t->meta->events;

	for (uint32_t row = 0; row < r->limits.rows; row++) {
		check_facts(v, row);
		check_row(v, row);
	}
	verify_walk(v, &r->times, IDX_KIND_TIMES, MDL_NONE, 0, check_times);
	if (r->times.count != events / IDX_EVENT_STEP + (events % IDX_EVENT_STEP > 0))
		idx_verify_found(&v->tree, "the number of event times does not match the number of events");
	for (uint32_t stream = 0; stream < r->n_streams; stream++) {
		const struct idx_load_stream *s = &r->t->streams[stream];

		v->events = v->last_end = 0;
		verify_walk(v, &s->packets, IDX_KIND_PACKETS, stream, 0, check_packets);
		if (v->events != s->stream.events)
			idx_verify_found(&v->tree,
				"stream %u: its packets hold %" G_GUINT64_FORMAT
				" events, it has %" G_GUINT64_FORMAT,
				stream, v->events, s->stream.events);
	}
	verify_walk(v, &r->causes, IDX_KIND_CAUSES, MDL_NONE, 0, check_causes);
	if (v->n_named != r->causes.count)
		idx_verify_found(&v->tree,
			"%" G_GUINT64_FORMAT " causes, but wake-ups name %" G_GUINT64_FORMAT, r->causes.count,
			v->n_named);
	verify_walk(v, &r->transfers, IDX_KIND_TRANSFERS, MDL_NONE, 0, check_transfers);
}

bool idx_verify(const char *path, const char *fingerprint, idx_verify_report report, void *data,
	struct idx_verify_totals *totals)
{
	struct verify v = { .tree = { .report = report, .data = data, .totals = totals } };
	g_autoptr(GError) error = NULL;

	memset(totals, 0, sizeof *totals);
	v.tree.owner = &v;
	v.r = idx_reader_open(path, fingerprint, &error);
	if (!v.r) {
		idx_verify_found(&v.tree, "%s", error->message);
		return false;
	}
	totals->bytes = idx_reader_bytes(v.r);
	v.named = g_malloc0((size_t)v.r->causes.count + 1);
	verify_chunks(&v);
	idx_verify_size(&v.tree, v.r->map);
	g_free(v.named);
	idx_reader_free(v.r);
	return totals->findings == 0;
}
