/* SPDX-License-Identifier: MIT */
/* Traces of one boot of one host: with one clock, so one of them stands for all while clocks are found. */
#ifndef SYNC_TWINS_H
#define SYNC_TWINS_H

#include "sync/sync_hosts.h"

/* The host that stands for HOST: the first of the traces of its boot, often itself. */
unsigned sync_twins_first(const struct sync_source *sources, unsigned host);
/* T of HOST by the clock of that; cut to the range of int64_t. */
int64_t sync_twins_time(const struct sync_source *sources, unsigned host, int64_t t);
/* The spans of N hosts; that of one that stands for several covers them all.  The caller frees. */
struct sync_span *sync_twins_spans(const struct sync_source *sources, const struct sync_span *spans,
	unsigned n);

/* The same, where HOSTS tell which traces are of one boot (sync_bounds_are_exact()). */
struct sync_span *sync_twins_spans_of(const struct sync_hosts *hosts, const struct sync_span *spans);

/* Give HOST, which has a twin, the clock of that, and the errors over its own SPAN. */
void sync_twins_set(struct sync_hosts *hosts, const struct sync_source *sources, unsigned host,
	const struct sync_span *span);

#endif
