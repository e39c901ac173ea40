/* SPDX-License-Identifier: MIT */
/* The meaning of the bits of prev_state, which differs between kernels, from sched_switch's own "print
 * fmt". */
#ifndef TRC_FORMAT_STATES_H
#define TRC_FORMAT_STATES_H

#include <stdint.h>

struct trc_format_states;

/* Parse FORMAT, the line "print fmt: …" of an event, for the meaning of prev_state.  Free with g_free().
 * NULL if it says nothing. */
struct trc_format_states *trc_format_states_new(const char *format);
/* Convert PREV_STATE to MDL_PREV_… (mdl_event.h). */
int64_t trc_format_states_read(const struct trc_format_states *s, uint64_t prev_state);

#endif
