/* SPDX-License-Identifier: MIT */
/*
 * Which hosts stand out, and by what.
 *
 * HOW IT WORKS
 *
 * A host is measured by the mean, p50 and p99 of each kind of latency, and by the time that it lost to waits
 * of each kind; kinds that idle threads make long (is_idle()) do not count, unless the user asks for one of
 * them. Each measure is compared as a logarithm, because hosts differ by factors. Most hosts are taken to be
 * sound: the median of all of them is the centre, and 1.4826 × MAD (the median of the distances from it) is
 * the spread, which bad hosts cannot widen (F. R. Hampel, "The influence curve and its role in robust
 * estimation", JASA 69, 1974). Both are the null hypothesis, which is thus estimated from the data (B. Efron,
 * "Large-scale simultaneous hypothesis testing: the choice of a null hypothesis", JASA 99, 2004). If a host
 * has fewer cases than the median host, the variance by chance of a mean of so few cases is added. The spread
 * is at least 3 %, so that hosts do not stand out if all hosts are nearly equal.
 *
 * The time by which a host exceeds the median host must come from several cases, not from one or two. So the
 * longest case is left out, and the distance in spreads is at most 1.5 √n, where n = (that time)² / Σx² over
 * its cases x: for n equal cases this is n.
 *
 * Hosts of different roles do different work: each is compared with those of its own role, as if there were
 * no others.
 *
 * The normal distribution gives the one-sided probability of a distance this large or larger by chance. The
 * probability of a host is the smallest one of its measures, times their number (Bonferroni). Hosts stand out
 * by the procedure of Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate", JRSS B 57, 1995:
 * of the hosts that stand out, at most 5 % are expected to be false. The p in the output is corrected in the
 * same way, over the hosts of all roles together.
 *
 * The cause of a host is what took more of its time than of the median host's, in ns per second, by at least
 * three spreads. A cause that explains the kind by which the host stands out comes first. Next come causes at
 * which critical paths end, if they have at least a tenth of the largest excess. Other causes come last. For
 * a wait for another thread or the network, the path goes on: what that thread waited for is a cause of its
 * own. A timer that ends a wait was set for that, and some devices have no data for a long time. Sleeps that
 * threads end themselves are no causes.
 */
#include "fleet/flt_parts.h"

#include "analysis/kind/kind.h"
#include "base/base_search.h"
#include "base/base_time.h"

#include <math.h>
#include <string.h>

#define MAD_TO_SPREAD 1.4826 /* for a normal distribution */
#define SPREAD_LEAST 0.03    /* least spread, of a logarithm */
#define CASES_LEAST 20       /* least number of cases of a kind on a host */
#define P99_CASES_LEAST 400  /* least number of cases for a p99: four are above it */
#define SPREADS_LEAST 3      /* spreads by which a cause must exceed that of the median host */
#define PER_PIECE 1.5        /* limit of the distance in spreads, times the root of pieces_of() */
/* ns per ns: added to what each host lost, so that hosts that lose nearly nothing are alike */
#define SLEEPY 0.01
#define SECOND 1e9
#define ENDS_LEAST 0.1   /* least part of the largest excess, for ENDS */
#define NOTHING "wakeup" /* the kind that is shown for hosts that do not stand out */

/* ---- numbers ---- */

static int by_number(gconstpointer a, gconstpointer b)
{
	return BASE_ORDER(*(const double *)a, *(const double *)b);
}

/* The median of NUMBERS (of double), which get sorted, and of as many zeros as make them N. */
static double median(GArray *numbers, guint n)
{
	guint zeros = n - numbers->len;

	g_array_sort(numbers, by_number);
	return n / 2 < zeros ? 0 : g_array_index(numbers, double, n / 2 - zeros);
}

/* The probability that a standard normal value is at least Z. */
static double tail(double z)
{
	return erfc(z / sqrt(2)) / 2;
}

/* ---- one measure of all hosts ---- */

struct test {
	struct flt_fleet *f;
	const char *role; /* role of the compared hosts; NULL: hosts without a role */
	uint32_t kind;
	enum flt_measure measure;
	double centre, spread; /* of logarithms */
	/* of the median host: relative variance of a case (chance_of()), and number of cases */
	double factor, cases;
};

/* The measure by which a host is farthest above the others, so far. */
struct best {
	double z;
	struct test of;
	unsigned tests; /* number of measures that the host had */
};

static bool has_role(const struct flt_host *h, const char *role)
{
	return g_strcmp0(h->role, role) == 0;
}

static const struct flt_figures *figures_at(const struct flt_host *h, uint32_t kind)
{
	const struct flt_figures *of = kind < h->figures->len
		? &g_array_index(h->figures, struct flt_figures, kind)
		: NULL;

	return of && of->recorded ? of : NULL;
}

/* The logarithm of MEASURE; NAN: the host has too few cases for it. */
static double logarithm_of(const struct flt_figures *of, enum flt_measure measure)
{
	uint64_t least = measure == FLT_P99 ? P99_CASES_LEAST : measure == FLT_RATE ? 0 : CASES_LEAST;

	if (!of || of->count < least || of->value[measure] == BASE_TIME_NONE || of->value[measure] < 0)
		return NAN;
	return log((double)of->value[measure] + (measure == FLT_RATE ? SLEEPY * SECOND : 1));
}

/* The variance of the length of a case, relative to the square of the mean. */
static double factor_of(const struct flt_figures *of)
{
	double n = (double)of->count - 1, mean = of->total / MAX(n, 1);

	return mean > 0 ? MAX(of->squares / MAX(n, 1) / mean / mean - 1, 0) : 0;
}

/* The relative variance of a measure by chance, times the number of cases. For a rate, the number of cases
 * varies by chance, too. */
static double chance_of(const struct flt_figures *of, enum flt_measure measure)
{
	return factor_of(of) + (measure == FLT_RATE ? 1 : 0);
}

/* Set centre and spread of T.  False if too few hosts have the measure. */
static bool test_begin(struct test *t)
{
	g_autoptr(GArray) values = g_array_new(FALSE, FALSE, sizeof(double)),
			  off = g_array_new(FALSE, FALSE, sizeof(double)),
			  factors = g_array_new(FALSE, FALSE, sizeof(double)),
			  cases = g_array_new(FALSE, FALSE, sizeof(double));

	for (guint i = 0; i < t->f->hosts->len; i++) {
		const struct flt_host *h = &g_array_index(t->f->hosts, struct flt_host, i);
		const struct flt_figures *of = has_role(h, t->role) ? figures_at(h, t->kind) : NULL;
		double x = logarithm_of(of, t->measure), n = of ? (double)of->count : 0,
		       factor = of ? chance_of(of, t->measure) : 0;

		if (isnan(x))
			continue;
		g_array_append_val(values, x);
		g_array_append_val(factors, factor);
		g_array_append_val(cases, n);
	}
	if (values->len < FLT_FEWEST)
		return false;
	t->centre = median(values, values->len);
	for (guint i = 0; i < values->len; i++) {
		double distance = fabs(g_array_index(values, double, i) - t->centre);

		g_array_append_val(off, distance);
	}
	t->spread = MAX(MAD_TO_SPREAD * median(off, off->len), SPREAD_LEAST);
	t->factor = median(factors, factors->len);
	t->cases = median(cases, cases->len);
	return true;
}

/* The value of the median host, ns. */
static double typical_of(const struct test *t)
{
	return MAX(exp(t->centre) - (t->measure == FLT_RATE ? SLEEPY * SECOND : 1), 0);
}

/* The number of equal cases that would make up the time by which OF exceeds the median host. */
static double pieces_of(const struct test *t, const struct flt_figures *of, int64_t length)
{
	double typical = typical_of(t), more;

	more = t->measure == FLT_RATE ? of->total - typical * (double)length / SECOND
				      : of->total - typical * (double)(of->count - 1);
	return more > 0 && of->squares > 0 ? more * more / of->squares : 0;
}

/* How far the host is above the centre, in spreads; NAN: it cannot be compared. */
static double distance_of(const struct test *t, const struct flt_host *h)
{
	const struct flt_figures *of = figures_at(h, t->kind);
	double x = logarithm_of(of, t->measure), chance, z;

	if (isnan(x))
		return NAN;
	if (t->measure == FLT_P50 || t->measure == FLT_P99)
		return (x - t->centre) / hypot(t->spread, of->spread[t->measure]);
	chance = MAX(t->factor / MAX((double)of->count, 1) - t->factor / MAX(t->cases, 1), 0);
	z = (x - t->centre) / sqrt(t->spread * t->spread + chance);
	return MIN(z, PER_PIECE * sqrt(pieces_of(t, of, h->to - h->from)));
}

/* True if the length of cases of KIND says how much there was to do rather than how slow the host was. */
static bool is_idle(const char *kind)
{
	static const char *const idle[] = { "off-cpu", "blocked", "syscall", FLT_WAITS "timer",
		FLT_WAITS "network", FLT_WAITS "irq", FLT_WAITS "user-input", FLT_WAITS "unknown" };

	for (gsize i = 0; i < G_N_ELEMENTS(idle); i++)
		if (g_str_equal(kind, idle[i]))
			return true;
	return false;
}

static void run_test(struct test t, struct best *best)
{
	if (!test_begin(&t))
		return;
	for (guint i = 0; i < t.f->hosts->len; i++) {
		const struct flt_host *h = &g_array_index(t.f->hosts, struct flt_host, i);
		double z = has_role(h, t.role) ? distance_of(&t, h) : NAN;

		if (isnan(z))
			continue;
		if (best[i].tests++ == 0 || z > best[i].z) {
			best[i].z = z;
			best[i].of = t;
		}
	}
}

/* ---- all measures ---- */

struct ranked {
	double p;
	guint host;
};

static int by_p(gconstpointer a, gconstpointer b)
{
	const struct ranked *x = a, *y = b;

	return BASE_BY(x, y, p) ?: BASE_BY(x, y, host);
}

/* Set the probability of each host, corrected for the number of hosts, and find the hosts that stand out. */
static void correct(struct flt_fleet *f, const struct best *best)
{
	g_autoptr(GArray) ranks = g_array_new(FALSE, FALSE, sizeof(struct ranked));
	double least = 1;

	for (guint i = 0; i < f->hosts->len; i++) {
		struct ranked one = { MIN(tail(best[i].z) * best[i].tests, 1), i };

		if (best[i].tests > 0)
			g_array_append_val(ranks, one);
	}
	g_array_sort(ranks, by_p);
	f->judged = ranks->len;
	for (guint i = ranks->len; i-- > 0;) {
		const struct ranked *r = &g_array_index(ranks, struct ranked, i);
		struct flt_host *h = &g_array_index(f->hosts, struct flt_host, r->host);

		least = MIN(least, r->p * ranks->len / (i + 1));
		h->p = least;
		h->stands_out = least <= FLT_FALSE && best[r->host].z > 0;
		f->standing += h->stands_out;
	}
}

/* Set kind, measure and figures of H: by B if H stands out, otherwise of KIND. */
static void tell(struct flt_host *h, const struct best *b, uint32_t kind)
{
	const struct flt_figures *of;

	h->kind = b->tests > 0 && h->stands_out ? b->of.kind : kind;
	of = h->kind == MDL_NONE ? NULL : figures_at(h, h->kind);
	if (of) {
		h->count = of->count;
		h->p50 = of->value[FLT_P50];
		h->p99 = of->value[FLT_P99];
	}
	if (!of || b->tests == 0 || b->of.kind != h->kind)
		return;
	h->measure = b->of.measure;
	h->value = of->value[b->of.measure];
	h->typical = (int64_t)typical_of(&b->of);
}

/* ---- causes ---- */

struct sighting {
	guint host;
	const struct flt_seen *seen;
};

/* Where each cause, or step, was seen: by id, an array of struct sighting; the caller unrefs. */
static GPtrArray *sightings_of(const struct flt_fleet *f, guint n, bool steps)
{
	GPtrArray *all = g_ptr_array_new_full(n, (GDestroyNotify)g_array_unref);

	for (guint i = 0; i < n; i++)
		g_ptr_array_add(all, g_array_new(FALSE, FALSE, sizeof(struct sighting)));
	for (guint i = 0; i < f->hosts->len; i++) {
		const struct flt_host *h = &g_array_index(f->hosts, struct flt_host, i);
		const GArray *of = steps ? h->steps : h->causes;

		for (guint k = 0; k < of->len; k++) {
			struct sighting one = { i, &g_array_index(of, struct flt_seen, k) };

			g_array_append_val(g_ptr_array_index(all, one.seen->id), one);
		}
	}
	return all;
}

/* The typical values of the hosts of ROLE, or if ANY of all hosts. */
static void find_typical(struct flt_fleet *f, const GPtrArray *sightings, bool any, const char *role)
{
	guint n = 0;

	for (guint i = 0; i < f->hosts->len; i++)
		n += any || has_role(&g_array_index(f->hosts, struct flt_host, i), role);
	if (n == 0)
		return;
	for (guint i = 0; i < f->causes->len; i++) {
		struct flt_fleet_cause *c = &g_array_index(f->causes, struct flt_fleet_cause, i);
		const GArray *seen = g_ptr_array_index(sightings, i);
		g_autoptr(GArray) rates = g_array_new(FALSE, FALSE, sizeof(double)),
				  off = g_array_new(FALSE, FALSE, sizeof(double));

		for (guint k = 0; k < seen->len; k++) {
			const struct sighting *s = &g_array_index(seen, struct sighting, k);

			if (any || has_role(&g_array_index(f->hosts, struct flt_host, s->host), role))
				g_array_append_val(rates, s->seen->rate);
		}
		c->typical = median(rates, n);
		for (guint k = 0; c->typical > 0 && k < n; k++) {
			double distance = k < rates->len ? fabs(g_array_index(rates, double, k) - c->typical)
							 : c->typical;

			g_array_append_val(off, distance);
		}
		c->spread = MAD_TO_SPREAD * median(off, n);
	}
}

/* True if critical paths go on after waits for C, or if the thread waited on purpose. */
static bool goes_on(const struct flt_fleet_cause *c)
{
	static const enum ana_kind kinds[] = { ANA_KIND_THREAD, ANA_KIND_NETWORK, ANA_KIND_TIMER,
		ANA_KIND_IRQ, ANA_KIND_USER_INPUT, ANA_KIND_WORKQUEUE, ANA_KIND_SIGNAL, ANA_KIND_FORK,
		ANA_KIND_UNKNOWN };

	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (g_str_equal(c->kind, ana_kind_name(kinds[i])))
			return true;
	return false;
}

/* The kind of causes that make cases of KIND long; static, or within KIND; NULL: any. */
static const char *explains(const char *kind)
{
	static const struct {
		const char *kind;
		enum ana_kind by;
	} all[] = { { "wakeup", ANA_KIND_WAIT_CPU }, { "wait-cpu", ANA_KIND_WAIT_CPU },
		{ "preempted", ANA_KIND_PREEMPTED }, { "return", ANA_KIND_PREEMPTED },
		{ "block", ANA_KIND_BLOCK }, { "block-queue", ANA_KIND_BLOCK },
		{ "block-device", ANA_KIND_BLOCK }, { "futex", ANA_KIND_THREAD },
		{ "network", ANA_KIND_NETWORK } };

	if (g_str_has_prefix(kind, FLT_WAITS))
		return kind + strlen(FLT_WAITS);
	for (gsize i = 0; i < G_N_ELEMENTS(all); i++)
		if (g_str_equal(kind, all[i].kind))
			return ana_kind_name(all[i].by);
	return NULL;
}

/* Ranks of causes: those that explain the kind by which the host stands out; others at which critical paths
 * end; the rest. */
enum { EXPLAINS, ENDS, GOES_ON, RANKS };

static void find_cause(const struct flt_fleet *f, struct flt_host *h)
{
	const char *wanted = explains(g_array_index(f->kinds, struct flt_fleet_kind, h->kind).name);
	double most[RANKS] = { 0 }, all = 0;
	uint32_t id[RANKS] = { MDL_NONE, MDL_NONE, MDL_NONE };

	for (guint i = 0; i < h->causes->len; i++) {
		const struct flt_seen *seen = &g_array_index(h->causes, struct flt_seen, i);
		const struct flt_fleet_cause *c = &g_array_index(f->causes, struct flt_fleet_cause, seen->id);
		double more = seen->rate - c->typical;
		unsigned rank = wanted && g_str_equal(c->kind, wanted) ? EXPLAINS
			: goes_on(c)                                   ? GOES_ON
								       : ENDS;

		if (c->own_sleep || !c->name || more <= most[rank] || more < SPREADS_LEAST * c->spread)
			continue;
		most[rank] = more;
		all = MAX(all, more);
		id[rank] = seen->id;
	}
	for (unsigned rank = 0; rank < RANKS; rank++) {
		if (id[rank] == MDL_NONE || (rank == ENDS && most[rank] < ENDS_LEAST * all))
			continue;
		h->cause = id[rank];
		h->excess = (int64_t)most[rank];
		return;
	}
}

/* ---- hosts that stand out against the others ---- */

enum { STANDS_OUT, IS_LIKE, IS_APART };

/* The side of H in the comparison of the hosts that stand out with others of their roles. */
static unsigned side_of(const struct flt_fleet *f, const struct flt_host *h)
{
	for (guint i = 0; !h->stands_out && i < f->hosts->len; i++) {
		const struct flt_host *other = &g_array_index(f->hosts, struct flt_host, i);

		if (other->stands_out && has_role(other, h->role))
			return IS_LIKE;
	}
	return h->stands_out ? STANDS_OUT : IS_APART;
}

/* The means of SEEN over the N[0] hosts that stand out, and over the N[1] others of their roles. SIDES has
 * the side of each host. */
static struct flt_difference difference_of(const guint *sides, const GArray *seen, const guint *n)
{
	struct flt_difference d = { 0 };

	for (guint i = 0; i < seen->len; i++) {
		const struct sighting *s = &g_array_index(seen, struct sighting, i);
		bool slow = sides[s->host] == STANDS_OUT;

		if (sides[s->host] == IS_APART)
			continue;
		*(slow ? &d.slow : &d.fast) += s->seen->rate / n[slow ? 0 : 1];
		(*(slow ? &d.slow_hosts : &d.fast_hosts))++;
	}
	return d;
}

static int by_difference(gconstpointer a, gconstpointer b)
{
	const struct flt_difference *x = a, *y = b;

	return strcmp(y->set, x->set) ?: BASE_ORDER(y->slow - y->fast, x->slow - x->fast)
		?: g_strcmp0(x->kind, y->kind) ?: g_strcmp0(x->name, y->name);
}

static void find_differences(struct flt_fleet *f, const GPtrArray *causes)
{
	g_autoptr(GPtrArray) steps = sightings_of(f, f->steps->len, true);
	guint *sides = g_new(guint, f->hosts->len + 1), n[3] = { 0 };

	for (guint i = 0; i < f->hosts->len; i++)
		n[sides[i] = side_of(f, &g_array_index(f->hosts, struct flt_host, i))]++;
	for (guint i = 0; n[IS_LIKE] > 0 && i < f->causes->len; i++) {
		const struct flt_fleet_cause *c = &g_array_index(f->causes, struct flt_fleet_cause, i);
		struct flt_difference d = difference_of(sides, g_ptr_array_index(causes, i), n);

		d.set = "waits";
		d.kind = c->kind;
		d.name = c->name;
		if (!c->own_sleep)
			g_array_append_val(f->differences, d);
	}
	for (guint i = 0; n[IS_LIKE] > 0 && i < f->steps->len; i++) {
		const struct flt_fleet_step *step = &g_array_index(f->steps, struct flt_fleet_step, i);
		struct flt_difference d = difference_of(sides, g_ptr_array_index(steps, i), n);

		d.set = step->set;
		d.name = step->text;
		g_array_append_val(f->differences, d);
	}
	g_array_sort(f->differences, by_difference);
	g_free(sides);
}

/* ---- order ---- */

static int by_standing(gconstpointer a, gconstpointer b, gpointer fleet)
{
	const struct flt_fleet *f = fleet;
	const struct flt_host *x = &g_array_index(f->hosts, struct flt_host, *(const guint *)a),
			      *y = &g_array_index(f->hosts, struct flt_host, *(const guint *)b);
	double x_p = isnan(x->p) ? 2 : x->p, y_p = isnan(y->p) ? 2 : y->p;

	return BASE_ORDER(y->stands_out, x->stands_out) ?: BASE_ORDER(x_p, y_p) ?: BASE_BY(y, x, excess)
		?: BASE_ORDER(*(const guint *)a, *(const guint *)b);
}

static int by_cause_time(gconstpointer a, gconstpointer b, gpointer fleet)
{
	const struct flt_fleet *f = fleet;
	const struct flt_fleet_cause *x = &g_array_index(f->causes, struct flt_fleet_cause,
					     *(const guint *)a),
				     *y = &g_array_index(f->causes, struct flt_fleet_cause,
					     *(const guint *)b);

	return BASE_ORDER(y->sum.time, x->sum.time) ?: BASE_ORDER(*(const guint *)a, *(const guint *)b);
}

/* Sort ARRAY by ORDER, which compares places in it.  Returns where each element went; the caller frees. */
static guint *permute(GArray *array, GCompareDataFunc order, struct flt_fleet *f)
{
	gsize size = g_array_get_element_size(array), bytes = array->len * size;
	guint *from = g_new(guint, array->len + 1), *to = g_new(guint, array->len + 1);
	g_autofree char *old = g_memdup2(array->data, bytes);

	for (guint i = 0; i < array->len; i++)
		from[i] = i;
	g_qsort_with_data(from, (gint)array->len, sizeof *from, order, f);
	for (guint i = 0; i < array->len; i++) {
		memcpy(array->data + i * size, old + from[i] * size, size);
		to[from[i]] = i;
	}
	g_free(from);
	return to;
}

static void move_host(uint32_t *host, const guint *to)
{
	if (*host != MDL_NONE)
		*host = to[*host];
}

static void sort_all(struct flt_fleet *f)
{
	guint *hosts = permute(f->hosts, by_standing, f), *causes = permute(f->causes, by_cause_time, f);

	for (guint i = 0; i < f->kinds->len; i++)
		move_host(&g_array_index(f->kinds, struct flt_fleet_kind, i).slowest, hosts);
	for (guint i = 0; i < f->groups->len; i++)
		move_host(&g_array_index(f->groups, struct flt_fleet_kind, i).slowest, hosts);
	for (guint i = 0; i < f->worst->len; i++)
		move_host(&g_array_index(f->worst, struct flt_fleet_case, i).host, hosts);
	for (guint i = 0; i < f->causes->len; i++)
		move_host(&g_array_index(f->causes, struct flt_fleet_cause, i).most, hosts);
	for (guint i = 0; i < f->hosts->len; i++)
		move_host(&g_array_index(f->hosts, struct flt_host, i).cause, causes);
	g_free(hosts);
	g_free(causes);
}

/* Measure the hosts of ROLE. */
static void run_tests(struct flt_fleet *f, uint32_t kind, const char *role, struct best *best)
{
	for (uint32_t k = 0; k < f->kinds->len; k++) {
		bool asked = kind == MDL_NONE
			? !is_idle(g_array_index(f->kinds, struct flt_fleet_kind, k).name)
			: kind == k;

		for (unsigned m = 0; asked && m < FLT_MEASURES; m++)
			run_test((struct test){ .f = f, .role = role, .kind = k, .measure = m }, best);
	}
}

/* Set kind, measure and figures of the hosts of ROLE (tell()). */
static void tell_all(struct flt_fleet *f, const GPtrArray *causes, uint32_t kind, const char *role,
	const struct best *best)
{
	find_typical(f, causes, false, role);
	for (guint i = 0; i < f->hosts->len; i++) {
		struct flt_host *h = &g_array_index(f->hosts, struct flt_host, i);

		if (!has_role(h, role))
			continue;
		tell(h, &best[i], kind);
		if (h->stands_out)
			find_cause(f, h);
	}
}

void flt_judge(struct flt_fleet *f, uint32_t kind)
{
	struct best *best = g_new0(struct best, f->hosts->len + 1);
	g_autoptr(GPtrArray) causes = sightings_of(f, f->causes->len, false);
	uint32_t told = kind == MDL_NONE ? GPOINTER_TO_UINT(g_hash_table_lookup(f->kind_ids, NOTHING)) - 1
					 : kind;

	g_ptr_array_add(f->roles, NULL); /* hosts without a role */
	for (guint i = 0; i < f->roles->len; i++)
		run_tests(f, kind, f->roles->pdata[i], best);
	correct(f, best);
	for (guint i = 0; i < f->roles->len; i++)
		tell_all(f, causes, told, f->roles->pdata[i], best);
	g_ptr_array_set_size(f->roles, (gint)f->roles->len - 1);
	find_typical(f, causes, true, NULL);
	g_free(best);
	find_differences(f, causes);
	sort_all(f);
}
