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
 * Read RECORDING again with READER, the reader that the index names, and write FILE (index/spans/spans.h).
 * TRACER: for each of the ROWS rows of the index, true if it is a thread of the tracer.  FOUND (may be NULL)
 * gets each span, with DATA, when it is found.  BASE_ERROR_DATA if its fingerprint is not FINGERPRINT, that
 * of its index; BASE_ERROR_IO if FILE cannot be written; BASE_ERROR_CANCELLED if PROGRESS (may be NULL) was
 * cancelled. After a failure no file is left.
 */
bool ing_spans_make(const struct trc_recording *recording, const char *fingerprint, const char *reader,
	const char *file, const bool *tracer, uint32_t rows, mdl_span_visit *found, void *data,
	struct base_progress *progress, GError **error);

#endif
