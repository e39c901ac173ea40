/* SPDX-License-Identifier: MIT */
/*
 * How it works: each group stores the latencies of its cases as numbers, 8 bytes each.  A group has an id of
 * 64 bits, so grouping by rows and CPUs needs no text per case.
 */
#include "analysis/latency/measure.h"

#include "base/base_error.h"
#include "base/base_many.h"
#include "base/base_memory.h"
#include "base/base_search.h"
#include "base/base_time.h"

#include <string.h>

#define DIGIT 11 /* bits sorted in one pass */

/* ---- groups, as they are typed ---- */

static const char *const by_names[ANA_LATENCY_BY_N + 1] = { [ANA_LATENCY_BY_THREAD] = "thread",
	[ANA_LATENCY_BY_NAME] = "name",
	[ANA_LATENCY_BY_PROCESS] = "process",
	[ANA_LATENCY_BY_CPU] = "cpu",
	[ANA_LATENCY_BY_HOST] = "host",
	[ANA_LATENCY_BY_CLASS] = "class",
	[ANA_LATENCY_BY_CGROUP] = "cgroup",
	[ANA_LATENCY_BY_KEY] = "key",
	[ANA_LATENCY_BY_CALL] = "call",
	[ANA_LATENCY_BY_DEVICE] = "device",
	[ANA_LATENCY_BY_DISK] = "disk" };

const char *ana_latency_by_name(enum ana_latency_by by)
{
	return by_names[by];
}

bool ana_latency_by_is_text(enum ana_latency_by by)
{
	return by == ANA_LATENCY_BY_NAME || by >= ANA_LATENCY_BY_CGROUP;
}

bool ana_latency_by_parse(const char *name, enum ana_latency_by *by, GError **error)
{
	g_autofree char *known = NULL;

	for (unsigned i = 0; i < ANA_LATENCY_BY_N; i++) {
		if (g_strcmp0(by_names[i], name) != 0)
			continue;
		*by = i;
		return true;
	}
	known = g_strjoinv(", ", (char **)(uintptr_t)(by_names + 1));
	return base_error_false(error, BASE_ERROR_USAGE, "\"%s\" makes no groups: use one of %s", name,
		known);
}

/* ---- the cases of each class of the histogram ---- */

#define CLASSES 65 /* negative, 0, and one for each power of two below 2^63 */

struct ana_parts {
	uint32_t top, columns;
	int64_t *begins; /* the begin of each column; owned */
	double per_ns;   /* columns */
	struct ana_latency_part parts[CLASSES];
};

/* Longest first; ties by start, then by row, so the order is always the same. */
static int worst_first(const void *a, const void *b)
{
	const struct ana_latency_case *x = a, *y = b;

	return BASE_BY(y, x, latency) ?: BASE_BY(x, y, start) ?: BASE_BY(x, y, row);
}

static unsigned parts_class_of(int64_t latency)
{
	if (latency < 1)
		return latency < 0 ? 0 : 1;
	return 65u - (unsigned)__builtin_clzll((unsigned long long)latency);
}

/* Make parts by OPTIONS, whose columns is not 0. */
static struct ana_parts *parts_new(const struct ana_latency_options *o)
{
	struct ana_parts *p = g_new0(struct ana_parts, 1);

	p->top = o->top;
	p->columns = o->columns;
	p->per_ns = (double)o->columns / (double)MAX(o->columns_to - o->from, 1);
	p->begins = g_new(int64_t, o->columns);
	for (uint32_t i = 0; i < o->columns; i++)
		p->begins[i] = base_time_column(o->from, o->columns_to, o->columns, i);
	return p;
}

static void part_clear(void *data)
{
	struct ana_latency_part *part = data;

	if (part->worst)
		g_array_unref(part->worst);
	g_free(part->columns);
}

static void parts_free(struct ana_parts *p)
{
	if (!p)
		return;
	for (unsigned i = 0; i < CLASSES; i++)
		part_clear(&p->parts[i]);
	g_free(p->begins);
	g_free(p);
}

/* The column of START; times beyond an end count for the column there. */
static uint32_t parts_column_of(const struct ana_parts *p, int64_t start)
{
	double guess = (double)(start - p->begins[0]) * p->per_ns;
	uint32_t c = guess <= 0 ? 0 : guess >= p->columns ? p->columns - 1 : (uint32_t)guess;

	while (c > 0 && p->begins[c] > start)
		c--;
	while (c + 1 < p->columns && p->begins[c + 1] <= start)
		c++;
	return c;
}

static void parts_add(struct ana_parts *p, const struct ana_latency_case *c)
{
	struct ana_latency_part *part = &p->parts[parts_class_of(c->latency)];
	struct ana_latency_case *worst;

	if (!part->worst) {
		part->worst = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_case));
		part->columns = g_new0(struct ana_latency_case, p->columns);
		for (uint32_t i = 0; i < p->columns; i++)
			part->columns[i].start = BASE_TIME_NONE;
	}
	base_worst_keep(part->worst, p->top, worst_first, c);
	worst = &part->columns[parts_column_of(p, c->start)];
	if (worst->start == BASE_TIME_NONE || worst_first(c, worst) < 0)
		*worst = *c;
}

GArray *ana_parts_copy(const struct ana_parts *p, const GArray *histogram)
{
	GArray *copies = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_part));

	g_array_set_clear_func(copies, part_clear);
	for (guint i = 0; i < histogram->len; i++) {
		const struct base_bucket *b = &g_array_index(histogram, struct base_bucket, i);
		struct ana_latency_part part = p->parts[parts_class_of(b->from)];

		if (part.worst) {
			part.worst = g_array_copy(part.worst);
			part.columns = g_memdup2(part.columns, p->columns * sizeof *part.columns);
		}
		g_array_append_val(copies, part);
	}
	return copies;
}

static void worst_of_parts(const struct ana_latency *l, unsigned first, unsigned end, uint32_t top,
	GArray *worst)
{
	for (unsigned i = end; i-- > first && worst->len < top;) { /* a class above has only worse ones */
		const GArray *more = g_array_index(l->parts, struct ana_latency_part, i).worst;

		if (more)
			g_array_append_vals(worst, more->data, more->len);
	}
	g_array_sort(worst, worst_first);
}

GArray *ana_latency_worst_of(const struct ana_latency *l, unsigned first, unsigned end, uint32_t top)
{
	GArray *worst = g_array_new(FALSE, FALSE, sizeof(struct ana_latency_case));

	if (first == 0 && end == l->histogram->len && l->worst->len > 0)
		g_array_append_vals(worst, l->worst->data, l->worst->len);
	else
		worst_of_parts(l, first, end, top, worst);
	if (worst->len > top)
		g_array_set_size(worst, top);
	return worst;
}

const struct ana_latency_case *ana_latency_worst_in(const struct ana_latency *l, unsigned first, unsigned end,
	uint32_t column)
{
	for (unsigned i = end; i-- > first;) {
		const struct ana_latency_case *columns =
			g_array_index(l->parts, struct ana_latency_part, i).columns;

		if (columns && columns[column].start != BASE_TIME_NONE)
			return &columns[column];
	}
	return NULL;
}

/* ---- groups ---- */

/* The id of the group called TEXT (taken; NULL: UNKNOWN). */
static uint64_t id_of_known(struct ana_tally *t, char *text, const char *unknown)
{
	gpointer id;

	if (!text)
		text = g_strdup(unknown);
	if (g_hash_table_lookup_extended(t->ids, text, NULL, &id)) {
		g_free(text);
	} else {
		id = GUINT_TO_POINTER(t->texts->len);
		g_ptr_array_add(t->texts, text);
		g_hash_table_insert(t->ids, text, id);
	}
	return GPOINTER_TO_UINT(id);
}

/* The id of NAME, a string that stays at its place: its text is looked up once. */
static uint64_t id_of_name(struct ana_tally *t, const char *name)
{
	guint number = GPOINTER_TO_UINT(g_hash_table_lookup(t->names, name));
	uint64_t id;

	if (number > 0)
		return number - 1;
	id = id_of_known(t, g_strdup(name), "not known");
	g_hash_table_insert(t->names, (gpointer)(uintptr_t)name, GUINT_TO_POINTER(id + 1));
	return id;
}

static uint64_t id_of_text(struct ana_tally *t, char *text)
{
	return id_of_known(t, text, "not known");
}

static bool tally_is_thread(const struct ana_tally *t, const struct ana_latency_case *c)
{
	return c->row != MDL_NONE && qry_row(t->q, c->row)->type == MDL_ROW_THREAD;
}

static uint64_t cpu_id(const struct ana_tally *t, const struct ana_latency_case *c)
{
	struct mdl_interval iv;
	uint32_t cpu = c->cpu;

	if (cpu == MDL_NONE && c->end != MDL_NEVER && tally_is_thread(t, c) &&
		qry_kernel_state_at(t->q, c->row, c->end, &iv))
		cpu = iv.aux;
	return (uint64_t)c->host << 32 | cpu;
}

int ana_tally_class(enum mdl_span_class class)
{
	static const int least[MDL_SPAN_CLASSES] = { MDL_PRIORITY_NONE, MDL_PRIORITY_NONE,
		MDL_PRIORITY_DEADLINE, 0, MDL_PRIORITY_FAIR };

	return least[class];
}

static uint64_t class_id(const struct ana_tally *t, const struct ana_latency_case *c)
{
	int64_t time = c->end != MDL_NEVER ? c->end : c->start;

	return (uint64_t)ana_tally_class(qry_class_at(t->classes, c->row, time));
}

/* NAME (taken; may be NULL) of a thing of C; with the host if there are several, as each has its own
 * "vda". */
static char *with_host(const struct ana_tally *t, const struct ana_latency_case *c, char *name)
{
	char *whole;

	if (!name || qry_host_count(t->q) == 1)
		return name;
	whole = g_strdup_printf("%s/%s", qry_host(t->q, c->host)->name, name);
	g_free(name);
	return whole;
}

static uint64_t cgroup_id(struct ana_tally *t, const struct ana_latency_case *c)
{
	const char *path = tally_is_thread(t, c) ? qry_row(t->q, c->row)->cgroup : "";

	return id_of_known(t, *path ? with_host(t, c, g_strdup(path)) : NULL, ANA_NO_CGROUP);
}

/* The id of the group of C. */
static uint64_t id_of(struct ana_tally *t, const struct ana_latency_case *c)
{
	switch (t->options->by) {
	case ANA_LATENCY_BY_THREAD: return c->row;
	case ANA_LATENCY_BY_PROCESS: return tally_is_thread(t, c) ? qry_row(t->q, c->row)->process : MDL_NONE;
	case ANA_LATENCY_BY_HOST: return c->host;
	case ANA_LATENCY_BY_CPU: return cpu_id(t, c);
	case ANA_LATENCY_BY_NAME:
		return id_of_name(t,
			c->row == MDL_NONE              ? NULL
				: tally_is_thread(t, c) ? qry_name_at(t->q, c->row, c->start)
							: qry_row(t->q, c->row)->name);
	case ANA_LATENCY_BY_CLASS: return class_id(t, c);
	case ANA_LATENCY_BY_CGROUP: return cgroup_id(t, c);
	case ANA_LATENCY_BY_KEY: return id_of_text(t, t->kind->key(t->q, c));
	case ANA_LATENCY_BY_CALL: return id_of_text(t, t->kind->call(t->q, c));
	case ANA_LATENCY_BY_DEVICE:
		return id_of_known(t, with_host(t, c, t->kind->device(t->q, c)), "no device known");
	case ANA_LATENCY_BY_DISK: return id_of_known(t, t->kind->disk(t->q, c), "no disk");
	default: return 0;
	}
}

const char *ana_tally_class_name(int least)
{
	return mdl_class_name(least) ?: "not known";
}

static char *cpu_name(const struct ana_tally *t, uint64_t id)
{
	uint32_t cpu = (uint32_t)id;

	if (cpu == MDL_NONE)
		return g_strdup("not known");
	return qry_host_count(t->q) > 1
		? g_strdup_printf("%s/CPU %u", qry_host(t->q, (uint32_t)(id >> 32))->name, cpu)
		: g_strdup_printf("CPU %u", cpu);
}

static char *tally_name_of(const struct ana_tally *t, uint64_t id)
{
	switch (t->options->by) {
	case ANA_LATENCY_BY_NOTHING: return NULL;
	case ANA_LATENCY_BY_THREAD:
	case ANA_LATENCY_BY_PROCESS:
		return id == MDL_NONE ? g_strdup("not known") : qry_row_label(t->q, (uint32_t)id);
	case ANA_LATENCY_BY_HOST: return g_strdup(qry_host(t->q, (uint32_t)id)->name);
	case ANA_LATENCY_BY_CPU: return cpu_name(t, id);
	case ANA_LATENCY_BY_CLASS: return g_strdup(ana_tally_class_name((int)id));
	default: return g_strdup(g_ptr_array_index(t->texts, id));
	}
}

/* True if another group was selected.  A group identified by a text has another id each time. */
static bool is_left_out(const struct ana_tally *t, const struct ana_tally_group *g)
{
	const struct ana_latency_options *o = t->options;
	g_auto(GStrv) words = NULL;

	if (!o->only)
		return false;
	if (!ana_latency_by_is_text(o->by))
		return g->id != o->only_id;
	if (o->only_id != ANA_LATENCY_LIKE)
		return !g_str_equal(g->name, o->only);
	words = g_strsplit(o->only, " ", -1);
	for (char **word = words; *word; word++)
		if (**word && g_str_has_prefix(g->name, *word))
			return false;
	return true;
}

static struct ana_tally_group *tally_group_of(struct ana_tally *t, const struct ana_latency_case *c)
{
	uint64_t id;
	guint number;
	struct ana_tally_group *g;

	if (t->options->by == ANA_LATENCY_BY_NOTHING && t->groups->len > 0)
		return g_ptr_array_index(t->groups, 0);
	if (t->crowded)
		return t->last;
	id = id_of(t, c);
	if (t->last && t->last->id == id)
		return t->last;
	number = GPOINTER_TO_UINT(g_hash_table_lookup(t->numbers, &id));
	if (number > 0)
		return t->last = g_ptr_array_index(t->groups, number - 1);
	t->crowded = t->groups->len == ANA_TALLY_TEXTS && ana_latency_by_is_text(t->options->by);
	if (t->crowded)
		return t->last;
	g = g_new0(struct ana_tally_group, 1);
	g->id = id;
	g->name = tally_name_of(t, id);
	g->left_out = is_left_out(t, g);
	g->cases = g_array_new(FALSE, FALSE, sizeof(int64_t));
	g_ptr_array_add(t->groups, g);
	g_hash_table_insert(t->numbers, g_memdup2(&id, sizeof id), GUINT_TO_POINTER(t->groups->len));
	return t->last = g;
}

/* ---- the whole ---- */

bool ana_tally_wants(struct ana_tally *t, const struct ana_latency_case *c)
{
	return !tally_group_of(t, c)->left_out;
}

void ana_tally_add(struct ana_tally *t, const struct ana_latency_case *c, enum mdl_span_fate fate)
{
	struct ana_tally_group *g;

	t->fates[fate]++;
	if (fate > MDL_SPAN_LOST)
		return;
	g = tally_group_of(t, c);
	if (t->crowded)
		return;
	g->unfinished += fate == MDL_SPAN_OPEN;
	g->dropped += fate == MDL_SPAN_LOST;
	if (fate != MDL_SPAN_DONE || g->left_out)
		return;
	base_pages_append(g->cases, &c->latency);
	if (t->parts)
		parts_add(t->parts, c);
}

static void group_free(void *data)
{
	struct ana_tally_group *g = data;

	g_free(g->name);
	g_array_unref(g->cases);
	g_free(g);
}

struct ana_tally *ana_tally_new(struct qry *q, const struct ana_latency_kind *kind,
	const struct ana_latency_options *options)
{
	struct ana_tally *t = g_new(struct ana_tally, 1);

	*t = (struct ana_tally){ .q = q, .kind = kind, .options = options };
	if (options->columns)
		t->parts = parts_new(options);
	if (options->by == ANA_LATENCY_BY_CLASS)
		t->classes = qry_classes(q);
	t->groups = g_ptr_array_new_with_free_func(group_free);
	t->numbers = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
	t->texts = g_ptr_array_new_with_free_func(g_free);
	t->ids = g_hash_table_new(g_str_hash, g_str_equal);
	t->names = g_hash_table_new(NULL, NULL);
	return t;
}

void ana_tally_free(struct ana_tally *t)
{
	parts_free(t->parts);
	g_ptr_array_unref(t->groups);
	g_hash_table_unref(t->numbers);
	g_hash_table_unref(t->ids);
	g_hash_table_unref(t->names);
	g_ptr_array_unref(t->texts);
	g_free(t);
}

/* ---- sorting ---- */

/* Copy N numbers from FROM to TO, sorted by one digit of their difference to LEAST. */
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

/* Radix sort, lowest digit first (Knuth, TAOCP 3, 5.2.5): there are many latencies, with few digits. */
void ana_tally_sort(int64_t *numbers, guint n)
{
	int64_t *from = numbers, least = INT64_MAX, most = INT64_MIN, *to;
	struct base_many *other;

	if (n < 2)
		return;
	for (guint i = 0; i < n; i++) {
		least = MIN(least, from[i]);
		most = MAX(most, from[i]);
	}
	other = base_many_new(sizeof *to);
	base_many_set_size(other, n);
	to = (int64_t *)(void *)other->data;
	for (unsigned shift = 0; shift < 64 && ((uint64_t)most - (uint64_t)least) >> shift != 0;
		shift += DIGIT) {
		int64_t *sorted = to;

		sort_digit(from, to, n, least, shift);
		to = from;
		from = sorted;
	}
	if (from != numbers)
		memcpy(numbers, from, n * sizeof *from);
	base_many_free(other);
}
