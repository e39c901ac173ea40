/* SPDX-License-Identifier: MIT */
#include "trace/perf/trc_perf_head.h"

#define TYPE_TRACEPOINT 2

enum {
	SAMPLE_IP = 1 << 0,
	SAMPLE_TID = 1 << 1,
	SAMPLE_TIME = 1 << 2,
	SAMPLE_ADDR = 1 << 3,
	SAMPLE_READ = 1 << 4,
	SAMPLE_CALLCHAIN = 1 << 5,
	SAMPLE_ID = 1 << 6,
	SAMPLE_CPU = 1 << 7,
	SAMPLE_PERIOD = 1 << 8,
	SAMPLE_STREAM_ID = 1 << 9,
	SAMPLE_RAW = 1 << 10,
	SAMPLE_IDENTIFIER = 1 << 16,
	SAMPLE_AUX = 1 << 20,
	SAMPLE_CGROUP = 1 << 21,
	SAMPLE_DATA_PAGE_SIZE = 1 << 22,
	SAMPLE_CODE_PAGE_SIZE = 1 << 23
};

enum { READ_ENABLED = 1, READ_RUNNING = 2, READ_ID = 4, READ_GROUP = 8, READ_LOST = 16 };

/* Bits of the flags. The first is the lowest bit or, in big endian, the highest. */
enum {
	FLAG_FREQ = 10,
	FLAG_SAMPLE_ID_ALL = 18,
	FLAG_USE_CLOCKID = 25,
	FLAG_CONTEXT_SWITCH = 26,
	FLAG_WRITE_BACKWARD = 27
};

#define CLOCK_AT 92 /* byte of clockid */

bool trc_perf_record_next(const struct trc_bytes *b, uint64_t *at, uint64_t end,
	struct trc_perf_record *record)
{
	struct trc_bytes head = { .data = b->data, .size = end, .at = *at, .big = b->big };
	uint64_t size, behind = 0;

	if (end > b->size || *at > end || end - *at < TRC_PERF_HEAD)
		return false;
	record->offset = *at;
	record->type = (uint32_t)trc_bytes_take_number(&head, 4);
	record->misc = (uint16_t)trc_bytes_take_number(&head, 2);
	size = trc_bytes_take_number(&head, 2);
	if (size < TRC_PERF_HEAD || size > end - *at)
		return false;
	record->data =
		(struct trc_bytes){ .data = b->data + *at, .size = size, .at = TRC_PERF_HEAD, .big = b->big };
	if (record->type == TRC_PERF_TRACING_DATA)
		behind = trc_bytes_take_number(&head, 4);
	else if (record->type == TRC_PERF_AUXTRACE)
		behind = trc_bytes_take_number(&head, 8);
	if (head.at > end || behind > end - *at - size)
		return false;
	*at += size + behind;
	return true;
}

/* ---- attrs ---- */

/* Return the place of WHAT in samples, and move *AT after it; TRC_PERF_NOWHERE: they lack it. */
static unsigned perf_record_place(uint64_t type, uint64_t what, unsigned *at)
{
	unsigned here = *at;

	if (!(type & what))
		return TRC_PERF_NOWHERE;
	*at += 8;
	return here;
}

static void perf_record_lay_out(struct trc_perf_attr *a)
{
	uint64_t t = a->sample_type;
	unsigned at = TRC_PERF_HEAD, id;

	a->id = perf_record_place(t, SAMPLE_IDENTIFIER, &at);
	a->ip = perf_record_place(t, SAMPLE_IP, &at);
	a->tid = perf_record_place(t, SAMPLE_TID, &at);
	a->time = perf_record_place(t, SAMPLE_TIME, &at);
	perf_record_place(t, SAMPLE_ADDR, &at);
	id = perf_record_place(t, SAMPLE_ID, &at);
	a->id = a->id == TRC_PERF_NOWHERE ? id : a->id;
	perf_record_place(t, SAMPLE_STREAM_ID, &at);
	a->cpu = perf_record_place(t, SAMPLE_CPU, &at);
	a->period = perf_record_place(t, SAMPLE_PERIOD, &at);
	a->fixed = at;
	/* The cgroup comes after parts of variable size and before at most two numbers (perf_output_sample(),
	 * kernel/events/core.c), so its place counts from the end. */
	if (t & SAMPLE_CGROUP && !(t & SAMPLE_AUX))
		a->cgroup = 8 * (1 + !!(t & SAMPLE_DATA_PAGE_SIZE) + !!(t & SAMPLE_CODE_PAGE_SIZE));
	/* struct sample_id, from its end backwards. */
	at = 8;
	a->other_id = perf_record_place(t, SAMPLE_IDENTIFIER, &at);
	a->other_cpu = perf_record_place(t, SAMPLE_CPU, &at);
	perf_record_place(t, SAMPLE_STREAM_ID, &at);
	id = perf_record_place(t, SAMPLE_ID, &at);
	a->other_id = a->other_id == TRC_PERF_NOWHERE ? id : a->other_id;
	a->other_time = perf_record_place(t, SAMPLE_TIME, &at);
}

static bool flag(uint64_t flags, unsigned bit, bool big)
{
	return flags >> (big ? 63 - bit : bit) & 1;
}

bool trc_perf_attr_read(struct trc_perf_attr *a, const struct trc_bytes *from)
{
	const uint64_t needed = SAMPLE_TIME | SAMPLE_CPU | SAMPLE_RAW;
	struct trc_bytes b = *from;
	uint64_t period, flags;
	uint32_t its_type;
	bool is_tracepoint;

	if (b.size < TRC_PERF_ATTR_MIN)
		return false;
	its_type = (uint32_t)trc_bytes_take_number(&b, 4);
	is_tracepoint = its_type == TYPE_TRACEPOINT;
	trc_bytes_take_number(&b, 4); /* its size */
	*a = (struct trc_perf_attr){ .type = its_type,
		.is_tracepoint = is_tracepoint,
		.config = trc_bytes_take_number(&b, 8) };
	period = trc_bytes_take_number(&b, 8);
	a->sample_type = trc_bytes_take_number(&b, 8);
	a->read_format = trc_bytes_take_number(&b, 8);
	flags = trc_bytes_take_number(&b, 8);
	a->is_usable = is_tracepoint && (a->sample_type & needed) == needed;
	a->is_counter = !is_tracepoint && a->sample_type & SAMPLE_TIME;
	a->is_sampled = period != 1 || flag(flags, FLAG_FREQ, b.big);
	a->has_samples = period > 0;
	a->overwrites = flag(flags, FLAG_WRITE_BACKWARD, b.big);
	a->tells_switches = flag(flags, FLAG_CONTEXT_SWITCH, b.big);
	a->has_others = flag(flags, FLAG_SAMPLE_ID_ALL, b.big);
	a->has_clock = flag(flags, FLAG_USE_CLOCKID, b.big) && b.size >= CLOCK_AT + 4;
	b.at = CLOCK_AT;
	if (a->has_clock)
		a->clock = (int32_t)trc_bytes_take_number(&b, 4);
	perf_record_lay_out(a);
	return true;
}

bool trc_perf_attr_is_group(const struct trc_perf_attr *a)
{
	return a->sample_type & SAMPLE_READ && a->read_format & READ_GROUP;
}

/* Take the counters (struct read_format). The times of a group precede its counters and are taken. The times
 * of a single event follow its value and remain. */
static struct trc_bytes take_counters(const struct trc_perf_attr *a, struct trc_bytes *b, uint64_t *paused)
{
	uint64_t f = a->read_format;
	unsigned times = !!(f & READ_ENABLED) + !!(f & READ_RUNNING);
	unsigned each = 1 + !!(f & READ_ID) + !!(f & READ_LOST);
	uint64_t n = f & READ_GROUP ? trc_bytes_take_number(b, 8) : 1;

	if (f & READ_GROUP && times == 2) {
		*paused = trc_bytes_take_number(b, 8);
		*paused -= trc_bytes_take_number(b, 8);
	} else if (f & READ_GROUP) {
		trc_bytes_take(b, 8 * times);
	} else {
		each += times;
	}
	return trc_bytes_take_bytes(b, n > b->size ? UINT64_MAX : n * each * 8);
}

bool trc_perf_sample_count(const struct trc_perf_attr *a, struct trc_bytes *counts, uint64_t *value,
	uint64_t *id)
{
	uint64_t f = a->read_format;

	if (!counts->data || counts->size - counts->at < 8)
		return false;
	*value = trc_bytes_take_number(counts, 8);
	if (!(f & READ_GROUP)) /* skip its times */
		trc_bytes_take(counts, 8 * (!!(f & READ_ENABLED) + !!(f & READ_RUNNING)));
	*id = f & READ_ID ? trc_bytes_take_number(counts, 8) : 0;
	if (f & READ_LOST)
		trc_bytes_take(counts, 8);
	return counts->at <= counts->size;
}

void trc_perf_sample_read(const struct trc_perf_attr *a, const struct trc_bytes *record,
	struct trc_perf_sample *sample)
{
	struct trc_bytes b = { .data = record->data,
		.size = record->size,
		.at = a->fixed,
		.big = record->big };
	const uint8_t *at;
	uint64_t n;

	*sample = (struct trc_perf_sample){ .pid = -1, .tid = -1, .global = -1, .record.big = b.big };
	if (a->ip != TRC_PERF_NOWHERE)
		sample->ip = trc_bytes_number(b.data + a->ip, 8, b.big);
	if (a->tid != TRC_PERF_NOWHERE) {
		sample->pid = (int32_t)trc_bytes_number(b.data + a->tid, 4, b.big);
		sample->tid = (int32_t)trc_bytes_number(b.data + a->tid + 4, 4, b.big);
	}
	if (a->id != TRC_PERF_NOWHERE)
		sample->id = trc_bytes_number(b.data + a->id, 8, b.big);
	if (a->period != TRC_PERF_NOWHERE)
		sample->period = trc_bytes_number(b.data + a->period, 8, b.big);
	if (a->cgroup != TRC_PERF_NOWHERE && b.size >= a->fixed + a->cgroup)
		sample->cgroup = trc_bytes_number(b.data + b.size - a->cgroup, 8, b.big);
	if (a->sample_type & SAMPLE_READ)
		sample->counts = take_counters(a, &b, &sample->paused);
	if (a->sample_type & SAMPLE_CALLCHAIN) {
		n = trc_bytes_take_number(&b, 8);
		sample->chain = trc_bytes_take_bytes(&b, n > b.size ? UINT64_MAX : n * 8);
	}
	if (!(a->sample_type & SAMPLE_RAW))
		return;
	n = trc_bytes_take_number(&b, 4);
	at = trc_bytes_take(&b, n);
	if (!at)
		return;
	/* Set each member, because copying a struct that was just written in parts is slow. */
	sample->record.data = at;
	sample->record.size = n;
	if (a->common_pid && n >= 4 && a->common_pid->offset <= n - 4)
		sample->global = (int32_t)trc_bytes_number(at + a->common_pid->offset, 4, b.big);
}

uint32_t trc_perf_sample_meant(const struct trc_perf_attr *a, const struct trc_perf_sample *sample,
	uint32_t limit)
{
	return a->meant ? trc_format_aimed(a->meant, &sample->record, limit) : limit;
}
