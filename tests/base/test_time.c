/* SPDX-License-Identifier: MIT */
/* Times: the forms that are read, with a time zone, and those that are refused; how times and durations are
 * printed; the columns of a screen. */
#include "base/base_error.h"
#include "base/base_time.h"

#include <time.h>

#define DAY INT64_C(1795132800000000000) /* 2026-11-20 00:00:00 UTC */
#define NOON (DAY + INT64_C(43200000000000))

static void set_zone(const char *zone)
{
	g_setenv("TZ", zone, TRUE);
	tzset();
}

static int64_t parsed(const char *text)
{
	GError *error = NULL;
	int64_t time = 0;

	base_time_parse(text, NOON, NOON + 5000, &time, &error);
	g_assert_no_error(error);
	return time;
}

static void refused(const char *text)
{
	GError *error = NULL;
	int64_t time;

	g_assert_false(base_time_parse(text, NOON, NOON + 5000, &time, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_USAGE);
	g_error_free(error);
}

static void test_parse(void)
{
	set_zone("UTC");
	g_assert_cmpint(parsed("1795176184733782515"), ==, INT64_C(1795176184733782515));
	g_assert_cmpint(parsed("10:03:04.733782515"), ==, DAY + INT64_C(36184733782515));
	g_assert_cmpint(parsed("10:03:04"), ==, DAY + INT64_C(36184000000000));
	g_assert_cmpint(parsed("00:00:00.1"), ==, DAY + 100000000);
	g_assert_cmpint(parsed("2026-11-21 10:03:04.5"), ==, DAY + INT64_C(122584500000000));
	g_assert_cmpint(parsed("2026-11-20T00:00:00"), ==, DAY);
	g_assert_cmpint(parsed("2024-02-29 00:00:00"), ==, INT64_C(1709164800000000000));
	g_assert_cmpint(parsed("+2.5ms"), ==, NOON + 2500000);
	g_assert_cmpint(parsed("-3us"), ==, NOON + 2000);
	g_assert_cmpint(parsed("+0s"), ==, NOON);
}

static void test_parse_zone(void)
{
	/* Noon of the 20th in UTC is 01:00 of the 21st in UTC+13. */
	set_zone("XXX-13");
	g_assert_cmpint(parsed("01:00:00"), ==, NOON);
	g_assert_cmpint(parsed("00:00:00"), ==, NOON - INT64_C(3600000000000));
	set_zone("UTC");
}

static void test_parse_refused(void)
{
	static const char *const bad[] = { "", "x", "+", "-", "+5", "12:00", "1:02:03", "24:00:00",
		"10:60:00", "10:00:61", "10:00:00.", "10:00:00x", "+-5ms", "5ms", "-5 ms",
		"12345678901234567890", "+9223372036854775807ns", "+99999999999s", "1e9", "0x10",
		"2026-02-29 00:00:00", "2026-13-01 00:00:00", "2026-00-01 00:00:00", "2026-11-20",
		"2026-11-20 10:03", "26-11-20 10:03:04", "2026-11-20  10:03:04", "12026-11-20 10:03:04" };

	set_zone("UTC");
	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
		refused(bad[i]);
}

static void test_duration(void)
{
	static const struct {
		const char *text;
		int64_t ns;
	} good[] = {
		{ "17ns", 17 },
		{ "1us", 1000 },
		{ "1µs", 1000 },
		{ "2.5ms", 2500000 },
		{ "3s", INT64_C(3000000000) },
		{ "0.000000001s", 1 },
		{ "1.9999ns", 1 },
		{ "9223372036s", INT64_C(9223372036000000000) },
	};
	static const char *const bad[] = { "", "5", "ms", "-5ms", "+5ms", ".5ms", "5.ms", "1.2.3ms", "5 ms",
		"5m", "5MS", "10000000000s" };
	int64_t ns;

	for (gsize i = 0; i < G_N_ELEMENTS(good); i++) {
		g_assert_true(base_time_parse_duration(good[i].text, &ns, NULL));
		g_assert_cmpint(ns, ==, good[i].ns);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
		g_assert_false(base_time_parse_duration(bad[i], &ns, NULL));
}

static void expect(char *text, const char *wanted)
{
	g_assert_cmpstr(text, ==, wanted);
	g_free(text);
}

static void test_format(void)
{
	set_zone("UTC");
	expect(base_time_format_full(DAY + INT64_C(36184947248975)), "2026-11-20 10:03:04.947248975");
	expect(base_time_format_clock(DAY + INT64_C(36184947248975), 3), "10:03:04.947");
	expect(base_time_format_clock(DAY + INT64_C(36184947248975), 0), "10:03:04");
	expect(base_time_format_clock(-1, 9), "23:59:59.999999999");
	expect(base_time_format_full(INT64_C(3450069086961)), "00:57:30.069086961 since boot");
	expect(base_time_format_clock(INT64_C(360000000000000) + 7, 9), "100:00:00.000000007");
	expect(base_time_format_full(BASE_TIME_NONE), "-");
	set_zone("XXX-1");
	expect(base_time_format_clock(DAY, 0), "01:00:00");
	set_zone("UTC");
}

static void test_format_duration(void)
{
	expect(base_time_format_duration(0, FALSE), "0");
	expect(base_time_format_duration(17, FALSE), "17 ns");
	expect(base_time_format_duration(999, FALSE), "999 ns");
	expect(base_time_format_duration(1250, FALSE), "1.25 µs");
	expect(base_time_format_duration(1250, TRUE), "1.25 us");
	expect(base_time_format_duration(12000000, FALSE), "12.0 ms");
	expect(base_time_format_duration(999999, FALSE), "1.00 ms");
	expect(base_time_format_duration(99960, FALSE), "100 µs");
	expect(base_time_format_duration(INT64_C(3400000000), FALSE), "3.40 s");
	expect(base_time_format_duration(INT64_C(12345000000000), FALSE), "12345 s");
	expect(base_time_format_duration(-1250, FALSE), "-1.25 µs");
	expect(base_time_format_duration(INT64_MIN, FALSE), "-");
	expect(base_time_format_duration(INT64_MAX, TRUE), "9223372037 s");
}

/* Columns have their width, long ones begin at multiples of a power of two, and none is empty. */
static void check_columns(int64_t from, int64_t to, uint32_t n)
{
	__extension__ typedef __int128 wide;
	wide span = (wide)to - from;
	int64_t before = from, tick = 1;

	while (span / n >> BASE_TIME_COARSE != 0 && tick <= (int64_t)(span / n / 2))
		tick *= 2;
	g_assert_cmpint(base_time_column(from, to, n, 0), ==, from);
	g_assert_cmpint(base_time_column(from, to, n, n), ==, to);
	for (uint32_t c = 1; c < n; c++) {
		int64_t time = base_time_column(from, to, n, c);
		wide off = ((wide)time - from) * n - span * c; /* distance from its ideal begin, times N */

		g_assert_cmpint(time, >, before);
		g_assert_cmpint(time % tick, ==, 0);
		g_assert_true(tick == 1 ? off <= 0 && off > -(wide)n
					: off <= (wide)tick / 2 * n && off >= -(wide)tick / 2 * n);
		before = time;
	}
	g_assert_cmpint(to, >, before);
}

static void test_columns(void)
{
	static const int64_t spans[] = { 1000, 268435455, 268435456, 268435457, 1000000007, 182000000000,
		86400000000000 };

	for (size_t i = 0; i < G_N_ELEMENTS(spans); i++) {
		for (uint32_t n = 1; n < 1000; n += 37) {
			check_columns(1795132800123456789, 1795132800123456789 + spans[i], n);
			check_columns(-spans[i] * n, spans[i] + 5, n);
			check_columns(INT64_MIN, INT64_MIN + spans[i] * n, n);
			check_columns(INT64_MAX - spans[i] * n, INT64_MAX, n);
		}
	}
	check_columns(INT64_MIN, INT64_MAX, 200);
	check_columns(INT64_MIN, INT64_MAX, 3);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/base/time/parse", test_parse);
	g_test_add_func("/base/time/parse-zone", test_parse_zone);
	g_test_add_func("/base/time/parse-refused", test_parse_refused);
	g_test_add_func("/base/time/duration", test_duration);
	g_test_add_func("/base/time/format", test_format);
	g_test_add_func("/base/time/format-duration", test_format_duration);
	g_test_add_func("/time/columns", test_columns);
	return g_test_run();
}
