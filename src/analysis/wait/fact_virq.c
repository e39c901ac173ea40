/* SPDX-License-Identifier: MIT */
/* The interrupt that was posted into a guest. */
#include "analysis/wait/fact.h"

/* "posted the guest's interrupt 41 (MSI)" */
static char *fact_virq_did(const struct mdl_facts *facts)
{
	const struct mdl_virq *v = &facts->virq;

	return g_strdup_printf("posted interrupt %" G_GUINT32_FORMAT " to the guest%s", v->vector,
		v->grade == MDL_PROVED ? "" : " (inferred)");
}

const struct ana_fact_ops ana_fact_virq = { .rank = 8, .did = fact_virq_did };
