/* SPDX-License-Identifier: MIT */
/* What becomes of an interval of a rule: whose it is, whether it counts, and as what. */
#include "analysis/ana_rules_parts.h"

/* ---- threads ---- */

GHashTable *ana_rules_threads(const struct qry *q)
{
	GHashTable *threads = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
		(GDestroyNotify)g_array_unref);

	for (uint32_t row = 0; row < qry_row_count(q); row++) {
		const struct qry_row *r = qry_row(q, row);
		int64_t id = (int64_t)((uint64_t)r->host << 32 | (uint32_t)r->nr);
		GArray *rows = g_hash_table_lookup(threads, &id);

		if (r->type != MDL_ROW_THREAD)
			continue;
		if (!rows) {
			rows = g_array_new(FALSE, FALSE, sizeof row);
			g_hash_table_insert(threads, g_memdup2(&id, sizeof id), rows);
		}
		g_array_append_val(rows, row);
	}
	return threads;
}

/* The thread that FIELD of the event names; MDL_NONE unknown.  Each CPU has a thread 0. */
static uint32_t thread_of(const struct ana_rules_walk *run, const char *field)
{
	const struct qry_event *e = &run->facts.event;
	struct trc_value tid;
	GArray *rows;
	int64_t id;

	if (!ana_rules_facts_get(&run->facts, field, &tid) || tid.type == TRC_VALUE_TEXT ||
		tid.number > INT32_MAX)
		return MDL_NONE;
	id = (int64_t)((uint64_t)e->host << 32 | tid.number);
	rows = g_hash_table_lookup(run->threads, &id);
	for (guint i = 0; rows && i < rows->len; i++) {
		const struct qry_row *r = qry_row(run->q, g_array_index(rows, uint32_t, i));

		if (e->time >= r->first && e->time <= r->last && (r->nr != 0 || r->cpu == e->cpu))
			return r->id;
	}
	return MDL_NONE;
}

uint32_t ana_rules_thread_here(const struct ana_rules_walk *run, const struct ana_rule *rule)
{
	return rule->thread ? thread_of(run, rule->thread) : run->facts.event.thread;
}

/* ---- cases ---- */

static bool is_lost(const struct ana_rules_measured *m, const struct ana_rules_interval *i)
{
	bool across = m->rule->across;

	return i->start <= ana_rules_lost_until(m->run->lost, across ? MDL_NONE : i->host,
				   m->of_cpu ? i->cpu : MDL_NONE);
}

void ana_rules_count(void *data, const struct ana_rules_interval *i, const char *key, gsize length,
	enum mdl_span_fate fate)
{
	struct ana_rules_measured *m = data;
	const struct qry_event *here = &m->run->facts.event;
	bool over = fate == MDL_SPAN_DONE;
	struct mdl_span span = { .start = i->start,
		.end = over ? here->time : i->start,
		.row = over && m->rule->thread_of_exit ? ana_rules_thread_here(m->run, m->rule) : i->row,
		.cpu = over ? here->cpu : MDL_NONE,
		.fate = (uint8_t)fate };
	g_autofree char *text = ana_rules_key_text(key, length);

	if (text)
		span.key = qry_kept_text(m->cases, text);
	if (is_lost(m, i)) {
		span.fate = MDL_SPAN_LOST;
		span.end = span.start;
	}
	qry_kept_add(m->cases, i->host, &span);
}

/* Whose it is the exit may tell, not the entry. */
void ana_rules_unmatched(struct ana_rules_measured *m)
{
	const struct qry_event *here = &m->run->facts.event;
	struct mdl_span span = { .start = here->time,
		.end = here->time,
		.row = m->rule->thread_of_exit ? ana_rules_thread_here(m->run, m->rule) : MDL_NONE,
		.cpu = here->cpu,
		.fate = MDL_SPAN_UNMATCHED };

	qry_kept_add(m->cases, here->host, &span);
}
