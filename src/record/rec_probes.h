/* SPDX-License-Identifier: MIT */
/* Probes of programs and of the kernel, as events of tracefs (Documentation/trace/uprobetracer.rst,
 * kprobetrace.rst). */
#ifndef REC_PROBES_H
#define REC_PROBES_H

#include "record/rec.h"

struct rec_probes;

/* Find all probes of WISH.  OWNER (of rec_name_new()) becomes part of their names in the kernel; NULL: they
 * are for another kernel.  If they differ from WISH and *NOTE is NULL, *NOTE (the caller frees) becomes one
 * difference.  NULL with BASE_ERROR_USAGE. */
struct rec_probes *rec_probes_new(const struct rec_wish *wish, const char *owner, char **note,
	GError **error);
/* Free PROBES (may be NULL).  Those in the kernel stay: rec_probes_remove() removes them. */
void rec_probes_free(struct rec_probes *probes);

/* Append the events of PROBES to EVENTS (of char *, "group:name"). */
void rec_probes_add_events(const struct rec_probes *probes, GPtrArray *events);
/* True if EVENTS has all events of PROBES (NULL: none).  BASE_ERROR_USAGE names one that it lacks. */
bool rec_probes_are_in(const struct rec_probes *probes, const GPtrArray *events, GError **error);
/* Append to OUT the commands that make (MAKE) or remove PROBES by hand, one per line. */
void rec_probes_tell(const struct rec_probes *probes, bool make, GString *out);

/* Make PROBES in the kernel.  False with BASE_ERROR_USAGE; then none is left. */
bool rec_probes_make(const struct rec_probes *probes, GError **error);
/* Remove PROBES; no instance may record them any more.  False with BASE_ERROR_IO if one stays. */
bool rec_probes_remove(const struct rec_probes *probes, GError **error);

/* Return the groups of the probes that killed recordings left in the kernel, a new array of char *; the
 * caller unrefs. */
GPtrArray *rec_probes_left(void);
/* Remove the probes of those groups that are not in use.  False with BASE_ERROR_IO if one stays. */
bool rec_probes_clean(GError **error);

#endif
