/* SPDX-License-Identifier: MIT */
#include "model/event/fact.h"

#include <glib.h>

/* True if there is no hole between the steps, and the last one ends with the request. */
static bool steps_in_order(const struct mdl_facts *f, G_GNUC_UNUSED int64_t trace_from)
{
	const struct mdl_request *r = &f->request;
	int64_t from = r->begin;

	for (unsigned i = 0; i < r->n_steps; i++) {
		if (from == MDL_NEVER || r->steps[i].to <= from)
			return false;
		from = r->steps[i].to;
	}
	return r->n_steps == 0 || from == r->completed;
}

const struct mdl_fact_ops mdl_fact_request = {
	.fields = { MDL_FIELD_BELOW(MDL_OPS, request.op), MDL_FIELD(MDL_FIELD_DOUBTS, request.doubts),
		MDL_FIELD(MDL_FIELD_U32, request.dev), MDL_FIELD(MDL_FIELD_WORD, request.sector),
		MDL_FIELD(MDL_FIELD_U64, request.bytes), MDL_FIELD(MDL_FIELD_U16, request.merged),
		MDL_FIELD(MDL_FIELD_TIME, request.queued), MDL_FIELD(MDL_FIELD_TIME, request.inserted),
		MDL_FIELD(MDL_FIELD_TIME, request.issued), MDL_FIELD(MDL_FIELD_TIME, request.completed),
		MDL_FIELD(MDL_FIELD_ACT, request.submitter), MDL_FIELD(MDL_FIELD_ACT, request.issuer),
		MDL_FIELD(MDL_FIELD_STEPS, request) },
	.when = offsetof(struct mdl_facts, request.completed),
	.doubts = offsetof(struct mdl_facts, request.doubts),
	.joined = { offsetof(struct mdl_facts, request.queued), offsetof(struct mdl_facts, request.inserted),
		offsetof(struct mdl_facts, request.issued) },
	.order = { offsetof(struct mdl_facts, request.submitter.time),
		offsetof(struct mdl_facts, request.issued), offsetof(struct mdl_facts, request.completed) },
	.check = steps_in_order,
};

const struct mdl_fact_ops mdl_fact_packet = {
	.fields = { MDL_FIELD(MDL_FIELD_PACKET, packet.packet), MDL_FIELD(MDL_FIELD_STRING, packet.device),
		MDL_FIELD(MDL_FIELD_TIME, packet.time), MDL_FIELD(MDL_FIELD_DOUBTS, packet.doubts),
		MDL_FIELD(MDL_FIELD_ACT, packet.sender) },
	.when = offsetof(struct mdl_facts, packet.time),
	.doubts = offsetof(struct mdl_facts, packet.doubts),
	.joined = { offsetof(struct mdl_facts, packet.sender.time) },
	.order = { offsetof(struct mdl_facts, packet.sender.time), offsetof(struct mdl_facts, packet.time) },
};

const struct mdl_fact_ops mdl_fact_work = {
	.fields = { MDL_FIELD(MDL_FIELD_WORD, work.function), MDL_FIELD(MDL_FIELD_TIME, work.started),
		MDL_FIELD(MDL_FIELD_ACT, work.queued) },
	.when = offsetof(struct mdl_facts, work.queued.time),
	.joined = { offsetof(struct mdl_facts, work.queued.time) },
	.order = { offsetof(struct mdl_facts, work.queued.time), offsetof(struct mdl_facts, work.started) },
};

const struct mdl_fact_ops mdl_fact_signal = {
	.fields = { MDL_FIELD(MDL_FIELD_U32, signal.number), MDL_FIELD(MDL_FIELD_DOUBTS, signal.doubts),
		MDL_FIELD(MDL_FIELD_ACT, signal.sender) },
	.when = offsetof(struct mdl_facts, signal.sender.time),
	.doubts = offsetof(struct mdl_facts, signal.doubts),
};

const struct mdl_fact_ops mdl_fact_pending = { .fields = { MDL_FIELD(MDL_FIELD_U32, pending) } };

const struct mdl_fact_ops mdl_fact_arrival = {
	.fields = { MDL_FIELD(MDL_FIELD_TIME, arrival.time), MDL_FIELD(MDL_FIELD_CPU, arrival.cpu),
		MDL_FIELD(MDL_FIELD_CONTEXT, arrival.context), MDL_FIELD(MDL_FIELD_TIME, arrival.entry) },
	.when = offsetof(struct mdl_facts, arrival.time),
	.order = { offsetof(struct mdl_facts, arrival.entry), offsetof(struct mdl_facts, arrival.time) },
};

/* True if the due time is valid: only an expired timer has one, and not before it was armed. */
static bool due_in_order(const struct mdl_facts *f, int64_t from)
{
	const struct mdl_timer *t = &f->timer;

	return t->due == MDL_NEVER || (t->expired && t->due >= from && t->due >= t->armed.time);
}

const struct mdl_fact_ops mdl_fact_timer = {
	.fields = { MDL_FIELD(MDL_FIELD_FLAG, timer.expired), MDL_FIELD(MDL_FIELD_FLAG, timer.wheel),
		MDL_FIELD(MDL_FIELD_WORD, timer.function), MDL_FIELD(MDL_FIELD_TIME, timer.expired_at),
		MDL_FIELD(MDL_FIELD_TIME, timer.due), MDL_FIELD(MDL_FIELD_LENGTH, timer.slack),
		MDL_FIELD(MDL_FIELD_CPU, timer.cpu), MDL_FIELD(MDL_FIELD_ACT, timer.armed),
		MDL_FIELD(MDL_FIELD_DOUBTS, timer.doubts) },
	.when = offsetof(struct mdl_facts, timer.armed.time),
	.doubts = offsetof(struct mdl_facts, timer.doubts),
	.joined = { offsetof(struct mdl_facts, timer.armed.time) },
	.order = { offsetof(struct mdl_facts, timer.armed.time),
		offsetof(struct mdl_facts, timer.expired_at) },
	.check = due_in_order,
};

const struct mdl_fact_ops mdl_fact_futex = {
	.fields = { MDL_FIELD(MDL_FIELD_U64, futex.address), MDL_FIELD_BELOW(MDL_FUTEX_BYS, futex.by),
		MDL_FIELD(MDL_FIELD_DOUBTS, futex.doubts), MDL_FIELD(MDL_FIELD_ACT, futex.waiter),
		MDL_FIELD(MDL_FIELD_ACT, futex.waker) },
	.when = offsetof(struct mdl_facts, futex.waiter.time),
	.doubts = offsetof(struct mdl_facts, futex.doubts),
};

const struct mdl_fact_ops mdl_fact_virq = {
	.fields = { MDL_FIELD(MDL_FIELD_U32, virq.vector), MDL_FIELD_BELOW(MDL_VIRQ_BYS, virq.by),
		MDL_FIELD(MDL_FIELD_DOUBTS, virq.doubts) },
	.doubts = offsetof(struct mdl_facts, virq.doubts),
};

const struct mdl_fact_ops mdl_fact_suspend = {
	.fields = { MDL_FIELD_BELOW(MDL_SUSPEND_BYS, suspend.by), MDL_FIELD(MDL_FIELD_DOUBTS, suspend.doubts),
		MDL_FIELD(MDL_FIELD_TIME, suspend.begin), MDL_FIELD(MDL_FIELD_TIME, suspend.from),
		MDL_FIELD(MDL_FIELD_ACT, suspend.act), MDL_FIELD(MDL_FIELD_LENGTH, suspend.least),
		MDL_FIELD(MDL_FIELD_LENGTH, suspend.most) },
	.when = offsetof(struct mdl_facts, suspend.act.time),
	.doubts = offsetof(struct mdl_facts, suspend.doubts),
	.joined = { offsetof(struct mdl_facts, suspend.begin) },
	.order = { offsetof(struct mdl_facts, suspend.begin), offsetof(struct mdl_facts, suspend.from),
		offsetof(struct mdl_facts, suspend.act.time) },
};

const struct mdl_fact_ops mdl_fact_hotplug = {
	.fields = { MDL_FIELD(MDL_FIELD_U32, hotplug.cpu), MDL_FIELD(MDL_FIELD_FLAG, hotplug.up),
		MDL_FIELD(MDL_FIELD_U32, hotplug.step), MDL_FIELD(MDL_FIELD_DOUBTS, hotplug.doubts),
		MDL_FIELD(MDL_FIELD_WORD, hotplug.function), MDL_FIELD(MDL_FIELD_TIME, hotplug.entered) },
	.when = offsetof(struct mdl_facts, hotplug.entered),
	.doubts = offsetof(struct mdl_facts, hotplug.doubts),
	.joined = { offsetof(struct mdl_facts, hotplug.entered) },
	.order = { offsetof(struct mdl_facts, hotplug.entered) },
};

#define FACT(NAME, member, type) [MDL_FACT_NR_##NAME] = &mdl_fact_##member,
const struct mdl_fact_ops *const mdl_fact_all[MDL_FACTS_N] = { MDL_FACTS(FACT) };

const char *mdl_step_name(enum mdl_step_what what)
{
	static const char *const names[MDL_STEPS] = { [MDL_STEP_QUEUE] = "queue",
		[MDL_STEP_FLUSH_BEFORE] = "flush-before",
		[MDL_STEP_DEVICE] = "device",
		[MDL_STEP_FLUSH_AFTER] = "flush-after",
		[MDL_STEP_REQUEUE] = "requeue" };

	return names[what];
}

const char *mdl_op_name(enum mdl_block_op op)
{
	static const char *const names[MDL_OPS] = {
		[MDL_OP_READ] = "read",
		[MDL_OP_WRITE] = "write",
		[MDL_OP_FLUSH] = "flush",
		[MDL_OP_DISCARD] = "discard",
		[MDL_OP_OTHER] = "other",
	};

	return op < MDL_OPS ? names[op] : NULL;
}
