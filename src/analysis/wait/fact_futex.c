/* SPDX-License-Identifier: MIT */
/* The futex that the waker released. */
#include "analysis/wait/fact.h"

#include <inttypes.h>

static char *fact_futex_did(const struct mdl_facts *facts)
{
	const struct mdl_futex *f = &facts->futex;

	return g_strdup_printf("%s the futex 0x%" PRIx64 "%s",
		f->by == MDL_FUTEX_BY_EXIT ? "ended and released" : "released", f->address,
		f->grade == MDL_PROVED ? "" : " (inferred)");
}

static void fact_futex_add_evidence(struct ana_why_maker *m, const struct mdl_facts *facts)
{
	const struct mdl_act *const calls[] = { &facts->futex.waiter, &facts->futex.waker };

	for (size_t i = 0; i < G_N_ELEMENTS(calls); i++)
		ana_why_evidence_add(m, "syscall_entry_futex", calls[i]->time, calls[i]->cpu);
}

const struct ana_fact_ops ana_fact_futex = { .rank = 5,
	.did = fact_futex_did,
	.evidence = fact_futex_add_evidence };
