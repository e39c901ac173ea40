/* SPDX-License-Identifier: MIT */
/* The file of a trace's spans, made on first use. */
#ifndef ING_SPANS_H
#define ING_SPANS_H

#include "base/base_progress.h"
#include "model/mdl_span.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Read the trace in FOLDERS (see trc_folders.h) again with READER (the reader that the index names), and
 * write the spans to FILE (index/idx_spans.h).  TRACER tells for each of the ROWS rows of the index whether
 * its thread belongs to the tracer.  FOUND (may be NULL) is called with DATA for each span as it is found.
 *
 * False with BASE_ERROR_DATA if the trace no longer has FINGERPRINT, that of its index; BASE_ERROR_IO if FILE
 * cannot be written; BASE_ERROR_CANCELLED if PROGRESS (may be NULL) was cancelled.  No unfinished file
 * remains.
 */
bool ing_spans_make(char *const *folders, const char *fingerprint, const char *reader, const char *file,
	const bool *tracer, uint32_t rows, mdl_span_visit *found, void *data, struct base_progress *progress,
	GError **error);

#endif
