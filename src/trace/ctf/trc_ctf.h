/* SPDX-License-Identifier: MIT */
/* CTF, and the decoder of the project's own. */
#ifndef TRC_CTF_H
#define TRC_CTF_H

#include "trace/core/trc_input.h"
#include "trace/core/trc_source.h"
#include "trace/ctf/trc_survey.h"

/* What the input's survey() gives to the readers of CTF. */
struct trc_ctf_trace {
	struct trc_survey *survey; /* owned */
	struct trc_places *places; /* owned */
};

extern const struct trc_input_ops trc_ctf_input;
extern const struct trc_source_ops trc_ctf_ops;
extern const struct trc_paging_ops trc_ctf_paging; /* its pages */

#endif
