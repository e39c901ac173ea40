/* SPDX-License-Identifier: MIT */
/* Programs that run during a recording: the user's command, and the clients of other tracers. */
#ifndef REC_COMMAND_H
#define REC_COMMAND_H

#include <glib.h>
#include <stdbool.h>

/* ---- the user's command, typed after "--" ---- */

/* Start COMMAND on this terminal.  Returns its PID, or -1 with BASE_ERROR_USAGE if it cannot be run. */
int rec_command_start(char *const *command, GError **error);
/* True if PID has ended; *STATUS becomes its status of waitpid(). */
bool rec_command_ended(int pid, int *status);

/* ---- clients ---- */

/* Start the program ARGV.  The kernel sends it SIGINT if this process dies; keys typed at the terminal do not
 * reach it.  FDS (COUNT of them, may be NULL) become its descriptors 3, 4, … and are closed here.  Its
 * standard error goes to a pipe that rec_client_error() reads.  NULL with BASE_ERROR_IO. */
struct rec_client *rec_client_start(const char *const *argv, const int *fds, unsigned count, GError **error);
/* True if CLIENT has ended. */
bool rec_client_ended(struct rec_client *client);
/* Send SIGINT to CLIENT and wait until it ends. */
void rec_client_stop(struct rec_client *client);
/* Stop CLIENT like rec_client_stop(), then free it.  CLIENT may be NULL. */
void rec_client_free(struct rec_client *client);
/* Read the standard error of CLIENT to its end, and set BASE_ERROR_IO with the last line. */
void rec_client_error(struct rec_client *client, const char *name, GError **error);
/* Run ARGV and wait for its end.  OUT (may be NULL) receives its standard output, for the caller to free.
 * False with BASE_ERROR_IO and its last line of output if it cannot be run or fails. */
bool rec_client_run(const char *const *argv, char **out, GError **error);
/* Append ARGV to OUT as a shell command line with '\n'. */
void rec_client_tell(const char *const *argv, GString *out);
/* True if the program NAME is installed. */
bool rec_client_is_there(const char *name);

/* ---- names that contain the owning process, so that what a dead process left behind can be found ---- */

/* Return "wakepath-PID-START" for this process; START is its start time in clock ticks since boot.  The
 * caller frees. */
char *rec_name_new(void);
/* True if NAME is such a name, possibly with a suffix ("…-watch", "….data"), and its process is gone. */
bool rec_name_is_left(const char *name);

#endif
