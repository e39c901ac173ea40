/* SPDX-License-Identifier: MIT */
/* A recording from its begin to its end. */
#ifndef REC_RUN_H
#define REC_RUN_H

#include "record/rec.h"

/* What became of it. */
struct rec_result {
	struct rec_state state;
	double seconds;       /* how long it recorded */
	int signal;           /* that ended it; 0 none */
	int64_t latency;      /* that ended it, ns; 0 none */
	int pid;              /* of COMMAND; 0: there is none */
	bool has_status;      /* it has ended, … */
	int status;           /* … as waitpid() has it */
	bool command_goes_on; /* it was left running */
	GError *cut_short;    /* owned: why it ended before it should (a full disk); what there is was kept */
};

/*
 * Record PLAN until something ends it: a signal, its time, the end of COMMAND, a latency.  Several times a
 * second SHOW hears how far it is.  The output is there afterwards; false with an error: nothing is.
 */
bool rec_run(const struct rec_plan *plan, void (*show)(void *context, const struct rec_result *so_far),
	void *context, struct rec_result *result, GError **error);

#endif
