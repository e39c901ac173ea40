/* SPDX-License-Identifier: MIT */
/* Sources of the field rwbs: RWBS_FLAG_… in lttng-modules include/instrumentation/events/block.h;
 * blk_fill_rwbs() in kernel/trace/blktrace.c, whose text perf records. */
#include "model/block/range.h"

#include "model/block/block.h"
#include "model/core/frame.h"

#include <string.h>

enum { WRITE = 1, DISCARD = 2, READ = 4, FLUSH = 1 << 8, FUA = 1 << 9, PREFLUSH = 1 << 10 };

static struct mdl_rwbs from_bits(int64_t bits)
{
	/* Before Linux 4.8 there was no operation FLUSH, but a flag of that name that meant PREFLUSH. */
	struct mdl_rwbs r = { .flush = bits & FLUSH && !(bits & WRITE),
		.preflush = bits & (FLUSH | PREFLUSH),
		.fua = bits & FUA };

	if (r.flush)
		r.op = MDL_OP_FLUSH;
	else if (bits & WRITE)
		r.op = MDL_OP_WRITE;
	else if (bits & DISCARD)
		r.op = MDL_OP_DISCARD;
	else if (bits & READ)
		r.op = MDL_OP_READ;
	else
		r.op = MDL_OP_OTHER;
	return r;
}

/* "[F]OP[E][F][A][S][M]" */
static struct mdl_rwbs from_text(const char *text)
{
	static const char letters[] = "WDRFN";
	static const uint8_t ops[] = { MDL_OP_WRITE, MDL_OP_DISCARD, MDL_OP_READ, MDL_OP_FLUSH,
		MDL_OP_OTHER };
	bool preflush = text[0] == 'F' && text[1] != '\0' && strchr(letters, text[1]);
	const char *op = text + preflush;
	const char *letter = *op != '\0' ? strchr(letters, *op) : NULL;
	struct mdl_rwbs r = { .op = letter ? ops[letter - letters] : MDL_OP_OTHER };

	r.flush = r.op == MDL_OP_FLUSH;
	r.preflush = preflush;
	r.fua = *op != '\0' && strchr(op + 1, 'F');
	return r;
}

struct mdl_rwbs mdl_range_rwbs(int64_t bits, const char *text)
{
	if (bits != MDL_ARG_ABSENT)
		return from_bits(bits);
	return text ? from_text(text) : (struct mdl_rwbs){ .op = MDL_OP_UNKNOWN };
}

/* True if an event of KIND is about a request that the driver has or gets. */
static bool is_drivers(unsigned kind)
{
	return kind == MDL_EV_RQ_ISSUE || kind == MDL_EV_RQ_REQUEUE || kind == MDL_EV_RQ_COMPLETE;
}

bool mdl_range_read(const struct mdl_machine *m, const struct mdl_event *e, struct mdl_range *r)
{
	int64_t dev = e->arg[MDL_BLOCK_DEV], sector = e->arg[MDL_BLOCK_SECTOR], n = e->arg[MDL_BLOCK_SECTORS];
	int64_t bytes = e->arg[MDL_BLOCK_BYTES];

	if (dev < 0 || dev > UINT32_MAX || sector == MDL_ARG_ABSENT || n < 0 || n > UINT32_MAX)
		return false;
	*r = (struct mdl_range){ .dev = mdl_disk_of(m, (uint32_t)dev),
		.start = MDL_SECTOR_NONE,
		.end = MDL_SECTOR_NONE };
	r->rwbs = mdl_range_rwbs(e->arg[MDL_BLOCK_RWBS], e->text[0]);
	/* A write that asks for a flush reaches the driver without that flag, and a write without data does
	 * not reach it (block/flush.c). */
	if (n == 0 && r->rwbs.preflush && is_drivers(e->kind))
		r->rwbs.flush = true, r->rwbs.op = MDL_OP_FLUSH;
	/* Drivers' own requests have no position, but their completions count the data as sectors
	 * (blk_mq_rq_ctx_init() in block/blk-mq.c; __sector is −1). */
	if (sector == -1)
		n = 0;
	if (n > 0 && (sector < 0 || sector > INT64_MAX - n))
		return false;
	if (n > 0) {
		r->start = (uint64_t)sector;
		r->end = r->start + (uint64_t)n;
	}
	r->bytes = n > 0 || bytes < 0 ? (uint64_t)n * MDL_SECTOR_BYTES : (uint64_t)bytes;
	return true;
}

/* The operation of R. A write without data, for the flush before it, is an fsync() that had nothing left to
 * write. */
static uint8_t op_of(const struct mdl_range *r)
{
	bool dataless = r->start == MDL_SECTOR_NONE && r->rwbs.op == MDL_OP_WRITE;

	return dataless && (r->rwbs.preflush || r->rwbs.fua) ? MDL_OP_FLUSH : r->rwbs.op;
}

struct mdl_item mdl_range_item(const struct mdl_range *r, enum mdl_stage stage, int64_t now)
{
	return (struct mdl_item){
		.dev = r->dev, .start = r->start, .end = r->end, .done = r->start, .stage = (uint8_t)stage,
		.preflush = r->rwbs.preflush && !r->rwbs.flush, .fua = r->rwbs.fua, .flush = r->rwbs.flush, .heard = now,
		.written.time = MDL_NEVER,
		.first_issued = MDL_NEVER,
		.request = {
			.dev = r->dev, .sector = r->start, .bytes = r->bytes, .op = op_of(r),
			.queued = MDL_NEVER, .inserted = MDL_NEVER, .issued = MDL_NEVER, .completed = MDL_NEVER,
			.submitter.time = MDL_NEVER, .issuer.time = MDL_NEVER, .begin = MDL_NEVER,
		},
	};
}
