/* SPDX-License-Identifier: MIT */
/* What libFuzzer's bytes are for targets that read a recording in one file: all of it. */
#ifndef WHOLE_H
#define WHOLE_H

#include "trace/core/trc_input.h"

/* A target: any bytes as a file of the format INPUT, read by SOURCE. */
#define WHOLE_TARGET(INPUT, SOURCE)                                                   \
	int LLVMFuzzerInitialize(int *argc, char ***argv);                            \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);                 \
	int LLVMFuzzerInitialize(G_GNUC_UNUSED int *argc, G_GNUC_UNUSED char ***argv) \
	{                                                                             \
		whole_init();                                                         \
		return 0;                                                             \
	}                                                                             \
	int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                  \
	{                                                                             \
		whole_take(data, size, INPUT, SOURCE);                                \
		return 0;                                                             \
	}

/* Before the first call of whole_take(). */
void whole_init(void);
/*
 * Read DATA, SIZE bytes, a file of the format INPUT, by SOURCE from front to back, and packet by packet with
 * all fields: both must give the same events.
 */
void whole_take(const uint8_t *data, size_t size, const struct trc_input_ops *input,
	const struct trc_source_ops *source);

#endif
