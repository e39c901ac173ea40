/* SPDX-License-Identifier: MIT */
/*
 * How it works: the numbers are read twice. The first pass finds sum, minimum and maximum, and counts the
 * numbers by their highest bits, as HdrHistogram does: by power of two, with 128 fine classes each. The fine
 * classes show which of them holds each percentile. They also fill the linear histogram, except where a fine
 * class lies across a border between two linear classes. The second pass needs only the numbers of such fine
 * classes and of those that hold a percentile. It collects the numbers around a percentile, and a radix
 * search from the highest digit finds the percentile among them (Knuth, TAOCP 3, 5.2.5). If a class has too
 * many numbers to collect, all numbers are read once more for each digit.
 *
 * Outliers lie beyond a fence, which is computed from the quartiles. The fine classes of the quartiles give a
 * lower and an upper limit of the fence. Numbers above the upper limit are counted, and numbers between the
 * limits are collected, until the quartiles are known.
 */
#include "base/base_figures.h"

#include "base/base_sketch.h"
#include "base/base_time.h"

#include <math.h>
#include <string.h>

#define WIDE 50             /* most linear classes */
#define RANKS 6             /* percentiles */
#define DIGIT 12            /* bits per digit when collected numbers are searched */
#define ALL 16              /* bits per digit when all numbers are read again */
#define ZERO 1              /* index of the power-of-two class [0, 1) */
#define COLLECTED (1 << 18) /* a class with more numbers is not collected */

/* The range that holds a percentile: [LOW, LOW + 2^SHIFT). */
struct place {
	int64_t low;
	unsigned shift;
	uint64_t width;  /* 2^SHIFT */
	uint64_t count;  /* how many numbers are in the range */
	uint64_t rank;   /* rank of the percentile among these, from 1 */
	GArray *numbers; /* of int64_t: these numbers, owned; NULL: not collected */
};

struct base_figuring {
	struct base_figures f;
	__int128 sum;
	unsigned __int128 squares; /* sum of squares: the lowest 128 bits */
	uint64_t squares_high;     /* the bits above these */
	uint64_t fine[BASE_SKETCH_CLASSES];
	uint64_t mixed[BASE_SKETCH_CLASSES /
		64]; /* a bit for each fine class: its numbers need the second pass */
	uint64_t powers[BASE_POWERS_MOST];
	int64_t width, first; /* of a linear class; begin of the first one */
	uint64_t linear[BASE_LINEAR_MOST];
	struct place places[RANKS];
	struct place fence; /* the range that holds the fence */
	int64_t above;      /* numbers above this are outliers in any case; BEYOND counts them */
	uint64_t beyond;
	double per_ns; /* linear classes per 2 ns */
};

/* ---- sum, fine classes, powers of two ---- */

struct base_figuring *base_figuring_new(void)
{
	struct base_figuring *find = g_new0(struct base_figuring, 1);

	find->f.min = INT64_MAX;
	find->f.max = INT64_MIN;
	return find;
}

void base_figuring_add(struct base_figuring *find, const int64_t *at, size_t n)
{
	int64_t min = find->f.min, max = find->f.max;
	__int128 sum = find->sum;
	unsigned __int128 squares = find->squares;
	uint64_t high = find->squares_high;

	for (size_t i = 0; i < n; i++) {
		unsigned __int128 square = (unsigned __int128)((__int128)at[i] * at[i]);

		min = MIN(min, at[i]);
		max = MAX(max, at[i]);
		sum += at[i];
		squares += square;
		high += squares < square;
		find->fine[base_sketch_class_of(at[i])]++;
	}
	find->f.count += n;
	find->f.min = min;
	find->f.max = max;
	find->sum = sum;
	find->squares = squares;
	find->squares_high = high;
}

void base_figuring_join(struct base_figuring *find, const struct base_figuring *other)
{
	for (unsigned i = 0; i < BASE_SKETCH_CLASSES; i++)
		find->fine[i] += other->fine[i];
	find->f.count += other->f.count;
	find->f.min = MIN(find->f.min, other->f.min);
	find->f.max = MAX(find->f.max, other->f.max);
	find->sum += other->sum;
	find->squares += other->squares;
	find->squares_high += other->squares_high + (find->squares < other->squares);
}

enum { P25, P50, P75, P90, P99, P999 };
static const uint64_t per_mille[RANKS] = { 250, 500, 750, 900, 990, 999 };

/* Fill the power-of-two histogram, and find the fine class of each percentile. */
static void take_classes(struct base_figuring *find)
{
	uint64_t before = 0;
	unsigned r = 0;

	for (unsigned i = base_sketch_class_of(find->f.min); i <= base_sketch_class_of(find->f.max); i++) {
		unsigned shift;
		int64_t low = base_sketch_class_begin(i, &shift);

		if (low > 0)
			find->powers[ZERO + 64 - __builtin_clzll((unsigned long long)low)] += find->fine[i];
		else
			find->powers[low < 0 ? 0 : ZERO] += find->fine[i];
		for (; r < RANKS; r++) {
			uint64_t rank = MAX((find->f.count * per_mille[r] + 999) / 1000, 1);
			struct place *p = &find->places[r];

			if (rank > before + find->fine[i])
				break;
			p->low = low;
			p->shift = shift;
			p->width = UINT64_C(1) << shift;
			p->count = find->fine[i];
			p->rank = rank - before;
		}
		before += find->fine[i];
	}
}

static struct base_bucket power(const struct base_figuring *find, unsigned i)
{
	struct base_bucket b = { .from = find->f.min, .to = 0, .count = find->powers[i] };

	if (i >= ZERO) {
		b.from = i == ZERO ? 0 : (int64_t)1 << (i - ZERO - 1);
		b.to = i == BASE_POWERS_MOST - 1 ? INT64_MAX : (int64_t)1 << (i - ZERO);
	}
	return b;
}

/* ---- deviation ---- */

/* The sum of all (x − mean)². With m, the mean cut to an integer, and r = Σx − nm it is Σx² − 2mΣx + nm² −
 * r²/n. This is exact in 128 bits, even if parts overflow, as long as the result fits. The result is larger
 * only for many numbers that are weeks apart. Then 64 bits of each part are near enough. */
static long double squares_about_mean(const struct base_figuring *find)
{
	const struct base_figures *f = &find->f;
	unsigned __int128 n = f->count;
	__int128 m = find->sum / (__int128)f->count, r = find->sum - m * (__int128)f->count;
	long double range = (long double)f->max - (long double)f->min, all = (long double)f->count, about;

	if (all * range * range < 0x1p127L)
		about = (long double)(find->squares -
			2 * (unsigned __int128)m * (unsigned __int128)find->sum +
			n * (unsigned __int128)m * (unsigned __int128)m);
	else
		about = (long double)find->squares_high * 0x1p128L + (long double)find->squares -
			2 * (long double)m * (long double)find->sum + all * (long double)m * (long double)m;
	return MAX(about - (long double)r * (long double)r / all, 0);
}

/* ---- linear histogram ---- */

/* The least of 1, 2, 5, 10, 20, … with which [LEAST, MOST] needs no more than WIDE classes. */
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
	return (uint64_t)number - (uint64_t)p->low < p->width;
}

/* The linear class of NUMBER. It multiplies and corrects the result by one at most, because a division is
 * slow. */
static inline uint64_t figures_step_of(int64_t first, int64_t width, double per_ns, int64_t number)
{
	uint64_t above = (uint64_t)number - (uint64_t)first;
	uint64_t nth = (uint64_t)(int64_t)((double)(int64_t)(above >> 1) * per_ns),
		 begin = nth * (uint64_t)width;

	if (begin > above)
		nth--;
	else if (above - begin >= (uint64_t)width)
		nth++;
	return MIN(nth, BASE_LINEAR_MOST - 1);
}

static void collect_at(struct place *p, int64_t number)
{
	if (is_in(p, number) && p->numbers)
		g_array_append_val(p->numbers, number);
}

static int64_t fence_of(int64_t p25, int64_t p75)
{
	__int128 fence = p75 + (__int128)BASE_OUTLIERS_FAR * ((__int128)p75 - p25);

	return fence > INT64_MAX ? INT64_MAX : (int64_t)fence;
}

/* Set the limits of the fence from the classes of the quartiles. */
static void place_fence(struct base_figuring *find)
{
	const struct place *p25 = &find->places[P25], *p75 = &find->places[P75];
	int64_t p25_last = (int64_t)((uint64_t)p25->low + (p25->width - 1)),
		p75_last = (int64_t)((uint64_t)p75->low + (p75->width - 1));
	struct place *fence = &find->fence;

	fence->low = fence_of(MIN(p25_last, p75->low), p75->low);
	find->above = fence_of(p25->low, p75_last);
	fence->width = (uint64_t)find->above - (uint64_t)fence->low + 1;
	if (fence->low >= find->f.max)
		fence->width = 0;
	for (unsigned i = base_sketch_class_of(fence->low),
		      end = base_sketch_class_of(MIN(find->above, find->f.max));
		fence->width > 0 && i <= end; i++)
		fence->count += find->fine[i];
	if (fence->width > 0 && fence->count <= COLLECTED)
		fence->numbers = g_array_new(FALSE, FALSE, sizeof(int64_t));
}

/* True if the numbers [LOW, LAST] of a fine class need the second pass. */
static bool is_mixed(const struct base_figuring *find, int64_t low, int64_t last, uint64_t step)
{
	const struct place *fence = &find->fence;

	for (unsigned r = 0; r < RANKS; r++)
		if (find->places[r].low == low && find->places[r].numbers)
			return true;
	if (fence->width > 0 && last >= fence->low && low <= find->above)
		return true;
	return step != figures_step_of(find->first, find->width, find->per_ns, last);
}

/* Count the fine classes that lie within one linear class, and mark the others for the second pass. */
static void take_steps(struct base_figuring *find)
{
	for (unsigned i = base_sketch_class_of(find->f.min); i <= base_sketch_class_of(find->f.max); i++) {
		unsigned shift;
		int64_t low = base_sketch_class_begin(i, &shift),
			last = low + (int64_t)((UINT64_C(1) << shift) - 1);
		uint64_t step;

		if (find->fine[i] == 0)
			continue;
		step = figures_step_of(find->first, find->width, find->per_ns, MAX(low, find->f.min));
		if (is_mixed(find, low, MIN(last, find->f.max), step)) {
			find->mixed[i / 64] |= UINT64_C(1) << i % 64;
			continue;
		}
		find->linear[step] += find->fine[i];
		find->beyond += low > find->above ? find->fine[i] : 0;
	}
}

void base_figuring_turn(struct base_figuring *find)
{
	struct base_figures *f = &find->f;
	int64_t width;

	if (f->count == 0)
		return;
	f->sum = find->sum > INT64_MAX ? INT64_MAX : (int64_t)find->sum;
	f->mean = (double)((long double)find->sum / (long double)f->count);
	f->stddev = (double)sqrtl(squares_about_mean(find) / (long double)f->count);
	take_classes(find);
	for (unsigned r = 0; r < RANKS; r++)
		if (find->places[r].shift > 0 && find->places[r].count <= COLLECTED)
			find->places[r].numbers = g_array_new(FALSE, FALSE, sizeof(int64_t));
	place_fence(find);
	width = width_for(f->min, f->max);
	find->width = width;
	find->first = (f->min < 0 ? f->min - width + 1 : f->min) / width * width;
	find->per_ns = 2.0 / (double)width;
	take_steps(find);
}

void base_figuring_again(struct base_figuring *find, const int64_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned class = base_sketch_class_of(at[i]);

		if (!(find->mixed[class / 64] >> class % 64 & 1))
			continue;
		find->linear[figures_step_of(find->first, find->width, find->per_ns, at[i])]++;
		find->beyond += at[i] > find->above;
		for (unsigned r = 0; r < RANKS; r++)
			collect_at(&find->places[r], at[i]);
		collect_at(&find->fence, at[i]);
	}
}

static struct base_bucket figures_step(const struct base_figuring *find, unsigned i)
{
	struct base_bucket b = { .from = find->first + find->width * (int64_t)i, .count = find->linear[i] };

	if (__builtin_add_overflow(b.from, find->width, &b.to))
		b.to = INT64_MAX;
	return b;
}

/* ---- percentiles ---- */

static void count_digits(uint64_t *digits, const struct place *p, unsigned bits, const int64_t *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_in(p, at[i]))
			digits[((uint64_t)at[i] - (uint64_t)p->low) >> (p->shift - bits)]++;
}

/* Narrow P to the numbers whose highest digit, of BITS, is the right one. DIGITS has room for all digits. */
static void narrow(const struct base_numbers *numbers, struct place *p, unsigned bits, uint64_t *digits)
{
	uint64_t digit = 0;
	const int64_t *at;
	size_t n;

	memset(digits, 0, sizeof *digits << bits);
	if (p->numbers)
		count_digits(digits, p, bits, (const int64_t *)(const void *)p->numbers->data,
			p->numbers->len);
	else
		while ((at = numbers->next(numbers->data, &n)))
			count_digits(digits, p, bits, at, n);
	for (; p->rank > digits[digit]; digit++)
		p->rank -= digits[digit];
	p->shift -= bits;
	p->width = UINT64_C(1) << p->shift;
	p->low = (int64_t)((uint64_t)p->low + (digit << p->shift));
}

static int64_t figures_search(const struct base_numbers *numbers, struct place *p)
{
	uint64_t *digits = p->shift > 0 ? g_new(uint64_t, 1 << MIN(p->shift, p->numbers ? DIGIT : ALL))
					: NULL;

	while (p->shift > 0)
		narrow(numbers, p, MIN(p->shift, p->numbers ? DIGIT : ALL), digits);
	g_free(digits);
	if (p->numbers)
		g_array_unref(p->numbers);
	return p->low;
}

/* The number of numbers in P that are above FENCE. */
static uint64_t count_above(const struct place *p, int64_t fence, const int64_t *at, size_t n)
{
	uint64_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += is_in(p, at[i]) && at[i] > fence;
	return count;
}

static void find_outliers(struct base_figuring *find, const struct base_numbers *numbers, int64_t p25,
	int64_t p75)
{
	struct base_figures *f = &find->f;
	const struct place *p = &find->fence;
	const int64_t *at;
	size_t n;

	f->fence = fence_of(p25, p75);
	f->outliers = find->beyond;
	if (p->numbers)
		f->outliers += count_above(p, f->fence, (const int64_t *)(const void *)p->numbers->data,
			p->numbers->len);
	else if (p->width > 0)
		while ((at = numbers->next(numbers->data, &n)))
			f->outliers += count_above(p, f->fence, at, n);
	if (p->numbers)
		g_array_unref(p->numbers);
}

/* ---- the whole ---- */

static GArray *histogram(const struct base_figuring *find, const uint64_t *counts, unsigned n,
	struct base_bucket (*bucket)(const struct base_figuring *, unsigned))
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

void base_figuring_finish(struct base_figuring *find, const struct base_numbers *numbers,
	struct base_figures *f, GArray **powers, GArray **linear)
{
	struct base_figures *found = &find->f;
	int64_t p25, p75;

	if (found->count > 0) {
		p25 = figures_search(numbers, &find->places[P25]);
		found->p50 = figures_search(numbers, &find->places[P50]);
		p75 = figures_search(numbers, &find->places[P75]);
		found->p90 = figures_search(numbers, &find->places[P90]);
		found->p99 = figures_search(numbers, &find->places[P99]);
		found->p999 = figures_search(numbers, &find->places[P999]);
		find_outliers(find, numbers, p25, p75);
	} else {
		found->min = found->max = BASE_TIME_NONE;
		found->p50 = found->p90 = found->p99 = found->p999 = found->fence = BASE_TIME_NONE;
	}
	found->unfinished = f->unfinished;
	found->dropped = f->dropped;
	*f = *found;
	if (powers)
		*powers = histogram(find, find->powers, BASE_POWERS_MOST, power);
	if (linear)
		*linear = histogram(find, find->linear, BASE_LINEAR_MOST, figures_step);
	g_free(find);
}

void base_figures_find(const struct base_numbers *numbers, struct base_figures *f, GArray **powers,
	GArray **linear)
{
	struct base_figuring *find = base_figuring_new();
	const int64_t *at;
	size_t n;

	while ((at = numbers->next(numbers->data, &n)))
		base_figuring_add(find, at, n);
	base_figuring_turn(find);
	while ((at = numbers->next(numbers->data, &n)))
		base_figuring_again(find, at, n);
	base_figuring_finish(find, numbers, f, powers, linear);
}

/* ---- pseudo-random numbers ---- */

#define STEP 0x9e3779b97f4a7c15u

uint64_t base_mix(uint64_t i)
{
	i += STEP;
	i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9u;
	i = (i ^ (i >> 27)) * 0x94d049bb133111ebu;
	return i ^ (i >> 31);
}

uint64_t base_mix_next(uint64_t *state)
{
	uint64_t number = base_mix(*state);

	*state += STEP;
	return number;
}
