/* SPDX-License-Identifier: MIT */
/* The steps in which folding of a critical path is changed.  No other pane includes it. */
#ifndef PATH_STEPS_H
#define PATH_STEPS_H

#include <stdbool.h>
#include <stdint.h>

/* The next limit, larger or smaller, of 1, 2, 5, 10, … ns; from 0 up to about a thousandth of SPAN, below 1 µs down to 0. */
int64_t path_steps_limit(int64_t limit, bool larger, int64_t span);
/* The next number of levels of 0 … DEEPEST - 1 and all, around the end. */
uint32_t path_steps_levels(uint32_t levels, bool more, uint32_t deepest);

#endif
