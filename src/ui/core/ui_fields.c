/* SPDX-License-Identifier: MIT */
/* none_of() gives the initial value of each kind of field as a number; a field with that value is not
 * written.  Texts are handled apart: their initial value is NULL.  Reading checks all words before it sets a
 * member. */
#include "ui/core/ui_fields.h"

#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_time.h"
#include "ui/core/ui_view.h"

#include <string.h>

#define PLAIN "!$&()*+,:@/?[]{}^<>#\\" /* not escaped in texts; other characters become %XX */

/* The value of F if no word gives it. */
static gint64 none_of(const struct ui_field *f)
{
	switch (f->kind) {
	case UI_FIELD_IS_TIME:
	case UI_FIELD_IS_END: return BASE_TIME_NONE;
	case UI_FIELD_IS_ROW:
	case UI_FIELD_IS_MOST: return UI_NO_ROW;
	default: return 0;
	}
}

/* ---- writing ---- */

/* The value of MEMBER as a number. */
static gint64 fields_number_of(const struct ui_field *f, const void *member)
{
	switch (f->kind) {
	case UI_FIELD_IS_FLAG: return *(const bool *)member;
	case UI_FIELD_IS_SIGNED: return *(const int *)member;
	case UI_FIELD_IS_ROW:
	case UI_FIELD_IS_MOST:
	case UI_FIELD_IS_NUMBER:
	case UI_FIELD_IS_WORD: return *(const uint32_t *)member;
	case UI_FIELD_IS_TIME:
	case UI_FIELD_IS_END:
	case UI_FIELD_IS_LENGTH: return *(const int64_t *)member;
	default: return 0;
	}
}

/* True if the name of F fits its kind, as struct ui_field requires. */
static bool is_well_named(const struct ui_field *f)
{
	static const char *const times[] = { "from", "to", "end", "cursor", "mark", NULL };
	const char *last = strrchr(f->name, '-');

	last = last ? last + 1 : f->name;
	return !strcmp(last, "row") == (f->kind == UI_FIELD_IS_ROW) &&
		g_strv_contains(times, last) == (f->kind == UI_FIELD_IS_TIME || f->kind == UI_FIELD_IS_END);
}

static void fields_append(GString *text, const struct ui_field *f, const void *member)
{
	gint64 number = fields_number_of(f, member);
	bool is_text = f->kind >= UI_FIELD_IS_TEXT;
	const char *word = is_text ? *(char *const *)member : NULL;
	g_autofree char *escaped = NULL;

	g_assert(is_well_named(f));
	if (is_text ? !word : number == none_of(f))
		return;
	if (f->kind == UI_FIELD_IS_WORD)
		word = f->words[number];
	if (word)
		escaped = g_uri_escape_string(word, PLAIN, TRUE);
	if (escaped)
		g_string_append_printf(text, " %s=%s", f->name, escaped);
	else if (f->kind == UI_FIELD_IS_FLAG)
		g_string_append_printf(text, " %s", f->name);
	else
		g_string_append_printf(text, " %s=%" G_GINT64_FORMAT, f->name, number);
}

char *ui_fields_text(const struct ui_field *fields, const void *of)
{
	GString *text = g_string_new(NULL);
	bool places = false;

	for (const struct ui_field *f = fields; f->name; f++) {
		if (f->place && !places)
			g_string_append_c(text, ';');
		places = f->place;
		fields_append(text, f, (const char *)of + f->at);
	}
	g_string_erase(text, 0, *text->str == ' ');
	return g_string_free(text, FALSE);
}

void ui_fields_carry(struct ui_pane *pane, struct ui_pane *old)
{
	for (const struct ui_field *f = pane->ops->fields; f->name; f++)
		if (f->kind == UI_FIELD_IS_WORD)
			memcpy((char *)pane + f->at, (char *)old + f->at, sizeof(uint32_t));
}

struct carried {
	const struct ui_shell *shell;
	uint32_t row;
};

static gboolean carry_number(const GMatchInfo *match, GString *text, gpointer data)
{
	const struct carried *c = data;
	g_autofree char *name = g_match_info_fetch(match, 1), *value = g_match_info_fetch(match, 2);
	int64_t number = g_ascii_strtoll(value, NULL, 10);
	uint32_t row;

	if (g_str_has_suffix(name, "row")) {
		row = ui_view_carry_row(c->shell, (uint32_t)number);
		number = row == UI_NO_ROW ? BASE_TIME_NONE : row;
	} else {
		number = ui_view_carry_time(c->shell, c->row, number);
	}
	if (number != BASE_TIME_NONE)
		g_string_append_printf(text, "%s=%" G_GINT64_FORMAT, name, number);
	return FALSE;
}

char *ui_fields_carry_text(const struct ui_shell *shell, uint32_t row, const char *text)
{
	static GRegex *numbers;
	struct carried c = { shell, row };

	if (!numbers) /* blanks and "=" inside texts are escaped */
		numbers =
			g_regex_new("((?:^|(?<=[ ;]))(?:[a-z-]*-)?(?:from|to|end|cursor|mark|row))=(-?\\d+)",
				G_REGEX_OPTIMIZE, 0, NULL);
	return g_regex_replace_eval(numbers, text, -1, 0, 0, carry_number, &c, NULL);
}

bool ui_fields_same(const char *a, const char *b)
{
	size_t n = a ? strcspn(a, ";") : 0;

	if (!a || !b)
		return a == b;
	return n == strcspn(b, ";") && !strncmp(a, b, n);
}

/* ---- reading ---- */

/* *NUMBER becomes the number of VALUE for F.  False if VALUE is not valid. */
static bool fields_parse(const struct ui_field *f, const struct ui_shell *shell, const char *value,
	gint64 *number)
{
	gint64 least = 0, most = UINT32_MAX;
	g_autofree char *word = NULL;

	switch (f->kind) {
	case UI_FIELD_IS_FLAG: *number = 1; return !*value;
	case UI_FIELD_IS_ROW: most = (gint64)shell->n_rows - 1; break;
	case UI_FIELD_IS_SIGNED:
		least = INT16_MIN;
		most = INT16_MAX;
		break;
	case UI_FIELD_IS_NUMBER: most = INT32_MAX; break;
	case UI_FIELD_IS_TIME:
	case UI_FIELD_IS_END:
		if (!g_ascii_string_to_signed(value, 10, INT64_MIN, INT64_MAX, number, NULL))
			return false;
		*number = CLAMP(*number, shell->span_from, shell->span_to);
		return true;
	case UI_FIELD_IS_LENGTH: most = INT64_MAX; break;
	case UI_FIELD_IS_MOST: break;
	case UI_FIELD_IS_TEXT:
	case UI_FIELD_IS_NAME:
		word = g_uri_unescape_string(value, NULL);
		return word && g_utf8_validate(word, -1, NULL);
	case UI_FIELD_IS_WORD:
		word = g_uri_unescape_string(value, NULL);
		for (*number = 0; word && *number < f->n; ++*number)
			if (!strcmp(f->words[*number], word))
				return true;
		return false;
	}
	return g_ascii_string_to_signed(value, 10, least, most, number, NULL);
}

static void store(const struct ui_field *f, void *member, gint64 number, char *text)
{
	switch (f->kind) {
	case UI_FIELD_IS_FLAG: *(bool *)member = number; break;
	case UI_FIELD_IS_SIGNED: *(int *)member = (int)number; break;
	case UI_FIELD_IS_ROW:
	case UI_FIELD_IS_MOST:
	case UI_FIELD_IS_NUMBER:
	case UI_FIELD_IS_WORD: *(uint32_t *)member = (uint32_t)number; break;
	case UI_FIELD_IS_TIME:
	case UI_FIELD_IS_END:
	case UI_FIELD_IS_LENGTH: *(int64_t *)member = number; break;
	case UI_FIELD_IS_TEXT:
		g_free(*(char **)member);
		*(char **)member = text;
		break;
	case UI_FIELD_IS_NAME:
		*(const char **)member = g_intern_string(text);
		g_free(text);
		break;
	}
}

/* The value of F in WORDS, "" for a flag; NULL if no word names F. */
static const char *said(const struct ui_field *f, char **words)
{
	size_t n = strlen(f->name);

	for (; *words; words++)
		if (!strncmp(*words, f->name, n) && ((*words)[n] == '=' || !(*words)[n]))
			return *words + n + ((*words)[n] == '=');
	return NULL;
}

/* True if WORD names F and has a valid value. */
static bool fields_fits(const struct ui_field *f, const struct ui_shell *shell, const char *word)
{
	size_t n = strcspn(word, "=");
	gint64 number;

	return strlen(f->name) == n && !strncmp(word, f->name, n) &&
		(word[n] == '=') == (f->kind != UI_FIELD_IS_FLAG) &&
		fields_parse(f, shell, word + n + (word[n] == '='), &number);
}

/* True if the end F is after the begin (the field before it), or if neither is given. */
static bool ends(const struct ui_field *f, const struct ui_shell *shell, char **words)
{
	const char *from = said(f - 1, words), *to = said(f, words);
	gint64 first, last;

	if (!from || !to)
		return from == to;
	return fields_parse(f - 1, shell, from, &first) && fields_parse(f, shell, to, &last) && first < last;
}

static bool fields_check(const struct ui_field *fields, const struct ui_shell *shell, char **words,
	GError **error)
{
	const char *wrong = NULL;

	for (char **word = words; *word && !wrong; word++) {
		const struct ui_field *f = fields;

		while (f->name && !fields_fits(f, shell, *word))
			f++;
		if (!f->name && **word)
			wrong = *word;
	}
	for (const struct ui_field *f = fields; f->name && !wrong; f++)
		if (f->kind == UI_FIELD_IS_END && !ends(f, shell, words))
			wrong = f->name;
	if (wrong)
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "view: not valid: \"%s\"", wrong);
	return !wrong;
}

bool ui_fields_set(const struct ui_field *fields, void *of, const struct ui_shell *shell, const char *text,
	GError **error)
{
	g_auto(GStrv) words = g_strsplit_set(text, " ;", -1);

	if (!fields_check(fields, shell, words, error))
		return false;
	for (const struct ui_field *f = fields; f->name; f++) {
		const char *value = said(f, words);
		gint64 number = none_of(f);

		if (value)
			fields_parse(f, shell, value, &number);
		store(f, (char *)of + f->at, number,
			value && f->kind >= UI_FIELD_IS_TEXT ? g_uri_unescape_string(value, NULL) : NULL);
	}
	return true;
}

/* ---- lists ---- */

char *ui_fields_numbers_text(const GArray *numbers)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < numbers->len; i++)
		g_string_append_printf(text, "%s%" G_GINT64_FORMAT, i ? "," : "",
			g_array_index(numbers, gint64, i));
	return g_string_free(text, !numbers->len);
}

GArray *ui_fields_numbers(const char *text)
{
	GArray *numbers = g_array_new(FALSE, FALSE, sizeof(gint64));

	while (text && *text) {
		char *end;
		gint64 number = g_ascii_strtoll(text, &end, 10);

		if (end == text)
			break;
		g_array_append_val(numbers, number);
		text = end + (*end == ',');
	}
	return numbers;
}

/* Sorted, because a set has no order and equal sets need equal texts. */
char *ui_fields_keys_text(GHashTable *keys)
{
	g_autoptr(GArray) numbers = g_array_new(FALSE, FALSE, sizeof(gint64));
	GHashTableIter i;
	gpointer key;

	g_hash_table_iter_init(&i, keys);
	while (g_hash_table_iter_next(&i, &key, NULL))
		g_array_append_vals(numbers, key, 1);
	g_array_sort(numbers, base_search_by_int64);
	return ui_fields_numbers_text(numbers);
}

void ui_fields_set_keys(GHashTable *keys, const char *text)
{
	g_autoptr(GArray) numbers = ui_fields_numbers(text);

	g_hash_table_remove_all(keys);
	for (guint i = 0; i < numbers->len; i++)
		g_hash_table_add(keys, g_memdup2(&g_array_index(numbers, gint64, i), sizeof(gint64)));
}
