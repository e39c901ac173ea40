/* SPDX-License-Identifier: MIT */
/* One question to an experiment: open it, warn, answer, and write the answer to its destination. */
#ifndef APP_SESSION_H
#define APP_SESSION_H

#include "app/app_args.h"
#include "base/base_progress.h"

struct app_session {
	const struct app_args *args;    /* weak */
	struct base_progress *progress; /* weak; SIGINT and similar signals cancel it */
	struct qry *q;                  /* owned by app_session_run() */
	struct exp_options options;     /* from ARGS; ANSWER sets row and window */
	bool again; /* the second run, after a rebuild: warnings about opening were already printed */
};

/* Appends the answer to OUT.  False with an error.  The hook of struct app_command. */
typedef bool app_session_answer(struct app_session *s, GString *out, GError **error);

/* Open the traces in ARGS and call ANSWER.  The text that ANSWER appended is written even if it returns
 * false, unless a file is damaged or a signal cancelled the run.  A damaged index is rebuilt, and ANSWER is
 * called once more.  False with an error. */
bool app_session_run(const struct app_args *args, app_session_answer *answer, GError **error);

/* Append RESULT to OUT in the format that was typed. */
bool app_session_write(const struct app_session *s, const void *result, GString *out, GError **error);

/* Open the traces in the arguments of S, for a second session, such as that of --against.  The caller frees
 * them with qry_free().  NULL with an error. */
struct qry *app_session_open(const struct app_session *s, GError **error);

/* True unless a signal cancelled the run; otherwise false with BASE_ERROR_CANCELLED. */
bool app_session_not_cancelled(const struct app_session *s, GError **error);

/* The progress of this run of the program. */
struct base_progress *app_session_progress(void);

/* app_session_warn() prints on standard error the warnings of Q's hosts and clocks that were added since the
 * last call, without those already printed at opening; always call it with the same Q. app_session_warn_all()
 * prints all WARNINGS (char *). */
void app_session_warn(const struct qry *q);
void app_session_warn_all(const GPtrArray *warnings);

/* False with BASE_ERROR_USAGE if --thread was not typed.  Called before any index is built. */
bool app_session_needs_thread(const struct app_args *args, GError **error);

/* True if the switches between threads were recorded on the host of ROW (MDL_NONE: on any host).  Without
 * them nothing is known of threads: false with BASE_ERROR_NO_ANSWER; its message says how to record them. */
bool app_session_needs_switches(const struct app_session *s, uint32_t row, GError **error);

/* *ROW becomes the row that --thread names; --thread must have been typed.  False with an error, also that of
 * app_session_needs_switches(). */
bool app_session_thread(const struct app_session *s, uint32_t *row, GError **error);
/* *ROW becomes the row of the virtual CPU that the thread of --vcpu runs; --vcpu must have been typed.  False
 * with an error. */
bool app_session_vcpu(const struct app_session *s, uint32_t *row, GError **error);

/*
 * [*FROM, *TO) becomes the window of --from and --to; where one is not typed, the life of ROW (MDL_NONE: the
 * whole experiment) gives that end.  BASE_ERROR_USAGE if the window is empty, BASE_ERROR_NO_ANSWER if nothing
 * was recorded in it, or ROW does not live in it.
 */
bool app_session_window(const struct app_session *s, uint32_t row, int64_t *from, int64_t *to,
	GError **error);
/* Like app_session_window(), for results about instants: without --to, the window includes the last instant
 * of the trace. */
bool app_session_instants(const struct app_session *s, uint32_t row, int64_t *from, int64_t *to,
	GError **error);

/* ---- progress of a long task on the terminal ---- */

struct app_progress;

/* Show P on one line of standard error, if that is a terminal and QUIET is not set.  app_progress_free()
 * stops that and clears the line. */
struct app_progress *app_progress_new(struct base_progress *p, bool quiet);
void app_progress_free(struct app_progress *a);

/* ---- parts of commands that other commands use ---- */

/* True if standard input and standard output are a terminal, for the explorer (app_view.c). */
bool app_view_has_terminal(void);

/* The answer of "wakepath info" (app_info.c). */
bool app_info_answer(struct app_session *s, GString *out, GError **error);

/* ---- --against and its window: latencies compared with those of another recording, or of another time in
 * the same traces (app_latency.c) ---- */

/* Measures KIND for the window of S, with values.  *LENGTH becomes the length of that window in ns.  Returns
 * NULL with an error. */
typedef struct ana_latency *app_against_measure(struct app_session *s, const char *kind, int64_t *length,
	GError **error);

/* Compare KIND, measured by MEASURE in both traces or windows, and append the result to OUT. */
bool app_against_one(struct app_session *s, const char *kind, app_against_measure *measure, GString *out,
	GError **error);

/* Open the experiment of S for SQL, with the rules of --rules.  NULL with an error. */
struct sql *app_session_sql(const struct app_session *s, GError **error);

#endif
