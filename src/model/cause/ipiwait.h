/* SPDX-License-Identifier: MIT */
/* Threads that spin until other CPUs have taken an IPI: private to src/model. */
#ifndef MDL_IPIWAIT_H
#define MDL_IPIWAIT_H

#include "model/core/cpu.h"
#include "model/event/event.h"
#include "model/event/types.h"

#define MDL_IPI_WAITS 256  /* open at one time; further ones are left out */
#define MDL_IPI_CALLERS 64 /* places in the kernel that send to several CPUs; further ones are left out */

/* A thread has sent IPIs, and may wait for the CPUs that they go to. */
struct mdl_ipi_waiting {
	struct mdl_ipi_wait wait; /* as known so far */
	uint64_t left;            /* 1 << CPU: CPUs that have not taken it yet */
	int64_t called;           /* ns: when the thread entered its system call; 0: unknown */
};

struct mdl_ipi_waits {
	GArray *open; /* of struct mdl_ipi_waiting, at most one for each CPU; NULL: none yet */
	uint64_t callers[MDL_IPI_CALLERS]; /* addresses from which IPIs were sent to several CPUs */
	unsigned n_callers;
	bool told; /* ipi_send_cpu or ipi_send_cpumask is recorded */
};

void mdl_ipiwait_clear(struct mdl_ipi_waits *waits);

/* E sends an IPI. */
void mdl_ipiwait_send(struct mdl_machine *m, const struct mdl_event *e);
/* The IPI that CPU is in ends now. */
void mdl_ipiwait_taken(struct mdl_machine *m, uint32_t cpu);
/* The thread on CPU goes on, so it does not wait any more. */
void mdl_ipiwait_over(struct mdl_machine *m, uint32_t cpu);
/* CPU wakes a thread. If its own thread is the waker, that thread goes on. */
void mdl_ipiwait_waking(struct mdl_machine *m, uint32_t cpu);
/* Events of CPU were lost. */
void mdl_ipiwait_lose(struct mdl_machine *m, uint32_t cpu);

#endif
