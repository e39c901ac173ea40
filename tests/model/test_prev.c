/* SPDX-License-Identifier: MIT */
/* prev_state in the bits of the kernels that wrote it, from their include/linux/sched.h. */
#include "model/event/event.h"
#include "model/kernel/prev.h"

#include <glib.h>

#define ANY MDL_BLOCK_UNKNOWN

static const struct expected {
	const char *release;
	int64_t prev_state;
	enum mdl_state state;
	enum mdl_block block;
} cases[] = {
	/* equal in all kernels */
	{ "2.6.38", 0, MDL_ST_PREEMPTED, ANY },
	{ "6.1.0-50-amd64", 0, MDL_ST_PREEMPTED, ANY },
	{ "3.2.0", 1, MDL_ST_BLOCKED, MDL_BLOCK_INTERRUPTIBLE },
	{ "6.1.0", 1, MDL_ST_BLOCKED, MDL_BLOCK_INTERRUPTIBLE },
	{ "3.2.0", 2, MDL_ST_BLOCKED, MDL_BLOCK_UNINTERRUPTIBLE },
	{ "6.1.0", 2, MDL_ST_BLOCKED, MDL_BLOCK_UNINTERRUPTIBLE },
	{ "3.2.0", 4, MDL_ST_BLOCKED, MDL_BLOCK_STOPPED },
	{ "6.1.0", 8, MDL_ST_BLOCKED, MDL_BLOCK_TRACED },
	{ "3.2.0", 16, MDL_ST_EXITED, ANY },
	{ "3.2.0", 32, MDL_ST_EXITED, ANY },
	{ "6.1.0", 16, MDL_ST_EXITED, ANY },
	{ "6.1.0", 32, MDL_ST_EXITED, ANY },

	/* the flag of a preempted thread is the highest bit plus one: it moved with every new bit */
	{ "3.2.0-4-amd64", 512, MDL_ST_PREEMPTED, ANY },
	{ "3.8.13", 512, MDL_ST_PREEMPTED, ANY },
	{ "3.8.13", 512 | 1, MDL_ST_PREEMPTED, ANY },
	{ "3.9.0", 1024, MDL_ST_PREEMPTED, ANY },
	{ "4.1.52", 1024, MDL_ST_PREEMPTED, ANY },
	{ "4.2.0", 2048, MDL_ST_PREEMPTED, ANY },
	{ "4.4.0-21-generic", 2048, MDL_ST_PREEMPTED, ANY },
	{ "4.7.10", 2048, MDL_ST_PREEMPTED, ANY },
	{ "4.8.0", 4096, MDL_ST_PREEMPTED, ANY },
	{ "4.13.16", 4096, MDL_ST_PREEMPTED, ANY },
	{ "4.14.0", 0x100, MDL_ST_PREEMPTED, ANY },
	{ "6.1.0-50-amd64", 0x100, MDL_ST_PREEMPTED, ANY },

	/* the flag of one kernel means parked, without load or new in the next one */
	{ "3.9.0", 512, MDL_ST_BLOCKED, MDL_BLOCK_PARKED },
	{ "4.4.0", 512, MDL_ST_BLOCKED, MDL_BLOCK_PARKED },
	{ "4.13.0", 512, MDL_ST_BLOCKED, MDL_BLOCK_PARKED },
	{ "4.14.0", 0x40, MDL_ST_BLOCKED, MDL_BLOCK_PARKED },
	{ "6.1.0", 0x40, MDL_ST_BLOCKED, MDL_BLOCK_PARKED },
	{ "4.4.0", 1024 | 2, MDL_ST_BLOCKED, MDL_BLOCK_IDLE },
	{ "4.13.0", 1024 | 2, MDL_ST_BLOCKED, MDL_BLOCK_IDLE },
	{ "4.14.0", 0x80, MDL_ST_BLOCKED, MDL_BLOCK_IDLE },
	{ "6.1.0", 0x80, MDL_ST_BLOCKED, MDL_BLOCK_IDLE },
	{ "6.1.0", 0x8000, MDL_ST_BLOCKED, MDL_BLOCK_FROZEN },

	/* 64 is dead up to 4.13 and parked since */
	{ "3.2.0", 64, MDL_ST_EXITED, ANY },
	{ "4.4.0", 64, MDL_ST_EXITED, ANY },
	{ "4.13.0", 64 | 2, MDL_ST_EXITED, ANY },

	/* killable: up to 4.13 the raw bits show it */
	{ "3.2.0", 128 | 2, MDL_ST_BLOCKED, MDL_BLOCK_KILLABLE },
	{ "4.4.0", 128 | 2, MDL_ST_BLOCKED, MDL_BLOCK_KILLABLE },
	{ "4.4.0", 128 | 4, MDL_ST_BLOCKED, MDL_BLOCK_STOPPED },
	{ "4.4.0", 128 | 8, MDL_ST_BLOCKED, MDL_BLOCK_TRACED },
};

static void test_bits(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		enum mdl_block block;
		enum mdl_state state = mdl_prev_read(mdl_prev_bits_of(cases[i].release), MDL_PREV_WAY_PLAIN,
			cases[i].prev_state, &block);

		g_test_message("%s %" G_GINT64_FORMAT, cases[i].release, cases[i].prev_state);
		g_assert_cmpint(state, ==, cases[i].state);
		g_assert_cmpint(block, ==, cases[i].block);
	}
}

/* An unreadable release counts as a current kernel. */
static void test_release(void)
{
	static const char *const unknown[] = { NULL, "", "linux", "6", ".", "x.y" };

	for (size_t i = 0; i < G_N_ELEMENTS(unknown); i++)
		g_assert_true(mdl_prev_bits_of(unknown[i]) == mdl_prev_bits_of("6.1.0"));
	g_assert_true(mdl_prev_bits_of("4.14") == mdl_prev_bits_of("99.0"));
	g_assert_true(mdl_prev_bits_of("4.13.16") != mdl_prev_bits_of("4.14.0"));
	g_assert_true(mdl_prev_bits_of("10.2") == mdl_prev_bits_of("6.1.0"));
}

/* For any number the answer is one of the three and has a name. */
static void test_hostile(void)
{
	static const char *const releases[] = { "2.6.33", "3.9", "4.2", "4.8", "4.14" };
	static const int64_t values[] = { INT64_MIN, INT64_MAX, -1, -2, 1 << 30, 0x7fffffff, 0x100000000,
		0x5555, 0xaaaa };

	for (size_t r = 0; r < G_N_ELEMENTS(releases); r++)
		for (size_t i = 0; i < G_N_ELEMENTS(values); i++) {
			enum mdl_block block = MDL_BLOCK_N;
			enum mdl_state state = mdl_prev_read(mdl_prev_bits_of(releases[r]),
				MDL_PREV_WAY_PLAIN, values[i], &block);

			g_assert_true(state == MDL_ST_PREEMPTED || state == MDL_ST_EXITED ||
				state == MDL_ST_BLOCKED);
			g_assert_cmpint(block, <, MDL_BLOCK_N);
			g_assert_true(state == MDL_ST_BLOCKED || block == MDL_BLOCK_UNKNOWN);
		}
}

/* Of the possible encodings at least one remains for any input, and the answer is a state. */
static void test_ways(void)
{
	static const int64_t values[] = { INT64_MIN, -1, 0, 1, 2, 3, 4, 7, 8, 9, 16, 0x80, 0x100, 0x101,
		0x1000, MDL_PREV_UNKNOWN, INT64_MAX };

	g_assert_cmpuint(mdl_prev_ways("4.13.16"), ==, MDL_PREV_WAY_PLAIN);
	g_assert_cmpuint(mdl_prev_ways("4.20.0"), ==, MDL_PREV_WAY_PLAIN);
	g_assert_cmpuint(mdl_prev_ways(NULL), ==, MDL_PREV_WAY_PLAIN);
	for (unsigned ways = 1; ways <= mdl_prev_ways("4.18.0-553.el8"); ways++)
		for (size_t i = 0; i < 2 * G_N_ELEMENTS(values); i++) {
			unsigned left = mdl_prev_learn(ways, (int64_t)(i % 2), values[i / 2]);
			enum mdl_block block = MDL_BLOCK_N;
			enum mdl_state state = mdl_prev_read(mdl_prev_bits_of("4.18.0"), left, values[i / 2],
				&block);

			g_assert_true(left == MDL_PREV_WAY_SHIFTED || (left != 0 && (left & ~ways) == 0));
			g_assert_true(state == MDL_ST_PREEMPTED || state == MDL_ST_EXITED ||
				state == MDL_ST_BLOCKED || state == MDL_ST_UNKNOWN);
			g_assert_cmpint(block, <, MDL_BLOCK_N);
			g_assert_true(state == MDL_ST_BLOCKED || block == MDL_BLOCK_UNKNOWN);
		}
	g_assert_cmpuint(mdl_prev_learn(7, 0, 1), ==, MDL_PREV_WAY_SHIFTED);
	g_assert_cmpuint(mdl_prev_learn(7, 0, 0), ==, MDL_PREV_WAY_PLAIN | MDL_PREV_WAY_INDEX);
	g_assert_cmpuint(mdl_prev_learn(7, 5, 6), ==, MDL_PREV_WAY_INDEX);
	g_assert_cmpuint(mdl_prev_learn(7, 5, 16), ==, MDL_PREV_WAY_PLAIN | MDL_PREV_WAY_SHIFTED);
	g_assert_cmpuint(mdl_prev_learn(7, 5, 1), ==, 7);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/prev/bits", test_bits);
	g_test_add_func("/prev/release", test_release);
	g_test_add_func("/prev/hostile", test_hostile);
	g_test_add_func("/prev/ways", test_ways);
	return g_test_run();
}
