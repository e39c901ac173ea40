/* SPDX-License-Identifier: MIT */
/* All trace formats and their readers. */
#ifndef TRC_INPUTS_H
#define TRC_INPUTS_H

#include "trace/core/trc_input.h"
#include "trace/core/trc_source.h"

#define TRC_INPUTS_READERS 2 /* most readers of a format */

struct trc_input {
	const struct trc_input_ops *ops;
	unsigned n_readers;
	/* each leaves to the next the streams that it does not understand; the last reads all it can */
	const struct trc_source_ops *readers[TRC_INPUTS_READERS];
};

#define TRC_INPUTS 3
extern const struct trc_input trc_inputs[TRC_INPUTS];

/* Return the format of the trace in the folder, or of the file, DIRECTORY; NULL if it is no trace. */
const struct trc_input *trc_inputs_detect(const char *directory);

/* Return the format of FOLDERS (see trc_folders.h), in which a trace was found before.  If it is gone, return
 * the first format, whose functions then report the error. */
const struct trc_input *trc_inputs_of(char *const *folders);

/* Return the index of INPUT's reader NAME; n_readers if there is none. */
unsigned trc_inputs_reader(const struct trc_input *input, const char *name);

#endif
