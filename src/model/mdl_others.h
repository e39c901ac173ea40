/* SPDX-License-Identifier: MIT */
/* What other CPUs do meanwhile: private to src/model. */
#ifndef MDL_OTHERS_H
#define MDL_OTHERS_H

#include "model/mdl_types.h"

struct mdl_machine;

/*
 * May another CPU than number CPU have completed a request since FIRST, but for what did that itself?
 * UNSEEN: interrupts of devices may come that are not recorded.
 */
bool mdl_others_acted(const struct mdl_machine *m, uint32_t cpu, const struct mdl_act *first, bool unseen);

#endif
