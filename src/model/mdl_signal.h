/* SPDX-License-Identifier: MIT */
/* Signals, and the wake-ups that were theirs: private to src/model. */
#ifndef MDL_SIGNAL_H
#define MDL_SIGNAL_H

#include "model/mdl_event.h"

struct mdl_cpu;
struct mdl_machine;
struct mdl_thread;

/* CPU sent a wake-up to T just now. */
void mdl_signal_woken(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t);
void mdl_signal_generate(struct mdl_machine *m, const struct mdl_event *e);
/* C went on: the wake-ups that it sent last are no signal's. */
void mdl_signal_pass(struct mdl_machine *m, struct mdl_cpu *c);

#endif
