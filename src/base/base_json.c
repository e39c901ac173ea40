/* SPDX-License-Identifier: MIT */
#include "base/base_json.h"

#include "base/base_error.h"
#include "base/base_library.h"
#include "base/base_text.h"
#include "base/base_time.h"

#include <json-glib/json-glib.h>
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
	if (!strpbrk(digits, ".e")) /* readers that tell the two apart take it for no integer */
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

/* C as JSON has it in a string (RFC 8259, section 7). */
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
	/* Parted here: begin_value() would find the end of the line. */
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

#define FUNCTIONS(F)                  \
	F(json_parser_new_immutable)  \
	F(json_parser_load_from_data) \
	F(json_parser_get_root)       \
	F(json_node_get_node_type)    \
	F(json_node_get_value_type)   \
	F(json_node_get_int)          \
	F(json_node_get_string)       \
	F(json_node_get_array)        \
	F(json_node_get_object)       \
	F(json_array_get_length)      \
	F(json_array_get_element)     \
	F(json_object_get_member)     \
	F(g_object_unref)

#define MEMBER(name) __typeof__ (&(name))(name);
struct json_glib {
	FUNCTIONS(MEMBER)
};

static struct json_glib lib;

#define SYMBOL(name) { #name, offsetof(struct json_glib, name) },

struct base_json *base_json_parse(const char *text, gsize size, GError **error)
{
	static const struct base_library_symbol symbols[] = { FUNCTIONS(SYMBOL) };
	static struct base_library library = { "libjson-glib-1.0.so.0", symbols, G_N_ELEMENTS(symbols), &lib,
		NULL, 0 };
	g_autoptr(GError) problem = NULL;
	JsonParser *parser;

	if (!base_library_need(&library,
		    "the clocks of several hosts need json-glib: install libjson-glib-1.0-0", error))
		return NULL;
	parser = lib.json_parser_new_immutable();
	if (lib.json_parser_load_from_data(parser, text, (gssize)size, &problem) &&
		lib.json_parser_get_root(parser))
		return (struct base_json *)parser;
	lib.g_object_unref(parser);
	return base_error_null(error, BASE_ERROR_DATA, "not JSON: %s",
		problem ? problem->message : "it is empty");
}

void base_json_free(struct base_json *json)
{
	if (json)
		lib.g_object_unref(json);
}

const struct base_json_value *base_json_root(const struct base_json *json)
{
	return (const struct base_json_value *)lib.json_parser_get_root((JsonParser *)(uintptr_t)json);
}

static JsonNode *node_of(const struct base_json_value *v)
{
	return (JsonNode *)(uintptr_t)v; /* json-glib does not say const, and the tree is immutable */
}

enum base_json_type base_json_value_type(const struct base_json_value *v)
{
	switch (lib.json_node_get_node_type(node_of(v))) {
	case JSON_NODE_NULL: return BASE_JSON_NULL;
	case JSON_NODE_ARRAY: return BASE_JSON_LIST;
	case JSON_NODE_OBJECT: return BASE_JSON_OBJECT;
	default: break;
	}
	switch (lib.json_node_get_value_type(node_of(v))) {
	case G_TYPE_INT64: return BASE_JSON_INT;
	case G_TYPE_STRING: return BASE_JSON_TEXT;
	default: return BASE_JSON_OTHER;
	}
}

int64_t base_json_value_int(const struct base_json_value *v)
{
	return lib.json_node_get_int(node_of(v));
}

const char *base_json_value_text(const struct base_json_value *v)
{
	return lib.json_node_get_string(node_of(v));
}

unsigned base_json_value_length(const struct base_json_value *list)
{
	return lib.json_array_get_length(lib.json_node_get_array(node_of(list)));
}

const struct base_json_value *base_json_value_at(const struct base_json_value *list, unsigned i)
{
	JsonArray *array = lib.json_node_get_array(node_of(list));

	return (const struct base_json_value *)lib.json_array_get_element(array, i);
}

const struct base_json_value *base_json_value_member(const struct base_json_value *object, const char *name)
{
	JsonObject *o = lib.json_node_get_object(node_of(object));

	return (const struct base_json_value *)lib.json_object_get_member(o, name);
}
