/* SPDX-License-Identifier: MIT */
/* Signals, and the wake-ups that they caused: private to src/model. */
#ifndef MDL_SIGNAL_H
#define MDL_SIGNAL_H

#include "model/event/event.h"

struct mdl_cpu;
struct mdl_machine;
struct mdl_thread;

void mdl_signal_generate(struct mdl_machine *m, const struct mdl_event *e);

#endif
