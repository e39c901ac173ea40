/* SPDX-License-Identifier: MIT */
/* What the explorer says where it has no terminal to be in: a pipe, a build machine. */
#ifndef APP_STORY_H
#define APP_STORY_H

#include "app/app_session.h"

/* Whether standard input and output are one's terminal. */
bool app_story_has_terminal(void);

/*
 * Print what is in the traces, the critical path of one thread (--thread, else the one for which most was
 * computed) during its longest wait for another, and how that wait ended.
 */
bool app_story_run(const struct app_args *args, GError **error);

/* What "wakepath info" says (app_info.c). */
bool app_info_answer(struct app_session *s, GString *out, GError **error);

#endif
