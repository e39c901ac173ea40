/* SPDX-License-Identifier: MIT */
/* The file of a trace's spans, made on first use. */
#ifndef ING_SPANS_H
#define ING_SPANS_H

#include "base/base_progress.h"
#include "model/mdl_span.h"
#include "trace/core/trc_folders.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Read RECORDING with READER, as the index names who read it, once more
 * and write the file FILE (index/spans/spans.h); TRACER says of each of ROWS rows of the index whether it is a
 * thread of the tracer's; FOUND (NULL: nobody) is told, with DATA, of each span as it is found.
 * BASE_ERROR_DATA when it has another fingerprint than FINGERPRINT, that of its index; BASE_ERROR_IO when
 * FILE cannot be written; BASE_ERROR_CANCELLED when PROGRESS (may be NULL) was: then nothing half-made is
 * left.
 */
bool ing_spans_make(const struct trc_recording *recording, const char *fingerprint, const char *reader,
	const char *file, const bool *tracer, uint32_t rows, mdl_span_visit *found, void *data,
	struct base_progress *progress, GError **error);

#endif
