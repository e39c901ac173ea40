/* SPDX-License-Identifier: MIT */
/* Reading JSON: each kind of value, with its line; and texts that are not JSON. */
#include "base/base_error.h"
#include "base/base_json.h"

#include <string.h>

static const struct base_json_value *member(const struct base_json_value *o, const char *name)
{
	const struct base_json_value *v = base_json_value_member(o, name);

	g_assert_nonnull(v);
	g_assert_cmpstr(base_json_value_key(v), ==, name);
	return v;
}

static void test_values(void)
{
	static const char text[] =
		"{ \"least\": -9223372036854775808, \"most\": 9223372036854775807,\n"
		"\"large\":18446744073709551615,\t\"zero\":-0,\n\n"
		"\"text\":\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\xc3\xa9\",\n"
		"\"none\":null,\"other\":[true,false,1.5,1e3,-0.25E-2],\"\":{},\"list\":[[],7] }\n";
	struct base_json *json = base_json_parse(text, strlen(text), NULL);
	const struct base_json_value *root = base_json_root(json), *v;

	g_assert_cmpint(base_json_value_type(root), ==, BASE_JSON_OBJECT);
	g_assert_cmpuint(base_json_value_length(root), ==, 9);
	g_assert_cmpint(base_json_value_int(member(root, "least")), ==, INT64_MIN);
	g_assert_cmpint(base_json_value_int(member(root, "most")), ==, INT64_MAX);
	g_assert_cmpint(base_json_value_type(member(root, "large")), ==, BASE_JSON_LARGE);
	g_assert_cmpuint(base_json_value_large(member(root, "large")), ==, UINT64_MAX);
	g_assert_cmpuint(base_json_value_line(member(root, "large")), ==, 2);
	g_assert_cmpint(base_json_value_int(member(root, "zero")), ==, 0);
	g_assert_cmpstr(base_json_value_text(member(root, "text")), ==,
		"a\"\\/\b\f\n\r\t\xc3\xa9\xf0\x9f\x98\x80\xc3\xa9");
	g_assert_cmpuint(base_json_value_line(member(root, "text")), ==, 4);
	g_assert_cmpint(base_json_value_type(member(root, "none")), ==, BASE_JSON_NULL);
	v = member(root, "other");
	g_assert_cmpuint(base_json_value_length(v), ==, 5);
	for (unsigned i = 0; i < 5; i++)
		g_assert_cmpint(base_json_value_type(base_json_value_at(v, i)), ==, BASE_JSON_OTHER);
	g_assert_cmpuint(base_json_value_length(member(root, "")), ==, 0);
	v = member(root, "list");
	g_assert_cmpuint(base_json_value_length(base_json_value_at(v, 0)), ==, 0);
	g_assert_cmpint(base_json_value_int(base_json_value_at(v, 1)), ==, 7);
	g_assert_null(base_json_value_member(root, "absent"));
	base_json_free(json);
}

/* The first of several values, and where it ends. */
static void test_first(void)
{
	static const char text[] = "\n[1,\n2]\n{}";
	unsigned line = 5;
	gsize used;
	struct base_json *json = base_json_parse_first(text, strlen(text), &line, &used, NULL);

	g_assert_cmpuint(base_json_value_line(base_json_root(json)), ==, 6);
	g_assert_cmpuint(line, ==, 7);
	g_assert_cmpuint(used, ==, 7);
	base_json_free(json);
}

/* Text cut at each of its bytes: only the whole text is a value. */
static void test_cut(void)
{
	static const char text[] = "{\"a\":[1,\"b\\u0041\",null,{\"c\":-12.5e3}],\"d\":true}";

	for (gsize size = 0; size < strlen(text); size++) {
		GError *error = NULL;
		char *copy = g_memdup2(text, size + 1); /* lets a sanitizer detect reads behind it */

		copy = g_realloc(copy, MAX(size, 1));
		g_assert_null(base_json_parse(copy, size, &error));
		g_assert_error(error, BASE_ERROR, BASE_ERROR_DATA);
		g_error_free(error);
		g_free(copy);
	}
}

static void test_wrong(void)
{
	static const struct {
		const char *text, *expected;
	} all[] = {
		{ "", "line 1: it ends too early" },
		{ "\n\n[1,]", "line 3: expected a value" },
		{ "[1 2]", "expected ']'" },
		{ "{\"a\" 1}", "expected ':'" },
		{ "{a:1}", "expected '\"'" },
		{ "{\"a\":1,}", "expected '\"'" },
		{ "[1]\nx", "line 2: more than one value" },
		{ "/* c */ 1", "expected a value" },
		{ "nul", "expected a value" },
		{ "01", "a number that JSON does not have" },
		{ "-", "a number that JSON does not have" },
		{ "0x10", "more than one value" },
		{ "18446744073709551616", "a number that does not fit in 64 bits" },
		{ "-9223372036854775809", "a number that does not fit in 64 bits" },
		{ "\"a", "expected '\"'" },
		{ "\"a\nb\"", "a string that does not end on its line" },
		{ "\"\\x\"", "an escape that JSON does not have" },
		{ "\"\\u12g4\"", "a \\u without four hexadecimal digits" },
		{ "\"\\u0000\"", "a \\u that is no character, or NUL" },
		{ "\"\\ud800\"", "a \\u that is no character" },
		{ "\"\\ud800\\u0041\"", "a \\u that is no character" },
		{ "\"\xff\"", "a string that is not UTF-8" },
		{ "{\"a\":1,\"b\":2,\"a\":3}", "\"a\" occurs twice in one object" },
		{ "{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9,\"j\":10,\"k\":11,"
		  "\"l\":12,\"m\":13,\"n\":14,\"o\":15,\"p\":16,\"q\":17,\"\\u0062\":18}",
			"\"b\" occurs twice in one object" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
		GError *error = NULL;

		g_assert_null(base_json_parse(all[i].text, strlen(all[i].text), &error));
		g_assert_error(error, BASE_ERROR, BASE_ERROR_DATA);
		g_assert_true(g_str_has_prefix(error->message, "not JSON: line "));
		if (!strstr(error->message, all[i].expected))
			g_error("\"%s\": \"%s\", expected \"%s\"", all[i].text, error->message,
				all[i].expected);
		g_error_free(error);
	}
}

/* N lists within each other. */
static bool is_read(unsigned n)
{
	GString *text = g_string_new(NULL);
	struct base_json *json;
	bool read;

	for (unsigned i = 0; i < n; i++)
		g_string_append_c(text, '[');
	for (unsigned i = 0; i < n; i++)
		g_string_append_c(text, ']');
	json = base_json_parse(text->str, text->len, NULL);
	read = json;
	base_json_free(json);
	g_string_free(text, TRUE);
	return read;
}

static void test_depth(void)
{
	g_assert_true(is_read(256));
	g_assert_false(is_read(257));
	g_assert_false(is_read(1000000));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/json/values", test_values);
	g_test_add_func("/json/first", test_first);
	g_test_add_func("/json/cut", test_cut);
	g_test_add_func("/json/wrong", test_wrong);
	g_test_add_func("/json/depth", test_depth);
	return g_test_run();
}
