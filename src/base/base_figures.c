/* SPDX-License-Identifier: MIT */
/*
 * How it works: the numbers are gone over twice.  First for sum, least and most, and they are counted by their
 * highest bits, as HdrHistogram does: by power of two, and 128 classes in each.  These tell in which class each
 * percentile is.  Then, as the mean and the width of classes are known, for the deviation around the true mean
 * and classes of one width; the numbers of the four classes with a percentile are collected, and the percentile
 * is found among them by a radix search from the highest digit on (Knuth, TAOCP 3, 5.2.5).  Where a class has
 * too many for that, all numbers are gone over once more for each of its digits.
 */
#include "base/base_figures.h"

#include "base/base_time.h"

#include <math.h>
#include <string.h>

#define WIDE 50     /* classes of one width that are aimed at */
#define RANKS 4     /* percentiles */
#define DIGIT 12    /* bits that are searched at once */
#define ZERO 1      /* the class of powers of two that is [0, 1) */
#define FINE 7      /* bits below the highest one */
#define SIDE ((64 - FINE) << FINE) /* fine classes of what is not below 0; there are as many of what is */
#define COLLECTED 65536 /* numbers of a class that are collected */

/* Where a percentile is searched. */
struct place {
	int64_t low;    /* in [LOW, LOW + 2^SHIFT), */
	unsigned shift;
	uint64_t count; /* where so many are; */
	uint64_t rank;  /* it is this one of them, from 1 on */
	GArray *numbers; /* of int64_t: all of them; NULL: too many */
	uint64_t digits[1 << DIGIT];
};

struct find {
	const struct base_numbers *numbers;
	struct base_figures *f;
	long double mean;
	uint64_t fine[2 * SIDE];
	uint64_t powers[BASE_POWERS_MOST];
	int64_t width, first; /* of the classes of one width, and where the first begins */
	uint64_t linear[BASE_LINEAR_MOST];
	struct place places[RANKS];
};

/* ---- sum, fine classes, powers of two ---- */

static unsigned side_of(uint64_t number)
{
	unsigned power = 63 - (unsigned)__builtin_clzll(number | 1 << FINE);

	return (power - FINE) * (1u << FINE) + (unsigned)(number >> (power - FINE));
}

/* Below 0 by clocks that are off. */
static unsigned fine_of(int64_t number)
{
	return number < 0 ? SIDE - 1 - side_of(~(uint64_t)number) : SIDE + side_of((uint64_t)number);
}

/* The least number of class FINE of a side; and how many bits of them differ. */
static uint64_t side_begin(unsigned class, unsigned *shift)
{
	*shift = class >> FINE > 1 ? (class >> FINE) - 1 : 0;
	return (uint64_t)(class - (*shift << FINE)) << *shift;
}

static int64_t fine_begin(unsigned class, unsigned *shift)
{
	if (class >= SIDE)
		return (int64_t)side_begin(class - SIDE, shift);
	return (int64_t)(~side_begin(SIDE - 1 - class, shift) - ((UINT64_C(1) << *shift) - 1));
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
			find->fine[fine_of(at[i])]++;
		}
	}
	if (over)
		f->sum = INT64_MAX;
	if (f->count > 0)
		find->mean = sum / (long double)f->count;
	f->mean = (double)find->mean;
}

static unsigned power_of(int64_t number)
{
	if (number < 1)
		return number < 0 ? 0 : ZERO;
	return ZERO + 64u - (unsigned)__builtin_clzll((unsigned long long)number);
}

/* What the fine classes say of those of powers of two, and of where percentiles are. */
static void take_classes(struct find *find)
{
	static const uint64_t per_mille[RANKS] = { 500, 900, 990, 999 };
	uint64_t before = 0;
	unsigned r = 0;

	for (unsigned i = fine_of(find->f->min); i <= fine_of(find->f->max); i++) {
		unsigned shift;
		int64_t low = fine_begin(i, &shift);

		find->powers[power_of(low)] += find->fine[i];
		for (; r < RANKS; r++) {
			uint64_t rank = MAX((find->f->count * per_mille[r] + 999) / 1000, 1);
			struct place *p = &find->places[r];

			if (rank > before + find->fine[i])
				break;
			p->low = low;
			p->shift = shift;
			p->count = find->fine[i];
			p->rank = rank - before;
		}
		before += find->fine[i];
	}
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

static inline bool is_in(const struct place *p, int64_t number)
{
	return ((uint64_t)number - (uint64_t)p->low) >> p->shift == 0;
}

/* Which class of one width NUMBER is in: nearly by a product, as a division takes long. */
static inline uint64_t step_of(const struct find *find, double per_ns, int64_t number)
{
	uint64_t above = (uint64_t)number - (uint64_t)find->first, width = (uint64_t)find->width;
	uint64_t class = (uint64_t)((double)above * per_ns);

	if (class * width > above)
		class--;
	else if (above - class * width >= width)
		class++;
	return MIN(class, BASE_LINEAR_MOST - 1);
}

static void spread(struct find *find)
{
	int64_t least = find->f->min, width = width_for(least, find->f->max);
	double per_ns = 1.0 / (double)width;
	long double squares = 0;
	const int64_t *at;
	size_t n;

	find->width = width;
	find->first = (least < 0 ? least - width + 1 : least) / width * width;
	while ((at = find->numbers->next(find->numbers->data, &n)))
		for (size_t i = 0; i < n; i++) {
			long double d = (long double)at[i] - find->mean;

			squares += d * d;
			find->linear[step_of(find, per_ns, at[i])]++;
			for (unsigned r = 0; r < RANKS; r++)
				if (is_in(&find->places[r], at[i]) && find->places[r].numbers)
					g_array_append_val(find->places[r].numbers, at[i]);
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

static void count_digits(struct place *p, unsigned bits, const int64_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_in(p, at[i]))
			p->digits[((uint64_t)at[i] - (uint64_t)p->low) >> (p->shift - bits)]++;
}

/* Narrow P to the numbers that have the right one of their highest digits, of BITS. */
static void narrow(const struct find *find, struct place *p, unsigned bits)
{
	uint64_t digit = 0;
	const int64_t *at;
	size_t n;

	memset(p->digits, 0, sizeof *p->digits << bits);
	if (p->numbers)
		count_digits(p, bits, (const int64_t *)(const void *)p->numbers->data, p->numbers->len);
	else
		while ((at = find->numbers->next(find->numbers->data, &n)))
			count_digits(p, bits, at, n);
	for (; p->rank > p->digits[digit]; digit++)
		p->rank -= p->digits[digit];
	p->shift -= bits;
	p->low = (int64_t)((uint64_t)p->low + (digit << p->shift));
}

static int64_t search(const struct find *find, struct place *p)
{
	while (p->shift > 0)
		narrow(find, p, MIN(p->shift, DIGIT));
	if (p->numbers)
		g_array_unref(p->numbers);
	return p->low;
}

/* ---- the whole ---- */

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
		take_classes(find);
		for (unsigned r = 0; r < RANKS; r++)
			if (find->places[r].shift > 0 && find->places[r].count <= COLLECTED)
				find->places[r].numbers = g_array_new(FALSE, FALSE, sizeof(int64_t));
		spread(find);
		f->p50 = search(find, &find->places[0]);
		f->p90 = search(find, &find->places[1]);
		f->p99 = search(find, &find->places[2]);
		f->p999 = search(find, &find->places[3]);
	} else {
		f->min = f->max = f->p50 = f->p90 = f->p99 = f->p999 = BASE_TIME_NONE;
	}
	if (powers)
		*powers = histogram(find, find->powers, BASE_POWERS_MOST, power);
	if (linear)
		*linear = histogram(find, find->linear, BASE_LINEAR_MOST, step);
	g_free(find);
}
