/* SPDX-License-Identifier: MIT */
/* Running in the background, and reports to the service manager that started this program (sd_notify(3)). */
#ifndef REC_SERVICE_H
#define REC_SERVICE_H

#include <glib.h>
#include <stdbool.h>

/* Send STATE ("READY=1", "STATUS=…") to the service manager, if one started this program. */
void rec_service_tell(const char *state);

/* Start this program again with the words of the shell command COMMAND, without the word WITHOUT.  It runs in
 * a session of its own without a terminal, and appends its messages to the file LOG.  Returns its PID when it
 * has sent "READY=1".  -1 with BASE_ERROR_USAGE if COMMAND is malformed, BASE_ERROR_IO if it cannot start or
 * ends before, BASE_ERROR_CANCELLED if a signal asks this process to stop; then the new process is ended. */
int rec_service_start(const char *command, const char *without, const char *log, GError **error);

#endif
