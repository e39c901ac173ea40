/* SPDX-License-Identifier: MIT */
/* Text: characters that a terminal must not get are replaced, widths are right, numbers are written and read
 * back; tables of strings, errors, progress. */
#include "base/base_error.h"
#include "base/base_progress.h"
#include "base/base_text.h"
#include "base/base_varint.h"

#include <inttypes.h>
#include <errno.h>
#include <string.h>

#define R "\357\277\275" /* U+FFFD */

static void expect(char *text, const char *wanted)
{
	g_assert_cmpstr(text, ==, wanted);
	g_free(text);
}

static void test_clean(void)
{
	expect(base_text_clean("wk-stage0", -1), "wk-stage0");
	expect(base_text_clean("kärnel €", -1), "kärnel €");
	expect(base_text_clean("\033[2Jx", -1), R "[2Jx");
	expect(base_text_clean("a\nb\tc\177", -1), "a" R "b" R "c" R);
	expect(base_text_clean("\302\233"
			       "31m",
		       -1),
		R "31m"); /* C1 CSI */
	expect(base_text_clean("\342\200\256"
			       "cod",
		       -1),
		R "cod");                               /* right-to-left override */
	expect(base_text_clean("\342\200\213", -1), R); /* zero width space */
	expect(base_text_clean("\342\200\250", -1), R); /* line separator */
	expect(base_text_clean("a\377b", -1), "a" R "b");
	expect(base_text_clean("ab\303", -1), "ab" R);      /* cut in the middle */
	expect(base_text_clean("\300\200", -1), R R);       /* overlong */
	expect(base_text_clean("\355\240\200", -1), R R R); /* surrogate */
	expect(base_text_clean("ab\0cd", 5), "ab" R "cd");
	expect(base_text_clean("abcdef", 3), "abc");
	expect(base_text_clean("", -1), "");
}

/* For any bytes the result is valid UTF-8 and has nothing below a blank. */
static void test_clean_any(void)
{
	for (int round = 0; round < 20000; round++) {
		char bytes[24];
		gsize length = (gsize)g_test_rand_int_range(0, sizeof(bytes));
		char *clean;

		for (gsize i = 0; i < length; i++)
			bytes[i] = (char)g_test_rand_int_range(0, 256);
		clean = base_text_clean(bytes, (gssize)length);
		g_assert_true(g_utf8_validate(clean, -1, NULL));
		for (const char *p = clean; *p; p = g_utf8_next_char(p)) {
			gunichar c = g_utf8_get_char(p);

			g_assert_false(c < 0x20 || (c >= 0x7f && c < 0xa0));
		}
		g_free(clean);
	}
}

static void test_width(void)
{
	g_assert_cmpuint(base_text_width("abc"), ==, 3);
	g_assert_cmpuint(base_text_width("日本"), ==, 4);
	g_assert_cmpuint(base_text_width("e\314\201"), ==, 1); /* combining accent */
}

static void test_bytes(void)
{
	expect(base_text_bytes(0), "0 bytes");
	expect(base_text_bytes(1023), "1023 bytes");
	expect(base_text_bytes(1024), "1.0 KiB");
	expect(base_text_bytes(57120), "55.8 KiB");
	expect(base_text_bytes(1048570), "1.0 MiB");
	expect(base_text_bytes(UINT64_MAX), "16.0 EiB");
}

static void test_strings(void)
{
	struct base_strings *s = base_strings_new();
	uint32_t a, b;

	g_assert_cmpuint(base_strings_count(s), ==, 1);
	g_assert_cmpstr(base_strings_get(s, 0), ==, "");
	g_assert_cmpuint(base_strings_add(s, ""), ==, 0);
	a = base_strings_add(s, "bash");
	b = base_strings_add_hostile(s, "\033]0;x\007", -1);
	g_assert_cmpuint(a, !=, b);
	g_assert_cmpuint(base_strings_add_hostile(s, "bash", -1), ==, a);
	g_assert_cmpuint(base_strings_add_hostile(s, "bash!", 4), ==, a);
	g_assert_cmpstr(base_strings_get(s, b), ==, R "]0;x" R);
	for (int i = 0; i < 5000; i++) {
		char *name = g_strdup_printf("thread-%d", i);

		g_assert_cmpuint(base_strings_add(s, name), ==, 3 + (uint32_t)i);
		g_free(name);
	}
	g_assert_cmpstr(base_strings_get(s, 3 + 4321), ==, "thread-4321");
	g_assert_cmpuint(base_strings_count(s), ==, 5003);
	base_strings_free(s);
	base_strings_free(NULL);
}

static void test_error(void)
{
	static const struct {
		enum base_error code;
		int status;
	} table[] = {
		{ BASE_ERROR_NO_ANSWER, 1 },
		{ BASE_ERROR_USAGE, 2 },
		{ BASE_ERROR_DATA, 3 },
		{ BASE_ERROR_IO, 3 },
		{ BASE_ERROR_CANCELLED, 130 },
	};
	GError *error = NULL;

	for (gsize i = 0; i < G_N_ELEMENTS(table); i++) {
		error = g_error_new_literal(BASE_ERROR, (int)table[i].code, "x");
		g_assert_cmpint(base_error_exit_status(error), ==, table[i].status);
		g_clear_error(&error);
	}
	base_error_set_errno(&error, ENOSPC, "cannot write", "/a\nb");
	g_assert_error(error, BASE_ERROR, BASE_ERROR_IO);
	g_assert_true(g_str_has_prefix(error->message, "cannot write /a" R "b: No space left on device: "));
	g_error_free(error);
}

static void test_progress(void)
{
	struct base_progress p;
	struct base_progress_view view;

	base_progress_init(&p);
	g_assert_false(base_progress_cancelled(&p));
	g_assert_false(base_progress_cancelled(NULL));
	g_assert_cmpfloat(base_progress_view(&p).seconds_left, ==, -1);
	base_progress_set_label(&p, "reading");
	base_progress_set(&p, 1.5, 12);
	view = base_progress_view(&p);
	g_assert_cmpfloat(view.share, ==, 1);
	g_assert_cmpuint(view.events, ==, 12);
	g_assert_cmpstr(view.label, ==, "reading");
	p.started -= 10 * G_USEC_PER_SEC;
	base_progress_set(&p, 0.25, 1000);
	view = base_progress_view(&p);
	g_assert_cmpfloat_with_epsilon(view.seconds_left, 30, 1);
	g_assert_cmpfloat_with_epsilon(view.events_per_s, 100, 5);
	base_progress_cancel(&p);
	g_assert_true(base_progress_cancelled(&p));
}

/* Numbers of all lengths in a row: each is read to its end, and skipped from each to the next. */
static void test_varints(void)
{
	uint8_t bytes[64 * BASE_VARINT_MAX], *end = bytes;
	uint64_t values[64];
	const uint8_t *starts[65];

	for (unsigned i = 0; i < 64; i++) {
		values[i] = UINT64_C(0xdeadbeefcafef00d) >> (i * 37 % 64);
		starts[i] = end;
		end = base_varint_put(end, values[i]);
	}
	starts[64] = end;
	for (unsigned i = 0; i < 64; i++) {
		uint64_t v = 0;

		g_assert_true(base_varint_get(starts[i], end, &v) == starts[i + 1]);
		g_assert_cmpuint(v, ==, values[i]);
		for (unsigned n = 0; n <= 64 - i; n++) {
			struct base_varints in = { starts[i], end };

			base_varints_skip(&in, n);
			g_assert_true(in.p == starts[i + n]);
			in = (struct base_varints){ starts[i], end - 1 };
			base_varints_skip(&in, n);
			g_assert_true(in.p == (i + n == 64 && n > 0 ? NULL : starts[i + n]));
		}
	}
}

static void test_varint(void)
{
	static const uint64_t values[] = { 0, 1, 127, 128, 16383, 16384, UINT32_MAX, INT64_MAX, UINT64_MAX };
	static const uint8_t too_long[] = { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02 };
	uint8_t bytes[BASE_VARINT_MAX];
	uint64_t v = 0;

	for (gsize i = 0; i < G_N_ELEMENTS(values); i++) {
		const uint8_t *end = base_varint_put(bytes, values[i]);

		g_assert_true(base_varint_get(bytes, end, &v) == end);
		g_assert_cmpuint(v, ==, values[i]);
		g_assert_null(base_varint_get(bytes, end - 1, &v));
	}
	g_assert_null(base_varint_get(too_long, too_long + sizeof(too_long), &v));
	for (int64_t i = -1000; i <= 1000; i++)
		g_assert_cmpint(base_varint_unzigzag(base_varint_zigzag(i)), ==, i);
	g_assert_cmpint(base_varint_unzigzag(base_varint_zigzag(INT64_MIN)), ==, INT64_MIN);
	g_assert_cmpuint(base_varint_zigzag(-1), ==, 1);
}

/* Each number is formatted as by printf(), with texts of any length behind it, appended as by GLib. */
static void test_append(void)
{
	g_autoptr(GString) text = g_string_new(NULL), expected = g_string_new(NULL);
	uint64_t number = 1;

	for (unsigned i = 0; i < 2000; i++) {
		uint64_t values[] = { i, number - 1, number, number + 1, UINT64_MAX - i,
			(uint64_t)INT64_MIN + i };

		for (gsize k = 0; k < G_N_ELEMENTS(values); k++) {
			bool below = (int64_t)values[k] < 0 && i % 2;

			base_text_append_decimal(text, values[k], below);
			if (below)
				g_string_append_printf(expected, "%" PRId64, (int64_t)values[k]);
			else
				g_string_append_printf(expected, "%" PRIu64, values[k]);
		}
		base_text_append(text, expected->str, MIN(i % 100, expected->len));
		g_string_append_len(expected, expected->str, (gssize)MIN(i % 100, expected->len));
		g_assert_cmpstr(text->str, ==, expected->str);
		g_assert_cmpuint(text->len, ==, strlen(text->str));
		if (expected->len > 10000) {
			g_string_truncate(text, 0);
			g_string_truncate(expected, 0);
		}
		number = number > UINT64_MAX / 10 ? 1 : number * 10;
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/base/text/clean", test_clean);
	g_test_add_func("/base/text/clean-any", test_clean_any);
	g_test_add_func("/base/text/width", test_width);
	g_test_add_func("/base/text/bytes", test_bytes);
	g_test_add_func("/base/text/append", test_append);
	g_test_add_func("/base/strings", test_strings);
	g_test_add_func("/base/error", test_error);
	g_test_add_func("/base/progress", test_progress);
	g_test_add_func("/base/varint", test_varint);
	g_test_add_func("/base/varints", test_varints);
	return g_test_run();
}
