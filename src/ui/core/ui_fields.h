/* SPDX-License-Identifier: MIT */
/*
 * What a view of something has, as words: "scope=thread from=12 to=34; line=3".  A table names the members of
 * a struct; what is as it is in the beginning (0, no row, no time, no text) is left out.  The words mean the
 * same in another run of the program on the same trace.
 */
#ifndef UI_FIELDS_H
#define UI_FIELDS_H

#include "ui/core/ui_shell.h"

#include <stddef.h>

enum ui_field_kind {
	UI_FIELD_IS_FLAG,   /* bool */
	UI_FIELD_IS_NUMBER, /* unsigned, uint32_t */
	UI_FIELD_IS_SIGNED, /* int */
	UI_FIELD_IS_LENGTH, /* int64_t, uint64_t: from 0 on */
	UI_FIELD_IS_TIME,   /* int64_t, cut to the span; BASE_TIME_NONE.  Called as below */
	UI_FIELD_IS_END,    /* the same, behind that of the field before */
	UI_FIELD_IS_MOST,   /* uint32_t; UINT32_MAX: no limit */
	UI_FIELD_IS_ROW,    /* uint32_t: of the experiment; UI_NO_ROW.  Called as below */
	UI_FIELD_IS_WORD,   /* an enum: one of WORDS */
	UI_FIELD_IS_TEXT,   /* char *, owned; NULL */
};

/* The names of rows, and of no others, are "row" or end with "-row"; those of times with from, to, end,
 * cursor or mark in its place: so they are found in a text. */
struct ui_field {
	const char *name; /* NULL ends a table */
	enum ui_field_kind kind;
	bool place; /* where one is in it: another one is no step that can be undone.  These come last */
	size_t at;
	const char *const *words; /* n of them */
	unsigned n;
	enum ui_command command; /* ui_argument_turn(); UI_CMD_NONE */
};

#define UI_FIELD(KIND, name, of, member)                                                           \
	{                                                                                          \
		name, UI_FIELD_IS_##KIND, false, offsetof(struct of, member), NULL, 0, UI_CMD_NONE \
	}
#define UI_FIELD_WORDS(name, of, member, words, n) UI_FIELD_CHOICE(NONE, name, of, member, words, n)
/* One of words that the command UI_CMD_##CMD chooses, while the pane is shown. */
#define UI_FIELD_CHOICE(CMD, name, of, member, words, n)                                           \
	{                                                                                          \
		name, UI_FIELD_IS_WORD, false, offsetof(struct of, member), words, n, UI_CMD_##CMD \
	}
#define UI_FIELD_PLACE(KIND, name, of, member)                                                    \
	{                                                                                         \
		name, UI_FIELD_IS_##KIND, true, offsetof(struct of, member), NULL, 0, UI_CMD_NONE \
	}
/* The selected line and the first in view of a struct list_view; to be the last.
 * NOLINTBEGIN(bugprone-macro-parentheses): a member cannot have them */
#define UI_FIELD_LIST(of, member)                                                                       \
	UI_FIELD_PLACE(NUMBER, "line", of, member.line), UI_FIELD_PLACE(NUMBER, "top", of, member.top), \
		UI_FIELD_END
/* NOLINTEND(bugprone-macro-parentheses) */
#define UI_FIELD_END                                    \
	{                                               \
		NULL, 0, false, 0, NULL, 0, UI_CMD_NONE \
	}

/* The words of what FIELDS name in OF; the caller frees. */
char *ui_fields_text(const struct ui_field *fields, const void *of);
/* Set what FIELDS name in OF as TEXT says.  False with an error where it says something else; then nothing is
 * set. */
bool ui_fields_set(const struct ui_field *fields, void *of, const struct ui_shell *shell, const char *text,
	GError **error);
/* The hook "carry": of PANE's fields the choices, those of words, become what they are in OLD. */
void ui_fields_carry(struct ui_pane *pane, struct ui_pane *old);
/* TEXT, written before the experiment was opened again, with the rows that there are now (those that are not
 * there any more are left out), and the times that those of ROW's host are now.  The caller frees. */
char *ui_fields_carry_text(const struct ui_shell *shell, uint32_t row, const char *text);
/* Do A and B (NULL: nothing) say the same, but for places? */
bool ui_fields_same(const char *a, const char *b);

/* Numbers (of gint64) as a text, NULL: none; the caller frees. */
char *ui_fields_numbers_text(const GArray *numbers);
/* The numbers that TEXT (NULL: none) begins with, of gint64; the caller unrefs. */
GArray *ui_fields_numbers(const char *text);
/* The same of a set of gint64, each owned by it. */
char *ui_fields_keys_text(GHashTable *keys);
void ui_fields_set_keys(GHashTable *keys, const char *text);

#endif
