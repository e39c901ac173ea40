/* SPDX-License-Identifier: MIT */
/* From records of perf to model events, and to text. */
#ifndef TRC_PERF_CLASS_H
#define TRC_PERF_CLASS_H

#include "trace/core/trc_paging.h"
#include "trace/core/trc_queue.h"
#include "trace/perf/trc_perf_head.h"

/* Does the recording, SOME_THREADS: of some threads alone, tell all events of A? */
bool trc_perf_class_is_whole(const struct trc_perf_attr *a, bool some_threads);

/* What the model wants of the samples of each attr of H, which outlives it. */
struct trc_perf_classes;
struct trc_perf_classes *trc_perf_classes_new(const struct trc_perf_head *h, bool some_threads);
/* The first attr that tells all switches; one behind all, where none does. */
const struct trc_perf_attr *trc_perf_classes_switch(const struct trc_perf_classes *c);
void trc_perf_classes_free(struct trc_perf_classes *c);
/* The kind of the samples of A; MDL_EV_NONE: they tell the model nothing. */
enum mdl_kind trc_perf_class_kind(const struct trc_perf_classes *c, const struct trc_perf_attr *a);
/* Fill in EVENT, which was just added to Q, from SAMPLE, a record of A. */
void trc_perf_class_read(const struct trc_perf_classes *c, const struct trc_perf_attr *a, struct trc_queue *q,
	struct mdl_event *event, const struct trc_perf_sample *sample);

/* TID of the thread that RECORD, a COMM, is about. */
int64_t trc_perf_class_tid(const struct trc_perf_record *record);
/* Fill in EVENT, an aside of Q, from RECORD, which is about a thread.  BEFORE: it tells how things were
 * before, and not what happened. */
void trc_perf_class_task(struct mdl_event *event, struct trc_queue *q, const struct trc_perf_record *record,
	bool before);

/* Append the fields of SAMPLE, a record of A, to TO, and give each to TAKER (may be NULL), as
 * trc_paging_ops.fields says; by the names that perf data convert gives them. */
void trc_perf_class_fields(const struct trc_perf_attr *a, const struct trc_bytes *sample, GString *to,
	const struct trc_taker *taker);

#endif
