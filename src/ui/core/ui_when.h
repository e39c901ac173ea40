/* SPDX-License-Identifier: MIT */
/* Reading a time that a person has typed: whatever the screen prints, and steps from the cursor. */
#ifndef UI_WHEN_H
#define UI_WHEN_H

#include "ui/core/ui_shell.h"

/*
 * The time (ns since the Epoch) that TEXT means; it may be outside the experiment.
 *
 *   8.5  8.5 s  850 ms  +8.5  +8.5 s   from the start, as rulers, lists and the header print it; without a
 * unit seconds 50%                                of the experiment 10:03:04.9  2026-11-20 10:03:04.9  local
 * time; without a date of the day at the cursor, else of the first or last day 1795176184733782515 ns since
 * the Epoch +2ms  -2ms  -2                     from the cursor: a duration as it is typed, without a blank
 *
 * False with BASE_ERROR_USAGE when it is none of these or does not fit.
 */
bool ui_when_parse(const struct ui_shell *shell, const char *text, int64_t *time, GError **error);

#endif
