/* SPDX-License-Identifier: MIT */
/*
 * How it works: numbers are counted by their highest bits, as HdrHistogram does (G. Tene, HdrHistogram,
 * 2012): a power of two is split into 128 classes. Only classes with numbers are kept. A quantile is the
 * middle of the class that it is in: at most half a class, 1/256 of the number, away from it.
 */
#include "base/base_sketch.h"

#include "base/base_time.h"

#include <math.h>

#define FINE BASE_SKETCH_FINE
#define SIDE ((unsigned)BASE_SKETCH_SIDE)
#define COUNT_MOST (UINT64_C(1) << 56) /* limit of read counts: sums of thousands of these do not overflow */

/* ---- classes ---- */

static unsigned side_of(uint64_t number)
{
	unsigned power = 63 - (unsigned)__builtin_clzll(number | 1 << FINE);

	return (power - FINE) * (1u << FINE) + (unsigned)(number >> (power - FINE));
}

unsigned base_sketch_class_of(int64_t number)
{
	return number < 0 ? SIDE - 1 - side_of(~(uint64_t)number) : SIDE + side_of((uint64_t)number);
}

int64_t base_sketch_class_begin(unsigned class, unsigned *shift)
{
	unsigned side = class < SIDE ? SIDE - 1 - class : class - SIDE;
	uint64_t begin;

	*shift = side >> FINE > 1 ? (side >> FINE) - 1 : 0;
	begin = (uint64_t)(side - (*shift << FINE)) << *shift;
	return class < SIDE ? (int64_t)(~begin - ((UINT64_C(1) << *shift) - 1)) : (int64_t)begin;
}

/* ---- adding ---- */

void base_sketch_clear(struct base_sketch *s)
{
	g_free(s->classes);
	*s = (struct base_sketch){ 0 };
}

void base_sketch_add_sorted(struct base_sketch *s, const int64_t *numbers, size_t n)
{
	struct base_sketch more = { .count = n };
	g_autoptr(GArray) classes = g_array_new(FALSE, FALSE, sizeof(struct base_sketch_class));

	for (size_t i = 0; i < n; i++) {
		struct base_sketch_class c = { base_sketch_class_of(numbers[i]), 1 };

		more.sum += numbers[i];
		more.squares += (base_uwide)((base_wide)numbers[i] * numbers[i]);
		if (i > 0 &&
			g_array_index(classes, struct base_sketch_class, classes->len - 1).class == c.class)
			g_array_index(classes, struct base_sketch_class, classes->len - 1).count++;
		else
			g_array_append_val(classes, c);
	}
	if (n == 0)
		return;
	more.min = numbers[0];
	more.max = numbers[n - 1];
	more.classes = (struct base_sketch_class *)(void *)classes->data;
	more.n = classes->len;
	base_sketch_join(s, &more);
}

void base_sketch_join(struct base_sketch *s, const struct base_sketch *other)
{
	const struct base_sketch_class *a = s->classes, *b = other->classes;
	struct base_sketch_class *all, *to;

	if (other->count == 0)
		return;
	all = to = g_new(struct base_sketch_class, (gsize)s->n + other->n);
	for (uint32_t i = 0, k = 0; i < s->n || k < other->n;) {
		if (k == other->n || (i < s->n && a[i].class < b[k].class)) {
			*to++ = a[i++];
		} else if (i == s->n || b[k].class < a[i].class) {
			*to++ = b[k++];
		} else {
			*to = a[i++];
			to++->count += b[k++].count;
		}
	}
	s->min = s->count ? MIN(s->min, other->min) : other->min;
	s->max = s->count ? MAX(s->max, other->max) : other->max;
	s->count += other->count;
	s->sum += other->sum;
	s->squares += other->squares;
	g_free(s->classes);
	s->n = (uint32_t)(to - all);
	s->classes = g_renew(struct base_sketch_class, all, s->n);
}

/* ---- figures ---- */

int64_t base_sketch_quantile(const struct base_sketch *s, double share)
{
	/* The factor keeps a rounding error from lifting SHARE times COUNT above a whole number. */
	double wanted = ceil(share * (double)s->count * (1 - 1e-12));
	uint64_t rank = wanted < 1 ? 1 : wanted >= (double)s->count ? s->count : (uint64_t)wanted, before = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		unsigned shift;
		int64_t begin = base_sketch_class_begin(s->classes[i].class, &shift);

		before += s->classes[i].count;
		if (before >= rank)
			return CLAMP(begin + (int64_t)(((UINT64_C(1) << shift) - 1) / 2), s->min, s->max);
	}
	return BASE_TIME_NONE;
}

double base_sketch_mean(const struct base_sketch *s)
{
	return s->count ? (double)((long double)s->sum / (long double)s->count) : 0;
}

double base_sketch_stddev(const struct base_sketch *s)
{
	long double n = (long double)s->count, mean = s->count ? (long double)s->sum / n : 0;

	return s->count ? (double)sqrtl(MAX((long double)s->squares / n - mean * mean, 0)) : 0;
}

int64_t base_sketch_sum(const struct base_sketch *s)
{
	return s->sum > INT64_MAX ? INT64_MAX : s->sum < INT64_MIN ? INT64_MIN : (int64_t)s->sum;
}

/* ---- bytes ---- */

void base_sketch_put_number(GByteArray *bytes, uint64_t number)
{
	uint8_t room[BASE_VARINT_MAX];

	g_byte_array_append(bytes, room, (guint)(base_varint_put(room, number) - room));
}

void base_sketch_put_wide(GByteArray *bytes, base_uwide number)
{
	base_sketch_put_number(bytes, (uint64_t)number);
	base_sketch_put_number(bytes, (uint64_t)(number >> 64));
}

base_uwide base_sketch_get_wide(struct base_varints *in)
{
	base_uwide low = base_varints_get(in);

	return low | (base_uwide)base_varints_get(in) << 64;
}

void base_sketch_put(const struct base_sketch *s, GByteArray *bytes)
{
	uint32_t before = 0;

	base_sketch_put_number(bytes, s->count);
	if (s->count == 0)
		return;
	base_sketch_put_number(bytes, base_varint_zigzag(s->min));
	base_sketch_put_number(bytes, base_varint_zigzag(s->max));
	base_sketch_put_wide(bytes, (base_uwide)s->sum);
	base_sketch_put_wide(bytes, s->squares);
	base_sketch_put_number(bytes, s->n);
	for (uint32_t i = 0; i < s->n; i++) {
		base_sketch_put_number(bytes, s->classes[i].class - before);
		base_sketch_put_number(bytes, s->classes[i].count);
		before = s->classes[i].class;
	}
}

/* Read the classes of S. They ascend, their counts add up to that of S, and minimum and maximum are in the
 * first and the last. */
static bool get_classes(struct base_sketch *s, struct base_varints *in)
{
	uint64_t left = s->count, class = 0;

	s->classes = g_new(struct base_sketch_class, s->n);
	for (uint32_t i = 0; i < s->n; i++) {
		uint64_t step = base_varints_get_up_to(in, BASE_SKETCH_CLASSES - 1 - class),
			 count = base_varints_get_up_to(in, left);

		if (!in->p || count == 0 || (i > 0 && step == 0))
			return false;
		class += step;
		left -= count;
		s->classes[i] = (struct base_sketch_class){ (uint32_t) class, count };
	}
	return left == 0 && s->classes[0].class == base_sketch_class_of(s->min) &&
		s->classes[s->n - 1].class == base_sketch_class_of(s->max);
}

bool base_sketch_get(struct base_sketch *s, struct base_varints *in)
{
	uint64_t n;

	s->count = base_varints_get_up_to(in, COUNT_MOST);
	if (s->count == 0)
		return in->p;
	s->min = base_varint_unzigzag(base_varints_get(in));
	s->max = base_varint_unzigzag(base_varints_get(in));
	s->sum = (base_wide)base_sketch_get_wide(in);
	s->squares = base_sketch_get_wide(in);
	n = base_varints_get_up_to(in, BASE_SKETCH_CLASSES);
	/* a class takes at least two bytes */
	if (!in->p || n == 0 || n > (uint64_t)(in->end - in->p) / 2 || s->min > s->max ||
		s->sum < (base_wide)s->min * (base_wide)s->count ||
		s->sum > (base_wide)s->max * (base_wide)s->count)
		return false;
	s->n = (uint32_t)n;
	return get_classes(s, in);
}
