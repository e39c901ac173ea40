/* SPDX-License-Identifier: MIT */
/* A process with root's rights that reads another user's trace gives up what reading does not need. */
#ifndef APP_CONFINE_H
#define APP_CONFINE_H

#include "app/app_args.h"

/*
 * With root's rights, and where one of the traces of ARGS belongs to another user: from now on this process
 * can read all files, but writes only below the folder of indexes, the folders for temporary files and for
 * its state, and that of the output; it starts no program, opens no socket and changes no owner or mode.
 * False with BASE_ERROR_IO: the kernel can do that, and refuses.  A kernel without Landlock: nothing happens.
 * To be called before there are threads.
 */
bool app_confine(const struct app_args *args, GError **error);

#endif
