/* SPDX-License-Identifier: MIT */
/* A line of text being typed: editing and history, nothing of the screen but drawing it. */
#ifndef UI_PROMPT_H
#define UI_PROMPT_H

#include "ui/term/term_grid.h"

#include <stdbool.h>

struct ui_prompt;

enum ui_prompt_result { UI_PROMPT_MOVED, UI_PROMPT_CHANGED, UI_PROMPT_DONE, UI_PROMPT_DROPPED };

struct ui_prompt *ui_prompt_new(void);
void ui_prompt_free(struct ui_prompt *prompt);

/*
 * Begin a question: LABEL (static, also the name of its history) with INITIAL (may be NULL) proposed: what is
 * typed or pasted takes its place, any other key leaves it there to be changed.
 */
void ui_prompt_open(struct ui_prompt *prompt, const char *label, const char *initial);
bool ui_prompt_active(const struct ui_prompt *prompt);
/* The question is over, as with Esc. */
void ui_prompt_close(struct ui_prompt *prompt);
/* Take KEY.  After DONE and DROPPED the question is over; its text stays until the next one. */
enum ui_prompt_result ui_prompt_key(struct ui_prompt *prompt, uint32_t key);
/* Put TEXT in, as far as it is one line that can be printed; what is behind its first line is left out.
 * CHANGED or MOVED. */
enum ui_prompt_result ui_prompt_paste(struct ui_prompt *prompt, const char *text);
/*
 * Tab goes through CHOICES (of char *, taken over; NULL none), each of which may stand in place of the text
 * from byte FROM on; they are shown behind it until it changes, or, where there are none, NOTE (static, NULL
 * nothing).
 */
void ui_prompt_offer(struct ui_prompt *prompt, gsize from, GPtrArray *choices, const char *note);
/* Add TEXT to the history of LABEL (static), as if it was typed last. */
void ui_prompt_remember(struct ui_prompt *prompt, const char *label, const char *text);
/* The text as it stands; owned by the prompt. */
const char *ui_prompt_text(const struct ui_prompt *prompt);
/* Draw into the first line of AREA, with the part around the cursor in view. */
void ui_prompt_draw(const struct ui_prompt *prompt, const struct term_area *area);

#endif
