/* SPDX-License-Identifier: MIT */
#include "trace/perf/trc_perf_lists.h"

#define KEPT 8

struct trc_perf_list {
	const struct trc_perf_head *head; /* weak */
	uint64_t offset, size;
	GArray *entries; /* of struct trc_perf_entry, by CPU, then time */
	gint refs;
};

struct trc_perf_lists {
	const struct trc_perf_head *head; /* weak */
	struct trc_perf_list *kept[KEPT]; /* the last one first; NULL: none */
};

static int by_place(const void *a, const void *b)
{
	const struct trc_perf_entry *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

static bool is_sorted(const struct trc_perf_entry *e, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		if (e[i].cpu < e[i - 1].cpu || (e[i].cpu == e[i - 1].cpu && e[i].time < e[i - 1].time))
			return false;
	return true;
}

static void add_all(struct trc_perf_list *list)
{
	uint64_t at = list->offset, end = list->offset + list->size;
	struct trc_perf_record r;

	while (trc_perf_record_next(&list->head->bytes, &at, end, &r)) {
		struct trc_perf_place place;
		enum trc_perf_use use = trc_perf_place(list->head, &r, &place);
		struct trc_perf_entry e = { .offset = (uint32_t)(r.offset - list->offset) };

		if (use != TRC_PERF_EVENT && use != TRC_PERF_ASIDE)
			continue;
		e.time = place.time;
		e.cpu = place.cpu;
		e.attr = use == TRC_PERF_EVENT ? place.attr : NULL;
		g_array_append_val(list->entries, e);
	}
}

/* Entries come in runs of one CPU, which are in order as a rule: these are put side by side first. */
static void sort(GArray *entries)
{
	struct trc_perf_entry *e = (struct trc_perf_entry *)(void *)entries->data;

	if (!is_sorted(e, entries->len))
		qsort(e, entries->len, sizeof *e, by_place);
}

struct trc_perf_list *trc_perf_list_new(const struct trc_perf_head *h, uint64_t offset, uint64_t size)
{
	struct trc_perf_list *list = g_new(struct trc_perf_list, 1);

	*list = (struct trc_perf_list){ .head = h,
		.offset = offset,
		.size = size,
		.entries = g_array_new(FALSE, FALSE, sizeof(struct trc_perf_entry)),
		.refs = 1 };
	add_all(list);
	sort(list->entries);
	return list;
}

struct trc_perf_list *trc_perf_list_ref(struct trc_perf_list *list)
{
	list->refs++;
	return list;
}

void trc_perf_list_unref(struct trc_perf_list *list)
{
	if (!list || --list->refs > 0)
		return;
	g_array_unref(list->entries);
	g_free(list);
}

/* The first entry of CPU, or of one behind it. */
static unsigned first_of(const GArray *entries, uint64_t cpu)
{
	unsigned from = 0, to = entries->len;

	while (from < to) {
		unsigned middle = from + (to - from) / 2;

		if (g_array_index(entries, struct trc_perf_entry, middle).cpu < cpu)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

const struct trc_perf_entry *trc_perf_list_of(const struct trc_perf_list *list, uint32_t cpu, unsigned *n)
{
	unsigned first = first_of(list->entries, cpu);

	*n = first_of(list->entries, (uint64_t)cpu + 1) - first;
	return &g_array_index(list->entries, struct trc_perf_entry, first);
}

struct trc_perf_record trc_perf_list_record(const struct trc_perf_list *list, const struct trc_perf_entry *e)
{
	struct trc_perf_record r = { .type = 0 };
	uint64_t at = list->offset + e->offset;

	trc_perf_record_next(&list->head->bytes, &at, list->offset + list->size, &r);
	return r;
}

/* ---- those that were asked for last ---- */

struct trc_perf_lists *trc_perf_lists_new(const struct trc_perf_head *h)
{
	struct trc_perf_lists *l = g_new0(struct trc_perf_lists, 1);

	l->head = h;
	return l;
}

void trc_perf_lists_free(struct trc_perf_lists *l)
{
	for (unsigned i = 0; i < KEPT; i++)
		trc_perf_list_unref(l->kept[i]);
	g_free(l);
}

struct trc_perf_list *trc_perf_lists_get(struct trc_perf_lists *l, uint64_t offset, uint64_t size)
{
	struct trc_perf_list *list;
	unsigned i = 0;

	while (i < KEPT - 1 && l->kept[i] && (l->kept[i]->offset != offset || l->kept[i]->size != size))
		i++;
	list = l->kept[i];
	if (!list || list->offset != offset || list->size != size) {
		trc_perf_list_unref(list);
		list = trc_perf_list_new(l->head, offset, size);
	}
	memmove(&l->kept[1], &l->kept[0], i * sizeof l->kept[0]);
	l->kept[0] = list;
	return trc_perf_list_ref(list);
}
