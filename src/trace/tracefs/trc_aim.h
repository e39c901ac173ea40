/* SPDX-License-Identifier: MIT */
/* Which CPU a thread is to run on, as the scheduler's events tell: who is put there runs soon, and where that
 * CPU was idle, a switch follows at once.  So a CPU that is named and has no events is one that is not
 * recorded. */
#ifndef TRC_AIM_H
#define TRC_AIM_H

#include "trace/tracefs/trc_bytes.h"
#include "trace/tracefs/trc_format.h"

/* The field of EVENT that tells that CPU; NULL: none does.  WAKING: that of sched_waking is taken for it,
 * though the thread may still be moved (try_to_wake_up(), kernel/sched/core.c). */
const struct trc_format_field *trc_aim_field(const struct trc_format_event *event, bool waking);
/* The CPU that FIELD of RECORD tells, LIMIT at most; LIMIT where RECORD is too short, too. */
uint32_t trc_aim_cpu(const struct trc_format_field *field, const struct trc_bytes *record, uint32_t limit);

#endif
