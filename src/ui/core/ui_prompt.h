/* SPDX-License-Identifier: MIT */
/* A line editor with history.  It uses the screen only to draw its line. */
#ifndef UI_PROMPT_H
#define UI_PROMPT_H

#include "ui/term/term_grid.h"

#include <stdbool.h>

struct ui_prompt;

/* The effect of a key.  MOVED: the cursor moved, one of the choices replaced the text, or nothing.  CHANGED:
 * the text changed.  DONE: Enter.  DROPPED: Esc, C-c or C-g. */
enum ui_prompt_result { UI_PROMPT_MOVED, UI_PROMPT_CHANGED, UI_PROMPT_DONE, UI_PROMPT_DROPPED };

/* Make a prompt without a question.  Free with ui_prompt_free(). */
struct ui_prompt *ui_prompt_new(void);
void ui_prompt_free(struct ui_prompt *prompt);

/* Begin a question.  LABEL is static, and also names its history.  INITIAL (may be NULL) is proposed: typed
 * or pasted text replaces it, any other key keeps it for editing. */
void ui_prompt_open(struct ui_prompt *prompt, const char *label, const char *initial);
/* True while a question is open. */
bool ui_prompt_active(const struct ui_prompt *prompt);
/* End the question, like Esc. */
void ui_prompt_close(struct ui_prompt *prompt);
/* Process KEY.  DONE and DROPPED end the question; its text remains valid until the next question. */
enum ui_prompt_result ui_prompt_key(struct ui_prompt *prompt, uint32_t key);
/* Insert the first line of TEXT without its unprintable characters.  Returns CHANGED or MOVED. */
enum ui_prompt_result ui_prompt_paste(struct ui_prompt *prompt, const char *text);
/* Offer CHOICES (of char *, takes ownership; NULL: none).  Tab goes through them; each replaces the text from
 * byte FROM on.  They are shown after the text until it changes.  If there are none, NOTE (static; NULL:
 * nothing) is shown. */
void ui_prompt_offer(struct ui_prompt *prompt, gsize from, GPtrArray *choices, const char *note);
/* Add TEXT to the history of LABEL (static) as the latest entry. */
void ui_prompt_remember(struct ui_prompt *prompt, const char *label, const char *text);
/* The present text; owned by the prompt. */
const char *ui_prompt_text(const struct ui_prompt *prompt);
/* Draw into the first line of AREA; the part around the cursor is visible. */
void ui_prompt_draw(const struct ui_prompt *prompt, const struct term_area *area);

#endif
