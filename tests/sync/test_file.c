/* SPDX-License-Identifier: MIT */
/* Clocks as text: reading returns what was written, to the last bit; mistakes of a person are named. */
#include "base/base_error.h"
#include "sync/sync_hosts.h"

#include <string.h>

#define HOSTS 5
#define EPOCH INT64_C(1795169151000000000)
#define HOUR INT64_C(3600000000000)

static const char *const names[HOSTS] = { "client", "a \"quoted\" name", "db#2", "h\xc3\xa4user", "last" };
static const struct sync_span spans[HOSTS] = {
	{ EPOCH, EPOCH + HOUR },
	{ EPOCH - HOUR, EPOCH },
	{ 0, HOUR },
	{ -HOUR, HOUR },
	{ EPOCH, EPOCH },
};

/* ---- any clocks ---- */

static int64_t any(GRand *rand, unsigned bits)
{
	uint64_t v = ((uint64_t)g_rand_int(rand) << 32 | g_rand_int(rand)) >> (64 - bits) >>
		g_rand_int_range(rand, 0, (gint32)bits);

	return g_rand_boolean(rand) ? (int64_t)v : -(int64_t)v;
}

static int64_t some(GRand *rand, unsigned bits)
{
	int64_t v = any(rand, bits);

	return v < 0 ? -v : v;
}

static struct sync_clock *any_clock(GRand *rand)
{
	GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct sync_line));
	int64_t from = g_rand_boolean(rand) ? EPOCH : 0;
	int n = g_rand_int_range(rand, 1, 5);

	for (int i = 0; i < n; i++) {
		struct sync_line line = { .from = i > 0 ? from : INT64_MIN,
			.seen = i + 1 == n && g_rand_boolean(rand) ? INT64_MAX : from + some(rand, 50) };

		line.origin = g_rand_int_range(rand, 0, 4) == 0 ? any(rand, 63) : from;
		line.offset = (sync_wide)any(rand, 62) * ((sync_wide)1 << SYNC_FRACTION_BITS) + any(rand, 62);
		line.rate = g_rand_int_range(rand, 0, 4) == 0
			? (g_rand_boolean(rand) ? SYNC_RATE_MAX : -SYNC_RATE_MAX)
			: any(rand, 53);
		g_array_append_val(lines, line);
		from += 1 + some(rand, 50);
	}
	return sync_clock_new(lines);
}

static GArray *any_points(GRand *rand, int64_t host)
{
	GArray *points = g_array_new(FALSE, FALSE, sizeof(struct sync_point));
	int64_t ahead = any(rand, 60);

	for (int n = g_rand_int_range(rand, 1, 6); n > 0; n--) {
		struct sync_point p = { .host = host };

		p.other = host + ahead + any(rand, 40);
		host += 1 + some(rand, 45);
		g_array_append_val(points, p);
	}
	return points;
}

static GArray *any_bounds(GRand *rand)
{
	GArray *bounds = sync_bounds_new();
	int64_t from = g_rand_boolean(rand) ? EPOCH : -5;
	int n = g_rand_int_range(rand, 1, 4);

	for (int i = 0; i < n; i++) {
		struct sync_bound b = { .from = i > 0 ? from : INT64_MIN,
			.seen = i + 1 < n ? from + some(rand, 40) : INT64_MAX };

		b.slow = -some(rand, 53);
		b.fast = some(rand, 53);
		b.low = any_points(rand, from);
		b.high = any_points(rand, from);
		g_array_append_val(bounds, b);
		from += 1 + some(rand, 50);
	}
	g_assert_true(sync_bounds_are_valid(bounds));
	return bounds;
}

static struct sync_hosts *any_hosts(GRand *rand)
{
	struct sync_hosts *h = sync_hosts_new_empty(HOSTS);

	for (unsigned i = 0; i < HOSTS; i++) {
		struct sync_host *host = &h->hosts[i];
		bool has = i == 0 || g_rand_int_range(rand, 0, 4) > 0;

		host->by = i;
		host->error_max = INT64_MAX;
		host->quality = i == 0 ? SYNC_ACCURATE : has ? SYNC_APPROXIMATE : SYNC_FAIL;
		host->counts = (struct sync_counts){ .sent = (uint64_t)some(rand, 62),
			.received = 2,
			.matched = 3,
			.ambiguous = g_rand_int(rand),
			.unmatched = 0,
			.again = 7,
			.resent = 8,
			.own = 9,
			.nameless = 10,
			.aged = 11 };
		host->exchanged = g_rand_int(rand);
		host->violations_before = 12;
		if (!has)
			continue;
		host->violations_after = g_rand_int(rand);
		host->clock = i == 0 ? sync_clock_new_shifted(0) : any_clock(rand);
		while (host->by == i && i > 0)
			host->by = (unsigned)g_rand_int_range(rand, 0, (gint32)i);
		while (!h->hosts[host->by].clock)
			host->by--;
		if (i > 0 && g_rand_boolean(rand))
			host->bounds = any_bounds(rand);
		sync_hosts_measure(h, i, &spans[i]);
	}
	return h;
}

/* ---- writing and reading back ---- */

static void check_points(const GArray *a, const GArray *b)
{
	g_assert_cmpmem(a->data, a->len * sizeof(struct sync_point), b->data,
		b->len * sizeof(struct sync_point));
}

static void check_bounds(const GArray *a, const GArray *b)
{
	g_assert_cmpuint(a->len, ==, b->len);
	for (guint i = 0; i < a->len; i++) {
		const struct sync_bound *x = &g_array_index(a, struct sync_bound, i),
					*y = &g_array_index(b, struct sync_bound, i);

		g_assert_cmpint(x->from, ==, y->from);
		g_assert_cmpint(x->seen, ==, y->seen);
		g_assert_cmpint(x->slow, ==, y->slow);
		g_assert_cmpint(x->fast, ==, y->fast);
		check_points(x->low, y->low);
		check_points(x->high, y->high);
	}
}

static void check_clock(const struct sync_clock *a, const struct sync_clock *b)
{
	g_assert_cmpuint(a->lines->len, ==, b->lines->len);
	for (guint i = 0; i < a->lines->len; i++) {
		const struct sync_line *x = &g_array_index(a->lines, struct sync_line, i),
				       *y = &g_array_index(b->lines, struct sync_line, i);

		g_assert_cmpint(x->from, ==, y->from);
		g_assert_cmpint(x->seen, ==, y->seen);
		g_assert_cmpint(x->origin, ==, y->origin);
		g_assert_true(x->offset == y->offset);
		g_assert_cmpint(x->rate, ==, y->rate);
	}
}

static void check_host(const struct sync_host *a, const struct sync_host *b)
{
	g_assert_cmpint(a->quality, ==, b->quality);
	g_assert_cmpuint(a->by, ==, b->by);
	g_assert_cmpint(a->error_max, ==, b->error_max);
	g_assert_cmpmem(&a->counts, sizeof a->counts, &b->counts, sizeof b->counts);
	g_assert_cmpuint(a->exchanged, ==, b->exchanged);
	g_assert_cmpuint(a->violations_before, ==, b->violations_before);
	g_assert_cmpuint(a->violations_after, ==, b->violations_after);
	g_assert_true((!a->clock) == (!b->clock));
	g_assert_true((!a->bounds) == (!b->bounds));
	if (a->clock) {
		check_clock(a->clock, b->clock);
		g_assert_cmpmem(a->errors->data, a->errors->len * sizeof(int64_t), b->errors->data,
			b->errors->len * sizeof(int64_t));
	}
	if (a->bounds)
		check_bounds(a->bounds, b->bounds);
}

static char *text_of(const struct sync_hosts *h)
{
	GString *out = g_string_new(NULL);

	sync_file_write(out, h, names, NULL);
	return g_string_free(out, FALSE);
}

static void test_round_trip(void)
{
	GRand *rand = g_rand_new_with_seed((guint32)g_test_rand_int());

	for (unsigned i = 0; i < 1000; i++) {
		struct sync_hosts *h = any_hosts(rand), *again;
		char *text = text_of(h), *same;
		GError *error = NULL;

		again = sync_file_read(text, strlen(text), names, spans, HOSTS, &error);
		g_assert_no_error(error);
		for (unsigned k = 0; k < HOSTS; k++)
			check_host(&h->hosts[k], &again->hosts[k]);
		same = text_of(again);
		g_assert_cmpstr(text, ==, same);
		g_free(text);
		g_free(same);
		sync_hosts_unref(h);
		sync_hosts_unref(again);
	}
	g_rand_free(rand);
}

/* ---- text that people write ---- */

static struct sync_hosts *read_hosts(const char *hosts)
{
	char *text = g_strdup_printf("{\"hosts\":[%s]}", hosts);
	GError *error = NULL;
	struct sync_hosts *h = sync_file_read(text, strlen(text), names, spans, HOSTS, &error);

	g_assert_no_error(error);
	g_free(text);
	return h;
}

/* The minimum: an offset for one host. The others stay apart. */
static void test_short(void)
{
	struct sync_hosts *h = read_hosts("{\"host\":\"last\",\"slope\":\"1\",\"offset_ns\":\"-2500000.5\"}");

	g_assert_cmpint(sync_clock_reference(h->hosts[4].clock, EPOCH), ==, EPOCH - 2500001);
	g_assert_cmpint(h->hosts[4].quality, ==, SYNC_TYPED);
	g_assert_cmpint(h->hosts[4].error_max, ==, INT64_MAX);
	g_assert_cmpint(sync_hosts_error(h, 0, 4, EPOCH), ==, INT64_MAX);
	g_assert_cmpint(sync_clock_reference(h->hosts[0].clock, EPOCH), ==, EPOCH);
	g_assert_cmpint(h->hosts[0].error_max, ==, 0);
	for (unsigned i = 1; i < 4; i++)
		g_assert_null(h->hosts[i].clock);
	sync_hosts_unref(h);
}

/* Two lines: the first ends where the second begins; the slope need not be a multiple of 2^-62. */
static void test_lines(void)
{
	struct sync_hosts *h = read_hosts(
		"{\"host\":\"last\",\"lines\":[{\"slope\":\"1\",\"offset_ns\":\"10\"},"
		"{\"from\":1000000,\"slope\":\"1.0001\",\"offset_ns\":\"20\"}]}");

	g_assert_cmpint(sync_clock_reference(h->hosts[4].clock, 999999), ==, 1000009);
	g_assert_cmpint(sync_clock_reference(h->hosts[4].clock, 1000000), ==, 1000120);
	g_assert_cmpint(sync_clock_reference(h->hosts[4].clock, 11000000), ==, 11001120);
	sync_hosts_unref(h);
}

static void test_wrong(void)
{
	static const struct {
		const char *text, *expected;
	} all[] = {
		{ "", "not JSON" },
		{ "{", "not JSON" },
		{ "[]", "the JSON is not an object" },
		{ "0{\"hosts\":[]}", "more than one value" },
		{ "{\"hosts\":[]}{\"hosts\":[]}", "more than one value" },
		{ "[[[[[[[[[[[[[[[[[[[[[[", "it ends too early" },
		{ "{\"a\":\"[[[[[[[[[[[[[[[[[[[[\\\"[[[[ 99999999999999999999999\"}",
			"\"hosts\" is missing" },
		{ "{\"a\":99999999999999999999999}", "does not fit in 64 bits" },
		{ "{\"a\":1,\"a\":2}", "\"a\" occurs twice" },
		{ "{}", "\"hosts\" is missing" },
		{ "{\"hosts\":3}", "\"hosts\" is not a list" },
		{ "{\"hosts\":[3]}", "\"hosts\" has something that is not an object" },
		{ "{\"hosts\":[{}]}", "\"host\" is missing" },
		{ "{\"reference\":\"db#2\",\"hosts\":[]}",
			"\"reference\" is db#2, but the first trace is of client" },
		{ "{\"hosts\":[{\"host\":\"web\"}]}", "clock of web: \"host\" is not in this experiment" },
		{ "{\"hosts\":[{\"host\":\"w\\u001b[31m\\n\"}]}", "clock of w" },
		{ "{\"hosts\":[{\"host\":\"last\"},{\"host\":\"last\"}]}",
			"clock of last: \"host\" occurs twice" },
		{ "{\"hosts\":[{\"host\":\"last\",\"slope\":\"1\"}]}",
			"clock of last: \"offset_ns\" is missing" },
		{ "{\"hosts\":[{\"host\":\"last\",\"offset_ns\":\"1\"}]}",
			"clock of last: \"slope\" is missing" },
		{ "{\"hosts\":[{\"host\":\"last\",\"slope\":1,\"offset_ns\":\"1\"}]}",
			"clock of last: \"slope\" is not text in quotes" },
		{ "{\"hosts\":[{\"host\":\"last\",\"slope\":\"1.\",\"offset_ns\":\"1\"}]}",
			"\"slope\" is not a decimal number" },
		{ "{\"hosts\":[{\"host\":\"last\",\"slope\":\"1.3\",\"offset_ns\":\"1\"}]}",
			"\"slope\" is too far from 1" },
		{ "{\"hosts\":[{\"host\":\"last\",\"slope\":\"-36893488147419103232\",\"offset_ns\":\"1\"}]}",
			"\"slope\" is too far from 1" },
		{ "{\"hosts\":[{\"host\":\"last\",\"slope\":\"1\",\"offset_ns\":\"1e3\"}]}",
			"\"offset_ns\" is not a decimal number" },
		{ "{\"hosts\":[{\"host\":\"last\",\"slope\":\"1\",\"offset_ns\":\"36893488147419103232\"}]}",
			"\"offset_ns\" is not a decimal number" },
		{ "{\"hosts\":[{\"host\":\"last\",\"slope\":\"1\",\"offset_ns\":\"-9223372036854775808\"}]}",
			"\"offset_ns\" is too far away" },
		{ "{\"hosts\":[{\"host\":\"last\",\"slope\":\"1\",\"offset_ns\":\"1\",\"lines\":[{\"slope\":\"1.001\",\"offset_ns\":\"1\"}]}]}",
			"clock of last: \"slope\" differs from the first of \"lines\"" },
		{ "{\"hosts\":[{\"host\":\"last\",\"slope\":\"1\",\"offset_ns\":\"1\",\"lines\":[{\"slope\":\"1\",\"offset_ns\":\"2\"}]}]}",
			"clock of last: \"offset_ns\" differs from the first of \"lines\"" },
		{ "{\"hosts\":[{\"host\":\"last\",\"lines\":[{\"from\":3,\"slope\":\"1\",\"offset_ns\":\"2\"}]}]}",
			"\"from\" of the first line must be null" },
		{ "{\"hosts\":[{\"host\":\"last\",\"lines\":[{\"slope\":\"1\",\"offset_ns\":\"2\"},{\"slope\":\"1\",\"offset_ns\":\"2\"}]}]}",
			"\"from\" is not later" },
		{ "{\"hosts\":[{\"host\":\"last\",\"lines\":[{}]}]}",
			"\"slope\" and \"offset_ns\" are missing" },
		{ "{\"hosts\":[{\"host\":\"last\",\"packets_sent\":-1}]}",
			"\"packets_sent\" is less than 0" },
		{ "{\"hosts\":[{\"host\":\"last\",\"packets_sent\":1.5}]}",
			"\"packets_sent\" is not a whole number" },
		{ "{\"hosts\":[{\"host\":\"last\",\"quality\":\"fine\"}]}",
			"\"quality\" is not a known quality" },
		{ "{\"hosts\":[{\"host\":\"last\",\"by\":\"web\"}]}",
			"\"by\" is not a host of this experiment" },
		{ "{\"hosts\":[{\"host\":\"last\",\"slope\":\"1\",\"offset_ns\":\"1\",\"by\":\"db#2\"}]}",
			"\"by\" leads to a host without clock" },
		{ "{\"hosts\":[{\"host\":\"last\",\"slope\":\"1\",\"offset_ns\":\"1\",\"by\":\"last\"}]}",
			"\"by\" leads in a circle" },
		{ "{\"hosts\":[{\"host\":\"client\",\"slope\":\"1\",\"offset_ns\":\"1\"}]}",
			"clock of client: \"lines\" must be one of slope 1" },
		{ "{\"hosts\":[{\"host\":\"last\",\"slope\":\"1\",\"offset_ns\":\"1\",\"bounds\":[]}]}",
			"\"bounds\" contradict each other" },
		{ "{\"hosts\":[{\"host\":\"last\",\"slope\":\"1\",\"offset_ns\":\"1\",\"bounds\":[{\"slow\":\"1\",\"fast\":\"1\",\"low\":[[1]],\"high\":[]}]}]}",
			"\"low\" of \"bounds\" has something that is not a pair of times" },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
		GError *error = NULL;

		g_assert_null(sync_file_read(all[i].text, strlen(all[i].text), names, spans, HOSTS, &error));
		g_assert_error(error, BASE_ERROR, BASE_ERROR_DATA);
		g_test_message("%s", error->message);
		g_assert_nonnull(strstr(error->message, all[i].expected));
		g_assert_null(strpbrk(error->message, "\n\033"));
		g_error_free(error);
	}
}

/* Whole numbers of 64 bits are read exactly; a text that is no number is refused. */
static void test_numbers(void)
{
	static const struct {
		const char *text;
		bool fine;
	} all[] = {
		{ "9223372036854775807", true },
		{ "-9223372036854775808", true },
		{ "0", true },
		{ "9223372036854775808", false },
		{ "-9223372036854775809", false },
		{ "99999999999999999999999999", false },
		{ "1e400", false },
		{ "-1e400", false },
		{ "1e3", false },
		{ "1.5", false },
		{ "NaN", false },
		{ "Infinity", false },
		{ "\"1\"", false },
		{ "[1]", false },
		{ "true", false },
	};

	for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
		char *text = g_strdup_printf(
			"{\"hosts\":[{\"host\":\"last\",\"lines\":[{\"slope\":\"1\",\"offset_ns\":\"7\",\"seen\":%s,\"origin\":%s}]}]}",
			all[i].text, all[i].text);
		GError *error = NULL;
		struct sync_hosts *h = sync_file_read(text, strlen(text), names, spans, HOSTS, &error);
		const struct sync_line *line = h
			? &g_array_index(h->hosts[4].clock->lines, struct sync_line, 0)
			: NULL;

		g_test_message("%s: %s", all[i].text, error ? error->message : "read");
		g_assert_true(!h == !!error);
		g_assert_cmpint(!!h, ==, all[i].fine);
		if (line) {
			g_assert_cmpint(line->seen, ==, g_ascii_strtoll(all[i].text, NULL, 10));
			g_assert_cmpint(line->origin, ==, g_ascii_strtoll(all[i].text, NULL, 10));
		}
		sync_hosts_unref(h);
		g_clear_error(&error);
		g_free(text);
	}
}

/* Bytes changed in a good text: the result is clocks that can be used, or a message. */
static void test_bytes(void)
{
	GRand *rand = g_rand_new_with_seed(7);

	for (unsigned i = 0; i < 1000; i++) {
		struct sync_hosts *h = any_hosts(rand), *again;
		char *text = text_of(h);
		size_t size = strlen(text);
		GError *error = NULL;

		for (int n = g_rand_int_range(rand, 1, 4); n > 0; n--)
			text[g_rand_int_range(rand, 0, (gint32)size)] =
				"0123456789-.,:\"[]{}nul"[g_rand_int_range(rand, 0, 22)];
		again = sync_file_read(text, size, names, spans, HOSTS, &error);
		g_assert_true(!again == !!error);
		for (unsigned k = 1; again && k < HOSTS; k++)
			g_assert_cmpint(sync_hosts_error(again, 0, k, EPOCH), >=, 0);
		g_clear_error(&error);
		sync_hosts_unref(again);
		sync_hosts_unref(h);
		g_free(text);
	}
	g_rand_free(rand);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sync/file/round-trip", test_round_trip);
	g_test_add_func("/sync/file/short", test_short);
	g_test_add_func("/sync/file/lines", test_lines);
	g_test_add_func("/sync/file/wrong", test_wrong);
	g_test_add_func("/sync/file/numbers", test_numbers);
	g_test_add_func("/sync/file/bytes", test_bytes);
	return g_test_run();
}
