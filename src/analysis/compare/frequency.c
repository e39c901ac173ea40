/* SPDX-License-Identifier: MIT */
/*
 * How fast the CPUs were on which paths ran.  The event cpu_frequency tells which frequency, in kHz, cpufreq
 * asks of CPU cpu_id from now on (include/trace/events/power.h in the kernel; cpufreq_notify_transition(),
 * cpufreq_driver_fast_switch(), intel_pstate_set_pstate()); who decides may run elsewhere.  What the hardware
 * makes of that (turbo, heat) no event tells.  Nothing is known of a CPU before its first event, and behind
 * lost ones, of whichever CPU, until its next.
 *
 * The trace is read in order, and nothing of it is kept: of each CPU its frequency is added up over time, and
 * the difference of these sums between begin and end of a stretch that a path ran there is what it had.
 */
#include "analysis/compare/parts.h"

#include "base/base_search.h"
#include "query/events/scan.h"

#include <string.h>

#define HIGHEST 100000000 /* kHz: more is none */

/* The begin or the end of a stretch that a path ran on a CPU. */
struct edge {
	int64_t time;
	uint32_t of; /* its sums */
	bool end;
};

struct cpu {
	GArray *edges; /* of struct edge, by time; owned */
	guint next;
	int64_t since;
	uint64_t khz;  /* since then; 0: not known */
	ana_wide sum;  /* kHz × ns */
	int64_t known; /* ns */
};

struct sums {
	ana_wide sum;
	int64_t known;
};

struct reading {
	struct qry *q; /* weak */
	struct ana_frequency *f;
	struct base_progress *progress; /* weak; may be NULL */
	GHashTable **cpus;              /* of each host: number → struct cpu; owned */
	GArray **breaks;                /* of each host, of int64_t: when events were lost, in order; owned */
	guint *broken;                  /* how many of them are over */
	struct sums *sums;              /* owned */
	uint64_t state, id;             /* of the event; UINT64_MAX: it has no such field */
};

/* ---- which CPUs paths ran on ---- */

static void cpu_free(void *data)
{
	g_array_unref(((struct cpu *)data)->edges);
	g_free(data);
}

static struct cpu *frequency_cpu_of(const struct reading *r, uint32_t host, uint32_t number)
{
	return g_hash_table_lookup(r->cpus[host], GUINT_TO_POINTER(number));
}

static void add_stretch(struct reading *r, uint32_t host, uint32_t of, const struct mdl_interval *v)
{
	struct edge begin = { v->from, of, false }, end = { v->to, of, true };
	struct cpu *cpu = frequency_cpu_of(r, host, v->aux);

	if (!cpu) {
		cpu = g_new0(struct cpu, 1);
		cpu->edges = g_array_new(FALSE, FALSE, sizeof(struct edge));
		g_hash_table_insert(r->cpus[host], GUINT_TO_POINTER(v->aux), cpu);
	}
	g_array_append_val(cpu->edges, begin);
	g_array_append_val(cpu->edges, end);
}

static void add_path(struct reading *r, guint number, const struct ana_path *path)
{
	for (guint i = 0; i < path->segments->len; i++) {
		const struct ana_segment *s = ana_path_segment(path, i);
		g_autoptr(GArray) states = NULL;
		uint32_t host;

		if (s->kind != ANA_SEG_RUNNING && s->kind != ANA_SEG_SYSCALL)
			continue;
		states = qry_states(r->q, s->row, s->from, s->to);
		host = qry_row(r->q, s->row)->host;
		for (guint k = 0; k < states->len; k++) {
			const struct mdl_interval *v = &g_array_index(states, struct mdl_interval, k);

			if (mdl_state_runs(v->state) && v->aux != MDL_NONE)
				add_stretch(r, host, number * r->f->n_hosts + host, v);
		}
	}
}

static void sort_edges(G_GNUC_UNUSED void *key, void *value, G_GNUC_UNUSED void *data)
{
	g_array_sort(((struct cpu *)value)->edges, base_search_by_int64);
}

static void add_paths(struct reading *r, const struct ana_compare *c, unsigned of, const GArray *numbers)
{
	for (guint i = 0; i < numbers->len && !base_progress_cancelled(r->progress); i++) {
		const struct ana_compare_path *p = &g_array_index(c->paths, struct ana_compare_path,
			g_array_index(numbers, uint32_t, i));
		struct ana_path *path = p->of == of
			? ana_path_new(r->q, p->row, p->from, p->to, r->progress, NULL)
			: NULL;

		if (path) {
			add_path(r, i, path);
			ana_path_free(path);
		}
	}
	for (uint32_t host = 0; host < r->f->n_hosts; host++)
		g_hash_table_foreach(r->cpus[host], sort_edges, NULL);
}

/* ---- what they had ---- */

static void reach(struct cpu *cpu, int64_t time)
{
	if (cpu->khz && time > cpu->since) {
		cpu->sum += (ana_wide)cpu->khz * (time - cpu->since);
		cpu->known += time - cpu->since;
	}
	cpu->since = MAX(cpu->since, time);
}

/* CPU stays as it is until TIME. */
static void frequency_go_on(struct reading *r, struct cpu *cpu, int64_t time)
{
	for (; cpu->next < cpu->edges->len; cpu->next++) {
		const struct edge *e = &g_array_index(cpu->edges, struct edge, cpu->next);
		struct sums *sums = &r->sums[e->of];

		if (e->time > time)
			break;
		reach(cpu, e->time);
		sums->sum += e->end ? cpu->sum : -cpu->sum;
		sums->known += e->end ? cpu->known : -cpu->known;
	}
	if (time < INT64_MAX)
		reach(cpu, time);
}

/* All of HOST stay as they are until TIME, and are not known then (FORGET). */
static void all_go_on(struct reading *r, uint32_t host, int64_t time, bool forget)
{
	GHashTableIter i;
	void *value;

	g_hash_table_iter_init(&i, r->cpus[host]);
	while (g_hash_table_iter_next(&i, NULL, &value)) {
		struct cpu *cpu = value;

		frequency_go_on(r, cpu, time);
		if (forget)
			cpu->khz = 0;
	}
}

/* Go on through the gaps of HOST up to TIME. */
static void break_until(struct reading *r, uint32_t host, int64_t time)
{
	const GArray *breaks = r->breaks[host];

	for (; r->broken[host] < breaks->len; r->broken[host]++) {
		int64_t at = g_array_index(breaks, int64_t, r->broken[host]);

		if (at > time)
			return;
		all_go_on(r, host, at, true);
	}
}

/* ---- the events ---- */

/* As LTTng calls them, and the others. */
static const char *const names[] = { "power_cpu_frequency", "power:cpu_frequency", "cpu_frequency" };

static bool wants(G_GNUC_UNUSED void *data, const char *name)
{
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* UINT64_MAX: it is none. */
static uint64_t number_of(const struct trc_value *value)
{
	return value->type == TRC_VALUE_UNSIGNED || value->type == TRC_VALUE_SIGNED ? value->number
										    : UINT64_MAX;
}

static void frequency_on_event(struct reading *r, const struct qry_event *e)
{
	bool good = r->state > 0 && r->state <= HIGHEST && r->id < MDL_NONE;
	struct cpu *cpu = r->id < MDL_NONE ? frequency_cpu_of(r, e->host, (uint32_t)r->id) : NULL;

	break_until(r, e->host, e->time);
	if (cpu) {
		frequency_go_on(r, cpu, e->time);
		cpu->khz = good ? r->state : 0;
	}
	if (good)
		r->f->highest[e->host] = MAX(r->f->highest[e->host], r->state);
}

/* Of all events, or until the FIRST one.  What cannot be read any more was not recorded either. */
static void read_events(struct reading *r, bool first)
{
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	static const char *const fields[] = { "state", "cpu_id" };
	static const struct qry_scan_want want = { fields, G_N_ELEMENTS(fields), false, false };
	const struct trc_value *values;
	struct qry_scan *scan;
	struct qry_event event;

	filter.wants = wants;
	scan = qry_scan_new(r->q, &filter, &want, NULL);
	while (scan && qry_scan_next(scan, &event, r->progress, NULL) > 0) {
		values = qry_scan_values(scan, NULL);
		if (!values)
			break;
		r->state = number_of(&values[0]);
		r->id = number_of(&values[1]);
		frequency_on_event(r, &event);
		if (first && r->f->highest[event.host])
			break;
	}
	qry_scan_free(scan);
}

static void frequency_begin(struct reading *r, guint n)
{
	uint32_t hosts = r->f->n_hosts = qry_host_count(r->q);

	r->f->highest = g_new0(uint64_t, hosts);
	r->f->mean = g_new0(double, (gsize)n *hosts + 1);
	r->sums = g_new0(struct sums, (gsize)n * hosts + 1);
	r->cpus = g_new0(GHashTable *, hosts);
	r->breaks = g_new0(GArray *, hosts);
	r->broken = g_new0(guint, hosts);
	for (uint32_t host = 0; host < hosts; host++) {
		const GArray *gaps = qry_host(r->q, host)->gaps;

		r->cpus[host] = g_hash_table_new_full(NULL, NULL, NULL, cpu_free);
		r->breaks[host] = g_array_new(FALSE, FALSE, sizeof(int64_t));
		for (guint i = 0; i < gaps->len; i++) {
			const struct idx_gap *gap = &g_array_index(gaps, struct idx_gap, i);

			g_array_append_val(r->breaks[host], gap->from);
			g_array_append_val(r->breaks[host], gap->to);
		}
		g_array_sort(r->breaks[host], base_search_by_int64);
	}
}

bool ana_compare_frequency(const struct ana_compare *c, unsigned of, const GArray *numbers,
	struct ana_frequency *f, struct base_progress *progress)
{
	struct reading r = { .q = c->q[of], .f = f, .progress = progress };
	bool declared = false, any = false;
	gsize n = 0;

	frequency_begin(&r, numbers->len);
	for (uint32_t host = 0; host < f->n_hosts; host++)
		for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
			declared |= qry_events_declared(r.q, host, names[i]);
	if (declared)
		read_events(&r, true);
	for (uint32_t host = 0; host < f->n_hosts; host++)
		any |= f->highest[host] > 0;
	if (any) {
		add_paths(&r, c, of, numbers);
		read_events(&r, false);
		n = (gsize)numbers->len * f->n_hosts;
	}
	for (uint32_t host = 0; n && host < f->n_hosts; host++) {
		break_until(&r, host, INT64_MAX);
		all_go_on(&r, host, INT64_MAX, false);
	}
	for (gsize i = 0; i < n; i++)
		f->mean[i] = r.sums[i].known > 0 ? (double)r.sums[i].sum / (double)r.sums[i].known : 0;
	for (uint32_t host = 0; host < f->n_hosts; host++) {
		g_hash_table_unref(r.cpus[host]);
		g_array_unref(r.breaks[host]);
	}
	g_free(r.cpus);
	g_free(r.breaks);
	g_free(r.broken);
	g_free(r.sums);
	return !base_progress_cancelled(progress);
}

void ana_compare_frequency_clear(struct ana_frequency *f)
{
	g_free(f->mean);
	g_free(f->highest);
}
