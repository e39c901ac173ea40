/* SPDX-License-Identifier: MIT */
#include "trace/tracefs/trc_bytes.h"

#include "base/base_search.h"

struct trc_places trc_places_new(uint64_t size)
{
	return (struct trc_places){ g_array_new(FALSE, FALSE, sizeof(struct trc_place)), size };
}

void trc_places_free(struct trc_places *places)
{
	g_clear_pointer(&places->all, g_array_unref);
}

static bool places_refuse(struct trc_budget *b)
{
	return trc_budget_spend(b, UINT64_MAX, "parts of it lie over each other");
}

bool trc_places_add(struct trc_places *places, uint64_t offset, uint64_t size, struct trc_budget *b)
{
	struct trc_place place = { offset, size };

	if (size > places->left)
		return places_refuse(b);
	if (!trc_budget_spend(b, sizeof place * 2, "it has too many parts for its size"))
		return false;
	places->left -= size;
	if (size > 0)
		g_array_append_val(places->all, place);
	return true;
}

static int by_offset(const void *a, const void *b)
{
	const struct trc_place *x = a, *y = b;

	return BASE_BY(x, y, offset);
}

void trc_places_check(struct trc_places *places, struct trc_budget *b)
{
	g_array_sort(places->all, by_offset);
	for (guint i = 1; i < places->all->len; i++) {
		const struct trc_place *p = &g_array_index(places->all, struct trc_place, i - 1);

		if (p[1].offset - p[0].offset < p[0].size)
			places_refuse(b);
	}
}
