/* SPDX-License-Identifier: MIT */
/*
 * Many events of an experiment, first to last, with some of their fields. Events, order and numbers are those
 * of qry_events_step() (events.h), but each packet is read once, events with other names are skipped, and
 * only the wanted fields are decoded. Memory does not depend on the number of events.
 */
#ifndef QRY_SCAN_H
#define QRY_SCAN_H

#include "query/events/events.h"

struct qry_scan;

/* The facts that a scan reads of each event beside its host, time, CPU and name.  All of it is copied. */
struct qry_scan_want {
	const char *const *fields; /* names of N_FIELDS different fields; NULL: none */
	unsigned n_fields;
	bool rank;   /* the number of the event; else 0: with a filter by CPU, other CPUs are not read then */
	bool thread; /* the thread that ran; else MDL_NONE, unless the filter is by thread */
};

/* Open the traces for the events that FILTER selects (see there what must outlive the scan).  NULL as
 * qry_events_new().  Scans of one experiment may be open together, in one thread. */
struct qry_scan *qry_scan_new(struct qry *q, const struct qry_events_filter *filter,
	const struct qry_scan_want *want, GError **error);
void qry_scan_free(struct qry_scan *s);

/* Read the next event into *EVENT. Returns 1; 0 at the end; -1 with an error, as qry_events_step(). */
int qry_scan_next(struct qry_scan *s, struct qry_event *event, struct base_progress *progress,
	GError **error);

/*
 * The values of the wanted fields, in their order, of the event that qry_scan_next() read last;
 * TRC_VALUE_NONE for a field that it does not have. If several fields have one name, the last one counts,
 * which is in the event itself and not in its context. Texts are hostile. Valid until the next call for S.
 * NULL with an error.
 */
const struct trc_value *qry_scan_values(struct qry_scan *s, GError **error);

/* Set the thread of the last event, *EVENT, for a scan that does not find it for each. False: error. */
bool qry_scan_thread(struct qry_scan *s, struct qry_event *event, GError **error);

/* All fields of that event, as qry_events_fields(); valid until the next call for S.  NULL with an error. */
const char *qry_scan_text(struct qry_scan *s, GError **error);

/* Pass each field of that event to TAKER.  False with an error. */
bool qry_scan_take(struct qry_scan *s, const struct trc_taker *taker, GError **error);

/* ---- types of events ---- */

struct qry_scan_field {
	const char *name; /* as the trace has it: hostile; owned by the type */
	/* Not TRC_VALUE_NONE.  Of several types the widest: text, real, signed, unsigned. */
	enum trc_value_type type;
};

/* The events of one name. */
struct qry_scan_type {
	char *name;     /* sanitised, as in struct qry_event */
	GArray *fields; /* of struct qry_scan_field, those of contexts first; each name once */
};

/*
 * The types of events of HOST (MDL_NONE: of all hosts): an array of struct qry_scan_type *, by name. The
 * caller unrefs. CTF and trace.dat describe all types, also those without events, but not the stacks that
 * ftrace writes after its events. Of other formats all events are read, and the fields of a type are those of
 * its first events: a field that only later ones have is missing. NULL as qry_events_step().
 */
GPtrArray *qry_scan_types(struct qry *q, uint32_t host, struct base_progress *progress, GError **error);

#endif
