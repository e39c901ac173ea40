/* SPDX-License-Identifier: MIT */
/* The output of the explorer if it has no terminal: in a pipe, on a build machine. */
#ifndef APP_STORY_H
#define APP_STORY_H

#include "app/app_session.h"

/* True if standard input and standard output are a terminal. */
bool app_story_has_terminal(void);

/* Print three things: an overview of the traces; the critical path of one thread (--thread, else the thread
 * that most CPU time was spent for) during its longest wait for another thread; and how that wait ended. */
bool app_story_run(const struct app_args *args, GError **error);

/* The answer of "wakepath info" (app_info.c). */
bool app_info_answer(struct app_session *s, GString *out, GError **error);

#endif
