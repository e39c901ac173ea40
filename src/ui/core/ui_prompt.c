/* SPDX-License-Identifier: MIT */
#include "ui/core/ui_prompt.h"

#include "ui/term/term_key.h"

#include <string.h>

#define MAX_TEXT 1000 /* characters */

struct ui_prompt {
	bool active, proposed; /* PROPOSED: the initial text is untouched */
	const char *label;     /* static */
	GString *text;         /* UTF-8 */
	gsize at;              /* cursor: byte offset in text */
	GHashTable *histories; /* label (static) → GPtrArray of char *, latest last; owned */
	unsigned shown;        /* entry of the history that is shown; its length: the new line */
	char *kept;            /* the new line while an entry of the history is shown; owned */
	GPtrArray *choices;    /* of char *, owned; NULL: nothing is offered */
	gsize choice_from;     /* byte of the text where choices begin */
	unsigned choice;       /* index of the choice in the text; choices->len: none yet */
	const char *note;      /* static: shown if there are no choices; NULL: none */
};

struct ui_prompt *ui_prompt_new(void)
{
	struct ui_prompt *prompt = g_new0(struct ui_prompt, 1);

	prompt->label = "";
	prompt->text = g_string_new(NULL);
	prompt->histories = g_hash_table_new_full(g_str_hash, g_str_equal, NULL,
		(GDestroyNotify)g_ptr_array_unref);
	return prompt;
}

void ui_prompt_free(struct ui_prompt *prompt)
{
	if (!prompt)
		return;
	g_string_free(prompt->text, TRUE);
	g_hash_table_unref(prompt->histories);
	g_free(prompt->kept);
	g_clear_pointer(&prompt->choices, g_ptr_array_unref);
	g_free(prompt);
}

static GPtrArray *history(struct ui_prompt *prompt, const char *label)
{
	GPtrArray *entries = g_hash_table_lookup(prompt->histories, label);

	if (!entries) {
		entries = g_ptr_array_new_with_free_func(g_free);
		g_hash_table_insert(prompt->histories, (char *)(uintptr_t)label, entries);
	}
	return entries;
}

static void set_text(struct ui_prompt *prompt, const char *text)
{
	g_string_assign(prompt->text, text);
	prompt->at = prompt->text->len;
}

void ui_prompt_open(struct ui_prompt *prompt, const char *label, const char *initial)
{
	prompt->active = true;
	prompt->label = label;
	ui_prompt_offer(prompt, 0, NULL, NULL);
	prompt->shown = history(prompt, label)->len;
	g_clear_pointer(&prompt->kept, g_free);
	set_text(prompt, initial ? initial : "");
	prompt->proposed = initial && *initial;
}

void ui_prompt_remember(struct ui_prompt *prompt, const char *label, const char *text)
{
	GPtrArray *entries = history(prompt, label);

	if (*text && (!entries->len || strcmp(g_ptr_array_index(entries, entries->len - 1), text) != 0))
		g_ptr_array_add(entries, g_strdup(text));
}

void ui_prompt_offer(struct ui_prompt *prompt, gsize from, GPtrArray *choices, const char *note)
{
	g_clear_pointer(&prompt->choices, g_ptr_array_unref);
	prompt->choices = choices;
	prompt->choice_from = from;
	prompt->choice = choices ? choices->len : 0;
	prompt->note = note;
}

bool ui_prompt_active(const struct ui_prompt *prompt)
{
	return prompt->active;
}

void ui_prompt_close(struct ui_prompt *prompt)
{
	prompt->active = false;
}

const char *ui_prompt_text(const struct ui_prompt *prompt)
{
	return prompt->text->str;
}

static gsize before(const struct ui_prompt *prompt)
{
	return prompt->at ? (gsize)(g_utf8_prev_char(prompt->text->str + prompt->at) - prompt->text->str) : 0;
}

static gsize after(const struct ui_prompt *prompt)
{
	const char *at = prompt->text->str + prompt->at;

	return *at ? (gsize)(g_utf8_next_char(at) - prompt->text->str) : prompt->at;
}

static enum ui_prompt_result erase(struct ui_prompt *prompt, gsize from, gsize to)
{
	g_string_erase(prompt->text, (gssize)from, (gssize)(to - from));
	prompt->at = from;
	return UI_PROMPT_CHANGED;
}

static gsize word_start(const struct ui_prompt *prompt)
{
	gsize at = prompt->at;

	while (at && prompt->text->str[at - 1] == ' ')
		at--;
	while (at && prompt->text->str[at - 1] != ' ')
		at--;
	return at;
}

static enum ui_prompt_result recall(struct ui_prompt *prompt, int step)
{
	GPtrArray *entries = history(prompt, prompt->label);
	unsigned shown = prompt->shown + (unsigned)step;

	if ((step < 0 && !prompt->shown) || shown > entries->len)
		return UI_PROMPT_MOVED;
	if (prompt->shown == entries->len) {
		g_free(prompt->kept);
		prompt->kept = g_strdup(prompt->text->str);
	}
	prompt->shown = shown;
	set_text(prompt, shown == entries->len ? prompt->kept : g_ptr_array_index(entries, shown));
	return UI_PROMPT_CHANGED;
}

static enum ui_prompt_result insert(struct ui_prompt *prompt, gunichar ch)
{
	char utf8[6];
	int length = g_unichar_to_utf8(ch, utf8);

	if (!g_unichar_isprint(ch) || g_utf8_strlen(prompt->text->str, -1) >= MAX_TEXT)
		return UI_PROMPT_MOVED;
	g_string_insert_len(prompt->text, (gssize)prompt->at, utf8, length);
	prompt->at += (gsize)length;
	return UI_PROMPT_CHANGED;
}

/* The length in bytes of the common prefix of all choices. */
static gsize common(const GPtrArray *choices)
{
	const char *first = g_ptr_array_index(choices, 0);
	gsize n = strlen(first);

	for (unsigned i = 1; i < choices->len; i++) {
		const char *other = g_ptr_array_index(choices, i);
		gsize same = 0;

		while (same < n && other[same] == first[same])
			same++;
		n = same;
	}
	while (n && (first[n] & 0xc0) == 0x80) /* not within a character */
		n--;
	return n;
}

/* Complete the text by the common prefix of all choices; once it has that, go from choice to choice by
 * STEP. */
static enum ui_prompt_result prompt_choose(struct ui_prompt *prompt, int step)
{
	GPtrArray *choices = prompt->choices;
	unsigned n = choices ? choices->len : 0;
	gsize agreed = n ? common(choices) : 0;

	if (!n)
		return UI_PROMPT_MOVED;
	if (prompt->choice == n && prompt->choice_from + agreed > prompt->text->len) {
		g_string_truncate(prompt->text, prompt->choice_from);
		g_string_append_len(prompt->text, g_ptr_array_index(choices, 0), (gssize)agreed);
		prompt->at = prompt->text->len;
		return UI_PROMPT_CHANGED;
	}
	prompt->choice = prompt->choice == n ? (step > 0 ? 0 : n - 1)
					     : (prompt->choice + n + (unsigned)step) % n;
	g_string_truncate(prompt->text, prompt->choice_from);
	g_string_append(prompt->text, g_ptr_array_index(choices, prompt->choice));
	prompt->at = prompt->text->len;
	return UI_PROMPT_MOVED;
}

static enum ui_prompt_result prompt_move(struct ui_prompt *prompt, gsize at)
{
	prompt->at = at;
	return UI_PROMPT_MOVED;
}

static enum ui_prompt_result replace(struct ui_prompt *prompt, bool proposed, gunichar ch)
{
	if (proposed)
		set_text(prompt, "");
	return insert(prompt, ch);
}

enum ui_prompt_result ui_prompt_paste(struct ui_prompt *prompt, const char *text)
{
	enum ui_prompt_result result = UI_PROMPT_MOVED;

	text += strspn(text, "\r\n");
	for (const char *end = text + strcspn(text, "\r\n"); text < end; text = g_utf8_next_char(text)) {
		if (replace(prompt, prompt->proposed, g_utf8_get_char(text)) == UI_PROMPT_CHANGED)
			result = UI_PROMPT_CHANGED;
		prompt->proposed = false;
	}
	return result;
}

enum ui_prompt_result ui_prompt_key(struct ui_prompt *prompt, uint32_t key)
{
	bool proposed = prompt->proposed;

	prompt->proposed = false;
	switch (key) {
	case TERM_KEY_ENTER:
		prompt->active = false;
		ui_prompt_remember(prompt, prompt->label, prompt->text->str);
		return UI_PROMPT_DONE;
	case TERM_KEY_ESC:
	case TERM_KEY_CTRL | 'c':
	case TERM_KEY_CTRL | 'g': prompt->active = false; return UI_PROMPT_DROPPED;
	case TERM_KEY_TAB: return prompt_choose(prompt, 1);
	case TERM_KEY_TAB | TERM_KEY_SHIFT: return prompt_choose(prompt, -1);
	case TERM_KEY_UP:
	case TERM_KEY_CTRL | 'p': return recall(prompt, -1);
	case TERM_KEY_DOWN:
	case TERM_KEY_CTRL | 'n': return recall(prompt, 1);
	case TERM_KEY_LEFT:
	case TERM_KEY_CTRL | 'b': return prompt_move(prompt, before(prompt));
	case TERM_KEY_RIGHT:
	case TERM_KEY_CTRL | 'f': return prompt_move(prompt, after(prompt));
	case TERM_KEY_HOME:
	case TERM_KEY_CTRL | 'a': return prompt_move(prompt, 0);
	case TERM_KEY_END:
	case TERM_KEY_CTRL | 'e': return prompt_move(prompt, prompt->text->len);
	case TERM_KEY_BACKSPACE: return erase(prompt, before(prompt), prompt->at);
	case TERM_KEY_DELETE:
	case TERM_KEY_CTRL | 'd': return erase(prompt, prompt->at, after(prompt));
	case TERM_KEY_CTRL | 'u': return erase(prompt, 0, prompt->at);
	case TERM_KEY_CTRL | 'k': return erase(prompt, prompt->at, prompt->text->len);
	case TERM_KEY_CTRL | 'w': return erase(prompt, word_start(prompt), prompt->at);
	default: return key < TERM_KEY_SPECIAL ? replace(prompt, proposed, key) : UI_PROMPT_MOVED;
	}
}

/* Draw the choices, or the note, from column X on as far as there is room. */
static void draw_offer(const struct ui_prompt *prompt, const struct term_area *field, unsigned x)
{
	unsigned n = prompt->choices ? prompt->choices->len : 0,
		 first = prompt->choice < n ? prompt->choice : 0;

	if (!n && prompt->note && x < field->w)
		term_area_fit(field, x, 0, field->w - x, TERM_ROLE_DIM, prompt->note);
	for (unsigned i = first; i < n; i++) {
		const char *choice = g_ptr_array_index(prompt->choices, i);
		unsigned width = term_text_width(choice);

		if (x + width > field->w)
			return;
		term_area_text(field, x, 0, i == prompt->choice ? TERM_ROLE_KEY : TERM_ROLE_DIM, choice);
		x += width + 2;
	}
}

/* Columns of the text from FROM to before END. */
static unsigned width_of(const char *from, const char *end)
{
	g_autofree char *part = g_strndup(from, (gsize)(end - from));

	return term_text_width(part);
}

void ui_prompt_draw(const struct ui_prompt *prompt, const struct term_area *area)
{
	unsigned x = term_area_text(area, 0, 0, TERM_ROLE_KEY, prompt->label);
	struct term_area field = term_area_part(area, x + 1, 0, area->w, 1);
	const char *text = prompt->text->str, *at = text + prompt->at;
	unsigned end;

	while (text < at && width_of(text, at) >= MAX(field.w, 2) - 1)
		text = g_utf8_next_char(text);
	end = term_area_text(&field, 0, 0, TERM_ROLE_PROMPT, text);
	if (prompt->proposed)
		term_area_over(&field, 0, 0, end, 1, TERM_ROLE_OVER_SELECTION);
	x = width_of(text, at);
	if (x >= end)
		term_area_char(&field, x, 0, TERM_ROLE_PROMPT, ' ');
	term_area_over(&field, x, 0, 1, 1, TERM_ROLE_OVER_CURSOR_CELL);
	draw_offer(prompt, &field, MAX(x + 1, end) + 2);
}
