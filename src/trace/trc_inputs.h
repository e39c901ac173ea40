/* SPDX-License-Identifier: MIT */
/* All formats of traces there are, and who reads them. */
#ifndef TRC_INPUTS_H
#define TRC_INPUTS_H

#include "trace/core/trc_input.h"
#include "trace/core/trc_source.h"

#define TRC_INPUTS_READERS 2 /* most readers that a format has */

struct trc_input {
	const struct trc_input_ops *ops;
	unsigned n_readers;
	const struct trc_source_ops *readers[TRC_INPUTS_READERS]; /* each leaves to the next what it does not
								     understand; the last reads all it can */
};

#define TRC_INPUTS 3
extern const struct trc_input trc_inputs[TRC_INPUTS];

/* The format of the trace in DIRECTORY, or of the file of that path; NULL: it holds none. */
const struct trc_input *trc_inputs_detect(const char *directory);

/* The same for FOLDERS (as trc_folders.h says), which were found to hold one: the first format, to say what
 * is wrong, when they do not any more. */
const struct trc_input *trc_inputs_of(char *const *folders);

/* Which of INPUT's readers is called NAME; its n_readers: none. */
unsigned trc_inputs_reader(const struct trc_input *input, const char *name);

#endif
