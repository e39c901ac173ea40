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

void base_json_put_line(GString *out, GString *value)
{
	/* Parted here: begin_value() would find the end of the line. */
	g_string_append(out, out->str[out->len - 1] == '[' ? "\n" : ",\n");
	g_string_append_len(out, value->str, (gssize)value->len);
	g_string_append_c(out, '}');
	g_string_free(value, TRUE);
}

void base_json_end_list(GString *out)
{
	g_string_append(out, "\n]");
}

/* ---- reading ---- */

#define FUNCTIONS(F)                  \
	F(json_parser_new)            \
	F(json_parser_load_from_data) \
	F(json_parser_get_root)       \
	F(json_gvariant_deserialize)  \
	F(g_object_unref)

#define MEMBER(name) __typeof__ (&(name))(name);
struct json_glib {
	FUNCTIONS(MEMBER)
};

#define SYMBOL(name) { #name, offsetof(struct json_glib, name) },
static const struct base_library_symbol symbols[] = { FUNCTIONS(SYMBOL) };

/* Those of the library; any thread may ask.  NULL with BASE_ERROR_IO: there is none. */
static const struct json_glib *json_glib(GError **error)
{
	static struct json_glib json;
	static struct base_library library = { "libjson-glib-1.0.so.0", symbols, G_N_ELEMENTS(symbols), &json,
		NULL, 0 };

	return base_library_need(&library,
		"the clocks of several hosts need json-glib: install libjson-glib-1.0-0", error);
}

/* VALUE in one piece. */
static GVariant *join(GVariant *value)
{
	if (value)
		g_variant_get_data(g_variant_ref_sink(value));
	return value;
}

GVariant *base_json_parse(const char *text, gsize size, GError **error)
{
	const struct json_glib *json = json_glib(error);
	g_autoptr(GError) problem = NULL;
	JsonParser *parser;
	JsonNode *root = NULL;
	GVariant *value = NULL;

	if (!json)
		return NULL;
	parser = json->json_parser_new();
	if (json->json_parser_load_from_data(parser, text, (gssize)size, &problem))
		root = json->json_parser_get_root(parser);
	if (root)
		value = join(json->json_gvariant_deserialize(root, NULL, &problem));
	json->g_object_unref(parser);
	if (!value)
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "not JSON: %s",
			problem ? problem->message : "it is empty");
	return value;
}
