/* SPDX-License-Identifier: MIT */
/* CSV, JSON and tables of text, byte for byte: hostile text is escaped, and numbers stay exact. */
#include "export/exp.h"
#include "export/exp_rows.h"

#include "base/base_error.h"
#include "base/base_time.h"

#include <math.h>

#define R "\357\277\275" /* U+FFFD */

static void expect(GString *text, const char *wanted)
{
	g_assert_cmpstr(text->str, ==, wanted);
	g_string_free(text, TRUE);
}

static void test_csv(void)
{
	GString *out = g_string_new(NULL);
	struct exp_csv csv = exp_csv_begin(out, "a,b,c,d");

	exp_csv_text(&csv, "");
	exp_csv_text(&csv, "plain");
	exp_csv_text(&csv, "one, two");
	exp_csv_text(&csv, "say \"hi\"");
	exp_csv_end_line(&csv);
	exp_csv_text(&csv, "two\nlines");
	exp_csv_text(&csv, NULL);
	exp_csv_text(&csv, "a\rb");
	exp_csv_time(&csv, -7);
	exp_csv_end_line(&csv);
	exp_csv_text(&csv, NULL);
	exp_csv_time(&csv, 3);
	exp_csv_time(&csv, BASE_TIME_NONE);
	exp_csv_decimal(&csv, NULL);
	exp_csv_end_line(&csv);
	expect(out, "a,b,c,d\n,plain,\"one, two\",\"say \"\"hi\"\"\"\n\"two\nlines\",,\"a\rb\",-7\n,3,,\n");
}

/* Text that a spreadsheet would run as a formula stays text; numbers stay numbers. */
static void test_csv_formula(void)
{
	GString *out = g_string_new(NULL);
	struct exp_csv csv = exp_csv_begin(out, "a,b,c,d,e,f,g,h");

	exp_csv_text(&csv, "=1+1");
	exp_csv_text(&csv, "+1");
	exp_csv_text(&csv, "-bash");
	exp_csv_text(&csv, "@SUM(A1)");
	exp_csv_text(&csv, "\t=1");
	exp_csv_text(&csv, "\r=1");
	exp_csv_text(&csv, "=HYPERLINK(\"http://x\",1)");
	exp_csv_text(&csv, "a=1");
	exp_csv_end_line(&csv);
	exp_csv_time(&csv, -5);
	exp_csv_decimal(&csv, "-12.5");
	exp_csv_decimal(&csv, NULL);
	exp_csv_end_line(&csv);
	expect(out,
		"a,b,c,d,e,f,g,h\n'=1+1,'+1,'-bash,'@SUM(A1),'\t=1,\"'\r=1\",\"'=HYPERLINK(\"\"http://x\"\",1)\",a=1\n-5,-12.5,\n");
}

static void test_json(void)
{
	GString *out = base_json_object(), *o = base_json_object(), *list = base_json_list();

	base_json_int(o, "big", INT64_C(1795168984947248975));
	base_json_int(o, "least", INT64_MIN);
	base_json_int(o, "zero", 0);
	base_json_time(o, "never", BASE_TIME_NONE);
	table_json_id(o, "cpu", MDL_NONE);
	table_json_id(o, "one", 1);
	base_json_natural(o, "pid", -1);
	base_json_text(o, "name", "a\"b\\c\n\377");
	base_json_text(o, "none", "");
	base_json_text(o, "null", NULL);
	base_json_string(o, "empty", "");
	base_json_put(o, "object", NULL);
	base_json_put(out, "first", o);
	base_json_begin_list(out, "lines");
	for (int i = 0; i < 2; i++) {
		o = base_json_object();
		base_json_int(o, "i", i);
		base_json_put_line(out, o);
	}
	base_json_end_list(out);
	base_json_begin_list(out, "none");
	base_json_end_list(out);
	base_json_put(list, NULL, base_json_list());
	base_json_put(list, NULL, base_json_object());
	base_json_int(list, NULL, 2);
	base_json_put(out, "list", list);
	base_json_yes(out, "last", true);
	expect(out,
		"{\"first\":{\"big\":1795168984947248975,\"least\":-9223372036854775808,\"zero\":0,"
		"\"never\":null,\"cpu\":null,\"one\":1,\"pid\":null,"
		"\"name\":\"a\\\"b\\\\c" R R "\",\"none\":null,\"null\":null,\"empty\":\"\",\"object\":null},"
		"\"lines\":[\n{\"i\":0},\n{\"i\":1}\n],\"none\":[\n],\"list\":[[],{},2],\"last\":true");
}

/* Floats stay distinct from integers for a reader. */
static void test_json_decimals(void)
{
	GString *out = base_json_list();

	base_json_decimal(out, NULL, 1022180);
	base_json_decimal(out, NULL, 0.25);
	base_json_decimal(out, NULL, 1e300);
	base_json_decimal(out, NULL, NAN);
	expect(out, "[1022180.0,0.25,1.0000000000000001e+300,null");
}

/* Special characters in a path are always escaped. */
static void test_json_escapes(void)
{
	GString *out = base_json_object();

	base_json_text(out, "path", "/tmp/\033[31m\n\t\177\037/\302\240");
	expect(out, "{\"path\":\"/tmp/\\u001b[31m\\n\\t\\u007f\\u001f/\302\240\"");
}

static void test_table(void)
{
	static const char *const headers[] = { "NAME", ">N", "WHAT", NULL };
	struct exp_table *t = exp_table_new(headers, NULL);
	GString *out = g_string_new(NULL);

	exp_table_add(t, "日本");
	exp_table_add_int(t, 5);
	exp_table_add(t, NULL);
	exp_table_take(t, g_strdup("\033[2J"));
	exp_table_add(t, "-");
	exp_table_add(t, "x");
	exp_table_finish(t, out);
	expect(out, "NAME  N  WHAT\n日本  5\n" R "[2J  -  x\n");
}

static void test_format(void)
{
	static const char *const all[] = { "text", "json", "csv", "markdown" };
	struct exp_output output;
	GError *error = NULL;
	char *names = exp_output_names("threads", " (default)");

	g_assert_cmpstr(names, ==, "text (default), json, csv or markdown");
	for (unsigned i = 0; i < G_N_ELEMENTS(all); i++) {
		g_assert_true(exp_output_at("path", i, &output));
		g_assert_cmpstr(output.name, ==, all[i]);
		g_assert_true(exp_output_find("threads", all[i], &output, NULL));
		g_assert_cmpint(output.format, ==, i);
		g_assert_true(output.write == exp_threads);
	}
	g_assert_false(exp_output_at("threads", G_N_ELEMENTS(all), &output));
	g_assert_true(exp_output_at("path", G_N_ELEMENTS(all), &output));
	g_assert_false(exp_output_at("index", 0, &output));
	g_assert_false(exp_output_find("threads", "xml", &output, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_USAGE);
	g_assert_cmpstr(error->message, ==, "no format is called \"xml\": type text, json, csv or markdown");
	g_error_free(error);
	g_free(names);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/export/csv", test_csv);
	g_test_add_func("/export/csv-formula", test_csv_formula);
	g_test_add_func("/export/json", test_json);
	g_test_add_func("/export/json-escapes", test_json_escapes);
	g_test_add_func("/export/json-decimals", test_json_decimals);
	g_test_add_func("/export/table", test_table);
	g_test_add_func("/export/format", test_format);
	return g_test_run();
}
