/* SPDX-License-Identifier: MIT */
/*
 * How it works: the event cpu_frequency has the frequency, in kHz, that cpufreq requests for CPU cpu_id from
 * then on (include/trace/events/power.h in the kernel; cpufreq_notify_transition(),
 * cpufreq_driver_fast_switch(), intel_pstate_set_pstate()). The code that requests it may run on another CPU.
 * No event shows the frequency that the hardware then has (turbo, heat). The frequency of a CPU is unknown
 * before its first event, and after lost events of any CPU until its next event.
 *
 * The trace is read in order, and nothing of it is kept: the frequency of each CPU is summed over time. The
 * difference of these sums between the begin and the end of a stretch is the stretch's own sum.
 */
#include "analysis/cpu/frequency.h"

#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_time.h"
#include "query/cases/kept.h"
#include "query/events/scan.h"

#include <string.h>

__extension__ typedef __int128 frequency_wide;

#define GHZ 1e6           /* kHz */
#define HIGHEST 100000000 /* kHz; a higher value is no frequency */

/* The begin or the end of a stretch on a CPU. */
struct edge {
	int64_t time;
	uint32_t of; /* index of its sums */
	bool end;
};

struct cpu {
	GArray *edges;      /* of struct edge, by time; owned */
	guint next, n_open; /* index of the next edge; number of stretches that are under way */
	int64_t since;
	uint64_t khz;       /* the frequency since SINCE; 0: not known */
	frequency_wide sum; /* kHz × ns */
	int64_t known;      /* ns */
};

struct sums {
	frequency_wide sum;
	int64_t known;
};

struct ana_frequency {
	struct qry *q;                  /* weak */
	struct base_progress *progress; /* weak; may be NULL */
	uint32_t n_hosts;
	GHashTable **cpus;        /* of each host: number → struct cpu; owned */
	GArray **breaks;          /* of each host, of int64_t: times of lost events, in order; owned */
	guint *broken;            /* of each host: number of breaks that are over */
	uint64_t *most;           /* kHz: the highest of each host; 0: not recorded; owned */
	struct sums *sums;        /* owned */
	int64_t to, ran;          /* the end of the last stretch; ns of all stretches */
	uint64_t lowest, highest; /* kHz: in all stretches; HIGHEST 0: none is known */
	uint64_t state, id;       /* of the event; UINT64_MAX: it lacks the field */
};

/* ---- the stretches ---- */

static void cpu_free(void *data)
{
	g_array_unref(((struct cpu *)data)->edges);
	g_free(data);
}

static struct cpu *frequency_cpu_of(const struct ana_frequency *f, uint32_t host, uint32_t number)
{
	return g_hash_table_lookup(f->cpus[host], GUINT_TO_POINTER(number));
}

static void add_stretch(struct ana_frequency *f, uint32_t host, uint32_t of, const struct mdl_interval *v)
{
	struct edge begin = { v->from, of, false }, end = { v->to, of, true };
	struct cpu *cpu = frequency_cpu_of(f, host, v->aux);

	if (!cpu) {
		cpu = g_new0(struct cpu, 1);
		cpu->edges = g_array_new(FALSE, FALSE, sizeof(struct edge));
		g_hash_table_insert(f->cpus[host], GUINT_TO_POINTER(v->aux), cpu);
	}
	g_array_append_val(cpu->edges, begin);
	g_array_append_val(cpu->edges, end);
	f->to = MAX(f->to, v->to);
	f->ran += v->to - v->from;
}

void ana_frequency_add(struct ana_frequency *f, guint of, uint32_t row, int64_t from, int64_t to)
{
	g_autoptr(GArray) states = qry_states(f->q, row, from, to);
	uint32_t host = qry_row(f->q, row)->host;

	for (guint i = 0; i < states->len; i++) {
		const struct mdl_interval *v = &g_array_index(states, struct mdl_interval, i);

		if (mdl_state_runs(v->state) && v->aux != MDL_NONE)
			add_stretch(f, host, of, v);
	}
}

static void sort_edges(G_GNUC_UNUSED void *key, void *value, G_GNUC_UNUSED void *data)
{
	g_array_sort(((struct cpu *)value)->edges, base_search_by_int64);
}

/* ---- their sums ---- */

static void reach(struct ana_frequency *f, struct cpu *cpu, int64_t time)
{
	if (cpu->khz && time > cpu->since) {
		cpu->sum += (frequency_wide)cpu->khz * (time - cpu->since);
		cpu->known += time - cpu->since;
		if (cpu->n_open > 0) {
			f->lowest = f->highest ? MIN(f->lowest, cpu->khz) : cpu->khz;
			f->highest = MAX(f->highest, cpu->khz);
		}
	}
	cpu->since = MAX(cpu->since, time);
}

/* Add the time up to TIME, in which CPU keeps its frequency. */
static void frequency_go_on(struct ana_frequency *f, struct cpu *cpu, int64_t time)
{
	for (; cpu->next < cpu->edges->len; cpu->next++) {
		const struct edge *e = &g_array_index(cpu->edges, struct edge, cpu->next);
		struct sums *sums = &f->sums[e->of];

		if (e->time > time)
			break;
		reach(f, cpu, e->time);
		sums->sum += e->end ? cpu->sum : -cpu->sum;
		sums->known += e->end ? cpu->known : -cpu->known;
		cpu->n_open += e->end ? -1u : 1u;
	}
	if (time < INT64_MAX)
		reach(f, cpu, time);
}

/* Add the time up to TIME to all CPUs of HOST. Their frequencies are unknown from then on if FORGET. */
static void all_go_on(struct ana_frequency *f, uint32_t host, int64_t time, bool forget)
{
	GHashTableIter i;
	void *value;

	g_hash_table_iter_init(&i, f->cpus[host]);
	while (g_hash_table_iter_next(&i, NULL, &value)) {
		struct cpu *cpu = value;

		frequency_go_on(f, cpu, time);
		if (forget)
			cpu->khz = 0;
	}
}

/* Add the time up to TIME, with the gaps of HOST in it. */
static void break_until(struct ana_frequency *f, uint32_t host, int64_t time)
{
	const GArray *breaks = f->breaks[host];

	for (; f->broken[host] < breaks->len; f->broken[host]++) {
		int64_t at = g_array_index(breaks, int64_t, f->broken[host]);

		if (at > time)
			return;
		all_go_on(f, host, at, true);
	}
}

/* ---- the events ---- */

/* The names of LTTng, and of the others. */
static const char *const names[] = { "power_cpu_frequency", "power:cpu_frequency", "cpu_frequency" };

static bool wants(G_GNUC_UNUSED void *data, const char *name)
{
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* UINT64_MAX if VALUE is no number. */
static uint64_t number_of(const struct trc_value *value)
{
	return value->type == TRC_VALUE_UNSIGNED || value->type == TRC_VALUE_SIGNED ? value->number
										    : UINT64_MAX;
}

static bool is_frequency(const struct ana_frequency *f)
{
	return f->state > 0 && f->state <= HIGHEST && f->id < MDL_NONE;
}

static void frequency_on_event(struct ana_frequency *f, const struct qry_event *e)
{
	struct cpu *cpu = f->id < MDL_NONE ? frequency_cpu_of(f, e->host, (uint32_t)f->id) : NULL;

	break_until(f, e->host, e->time);
	if (cpu) {
		frequency_go_on(f, cpu, e->time);
		cpu->khz = is_frequency(f) ? f->state : 0;
	}
}

/* Read all events before TO, or with FIRST up to the first. Unreadable events count as not recorded. */
static void read_events(struct ana_frequency *f, int64_t to, bool first)
{
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	static const char *const fields[] = { "state", "cpu_id" };
	static const struct qry_scan_want want = { fields, G_N_ELEMENTS(fields), false, false };
	const struct trc_value *values;
	struct qry_scan *scan;
	struct qry_event event;

	filter.wants = wants;
	filter.to = to;
	scan = qry_scan_new(f->q, &filter, &want, NULL);
	while (scan && qry_scan_next(scan, &event, f->progress, NULL) > 0) {
		values = qry_scan_values(scan, NULL);
		if (!values)
			break;
		f->state = number_of(&values[0]);
		f->id = number_of(&values[1]);
		f->most[event.host] = MAX(f->most[event.host], is_frequency(f) ? f->state : 0);
		if (first && f->most[event.host])
			break;
		if (!first)
			frequency_on_event(f, &event);
	}
	qry_scan_free(scan);
}

/* ---- the whole ---- */

/* True if a trace of Q has the frequency of a CPU. Reads only traces that declare these events. */
static void *find_any(struct qry *q)
{
	uint32_t n = qry_host_count(q);
	uint64_t *most = g_new0(uint64_t, n);
	struct ana_frequency f = { .q = q, .n_hosts = n, .most = most };
	const char *kept = qry_kept_answer(q, "frequency", "1");
	bool declared = false, any = kept && *kept == 'y';

	for (uint32_t host = 0; !kept && host < n; host++)
		for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
			declared |= qry_events_declared(q, host, names[i]);
	if (declared)
		read_events(&f, INT64_MAX, true);
	for (uint32_t host = 0; host < n; host++)
		any |= most[host] > 0;
	g_free(most);
	if (declared)
		qry_keep_answer(q, "frequency", "1", any ? "yes" : "no");
	return g_memdup2(&any, sizeof any);
}

struct ana_frequency *ana_frequency_new(struct qry *q, guint n)
{
	static const char key;
	struct ana_frequency *f;

	if (!*(const bool *)qry_memo(q, &key, find_any, g_free))
		return NULL;
	f = g_new0(struct ana_frequency, 1);
	f->q = q;
	f->n_hosts = qry_host_count(q);
	f->most = g_new0(uint64_t, f->n_hosts);
	f->sums = g_new0(struct sums, n + 1);
	f->cpus = g_new0(GHashTable *, f->n_hosts);
	f->breaks = g_new0(GArray *, f->n_hosts);
	f->broken = g_new0(guint, f->n_hosts);
	for (uint32_t host = 0; host < f->n_hosts; host++) {
		const GArray *gaps = qry_host(q, host)->gaps;

		f->cpus[host] = g_hash_table_new_full(NULL, NULL, NULL, cpu_free);
		f->breaks[host] = g_array_new(FALSE, FALSE, sizeof(int64_t));
		for (guint i = 0; i < gaps->len; i++) {
			const struct idx_gap *gap = &g_array_index(gaps, struct idx_gap, i);

			g_array_append_val(f->breaks[host], gap->from);
			g_array_append_val(f->breaks[host], gap->to);
		}
		g_array_sort(f->breaks[host], base_search_by_int64);
	}
	return f;
}

bool ana_frequency_read(struct ana_frequency *f, bool whole, struct base_progress *progress)
{
	f->progress = progress;
	for (uint32_t host = 0; host < f->n_hosts; host++)
		g_hash_table_foreach(f->cpus[host], sort_edges, NULL);
	read_events(f, whole ? INT64_MAX : f->to, false);
	for (uint32_t host = 0; host < f->n_hosts; host++) {
		break_until(f, host, INT64_MAX);
		all_go_on(f, host, INT64_MAX, false);
	}
	return !base_progress_cancelled(progress);
}

double ana_frequency_mean(const struct ana_frequency *f, guint of, int64_t *known)
{
	const struct sums *sums = &f->sums[of];

	if (known)
		*known = sums->known;
	return sums->known > 0 ? (double)sums->sum / (double)sums->known : 0;
}

uint64_t ana_frequency_most(const struct ana_frequency *f, uint32_t host)
{
	return f->most[host];
}

void ana_frequency_free(struct ana_frequency *f)
{
	if (!f)
		return;
	for (uint32_t host = 0; host < f->n_hosts; host++) {
		g_hash_table_unref(f->cpus[host]);
		g_array_unref(f->breaks[host]);
	}
	g_free(f->cpus);
	g_free(f->breaks);
	g_free(f->broken);
	g_free(f->most);
	g_free(f->sums);
	g_free(f);
}

/* ---- one thread ---- */

bool ana_speed_find(struct qry *q, uint32_t row, int64_t from, int64_t to, struct ana_speed *speed,
	struct base_progress *progress, GError **error)
{
	struct ana_frequency *f = ana_frequency_new(q, 1);
	bool fine = true;

	*speed = (struct ana_speed){ 0 };
	if (!f)
		return true;
	ana_frequency_add(f, 0, row, from, to);
	fine = ana_frequency_read(f, false, progress);
	speed->mean = ana_frequency_mean(f, 0, &speed->time);
	speed->lowest = f->lowest;
	speed->highest = f->highest;
	speed->ran = f->ran;
	ana_frequency_free(f);
	return fine || base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
}

char *ana_speed_text(const struct ana_speed *speed)
{
	g_autofree char *time = base_time_format_duration(speed->time, false),
			*unknown = base_time_format_duration(speed->ran - speed->time, false);
	GString *text;

	if (speed->time <= 0)
		return NULL;
	text = g_string_new(NULL);
	g_string_append_printf(text, "ran %s at %.2f", time, (double)speed->lowest / GHZ);
	if (speed->lowest < speed->highest)
		g_string_append_printf(text, " to %.2f GHz, mean %.2f", (double)speed->highest / GHZ,
			speed->mean / GHZ);
	g_string_append(text, " GHz");
	if (speed->time < speed->ran)
		g_string_append_printf(text, "; not known for %s", unknown);
	return g_string_free(text, FALSE);
}
