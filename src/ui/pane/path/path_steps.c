// SPDX-License-Identifier: MIT
#include "ui/pane/path/path_steps.h"

#include "ui/pane/path/path_items.h"

#define LIMIT_LEAST 1000				/* ns */
#define LIMIT_MOST G_GINT64_CONSTANT(100000000000)

/* The largest of 1 µs, 2 µs, 5 µs, … up to MOST; at least the first. */
static int64_t step_up_to(int64_t most)
{
	int64_t step = LIMIT_LEAST, decade = LIMIT_LEAST;

	for (; decade <= most && decade <= LIMIT_MOST; decade *= 10)
		for (unsigned i = 1; i <= 5; i += i == 2 ? 3 : 1)
			if (i * decade <= most)
				step = i * decade;
	return step;
}

int64_t path_steps_limit(int64_t limit, bool larger, int64_t span)
{
	if (!limit)
		return larger ? step_up_to(span / 1000) : 0;
	if (!larger)
		return limit <= LIMIT_LEAST ? 0 : step_up_to(limit - 1);
	return limit >= LIMIT_MOST ? limit : step_up_to(limit * 5 / 2);
}

uint32_t path_steps_levels(uint32_t levels, bool more, uint32_t deepest)
{
	if (!deepest)
		return PATH_ALL_LEVELS;
	if (levels >= deepest)		/* all of them */
		return more ? 0 : deepest - 1;
	if (more)
		return levels + 1 >= deepest ? PATH_ALL_LEVELS : levels + 1;
	return levels ? levels - 1 : PATH_ALL_LEVELS;
}
