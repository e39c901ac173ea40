/* SPDX-License-Identifier: MIT */
/* Activity of other CPUs: private to src/model. */
#ifndef MDL_OTHERS_H
#define MDL_OTHERS_H

#include "model/event/types.h"

struct mdl_machine;

/* True if another CPU than CPU may have completed a request since FIRST, not regarding the thread or context
 * that did FIRST. */
bool mdl_others_acted(const struct mdl_machine *m, uint32_t cpu, const struct mdl_act *first);

#endif
