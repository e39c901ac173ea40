/* SPDX-License-Identifier: MIT */
/* What ended the wait of a case, and the device in that. */
#include "analysis/latency/kind.h"

bool ana_latency_source_of(struct qry *q, const struct ana_latency_case *c, struct ana_source *source)
{
	struct mdl_wakeup w;

	if (!qry_wakeup_after(q, c->row, c->start, &w) || w.time > (c->end == MDL_NEVER ? c->start : c->end))
		return false;
	*source = ana_source_of(q, c->row, &w);
	return true;
}

char *ana_latency_device_of(struct qry *q, const struct ana_latency_case *c)
{
	struct ana_source source;

	if (!ana_latency_source_of(q, c, &source))
		return NULL;
	switch (source.kind) {
	case ANA_KIND_BLOCK:
	case ANA_KIND_NETWORK:
	case ANA_KIND_IRQ:
	case ANA_KIND_USER_INPUT: return g_strdup(source.device);
	default: return NULL;
	}
}
