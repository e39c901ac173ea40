/* SPDX-License-Identifier: MIT */
/* Progress of a long task on the terminal. */
#ifndef APP_PROGRESS_H
#define APP_PROGRESS_H

#include "base/base_progress.h"

struct app_progress;

/* Show P on one line of standard error, if that is a terminal and QUIET is not set.  app_progress_free()
 * stops that and clears the line. */
struct app_progress *app_progress_new(struct base_progress *p, bool quiet);
void app_progress_free(struct app_progress *a);

#endif
