/* SPDX-License-Identifier: MIT */
/* All kinds of reader there are. */
#ifndef TRC_INPUTS_H
#define TRC_INPUTS_H

#include "trace/ctf/trc_source.h"

#define TRC_INPUTS 2

/* Each leaves to the next what it does not understand; the last reads all it can. */
extern const struct trc_source_ops *const trc_inputs[TRC_INPUTS];

/* Which of them is called NAME; TRC_INPUTS: none. */
unsigned trc_inputs_find(const char *name);

#endif
