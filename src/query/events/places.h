/* SPDX-License-Identifier: MIT */
/*
 * Where in the trace an event is that an answer rests on.  No index holds this: it is looked up when it is
 * asked for, many at once, so that each packet of the trace is read once.
 */
#ifndef QRY_PLACES_H
#define QRY_PLACES_H

#include "base/base_progress.h"
#include "query/qry.h"

enum qry_found {
	QRY_PLACE_UNKNOWN, /* the trace is not at hand */
	QRY_PLACE_ABSENT,  /* the trace has no such event */
	QRY_PLACE_FOUND,
};

/* An event that is asked for, and the answer. */
struct qry_place {
	uint32_t host;
	uint32_t cpu;      /* where it was recorded; MDL_NONE: anywhere, and set when it is found */
	int64_t time;      /* shown */
	const char *event; /* its name in that trace; weak */
	uint64_t rank;     /* tells events apart that are alike in all of this; 0: the first will do */
	enum qry_found found;
	const char *stream; /* found: the file in the trace's folder; hostile, owned by the experiment */
	int64_t packet; /* where its packet begins in the file; -1: only babeltrace2 can read it (bytes) */
	int64_t offset; /* where it begins in the packet, with its header; -1 (bytes) */
	char *fields;   /* as qry_events_fields(), where asked for; the caller frees */
};

/*
 * Look up all of PLACES (of struct qry_place), with their fields if FIELDS.  False with an error when a trace
 * cannot be read, or when PROGRESS (may be NULL) was cancelled; what was found until then stands.  Without
 * FIELDS a trace whose folder was not told is no error.
 */
bool qry_places_find(struct qry *q, GArray *places, bool fields, struct base_progress *progress,
	GError **error);

#endif
