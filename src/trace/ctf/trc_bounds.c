/* SPDX-License-Identifier: MIT */
#include "trace/ctf/trc_packet.h"

#include "base/base_time.h"

static bool is_near(int64_t time)
{
	return time > -BASE_TIME_FARTHEST && time < BASE_TIME_FARTHEST;
}

static struct trc_bounds within(int64_t from, int64_t to)
{
	return (struct trc_bounds){ .from = MAX(from, -BASE_TIME_FARTHEST + 1),
		.to = MIN(to, BASE_TIME_FARTHEST - 1) };
}

bool trc_bounds_of_packet(struct trc_packet *packet, const struct trc_clock *clock, struct trc_bounds *bounds)
{
	bool told = packet->has_begin && packet->begin; /* perf gives events that have no time 0 */
	int64_t begin = told ? trc_clock_ns(clock, packet->begin) : 0;
	int64_t end = packet->has_end && packet->end ? trc_clock_ns(clock, packet->end) : INT64_MAX;

	if (!is_near(begin) || (told && end < begin))
		return false;
	packet->has_end = is_near(end) && (!told || end <= begin + TRC_BOUNDS_LONGEST);
	if (told)
		*bounds = within(begin - TRC_BOUNDS_SLACK, begin + TRC_BOUNDS_LONGEST);
	else
		*bounds = within(INT64_MIN, INT64_MAX);
	if (packet->has_end)
		bounds->to = within(0, end + TRC_BOUNDS_SLACK).to;
	return true;
}

bool trc_bounds_follow(const struct trc_packet *packet, const struct trc_clock *clock, int64_t *newest)
{
	int64_t begin = packet->has_begin ? trc_clock_ns(clock, packet->begin) : *newest;

	if (begin < *newest - TRC_BOUNDS_SLACK)
		return false;
	*newest = MAX(*newest, begin);
	return true;
}

bool trc_bounds_of_begin(bool known, int64_t begin, int64_t first, int64_t last, struct trc_bounds *bounds)
{
	bool all_known = first != BASE_TIME_NONE && last != BASE_TIME_NONE;

	if (all_known)
		*bounds = within(first - TRC_BOUNDS_SLACK, last + TRC_BOUNDS_SLACK);
	else
		*bounds = within(INT64_MIN, INT64_MAX);
	if (!known)
		return true;
	if (!is_near(begin) || !trc_bounds_hold(bounds, begin))
		return false;
	if (!all_known)
		*bounds = within(begin - TRC_BOUNDS_SLACK, begin + TRC_BOUNDS_LONGEST);
	return true;
}

static int compare_times(gconstpointer a, gconstpointer b)
{
	const int64_t *ta = a, *tb = b;

	return *ta < *tb ? -1 : *ta > *tb;
}

struct trc_bounds trc_bounds_of_all(GArray *times)
{
	int64_t middle;

	if (!times->len)
		return within(INT64_MIN, INT64_MAX);
	g_array_sort(times, compare_times);
	middle = g_array_index(times, int64_t, (times->len - 1) / 2);
	return within(middle - TRC_BOUNDS_LONGEST, middle + TRC_BOUNDS_LONGEST);
}
