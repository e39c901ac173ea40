/* SPDX-License-Identifier: MIT */
/* One question to an experiment: open it, warn, answer, write the answer where it was wanted. */
#ifndef APP_SESSION_H
#define APP_SESSION_H

#include "app/app_args.h"

#include "base/base_progress.h"

struct app_session {
	const struct app_args *args;    /* weak */
	struct base_progress *progress; /* weak; cancelled by SIGINT and its like */
	struct qry *q;                  /* owned by app_session_run() */
	struct exp_options options;     /* what ARGS say of them; row and window are for ANSWER to set */
	bool again; /* asked once more, of what was made anew: what was said at opening was said */
};

/* Append the answer to OUT; false with an error.  The hook of struct app_command. */
typedef bool app_session_answer(struct app_session *s, GString *out, GError **error);

/*
 * Open the traces in ARGS and let ANSWER append to its OUT.  What ANSWER
 * appended is written even when it returns false with an error.  When the index
 * turns out to be damaged, it is built anew and ANSWER called once more.
 */
bool app_session_run(const struct app_args *args, app_session_answer *answer, GError **error);

/* Append RESULT to OUT in the format that was typed. */
bool app_session_write(const struct app_session *s, const void *result, GString *out, GError **error);

/* The traces in the arguments of S, for a session within another; the caller frees them with qry_free(). */
struct qry *app_session_open(const struct app_session *s, GError **error);

/* True unless a signal has cancelled the run: then false with BASE_ERROR_CANCELLED. */
bool app_session_not_cancelled(const struct app_session *s, GError **error);

/* The progress of this run of the program. */
struct base_progress *app_session_progress(void);

/* Each warning of Q's hosts and clocks on standard error, the first time it is called; what opening met was
 * said then.  Each of WARNINGS (of char *). */
void app_session_warn(const struct qry *q);
void app_session_warn_all(const GPtrArray *warnings);

/* False with BASE_ERROR_USAGE when --thread is missing: asked before anything is built. */
bool app_session_needs_thread(const struct app_args *args, GError **error);

/*
 * True where the switches between threads were recorded of the host of ROW (MDL_NONE: of any host), without
 * which nothing is known of threads: else false with BASE_ERROR_NO_ANSWER, which says how to record them.
 */
bool app_session_needs_switches(const struct app_session *s, uint32_t row, GError **error);

/* The row that --thread, which was typed, names; false also where nothing is known of it, as
 * app_session_needs_switches(). */
bool app_session_thread(const struct app_session *s, uint32_t *row, GError **error);
/* The row of the virtual CPU that the thread of --vcpu, which was typed, runs. */
bool app_session_vcpu(const struct app_session *s, uint32_t *row, GError **error);

/*
 * The window that --from and --to name, else the life of ROW (MDL_NONE: the
 * whole experiment).  BASE_ERROR_USAGE when it is empty, BASE_ERROR_NO_ANSWER
 * when nothing was recorded in it, or ROW does not live in it.
 */
bool app_session_window(const struct app_session *s, uint32_t row, int64_t *from, int64_t *to,
	GError **error);
/* The same for what happens at instants: without --to the last instant of the trace belongs to it. */
bool app_session_instants(const struct app_session *s, uint32_t row, int64_t *from, int64_t *to,
	GError **error);

#endif
