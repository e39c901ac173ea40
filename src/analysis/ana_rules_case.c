/* SPDX-License-Identifier: MIT */
/* What becomes of an interval of a rule: whose it is, whether it counts, and as what. */
#include "analysis/ana_rules_parts.h"

#include "query/qry_tracer.h"

/* ---- threads ---- */

static void array_free(void *data)
{
	g_array_unref(data);
}

GHashTable *ana_rules_threads(const struct qry *q)
{
	GHashTable *threads = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, array_free);

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

char *ana_rules_key_of(G_GNUC_UNUSED struct qry *q, const struct ana_latency_case *c)
{
	return c->number ? g_strdup((const char *)(uintptr_t)c->number) : NULL;
}

static bool is_asked_for(const struct ana_rules_measured *m, const struct ana_latency_case *c)
{
	const struct ana_latency_options *o = m->run->options;

	if (c->start < m->run->from || c->start >= m->run->to)
		return false;
	if (o->row != MDL_NONE)
		return c->row == o->row;
	return c->row == MDL_NONE || !o->hide_tracer || !qry_is_tracer(m->run->q, c->row);
}

/* The key in words costs memory: only where it is told. */
static void name_key(struct ana_rules_measured *m, struct ana_latency_case *c, const char *key, gsize length)
{
	char *text;

	if (m->run->options->by != ANA_LATENCY_BY_KEY && !ana_tally_keeps(m->tally, c->latency))
		return;
	text = ana_rules_key_text(key, length);
	if (text)
		c->number = (uintptr_t)g_string_chunk_insert_const(m->run->texts, text);
	g_free(text);
}

static bool is_lost(const struct ana_rules_measured *m, const struct ana_rules_interval *i)
{
	bool across = m->rule->across;

	return i->start <= ana_rules_lost_until(m->run->lost, across ? MDL_NONE : i->host,
				   m->of_cpu ? i->cpu : MDL_NONE);
}

void ana_rules_count(void *data, const struct ana_rules_interval *i, const char *key, gsize length,
	enum ana_rules_fate fate)
{
	struct ana_rules_measured *m = data;
	const struct qry_event *here = &m->run->facts.event;
	bool over = fate == ANA_RULES_OVER;
	struct ana_latency_case c = { .start = i->start,
		.end = over ? here->time : MDL_NEVER,
		.latency = over ? here->time - i->start : 0,
		.host = i->host,
		.row = over && m->rule->thread_of_exit ? ana_rules_thread_here(m->run, m->rule) : i->row,
		.cpu = over ? here->cpu : MDL_NONE };

	if (!is_asked_for(m, &c))
		return;
	name_key(m, &c, key, length);
	if (is_lost(m, i)) {
		ana_tally_group_of(m->tally, &c)->dropped++;
		return;
	}
	switch (fate) {
	case ANA_RULES_OVER: ana_tally_add(m->tally, &c); break;
	case ANA_RULES_UNFINISHED: ana_tally_group_of(m->tally, &c)->unfinished++; break;
	case ANA_RULES_REPEATED: m->strays.repeated++; break;
	case ANA_RULES_TIMED_OUT: m->strays.timed_out++; break;
	case ANA_RULES_GIVEN_UP: m->strays.given_up++; break;
	}
}
