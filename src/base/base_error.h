/* SPDX-License-Identifier: MIT */
/*
 * Failures that are not bugs.
 *
 * Bad data, a bad environment or a bad question is a GError in the one domain
 * BASE_ERROR; its code says what kind of failure it is, and with that the exit
 * status of the program.  The message is one line: what, where, what to do.
 * Each layer adds its context with g_prefix_error().
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <glib.h>
#include <stdbool.h>

#define BASE_ERROR (base_error_quark())

enum base_error {
	BASE_ERROR_NO_ANSWER, /* the question has no answer: exit status 1 */
	BASE_ERROR_USAGE,     /* bad usage: 2 */
	BASE_ERROR_DATA,      /* bad data: a trace or index that cannot be read: 3 */
	BASE_ERROR_REFUSED,   /* data that would take too much time or memory, so nobody else is asked to read
				 it either: 3 */
	BASE_ERROR_IO,        /* the environment: disk full, no permission: 3 */
	BASE_ERROR_STALE,     /* an index that must be built again; never reaches the user as failure */
	BASE_ERROR_CANCELLED, /* interrupted: 128 and the number of the signal; by a key 130 */
};

GQuark base_error_quark(void);

/* The exit status of the program for ERROR (never NULL). */
int base_error_exit_status(const GError *error);

/* Set a BASE_ERROR_IO error from errno value SAVED_ERRNO: "DOING PATH: reason[: remedy]". */
void base_error_set_errno(GError **error, int saved_errno, const char *doing, const char *path);

/* Set an error of enum base_error CODE, by a format and what belongs to it, and be what says that there is
 * one: "return base_error_false(...)".  Macros, so that each compiler sees what that is. */
#define base_error_false(error, code, ...) (g_set_error(error, BASE_ERROR, code, __VA_ARGS__), false)
#define base_error_null(error, code, ...) (g_set_error(error, BASE_ERROR, code, __VA_ARGS__), NULL)
/* The same of base_error_set_errno(). */
#define base_error_false_errno(error, saved_errno, doing, path) \
	(base_error_set_errno(error, saved_errno, doing, path), false)
#define base_error_null_errno(error, saved_errno, doing, path) \
	(base_error_set_errno(error, saved_errno, doing, path), NULL)

#endif
