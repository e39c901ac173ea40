/* SPDX-License-Identifier: MIT */
/*
 * All latencies are kept as numbers, eight bytes each, and sorted once: so percentiles are exact and the
 * deviation can be summed in a second pass around the true mean.
 */
#include "analysis/ana_tally.h"

#include "base/base_time.h"

#include <math.h>

#define DIGIT 11       /* bits that are sorted by at once */
#define LINEAR_MOST 50 /* classes of one width, at most */

static int64_t at(const GArray *sorted, guint i)
{
	return g_array_index(sorted, int64_t, i);
}

/* Move what is at FROM to TO, N of them, in the order of one digit of what they are above LEAST. */
static void sort_digit(const int64_t *from, int64_t *to, guint n, int64_t least, unsigned shift)
{
	guint place[1 << DIGIT] = { 0 }, sum = 0;

	for (guint i = 0; i < n; i++)
		place[((uint64_t)from[i] - (uint64_t)least) >> shift & ((1 << DIGIT) - 1)]++;
	for (unsigned d = 0; d < 1 << DIGIT; d++) {
		guint count = place[d];

		place[d] = sum;
		sum += count;
	}
	for (guint i = 0; i < n; i++)
		to[place[((uint64_t)from[i] - (uint64_t)least) >> shift & ((1 << DIGIT) - 1)]++] = from[i];
}

/* Radix sort, the lowest digit first (Knuth, TAOCP 3, 5.2.5): latencies are many, and few digits long. */
static void sort(GArray *cases)
{
	int64_t *from = (int64_t *)(void *)cases->data, least = INT64_MAX, most = INT64_MIN, *to;
	guint n = cases->len;
	int64_t *other;

	for (guint i = 0; i < n; i++) {
		least = MIN(least, from[i]);
		most = MAX(most, from[i]);
	}
	other = to = g_new(int64_t, n);
	for (unsigned shift = 0; shift < 64 && ((uint64_t)most - (uint64_t)least) >> shift != 0;
		shift += DIGIT) {
		int64_t *sorted = to;

		sort_digit(from, to, n, least, shift);
		to = from;
		from = sorted;
	}
	if (from == other)
		memcpy(cases->data, from, n * sizeof *from);
	g_free(other);
}

/* The smallest latency that at least PER_MILLE of all do not exceed. */
static int64_t nearest_rank(const GArray *sorted, uint64_t per_mille)
{
	uint64_t rank = (sorted->len * per_mille + 999) / 1000;

	return at(sorted, (guint)MAX(rank, 1) - 1);
}

static void fill_moments(struct ana_latency_figures *f, const GArray *sorted)
{
	long double sum = 0, squares = 0, mean;

	f->sum = 0;
	for (guint i = 0; i < sorted->len; i++) {
		sum += (long double)at(sorted, i);
		if (__builtin_add_overflow(f->sum, at(sorted, i), &f->sum))
			f->sum = INT64_MAX;
	}
	mean = sum / sorted->len;
	for (guint i = 0; i < sorted->len; i++) {
		long double d = (long double)at(sorted, i) - mean;

		squares += d * d;
	}
	f->mean = (double)mean;
	f->stddev = (double)sqrtl(squares / sorted->len);
}

void ana_latency_figure(GArray *cases, struct ana_latency_figures *f)
{
	*f = (struct ana_latency_figures){ .count = cases->len,
		.min = BASE_TIME_NONE,
		.max = BASE_TIME_NONE,
		.p50 = BASE_TIME_NONE,
		.p90 = BASE_TIME_NONE,
		.p99 = BASE_TIME_NONE,
		.p999 = BASE_TIME_NONE };
	if (cases->len == 0)
		return;
	sort(cases);
	f->min = at(cases, 0);
	f->max = at(cases, cases->len - 1);
	f->p50 = nearest_rank(cases, 500);
	f->p90 = nearest_rank(cases, 900);
	f->p99 = nearest_rank(cases, 990);
	f->p999 = nearest_rank(cases, 999);
	fill_moments(f, cases);
}

/* ---- histogram ---- */

static struct ana_latency_bucket power_of(int64_t latency)
{
	unsigned bit;

	if (latency < 0) /* by clocks that are off */
		return (struct ana_latency_bucket){ .from = latency, .to = 0 };
	if (latency < 1)
		return (struct ana_latency_bucket){ .from = 0, .to = 1 };
	bit = 63u - (unsigned)__builtin_clzll((unsigned long long)latency);
	return (struct ana_latency_bucket){ .from = (int64_t)1 << bit,
		.to = bit == 62 ? INT64_MAX : (int64_t)1 << (bit + 1) };
}

/* 1, 2, 5, 10, 20, …: the least by which [LEAST, MOST] needs no more than LINEAR_MOST classes. */
static int64_t width_for(int64_t least, int64_t most)
{
	static const int64_t steps[] = { 1, 2, 5 };

	for (int64_t ten = 1;; ten *= 10)
		for (size_t i = 0; i < G_N_ELEMENTS(steps); i++)
			if (ten >= INT64_MAX / 50 ||
				most / (steps[i] * ten) - least / (steps[i] * ten) < LINEAR_MOST)
				return steps[i] * ten;
}

static struct ana_latency_bucket step_of(int64_t latency, int64_t width)
{
	int64_t from = (latency < 0 ? latency - width + 1 : latency) / width * width, to;

	if (__builtin_add_overflow(from, width, &to))
		to = INT64_MAX;
	return (struct ana_latency_bucket){ .from = from, .to = to };
}

GArray *ana_latency_histogram(const GArray *sorted, bool linear)
{
	GArray *histogram = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_bucket));
	struct ana_latency_bucket b;
	int64_t width;

	if (sorted->len == 0)
		return histogram;
	width = linear ? width_for(at(sorted, 0), at(sorted, sorted->len - 1)) : 0;
	b = linear ? step_of(at(sorted, 0), width) : power_of(at(sorted, 0));
	for (guint i = 0; i < sorted->len;) {
		if (at(sorted, i) < b.to || b.to == INT64_MAX) {
			b.count++;
			i++;
			continue;
		}
		g_array_append_val(histogram, b);
		b = linear ? step_of(b.to, width) : power_of(b.to);
	}
	g_array_append_val(histogram, b);
	return histogram;
}
