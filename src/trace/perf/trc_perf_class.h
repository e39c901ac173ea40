/* SPDX-License-Identifier: MIT */
/* Converts records of perf to model events, and to text. */
#ifndef TRC_PERF_CLASS_H
#define TRC_PERF_CLASS_H

#include "trace/core/trc_paging.h"
#include "trace/core/trc_queue.h"
#include "trace/perf/trc_perf_head.h"

/* True if the recording has all events of A.  SOME_THREADS: only some threads were recorded. */
bool trc_perf_class_is_whole(const struct trc_perf_attr *a, bool some_threads);

/* Data that the model needs from the samples of each attr of H, which must outlive the result. */
struct trc_perf_classes;
struct trc_perf_classes *trc_perf_classes_new(const struct trc_perf_head *h, bool some_threads);
/* Return the first attr that has all switches; the end of the array of attrs if there is none. */
const struct trc_perf_attr *trc_perf_classes_switch(const struct trc_perf_classes *c);
void trc_perf_classes_free(struct trc_perf_classes *c);
/* Return the kind of the samples of A; MDL_EV_NONE if the model does not use them. */
enum mdl_kind trc_perf_class_kind(const struct trc_perf_classes *c, const struct trc_perf_attr *a);
/* Fill in EVENT, which was just added to Q, from SAMPLE, a record of A. */
void trc_perf_class_read(const struct trc_perf_classes *c, const struct trc_perf_attr *a, struct trc_queue *q,
	struct mdl_event *event, const struct trc_perf_sample *sample);

/* Return the TID of the thread that RECORD, a COMM, is about. */
int64_t trc_perf_class_tid(const struct trc_perf_record *record);
/* Fill in EVENT, an aside of Q, from RECORD, which is about a thread.  BEFORE: it describes the state before
 * the recording, not something that happens. */
void trc_perf_class_task(struct mdl_event *event, struct trc_queue *q, const struct trc_perf_record *record,
	bool before);

/* Append the fields of SAMPLE, a record of A, to TO, and pass each to TAKER (may be NULL), as of
 * trc_paging_ops.fields; with the names that perf data convert uses. */
void trc_perf_class_fields(const struct trc_perf_attr *a, const struct trc_bytes *sample, GString *to,
	const struct trc_taker *taker);

#endif
