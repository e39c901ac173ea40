/* SPDX-License-Identifier: MIT */
/*
 * How it works: a time takes up to three steps, as in trace-cmd report (timestamp_calc(),
 * lib/trace-cmd/trace-input.c): from a guest's clock to its host's, by measurements while both were recorded;
 * from cycles to ns; to the time of day. The clocks are those of trace_clocks[], kernel/trace/trace.c.
 */
#include "trace/ftrace/trc_ftrace.h"

#include "base/base_time.h"

#define CPU_COST 128                 /* bytes of memory per CPU, about */
#define FARTHEST (UINT64_C(1) << 62) /* differences and products of smaller numbers do not overflow */
#define INTERPOLATE 1                /* TRACECMD_TSYNC_FLAG_INTERPOLATE */
#define TICK 10000000                /* ns: "uptime" counts in USER_HZ, trace_clock_jiffies() */

void trc_ftrace_clock_init(struct trc_ftrace_clock *c)
{
	*c = (struct trc_ftrace_clock){ .name = g_strdup("") };
}

void trc_ftrace_clock_clear(struct trc_ftrace_clock *c)
{
	g_clear_pointer(&c->name, g_free);
	g_clear_pointer(&c->shifts, g_ptr_array_unref);
}

/* ---- from guest to host ---- */

static struct trc_ftrace_shift *shift_at(const GArray *shifts, guint i)
{
	return &g_array_index(shifts, struct trc_ftrace_shift, i);
}

/* Read the numbers of one CPU: their count, then all times, all offsets, all scalings. */
static GArray *read_cpu(struct trc_bytes *o, struct trc_budget *budget)
{
	uint64_t n = trc_bytes_take_number(o, 4);
	GArray *all = g_array_new(FALSE, TRUE, sizeof(struct trc_ftrace_shift));

	if (n * 24 > o->size - MIN(o->at, o->size) ||
		!trc_budget_spend(budget, CPU_COST + n * sizeof(struct trc_ftrace_shift),
			"it has more shifts of time than its size has room for")) {
		o->at = o->size + 1;
		return all;
	}
	g_array_set_size(all, (guint)n);
	for (guint i = 0; i < n; i++) {
		uint64_t time = trc_bytes_take_number(o, 8);

		shift_at(all, i)->time = MIN(time, FARTHEST);
	}
	for (guint i = 0; i < n; i++) {
		int64_t offset = (int64_t)trc_bytes_take_number(o, 8);

		shift_at(all, i)->offset = CLAMP(offset, -(int64_t)FARTHEST, (int64_t)FARTHEST);
	}
	for (guint i = 0; i < n; i++)
		shift_at(all, i)->scaling = trc_bytes_take_number(o, 8);
	return all;
}

static int ftrace_clock_by_time(const void *a, const void *b)
{
	const struct trc_ftrace_shift *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

bool trc_ftrace_clock_read_shifts(struct trc_ftrace_clock *c, struct trc_bytes *o, struct trc_budget *budget)
{
	GPtrArray *cpus = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	uint64_t flags, n;

	c->peer = trc_bytes_take_number(o, 8);
	flags = trc_bytes_take_number(o, 4);
	n = trc_bytes_take_number(o, 4);
	for (uint64_t i = 0; i < n && o->at <= o->size; i++)
		g_ptr_array_add(cpus, read_cpu(o, budget));
	if (o->at > o->size) {
		g_ptr_array_unref(cpus);
		return false;
	}
	/* The bits of the scalings follow all CPUs. Older versions lack them. */
	for (guint i = 0; i < cpus->len; i++) {
		GArray *shifts = g_ptr_array_index(cpus, i);

		for (guint k = 0; k < shifts->len && o->size - o->at >= 8; k++)
			shift_at(shifts, k)->bits = trc_bytes_take_number(o, 8);
		g_array_sort(shifts, ftrace_clock_by_time);
	}
	c->between = flags & INTERPOLATE;
	g_clear_pointer(&c->shifts, g_ptr_array_unref);
	c->shifts = cpus;
	return true;
}

/* Return the last shift that begins at or before COUNT, or the first one if none does. */
static guint find_shift(const GArray *shifts, uint64_t count)
{
	guint low = 0, high = shifts->len;

	while (high - low > 1) {
		guint middle = low + (high - low) / 2;

		if (shift_at(shifts, middle)->time <= count)
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* Return how far, at COUNT, the offset has moved from that of S to that of NEXT. */
__extension__ static __int128 between(const struct trc_ftrace_shift *s, const struct trc_ftrace_shift *next,
	uint64_t count)
{
	int64_t delta = (int64_t)(next->time - s->time);
	__extension__ __int128 gone = ((__extension__(__int128) MIN(count, FARTHEST)) - s->time) *
		((__extension__(__int128) next->offset) - s->offset);

	return (gone + delta / 2) / delta;
}

static uint64_t to_host(const struct trc_ftrace_clock *c, uint32_t cpu, uint64_t count)
{
	const GArray *shifts = c->shifts && cpu < c->shifts->len ? g_ptr_array_index(c->shifts, cpu) : NULL;
	const struct trc_ftrace_shift *s;
	__extension__ __int128 offset;
	guint i;

	if (!shifts || shifts->len == 0)
		return count;
	i = find_shift(shifts, count);
	if (shifts->len > 1)
		i = MIN(i, shifts->len - 2); /* the last one only ends the interval before it */
	s = shift_at(shifts, i);
	offset = s->offset;
	if (c->between && i + 1 < shifts->len && shift_at(shifts, i + 1)->time > s->time)
		offset += between(s, shift_at(shifts, i + 1), count);
	if (s->scaling > 0 && s->bits < 64)
		count = (uint64_t)(((__extension__(unsigned __int128) count) * s->scaling) >> s->bits);
	return count + (uint64_t)(int64_t)offset;
}

/* ---- all steps ---- */

static bool is(const struct trc_ftrace_clock *c, const char *name)
{
	return g_str_equal(c->name, name);
}

int64_t trc_ftrace_clock_time(const struct trc_ftrace_clock *c, uint32_t cpu, uint64_t count)
{
	__extension__ unsigned __int128 wide;

	if (c->shifts)
		count = to_host(c, cpu, count);
	wide = count;
	if (c->mult)
		wide = c->shift < 64 ? wide * c->mult >> c->shift : 0;
	else if (is(c, "uptime"))
		wide *= TICK;
	return base_time_near(
		(int64_t)MIN(wide, (unsigned __int128)BASE_TIME_FARTHEST) + base_time_near(c->ahead));
}

#define INSTEAD "record with trace-cmd record -C mono"

const char *trc_ftrace_clock_problem(const struct trc_ftrace_clock *c)
{
	if (is(c, "local"))
		return "recorded with the clock \"local\", which differs between CPUs: "
		       "the order of events on different CPUs may be wrong; " INSTEAD;
	if (is(c, "perf"))
		return "recorded with the clock \"perf\": CPUs may be up to a tick apart, so "
		       "the order of events on different CPUs may be wrong; " INSTEAD;
	if (is(c, "counter"))
		return "recorded with the clock \"counter\", which counts events: times show the order of events, not ns; " INSTEAD;
	if (is(c, "uptime"))
		return "recorded with the clock \"uptime\", which goes in steps of 10 ms: shorter times, and the order of "
		       "events on different CPUs, are unknown; " INSTEAD;
	if (c->mult == 0 && (is(c, "x86-tsc") || is(c, "ppc-tb")))
		return "its times are cycles of the processor, and the file lacks their length: cycles are shown as ns; " INSTEAD;
	if (is(c, "tai"))
		return "recorded with the clock \"tai\", which is ahead of the time of day by the leap seconds (37 s since 2017)";
	return NULL;
}
