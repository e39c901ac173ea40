/* SPDX-License-Identifier: MIT */
/*
 * How it works: the end of requests (block_rq_complete, blk_update_request() in block/blk-core.c), which may
 * come piece by piece. Right after that event, in the same context, bios end and threads are woken (proofs.md
 * R4.1).
 *
 * A write that is executed as a sequence with flushes (block/flush.c) is completed again, with 0 sectors,
 * after the last flush: threads wait for that, and the end of the data ends no wait. A write without data is
 * never issued itself: the issue of the flush request counts as its issue.
 *
 * Two requests that are alike cannot be told apart (block/which.c): the wait is for one of them, most likely
 * the older. This holds also for writes without data that were queued before one flush.
 */
#include "model/block/block.h"

#include "model/cause/chain.h"
#include "model/core/context.h"
#include "model/core/cpu.h"
#include "model/block/flush.h"
#include "model/block/inflight.h"
#include "model/cause/irqthread.h"
#include "model/block/range.h"
#include "model/core/thread.h"

/* True if the handler of LINE, or its thread, wakes threads only by the end of a request that has an event:
 * virtblk_done(), nvme_irq(), blkif_interrupt() of xen-blkfront, pvscsi_isr(), and those of libata. They end
 * other commands only for threads that handle errors or start the device. Other drivers also end commands of
 * ioctl() and of their firmware, without an event (proofs.md R4.2; aac_fib_complete()). Drivers that were not
 * examined may do so, too. */
static bool is_line_of_requests(const char *line)
{
	static const char *const lines[] = { "virtio", "nvme", "blkif", "vmw_pvscsi", "ahci", "ata_", "pata_",
		"sata_", NULL };

	for (unsigned i = 0; lines[i]; i++)
		if (g_str_has_prefix(line, lines[i]))
			return true;
	return false;
}

/*
 * True if the code that completes requests in L, on C now, does nothing else. This holds for interrupts of
 * some devices and their threads, for the softirq BLOCK and for a timer's function. Other softirqs go on to
 * unrelated work. An IPI may call another function afterwards: before Linux 5.12 it completed the request
 * itself (__blk_mq_complete_request_remote(), block/blk-mq.c), and the next queued function follows
 * (flush_smp_call_function_queue(), kernel/smp.c), unseen unless each call is recorded.
 *
 * A kworker takes the next request of a loop device in the same item (loop_process_work(),
 * drivers/block/loop.c). A thread that polls for completions (blk_mq_poll(), block/blk-mq.c) goes on with its
 * call, and may then wake others.
 */
static bool only_completes(const struct mdl_machine *m, const struct mdl_cpu *c, const struct mdl_level *l)
{
	if (l->context == MDL_NONE) {
		const char *line = c->current ? strchr(c->current->comm, '-') : NULL;

		return line && mdl_irqthread_is(c->current) && is_line_of_requests(line + 1);
	}
	if (mdl_context_calls(m, l->context))
		return l->others == MDL_OTHERS_REST;
	if (l->type == MDL_CTX_IRQ)
		return is_line_of_requests(mdl_context_name(m, l->context));
	return l->type != MDL_CTX_SOFTIRQ || l->nr == MDL_SOFTIRQ_BLOCK;
}

/* Make REQUEST a fact of this context: ITEM, or a piece of it, is over. */
static void set_fact(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_item *item,
	const struct mdl_request *request)
{
	struct mdl_level *l = mdl_cpu_level(m, e->cpu);
	struct mdl_facts *facts = &l->facts;

	mdl_chain_completes(m, e->cpu, l);
	facts->request = *request;
	facts->request.completed = m->now;
	facts->request.doubts = mdl_steps_doubts(request) | (item->doubtful ? MDL_DOUBT(ALIKE) : 0) |
		(only_completes(m, mdl_cpu_get(m, e->cpu), l) ? 0 : MDL_DOUBT(DRIVER));
	facts->has |= MDL_FACT_REQUEST;
}

/* The write around SECTOR whose sequence is over, right after its data or after a flush; NULL: none. */
static struct mdl_item *find_sequenced(struct mdl_machine *m, uint32_t cpu, uint32_t dev, int64_t sector)
{
	struct mdl_item *item = sector >= 0
		? mdl_inflight_covering(&m->blocks->requests, MDL_STAGE_FLUSHING, dev, (uint64_t)sector)
		: NULL;
	struct mdl_act here = mdl_cpu_act(m, cpu);
	bool over;

	if (!item)
		return NULL;
	over = item->postflush ? !!mdl_flush_here(m, cpu, dev, item->written.time)
			       : mdl_flush_same(&item->written, &here);
	return over ? item : NULL;
}

/* The oldest write without data, queued up to UNTIL, that is not completed; NULL: none. */
static struct mdl_item *find_flushed(const struct mdl_inflight *requests, uint32_t dev, int64_t until)
{
	struct mdl_item *item = mdl_inflight_find(requests, MDL_STAGE_QUEUED, dev, MDL_SECTOR_NONE, false);

	return item && item->request.queued <= until ? item : NULL;
}

/* The request that a completion of 0 sectors ends. The driver's own requests have no position. The last step
 * of a sequence has the position of its write, which is 0 for a write without data. */
static struct mdl_item *find_dataless(struct mdl_machine *m, const struct mdl_event *e,
	const struct mdl_range *r, int64_t flushed)
{
	const struct mdl_inflight *requests = &m->blocks->requests;
	int64_t sector = e->arg[MDL_BLOCK_SECTOR];
	struct mdl_item *item = NULL, *other = NULL;

	if (!r->rwbs.flush) {
		item = find_sequenced(m, e->cpu, r->dev, sector);
		if (sector >= 0 || r->rwbs.op == MDL_OP_WRITE)
			other = find_flushed(requests, r->dev, flushed);
	}
	if (item && other && sector == 0)
		item->doubtful = other->doubtful = true;
	if (!item)
		item = other;
	return item ? item
		    : mdl_inflight_find(requests, MDL_STAGE_ISSUED, r->dev, MDL_SECTOR_NONE, r->rwbs.flush);
}

static struct mdl_item *find_completed(const struct mdl_machine *m, const struct mdl_range *r)
{
	struct mdl_item *item = mdl_which_at(&m->blocks->requests, MDL_STAGE_ISSUED, r, 0);

	if (!item)
		item = mdl_inflight_covering(&m->blocks->requests, MDL_STAGE_ISSUED, r->dev, r->start);
	return item ? item : mdl_inflight_covering(&m->blocks->requests, MDL_STAGE_QUEUED, r->dev, r->start);
}

/* ITEM is completed up to the end of R. */
static void complete_data(struct mdl_machine *m, const struct mdl_event *e, struct mdl_item *item,
	const struct mdl_range *r)
{
	struct mdl_request request = item->request;

	mdl_which_doubt(&m->blocks->requests, item, INT64_MAX);
	if (item->stage == MDL_STAGE_ISSUED)
		mdl_steps_add(&request, MDL_STEP_DEVICE, 0, m->now);
	else
		request.n_steps = 0; /* its issue was not recorded */
	set_fact(m, e, item, &request);
	item->done = MAX(item->done, r->end);
	if (item->done >= item->end && !item->preflush && !item->fua) {
		item->request = request;
		mdl_block_completed(m, item, m->now, e->cpu);
		mdl_inflight_drop(&m->blocks->requests, item);
		return;
	}
	if (item->done >= item->end) {
		item->request = request;
		mdl_inflight_move(item, MDL_STAGE_FLUSHING);
		item->written = mdl_cpu_act(m, e->cpu);
	}
	mdl_inflight_touch(&m->blocks->requests, item, m->now);
}

/* The driver's own flush, or a command without sectors. */
static void complete_own(struct mdl_machine *m, const struct mdl_event *e, struct mdl_item *item)
{
	mdl_which_doubt(&m->blocks->requests, item, INT64_MAX);
	mdl_steps_add(&item->request, MDL_STEP_DEVICE, 0, m->now);
	if (item->flush)
		mdl_flush_note(m, e->cpu, item);
	set_fact(m, e, item, &item->request);
}

/* A write without data is over, after FLUSH; NULL: the device needs none (blk_insert_flush() in
 * block/blk-flush.c). */
static void complete_flushed(struct mdl_machine *m, const struct mdl_event *e, struct mdl_item *item,
	const struct mdl_flush *flush)
{
	struct mdl_request *r = &item->request;

	mdl_which_doubt(&m->blocks->requests, item, flush ? flush->request.begin : INT64_MAX);
	mdl_steps_begin(r, flush ? flush->request.begin : m->now);
	if (flush) {
		mdl_flush_serve(item, flush, MDL_STEP_FLUSH_BEFORE, 0);
		r->issued = flush->request.issued;
		r->issuer = flush->request.issuer;
	}
	if (m->blocks->has_issues)
		mdl_steps_add(r, flush ? MDL_STEP_FLUSH_BEFORE : MDL_STEP_QUEUE, 0, m->now);
	set_fact(m, e, item, r);
}

/* ITEM's data were written before. Now it is over, after FLUSH if it needed one. */
static void complete_sequence(struct mdl_machine *m, const struct mdl_event *e, struct mdl_item *item,
	const struct mdl_flush *flush)
{
	mdl_which_doubt(&m->blocks->requests, item, INT64_MAX);
	if (item->request.n_steps > 0) {
		if (item->postflush)
			mdl_flush_serve(item, flush, MDL_STEP_FLUSH_AFTER, 0);
		mdl_steps_add(&item->request, item->postflush ? MDL_STEP_FLUSH_AFTER : MDL_STEP_DEVICE, 0,
			m->now);
	}
	set_fact(m, e, item, &item->request);
}

/* A completion of 0 sectors ends ITEM. FLUSH ended in the same context; NULL: none did. */
static void complete_dataless(struct mdl_machine *m, const struct mdl_event *e, struct mdl_item *item,
	const struct mdl_flush *flush)
{
	if (item->stage == MDL_STAGE_ISSUED)
		complete_own(m, e, item);
	else if (item->stage == MDL_STAGE_QUEUED)
		complete_flushed(m, e, item, flush);
	else
		complete_sequence(m, e, item, mdl_flush_here(m, e->cpu, item->dev, item->written.time));
	mdl_block_completed(m, item, m->now, e->cpu);
	mdl_inflight_drop(&m->blocks->requests, item);
}

/* True if ITEM, with DATA or without, was counted. */
static bool is_counted(const struct mdl_item *item, bool data)
{
	return item && (item->stage == MDL_STAGE_FLUSHING || mdl_inflight_counts(item)) &&
		!(data && item->stage == MDL_STAGE_QUEUED);
}

void mdl_complete_request(struct mdl_machine *m, const struct mdl_event *e, const struct mdl_range *r)
{
	bool data = r->start != MDL_SECTOR_NONE;
	const struct mdl_flush *flush = data || r->rwbs.flush ? NULL
							      : mdl_flush_here(m, e->cpu, r->dev, MDL_NEVER);
	struct mdl_item *item = data ? find_completed(m, r)
				     : find_dataless(m, e, r, flush ? flush->request.begin : INT64_MAX);
	struct mdl_item unseen = mdl_range_item(r, MDL_STAGE_ISSUED, m->now);

	m->blocks->queues.has_completes = true;
	if (!is_counted(item, data))
		mdl_queue_surprise(m, r->dev);
	if (!item) { /* issued before the trace, or in lost events */
		/* The end of an unrecorded sequence, or of a write without data. */
		unseen.doubtful = !data && e->arg[MDL_BLOCK_SECTOR] >= 0;
		set_fact(m, e, &unseen, &unseen.request);
		return;
	}
	mdl_inflight_move(item, item->stage); /* counted from now on */
	if (data)
		complete_data(m, e, item, r);
	else
		complete_dataless(m, e, item, flush);
}
