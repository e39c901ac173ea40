/* SPDX-License-Identifier: MIT */
#include "trace/perf/trc_perf.h"

#include "base/base_memory.h"
#include "base/base_search.h"

#define KEPT 8
#define COPIED_MOST BASE_PAGES_LARGE /* larger blocks are joined ones */
#define ROOM 1024                    /* entries for which there is room at first */
/* A list of a block costs one byte of memory per SHARE bytes of the block. */
#define SHARE 8

struct trc_perf_list {
	const struct trc_perf_head *head; /* weak */
	uint64_t offset;
	struct trc_bytes bytes; /* of the block */
	uint8_t *copy;          /* owned: room for COPIED_MOST bytes; NULL: not needed yet */
	GArray *entries;        /* of struct trc_perf_entry, by CPU, then time */
	gint refs;
};

struct trc_perf_lists {
	const struct trc_perf_head *head; /* weak */
	bool copies;
	struct trc_budget budget;         /* for lists of what was unpacked */
	GArray *found;                    /* room for found entries: fresh memory is slow */
	struct trc_perf_list *kept[KEPT]; /* the last used one first; NULL: none */
};

static int perf_lists_by_time(const void *a, const void *b)
{
	const struct trc_perf_entry *x = a, *y = b;

	return BASE_BY(x, y, time) ?: BASE_BY(x, y, offset);
}

static GArray *no_entries(void)
{
	return g_array_new(FALSE, FALSE, sizeof(struct trc_perf_entry));
}

/* Put all entries of LIST into ENTRIES, in the order of the file. */
static void find_all(const struct trc_perf_list *list, GArray *entries)
{
	uint64_t at = 0;
	struct trc_perf_record r;
	guint n = 0;

	while (trc_perf_record_next(&list->bytes, &at, list->bytes.size, &r)) {
		struct trc_perf_place place;
		enum trc_perf_use use = trc_perf_place(list->head, &r, &place);

		if (use != TRC_PERF_EVENT && use != TRC_PERF_ASIDE)
			continue;
		if (n == entries->len)
			g_array_set_size(entries, n + MAX(n, ROOM));
		g_array_index(entries, struct trc_perf_entry,
			n++) = (struct trc_perf_entry){ .time = place.time,
			.attr = use == TRC_PERF_EVENT ? place.attr : NULL,
			.cpu = place.cpu,
			.offset = (uint32_t)r.offset,
			.type = r.type,
			.misc = r.misc,
			.size = (uint16_t)r.data.size };
	}
	g_array_set_size(entries, n);
}

/* Group the entries FOUND by CPU into TO, in the order of the CPUs. */
static void gather(const GArray *found, GArray *to)
{
	const struct trc_perf_entry *from = (const struct trc_perf_entry *)(void *)found->data;
	guint n = found->len, cpus = 0, at = 0;
	guint *places;

	for (guint i = 0; i < n; i++)
		cpus = MAX(cpus, from[i].cpu + 1);
	places = g_new0(guint, cpus + 1);
	for (guint i = 0; i < n; i++)
		places[from[i].cpu]++;
	for (guint cpu = 0; cpu < cpus; cpu++) {
		guint of = places[cpu];

		places[cpu] = at;
		at += of;
	}
	g_array_set_size(to, n);
	for (guint i = 0; i < n; i++)
		g_array_index(to, struct trc_perf_entry, places[from[i].cpu]++) = from[i];
	g_free(places);
}

/* Sort the entries of each CPU by time. Most are in order already. */
static void perf_lists_sort(GArray *entries)
{
	struct trc_perf_entry *e = (struct trc_perf_entry *)(void *)entries->data;

	for (guint first = 0, end; first < entries->len; first = end) {
		bool sorted = true;

		for (end = first + 1; end < entries->len && e[end].cpu == e[first].cpu; end++)
			sorted &= e[end].time >= e[end - 1].time;
		if (!sorted)
			qsort(&e[first], end - first, sizeof *e, perf_lists_by_time);
	}
}

static struct trc_perf_list *list_new(const struct trc_perf_head *h)
{
	struct trc_perf_list *list = g_new0(struct trc_perf_list, 1);

	list->head = h;
	list->entries = no_entries();
	list->refs = 1;
	return list;
}

/* Fill LIST with the block of SIZE bytes at OFFSET. FOUND is scratch memory. */
static void list_fill(struct trc_perf_list *list, uint64_t offset, uint64_t size, bool copies, GArray *found)
{
	const struct trc_bytes *all = &list->head->bytes;

	list->offset = offset;
	list->bytes = (struct trc_bytes){ .data = all->data + offset, .size = size, .big = all->big };
	if (copies && size <= COPIED_MOST) {
		if (!list->copy)
			list->copy = base_pages_new(COPIED_MOST);
		if (trc_perf_head_copy(list->head, offset, size, list->copy))
			list->bytes.data = list->copy;
	}
	find_all(list, found);
	gather(found, list->entries);
	perf_lists_sort(list->entries);
}

struct trc_perf_list *trc_perf_list_new(const struct trc_perf_head *h, uint64_t offset, uint64_t size)
{
	g_autoptr(GArray) found = no_entries();
	struct trc_perf_list *list = list_new(h);

	list_fill(list, offset, size, false, found);
	return list;
}

void trc_perf_list_unref(struct trc_perf_list *list)
{
	if (!list || --list->refs > 0)
		return;
	g_array_unref(list->entries);
	free(list->copy);
	g_free(list);
}

/* Return the place of the first entry of CPU, or of a higher CPU. */
static unsigned perf_lists_first_of(const GArray *entries, uint64_t cpu)
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
	unsigned first = perf_lists_first_of(list->entries, cpu);

	*n = perf_lists_first_of(list->entries, (uint64_t)cpu + 1) - first;
	return &g_array_index(list->entries, struct trc_perf_entry, first);
}

void trc_perf_list_keep(struct trc_perf_list *list, uint32_t cpu)
{
	GArray *all = list->entries;
	unsigned n;
	const struct trc_perf_entry *entries = trc_perf_list_of(list, cpu, &n);

	list->entries = no_entries();
	g_array_append_vals(list->entries, entries, n);
	g_array_unref(all);
}

struct trc_perf_record trc_perf_list_record(const struct trc_perf_list *list, const struct trc_perf_entry *e)
{
	const struct trc_bytes *b = &list->bytes;

	return (struct trc_perf_record){
		.type = e->type,
		.misc = e->misc,
		.offset = list->offset + e->offset,
		.data = { .data = b->data + e->offset, .size = e->size, .at = TRC_PERF_HEAD, .big = b->big }
	};
}

/* ---- the last used lists ---- */

struct trc_perf_lists *trc_perf_lists_new(const struct trc_perf_head *h, bool copies)
{
	struct trc_perf_lists *l = g_new0(struct trc_perf_lists, 1);

	l->head = h;
	l->copies = copies;
	l->budget = h->budget;
	l->found = no_entries();
	return l;
}

void trc_perf_lists_free(struct trc_perf_lists *l)
{
	for (unsigned i = 0; i < KEPT; i++)
		trc_perf_list_unref(l->kept[i]);
	g_array_unref(l->found);
	g_free(l);
}

static bool perf_lists_is_of(const struct trc_perf_list *list, uint64_t offset, uint64_t size)
{
	return list->offset == offset && list->bytes.size == size;
}

struct trc_perf_list *trc_perf_lists_get(struct trc_perf_lists *l, uint64_t offset, uint64_t size)
{
	struct trc_perf_list *list;
	unsigned i = 0;

	while (i < KEPT - 1 && l->kept[i] && !perf_lists_is_of(l->kept[i], offset, size))
		i++;
	list = l->kept[i];
	if (!list || !perf_lists_is_of(list, offset, size)) {
		if (l->head->unpacked &&
			!trc_budget_spend(&l->budget, size / SHARE,
				"its CPUs are farther apart in time than in the file"))
			return NULL;
		if (!list || list->refs > 1) { /* reuse its memory if nothing else refers to it */
			trc_perf_list_unref(list);
			list = list_new(l->head);
		}
		list_fill(list, offset, size, l->copies, l->found);
	}
	memmove(&l->kept[1], &l->kept[0], i * sizeof l->kept[0]);
	l->kept[0] = list;
	list->refs++;
	return list;
}

const struct trc_budget *trc_perf_lists_budget(const struct trc_perf_lists *l)
{
	return &l->budget;
}
