/* SPDX-License-Identifier: MIT */
/*
 * How it works: a worker of the pool of a CPU wakes the next one as it goes to sleep in the middle of its
 * item (proofs.md R7.3).  That takes the oldest item that is left, which need not
 * be the one that was queued last.  Workers of other pools do not: nr_running counts none of them.
 *
 * Their names tell the pool: "kworker/CPU:NUMBER", with "H" behind it where it is the one of high priority
 * (create_worker()).
 */
#include "model/mdl_pool.h"

#include "model/mdl_cpu.h"
#include "model/mdl_thread.h"

#include <string.h>

#define PREFIX "kworker/"

/* How much of COMM names the CPU; 0: it is no worker of such a pool. */
static size_t pool_cpu_of(const char *comm)
{
	const char *colon = g_str_has_prefix(comm, PREFIX) ? strchr(comm, ':') : NULL;

	return colon && g_ascii_isdigit(comm[strlen(PREFIX)]) ? (size_t)(colon - comm) : 0;
}

static bool is_urgent(const char *comm)
{
	return strchr(comm, 'H');
}

bool mdl_pool_is_same(const struct mdl_cpu *c, const struct mdl_thread *t)
{
	const char *own = c->current && mdl_cpu_is_own(c) ? c->current->comm : "";
	size_t n = pool_cpu_of(own);

	return n > 0 && n == pool_cpu_of(t->comm) && strncmp(own, t->comm, n) == 0 &&
		is_urgent(own) == is_urgent(t->comm);
}
