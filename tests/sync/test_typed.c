/* SPDX-License-Identifier: MIT */
/* Clocks set by hand: accepted and refused texts; and lines of any clock there and back, up to the ends of
 * time. */
#include "base/base_error.h"
#include "sync/sync_hosts.h"

#include <string.h>

__extension__ typedef __int128 wide;

static const char *const names[] = { "client", "web", "a=b", "db#2" };

static struct sync_hosts *four(void)
{
	return sync_typed_none(G_N_ELEMENTS(names));
}

static void expect_refused(const char *text, const char *why)
{
	struct sync_hosts *h = four();
	GError *error = NULL;

	g_assert_false(sync_typed_set(h, names, text, &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_USAGE);
	g_assert_nonnull(strstr(error->message, why));
	g_assert_null(strchr(error->message, '\n'));
	for (unsigned i = 1; i < h->n; i++)
		g_assert_null(h->hosts[i].clock);
	g_error_free(error);
	sync_hosts_unref(h);
}

static void test_refused(void)
{
	expect_refused("web=1s,nobody=1s",
		"\"nobody=1s\": no such host; hosts with a clock to set: web, a=b, db#2");
	expect_refused("web=1s,client=1s", "the clock of client is the reference");
	expect_refused("web=1s,web=2s", "set twice");
	expect_refused("web=1s,web", "\"web\" is not HOST=OFFSET");
	expect_refused("web=1s,", "\"\" is not HOST=OFFSET");
	expect_refused("web=", "is not a duration");
	expect_refused("web=+-1s", "is not a duration");
	expect_refused("web=1", "is not a duration");
	expect_refused("web=99999999999s", "is not a duration");
	expect_refused("we=1s", "no such host");
	expect_refused("webb=1s", "no such host");
}

static void expect_offset(const struct sync_hosts *h, unsigned host, int64_t offset)
{
	static const int64_t times[] = { 0, -5, INT64_C(1795168985113782515), INT64_C(-1795168985113782515) };

	g_assert_cmpint(h->hosts[host].quality, ==, SYNC_TYPED);
	g_assert_cmpint(h->hosts[host].error_max, ==, INT64_MAX);
	g_assert_cmpint(sync_hosts_error(h, 0, host, 0), ==, INT64_MAX);
	for (unsigned i = 0; i < G_N_ELEMENTS(times); i++) {
		g_assert_cmpint(sync_clock_reference(h->hosts[host].clock, times[i]), ==, times[i] + offset);
		g_assert_cmpint(sync_clock_host(h->hosts[host].clock, times[i] + offset), ==, times[i]);
	}
}

static void test_set(void)
{
	struct sync_hosts *h = four(), *copy;
	GError *error = NULL;

	g_assert_true(sync_typed_set(h, names, "web=-2.5ms,db#2=+100s", &error));
	expect_offset(h, 1, -2500000);
	g_assert_null(h->hosts[2].clock);
	g_assert_cmpint(h->hosts[2].quality, ==, SYNC_NONE);
	expect_offset(h, 3, INT64_C(100000000000));
	copy = sync_typed_copy(h);
	g_assert_true(sync_typed_set(copy, names, "a=b=3ns,web=0us", &error));
	expect_offset(copy, 1, 0);
	expect_offset(copy, 2, 3);
	expect_offset(copy, 3, INT64_C(100000000000));
	expect_offset(h, 1, -2500000);
	g_assert_null(h->hosts[2].clock);
	g_assert_cmpint(h->hosts[0].error_max, ==, 0);
	sync_hosts_unref(copy);
	sync_hosts_unref(h);
}

/* A host reached by way of a host whose clock is set has no known error either. */
static void test_by_way(void)
{
	struct sync_hosts *h = four();

	for (unsigned i = 1; i < h->n; i++) {
		struct sync_host *host = &h->hosts[i];

		*host = (struct sync_host){ .quality = SYNC_ACCURATE,
			.clock = sync_clock_new_shifted(0),
			.errors = g_array_new(FALSE, TRUE, sizeof(int64_t)),
			.by = i - 1 };
		host->error_max = 10 * i;
		g_array_append_val(host->errors, host->error_max);
	}
	g_assert_true(sync_typed_set(h, names, "a=b=1s", NULL));
	g_assert_cmpint(h->hosts[1].error_max, ==, 10);
	g_assert_cmpint(h->hosts[2].error_max, ==, INT64_MAX);
	g_assert_cmpint(h->hosts[3].error_max, ==, INT64_MAX);
	g_assert_cmpint(g_array_index(h->hosts[3].errors, int64_t, 0), ==, INT64_MAX);
	g_assert_cmpint(h->hosts[3].quality, ==, SYNC_ACCURATE);
	sync_typed_take_out(h);
	g_assert_nonnull(h->hosts[0].clock);
	for (unsigned i = 1; i < h->n; i++) {
		g_assert_null(h->hosts[i].clock);
		g_assert_cmpint(h->hosts[i].quality, ==, SYNC_NONE);
		g_assert_cmpuint(h->hosts[i].by, ==, i);
	}
	sync_hosts_unref(h);
}

/* ---- there and back ---- */

/* The time LINE shows at HOST, limited to 64 bits. */
static int64_t shows(const struct sync_line *line, int64_t host)
{
	wide unit = (wide)1 << 62, parts = line->offset + ((wide)host - line->origin) * line->rate,
	     whole = parts / unit, shown;

	if (whole * unit > parts)
		whole--;
	shown = host + whole;
	return shown > INT64_MAX ? INT64_MAX : shown < INT64_MIN ? INT64_MIN : (int64_t)shown;
}

static int64_t random_time(GRand *rand)
{
	int64_t near = g_rand_int_range(rand, 0, 2000);

	switch (g_rand_int_range(rand, 0, 4)) {
	case 0: return INT64_MAX - near;
	case 1: return INT64_MIN + near;
	case 2: return INT64_C(1795168985113782515) + near * 1000000;
	default: return (int64_t)((uint64_t)g_rand_int(rand) << 32 | g_rand_int(rand));
	}
}

/* The first of all instants that is shown at TIME or later. */
static void expect_first(const struct sync_clock *clock, const struct sync_line *line, int64_t time)
{
	int64_t host = sync_clock_host(clock, time);

	if (time == INT64_MIN || time == INT64_MAX) {
		g_assert_cmpint(host, ==, time);
		return;
	}
	g_assert_true(host == INT64_MAX || shows(line, host) >= time);
	g_assert_true(host == INT64_MIN || shows(line, host - 1) < time);
}

static void test_ends(void)
{
	GRand *rand = g_rand_new_with_seed(5);

	for (unsigned i = 0; i < 20000; i++) {
		GArray *lines = g_array_new(FALSE, FALSE, sizeof(struct sync_line));
		int64_t ppm = g_rand_int_range(rand, -200, 201);
		struct sync_line line = { .from = INT64_MIN,
			.seen = INT64_MAX,
			.origin = random_time(rand),
			.offset = (wide)(random_time(rand) / (i % 2 ? 1 : INT64_C(1000000000))) *
				((wide)1 << 62),
			.rate = ppm * ((INT64_C(1) << 62) / 1000000) };
		struct sync_clock *clock;

		g_array_append_val(lines, line);
		clock = sync_clock_new(lines);
		for (unsigned k = 0; k < 10; k++) {
			int64_t time = random_time(rand);

			if (time > INT64_MIN && time < INT64_MAX)
				g_assert_cmpint(sync_clock_reference(clock, time), ==, shows(&line, time));
			expect_first(clock, &line, time);
			expect_first(clock, &line, shows(&line, time));
		}
		sync_clock_free(clock);
	}
	g_rand_free(rand);
}

/* ---- hosts without a clock ---- */

#define S INT64_C(1000000000)

/* Hosts without a clock, except the first one, that last SPANS (s, from and to), and the shifts (s) that
 * bring their starts together; 0: none. */
static void expect_places(const int64_t (*spans)[2], const int64_t *shifts, unsigned n,
	enum sync_quality quality)
{
	struct sync_hosts *h = sync_typed_none(n);
	struct sync_span *all = g_new(struct sync_span, n);
	bool any = false;

	for (unsigned i = 0; i < n; i++) {
		all[i] = (struct sync_span){ spans[i][0] * S, spans[i][1] * S };
		any |= shifts[i] != 0;
		if (i > 0)
			h->hosts[i].quality = quality;
	}
	g_assert_true(sync_place_starts(h, all) == any);
	for (unsigned i = 0; i < n; i++) {
		g_assert_cmpint(sync_place_shift(&h->hosts[i]), ==, shifts[i] * S);
		g_assert_true(!!h->hosts[i].placed == (shifts[i] != 0));
		g_assert_true(!!h->hosts[i].clock == (i == 0)); /* a place is no clock */
		g_assert_cmpint(sync_hosts_error(h, 0, i, 0), ==, i == 0 ? 0 : INT64_MAX);
	}
	g_free(all);
	sync_hosts_unref(h);
}

static void test_place(void)
{
	/* Before, after, at the same time, and two that overlap each other: they keep their distance. */
	static const int64_t spans[][2] = { { 1000, 1010 }, { 100, 105 }, { 5000, 5003 }, { 1009, 1020 },
		{ 8000, 8010 }, { 8004, 8012 }, { 8012, 8013 } };
	static const int64_t shifts[] = { 0, 900, -4000, 0, -7000, -7000, -7000 },
			     none[G_N_ELEMENTS(shifts)] = { 0 };
	/* A host that overlaps the first by way of another one stays at its own time. */
	static const int64_t chain[][2] = { { 1000, 1010 }, { 1010, 1020 }, { 1019, 1030 } };

	expect_places(spans, shifts, G_N_ELEMENTS(shifts), SYNC_ABSENT);
	expect_places(spans, none, G_N_ELEMENTS(shifts), SYNC_NONE); /* set to show their own times */
	expect_places(chain, none, G_N_ELEMENTS(chain), SYNC_FAIL);
}

/* Hosts with a clock count where that clock shows them; a host without events has no place; nothing
 * overflows. */
static void test_place_others(void)
{
	struct sync_hosts *h = four();
	struct sync_span spans[4] = { { 1000 * S, 1010 * S }, { 0, 10 * S }, { 1500 * S, 1505 * S },
		{ INT64_MIN, INT64_MIN } };

	g_assert_true(sync_typed_set(h, names, "web=1495s", NULL));
	h->hosts[2].quality = h->hosts[3].quality = SYNC_ABSENT;
	g_assert_false(sync_place_starts(h, spans)); /* 2 overlaps web as shown */
	spans[2] = (struct sync_span){ INT64_MAX - 5, INT64_MAX };
	spans[0] = (struct sync_span){ INT64_MIN + 1, INT64_MIN + 5 };
	g_assert_false(sync_place_starts(h, spans)); /* too far away for 64 bits */
	g_assert_null(h->hosts[3].placed);
	sync_hosts_unref(h);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/typed/refused", test_refused);
	g_test_add_func("/typed/set", test_set);
	g_test_add_func("/typed/by-way", test_by_way);
	g_test_add_func("/typed/ends", test_ends);
	g_test_add_func("/sync/typed/place", test_place);
	g_test_add_func("/sync/typed/place-others", test_place_others);
	return g_test_run();
}
