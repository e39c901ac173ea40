/* SPDX-License-Identifier: MIT */
/*
 * Chrome's trace events ("Trace Event Format", N. Duca and D. Sinclair), as Perfetto's trace processor
 * imports them (src/trace_processor/importers/json): complete events on tracks, metadata that names these,
 * and flows. Inside the library only.
 */
#ifndef EXP_PERFETTO_H
#define EXP_PERFETTO_H

#include "export/exp.h"

struct exp_perfetto {
	GString *out;          /* weak */
	struct exp_file *file; /* weak; takes it; NULL: nothing does */
	int64_t zero;          /* the time that is 0 there */
	uint32_t n_hosts, n_flows;
};

/* Begin with the hosts of Q, each a process. */
struct exp_perfetto exp_perfetto_begin(GString *out, const struct qry *q, const struct exp_options *o,
	int64_t zero);
/* TRACK (0, 1, …, each once) of HOST is called NAME. */
void exp_perfetto_track(struct exp_perfetto *p, uint32_t host, uint32_t track, const char *name);
/* What it did from FROM to TO, ns; those of a track do not overlap.  ARGS (base_json_object(), taken over;
 * NULL: none) tells more. */
void exp_perfetto_slice(struct exp_perfetto *p, uint32_t host, uint32_t track, int64_t from, int64_t to,
	const char *name, GString *args);
/* An end of a flow: an instant at which the track has a slice, which was written before. */
struct exp_perfetto_end {
	uint32_t host, track;
	int64_t at;
};
void exp_perfetto_flow(struct exp_perfetto *p, const char *name, struct exp_perfetto_end from,
	struct exp_perfetto_end to);
void exp_perfetto_finish(struct exp_perfetto *p, const struct exp_options *o);

#endif
