/* SPDX-License-Identifier: MIT */
#include "base/base_json.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "base/base_time.h"

#include <math.h>
#include <string.h>

/* ---- writing ---- */

/* The comma and the key before the next member, or (KEY NULL) the next element. */
static void begin_value(GString *o, const char *key)
{
	char last = o->str[o->len - 1];

	if (last != '{' && last != '[')
		g_string_append_c(o, ',');
	if (!key)
		return;
	g_string_append_c(o, '"');
	g_string_append(o, key);
	g_string_append(o, "\":");
}

void base_json_null(GString *o, const char *key)
{
	begin_value(o, key);
	g_string_append(o, "null");
}

void base_json_yes(GString *o, const char *key, bool yes)
{
	begin_value(o, key);
	g_string_append(o, yes ? "true" : "false");
}

void base_json_decimal(GString *o, const char *key, double value)
{
	char digits[G_ASCII_DTOSTR_BUF_SIZE];

	if (isnan(value)) {
		base_json_null(o, key);
		return;
	}
	begin_value(o, key);
	g_string_append(o, g_ascii_dtostr(digits, sizeof(digits), value));
	if (!strpbrk(digits, ".e")) /* readers that distinguish integers do not take it for one */
		g_string_append(o, ".0");
}

void base_json_int(GString *o, const char *key, int64_t value)
{
	char digits[24], *p = digits + sizeof(digits);
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;

	begin_value(o, key);
	do
		*--p = (char)('0' + rest % 10);
	while ((rest /= 10) > 0);
	if (value < 0)
		*--p = '-';
	g_string_append_len(o, p, digits + sizeof(digits) - p);
}

void base_json_digits(GString *o, const char *key, const char *digits)
{
	begin_value(o, key);
	g_string_append(o, digits);
}

void base_json_time(GString *o, const char *key, int64_t time)
{
	if (time == BASE_TIME_NONE)
		base_json_null(o, key);
	else
		base_json_int(o, key, time);
}

void base_json_natural(GString *o, const char *key, int64_t value)
{
	base_json_time(o, key, value < 0 ? BASE_TIME_NONE : value);
}

/* Append C as in a JSON string (RFC 8259, section 7). */
static void append_escaped(GString *o, char c)
{
	static const char letters[] = "\"\\\b\f\n\r\t", escapes[] = "\"\\bfnrt";
	const char *letter = strchr(letters, c);

	if (letter)
		g_string_append_printf(o, "\\%c", escapes[letter - letters]);
	else
		g_string_append_printf(o, "\\u%04x", (unsigned char)c);
}

static void append_string(GString *o, const char *text)
{
	const char *from = text;

	g_string_append_c(o, '"');
	for (; *text; text++) {
		if ((unsigned char)*text >= ' ' && *text != '"' && *text != '\\' && *text != 127)
			continue;
		g_string_append_len(o, from, text - from);
		append_escaped(o, *text);
		from = text + 1;
	}
	g_string_append_len(o, from, text - from);
	g_string_append_c(o, '"');
}

void base_json_string(GString *o, const char *key, const char *text)
{
	begin_value(o, key);
	if (g_utf8_validate(text, -1, NULL)) {
		append_string(o, text);
	} else { /* names are clean already; the path of a trace may be anything that a file system takes */
		g_autofree char *clean = base_text_clean(text, -1);

		append_string(o, clean);
	}
}

void base_json_text(GString *o, const char *key, const char *text)
{
	if (!text || !*text)
		base_json_null(o, key);
	else
		base_json_string(o, key, text);
}

GString *base_json_object(void)
{
	return g_string_new("{");
}

GString *base_json_list(void)
{
	return g_string_new("[");
}

GString *base_json_texts(const GPtrArray *texts)
{
	GString *list = base_json_list();

	for (guint i = 0; i < texts->len; i++)
		base_json_string(list, NULL, g_ptr_array_index(texts, i));
	return list;
}

void base_json_put(GString *o, const char *key, GString *value)
{
	if (!value) {
		base_json_null(o, key);
		return;
	}
	g_assert(*value->str == '{' || *value->str == '[');
	begin_value(o, key);
	g_string_append_len(o, value->str, (gssize)value->len);
	g_string_append_c(o, *value->str == '{' ? '}' : ']');
	g_string_free(value, TRUE);
}

void base_json_begin_list(GString *out, const char *key)
{
	begin_value(out, key);
	g_string_append_c(out, '[');
}

void base_json_begin_line(GString *out)
{
	/* The comma is written here: begin_value() would find the end of the line. */
	g_string_append(out, out->str[out->len - 1] == '[' ? "\n{" : ",\n{");
}

void base_json_end_line(GString *out)
{
	g_string_append_c(out, '}');
}

void base_json_put_line(GString *out, GString *value)
{
	base_json_begin_line(out);
	g_string_append_len(out, value->str + 1, (gssize)value->len - 1);
	base_json_end_line(out);
	g_string_free(value, TRUE);
}

void base_json_end_list(GString *out)
{
	g_string_append(out, "\n]");
}

/* ---- reading ---- */

/* One pass over the text. The values of an open list or object are on a stack. When it ends, they move to a
 * block of their own, and one value takes their place. Strings follow each other in a buffer of the text's
 * length: without quotes and escapes each is shorter. */

#define DEPTH_MAX 256  /* lists and objects nested */
#define FEW_MEMBERS 16 /* up to here comparing each key with each other is quicker than a table */

struct base_json_value {
	enum base_json_type type;
	unsigned line;
	const char *key; /* weak; NULL: no member of an object */
	union {
		uint64_t number; /* as two's complement if it is negative */
		const char *text;
		struct {
			const struct base_json_value *first; /* weak: the values within */
			unsigned n;
		} list;
	} is;
};

struct base_json {
	char *strings;     /* owned */
	GPtrArray *blocks; /* owned: the values of lists and objects */
	struct base_json_value root;
};

struct reader {
	const char *at, *end; /* weak: the rest of the text */
	unsigned line, depth;
	char *room;    /* weak: the place of the next string */
	GArray *stack; /* owned: of struct base_json_value */
	GPtrArray *blocks;
	GError **error;
};

static bool read_value(struct reader *r, const char *key);

static bool json_fail(const struct reader *r, const char *what)
{
	return base_error_false(r->error, BASE_ERROR_DATA, "line %u: %s", r->line, what);
}

/* Go to the next character that is no blank; '\0' at the end. */
static char json_next(struct reader *r)
{
	for (; r->at < r->end && strchr(" \t\r\n", *r->at) && *r->at; r->at++)
		r->line += *r->at == '\n';
	return r->at < r->end ? *r->at : '\0';
}

static bool skip(struct reader *r, char c)
{
	char what[] = "expected ' '";

	what[sizeof what - 3] = c;
	if (json_next(r) != c)
		return json_fail(r, what);
	r->at++;
	return true;
}

/* Add VALUE to the stack. */
static bool json_push(struct reader *r, struct base_json_value value, const char *key)
{
	value.key = key;
	g_array_append_val(r->stack, value);
	return true;
}

/* Four hexadecimal digits. */
static bool read_hex(struct reader *r, gunichar *c)
{
	*c = 0;
	for (int i = 0; i < 4; i++, r->at++) {
		if (r->at == r->end || !g_ascii_isxdigit(*r->at))
			return json_fail(r, "a \\u without four hexadecimal digits");
		*c = *c << 4 | (gunichar)g_ascii_xdigit_value(*r->at);
	}
	return true;
}

/* Append the character of the escape after a backslash. */
static bool json_escape(struct reader *r)
{
	static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
	char letter = r->at < r->end ? *r->at++ : '\0';
	const char *known = strchr(letters, letter);
	gunichar c, low;

	if (known && letter) {
		*r->room++ = meant[known - letters];
		return true;
	}
	if (letter != 'u')
		return json_fail(r, "an escape that JSON does not have");
	if (!read_hex(r, &c))
		return false;
	if (c >= 0xd800 && c < 0xdc00 && r->end - r->at > 1 && r->at[0] == '\\' && r->at[1] == 'u') {
		r->at += 2;
		if (!read_hex(r, &low))
			return false;
		c = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : 0;
	}
	if (!c || !g_unichar_validate(c))
		return json_fail(r, "a \\u that is no character, or NUL");
	r->room += g_unichar_to_utf8(c, r->room);
	return true;
}

/* A string; NULL after a failure. */
static const char *read_string(struct reader *r)
{
	const char *text = r->room, *valid;

	if (!skip(r, '"'))
		return NULL;
	while (r->at < r->end && *r->at != '"') {
		char c = *r->at++;

		if ((unsigned char)c < ' ')
			return json_fail(r, "a string that does not end on its line"), NULL;
		if (c != '\\')
			*r->room++ = c;
		else if (!json_escape(r))
			return NULL;
	}
	if (!skip(r, '"'))
		return NULL;
	if (!g_utf8_validate(text, r->room - text, &valid))
		return json_fail(r, "a string that is not UTF-8"), NULL;
	*r->room++ = '\0';
	return text;
}

static void json_digits(struct reader *r)
{
	while (r->at < r->end && g_ascii_isdigit(*r->at))
		r->at++;
}

static bool read_number(struct reader *r, const char *key)
{
	const char *start = r->at;
	bool negative = *start == '-', fits = true;
	uint64_t n = 0;

	r->at += negative;
	start = r->at;
	json_digits(r);
	if (r->at == start || (*start == '0' && r->at - start > 1))
		return json_fail(r, "a number that JSON does not have");
	if (r->at < r->end && strchr(".eE", *r->at) && *r->at) { /* its value is not used */
		while (r->at < r->end && (g_ascii_isdigit(*r->at) || (strchr(".eE+-", *r->at) && *r->at)))
			r->at++;
		return json_push(r, (struct base_json_value){ BASE_JSON_OTHER, .line = r->line }, key);
	}
	for (const char *p = start; p < r->at && fits; p++)
		fits = !__builtin_mul_overflow(n, 10, &n) &&
			!__builtin_add_overflow(n, (uint64_t)(*p - '0'), &n);
	if (!fits || (negative && n > (uint64_t)INT64_MAX + 1))
		return json_fail(r, "a number that does not fit in 64 bits");
	return json_push(r,
		(struct base_json_value){ !negative && n > INT64_MAX ? BASE_JSON_LARGE : BASE_JSON_INT,
			.line = r->line, .is.number = negative ? 0 - n : n },
		key);
}

static bool read_word(struct reader *r, const char *key)
{
	static const struct {
		const char *word;
		enum base_json_type type;
	} words[] = { { "null", BASE_JSON_NULL }, { "true", BASE_JSON_OTHER }, { "false", BASE_JSON_OTHER } };

	for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
		size_t length = strlen(words[i].word);

		if ((size_t)(r->end - r->at) < length || strncmp(r->at, words[i].word, length) != 0)
			continue;
		r->at += length;
		return json_push(r, (struct base_json_value){ words[i].type, .line = r->line }, key);
	}
	return json_fail(r, r->at == r->end ? "it ends too early" : "expected a value");
}

/* False if two of the N members at FIRST have one key. */
static bool json_differ(const struct reader *r, const struct base_json_value *first, unsigned n)
{
	g_autoptr(GHashTable) keys = n > FEW_MEMBERS ? g_hash_table_new(g_str_hash, g_str_equal) : NULL;
	const char *twice = NULL;

	for (unsigned i = 0; i < n && !twice; i++) {
		if (keys && !g_hash_table_add(keys, (gpointer)first[i].key))
			twice = first[i].key;
		for (unsigned k = 0; !keys && k < i && !twice; k++)
			if (!strcmp(first[k].key, first[i].key))
				twice = first[i].key;
	}
	if (twice) {
		g_autofree char *text = g_strdup_printf("\"%.60s\" occurs twice in one object", twice);
		g_autofree char *shown = base_text_clean(text, -1);

		return json_fail(r, shown);
	}
	return true;
}

/* Replace the values on the stack from number FROM on by one value of TYPE. */
static bool json_close(struct reader *r, guint from, enum base_json_type type, unsigned line, const char *key)
{
	unsigned n = r->stack->len - from;
	struct base_json_value *first = n
		? g_memdup2(&g_array_index(r->stack, struct base_json_value, from), n * sizeof *first)
		: NULL;

	if (first)
		g_ptr_array_add(r->blocks, first);
	g_array_set_size(r->stack, from);
	json_push(r, (struct base_json_value){ type, .line = line, .is.list = { first, n } }, key);
	return type == BASE_JSON_LIST || json_differ(r, first, n);
}

/* A list or an object, which ends with CLOSE. */
static bool read_many(struct reader *r, enum base_json_type type, char close, const char *key)
{
	guint from = r->stack->len;
	unsigned line = r->line;

	if (++r->depth > DEPTH_MAX)
		return json_fail(r, "too many lists and objects within each other");
	r->at++;
	for (bool more = json_next(r) != close; more;) {
		const char *name = NULL;

		if (type == BASE_JSON_OBJECT) {
			json_next(r);
			name = read_string(r);
			if (!name || !skip(r, ':'))
				return false;
		}
		if (!read_value(r, name))
			return false;
		more = json_next(r) == ',';
		r->at += more;
	}
	r->depth--;
	return skip(r, close) && json_close(r, from, type, line, key);
}

static bool read_value(struct reader *r, const char *key)
{
	const char *text;

	switch (json_next(r)) {
	case '{': return read_many(r, BASE_JSON_OBJECT, '}', key);
	case '[': return read_many(r, BASE_JSON_LIST, ']', key);
	case '"':
		text = read_string(r);
		return text &&
			json_push(r,
				(struct base_json_value){ BASE_JSON_TEXT, .line = r->line, .is.text = text },
				key);
	case '-':
	case '0' ... '9': return read_number(r, key);
	default: return read_word(r, key);
	}
}

struct base_json *base_json_parse_first(const char *text, gsize size, unsigned *line, gsize *used,
	GError **error)
{
	struct base_json *json = g_new0(struct base_json, 1);
	struct reader r = { .at = text, .end = text + size, .line = *line, .error = error };
	bool fine;

	json->strings = r.room = g_malloc(size + 1);
	json->blocks = r.blocks = g_ptr_array_new_with_free_func(g_free);
	r.stack = g_array_new(FALSE, FALSE, sizeof(struct base_json_value));
	fine = read_value(&r, NULL);
	if (fine)
		json->root = g_array_index(r.stack, struct base_json_value, 0);
	g_array_unref(r.stack);
	*line = r.line;
	*used = (gsize)(r.at - text);
	if (!fine)
		g_clear_pointer(&json, base_json_free);
	return json;
}

struct base_json *base_json_parse(const char *text, gsize size, GError **error)
{
	struct reader rest = { .end = text + size, .line = 1, .error = error };
	gsize used;
	struct base_json *json = base_json_parse_first(text, size, &rest.line, &used, error);

	rest.at = text + used;
	json_next(&rest);
	if (json && rest.at < rest.end) {
		json_fail(&rest, "more than one value");
		g_clear_pointer(&json, base_json_free);
	}
	if (!json)
		g_prefix_error(error, "not JSON: ");
	return json;
}

void base_json_free(struct base_json *json)
{
	if (!json)
		return;
	g_ptr_array_unref(json->blocks);
	g_free(json->strings);
	g_free(json);
}

const struct base_json_value *base_json_root(const struct base_json *json)
{
	return &json->root;
}

enum base_json_type base_json_value_type(const struct base_json_value *v)
{
	return v->type;
}

unsigned base_json_value_line(const struct base_json_value *v)
{
	return v->line;
}

int64_t base_json_value_int(const struct base_json_value *v)
{
	return (int64_t)v->is.number;
}

uint64_t base_json_value_large(const struct base_json_value *v)
{
	return v->is.number;
}

const char *base_json_value_text(const struct base_json_value *v)
{
	return v->is.text;
}

unsigned base_json_value_length(const struct base_json_value *list)
{
	return list->is.list.n;
}

const struct base_json_value *base_json_value_at(const struct base_json_value *list, unsigned i)
{
	return &list->is.list.first[i];
}

const char *base_json_value_key(const struct base_json_value *member)
{
	return member->key;
}

const struct base_json_value *base_json_value_member(const struct base_json_value *object, const char *name)
{
	for (unsigned i = 0; i < object->is.list.n; i++)
		if (!strcmp(object->is.list.first[i].key, name))
			return &object->is.list.first[i];
	return NULL;
}
