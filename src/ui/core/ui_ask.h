/* SPDX-License-Identifier: MIT */
/* The inside of questions on the message line: the dispatch hands them keys. */
#ifndef UI_ASK_H
#define UI_ASK_H

#include "ui/core/ui_shell.h"

/* Take KEY for the question that is open. */
void ui_ask_key(struct ui_shell *shell, uint32_t key);
/* Take TEXT that was pasted for it. */
void ui_ask_paste(struct ui_shell *shell, const char *text);

#endif
