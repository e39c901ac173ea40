/* SPDX-License-Identifier: MIT */
/* Finds the events that prove an answer in the trace.  The index does not have their places.  Many are looked
 * up at once, so that each packet of the trace is read once. */
#ifndef QRY_PLACES_H
#define QRY_PLACES_H

#include "base/base_progress.h"
#include "query/qry.h"

enum qry_found {
	QRY_PLACE_UNKNOWN, /* the trace is not available */
	QRY_PLACE_ABSENT,  /* the trace has no such event */
	QRY_PLACE_FOUND,
};

/* An event to look up, and the answer. */
struct qry_place {
	uint32_t host;
	uint32_t cpu;      /* CPU that recorded it; MDL_NONE: any, and it is set once found */
	int64_t time;      /* shown time, ns */
	const char *event; /* its name in that trace; weak */
	/* Distinguishes events that are alike in all members above; 0: take the first. */
	uint64_t rank;
	enum qry_found found;
	/* If found: the file in the trace's folder.  Untrusted text, owned by the experiment. */
	const char *stream;
	int64_t packet; /* offset of its packet in the file, bytes; -1: only babeltrace2 can read it */
	int64_t offset; /* offset of the event, with its header, in the packet, bytes; -1 likewise */
	char *fields;   /* as qry_events_fields(), if asked for; the caller frees */
};

/* Look up all of PLACES (of struct qry_place), with their fields if FIELDS.  False with an error if a trace
 * cannot be read or PROGRESS (may be NULL) was cancelled; places found until then stay set.  Without FIELDS
 * it is no error if the folder of a trace is unknown. */
bool qry_places_find(struct qry *q, GArray *places, bool fields, struct base_progress *progress,
	GError **error);

#endif
