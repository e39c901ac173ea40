/* SPDX-License-Identifier: MIT */
/*
 * A thousand made hosts, from summaries of real traces: other names, clocks and speeds, cases drawn anew, and on
 * twenty of them a planted cause.  And sums over several real traces, against all their cases at once.
 */
#include "analysis/ana_fixture.h"

#include "analysis/latency/latency.h"
#include "base/base_figures.h"
#include "base/base_search.h"
#include "base/base_time.h"
#include "fleet/flt_parts.h"
#include "index/idx_sample.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>

#define HOSTS 1000
#define PLANTED 20
#define FALSE_MOST 10
#define FINGERPRINT IDX_SAMPLE_FINGERPRINT

/* ---- drawing ---- */

static uint64_t state = 7;

static double uniform(void)
{
	return ((double)(base_mix_next(&state) >> 11) + 0.5) / 9007199254740992.0;
}

/* From the normal distribution (Box and Muller). */
static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * G_PI * uniform());
}

static int by_number(gconstpointer a, gconstpointer b)
{
	return BASE_ORDER(*(const int64_t *)a, *(const int64_t *)b);
}

/* A random case of S. */
static double draw(const struct base_sketch *s)
{
	uint64_t rank = (uint64_t)(uniform() * (double)s->count);
	unsigned shift;
	uint32_t i = 0;

	for (; rank >= s->classes[i].count; i++)
		rank -= s->classes[i].count;
	return (double)base_sketch_class_begin(s->classes[i].class, &shift);
}

/* ---- a made host ---- */

/* The planted cause of a host. */
struct plant {
	const char *kinds;        /* affected kinds (" a b ") */
	double slower;            /* factor for all cases of KINDS, and for the time of CAUSE */
	const char *cause, *name; /* the cause of waits that is planted */
	int64_t more;             /* ns added to CAUSE */
	unsigned pieces;          /* MORE comes in that many waits, which are also cases of KINDS */
	const char *waiters;      /* waits for threads of this name get longer by MORE, too */
};

static bool is_hit(const struct plant *p, const char *kind)
{
	g_autofree char *word = g_strdup_printf(" %s ", kind);

	return p && strstr(p->kinds, word);
}

/* The sketch TO gets as many cases as FROM, drawn from it anew, each SPEED times as long. */
static void draw_anew(struct base_sketch *to, const struct base_sketch *from, double speed, unsigned pieces,
	int64_t piece)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(int64_t));

	for (uint64_t i = 0; i < from->count + pieces; i++) {
		double x = i < from->count ? draw(from) * speed : (double)piece;
		int64_t number = (int64_t)(x * exp(0.1 * normal()));

		g_array_append_val(all, number);
	}
	g_array_sort(all, by_number);
	base_sketch_add_sorted(to, (const int64_t *)(const void *)all->data, all->len);
	g_array_unref(all);
}

static void made_kind(struct flt_summary *s, const struct flt_kind *from, double speed,
	const struct plant *plant)
{
	bool hit = is_hit(plant, from->name);
	double all = speed * exp(0.05 * normal()) * (hit ? plant->slower : 1);
	struct flt_kind *k = flt_summary_kind(s);

	k->name = g_strdup(from->name);
	for (guint i = 0; i < from->groups->len; i++) {
		const struct flt_group *old = &g_array_index(from->groups, struct flt_group, i);
		struct flt_group *g = flt_append(k->groups);

		g->name = g_strdup(old->name);
		draw_anew(&g->sketch, &old->sketch, all, hit && i == 0 ? plant->pieces : 0,
			hit && plant->pieces ? plant->more / plant->pieces : 0);
		base_sketch_join(&k->all, &g->sketch);
	}
	if (from->groups->len == 0)
		draw_anew(&k->all, &from->all, all, hit ? plant->pieces : 0,
			hit && plant->pieces ? plant->more / plant->pieces : 0);
}

static void made_causes(struct flt_summary *s, const struct flt_summary *from, double speed,
	const struct plant *plant)
{
	bool found = false;

	for (guint i = 0; i < from->causes->len; i++) {
		const struct flt_cause *old = &g_array_index(from->causes, struct flt_cause, i);
		struct flt_cause *c = flt_append(s->causes);
		bool hit = plant && g_str_equal(old->kind, plant->cause) &&
			g_strcmp0(old->name, plant->name) == 0,
		     waits = plant && g_str_equal(old->kind, "thread") &&
			g_strcmp0(old->name, plant->waiters) == 0;
		/* A sum of few waits varies more from host to host. */
		double scale = speed * exp(normal() * (old->sum.count < 4 ? 0.6 : 0.2));

		found |= hit;
		c->kind = g_strdup(old->kind);
		c->name = g_strdup(old->name);
		c->own_sleep = old->own_sleep;
		scale *= hit ? plant->slower : 1;
		c->sum = old->sum;
		c->sum.time = (base_wide)((double)old->sum.time * scale) + (hit || waits ? plant->more : 0);
		c->sum.squares = (base_uwide)((double)old->sum.squares * scale * scale);
		c->sum.longest = (int64_t)((double)old->sum.longest * scale);
	}
	if (plant && !found) {
		struct flt_cause *c = flt_append(s->causes);

		c->kind = g_strdup(plant->cause);
		c->name = g_strdup(plant->name);
		for (unsigned i = 0; i < plant->pieces; i++)
			flt_sum_add(&c->sum, plant->more / plant->pieces);
	}
}

static struct flt_summary *made_host(const struct flt_summary *from, const char *name,
	const struct plant *plant)
{
	struct flt_summary *s = flt_summary_new();
	double speed = exp(0.1 * normal());

	s->host = g_strdup(name);
	s->trace = g_strdup_printf("/traces/%s", name);
	s->from = from->from + (int64_t)(uniform() * 1e15); /* its clock */
	s->to = s->from + (int64_t)((double)(from->to - from->from) * speed);
	s->events = from->events;
	s->cpus = from->cpus;
	for (guint i = 0; i < from->kinds->len; i++)
		made_kind(s, &g_array_index(from->kinds, struct flt_kind, i), speed, plant);
	made_causes(s, from, speed, plant);
	return s;
}

/* ---- a thousand ---- */

/* FROM, or one of the base traces in turn. */
static GPtrArray *made_fleet(const char *folder, const struct flt_summary *const *from, unsigned bases,
	const struct plant *plants, unsigned n_plants)
{
	GPtrArray *sources = g_ptr_array_new_with_free_func(flt_source_free);

	for (unsigned i = 0; i < HOSTS; i++) {
		const struct plant *plant = i < PLANTED ? &plants[i % n_plants] : NULL;
		g_autofree char *name = g_strdup_printf(plant ? "bad-%u-%03u" : "sound-%u-%03u", i % n_plants,
					i),
				*path = g_strdup_printf("%s/%s.wpm", folder, name);
		struct flt_summary *s = made_host(from[plant ? 0 : i % bases], name, plant);
		GError *error = NULL;

		flt_summary_write(s, path, FINGERPRINT, &error);
		g_assert_no_error(error);
		flt_summary_free(s);
		g_ptr_array_add(sources, flt_source_new(NULL, path));
	}
	return sources;
}

static void remove_fleet(char *folder, GPtrArray *sources)
{
	for (guint i = 0; i < sources->len; i++)
		g_unlink(((struct flt_source *)g_ptr_array_index(sources, i))->path);
	g_ptr_array_unref(sources);
	g_rmdir(folder);
	g_free(folder);
}

/* All planted hosts stand out, by their cause, and hardly any other. */
static void check_fleet(const struct flt_fleet *f, const struct plant *plants)
{
	unsigned found = 0, right = 0, wrong = 0;

	g_assert_cmpuint(f->hosts->len, ==, HOSTS);
	for (guint i = 0; i < f->hosts->len; i++) {
		const struct flt_host *h = &g_array_index(f->hosts, struct flt_host, i);
		bool bad = g_str_has_prefix(h->name, "bad-");
		const struct plant *plant = bad ? &plants[h->name[4] - '0'] : NULL;
		const struct flt_fleet_cause *c = h->cause == MDL_NONE
			? NULL
			: &g_array_index(f->causes, struct flt_fleet_cause, h->cause);

		found += bad && h->stands_out;
		wrong += !bad && h->stands_out;
		if (bad && c && g_str_equal(c->kind, plant->cause) && g_strcmp0(c->name, plant->name) == 0)
			right++;
		else if (bad)
			g_test_message("%s: %s %s, p %g, cause %s %s", h->name,
				h->stands_out ? "stands out" : "is missed",
				h->kind == MDL_NONE
					? ""
					: g_array_index(f->kinds, struct flt_fleet_kind, h->kind).name,
				h->p, c ? c->kind : "none", c ? c->name : "");
		else if (h->stands_out)
			g_test_message("%s is false: %s %s, p %g", h->name,
				g_array_index(f->kinds, struct flt_fleet_kind, h->kind).name,
				flt_measure_name(h->measure), h->p);
	}
	g_test_message("%u of %u found, %u with the cause first, %u false", found, PLANTED, right, wrong);
	g_assert_cmpuint(found, ==, PLANTED);
	g_assert_cmpuint(right, ==, PLANTED);
	g_assert_cmpuint(wrong, <=, FALSE_MOST);
}

static struct flt_summary *summary_of(const char *trace)
{
	struct ana_fixture *f = ana_fixture_open(trace);
	GError *error = NULL;
	struct flt_summary *s = f ? flt_summary_make(ana_fixture_qry(f), NULL, &error) : NULL;

	g_assert_no_error(error);
	return s;
}

static const struct plant disk = { " block block-device waits:block ", 4, "block", "vdb", 0, 0, NULL };
/* A program that only these hosts run takes the CPU 60 times for 3 ms; threads that wait for the
 * preempted threads wait that much longer. */
static const struct plant hog = { " wakeup wait-cpu waits:wait-cpu ", 1, "wait-cpu", "backup", 180000000, 60,
	"wk-stage1" };

static void check_made(const char *const *traces, unsigned n, const struct plant *plants, unsigned n_plants)
{
	const struct flt_summary *from[4];
	char *folder = g_dir_make_tmp("fleet-XXXXXX", NULL);
	GPtrArray *sources;
	struct flt_fleet *f;
	gint64 began;
	GError *error = NULL;

	for (unsigned i = 0; i < n; i++) {
		from[i] = summary_of(traces[i]);
		if (!from[i]) {
			g_test_skip("a trace is not there");
			return;
		}
	}
	state = 7;
	sources = made_fleet(folder, from, n, plants, n_plants);
	began = g_get_monotonic_time();
	f = flt_fleet_new(sources, NULL, NULL, &error);
	g_assert_no_error(error);
	g_test_message("%u hosts in %.2f s", f->hosts->len, (double)(g_get_monotonic_time() - began) / 1e6);
	check_fleet(f, plants);
	flt_fleet_free(f);
	for (unsigned i = 0; i < n; i++)
		flt_summary_free((struct flt_summary *)(uintptr_t)from[i]);
	remove_fleet(folder, sources);
}

static void test_slow_disk(void)
{
	check_made((const char *const[]){ "ioburst-ipi" }, 1, &disk, 1);
}

static void test_hog(void)
{
	check_made((const char *const[]){ "pipeline" }, 1, &hog, 1);
}

/* Two causes, each on ten hosts. */
static void test_both(void)
{
	const struct plant both[] = { disk, hog };

	check_made((const char *const[]){ "ioburst-ipi" }, 1, both, 2);
}

/* No cause is planted: hardly any host stands out. */
static void test_sound(void)
{
	const struct plant none = { " ", 1, "block", "vdb", 0, 0, NULL };
	const struct flt_summary *from = summary_of("pipeline");
	char *folder = g_dir_make_tmp("fleet-XXXXXX", NULL);
	GPtrArray *sources;
	struct flt_fleet *f;

	if (!from) {
		g_test_skip("pipeline is not there");
		return;
	}
	state = 11;
	sources = made_fleet(folder, &from, 1, &none, 1);
	f = flt_fleet_new(sources, NULL, NULL, NULL);
	g_test_message("%u of %u stand out", f->standing, f->hosts->len);
	g_assert_cmpuint(f->standing, <=, 2);
	flt_fleet_free(f);
	flt_summary_free((struct flt_summary *)(uintptr_t)from);
	remove_fleet(folder, sources);
}

/* ---- merged against all at once ---- */

/* Adds all latencies of KIND in Q to VALUES.  False if it was not recorded. */
static bool take_values(struct qry *q, const char *kind, GArray *values)
{
	const struct ana_latency_options options = { .kind = kind,
		.row = MDL_NONE,
		.from = BASE_TIME_NONE,
		.to = BASE_TIME_NONE,
		.values = true };
	struct ana_latency *l = ana_latency_new(q, &options, NULL, NULL);

	if (!l)
		return false;
	g_array_append_vals(values, l->values->data, l->values->len);
	ana_latency_free(l);
	return true;
}

static const struct flt_fleet_kind *find_kind(const struct flt_fleet *f, const char *name)
{
	for (guint i = 0; i < f->kinds->len; i++)
		if (g_str_equal(g_array_index(f->kinds, struct flt_fleet_kind, i).name, name))
			return &g_array_index(f->kinds, struct flt_fleet_kind, i);
	return NULL;
}

static void check_merged(const struct flt_fleet *f, const char *kind, GArray *values)
{
	static const double shares[] = { 0.01, 0.5, 0.9, 0.99, 0.999 };
	const struct flt_fleet_kind *k = find_kind(f, kind);
	base_wide sum = 0;

	g_assert_nonnull(k);
	g_array_sort(values, by_number);
	for (guint i = 0; i < values->len; i++)
		sum += g_array_index(values, int64_t, i);
	g_assert_cmpuint(k->all.count, ==, values->len);
	g_assert_true(k->all.sum == sum);
	for (gsize i = 0; values->len > 0 && i < G_N_ELEMENTS(shares); i++) {
		guint rank = (guint)MAX(ceil(shares[i] * values->len), 1);
		double exact = (double)g_array_index(values, int64_t, rank - 1),
		       told = (double)base_sketch_quantile(&k->all, shares[i]);

		g_assert_cmpfloat(fabs(told - exact), <=, fabs(exact) * BASE_SKETCH_ERROR + 0.5);
	}
}

static void test_merged(void)
{
	static const char *const traces[] = { "pipeline", "preempt", "ioburst-ipi", "lockfight", "pulse" };
	const char *const *kinds = ana_latency_kinds();
	char *folder = g_dir_make_tmp("fleet-XXXXXX", NULL);
	GPtrArray *sources = g_ptr_array_new_with_free_func(flt_source_free);
	struct flt_fleet *f;
	unsigned compared = 0;

	for (gsize i = 0; i < G_N_ELEMENTS(traces); i++) {
		struct flt_summary *s = summary_of(traces[i]);
		g_autofree char *path = g_strdup_printf("%s/%s.wpm", folder, traces[i]);

		if (!s)
			continue;
		flt_summary_write(s, path, FINGERPRINT, NULL);
		flt_summary_free(s);
		g_ptr_array_add(sources, flt_source_new(traces[i], path));
	}
	if (sources->len == 0) {
		g_test_skip("no trace is there");
		return;
	}
	f = flt_fleet_new(sources, NULL, NULL, NULL);
	for (unsigned k = 0; kinds[k]; k++) {
		GArray *values = g_array_new(FALSE, FALSE, sizeof(int64_t));
		bool any = false;

		for (guint i = 0; i < sources->len; i++) {
			const struct flt_source *s = g_ptr_array_index(sources, i);

			any |= take_values(ana_fixture_qry(ana_fixture_open(s->host)), kinds[k], values);
		}
		if (any) {
			check_merged(f, kinds[k], values);
			compared++;
		}
		g_array_unref(values);
	}
	g_assert_cmpuint(compared, >=, 15);
	flt_fleet_free(f);
	remove_fleet(folder, sources);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/fleet/merged", test_merged);
	g_test_add_func("/fleet/slow-disk", test_slow_disk);
	g_test_add_func("/fleet/hog", test_hog);
	g_test_add_func("/fleet/both", test_both);
	g_test_add_func("/fleet/sound", test_sound);
	return ana_fixture_run();
}
