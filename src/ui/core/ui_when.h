/* SPDX-License-Identifier: MIT */
/* Reads times that a person typed: all notations on the screen, and steps from the cursor. */
#ifndef UI_WHEN_H
#define UI_WHEN_H

#include "ui/core/ui_shell.h"

/*
 * *TIME becomes the time (ns since the Epoch) of TEXT; it can be outside the experiment.
 *
 *   8.5  8.5 s  850 ms  +8.5  +8.5 s   from the start, as rulers, lists and the header show it; without a
 *                                      unit seconds
 *   50%                                of the experiment
 *   10:03:04.9  2026-11-20 10:03:04.9  local time; without a date of the day at the cursor, else of the
 *                                      first or last day
 *   1795176184733782515                ns since the Epoch
 *   +2ms  -2ms  -2                     from the cursor: a duration as it is typed, without a blank
 *
 * False with BASE_ERROR_USAGE if TEXT is none of these, or the time is out of range.
 */
bool ui_when_parse(const struct ui_shell *shell, const char *text, int64_t *time, GError **error);

#endif
