/* SPDX-License-Identifier: MIT */
/*
 * How it works: a place (which thread, which of its wake-ups) goes forward with
 * each slice of work; each wait is put down to those whose time it was (ana_causes_wait.c).
 * On a busy host many threads of one name do one work, so they stand together (ana_causes_table.c).
 */
#include "analysis/ana_causes_parts.h"

#include "analysis/ana_measured.h"

#include <string.h>

struct ana_causes {
	struct ana_causes_table table;
	struct ana_causes_cpus *cpus; /* owned */
	uint32_t *rows;               /* owned */
	uint32_t n_rows, at;          /* the thread at hand */
	bool begun;                   /* NEXT and TIME are set for it */
	bool waits_done; /* all waits were looked at: now come those for a CPU, in stretches of time */
	uint64_t next;   /* its next wake-up */
	int64_t time;    /* how far its states were looked at */
	int64_t from, to;
	int64_t stretch, stretch_end; /* waits that begin in this time are looked at, */
	int64_t first_stretch;        /* in the first such stretch also those that began before */
	uint64_t looked;              /* at wake-ups and states */
	bool only_blocked;            /* waits for a CPU are left out */
	GArray *sorted;               /* of struct ana_causes_entry; names and labels weak */
};

struct ana_causes *ana_causes_new(struct qry *q, const uint32_t *rows, uint32_t n_rows, enum ana_causes_by by,
	int64_t from, int64_t to)
{
	struct ana_causes *c = g_new0(struct ana_causes, 1);

	ana_causes_table_init(&c->table, q, by);
	c->cpus = ana_causes_cpus_new(&c->table);
	c->rows = g_new(uint32_t, n_rows + 1);
	for (uint32_t i = 0; i < n_rows; i++)
		if (qry_row(q, rows[i])->type == MDL_ROW_THREAD && qry_row(q, rows[i])->nr != 0)
			c->rows[c->n_rows++] = rows[i];
	c->from = from;
	c->to = to;
	c->sorted = g_array_new(FALSE, FALSE, sizeof(struct ana_causes_entry));
	return c;
}

void ana_causes_free(struct ana_causes *c)
{
	if (!c)
		return;
	g_free(c->rows);
	ana_causes_cpus_free(c->cpus);
	ana_causes_table_clear(&c->table);
	g_array_unref(c->sorted);
	g_free(c);
}

/* Look at the next wake-up of the thread at hand.  False when the window holds no more of it. */
static bool step_wakeup(struct ana_causes *c)
{
	uint32_t row = c->rows[c->at];
	struct mdl_wakeup w;

	if (!c->begun)
		c->next = qry_wakeup_seek(c->table.q, row, c->from == INT64_MAX ? c->from : c->from + 1);
	c->begun = true;
	if (!qry_wakeup_get(c->table.q, row, c->next, &w))
		return false;
	c->next++;
	/* A fork's wake-up ends no wait. */
	if (w.since != MDL_NEVER && w.since < c->to && w.via != MDL_VIA_NEW)
		ana_causes_wait(&c->table, row, &w, MAX(w.since, c->from), MIN(w.time, c->to));
	return w.time < c->to;
}

/* Does thread ROW wait for a CPU in the stretch? */
static bool wants_cpu(const struct ana_causes *c, uint32_t row)
{
	struct qry_cell cell;

	qry_share(c->table.q, row, c->stretch, c->stretch_end, &cell);
	return cell.ns[MDL_ST_PREEMPTED] + cell.ns[MDL_ST_WAIT_CPU] > 0;
}

/* Look at the next state of the thread at hand.  False when no more begin in the stretch. */
static bool step_state(struct ana_causes *c)
{
	uint32_t row = c->rows[c->at];
	struct mdl_interval iv;

	if (!c->begun) {
		if (!wants_cpu(c, row))
			return false;
		c->time = MAX(c->stretch, qry_row(c->table.q, row)->first);
		c->begun = true;
		/* What began before the stretch was looked at with that; before the window, with the first
		 * one. */
		if (c->stretch > c->first_stretch && qry_kernel_state_at(c->table.q, row, c->time, &iv) &&
			iv.from < c->stretch)
			c->time = ana_causes_cpu_end(c->table.q, row, &iv);
	}
	if (c->time >= c->stretch_end || !qry_kernel_state_at(c->table.q, row, c->time, &iv))
		return false;
	c->time = ana_causes_cpu_wait(c->cpus, row, &iv, c->from, c->to);
	return true;
}

/* Go on with the next thread, after the last one with the next stretch of time; false: all is done. */
static bool next_thread(struct ana_causes *c)
{
	int64_t begin, end;

	c->begun = false;
	if (++c->at < c->n_rows)
		return true;
	if (c->only_blocked)
		return false;
	qry_span(c->table.q, &begin, &end);
	c->stretch = c->waits_done ? c->stretch_end : MAX(c->from, begin);
	if (!ana_causes_cpus_stretch(c->cpus, &c->stretch, MIN(c->to, end), &c->stretch_end))
		return false;
	if (!c->waits_done)
		c->first_stretch = c->stretch;
	c->waits_done = true;
	c->at = 0;
	return true;
}

bool ana_causes_work(struct ana_causes *c, unsigned steps)
{
	uint64_t end = c->looked + ana_causes_cpus_looked(c->cpus) + steps;
	bool more = c->at < c->n_rows;

	for (; more && c->looked + ana_causes_cpus_looked(c->cpus) < end; c->looked++)
		if (!(c->waits_done ? step_state(c) : step_wakeup(c)))
			more = next_thread(c);
	return more;
}

uint64_t ana_causes_looked(const struct ana_causes *c)
{
	return c->looked;
}

static int longest_first(const void *a, const void *b)
{
	const struct ana_causes_entry *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return strcmp(x->label, y->label);
}

void ana_causes_only_blocked(struct ana_causes *c)
{
	c->only_blocked = true;
}

void ana_causes_keep_values(struct ana_causes *c)
{
	c->table.waits = g_array_new(FALSE, FALSE, sizeof(int64_t));
}

struct ana_latency *ana_causes_measured(struct ana_causes *c)
{
	struct ana_latency *l = ana_measured_new("causes", g_steal_pointer(&c->table.waits));
	bool by_name = c->table.by == ANA_CAUSES_BY_NAME, hosts = by_name && qry_host_count(c->table.q) > 1;
	gpointer value;
	GHashTableIter iter;

	g_hash_table_iter_init(&iter, c->table.by_key);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct ana_causes_entry *e = value;
		const char *host = hosts ? qry_host(c->table.q, e->host)->name : "";

		ana_measured_add(l,
			g_strdup_printf("%s: %s%s%s", ana_kind_name(e->kind), host, hosts ? "/" : "",
				by_name ? e->name : e->label),
			g_steal_pointer(&e->values));
	}
	return l;
}

const GArray *ana_causes_entries(struct ana_causes *c)
{
	GHashTableIter iter;
	gpointer entry;

	g_array_set_size(c->sorted, 0);
	g_hash_table_iter_init(&iter, c->table.by_key);
	while (g_hash_table_iter_next(&iter, NULL, &entry))
		g_array_append_vals(c->sorted, entry, 1); /* the entry is what the sum begins with */
	g_array_sort(c->sorted, longest_first);
	return c->sorted;
}
