/* SPDX-License-Identifier: MIT */
#include "query/host/parts.h"

static void causes_show(const struct qry_source *s, int64_t *time)
{
	*time = qry_source_shown(s, *time);
}

static void show_steps(const struct qry_source *s, struct mdl_request *r)
{
	causes_show(s, &r->begin);
	for (unsigned i = 0; i < r->n_steps; i++)
		causes_show(s, &r->steps[i].to);
}

/* The times of FACTS by the clock in use. */
static void show_facts(const struct qry_source *s, struct mdl_facts *facts)
{
	for (unsigned i = 0; i < MDL_FACTS_N; i++)
		for (const struct mdl_field *f = mdl_fact_all[i]->fields;
			facts->has & 1u << i && f->type != MDL_FIELD_END; f++) {
			void *p = mdl_fact_at(facts, f->at);

			if (f->type == MDL_FIELD_TIME)
				causes_show(s, p);
			else if (f->type == MDL_FIELD_ACT)
				qry_source_show_act(s, p);
			else if (f->type == MDL_FIELD_STEPS)
				show_steps(s, p);
		}
}

bool qry_cause(struct qry *q, uint32_t host, uint32_t number, struct mdl_cause *cause)
{
	const struct qry_source *s = qry_source(q, host);

	if (!idx_reader_cause(s->reader, number, cause))
		return false;
	for (unsigned i = 0; i < cause->chain.n; i++)
		qry_source_show_act(s, &cause->chain.hops[i].act);
	show_facts(s, &cause->facts);
	return true;
}

const char *qry_device_name(const struct qry *q, uint32_t host, uint32_t dev)
{
	char text[32];
	uint32_t name;

	if (idx_reader_device(qry_source(q, host)->reader, dev, &name) && *qry_string(q, host, name) != '\0')
		return qry_string(q, host, name);
	g_snprintf(text, sizeof text, "%u:%u", dev >> 20, dev & 0xfffff); /* include/linux/kdev_t.h */
	return g_intern_string(text);
}

const char *qry_string(const struct qry *q, uint32_t host, uint32_t string)
{
	return idx_reader_string(qry_source(q, host)->reader, string);
}

uint32_t qry_string_count(const struct qry *q, uint32_t host)
{
	return idx_reader_string_count(qry_source(q, host)->reader);
}

uint32_t qry_context_row(const struct qry *q, uint32_t host, uint32_t context, uint32_t cpu)
{
	struct qry_context c = qry_context(q, host, context);
	const struct qry_source *s = qry_source(q, host);
	enum mdl_row_type type = c.type == MDL_CTX_IRQ ? MDL_ROW_IRQ : MDL_ROW_SOFTIRQ;

	if (c.type != MDL_CTX_IRQ && c.type != MDL_CTX_SOFTIRQ)
		return MDL_NONE;
	for (uint32_t i = 0; i < s->n_lines; i++) {
		const struct qry_row *r = &q->rows[s->line_rows[i]];

		if (r->type == type && r->nr == c.nr && (type == MDL_ROW_IRQ || r->cpu == cpu))
			return r->id;
	}
	return MDL_NONE;
}

const char *qry_event_name(const struct qry *q, uint32_t host, const char *event)
{
	const GPtrArray *names = qry_source(q, host)->host.meta->event_names;

	for (guint i = 0; i < names->len; i += 2)
		if (g_str_equal(g_ptr_array_index(names, i), event))
			return g_ptr_array_index(names, i + 1);
	return event;
}
