/* SPDX-License-Identifier: MIT */
/* Making and filling struct trc_info; for the readers only. */
#ifndef TRC_INFO_H
#define TRC_INFO_H

#include "trace/trc_reader.h"

/* PATH is copied.  All else is empty or unknown. */
struct trc_info *trc_info_new(const char *path);
void trc_info_free(struct trc_info *info);

/* Replace *SLOT, one of the texts of an info, by a cleaned copy of TEXT (NULL: leave it). */
void trc_info_set_text(char **slot, const char *text);

/* Where times come from: a clock of FREQUENCY whose 0 is ZERO ns after the Epoch.  UUID is left out when it is not one, or all 0. */
void trc_info_set_clock(struct trc_info *info, const char *uuid, uint64_t frequency, int64_t zero);

/* Add one line to the warnings; it is cleaned, so arguments may come from the trace. */
void trc_info_warn(struct trc_info *info, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Remember that the metadata declares the event class NAME. */
void trc_info_add_class(struct trc_info *info, const char *name);

/* Remember that the trace has the folder PATH, whose packets are between FROM and TO (ns, BASE_TIME_NONE unknown). */
void trc_info_add_chunk(struct trc_info *info, const char *path, int64_t from, int64_t to);

/* Let INFO and its chunks begin at INFO->floor, where they would begin before. */
void trc_info_begin_at_floor(struct trc_info *info);

/* Remember a stretch without events (not beyond TRC_GAPS_KEPT). */
void trc_info_add_gap(struct trc_info *info, uint32_t cpu, int64_t from, int64_t to, uint64_t count);

/* Add to INFO what PART, that of one of its streams, says of losses, CPUs and damage. */
void trc_info_absorb(struct trc_info *info, const struct trc_info *part);

/* Put the tracer's text together from its parts, each may be NULL: "lttng-modules 2.13.9". */
void trc_info_set_tracer(struct trc_info *info, const char *name, const char *version);

/* Say at the end of the trace, once and with counts, what was lost or wrong. */
void trc_info_summarise(struct trc_info *info);

#endif
