/* SPDX-License-Identifier: MIT */
#include "sync/sync_match_parts.h"

#include "base/base_search.h"

#define STRIDE 8192 /* bytes for which one time stands */

void sync_ages_begin(struct sync_ages *ages)
{
	ages->sample = g_array_new(FALSE, FALSE, sizeof(int64_t));
	ages->rest = 0;
}

void sync_ages_add(struct sync_ages *ages, int64_t at, size_t bytes)
{
	for (ages->rest += bytes; ages->rest >= STRIDE; ages->rest -= STRIDE)
		g_array_append_val(ages->sample, at);
}

int64_t sync_ages_median(struct sync_ages *ages)
{
	int64_t median = INT64_MAX;

	g_array_sort(ages->sample, base_search_by_int64);
	if (ages->sample->len > 0)
		median = g_array_index(ages->sample, int64_t, ages->sample->len / 2);
	g_clear_pointer(&ages->sample, g_array_unref);
	return median;
}
