/* SPDX-License-Identifier: MIT */
/* Fuzz targets that read a recording in one file: the input is the whole file. */
#ifndef WHOLE_H
#define WHOLE_H

#include "trace/core/trc_input.h"

/* Define a target: any bytes as a file of the format INPUT, read by SOURCE. */
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

/* Call this once, before whole_take(). */
void whole_init(void);
/*
 * Read DATA, SIZE bytes, a file of the format INPUT, by SOURCE from front to back, and packet by packet with
 * all fields.  Abort unless both give the same events.
 */
void whole_take(const uint8_t *data, size_t size, const struct trc_input_ops *input,
	const struct trc_source_ops *source);

#endif
