/* SPDX-License-Identifier: MIT */
/*
 * Several recordings without indexes, opened together: a process for each makes its index, and one more puts
 * together what they tell, so that the explorer shows all of them from the first tenth of a second on.
 */
#ifndef APP_MAKERS_H
#define APP_MAKERS_H

#include "app/app_follower.h"

/*
 * Make the indexes of the recordings at or below the traces in ARGS that have no fresh one: before any thread
 * is made.  NULL where there is none to make, there are too many to make them all at once, or none can be
 * made.
 */
struct app_follower *app_makers_begin(const struct app_args *args);

#endif
