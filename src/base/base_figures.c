/* SPDX-License-Identifier: MIT */
/*
 * How it works: the numbers are gone over a few times.  First for sum, least, most and powers of two; then,
 * as the mean and the width of classes are known, for the deviation around the true mean and classes of one
 * width; then for the percentiles, by a radix search from the highest digit on (Knuth, TAOCP 3, 5.2.5): each
 * time the numbers that share the digits found so far are counted by their next one.
 */
#include "base/base_figures.h"

#include "base/base_time.h"

#include <math.h>
#include <string.h>

#define WIDE 50  /* classes of one width that are aimed at */
#define RANKS 4  /* percentiles */
#define DIGIT 12 /* bits that are searched at once, */
#define SHORT 6  /* and that of few numbers, */
#define FEW 256  /* which these are */
#define ZERO 1   /* the class of powers of two that is [0, 1) */

struct find {
	const struct base_numbers *numbers;
	struct base_figures *f;
	long double mean;
	uint64_t powers[BASE_POWERS_MOST];
	int64_t width, first; /* of the classes of one width, and where the first begins */
	uint64_t linear[BASE_LINEAR_MOST];
	uint64_t rank[RANKS];  /* among those that share: */
	uint64_t above[RANKS]; /* the high digits of what is above the least */
	unsigned table[RANKS]; /* the first of those that look for the same digits */
	uint64_t digits[RANKS][1 << DIGIT];
};

/* ---- sum, powers of two ---- */

static unsigned power_of(int64_t number)
{
	if (number < 1)
		return number < 0 ? 0 : ZERO; /* below 0 by clocks that are off */
	return ZERO + 64u - (unsigned)__builtin_clzll((unsigned long long)number);
}

static void sum_up(struct find *find)
{
	struct base_figures *f = find->f;
	long double sum = 0;
	bool over = false;
	const int64_t *at;
	size_t n;

	f->min = INT64_MAX;
	f->max = INT64_MIN;
	while ((at = find->numbers->next(find->numbers->data, &n))) {
		f->count += n;
		for (size_t i = 0; i < n; i++) {
			f->min = MIN(f->min, at[i]);
			f->max = MAX(f->max, at[i]);
			sum += (long double)at[i];
			over |= __builtin_add_overflow(f->sum, at[i], &f->sum);
			find->powers[power_of(at[i])]++;
		}
	}
	if (over)
		f->sum = INT64_MAX;
	if (f->count > 0)
		find->mean = sum / (long double)f->count;
	f->mean = (double)find->mean;
}

static struct base_bucket power(const struct find *find, unsigned i)
{
	struct base_bucket b = { .from = find->f->min, .to = 0, .count = find->powers[i] };

	if (i >= ZERO) {
		b.from = i == ZERO ? 0 : (int64_t)1 << (i - ZERO - 1);
		b.to = i == BASE_POWERS_MOST - 1 ? INT64_MAX : (int64_t)1 << (i - ZERO);
	}
	return b;
}

/* ---- deviation, one width ---- */

/* 1, 2, 5, 10, 20, …: the least by which [LEAST, MOST] needs no more than WIDE classes. */
static int64_t width_for(int64_t least, int64_t most)
{
	static const int64_t steps[] = { 1, 2, 5 };

	for (int64_t ten = 1;; ten *= 10)
		for (size_t i = 0; i < G_N_ELEMENTS(steps); i++)
			if (ten >= INT64_MAX / 50 ||
				most / (steps[i] * ten) - least / (steps[i] * ten) < WIDE)
				return steps[i] * ten;
}

static void spread(struct find *find)
{
	int64_t least = find->f->min, width = width_for(least, find->f->max);
	long double squares = 0;
	const int64_t *at;
	size_t n;

	find->width = width;
	find->first = (least < 0 ? least - width + 1 : least) / width * width;
	while ((at = find->numbers->next(find->numbers->data, &n)))
		for (size_t i = 0; i < n; i++) {
			uint64_t class = ((uint64_t)at[i] - (uint64_t)find->first) / (uint64_t)width;
			long double d = (long double)at[i] - find->mean;

			squares += d * d;
			find->linear[MIN(class, BASE_LINEAR_MOST - 1)]++;
		}
	find->f->stddev = (double)sqrtl(squares / (long double)find->f->count);
}

static struct base_bucket step(const struct find *find, unsigned i)
{
	struct base_bucket b = { .from = find->first + find->width * (int64_t)i, .count = find->linear[i] };

	if (__builtin_add_overflow(b.from, find->width, &b.to))
		b.to = INT64_MAX;
	return b;
}

/* ---- percentiles ---- */

static void count_digits(struct find *find, unsigned shift, unsigned bits)
{
	uint64_t least = (uint64_t)find->f->min, mask = ((uint64_t)1 << bits) - 1;
	const int64_t *at;
	size_t n;

	for (unsigned r = 0; r < RANKS; r++) {
		find->table[r] = r > 0 && find->above[r] == find->above[r - 1] ? find->table[r - 1] : r;
		memset(find->digits[r], 0, sizeof *find->digits[r] << bits);
	}
	while ((at = find->numbers->next(find->numbers->data, &n)))
		for (size_t i = 0; i < n; i++) {
			uint64_t low = ((uint64_t)at[i] - least) >> shift, high = low >> bits;

			for (unsigned r = 0; r < RANKS; r++)
				if (find->table[r] == r && high == find->above[r])
					find->digits[r][low & mask]++;
		}
}

static void search(struct find *find)
{
	static const uint64_t per_mille[RANKS] = { 500, 900, 990, 999 };
	uint64_t range = (uint64_t)find->f->max - (uint64_t)find->f->min;
	unsigned left = range > 0 ? 64u - (unsigned)__builtin_clzll(range) : 0;

	for (unsigned r = 0; r < RANKS; r++)
		find->rank[r] = MAX((find->f->count * per_mille[r] + 999) / 1000, 1);
	while (left > 0) {
		unsigned bits = MIN(left, find->f->count < FEW ? SHORT : DIGIT);

		left -= bits;
		count_digits(find, left, bits);
		for (unsigned r = 0; r < RANKS; r++) {
			const uint64_t *digits = find->digits[find->table[r]];
			uint64_t digit = 0;

			for (; find->rank[r] > digits[digit]; digit++)
				find->rank[r] -= digits[digit];
			find->above[r] = find->above[r] << bits | digit;
		}
	}
}

/* ---- the whole ---- */

static int64_t found(const struct find *find, unsigned rank)
{
	return (int64_t)((uint64_t)find->f->min + find->above[rank]);
}

static GArray *histogram(const struct find *find, const uint64_t *counts, unsigned n,
	struct base_bucket (*bucket)(const struct find *, unsigned))
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct base_bucket));
	unsigned first = 0;

	while (n > 0 && counts[n - 1] == 0)
		n--;
	while (first < n && counts[first] == 0)
		first++;
	for (unsigned i = first; i < n; i++) {
		struct base_bucket b = bucket(find, i);

		g_array_append_val(all, b);
	}
	return all;
}

void base_figures_find(const struct base_numbers *numbers, struct base_figures *f, GArray **powers,
	GArray **linear)
{
	struct find *find = g_new0(struct find, 1);

	*f = (struct base_figures){ .unfinished = f->unfinished, .dropped = f->dropped };
	find->numbers = numbers;
	find->f = f;
	sum_up(find);
	if (f->count > 0) {
		spread(find);
		search(find);
		f->p50 = found(find, 0);
		f->p90 = found(find, 1);
		f->p99 = found(find, 2);
		f->p999 = found(find, 3);
	} else {
		f->min = f->max = f->p50 = f->p90 = f->p99 = f->p999 = BASE_TIME_NONE;
	}
	if (powers)
		*powers = histogram(find, find->powers, BASE_POWERS_MOST, power);
	if (linear)
		*linear = histogram(find, find->linear, BASE_LINEAR_MOST, step);
	g_free(find);
}
