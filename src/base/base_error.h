/* SPDX-License-Identifier: MIT */
/*
 * Failures that are not bugs.
 *
 * Bad data, a bad environment and a bad request are GErrors of the one domain BASE_ERROR.  The code names the
 * kind of failure and selects the exit status of the program.  The message is one line: what failed, where,
 * what to do.  Each layer adds its context with g_prefix_error().
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <glib.h>
#include <stdbool.h>

#define BASE_ERROR (base_error_quark())

enum base_error {
	BASE_ERROR_NO_ANSWER, /* the query has no answer: exit status 1 */
	BASE_ERROR_USAGE,     /* bad usage: 2 */
	BASE_ERROR_DATA,      /* a trace or an index that cannot be read: 3 */
	BASE_ERROR_REFUSED, /* data that would take too much time or memory, so no other reader tries it: 3 */
	BASE_ERROR_FOREIGN, /* intact data in a format or version that wakepath does not read: 3 */
	BASE_ERROR_IO,      /* the environment: disk full, no permission: 3 */
	BASE_ERROR_STALE,   /* an index that must be rebuilt; the user never sees this as a failure */
	BASE_ERROR_CANCELLED, /* interrupted: 128 + the number of the signal; 130 if a key did it */
};

GQuark base_error_quark(void);

/* Return the exit status of the program for ERROR (never NULL). */
int base_error_exit_status(const GError *error);

/* Set a BASE_ERROR_IO error from errno value SAVED_ERRNO: "DOING PATH: reason[: remedy]". */
void base_error_set_errno(GError **error, int saved_errno, const char *doing, const char *path);

/* Take over FAILURE (may be NULL). If it is BASE_ERROR_IO, move it to ERROR and return true; otherwise free
 * it and return false. */
bool base_error_is_io(GError *failure, GError **error);

/* Set an error of CODE (enum base_error) from a printf format and its arguments, and evaluate to the value
 * that reports a failure: "return base_error_false(...)".  They are macros so that every compiler sees that
 * value. */
#define base_error_false(error, code, ...) (g_set_error(error, BASE_ERROR, code, __VA_ARGS__), false)
#define base_error_null(error, code, ...) (g_set_error(error, BASE_ERROR, code, __VA_ARGS__), NULL)
/* Like base_error_false() and base_error_null(), with base_error_set_errno(). */
#define base_error_false_errno(error, saved_errno, doing, path) \
	(base_error_set_errno(error, saved_errno, doing, path), false)
#define base_error_null_errno(error, saved_errno, doing, path) \
	(base_error_set_errno(error, saved_errno, doing, path), NULL)

#endif
