/* SPDX-License-Identifier: MIT */
/* Pools of workers: private to src/model. */
#ifndef MDL_POOL_H
#define MDL_POOL_H

#include <stdbool.h>

struct mdl_cpu;
struct mdl_thread;

/* True if T and the thread of C, which acts itself, are workers of one pool of a CPU. */
bool mdl_pool_is_same(const struct mdl_cpu *c, const struct mdl_thread *t);

#endif
