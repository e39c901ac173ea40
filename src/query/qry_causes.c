/* SPDX-License-Identifier: MIT */
#include "query/qry_parts.h"

bool qry_cause(struct qry *q, uint32_t host, uint32_t number, struct mdl_cause *cause)
{
	/* No index holds causes yet: no wake-up read from one names any. */
	(void)q;
	(void)host;
	(void)number;
	(void)cause;
	return false;
}

const char *qry_device_name(struct qry *q, uint32_t host, uint32_t dev)
{
	char *name = g_strdup_printf("%u:%u", dev >> 20, dev & 0xfffff);
	const char *interned;

	(void)q;
	(void)host;
	interned = g_intern_string(name);
	g_free(name);
	return interned;
}

const char *qry_string(const struct qry *q, uint32_t host, uint32_t string)
{
	return idx_reader_string(qry_source(q, host)->reader, string);
}

uint32_t qry_context_row(const struct qry *q, uint32_t host, uint32_t context, uint32_t cpu)
{
	struct qry_context c = qry_context(q, host, context);
	const struct qry_source *s = qry_source(q, host);
	enum mdl_row_type type = c.type == MDL_CTX_IRQ ? MDL_ROW_IRQ : MDL_ROW_SOFTIRQ;

	if (c.type != MDL_CTX_IRQ && c.type != MDL_CTX_SOFTIRQ)
		return MDL_NONE;
	for (uint32_t i = s->host.first_row; i < s->host.first_row + s->host.n_rows; i++) {
		const struct qry_row *r = &q->rows[i];

		if (r->type == type && r->nr == c.nr && (type == MDL_ROW_IRQ || r->cpu == cpu))
			return i;
	}
	return MDL_NONE;
}
