/* SPDX-License-Identifier: MIT */
/* The table that drops its oldest entries. */
#include "model/core/recent.h"

#include <glib.h>

#define MAX_ENTRIES 65536

static void put(struct mdl_recent *r, uint64_t key, uint64_t value)
{
	uint64_t *v = mdl_recent_put(r, key);

	g_assert_cmpuint(*v, ==, 0);
	*v = value;
}

static uint64_t get(const struct mdl_recent *r, uint64_t key)
{
	const uint64_t *v = mdl_recent_find(r, key);

	return v ? *v : 0;
}

static void test_few(void)
{
	struct mdl_recent *r = mdl_recent_new(sizeof(uint64_t), MAX_ENTRIES);

	g_assert_null(mdl_recent_find(r, 0));
	mdl_recent_drop(r, 0);
	put(r, 8, 1);
	put(r, 16, 2);
	put(r, 8, 3);
	g_assert_cmpuint(get(r, 8), ==, 3);
	g_assert_cmpuint(get(r, 16), ==, 2);
	mdl_recent_drop(r, 8);
	g_assert_cmpuint(get(r, 8), ==, 0);
	g_assert_cmpuint(get(r, 16), ==, 2);
	mdl_recent_clear(r);
	g_assert_cmpuint(get(r, 16), ==, 0);
	put(r, 16, 4);
	g_assert_cmpuint(get(r, 16), ==, 4);
	mdl_recent_free(r);
}

/* Addresses as from slabs: of a third of the bound most are kept, and of many more the last ones, never above
 * the bound. */
static void test_many(void)
{
	struct mdl_recent *r = mdl_recent_new(sizeof(uint64_t), MAX_ENTRIES);
	const uint64_t base = 0xffff888100000000u, n = 20 * (uint64_t)MAX_ENTRIES;
	unsigned kept = 0;
	uint64_t i;

	for (i = 0; i < MAX_ENTRIES / 3; i++)
		put(r, base + i * 192, i + 1);
	for (i = 0; i < MAX_ENTRIES / 3; i++)
		kept += get(r, base + i * 192) == i + 1;
	g_assert_cmpuint(kept, >, MAX_ENTRIES / 3 * 0.99);
	for (i = 0; i < n; i++)
		put(r, base + i * 192, i + 1);
	for (i = kept = 0; i < n; i++)
		kept += get(r, base + i * 192) == i + 1;
	g_assert_cmpuint(kept, <=, MAX_ENTRIES);
	for (i = n - MAX_ENTRIES / 3, kept = 0; i < n; i++)
		kept += get(r, base + i * 192) == i + 1;
	g_assert_cmpuint(kept, >, MAX_ENTRIES / 3 * 0.99);
	mdl_recent_free(r);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/recent/few", test_few);
	g_test_add_func("/recent/many", test_many);
	return g_test_run();
}
