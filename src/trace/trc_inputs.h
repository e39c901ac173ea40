/* SPDX-License-Identifier: MIT */
/* All trace formats and their readers. */
#ifndef TRC_INPUTS_H
#define TRC_INPUTS_H

#include "trace/core/trc_input.h"

#define TRC_INPUTS_READERS 2 /* most readers of a format */

struct trc_input {
	const struct trc_input_ops *ops;
	unsigned n_readers;
	/* each leaves to the next the streams that it does not understand; the last reads all it can */
	const struct trc_source_ops *readers[TRC_INPUTS_READERS];
	const struct trc_source_ops
		*beside; /* of the traces beside a recording (struct trc_recording); NULL: none */
};

#define TRC_INPUTS 6
extern const struct trc_input trc_inputs[TRC_INPUTS];

/* The format of the trace in the folder PATH, or of the file of that path, goes to *INPUT; NULL: it is no
 * trace.  False with errno when that cannot be told.  trc_find() asks this once for each trace. */
bool trc_inputs_detect(const char *path, const struct trc_input **input);

/* Return the index of INPUT's reader NAME; n_readers if there is none. */
unsigned trc_inputs_reader(const struct trc_input *input, const char *name);

#endif
