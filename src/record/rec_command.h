/* SPDX-License-Identifier: MIT */
/* Programs that are run while it is recorded: the user's own, and the clients of other tracers. */
#ifndef REC_COMMAND_H
#define REC_COMMAND_H

#include <glib.h>
#include <stdbool.h>

/* ---- what was typed behind -- ---- */

/* Start COMMAND with this terminal; its PID, or -1 with BASE_ERROR_USAGE: there is no such program. */
int rec_command_start(char *const *command, GError **error);
/* Has it ended?  Then *STATUS as waitpid() has it. */
bool rec_command_ended(int pid, int *status);
/* "ended with status 3", "was killed by signal 11 (…)".  The caller frees. */
char *rec_command_words(int status);

/* ---- clients ---- */

/*
 * Start the program ARGV; it gets SIGINT should this one die, and none of the keys that are typed.  FDS (of
 * COUNT, may be NULL): descriptors that become its 3, 4, ..., and are closed here.  What it says on standard
 * error goes to the end of a pipe.  NULL with BASE_ERROR_IO.
 */
struct rec_client *rec_client_start(const char *const *argv, const int *fds, unsigned count, GError **error);
bool rec_client_ended(struct rec_client *client);
/* Send SIGINT and wait for its end. */
void rec_client_stop(struct rec_client *client);
/* The same, first. */
void rec_client_free(struct rec_client *client);
/* Set BASE_ERROR_IO from what CLIENT says last on standard error, up to its end. */
void rec_client_error(struct rec_client *client, const char *name, GError **error);
/* Run ARGV to its end; false with BASE_ERROR_IO, and with its last words, unless it succeeded.  OUT (may be
 * NULL): what it said on standard output, for the caller to free. */
bool rec_client_run(const char *const *argv, char **out, GError **error);
/* ARGV as it is typed into a shell, with the end of line; the caller frees. */
char *rec_client_line(const char *const *argv);
/* Is the program NAME installed? */
bool rec_client_is_there(const char *name);

#endif
