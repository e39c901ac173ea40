/* SPDX-License-Identifier: MIT */
/* The subject of a pane: the scope of its numbers, the name of the experiment, the wait at the cursor, and
 * the events that are missing in the recording. */
#ifndef SUBJECT_H
#define SUBJECT_H

#include "query/qry.h"
#include "ui/core/ui_shell.h"

/* True if ROW (UI_NO_ROW: none) is a thread. */
static inline bool row_is_thread(const struct qry *q, uint32_t row)
{
	return row != UI_NO_ROW && qry_row(q, row)->type == MDL_ROW_THREAD;
}

/* True if ROW (UI_NO_ROW: none) has paths and stories: it is a thread, but not an idle thread. */
static inline bool row_has_paths(const struct qry *q, uint32_t row)
{
	return row_is_thread(q, row) && qry_row(q, row)->cpu == MDL_NONE;
}

/* Clip [*FROM, *TO) (ns) to the life of thread ROW, which ends with its exit.  If nothing is left, it becomes
 * the whole life. */
void row_clip(struct qry *q, uint32_t row, int64_t *from, int64_t *to);

/* ---- the scope, with the same words at the same place of every title ---- */

/* The threads that numbers are about.  SCOPE_USER: all except kernel threads, which sleep until there is
 * work.  SCOPE_ALL: all, kernel threads included. */
enum scope { SCOPE_THREAD, SCOPE_PROCESS, SCOPE_USER, SCOPE_ALL, SCOPE_N };
extern const char *const scope_words[SCOPE_N];

/* True if SCOPE does not depend on the selected thread. */
static inline bool scope_of_all(enum scope scope)
{
	return scope == SCOPE_USER || scope == SCOPE_ALL;
}

/* Append "WHAT of WHOSE  12.0 ms in view" to TITLE.  Frees WHOSE; NULL: no "of WHOSE". */
void scope_title(const struct ui_shell *shell, GString *title, const char *what, char *whose, int64_t from,
	int64_t to);
/* Like scope_title(), for the whole trace. */
void scope_title_whole(const struct ui_shell *shell, GString *title, const char *what, char *whose);
/* "wk-rt[547]", "process wk-rt[547]", "user threads", "all threads"; "nobody" if ROW is MDL_NONE.  The caller
 * frees. */
char *scope_title_whose(const struct ui_shell *shell, enum scope scope, uint32_t row);

/* ---- the experiment ---- */

/* "rpc-chain"; "pipeline +2" if traces of hosts are in two more folders.  The caller frees. */
char *trace_name_text(const struct qry *q);

/* ---- the wait of a thread at a time ---- */

/* *WAKEUP becomes the wake-up that ended the wait of thread ROW at TIME, if it was blocked then; otherwise
 * its last wake-up at or before TIME.  False if that is unknown. */
bool wait_find(struct qry *q, uint32_t row, int64_t time, struct mdl_wakeup *wakeup);

/* The thread that waits for a CPU of its host while ROW (a thread, CPU or virtual CPU) does not run at TIME:
 * the thread of the virtual CPU if that is preempted, otherwise ROW itself. */
uint32_t wait_find_waiter(struct qry *q, uint32_t row, int64_t time);

/* *WAITER becomes the result of wait_find_waiter(), *END the end of the interval in which it waits for a CPU
 * at TIME.  False if it does not wait for a CPU, or if ROW was woken exactly at TIME: then TIME means the
 * wait that this wake-up ended. */
bool wait_find_cpu(struct qry *q, uint32_t row, int64_t time, uint32_t *waiter, int64_t *end);

/* ---- spans ---- */

/* Run COMMAND for the span NAME of thread ROW in [FROM, TO) (ns), the selected one in PANE: its account, its
 * path, or slow spans of its name against fast ones.  False if COMMAND is another one or was typed with a
 * text, or if account or path find no thread or no time. */
bool span_command(struct ui_pane *pane, enum ui_command command, uint32_t row, int64_t from, int64_t to,
	const char *name);
/* The hints of a selected span, without the entry that ends a list. */
#define SPAN_HINTS                                                                                     \
	{ UI_CMD_CHANGE_NEXT, "next" }, { UI_CMD_CHANGE_PREV, "last" }, { UI_CMD_ACCOUNT, "account" }, \
		{ UI_CMD_COMPARE, "slow, fast" },                                                      \
	{                                                                                              \
		UI_CMD_STORY, "story"                                                                  \
	}

/* ---- advice about missing events, in lines of limited width ---- */

/* Add to LINES (of char *, which owns them), for each event that is missing in the recording of HOST, the
 * command to record it and what it would show.  A command wider than WIDTH columns continues on the next line
 * after a comma. */
void advice_text_add(GPtrArray *lines, const struct qry *q, uint32_t host, unsigned width);

#endif
