/* SPDX-License-Identifier: MIT */
/* How it works: a thread has a CPU for many events, so the interval of each CPU that was found last is kept. */
#include "query/events/parts.h"

/* A CPU, and an interval of it. */
struct cpu {
	bool known;
	uint32_t row;        /* MDL_NONE: none */
	int64_t first, last; /* its life, by its host's own clock */
	int64_t from, to;    /* the interval; empty: none is known */
	uint32_t thread;
};

struct qry_runs {
	struct qry *q;     /* weak */
	struct cpu **cpus; /* owned: by host, as many as that has */
};

struct qry_runs *qry_runs_new(struct qry *q)
{
	struct qry_runs *r = g_new(struct qry_runs, 1);

	*r = (struct qry_runs){ q, g_new0(struct cpu *, q->sources->len) };
	return r;
}

void qry_runs_free(struct qry_runs *r)
{
	if (!r)
		return;
	for (uint32_t host = 0; host < r->q->sources->len; host++)
		g_free(r->cpus[host]);
	g_free(r->cpus);
	g_free(r);
}

/* CPU NUMBER of HOST; NULL: it has no row. */
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

/* As qry_source_state_at(): put the thread on CPU at TIME into *THREAD. */
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
	/* As qry_source_state_before(). */
	return time > cpu->first && thread_at(r, cpu, MIN(time, cpu->last) - 1, &thread) ? thread : MDL_NONE;
}
