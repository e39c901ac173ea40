/* SPDX-License-Identifier: MIT */
/*
 * How it works: flushes of a device's cache (block/blk-flush.c, proofs.md R4.6).
 *
 * The kernel executes a write with PREFLUSH or FUA to a device with a cache as a sequence: flush, data,
 * flush. A write joins a list of pending ones, and blk_kick_flush() issues one flush request, without
 * sectors, for all that are pending then. At its completion flush_end_io() moves each of them to its next
 * step:
 *
 *   - The data are issued, later and by another actor. Their events do not name the flush, but the flush was
 *     issued after the write was queued, and completed before the data were issued. If exactly one flush
 *     fits, it is proved. If several fit (each hardware queue has a flush request, and a write may miss the
 *     list), the last one is taken, inferred: no other flush is issued between the flush of a write and its
 *     data.
 *   - Or the write is over: flush_end_io() completes it with 0 sectors. So it waited for the last flush that
 *     was completed in the same context: proved.
 *
 * A device without a cache, or with write-through, needs no flush, and there is none.
 *
 * A device above (dm, md) flushes the device below by a write of its own before it passes on the data
 * (__send_empty_flush() of drivers/md/dm.c). It may have to wait for other devices, too: inferred.
 */
#include "model/block/flush.h"

#include "model/block/block.h"
#include "model/core/cpu.h"

void mdl_flush_note(struct mdl_machine *m, uint32_t cpu, const struct mdl_item *item)
{
	struct mdl_blocks *b = m->blocks;
	struct mdl_flush *flush = &b->flushes[b->n_flushes % MDL_FLUSHES_KEPT];

	if (item->request.n_steps == 0) /* its issue was not recorded */
		return;
	b->n_flushes++;
	flush->request = item->request;
	flush->request.doubts = item->doubtful ? MDL_DOUBT(ALIKE) : 0;
	flush->request.completed = m->now;
	flush->act = mdl_cpu_act(m, cpu);
}

void mdl_flush_serve(struct mdl_item *item, const struct mdl_flush *flush, enum mdl_step_what what,
	mdl_doubts doubts)
{
	const struct mdl_request *f = &flush->request;

	doubts |= f->doubts;
	mdl_steps_add(&item->request, MDL_STEP_QUEUE, doubts, f->begin);
	for (unsigned i = 0; i < f->n_steps; i++) {
		enum mdl_step_what step = f->steps[i].what == MDL_STEP_DEVICE ? what : f->steps[i].what;

		mdl_steps_add(&item->request, step, doubts | f->steps[i].doubts, f->steps[i].to);
	}
}

/* The last flush (I = 0), or the one I before it; NULL: not kept any more. */
static const struct mdl_flush *flush_at(const struct mdl_blocks *b, unsigned i)
{
	return i < b->n_flushes && i < MDL_FLUSHES_KEPT
		? &b->flushes[(b->n_flushes - 1 - i) % MDL_FLUSHES_KEPT]
		: NULL;
}

void mdl_flush_before(const struct mdl_machine *m, struct mdl_item *item)
{
	const struct mdl_flush *found = NULL, *flush;
	mdl_doubts doubts = item->stacked ? MDL_DOUBT(ALIKE) : 0;

	for (unsigned i = 0;
		(flush = flush_at(m->blocks, i)) && flush->request.completed > item->request.begin; i++) {
		if (flush->request.dev != item->dev || flush->request.begin < item->request.begin)
			continue;
		if (found)
			doubts = MDL_DOUBT(ALIKE);
		else
			found = flush;
	}
	if (!flush && m->blocks->n_flushes > MDL_FLUSHES_KEPT) /* older ones were overwritten */
		doubts = MDL_DOUBT(ALIKE);
	if (found)
		mdl_flush_serve(item, found, MDL_STEP_FLUSH_BEFORE, doubts);
}

bool mdl_flush_same(const struct mdl_act *a, const struct mdl_act *b)
{
	return a->cpu == b->cpu && a->context == b->context && a->entry == b->entry && a->thread == b->thread;
}

const struct mdl_flush *mdl_flush_here(struct mdl_machine *m, uint32_t cpu, uint32_t dev, int64_t since)
{
	struct mdl_act here = mdl_cpu_act(m, cpu);
	const struct mdl_flush *flush;

	for (unsigned i = 0; (flush = flush_at(m->blocks, i)); i++)
		if (flush->request.dev == dev && mdl_flush_same(&flush->act, &here))
			return flush->request.begin >= since ? flush : NULL;
	return NULL;
}
