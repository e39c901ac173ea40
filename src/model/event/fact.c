/* SPDX-License-Identifier: MIT */
#include "model/event/fact.h"

#include "model/net/batch.h"
#include "model/core/cpu.h"
#include "model/block/inflight.h"
#include "model/net/room.h"
#include "model/core/thread.h"

#include <string.h>

/* No hole between the steps, and the last one ends with the request. */
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

/*
 * True if T may wait for room on DEV, not for a request: it has a bio there that belongs to no request yet,
 * or, where bios are not recorded, sleeps uninterruptibly (proofs.md R4.4).
 */
static bool may_await_room(const struct mdl_machine *m, uint32_t dev, const struct mdl_thread *t)
{
	if (mdl_machine_has(m, MDL_GROUP_BIO))
		return mdl_inflight_brought(&m->blocks.bios, dev, t->track->id);
	return t->phase != MDL_PH_BLOCKED || t->block == MDL_BLOCK_UNKNOWN ||
		t->block == MDL_BLOCK_UNINTERRUPTIBLE;
}

/* The thread that handles the errors of a SCSI host waits for one, of whichever request (proofs.md R4.5),
 * also for that of another port (ata_port_schedule_eh()). */
static bool handles_errors(const struct mdl_thread *t)
{
	return g_str_has_prefix(t->comm, "scsi_eh_");
}

/* What a request's end made room for, it did not wait for.  Nor did a worker at rest, which waits for work:
 * the end may have queued some, unseen. */
static void doubt_request(struct mdl_machine *m, uint32_t cpu, G_GNUC_UNUSED const struct mdl_level *l,
	const struct mdl_thread *t, struct mdl_facts *facts)
{
	if (!(facts->has & MDL_FACT_REQUEST))
		return;
	if (may_await_room(m, facts->request.dev, t))
		facts->request.doubts |= MDL_DOUBT(ROOM);
	if (handles_errors(t))
		facts->request.doubts |= MDL_DOUBT(ALIKE);
	if (mdl_fact_awaits_work(t) && !mdl_fact_woken(mdl_cpu_get(m, cpu), t))
		facts->request.doubts |= MDL_DOUBT(WORK);
}

const struct mdl_fact_ops mdl_fact_request = {
	.collect = doubt_request,
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

static void choose_packet(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	const struct mdl_thread *t, struct mdl_facts *facts)
{
	if (!(facts->has & MDL_FACT_PACKET))
		return;
	mdl_batch_choose(&mdl_cpu_get(m, cpu)->batch, l, t, &facts->packet);
	mdl_room_doubt(m, l, t, &facts->packet);
	mdl_room_settle(m, cpu, l, &facts->packet);
}

const struct mdl_fact_ops mdl_fact_packet = {
	.collect = choose_packet,
	.fields = { MDL_FIELD(MDL_FIELD_PACKET, packet.packet), MDL_FIELD(MDL_FIELD_STRING, packet.device),
		MDL_FIELD(MDL_FIELD_TIME, packet.time), MDL_FIELD(MDL_FIELD_DOUBTS, packet.doubts),
		MDL_FIELD(MDL_FIELD_ACT, packet.sender) },
	.when = offsetof(struct mdl_facts, packet.time),
	.doubts = offsetof(struct mdl_facts, packet.doubts),
	.joined = { offsetof(struct mdl_facts, packet.sender.time) },
	.order = { offsetof(struct mdl_facts, packet.sender.time), offsetof(struct mdl_facts, packet.time) },
};

bool mdl_fact_is_worker(const struct mdl_thread *t)
{
	return g_str_has_prefix(t->comm, "kworker/") && t->comm[strlen("kworker/")] != 'R';
}

/* proofs.md R7.2 */
bool mdl_fact_awaits_work(const struct mdl_thread *t)
{
	return mdl_fact_is_worker(t) && !t->work &&
		(t->phase != MDL_PH_BLOCKED ||
			(t->block != MDL_BLOCK_UNINTERRUPTIBLE && t->block != MDL_BLOCK_KILLABLE));
}

const struct mdl_work *mdl_fact_woken(const struct mdl_cpu *c, const struct mdl_thread *t)
{
	return c->has_just_queued && mdl_fact_awaits_work(t) ? &c->just_queued : NULL;
}

bool mdl_fact_guesses_work(const struct mdl_machine *m, const struct mdl_thread *t)
{
	return !mdl_machine_has(m, MDL_GROUP_WORK_QUEUE) && mdl_fact_awaits_work(t);
}

/* Does what happened in L, as FACTS tell, say that the wait was for the disk or the net?  No more than that
 * is said then, inferred (may_bring_work(), cause/cause.c). */
static bool is_about(const struct mdl_level *l, const struct mdl_facts *facts)
{
	bool softirq = l->context != MDL_NONE && l->type == MDL_CTX_SOFTIRQ;

	return facts->has & (MDL_FACT_REQUEST | MDL_FACT_PACKET) ||
		(softirq && (l->nr == MDL_SOFTIRQ_BLOCK || l->nr == MDL_SOFTIRQ_NET_RX));
}

static void queued_work(struct mdl_machine *m, uint32_t cpu, const struct mdl_level *l,
	const struct mdl_thread *t, struct mdl_facts *facts)
{
	const struct mdl_work *work = mdl_fact_woken(mdl_cpu_get(m, cpu), t);

	if (work)
		facts->work = *work;
	else if (mdl_fact_guesses_work(m, t) && !is_about(l, facts))
		facts->work = (struct mdl_work){ .started = MDL_NEVER, .queued = mdl_cpu_act_of(m, cpu, l) };
	else
		return;
	facts->has |= MDL_FACT_WORK;
}

const struct mdl_fact_ops mdl_fact_work = {
	.collect = queued_work,
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
