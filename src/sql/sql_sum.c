/* SPDX-License-Identifier: MIT */
/*
 * Aggregates: quantile(x, p), stddev(x), quantize(x), lquantize(x, low, high, step), first(x, ts), last(x,
 * ts). They skip NULL, and allocate from SQLite, so that its limit on memory covers them.
 */
#include "sql/sql_parts.h"

#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_sketch.h"

#include <inttypes.h>
#include <math.h>

#define CLASSES_MOST 1000 /* of lquantize() */

/* ---- numbers ---- */

/* A real or a whole number; a double cannot hold whole numbers beyond 2^53. */
struct number {
	bool is_real;
	union {
		int64_t whole;
		double real;
	};
};

/* False for NULL.  A text counts as the number that it begins with, as in SQLite's own functions. */
static bool number_of(sqlite3_value *value, struct number *number)
{
	switch (sqlite3_value_numeric_type(value)) {
	case SQLITE_NULL: return false;
	case SQLITE_INTEGER:
		number->is_real = false;
		number->whole = sqlite3_value_int64(value);
		return true;
	default:
		number->is_real = true;
		number->real = sqlite3_value_double(value);
		return true;
	}
}

/* ---- quantile(x, p) ---- */

struct quantile {
	union word {
		int64_t whole;
		double real;
	} * numbers; /* owned */
	uint64_t n, room;
	bool is_real; /* all of them */
	double p;
};

static void quantile_add(sqlite3_context *to, G_GNUC_UNUSED int n, sqlite3_value **values)
{
	struct quantile *q = sqlite3_aggregate_context(to, sizeof *q);
	struct number number;

	if (!q || !number_of(values[0], &number))
		return;
	q->p = sqlite3_value_double(values[1]);
	if (!(q->p >= 0 && q->p <= 1)) {
		sqlite3_result_error(to, "quantile(x, p) takes a p from 0 to 1", -1);
		return;
	}
	if (q->n == q->room) {
		uint64_t room = q->room + q->room / 4 + 256; /* both copies may exist for a while */
		union word *more = sqlite3_realloc64(q->numbers, room * sizeof *more);

		if (!more) {
			sqlite3_result_error_nomem(to);
			return;
		}
		q->numbers = more;
		q->room = room;
	}
	for (uint64_t i = 0; number.is_real && !q->is_real && i < q->n; i++)
		q->numbers[i].real = (double)q->numbers[i].whole;
	q->is_real |= number.is_real;
	if (q->is_real)
		q->numbers[q->n++].real = number.is_real ? number.real : (double)number.whole;
	else
		q->numbers[q->n++].whole = number.whole;
}

static bool is_less(const struct quantile *q, union word a, union word b)
{
	return q->is_real ? a.real < b.real : a.whole < b.whole;
}

static void exchange(struct quantile *q, uint64_t a, uint64_t b)
{
	union word kept = q->numbers[a];

	q->numbers[a] = q->numbers[b];
	q->numbers[b] = kept;
}

/* Number K from below, 0 …: C. A. R. Hoare, "Algorithm 65: Find", with three parts, so that equal numbers
 * cost nothing, and the median of three as the pivot, shifted so that no order of rows is the worst. */
static union word quantile_find(struct quantile *q, uint64_t k)
{
	uint64_t from = 0, to = q->n, seed = q->n;

	while (to - from > 1) {
		uint64_t low = from, high = to;
		union word pivot;

		seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		pivot = q->numbers[from + (seed >> 33) % (to - from)];
		for (uint64_t i = from; i < high;) {
			if (is_less(q, q->numbers[i], pivot))
				exchange(q, i++, low++);
			else if (is_less(q, pivot, q->numbers[i]))
				exchange(q, i, --high);
			else
				i++;
		}
		if (k >= low && k < high)
			break;
		if (k < low)
			to = low;
		else
			from = high;
	}
	return q->numbers[k];
}

static void quantile_end(sqlite3_context *to)
{
	struct quantile *q = sqlite3_aggregate_context(to, 0);
	uint64_t rank;

	if (!q || q->n == 0) {
		if (q)
			sqlite3_free(q->numbers);
		return;
	}
	/* The nearest rank, as everywhere in wakepath.  The factor keeps a rounding error of P times N from
	 * raising a whole number to the next rank. */
	rank = (uint64_t)ceil(q->p * (double)q->n * (1 - 1e-12));
	rank = CLAMP(rank, 1, q->n);
	if (q->is_real)
		sqlite3_result_double(to, quantile_find(q, rank - 1).real);
	else
		sqlite3_result_int64(to, quantile_find(q, rank - 1).whole);
	sqlite3_free(q->numbers);
}

/* ---- stddev(x) ---- */

/* B. P. Welford, "Note on a Method for Calculating Corrected Sums of Squares and Products", 1962. */
struct deviation {
	uint64_t n;
	double mean, squares;
};

static void stddev_add(sqlite3_context *to, G_GNUC_UNUSED int n, sqlite3_value **values)
{
	struct deviation *d = sqlite3_aggregate_context(to, sizeof *d);
	struct number number;
	double x, away;

	if (!d || !number_of(values[0], &number))
		return;
	x = number.is_real ? number.real : (double)number.whole;
	d->n++;
	away = x - d->mean;
	d->mean += away / (double)d->n;
	d->squares += away * (x - d->mean);
}

static void stddev_end(sqlite3_context *to)
{
	const struct deviation *d = sqlite3_aggregate_context(to, 0);

	if (d && d->n > 0)
		sqlite3_result_double(to, sqrt(d->squares / (double)d->n));
}

/* ---- quantize(x): classes by powers of two; lquantize(x, low, high, step): of one width ---- */

#define POWERS 64 /* on each side of 0; number 0 is [0, 1) */

struct powers {
	uint64_t below[POWERS], above[POWERS + 1];
	bool any;
};

/* The number of the class of X > 0: 1 for [1, 2), 2 for [2, 4), …. */
static unsigned power_of(uint64_t x)
{
	return 64 - (unsigned)__builtin_clzll(x);
}

static void quantize_add(sqlite3_context *to, G_GNUC_UNUSED int n, sqlite3_value **values)
{
	struct powers *p = sqlite3_aggregate_context(to, sizeof *p);
	struct number number;
	int64_t x;

	if (!p || !number_of(values[0], &number))
		return;
	x = number.is_real ? (int64_t)CLAMP(floor(number.real), -9e18, 9e18) : number.whole;
	p->any = true;
	if (x < 0)
		p->below[power_of(-(uint64_t)x) - 1]++;
	else
		p->above[x ? power_of((uint64_t)x) : 0]++;
}

static void append_class(GString *text, const char *name, uint64_t count)
{
	if (count > 0)
		g_string_append_printf(text, "%s%s %" PRIu64, text->len ? "  " : "", name, count);
}

static void result_text(sqlite3_context *to, GString *text)
{
	sqlite3_result_text(to, g_string_free(text, FALSE), -1, g_free);
}

static void quantize_end(sqlite3_context *to)
{
	const struct powers *p = sqlite3_aggregate_context(to, 0);
	GString *text;
	char name[64];

	if (!p || !p->any)
		return;
	text = g_string_new(NULL);
	for (unsigned i = POWERS; i-- > 0;) {
		/* mirrors the positive side: 2^i begins its class, -2^i ends its class */
		g_snprintf(name, sizeof name, "(-%" PRIu64 ",-%" PRIu64 "]",
			i < 63 ? UINT64_C(2) << i : UINT64_MAX, UINT64_C(1) << i);
		append_class(text, name, p->below[i]);
	}
	for (unsigned i = 0; i <= POWERS; i++) {
		g_snprintf(name, sizeof name, "[%" PRIu64 ",%" PRIu64 ")", i ? UINT64_C(1) << (i - 1) : 0,
			i < 64 ? UINT64_C(1) << i : UINT64_MAX);
		append_class(text, name, p->above[i]);
	}
	result_text(to, text);
}

struct linear {
	int64_t low, high, step;
	uint64_t n;       /* of classes between LOW and HIGH */
	uint64_t *counts; /* owned: below, N classes, above; NULL: none yet */
};

static void lquantize_add(sqlite3_context *to, G_GNUC_UNUSED int n, sqlite3_value **values)
{
	struct linear *l = sqlite3_aggregate_context(to, sizeof *l);
	struct number number;
	int64_t x;

	if (!l || !number_of(values[0], &number))
		return;
	if (!l->counts) {
		l->low = sqlite3_value_int64(values[1]);
		l->high = sqlite3_value_int64(values[2]);
		l->step = sqlite3_value_int64(values[3]);
		if (l->step <= 0 || l->high <= l->low ||
			((uint64_t)l->high - (uint64_t)l->low - 1) / (uint64_t)l->step >= CLASSES_MOST) {
			sqlite3_result_error(to,
				"lquantize(x, low, high, step) takes a low below high and a step above 0, for at "
				"most " G_STRINGIFY(CLASSES_MOST) " classes",
				-1);
			return;
		}
		l->n = ((uint64_t)l->high - (uint64_t)l->low - 1) / (uint64_t)l->step + 1;
		l->counts = sqlite3_malloc64((l->n + 2) * sizeof *l->counts);
		if (!l->counts) {
			sqlite3_result_error_nomem(to);
			return;
		}
		memset(l->counts, 0, (l->n + 2) * sizeof *l->counts);
	}
	x = number.is_real ? (int64_t)CLAMP(floor(number.real), -9e18, 9e18) : number.whole;
	l->counts[x < l->low           ? 0
			: x >= l->high ? l->n + 1
				       : 1 + ((uint64_t)x - (uint64_t)l->low) / (uint64_t)l->step]++;
}

static void lquantize_end(sqlite3_context *to)
{
	struct linear *l = sqlite3_aggregate_context(to, 0);
	GString *text;
	char name[64];

	if (!l || !l->counts)
		return;
	text = g_string_new(NULL);
	g_snprintf(name, sizeof name, "<%" PRId64, l->low);
	append_class(text, name, l->counts[0]);
	for (uint64_t i = 0; i < l->n; i++) {
		int64_t from = l->low + (int64_t)i * l->step;

		g_snprintf(name, sizeof name, "[%" PRId64 ",%" PRId64 ")", from,
			l->high - from > l->step ? from + l->step : l->high);
		append_class(text, name, l->counts[i + 1]);
	}
	g_snprintf(name, sizeof name, ">=%" PRId64, l->high);
	append_class(text, name, l->counts[l->n + 1]);
	sqlite3_free(l->counts);
	l->counts = NULL;
	result_text(to, text);
}

/* ---- first(x, ts), last(x, ts) ---- */

struct extreme {
	sqlite3_value *value; /* owned; NULL: none yet */
	struct number at;
};

static bool is_before(const struct number *a, const struct number *b)
{
	if (!a->is_real && !b->is_real)
		return a->whole < b->whole;
	return (a->is_real ? a->real : (double)a->whole) < (b->is_real ? b->real : (double)b->whole);
}

static void extreme_add(sqlite3_context *to, sqlite3_value **values, bool last)
{
	struct extreme *e = sqlite3_aggregate_context(to, sizeof *e);
	struct number at;

	if (!e || !number_of(values[1], &at))
		return;
	if (e->value && !(last ? is_before(&e->at, &at) : is_before(&at, &e->at)))
		return;
	sqlite3_value_free(e->value);
	e->value = sqlite3_value_dup(values[0]);
	e->at = at;
	if (!e->value)
		sqlite3_result_error_nomem(to);
}

static void first_add(sqlite3_context *to, G_GNUC_UNUSED int n, sqlite3_value **values)
{
	extreme_add(to, values, false);
}

static void last_add(sqlite3_context *to, G_GNUC_UNUSED int n, sqlite3_value **values)
{
	extreme_add(to, values, true);
}

static void extreme_end(sqlite3_context *to)
{
	struct extreme *e = sqlite3_aggregate_context(to, 0);

	if (!e || !e->value)
		return;
	sqlite3_result_value(to, e->value);
	sqlite3_value_free(e->value);
}

/* ---- sketch(x), sketched(sketch, p): quantiles of hosts together (sql_merge.c) ---- */

#define AT_ONCE 4096

struct sketching {
	struct base_sketch sketch;
	GArray *numbers; /* of int64_t: not in SKETCH yet; owned */
	double p;
};

/* The state of the aggregate TO, allocated if MAKE is set; NULL: none.  SQLite's context holds only a
 * pointer, because its memory is not aligned for the struct. */
static struct sketching *sketching_of(sqlite3_context *to, bool make)
{
	struct sketching **k = sqlite3_aggregate_context(to, make ? sizeof *k : 0);

	if (k && !*k && make) {
		*k = g_new0(struct sketching, 1);
		(*k)->numbers = g_array_new(FALSE, FALSE, sizeof(int64_t));
	}
	return k ? *k : NULL;
}

static void sketching_free(struct sketching *k)
{
	g_array_unref(k->numbers);
	base_sketch_clear(&k->sketch);
	g_free(k);
}

static int by_number(gconstpointer a, gconstpointer b)
{
	return BASE_ORDER(*(const int64_t *)a, *(const int64_t *)b);
}

static void take_numbers(struct sketching *k)
{
	g_array_sort(k->numbers, by_number);
	base_sketch_add_sorted(&k->sketch, (const int64_t *)(const void *)k->numbers->data, k->numbers->len);
	g_array_set_size(k->numbers, 0);
}

static void sketch_add(sqlite3_context *to, G_GNUC_UNUSED int n, sqlite3_value **values)
{
	struct sketching *k;
	struct number number;

	if (!number_of(values[0], &number))
		return;
	if (number.is_real) {
		sqlite3_result_error(to, "quantile(x, p) of reals cannot be merged: x must be an integer",
			-1);
		return;
	}
	k = sketching_of(to, true);
	if (!k)
		return;
	g_array_append_val(k->numbers, number.whole);
	if (k->numbers->len == AT_ONCE)
		take_numbers(k);
}

static void sketch_end(sqlite3_context *to)
{
	struct sketching *k = sketching_of(to, false);
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	if (!k)
		return;
	take_numbers(k);
	base_sketch_put(&k->sketch, bytes);
	sqlite3_result_blob(to, bytes->data, (int)bytes->len, SQLITE_TRANSIENT);
	sketching_free(k);
}

static void sketched_add(sqlite3_context *to, G_GNUC_UNUSED int n, sqlite3_value **values)
{
	const uint8_t *bytes = sqlite3_value_blob(values[0]);
	struct base_varints in = { bytes, bytes ? bytes + sqlite3_value_bytes(values[0]) : NULL };
	struct sketching *k = bytes ? sketching_of(to, true) : NULL;
	struct base_sketch one = { 0 };

	if (!k)
		return;
	k->p = sqlite3_value_double(values[1]);
	if (!(k->p >= 0 && k->p <= 1))
		sqlite3_result_error(to, "quantile(x, p) takes a p from 0 to 1", -1);
	else if (base_sketch_get(&one, &in))
		base_sketch_join(&k->sketch, &one);
	else
		sqlite3_result_error(to, "no sketch", -1);
	base_sketch_clear(&one);
}

static void sketched_end(sqlite3_context *to)
{
	struct sketching *k = sketching_of(to, false);

	if (k && k->sketch.count > 0)
		sqlite3_result_int64(to, base_sketch_quantile(&k->sketch, k->p));
	if (k)
		sketching_free(k);
}

/* ---- all ---- */

bool sql_sum_add(struct sql *s, GError **error)
{
	static const struct {
		const char *name;
		int n;
		void (*add)(sqlite3_context *to, int n, sqlite3_value **values);
		void (*end)(sqlite3_context *to);
	} functions[] = {
		{ "quantile", 2, quantile_add, quantile_end },
		{ "stddev", 1, stddev_add, stddev_end },
		{ "quantize", 1, quantize_add, quantize_end },
		{ "lquantize", 4, lquantize_add, lquantize_end },
		{ "first", 2, first_add, extreme_end },
		{ "last", 2, last_add, extreme_end },
		{ "sketch", 1, sketch_add, sketch_end },
		{ "sketched", 2, sketched_add, sketched_end },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(functions); i++)
		if (sqlite3_create_function_v2(s->db, functions[i].name, functions[i].n,
			    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS, s, NULL, functions[i].add,
			    functions[i].end, NULL) != SQLITE_OK)
			return base_error_false(error, BASE_ERROR_IO, "SQLite: %s", sqlite3_errmsg(s->db));
	return true;
}
