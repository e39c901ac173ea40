/* SPDX-License-Identifier: MIT */
/* What the bits of prev_state mean, which differs from kernel to kernel: as sched_switch's own "print fmt"
 * tells. */
#ifndef TRC_FORMAT_STATES_H
#define TRC_FORMAT_STATES_H

#include <stdint.h>

struct trc_format_states;

/* What FORMAT, the line "print fmt: …" of an event, tells of prev_state; for g_free().  NULL: nothing. */
struct trc_format_states *trc_format_states_new(const char *format);
/* PREV_STATE in MDL_PREV_ (mdl_event.h). */
int64_t trc_format_states_read(const struct trc_format_states *s, uint64_t prev_state);

#endif
