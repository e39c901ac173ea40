/* SPDX-License-Identifier: MIT */
/* Opening several recordings that have no index.  One process per recording makes its index; one more process
 * combines their reports, so the explorer shows all recordings after the first tenth of a second. */
#ifndef APP_MAKERS_H
#define APP_MAKERS_H

#include "app/app_follower.h"

/*
 * Start to make the indexes of those recordings at or below the traces in ARGS that have no fresh index.
 * Call it before any thread exists.  NULL if no index is missing, if too many are missing to make them all at
 * once, or if none can be made.
 */
struct app_follower *app_makers_begin(const struct app_args *args);

#endif
