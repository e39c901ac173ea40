/* SPDX-License-Identifier: MIT */
/*
 * Sources: RWBS_FLAG_… in lttng-modules include/instrumentation/events/block.h;
 * blk_fill_rwbs() in kernel/trace/blktrace.c, whose text perf records.
 */
#include "model/mdl_rwbs.h"

#include <string.h>

enum { WRITE = 1, DISCARD = 2, READ = 4, FLUSH = 1 << 8, FUA = 1 << 9, PREFLUSH = 1 << 10 };

static struct mdl_rwbs from_bits(int64_t bits)
{
	/* Before Linux 4.8 there was no operation FLUSH, but a flag of that name with the meaning of
	 * PREFLUSH. */
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

struct mdl_rwbs mdl_rwbs_read(int64_t bits, const char *text)
{
	if (bits != MDL_ARG_ABSENT)
		return from_bits(bits);
	return text ? from_text(text) : (struct mdl_rwbs){ .op = MDL_OP_UNKNOWN };
}
