/* SPDX-License-Identifier: MIT */
/* Sketches and summaries: the content comes back, sums are exact, quantiles within the stated error, and
 * damage is found. */
#include "base/base_error.h"
#include "base/base_search.h"
#include "fleet/flt_parts.h"
#include "index/idx_mutate.h"
#include "index/idx_sample.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

/* ---- sketches ---- */

static int by_number(gconstpointer a, gconstpointer b)
{
	return BASE_ORDER(*(const int64_t *)a, *(const int64_t *)b);
}

/* N numbers with the distribution of latencies: over many powers of two, some of them 0 or negative. */
static GArray *made_numbers(GRand *random, guint n)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(int64_t));

	for (guint i = 0; i < n; i++) {
		int64_t number = (int64_t)exp2(g_rand_double_range(random, 0, 62));

		if (g_rand_int_range(random, 0, 20) == 0)
			number = g_rand_int_range(random, -300, 300);
		g_array_append_val(all, number);
	}
	g_array_sort(all, by_number);
	return all;
}

/* Checks S against all NUMBERS. */
static void check_sketch(const struct base_sketch *s, const GArray *numbers)
{
	static const double shares[] = { 0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1 };
	base_wide sum = 0;
	base_uwide squares = 0;

	for (guint i = 0; i < numbers->len; i++) {
		int64_t x = g_array_index(numbers, int64_t, i);

		sum += x;
		squares += (base_uwide)((base_wide)x * x);
	}
	g_assert_cmpuint(s->count, ==, numbers->len);
	g_assert_true(s->sum == sum && s->squares == squares);
	if (numbers->len == 0)
		return;
	g_assert_cmpint(s->min, ==, g_array_index(numbers, int64_t, 0));
	g_assert_cmpint(s->max, ==, g_array_index(numbers, int64_t, numbers->len - 1));
	for (gsize i = 0; i < G_N_ELEMENTS(shares); i++) {
		guint rank = (guint)MAX(ceil(shares[i] * numbers->len), 1);
		double exact = (double)g_array_index(numbers, int64_t, rank - 1),
		       told = (double)base_sketch_quantile(s, shares[i]);

		g_assert_cmpfloat(fabs(told - exact), <=, fabs(exact) * BASE_SKETCH_ERROR + 0.5);
	}
}

static void test_sketch(void)
{
	GRand *random = g_rand_new_with_seed(11);

	for (unsigned round = 0; round < 200; round++) {
		GArray *a = made_numbers(random, (guint)g_rand_int_range(random, 0, 3000)),
		       *b = made_numbers(random, (guint)g_rand_int_range(random, 0, 300));
		struct base_sketch s = { 0 }, t = { 0 }, again = { 0 };
		GByteArray *bytes = g_byte_array_new();
		struct base_varints in;

		base_sketch_add_sorted(&s, (const int64_t *)(const void *)a->data, a->len);
		base_sketch_add_sorted(&t, (const int64_t *)(const void *)b->data, b->len);
		check_sketch(&s, a);
		base_sketch_join(&s, &t);
		g_array_append_vals(a, b->data, b->len);
		g_array_sort(a, by_number);
		check_sketch(&s, a);
		base_sketch_put(&s, bytes);
		in = (struct base_varints){ bytes->data, bytes->data + bytes->len };
		g_assert_true(base_sketch_get(&again, &in));
		g_assert_true(in.p == in.end);
		check_sketch(&again, a);
		base_sketch_clear(&s);
		base_sketch_clear(&t);
		base_sketch_clear(&again);
		g_byte_array_unref(bytes);
		g_array_unref(a);
		g_array_unref(b);
	}
	g_rand_free(random);
}

/* ---- files ---- */

static void add_sum(GRand *random, struct flt_sum *sum)
{
	for (int i = g_rand_int_range(random, 1, 9); i > 0; i--)
		flt_sum_add(sum, g_rand_int_range(random, 0, 1 << 30));
}

/* A summary with KINDS kinds of GROUPS groups each. */
static struct flt_summary *made_summary(unsigned kinds, unsigned groups, guint numbers)
{
	GRand *random = g_rand_new_with_seed(3);
	struct flt_summary *s = flt_summary_new();

	s->host = g_strdup("web1");
	s->trace = g_strdup("/traces/web1");
	s->release = g_strdup("6.1.0");
	s->from = IDX_SAMPLE_START;
	s->to = IDX_SAMPLE_START + 1000000000;
	s->events = 12345;
	s->lost = 6;
	s->cpus = 4;
	for (unsigned i = 0; i < kinds; i++) {
		struct flt_kind *k = flt_summary_kind(s);

		k->name = g_strdup_printf("kind%u", i);
		k->unfinished = i;
		for (unsigned g = 0; g < groups; g++) {
			struct flt_group *group = flt_append(k->groups);
			GArray *all = made_numbers(random, numbers);

			group->name = g_strdup_printf("thread %u", g);
			base_sketch_add_sorted(&group->sketch, (const int64_t *)(const void *)all->data,
				all->len);
			base_sketch_join(&k->all, &group->sketch);
			g_array_unref(all);
		}
		for (unsigned w = 0; w < FLT_WORST; w++) {
			struct flt_case *c = flt_summary_case(k);
			struct flt_part part = { g_strdup("wk-rt[547]"), 1000 - w };

			c->start = s->from + w;
			c->end = s->from + 2 * w;
			c->latency = 1000 - w;
			c->subject = w % 3 ? g_strdup("wk-victim[546]") : NULL;
			c->cause = g_strdup("ran instead: wk-rt[547] 2.9 ms");
			g_array_append_val(c->parts, part);
		}
	}
	for (unsigned i = 0; i < 5; i++) {
		struct flt_cause *c = flt_append(s->causes);

		c->kind = g_strdup("block");
		c->name = i < 4 ? g_strdup_printf("vd%c", 'a' + (char)i) : NULL;
		c->own_sleep = i == 2;
		add_sum(random, &c->sum);
	}
	for (unsigned i = 0; i < 2; i++) {
		struct flt_paths *p = flt_summary_paths(s);

		p->set = g_strdup(i ? "requests" : "span:frame");
		p->count = 70;
		add_sum(random, &p->of);
		for (unsigned k = 0; k < 3; k++) {
			struct flt_step *step = flt_append(p->steps);

			step->text = g_strdup_printf("step %u", k);
			add_sum(random, &step->sum);
		}
	}
	g_rand_free(random);
	return s;
}

static char *written(struct flt_summary *s)
{
	char *path = idx_sample_path("web1.wpm");
	GError *error = NULL;

	flt_summary_write(s, path, IDX_SAMPLE_FINGERPRINT, &error);
	g_assert_no_error(error);
	return path;
}

static bool same_sum(const struct flt_sum *a, const struct flt_sum *b)
{
	return a->count == b->count && a->longest == b->longest && a->time == b->time &&
		a->squares == b->squares;
}

static void check_kind(const struct flt_kind *a, const struct flt_kind *b)
{
	g_assert_cmpstr(a->name, ==, b->name);
	g_assert_cmpuint(a->unfinished, ==, b->unfinished);
	g_assert_cmpuint(a->all.count, ==, b->all.count);
	g_assert_true(a->all.sum == b->all.sum && a->all.squares == b->all.squares);
	g_assert_cmpuint(a->groups->len, ==, b->groups->len);
	for (guint g = 0; g < a->groups->len; g++) {
		const struct flt_group *x = &g_array_index(a->groups, struct flt_group, g),
				       *y = &g_array_index(b->groups, struct flt_group, g);

		g_assert_cmpstr(x->name, ==, y->name);
		g_assert_cmpuint(x->sketch.n, ==, y->sketch.n);
		for (uint32_t i = 0; i < x->sketch.n; i++) {
			g_assert_cmpuint(x->sketch.classes[i].class, ==, y->sketch.classes[i].class);
			g_assert_cmpuint(x->sketch.classes[i].count, ==, y->sketch.classes[i].count);
		}
	}
	g_assert_cmpuint(a->worst->len, ==, b->worst->len);
	for (guint c = 0; c < a->worst->len; c++) {
		const struct flt_case *x = &g_array_index(a->worst, struct flt_case, c),
				      *y = &g_array_index(b->worst, struct flt_case, c);

		g_assert_cmpint(x->start, ==, y->start);
		g_assert_cmpint(x->latency, ==, y->latency);
		g_assert_cmpstr(x->subject, ==, y->subject);
		g_assert_cmpstr(x->key, ==, y->key);
		g_assert_cmpstr(x->cause, ==, y->cause);
		g_assert_cmpuint(x->parts->len, ==, 1);
		g_assert_cmpuint(y->parts->len, ==, 1);
	}
}

static void test_roundtrip(void)
{
	struct flt_summary *a = made_summary(3, 5, 100), *b;
	g_autofree char *path = written(a);
	GError *error = NULL;

	g_assert_true(flt_summary_is(path));
	b = flt_summary_read(path, IDX_SAMPLE_FINGERPRINT, FLT_ALL, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(b->host, ==, "web1");
	g_assert_cmpstr(b->trace, ==, "/traces/web1");
	g_assert_cmpstr(b->tracer, ==, NULL);
	g_assert_cmpint(b->to - b->from, ==, 1000000000);
	g_assert_cmpuint(b->events, ==, 12345);
	g_assert_cmpuint(b->lost, ==, 6);
	g_assert_cmpuint(b->kinds->len, ==, 3);
	for (guint i = 0; i < 3; i++)
		check_kind(&g_array_index(a->kinds, struct flt_kind, i),
			&g_array_index(b->kinds, struct flt_kind, i));
	g_assert_cmpuint(b->causes->len, ==, 5);
	for (guint i = 0; i < 5; i++) {
		const struct flt_cause *x = &g_array_index(a->causes, struct flt_cause, i),
				       *y = &g_array_index(b->causes, struct flt_cause, i);

		g_assert_cmpstr(x->name, ==, y->name);
		g_assert_true(x->own_sleep == y->own_sleep && same_sum(&x->sum, &y->sum));
	}
	g_assert_cmpuint(b->paths->len, ==, 2);
	g_assert_true(same_sum(&g_array_index(a->paths, struct flt_paths, 1).of,
		&g_array_index(b->paths, struct flt_paths, 1).of));
	g_assert_cmpuint(g_array_index(b->paths, struct flt_paths, 1).steps->len, ==, 3);
	flt_summary_free(a);
	flt_summary_free(b);
	g_assert_null(flt_summary_read(path, "ffffffffffffffffffffffffffffffff", FLT_ALL, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_STALE);
	g_clear_error(&error);
	g_unlink(path);
}

/* More groups than fit: some are joined, none is lost. */
static void test_limit(void)
{
	struct flt_summary *a = made_summary(24, 60, 2500), *b;
	uint64_t count = g_array_index(a->kinds, struct flt_kind, 7).all.count;
	g_autofree char *path = written(a);
	GStatBuf st;
	const struct flt_kind *k;
	uint64_t sum = 0;

	g_assert_cmpint(g_stat(path, &st), ==, 0);
	g_assert_cmpint(st.st_size, <=, FLT_SUMMARY_MOST);
	b = flt_summary_read(path, NULL, FLT_ALL, NULL);
	k = &g_array_index(b->kinds, struct flt_kind, 7);
	g_assert_cmpuint(k->all.count, ==, count);
	for (guint g = 0; g < k->groups->len; g++)
		sum += g_array_index(k->groups, struct flt_group, g).sketch.count;
	g_assert_cmpuint(sum, ==, count);
	g_assert_cmpuint(k->others + k->groups->len - 1, ==, 60);
	flt_summary_free(a);
	flt_summary_free(b);
	g_unlink(path);
}

/* A file of one byte more than a summary may have is refused. */
static void test_too_large(void)
{
	struct flt_summary *a = made_summary(1, 1, 10);
	g_autofree char *path = written(a), *bytes = NULL;
	gsize size;
	GError *error = NULL;

	for (int more = 0; more < 2; more++) {
		gsize all = FLT_SUMMARY_MOST + (gsize)more;
		uint8_t *large;
		struct flt_summary *s;

		g_clear_pointer(&bytes, g_free);
		g_unlink(path);
		g_free(written(a));
		g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
		large = g_malloc0(all);
		memcpy(large, bytes, size);
		idx_repair_checksums(large, all, &flt_summary_file);
		g_assert_true(g_file_set_contents(path, (const char *)large, (gssize)all, NULL));
		s = flt_summary_read(path, NULL, FLT_ALL, &error);
		g_assert_true(!!s == !more);
		if (more)
			g_assert_error(error, BASE_ERROR, BASE_ERROR_STALE);
		flt_summary_free(s);
		g_free(large);
	}
	g_clear_error(&error);
	flt_summary_free(a);
	g_unlink(path);
}

/* Whatever is changed, reading ends with an answer or one line; so does adding the result. */
static void test_mutants(void)
{
	struct flt_summary *a = made_summary(2, 3, 40);
	g_autofree char *path = written(a), *bytes = NULL;
	gsize size;
	struct idx_mutate *m;
	unsigned read = 0, refused = 0;

	g_assert_true(g_file_get_contents(path, &bytes, &size, NULL));
	m = idx_mutate_new((const uint8_t *)bytes, size, &flt_summary_file, 17);
	for (unsigned i = 0; i < idx_mutate_count(4000); i++) {
		const char *what;
		uint8_t *other = idx_mutate_next(m, i % 4 > 0, &what);
		g_autoptr(GPtrArray) sources = g_ptr_array_new_with_free_func(flt_source_free);
		g_autoptr(GError) error = NULL;
		struct flt_fleet *f;

		g_assert_true(g_file_set_contents(path, (const char *)other, (gssize)size, NULL));
		for (int n = 0; n < 3; n++)
			g_ptr_array_add(sources, flt_source_new(NULL, path));
		f = flt_fleet_new(sources, i % 2 ? "kind0" : NULL, NULL, &error);
		read += !!f;
		refused += !f;
		g_assert_true(f || !strchr(error->message, '\n'));
		flt_fleet_free(f);
		g_free(other);
	}
	g_assert_cmpuint(read, >, 100);
	g_assert_cmpuint(refused, >, 100);
	idx_mutate_free(m);
	flt_summary_free(a);
	g_unlink(path);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sketch/numbers", test_sketch);
	g_test_add_func("/summary/roundtrip", test_roundtrip);
	g_test_add_func("/summary/limit", test_limit);
	g_test_add_func("/summary/too-large", test_too_large);
	g_test_add_func("/summary/mutants", test_mutants);
	return g_test_run();
}
