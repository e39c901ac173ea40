/* SPDX-License-Identifier: MIT */
/*
 * libFuzzer target: any bytes as the summary of a host, read and added to itself.
 *
 * If the first byte is odd, the checksums of the rest are corrected first, so that the checks behind them are
 * reached.
 */
#include "fuzz/feed.h"

#include "fleet/flt_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look(const char *path)
{
	g_autoptr(GPtrArray) sources = g_ptr_array_new_with_free_func(flt_source_free);

	for (unsigned i = 0; i < FLT_FEWEST; i++)
		g_ptr_array_add(sources, flt_source_new(NULL, path));
	flt_fleet_free(flt_fleet_new(sources, "wakeup", NULL, NULL));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 0)
		feed_file(data, size, &flt_summary_file, look);
	return 0;
}
