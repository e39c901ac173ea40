/* SPDX-License-Identifier: MIT */
/* A program that goes on without its terminal, and one that a service manager started (sd_notify(3)). */
#ifndef REC_SERVICE_H
#define REC_SERVICE_H

#include <glib.h>
#include <stdbool.h>

/* Tell STATE ("READY=1", "STATUS=…") to the service manager, if one started this program. */
void rec_service_tell(const char *state);

/* Start this program again by the shell's COMMAND, but for the word WITHOUT: in a session of its own, without a
 * terminal, and its messages go to the end of the file LOG.  Returns its PID when it told "READY=1".  Returns -1 with
 * BASE_ERROR_IO if it ends before, or a signal asks this process to stop; then it is ended. */
int rec_service_start(const char *command, const char *without, const char *log, GError **error);

#endif
