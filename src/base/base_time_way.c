/* SPDX-License-Identifier: MIT */
#include "base/base_time_way.h"

#define NS_PER_S INT64_C(1000000000)

/* Digits after the point that a number of STEP ns has, counted in UNIT ns. */
static unsigned digits(int64_t step, int64_t unit)
{
	unsigned n = 0;

	while (step % unit && unit > 1) {
		unit /= 10;
		n++;
	}
	return n;
}

static char *clock_text(int64_t time, G_GNUC_UNUSED int64_t origin)
{
	return base_time_format_clock(time, 9);
}

static char *clock_tick(int64_t time, G_GNUC_UNUSED int64_t origin, int64_t step, G_GNUC_UNUSED int64_t most)
{
	return base_time_format_clock(time, digits(step, NS_PER_S));
}

static char *since_text(int64_t time, int64_t origin)
{
	int64_t since = time - origin;

	return g_strdup_printf("%s%" G_GINT64_FORMAT ".%09" G_GINT64_FORMAT " s", since < 0 ? "-" : "+",
		ABS(since) / NS_PER_S, ABS(since) % NS_PER_S);
}

/* One unit for all. */
static char *since_tick(int64_t time, int64_t origin, int64_t step, int64_t most)
{
	static const struct {
		int64_t ns;
		const char *name;
	} units[] = { { NS_PER_S, "s" }, { 1000000, "ms" }, { 1000, "µs" }, { 1, "ns" } };
	unsigned i = 0, n;
	int64_t since = time - origin, scale = 1, whole;

	while (i + 1 < G_N_ELEMENTS(units) && most - origin < units[i].ns)
		i++;
	n = digits(step, units[i].ns);
	whole = since / units[i].ns;
	for (unsigned k = 0; k < n; k++)
		scale *= 10;
	if (!n)
		return g_strdup_printf("%" G_GINT64_FORMAT " %s", whole, units[i].name);
	return g_strdup_printf("%" G_GINT64_FORMAT ".%0*" G_GINT64_FORMAT " %s", whole, (int)n,
		since % units[i].ns / MAX(units[i].ns / scale, 1), units[i].name);
}

static const struct base_time_way ways[] = {
	{ .name = "since",
		.unit = " s",
		.width = 16,
		.counts_since = true,
		.text = since_text,
		.tick = since_tick },
	{ .name = "clock", .unit = "", .width = 18, .text = clock_text, .tick = clock_tick },
};

const struct base_time_way *base_time_way_next(const struct base_time_way *way)
{
	return way && way + 1 < ways + G_N_ELEMENTS(ways) ? way + 1 : ways;
}

const struct base_time_way *base_time_way_find(const char *name)
{
	for (gsize i = 0; i < G_N_ELEMENTS(ways); i++)
		if (g_str_equal(ways[i].name, name))
			return &ways[i];
	return NULL;
}
