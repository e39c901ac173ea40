/* SPDX-License-Identifier: MIT */
/*
 * How it works (kernel/sched/fair.c): each expiry of the period timer fills the group's runtime up to its
 * quota (__refill_cfs_bandwidth_runtime()). A CPU notices late that the runtime is used up. The threads' use
 * beyond it is a debt (cfs_rq->runtime_remaining below 0), which later periods pay back
 * (distribute_cfs_runtime()): the group goes on at the first expiry that gives more than the debt. A single
 * period therefore says little about the quota, but all together do. For each possible quota, the expiries
 * are counted at which the group goes on, or stays stopped, against what that quota predicts. Only bounds of
 * the runtime left are known.
 *
 * Quotas are set in round numbers.
 */
#include "analysis/cpu/quota.h"

#define MS INT64_C(1000000)
#define UNIT (MS / 2)     /* the finest step of a quota; Kubernetes sets as little as 0.5 ms */
#define TRIED_MOST 20000  /* quotas */
#define LEAST_MEAN 3      /* periods in a row */
#define SHORTEST (2 * MS) /* ns between expiries of one group */

/* The multiple of the largest round number within [LEAST, MOST]. LEAST if there is none. */
static int64_t roundest(int64_t least, int64_t most)
{
	static const int64_t steps[] = { 1000 * MS, 500 * MS, 200 * MS, 100 * MS, 50 * MS, 20 * MS, 10 * MS,
		5 * MS, 2 * MS, MS, MS / 2, MS / 5, MS / 10 };

	for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
		int64_t first = (least + steps[i] - 1) / steps[i] * steps[i];

		if (first > 0 && first <= most)
			return first;
	}
	return least;
}

int64_t ana_quota_period(const GArray *times)
{
	const int64_t *t = &g_array_index(times, int64_t, 0);
	int64_t period = 0, n = 0, off = 0;

	for (guint i = 1; i < times->len; i++) {
		if (t[i] - t[i - 1] >= SHORTEST && (period == 0 || t[i] - t[i - 1] < period))
			period = t[i] - t[i - 1];
	}
	if (period == 0)
		return 0;
	for (guint i = 1; i < times->len; i++) {
		n += (t[i] - t[i - 1] + period / 2) / period;
		if (n > 0)
			period = MAX((t[i] - t[0]) / n, SHORTEST);
	}
	n = 0;
	for (guint i = 1; i < times->len; i++) {
		n += (t[i] - t[i - 1] + period / 2) / period;
		off = MAX(off, ABS(t[i] - t[0] - n * period));
	}
	if (n == 0 || off > period / 8)
		return 0;
	off = period / 500 + 2 * off / n;
	return roundest(period - off, period + off);
}

/* Bounds of the runtime left, in ns; negative: the debt. */
struct left {
	int64_t least, most;
};

/* The number of ENDS that contradict QUOTA. */
static unsigned against(const GArray *ends, int64_t quota)
{
	struct left left = { 0, quota };
	unsigned n = 0;
	bool known = false;

	for (guint i = 0; i < ends->len; i++) {
		const struct ana_quota_end *e = &g_array_index(ends, struct ana_quota_end, i);

		left.least -= e->most;
		left.most -= e->least;
		if (e->stopped && known) {
			n += left.least > 0;
			left.most = MIN(left.most, 0);
			left.least = MIN(left.least, left.most);
		}
		left.least = MIN(left.least + quota, quota);
		left.most = MIN(left.most + quota, quota);
		if (e->let_go) {
			n += known && left.most <= 0;
			left.least = known ? MAX(left.least, 0) : 0;
			left.most = known && left.most > 0 ? left.most : quota;
			known = true;
		} else if (e->stopped && known) {
			n += left.least > 0;
			left.most = MIN(left.most, 0);
			left.least = MIN(left.least, 0);
		}
	}
	return n;
}

/* The mean of the CPU time used in each of ENDS, from the first to the last that let the group go on; 0 if
 * the quota was not always used up. It is a little more than the quota, since the CPU notices late. */
static int64_t mean_of(const GArray *ends)
{
	int64_t sum = 0, mean = 0;
	unsigned n = 0;
	bool begun = false;

	for (guint i = 0; i < ends->len; i++) {
		const struct ana_quota_end *e = &g_array_index(ends, struct ana_quota_end, i);

		if (begun) {
			if (!e->stopped)
				break;
			sum += e->most;
			n++;
		}
		mean = e->let_go && n > 0 ? sum / n : mean;
		begun |= e->let_go;
	}
	return n >= LEAST_MEAN ? mean : 0;
}

int64_t ana_quota_of(const GArray *ends, int64_t most)
{
	unsigned fewest = UINT_MAX, n;
	int64_t low = 0, high = 0, mean;

	most = MIN(most, TRIED_MOST * UNIT);
	for (int64_t quota = UNIT; quota <= most; quota += UNIT) {
		n = against(ends, quota);
		if (n < fewest)
			low = quota;
		if (n <= fewest)
			high = quota;
		fewest = MIN(fewest, n);
	}
	/* Other processes may be in the group too, or the timer is another group's. */
	if (fewest * 8 > ends->len || low == 0)
		return 0;
	if (high > low + MAX(low / 4, UNIT)) {
		mean = mean_of(ends);
		low = MAX(low, mean - mean * 3 / 10);
		high = MIN(high, mean + mean / 10);
	}
	return low > 0 && low <= high ? roundest(low, high) : 0;
}
