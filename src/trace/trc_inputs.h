/* SPDX-License-Identifier: MIT */
/* All trace formats and their readers. */
#ifndef TRC_INPUTS_H
#define TRC_INPUTS_H

#include "trace/core/trc_input.h"

#define TRC_INPUTS_READERS 2 /* most readers of a format */

struct trc_input {
	const struct trc_input_ops *ops;
	unsigned n_readers;
	/* streams that one reader does not understand go to the next; the last one reads all that it can */
	const struct trc_source_ops *readers[TRC_INPUTS_READERS];
	const struct trc_source_ops
		*beside; /* reader of the traces beside a recording (struct trc_recording); NULL: none */
};

#define TRC_INPUTS 6
extern const struct trc_input trc_inputs[TRC_INPUTS];

/* Set *INPUT to the format of the folder or file PATH; NULL: it is no trace. False with errno if PATH cannot
 * be read. trc_find() calls this once for each trace. */
bool trc_inputs_detect(const char *path, const struct trc_input **input);

/* Return the index of INPUT's reader NAME; n_readers if there is none. */
unsigned trc_inputs_reader(const struct trc_input *input, const char *name);

#endif
