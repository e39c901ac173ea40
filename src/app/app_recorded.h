/* SPDX-License-Identifier: MIT */
/* Opens what was just recorded. */
#ifndef APP_RECORDED_H
#define APP_RECORDED_H

#include "app/app_args.h"

/*
 * Run the explorer, with ARGS, on the recording PATH, with the cursor on the worst latency of KIND, or of
 * wake-ups where there is none.  PID: of the program that was recorded, whose worst it then is; 0: any.
 */
bool app_recorded_open(const struct app_args *args, const char *path, const char *kind, int pid,
	GError **error);

#endif
