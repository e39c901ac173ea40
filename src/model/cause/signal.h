/* SPDX-License-Identifier: MIT */
/* Signals, and the wake-ups that they caused: private to src/model. */
#ifndef MDL_SIGNAL_H
#define MDL_SIGNAL_H

#include "model/event/event.h"

struct mdl_cpu;
struct mdl_machine;
struct mdl_thread;

/* CPU has just sent a wake-up to T. */
void mdl_signal_woken(struct mdl_machine *m, uint32_t cpu, const struct mdl_thread *t);
void mdl_signal_generate(struct mdl_machine *m, const struct mdl_event *e);
/* C went on: no signal caused the wake-ups that it sent last. */
void mdl_signal_pass(struct mdl_machine *m, struct mdl_cpu *c);

#endif
