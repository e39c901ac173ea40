/* SPDX-License-Identifier: MIT */
/* How it works: a thread has a CPU for many events, so the last interval found of each CPU is cached. */
#include "query/events/parts.h"

/* A CPU, and an interval of it. */
struct cpu {
	bool known;
	uint32_t row;        /* MDL_NONE: none */
	int64_t first, last; /* its life, by its host's own clock */
	int64_t from, to;    /* the interval; empty: none was found yet */
	uint32_t thread;
};

struct qry_runs {
	struct qry *q;     /* weak */
	struct cpu **cpus; /* owned; by host, then by number */
	/* (host, TID) (int64_t) → rows (GArray of uint32_t), owned; NULL until needed. */
	GHashTable *rows_of;
};

struct qry_runs *qry_runs_new(struct qry *q)
{
	struct qry_runs *r = g_new(struct qry_runs, 1);

	*r = (struct qry_runs){ .q = q, .cpus = g_new0(struct cpu *, q->sources->len) };
	return r;
}

void qry_runs_free(struct qry_runs *r)
{
	if (!r)
		return;
	for (uint32_t host = 0; host < r->q->sources->len; host++)
		g_free(r->cpus[host]);
	g_free(r->cpus);
	g_clear_pointer(&r->rows_of, g_hash_table_unref);
	g_free(r);
}

/* CPU NUMBER of HOST; NULL if it has no row. */
static struct cpu *cpu_at(struct qry_runs *r, uint32_t host, uint32_t number)
{
	struct qry_source *source = qry_source(r->q, host);
	struct cpu *cpu;
	struct mdl_row own;
	uint32_t local;

	if (number >= source->n_cpus)
		return NULL;
	if (!r->cpus[host])
		r->cpus[host] = g_new0(struct cpu, source->n_cpus);
	cpu = &r->cpus[host][number];
	if (!cpu->known) {
		cpu->known = true;
		cpu->row = qry_cpu_row(r->q, host, number);
		if (cpu->row == MDL_NONE)
			return NULL;
		source = qry_source_of(r->q, cpu->row, &local);
		own = idx_reader_row(source->reader, local);
		cpu->first = own.first;
		cpu->last = own.last;
	}
	return cpu->row != MDL_NONE ? cpu : NULL;
}

/* Like qry_source_state_at(): set *THREAD to the thread on CPU at TIME. */
static bool thread_at(const struct qry_runs *r, struct cpu *cpu, int64_t time, uint32_t *thread)
{
	struct mdl_interval i;

	if (time < cpu->first || time >= cpu->last)
		return false;
	if (time < cpu->from || time >= cpu->to) {
		if (!qry_source_state_at(r->q, cpu->row, time, &i))
			return false;
		cpu->from = i.from;
		cpu->to = i.to;
		cpu->thread = i.aux;
	}
	*thread = cpu->thread;
	return true;
}

uint32_t qry_runs_thread(struct qry_runs *r, uint32_t host, uint32_t number, int64_t time, bool is_switch)
{
	struct cpu *cpu = number == MDL_NONE ? NULL : cpu_at(r, host, number);
	uint32_t thread;

	if (!cpu)
		return MDL_NONE;
	if (!is_switch && thread_at(r, cpu, time, &thread))
		return thread;
	/* Like qry_source_state_before(). */
	return time > cpu->first && thread_at(r, cpu, MIN(time, cpu->last) - 1, &thread) ? thread : MDL_NONE;
}

/* ---- events of no CPU ---- */

static int64_t thread_key(uint32_t host, int64_t tid)
{
	return (int64_t)((uint64_t)host << 32 | (uint32_t)tid);
}

/* All threads by host and TID. */
static GHashTable *threads_by_number(struct qry *q)
{
	GHashTable *all = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free,
		(GDestroyNotify)g_array_unref);

	for (uint32_t row = 0; row < q->n_rows; row++) {
		int64_t key = thread_key(q->rows[row].host, q->rows[row].nr);
		GArray *rows = g_hash_table_lookup(all, &key);

		if (q->rows[row].type != MDL_ROW_THREAD)
			continue;
		if (!rows) {
			rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
			g_hash_table_insert(all, g_memdup2(&key, sizeof key), rows);
		}
		g_array_append_val(rows, row);
	}
	return all;
}

void qry_named_take(void *data, const char *name, const struct trc_value *value)
{
	struct qry_named *named = data;

	if (value->type == TRC_VALUE_SIGNED && g_str_equal(name, "pid"))
		named->pid = (int64_t)value->number;
	else if (value->type == TRC_VALUE_SIGNED && g_str_equal(name, "tid"))
		named->tid = (int64_t)value->number;
}

uint32_t qry_runs_named(struct qry_runs *r, uint32_t host, const struct qry_named *named, int64_t time)
{
	int64_t key = thread_key(host, named->tid);
	uint32_t found = MDL_NONE;
	const GArray *rows;

	if (!r->rows_of)
		r->rows_of = threads_by_number(r->q);
	rows = named->tid > 0 ? g_hash_table_lookup(r->rows_of, &key) : NULL;
	for (guint i = 0; rows && i < rows->len; i++) {
		const struct qry_row *row = qry_row(r->q, g_array_index(rows, uint32_t, i));
		struct mdl_interval at;

		if (row->pid >= 0 && named->pid >= 0 && row->pid != named->pid)
			continue;
		if (qry_source_state_at(r->q, row->id, time, &at) && mdl_state_has_cpu(at.state))
			found = row->id;
	}
	return found;
}
