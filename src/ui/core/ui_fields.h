/* SPDX-License-Identifier: MIT */
/* The view of a pane as words: "scope=thread from=12 to=34; line=3".  A table names the members of the pane's
 * struct that make up its view.  A member with its initial value (0, no row, no time, no text) has no word.
 * The words are valid in another run of the program on the same trace. */
#ifndef UI_FIELDS_H
#define UI_FIELDS_H

#include "ui/core/ui_shell.h"

#include <stddef.h>

enum ui_field_kind {
	UI_FIELD_IS_FLAG,   /* bool */
	UI_FIELD_IS_NUMBER, /* unsigned, uint32_t */
	UI_FIELD_IS_SIGNED, /* int */
	UI_FIELD_IS_LENGTH, /* int64_t, uint64_t: not negative */
	/* int64_t, ns, clamped to the span; none: BASE_TIME_NONE.  For its name see struct ui_field */
	UI_FIELD_IS_TIME,
	UI_FIELD_IS_END,  /* like TIME; the end of the window that the field before begins */
	UI_FIELD_IS_MOST, /* uint32_t; UINT32_MAX: no limit */
	/* uint32_t: a row of the experiment; none: UI_NO_ROW.  For its name see struct ui_field */
	UI_FIELD_IS_ROW,
	UI_FIELD_IS_WORD, /* an enum: an index into WORDS */
	UI_FIELD_IS_TEXT, /* char *, owned; none: NULL */
	UI_FIELD_IS_NAME, /* const char *, interned when it is set from a text; none: NULL */
};

/* The last word of a name, after the last "-", tells whether the field is a row or a time, so that rows and
 * times can be found in a text.  It is "row" for a row; "from", "to", "end", "cursor" or "mark" for a time;
 * and none of these for any other kind. */
struct ui_field {
	const char *name; /* NULL: end of the table */
	enum ui_field_kind kind;
	bool place;               /* a position: changing it is not an undo step.  These fields come last */
	size_t at;                /* offset of the member in the pane's struct, bytes */
	const char *const *words; /* of kind WORD: N words, static; else NULL */
	unsigned n;
	enum ui_command command; /* the command that chooses a word (ui_argument_turn()); UI_CMD_NONE: none */
};

#define UI_FIELD(KIND, name, of, member)                                                           \
	{                                                                                          \
		name, UI_FIELD_IS_##KIND, false, offsetof(struct of, member), NULL, 0, UI_CMD_NONE \
	}
#define UI_FIELD_WORDS(name, of, member, words, n) UI_FIELD_CHOICE(NONE, name, of, member, words, n)
/* One of several words; the command UI_CMD_##CMD chooses it while the pane is shown. */
#define UI_FIELD_CHOICE(CMD, name, of, member, words, n)                                           \
	{                                                                                          \
		name, UI_FIELD_IS_WORD, false, offsetof(struct of, member), words, n, UI_CMD_##CMD \
	}
#define UI_FIELD_PLACE(KIND, name, of, member)                                                    \
	{                                                                                         \
		name, UI_FIELD_IS_##KIND, true, offsetof(struct of, member), NULL, 0, UI_CMD_NONE \
	}
/* The selected line and the first visible line of a struct list_view: the last entries of a table.
 * NOLINTBEGIN(bugprone-macro-parentheses): a member cannot have them */
#define UI_FIELD_LIST(of, member)                                                                       \
	UI_FIELD_PLACE(NUMBER, "line", of, member.line), UI_FIELD_PLACE(NUMBER, "top", of, member.top), \
		UI_FIELD_END
/* NOLINTEND(bugprone-macro-parentheses) */
#define UI_FIELD_END                                    \
	{                                               \
		NULL, 0, false, 0, NULL, 0, UI_CMD_NONE \
	}

/* The members of OF in FIELDS, as words.  The caller frees. */
char *ui_fields_text(const struct ui_field *fields, const void *of);
/* Set the members of OF in FIELDS from TEXT.  If TEXT is not valid: false with an error, and nothing is
 * set. */
bool ui_fields_set(const struct ui_field *fields, void *of, const struct ui_shell *shell, const char *text,
	GError **error);
/* The hook "carry": copy the fields of kind WORD from OLD to PANE. */
void ui_fields_carry(struct ui_pane *pane, struct ui_pane *old);
/* Convert the rows and times in TEXT, which is from before the experiment was opened again, to those of the
 * present experiment.  Times are converted by the clock of ROW's host.  Rows that no longer exist are left
 * out.  The caller frees. */
char *ui_fields_carry_text(const struct ui_shell *shell, uint32_t row, const char *text);
/* True if texts A and B (NULL: nothing) are equal apart from places, the fields after the ";". */
bool ui_fields_same(const char *a, const char *b);

/* NUMBERS (of gint64) as a text, "1,2,3"; NULL if there are none.  The caller frees. */
char *ui_fields_numbers_text(const GArray *numbers);
/* The numbers (gint64) at the start of TEXT (NULL: none).  The caller unrefs. */
GArray *ui_fields_numbers(const char *text);
/* Like ui_fields_numbers_text(), for KEYS, a set of gint64 that owns its elements.  _set_keys(): replace the
 * elements of KEYS by the numbers in TEXT. */
char *ui_fields_keys_text(GHashTable *keys);
void ui_fields_set_keys(GHashTable *keys, const char *text);

#endif
