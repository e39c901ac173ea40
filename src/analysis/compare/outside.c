/* SPDX-License-Identifier: MIT */
/*
 * How it works: finds other activity while slow paths were under way: the load that others put on the CPUs,
 * each of these others, interrupts, disks, CPUs that the host took from guests, lost events, a low frequency
 * of the CPUs that the paths ran on.  For each path this is a share of the path's own time, so that a long
 * path has not more of it only because it is long; the means of these shares are compared between the sides.
 * Shares of short paths vary more than those of long ones, which Welch's statistic allows for (ana_permute).
 *
 * Only threads, interrupts and disks that are on no path count.  Those on one, by name, are left out; such
 * threads are left out of the load, too.  So none of these activities explains a part of the difference; they
 * only coincide with it.
 */
#include "analysis/compare/parts.h"

#include "analysis/compare/chance.h"
#include "analysis/kind/kind.h"
#include "analysis/cpu/frequency.h"
#include "base/base_figures.h"
#include "base/base_time.h"

#include <math.h>

#define MOST 512         /* paths of a side that are tested */
#define LEAST 4          /* paths of a side that a test needs */
#define THREADS_MOST 256 /* names of threads: only those that ran most */
#define SOFTIRQ "softirq "

/* An activity, and its rows in either recording. */
struct thing {
	struct ana_outside row;
	bool own;        /* a thread, interrupt or disk with its name is on a path */
	int64_t time;    /* ns on a CPU, total; threads */
	GArray *rows[2]; /* of uint32_t; owned */
	GArray *values;  /* of struct ana_permute_value; owned */
};

struct outside {
	struct ana_compare *c;
	struct base_progress *progress;
	GPtrArray *things; /* of struct thing *, owned */
	GHashTable *ids;   /* text that identifies it → struct thing, weak */
	GArray *paths;     /* of uint32_t: path of each case */
	GArray *label;     /* of uint32_t: of each case, 1 slow */
};

const char *ana_outside_what_name(enum ana_outside_what what)
{
	static const char *const names[] = { [ANA_OUTSIDE_LOAD] = "load",
		[ANA_OUTSIDE_THREAD] = "thread",
		[ANA_OUTSIDE_IRQ] = "irq",
		[ANA_OUTSIDE_SOFTIRQ] = "softirq",
		[ANA_OUTSIDE_DISK] = "disk",
		[ANA_OUTSIDE_STEAL] = "steal",
		[ANA_OUTSIDE_LOST] = "lost",
		[ANA_OUTSIDE_FREQUENCY] = "frequency" };

	return names[what];
}

char *ana_outside_frequency_text(const struct ana_outside *o)
{
	if (o->what != ANA_OUTSIDE_FREQUENCY)
		return NULL;
	return g_strdup_printf("%.2f > %.2f of %.2f GHz", o->khz[ANA_COMPARE_FAST] / 1e6,
		o->khz[ANA_COMPARE_SLOW] / 1e6, (double)o->highest / 1e6);
}

static void thing_free(void *data)
{
	struct thing *t = data;

	g_array_unref(t->rows[0]);
	g_array_unref(t->rows[1]);
	g_array_unref(t->values);
	g_free(t);
}

/* ---- activities ---- */

static struct thing *thing_of(struct outside *o, enum ana_outside_what what, const char *host,
	const char *name)
{
	g_autofree char *id = g_strdup_printf("%u\n%s\n%s", what, host ? host : "", name);
	struct thing *t = g_hash_table_lookup(o->ids, id);

	if (t)
		return t;
	t = g_new0(struct thing, 1);
	t->row = (struct ana_outside){ .what = what,
		.host = host,
		.name = g_string_chunk_insert_const(o->c->fold->texts, name) };
	for (unsigned i = 0; i < 2; i++)
		t->rows[i] = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	t->values = g_array_new(FALSE, FALSE, sizeof(struct ana_permute_value));
	g_ptr_array_add(o->things, t);
	g_hash_table_insert(o->ids, g_steal_pointer(&id), t);
	return t;
}

static const char *host_of(const struct outside *o, const struct qry *q, const struct qry_row *r)
{
	struct ana_fold *fold = o->c->fold;

	return fold->several ? g_string_chunk_insert_const(fold->texts, qry_host(q, r->host)->name) : NULL;
}

static void add_thread(struct outside *o, unsigned of, uint32_t row, int64_t from, int64_t to)
{
	struct qry *q = o->c->q[of];
	const struct qry_row *r = qry_row(q, row);
	g_autofree char *name = NULL;
	struct qry_cell cell;
	struct thing *t;
	int64_t time;

	if (r->cpu != MDL_NONE)
		return;
	qry_share(q, row, from, to, &cell);
	time = qry_cell_on_cpu(&cell);
	if (time == 0)
		return;
	name = ana_group_name(r->name);
	t = thing_of(o, ANA_OUTSIDE_THREAD, host_of(o, q, r), name);
	g_array_append_val(t->rows[of], row);
	t->time = base_time_sum(t->time, time);
}

/* IRQ lines have the same names as on paths. */
static void outside_add_line(struct outside *o, unsigned of, uint32_t row)
{
	const struct qry_row *r = qry_row(o->c->q[of], row);
	bool soft = r->type == MDL_ROW_SOFTIRQ;
	g_autofree char *name = *r->name
		? g_strconcat(soft ? SOFTIRQ : "IRQ ", r->name, NULL)
		: g_strdup_printf("%s%" G_GINT64_FORMAT, soft ? SOFTIRQ : "IRQ ", r->nr);
	struct thing *t = thing_of(o, soft ? ANA_OUTSIDE_SOFTIRQ : ANA_OUTSIDE_IRQ,
		host_of(o, o->c->q[of], r), name);

	g_array_append_val(t->rows[of], row);
}

/* The time from the begin of the first path of recording OF to the end of the last. */
static void span_of(const struct outside *o, unsigned of, int64_t *from, int64_t *to)
{
	*from = INT64_MAX;
	*to = INT64_MIN;
	for (guint i = 0; i < o->c->paths->len; i++) {
		const struct ana_compare_path *p = ana_compare_path_at(o->c, i);

		if (p->of == of && p->side != ANA_COMPARE_NEITHER) {
			*from = MIN(*from, p->from);
			*to = MAX(*to, p->to);
		}
	}
}

static void add_rows(struct outside *o, unsigned of)
{
	static const enum ana_outside_what of_cpus[] = { ANA_OUTSIDE_LOAD, ANA_OUTSIDE_STEAL,
		ANA_OUTSIDE_LOST };
	const struct qry *q = o->c->q[of];
	int64_t from, to;

	span_of(o, of, &from, &to);
	for (uint32_t row = 0; from < to && row < qry_row_count(q); row++) {
		const struct qry_row *r = qry_row(q, row);

		switch (r->type) {
		case MDL_ROW_THREAD: add_thread(o, of, row, from, to); break;
		case MDL_ROW_CPU:
			for (gsize i = 0; i < G_N_ELEMENTS(of_cpus); i++)
				g_array_append_val(thing_of(o, of_cpus[i], host_of(o, q, r), "")->rows[of],
					row);
			break;
		case MDL_ROW_IRQ:
		case MDL_ROW_SOFTIRQ: outside_add_line(o, of, row); break;
		case MDL_ROW_DEVICE:
			g_array_append_val(thing_of(o, ANA_OUTSIDE_DISK, host_of(o, q, r), r->name)->rows[of],
				row);
			break;
		default: break;
		}
	}
}

static int outside_by_time(const void *a, const void *b)
{
	const struct thing *x = *(struct thing *const *)a, *y = *(struct thing *const *)b;

	return (x->time < y->time) - (x->time > y->time);
}

static enum ana_outside_what what_of(const struct ana_fold_actor *a)
{
	switch (a->type) {
	case ANA_ACTOR_THREAD: return ANA_OUTSIDE_THREAD;
	case ANA_ACTOR_DEVICE: return ANA_OUTSIDE_DISK;
	case ANA_ACTOR_IRQ: return g_str_has_prefix(a->name, SOFTIRQ) ? ANA_OUTSIDE_SOFTIRQ : ANA_OUTSIDE_IRQ;
	default: return ANA_OUTSIDE_N;
	}
}

/* Keep only the threads that ran most, of those that are on no path. */
static void choose_threads(struct outside *o)
{
	guint n = 0;

	g_ptr_array_sort(o->things, outside_by_time);
	for (guint i = 0; i < o->things->len;) {
		const struct thing *t = g_ptr_array_index(o->things, i);

		if (t->row.what == ANA_OUTSIDE_THREAD && !t->own && n++ >= THREADS_MOST)
			g_ptr_array_remove_index(o->things, i);
		else
			i++;
	}
}

/* ---- shares ---- */

/* ns of ROW that count as WHAT. */
static int64_t outside_time_of(struct qry *q, uint32_t row, enum ana_outside_what what,
	const struct ana_compare_path *p)
{
	struct qry_cell cell;

	qry_share(q, row, p->from, p->to, &cell);
	switch (what) {
	case ANA_OUTSIDE_IRQ:
	case ANA_OUTSIDE_SOFTIRQ: return cell.ns[MDL_ST_RUNNING];
	case ANA_OUTSIDE_DISK: return cell.ns[MDL_ST_IN_FLIGHT] + cell.ns[MDL_ST_QUEUED];
	case ANA_OUTSIDE_STEAL: return cell.ns[MDL_ST_VCPU_PREEMPTED];
	case ANA_OUTSIDE_LOST: return cell.ns[MDL_ST_UNKNOWN];
	default: break; /* time on a CPU; for a CPU, that of threads, without interrupts */
	}
	return qry_cell_ran(&cell);
}

/* True if ROW concerns path P: it is not of another recording of the same machine. */
static bool is_about(const struct outside *o, uint32_t row, const struct ana_compare_path *p)
{
	const struct qry *q = o->c->q[p->of];

	return !o->c->one_host || qry_row(q, row)->host == qry_row(q, p->row)->host;
}

/* Number of rows of T that concern P. */
static guint count_rows(const struct outside *o, const struct thing *t, const struct ana_compare_path *p)
{
	const GArray *rows = t->rows[p->of];
	guint n = 0;

	for (guint i = 0; i < rows->len; i++)
		n += is_about(o, g_array_index(rows, uint32_t, i), p);
	return n;
}

/* The share of the time of path P that T has; for activities of all CPUs of a host, the mean over them. */
static double share_of(const struct outside *o, const struct thing *t, const struct ana_compare_path *p)
{
	const GArray *rows = t->rows[p->of];
	bool is_cpu = t->row.what == ANA_OUTSIDE_LOAD || t->row.what == ANA_OUTSIDE_STEAL ||
		t->row.what == ANA_OUTSIDE_LOST;
	double sum = 0;

	for (guint i = 0; i < rows->len; i++) {
		uint32_t row = g_array_index(rows, uint32_t, i);

		if (is_about(o, row, p))
			sum += (double)outside_time_of(o->c->q[p->of], row, t->row.what, p);
	}
	if (is_cpu && sum > 0)
		sum /= count_rows(o, t, p);
	return sum / (double)(p->to - p->from);
}

/* The share that threads on paths had of the CPUs of the host of LOAD. */
static double own_share(const struct outside *o, const struct thing *load, const struct ana_compare_path *p)
{
	guint n_cpus = count_rows(o, load, p);
	double sum = 0;

	for (guint i = 0; i < o->things->len; i++) {
		const struct thing *t = g_ptr_array_index(o->things, i);

		if (t->own && t->row.what == ANA_OUTSIDE_THREAD && t->row.host == load->row.host)
			sum += share_of(o, t, p);
	}
	return n_cpus > 0 ? sum / n_cpus : 0;
}

static void choose_paths(struct outside *o, uint64_t n[2])
{
	const struct base_many *paths = o->c->paths;

	for (uint32_t i = 0; i < paths->len; i++) {
		const struct ana_compare_path *p = &g_array_index(paths, struct ana_compare_path, i);
		uint64_t all = p->side == ANA_COMPARE_NEITHER ? 0 : o->c->side[p->side].figures.count;
		uint32_t slow;

		if (all == 0 || p->to <= p->from || (all > MOST && base_mix(i) > UINT64_MAX / all * MOST))
			continue;
		slow = p->side == ANA_COMPARE_SLOW;
		g_array_append_val(o->label, slow);
		g_array_append_val(o->paths, i);
		n[p->side]++;
	}
}

static const struct ana_compare_path *outside_path_of(const struct outside *o, guint i)
{
	return &g_array_index(o->c->paths, struct ana_compare_path, g_array_index(o->paths, uint32_t, i));
}

static bool outside_measure(struct outside *o, struct thing *t, const uint64_t n[2])
{
	for (uint32_t i = 0; i < o->paths->len; i++) {
		const struct ana_compare_path *p = outside_path_of(o, i);
		struct ana_permute_value v = { i, share_of(o, t, p) };

		if (t->row.what == ANA_OUTSIDE_LOAD)
			v.value = fmax(0, v.value - own_share(o, t, p));
		if (v.value > 0)
			g_array_append_val(t->values, v);
		t->row.share[p->side] += v.value / (double)n[p->side];
	}
	return !base_progress_cancelled(o->progress);
}

/* ---- frequencies ---- */

/* Add the running time of path number I of recording OF to F: to sum I * hosts + HOST. */
static void add_ran(struct outside *o, struct ana_frequency *f, guint i, unsigned of)
{
	const struct ana_compare_path *p = outside_path_of(o, i);
	struct qry *q = o->c->q[of];
	struct ana_path *path = p->of == of ? ana_path_new(q, p->row, p->from, p->to, o->progress, NULL)
					    : NULL;

	for (guint k = 0; path && k < path->segments->len; k++) {
		const struct ana_segment *s = ana_path_segment(path, k);

		if (s->kind == ANA_SEG_RUNNING || s->kind == ANA_SEG_SYSCALL)
			ana_frequency_add(f, i * qry_host_count(q) + qry_row(q, s->row)->host, s->row,
				s->from, s->to);
	}
	if (path)
		ana_path_free(path);
}

/* Set *F to the frequencies of recording OF; NULL: not recorded.  False if cancelled. */
static bool read_frequencies(struct outside *o, unsigned of, struct ana_frequency **f)
{
	*f = ana_frequency_new(o->c->q[of], o->paths->len * qry_host_count(o->c->q[of]));
	for (guint i = 0; *f && i < o->paths->len && !base_progress_cancelled(o->progress); i++)
		add_ran(o, *f, i, of);
	return *f ? ana_frequency_read(*f, true, o->progress) : !base_progress_cancelled(o->progress);
}

/* The mean frequency, kHz, of path number I of recording OF on the host of T; 0: unknown. */
static double khz_of(const struct outside *o, const struct thing *t, struct ana_frequency *const f[2],
	guint i, unsigned of)
{
	uint32_t n = f[of] ? qry_host_count(o->c->q[of]) : 0;

	for (uint32_t host = 0; host < n; host++) {
		double khz = ana_frequency_mean(f[of], i * n + host, NULL);

		if (khz > 0 && (!t->row.host || !g_strcmp0(t->row.host, qry_host(o->c->q[of], host)->name)))
			return khz;
	}
	return 0;
}

/* The mean frequencies of both sides, and of ALL.  False: too few paths have a known frequency. */
static bool find_means(const struct outside *o, struct thing *t, struct ana_frequency *const f[2],
	double *all)
{
	struct ana_outside *row = &t->row;
	double sum[2] = { 0 };
	uint64_t n[2] = { 0 };

	for (guint i = 0; i < o->paths->len; i++) {
		const struct ana_compare_path *p = outside_path_of(o, i);
		double khz = khz_of(o, t, f, i, p->of);

		sum[p->side] += khz;
		n[p->side] += khz > 0;
	}
	if (n[0] < LEAST || n[1] < LEAST)
		return false;
	for (unsigned side = 0; side < 2; side++) {
		row->khz[side] = sum[side] / (double)n[side];
		row->share[side] = 1 - row->khz[side] / (double)row->highest;
	}
	*all = (sum[0] + sum[1]) / (double)(n[0] + n[1]);
	return true;
}

/* The share missing to the highest frequency.  A path without a known frequency must not count: it has the
 * mean of the others. */
static bool measure_frequency(const struct outside *o, struct thing *t, struct ana_frequency *const f[2])
{
	double all;

	if (!find_means(o, t, f, &all))
		return false;
	for (uint32_t i = 0; i < o->paths->len; i++) {
		const struct ana_compare_path *p = outside_path_of(o, i);
		double khz = khz_of(o, t, f, i, p->of);
		struct ana_permute_value v = { i, 1 - (khz > 0 ? khz : all) / (double)t->row.highest };

		if (v.value > 0)
			g_array_append_val(t->values, v);
	}
	return true;
}

/* Add an activity for each host of recording OF that recorded frequencies. */
static void add_frequencies(struct outside *o, unsigned of, const struct ana_frequency *f)
{
	const struct ana_fold *fold = o->c->fold;

	for (uint32_t host = 0; f && host < qry_host_count(o->c->q[of]); host++) {
		const char *name = fold->several
			? g_string_chunk_insert_const(fold->texts, qry_host(o->c->q[of], host)->name)
			: NULL;
		struct thing *t = ana_frequency_most(f, host) ? thing_of(o, ANA_OUTSIDE_FREQUENCY, name, "")
							      : NULL;

		if (t)
			t->row.highest = MAX(t->row.highest, ana_frequency_most(f, host));
	}
}

static bool look_at_frequencies(struct outside *o, GPtrArray *looked)
{
	struct ana_frequency *f[2] = { NULL };
	bool fine = true;
	guint first = o->things->len;

	for (unsigned of = 0; fine && of < 2 && o->c->q[of]; of++) {
		fine = read_frequencies(o, of, &f[of]);
		add_frequencies(o, of, f[of]);
	}
	o->c->has_frequency = o->things->len > first;
	for (guint i = first; fine && i < o->things->len; i++)
		if (measure_frequency(o, g_ptr_array_index(o->things, i), f))
			g_ptr_array_add(looked, g_ptr_array_index(o->things, i));
	ana_frequency_free(f[0]);
	ana_frequency_free(f[1]);
	return fine;
}

/* ---- activities that chance does not explain ---- */

static int by_difference(const void *a, const void *b)
{
	const struct ana_outside *x = a, *y = b;
	double dx = x->share[0] - x->share[1], dy = y->share[0] - y->share[1];

	return (dx < dy) - (dx > dy);
}

static bool judge(struct outside *o, GPtrArray *looked)
{
	g_autoptr(GPtrArray) variables = g_ptr_array_new();
	g_autofree double *p = g_new(double, looked->len + 1);
	struct ana_permute a = { .n = o->paths->len,
		.label = (const uint32_t *)(const void *)o->label->data,
		.n_groups = 2,
		.first = 1,
		.more = true,
		.variables = variables };

	for (guint i = 0; i < looked->len; i++)
		g_ptr_array_add(variables, ((struct thing *)g_ptr_array_index(looked, i))->values);
	if (!ana_permute(&a, NULL, p, o->progress))
		return false;
	for (guint i = 0; i < looked->len; i++) {
		struct thing *t = g_ptr_array_index(looked, i);

		t->row.p = p[i];
		if (p[i] <= ANA_COMPARE_SIGNIFICANT && t->row.share[0] > t->row.share[1])
			g_array_append_val(o->c->outside, t->row);
	}
	g_array_sort(o->c->outside, by_difference);
	o->c->outside_looked = looked->len;
	return true;
}

static bool outside_look(struct outside *o)
{
	g_autoptr(GPtrArray) looked = g_ptr_array_new();
	uint64_t n[2] = { 0 };

	choose_paths(o, n);
	if (n[0] < LEAST || n[1] < LEAST)
		return true;
	o->c->outside = g_array_new(FALSE, FALSE, sizeof(struct ana_outside));
	add_rows(o, 0);
	if (o->c->q[1])
		add_rows(o, 1);
	for (guint i = 0; i < o->c->fold->actors->len; i++) {
		const struct ana_fold_actor *a = &g_array_index(o->c->fold->actors, struct ana_fold_actor, i);

		if (what_of(a) < ANA_OUTSIDE_N)
			thing_of(o, what_of(a), a->host, a->name)->own = true;
	}
	choose_threads(o);
	for (guint i = 0; i < o->things->len; i++) {
		struct thing *t = g_ptr_array_index(o->things, i);

		if (t->own)
			continue;
		if (!outside_measure(o, t, n))
			return false;
		g_ptr_array_add(looked, t);
	}
	return look_at_frequencies(o, looked) && judge(o, looked);
}

bool ana_compare_outside(struct ana_compare *c, struct base_progress *progress, GError **error)
{
	struct outside o = { .c = c,
		.progress = progress,
		.things = g_ptr_array_new_with_free_func(thing_free),
		.ids = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
		.paths = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
		.label = g_array_new(FALSE, FALSE, sizeof(uint32_t)) };
	bool fine;

	if (progress)
		base_progress_set_label(progress, "measuring other activity");
	fine = outside_look(&o) || !ana_compare_stopped(progress, error);
	g_hash_table_unref(o.ids);
	g_ptr_array_unref(o.things);
	g_array_unref(o.paths);
	g_array_unref(o.label);
	return fine;
}
