/* SPDX-License-Identifier: MIT */
#include "base/base_search.h"
#include "trace/ctf/trc_plan.h"
#include "trace/ctf/trc_plan_ops.h"
#include "trace/ctf/trc_unicode.h"
#include "trace/meta/trc_meta_type.h"

struct loop {
	uint64_t left, start; /* remaining iterations; bit where the current one began */
};

static inline uint64_t plan_run_read_number(const struct trc_op *op, const struct trc_walk *w)
{
	uint64_t value;

	if (G_UNLIKELY(op->from == TRC_FROM_LEB))
		return w->leb;
	value = trc_bits_read(w->data, w->at + op->offset, op->bits, op->big_endian);
	if (G_UNLIKELY(op->from == TRC_FROM_REVERSED))
		value = trc_bits_reverse(value, op->bits);
	return op->is_signed ? (uint64_t)trc_bits_sign(value, op->bits) : value;
}

static bool run_leb(const struct trc_op *op, struct trc_walk *w)
{
	unsigned used = w->at < w->limit
		? trc_bits_leb(w->data + w->at / 8, (w->limit - w->at) / 8, op->is_signed, &w->leb)
		: 0;

	w->leb_bits = 7 * used;
	w->at += 8 * used;
	return used;
}

/* Advance the clock to the next time whose low bits are those that OP reads. */
static void run_clock(const struct trc_op *op, struct trc_walk *w)
{
	unsigned bits = op->from == TRC_FROM_LEB ? w->leb_bits : op->bits;
	uint64_t value = plan_run_read_number(op, w);

	w->clock = bits >= 64 ? value : trc_head_carry(w->clock, value, bits);
}

static void put_head(const struct trc_op *op, struct trc_walk *w, uint64_t value)
{
	w->head[op->slot] = value;
	w->heads |= 1u << op->slot;
}

/* Set the text of OP to the LENGTH bytes at TEXT, or up to a NUL. */
static void put_text(const struct trc_op *op, struct trc_walk *w, const uint8_t *text, uint64_t length)
{
	GString *converted;

	if (op->is_taken) {
		w->taken[op->slot].text = (const char *)text;
		w->taken[op->slot].length = length;
		return;
	}
	if (op->encoding <= TRC_ENCODING_UTF8) {
		w->event->text[op->slot] = trc_queue_text(w->queue, (const char *)text, length);
		return;
	}
	converted = g_string_new(NULL);
	trc_unicode_append(converted, text, length, op->encoding, TRC_TEXT_MAX);
	w->event->text[op->slot] = trc_queue_text(w->queue, converted->str, converted->len);
	g_string_free(converted, TRUE);
}

static void run_chars(const struct trc_op *op, struct trc_walk *w)
{
	const uint8_t *text = w->data + (w->at + op->offset) / 8;

	if (op->encoding <= TRC_ENCODING_UTF8 && !op->is_taken)
		w->event->text[op->slot] = trc_queue_chars(w->queue, (const char *)text, op->n);
	else
		put_text(op, w, text, op->n);
}

static bool run_string(const struct trc_op *op, struct trc_walk *w)
{
	const uint8_t *text = w->data + w->at / 8;
	uint64_t length, whole;

	if (w->at >= w->limit ||
		!trc_unicode_length(text, (w->limit - w->at) / 8, op->encoding, &length, &whole))
		return false;
	if (op->slot != TRC_NO_SLOT)
		put_text(op, w, text, length);
	w->at += whole * 8;
	return true;
}

/* Set *VALUE to register COUNT. False if it is unset: its field is in an option that was not chosen. */
static inline bool run_get(const struct trc_walk *w, uint16_t count, uint64_t *value)
{
	*value = w->registers[count];
	return w->known >> count & 1;
}

static bool run_sequence(const struct trc_op *op, struct trc_walk *w)
{
	uint64_t count, left = w->at < w->limit ? w->limit - w->at : 0;

	if (!run_get(w, op->count, &count) || w->at > w->limit)
		return false;
	if (!count || !op->offset) {
		count = 0;
	} else if (count - 1 > left / op->offset || (count - 1) * op->offset + op->n > left) {
		return false;
	}
	if (op->slot != TRC_NO_SLOT)
		put_text(op, w, w->data + w->at / 8, count);
	w->at += count ? (count - 1) * op->offset + op->n : 0;
	return true;
}

struct sought {
	const struct trc_case *cases;
	uint64_t tag;
};

static bool plan_run_begins_by(const void *data, uint64_t i)
{
	const struct sought *s = data;

	return s->cases[i].low <= s->tag;
}

/* Return the step for the tag in OP's register; NULL if no case matches and there is no other way. */
static const struct trc_op *run_switch(const struct trc_plan *plan, const struct trc_op *op,
	const struct trc_walk *w)
{
	const struct trc_op *ops = (const struct trc_op *)(const void *)plan->ops->data;
	const struct trc_case *cases = &g_array_index(plan->cases, struct trc_case, op->jump), *c;
	struct sought sought = { cases, 0 };
	uint64_t behind;

	if (!run_get(w, op->count, &sought.tag))
		return NULL;
	sought.tag = trc_case_value(op->is_signed, sought.tag);
	behind = base_search(0, op->n, plan_run_begins_by, &sought);
	c = cases + (behind > 0 ? behind - 1 : 0);
	if (behind > 0 && sought.tag <= c->high)
		return ops + c->jump;
	return op->offset ? ops + op->offset : NULL;
}

/* Begin a loop. Returns the next step; NULL if the number of iterations is unknown. */
static const struct trc_op *run_loop(const struct trc_op *ops, const struct trc_op *op,
	const struct trc_walk *w, struct loop *loop, unsigned *depth)
{
	uint64_t count = op->n;

	if (op->count != TRC_NO_SLOT && !run_get(w, op->count, &count))
		return NULL;
	if (!count)
		return ops + op->jump;
	loop[*depth].left = count;
	loop[(*depth)++].start = w->at;
	return op + 1;
}

/* End an iteration. The loop ends after one without bits, so a large count cannot make it endless. */
static const struct trc_op *run_next(const struct trc_op *ops, const struct trc_op *op,
	const struct trc_walk *w, struct loop *loop, unsigned *depth)
{
	struct loop *l = &loop[*depth - 1];

	/* NOLINTNEXTLINE(clang-analyzer-core.uninitialized.Assign): a plan has NEXT only after LOOP */
	if (--l->left && w->at != l->start && w->at <= w->limit) {
		l->start = w->at;
		return ops + op->jump;
	}
	--*depth;
	return op + 1;
}

static void run_net_address(const struct trc_op *op, struct trc_walk *w)
{
	uint8_t bytes[TRC_NET_ADDRESS_MAX];
	unsigned used = 0;

	for (uint64_t i = 0; i < op->n && used < sizeof(bytes); i++)
		used += trc_net_put(bytes + used, sizeof(bytes) - used, op->bits,
			trc_bits_read(w->data, w->at + op->offset + i * op->count, op->bits, op->big_endian));
	trc_net_set_address(&w->net, op->slot, bytes, used);
}

/* Give the event the network packet that was read. */
static void run_net_end(struct trc_walk *w)
{
	struct mdl_packet packet;

	if (!trc_net_finish(&w->net, &packet))
		return;
	*trc_queue_net(w->queue, w->event) = packet;
	w->event->packet = trc_queue_net(w->queue, w->event);
}

/*
 * Set counter OP->slot of the event to VALUE. LTTng writes 0 if the counter is not set up
 * (perf_counter_record(), lttng-context-perf-counters.c of lttng-modules), so 0 means absent.
 */
static void put_count(const struct trc_plan *plan, const struct trc_op *op, struct trc_walk *w,
	uint64_t value)
{
	struct mdl_counts *counts;

	if (value == 0)
		return;
	if (!w->event->counts) {
		counts = trc_queue_counts(w->queue, w->event);
		counts->names = plan->counters;
		counts->of_thread = plan->own;
		w->counts = counts;
	}
	w->counts->value[op->slot] = value;
	w->counts->has |= (uint16_t)(1u << op->slot);
}

/* The compiler of plans makes only these steps, so the default needs no check. -Wswitch-enum ensures that
 * none is missing. */
#pragma GCC diagnostic error "-Wswitch-enum"
bool trc_plan_run(const struct trc_plan *plan, struct trc_walk *w)
{
	const struct trc_op *ops = (const struct trc_op *)(const void *)plan->ops->data, *op = ops;
	struct loop loops[TRC_LOOPS];
	unsigned depth = 0;
	uint32_t s32;
	uint64_t u64;

	for (;; op++) {
		switch ((enum trc_op_code)op->code) {
		case TRC_OP_NEED:
			if (w->at > w->limit || w->limit - w->at < op->n)
				return false;
			break;
		case TRC_OP_SKIP: w->at += op->n; break;
		case TRC_OP_ALIGN: w->at = trc_align(w->at, (uint32_t)op->n); break;
		case TRC_OP_ARG: w->event->arg[op->slot] = (int64_t)plan_run_read_number(op, w); break;
		case TRC_OP_ARG_S32:
			memcpy(&s32, w->data + (w->at + op->offset) / 8, sizeof(s32));
			w->event->arg[op->slot] = (int32_t)GUINT32_FROM_LE(s32);
			break;
		case TRC_OP_ARG_64:
			memcpy(&u64, w->data + (w->at + op->offset) / 8, sizeof(u64));
			w->event->arg[op->slot] = (int64_t)GUINT64_FROM_LE(u64);
			break;
		case TRC_OP_TAKE: w->taken[op->slot].number = plan_run_read_number(op, w); break;
		case TRC_OP_COUNT: put_count(plan, op, w, plan_run_read_number(op, w)); break;
		case TRC_OP_LEB:
			if (!run_leb(op, w))
				return false;
			break;
		case TRC_OP_REGISTER:
			w->registers[op->slot] = plan_run_read_number(op, w);
			w->known |= 1u << op->slot;
			break;
		case TRC_OP_ID: w->id = plan_run_read_number(op, w); break;
		case TRC_OP_HEAD: put_head(op, w, plan_run_read_number(op, w)); break;
		case TRC_OP_PLACE: put_head(op, w, w->at + op->offset); break;
		case TRC_OP_CPU:
			u64 = plan_run_read_number(op, w);
			w->cpu = u64 < TRC_CPUS_MAX ? (uint32_t)u64 : TRC_CPU_UNKNOWN;
			break;
		case TRC_OP_CLOCK: run_clock(op, w); break;
		case TRC_OP_NET_BEGIN: w->net.seen = 0; break;
		case TRC_OP_NET: trc_net_set(&w->net, op->slot, plan_run_read_number(op, w)); break;
		case TRC_OP_NET_ADDRESS: run_net_address(op, w); break;
		case TRC_OP_NET_END: run_net_end(w); break;
		case TRC_OP_CHARS: run_chars(op, w); break;
		case TRC_OP_STRING:
			if (!run_string(op, w))
				return false;
			break;
		case TRC_OP_SEQUENCE:
			if (!run_sequence(op, w))
				return false;
			break;
		case TRC_OP_LOOP:
			op = run_loop(ops, op, w, loops, &depth);
			if (!op)
				return false;
			op--;
			break;
		case TRC_OP_NEXT: op = run_next(ops, op, w, loops, &depth) - 1; break;
		case TRC_OP_SWITCH:
			op = run_switch(plan, op, w);
			if (!op)
				return false;
			op--;
			break;
		case TRC_OP_JUMP: op = ops + op->jump - 1; break;
		case TRC_OP_END: return w->at <= w->limit;
		default: __builtin_unreachable();
		}
	}
}
