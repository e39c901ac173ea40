/* SPDX-License-Identifier: MIT */
/* What libFuzzer's bytes are for targets that read a recording in one file: all of it. */
#ifndef WHOLE_H
#define WHOLE_H

#include "trace/core/trc_input.h"

/* Before the first call of whole_take(). */
void whole_init(void);
/*
 * Read DATA, SIZE bytes, a file of the format INPUT, by SOURCE from front to back, and packet by packet with
 * all fields: both must give the same events.
 */
void whole_take(const uint8_t *data, size_t size, const struct trc_input_ops *input,
	const struct trc_source_ops *source);

#endif
