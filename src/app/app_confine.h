/* SPDX-License-Identifier: MIT */
/* If root reads another user's trace, the process gives up each right that reading does not need. */
#ifndef APP_CONFINE_H
#define APP_CONFINE_H

#include "app/app_args.h"

/*
 * Confine this process if it runs as root and a trace in ARGS belongs to another user.  From then on it can
 * read all files, and write only below the index folder, the temporary folder, the state folder and the
 * folder of the output.  It can no longer start programs, open sockets, or change owners or modes.  Does
 * nothing if the kernel has no Landlock.  False with BASE_ERROR_IO if the kernel has it and refuses.  Call it
 * before any thread exists.
 */
bool app_confine(const struct app_args *args, GError **error);

#endif
