/* SPDX-License-Identifier: MIT */
/* Following a trace while it is recorded. */
#ifndef APP_FOLLOW_H
#define APP_FOLLOW_H

#include "app/app_args.h"

/* "wakepath index --follow": until a signal asks to end, nothing was written for --idle, or a live session
 * has ended. */
bool app_follow_index(const struct app_args *args, GError **error);

#endif
