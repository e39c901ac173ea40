/* SPDX-License-Identifier: MIT */
/*
 * How it works: the cost is the CPU time of this process, plus the time that each event takes in the thread
 * that causes it.  The cost of an event is measured once: system calls that do nothing, with and without two
 * events each.  Every five seconds the cost, as a share of all CPUs, is compared with the limit.  Above the
 * limit less is recorded; at the lowest level recording pauses until the mean is within the limit.  After
 * enough looks far below the limit, more is recorded again; each time the limit is exceeded, twice as many
 * such looks are needed.
 */
#include "record/rec_budget.h"

#include "record/rec_tracefs.h"

#include <sys/syscall.h>
#include <time.h>
#include <tracefs.h>
#include <unistd.h>

#define WINDOW_US 5000000
#define PAUSE_MOST 120 /* windows */
#define PATIENCE_LEAST 6
#define PATIENCE_MOST 720 /* an hour */
#define CALM 0.25         /* share of the limit: below it the next level may fit */
#define CALLS 20000
#define EVENT_COST 0.3e-6 /* s, if it cannot be measured */

const char *rec_budget_name(enum rec_level level)
{
	static const char *const names[] = { "all", "cpu", "triggers", "paused" };

	return names[level];
}

static double clock_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

double rec_budget_cpu(void)
{
	return clock_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* Return the CPU time of CALLS system calls that do nothing, s. */
static double calls_take(void)
{
	double begun = clock_of(CLOCK_THREAD_CPUTIME_ID);

	for (int i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
	return clock_of(CLOCK_THREAD_CPUTIME_ID) - begun;
}

static double measure_event(const char *name)
{
	g_autofree char *own = g_strconcat(name, "-try", NULL), *pid = g_strdup_printf("%d", (int)getpid());
	g_autoptr(GPtrArray) events = rec_tracefs_events("raw_syscalls:sys_enter,raw_syscalls:sys_exit");
	struct tracefs_instance *instance = rec_tracefs_new(own, 1 << 20, NULL);
	double without, with, cost = 0;

	if (!instance)
		return EVENT_COST;
	without = calls_take();
	tracefs_instance_file_write(instance, "set_event_pid", pid);
	if (events->len == 2 && rec_tracefs_enable(instance, events, true, NULL) &&
		rec_tracefs_record(instance, true)) {
		with = calls_take();
		cost = (with - without) / (2. * CALLS);
	}
	rec_tracefs_free(instance);
	return cost > 0 ? cost : EVENT_COST;
}

void rec_budget_init(struct rec_budget *b, double limit, unsigned cpus, const char *name)
{
	*b = (struct rec_budget){ .limit = limit,
		.cpus = cpus,
		.event_cost = measure_event(name),
		.looked = g_get_monotonic_time(),
		.patience = PATIENCE_LEAST,
		.cpu = rec_budget_cpu() };
}

/* Go to the next lower level; from the lowest one, pause. */
static void narrow(struct rec_budget *b, gint64 now)
{
	double windows = b->share / b->limit - 1;

	b->calm = 0;
	b->patience = MIN(2 * b->patience, PATIENCE_MOST);
	if (b->level < REC_LEVEL_TRIGGERS) {
		b->level++;
		return;
	}
	b->level = REC_LEVEL_PAUSED;
	b->until = now + (gint64)(CLAMP(windows, 1, PAUSE_MOST) * WINDOW_US);
}

bool rec_budget_look(struct rec_budget *b, uint64_t events)
{
	gint64 now = g_get_monotonic_time();
	enum rec_level before = b->level;
	double cpu, used;

	if (b->level == REC_LEVEL_PAUSED && now < b->until)
		return false;
	if (b->level != REC_LEVEL_PAUSED && now - b->looked < WINDOW_US)
		return false;
	cpu = rec_budget_cpu();
	used = cpu - b->cpu + (double)(events - MIN(b->events, events)) * b->event_cost;
	b->share = used / ((double)(now - b->looked) / 1e6 * b->cpus);
	if (b->limit <= 0)
		b->level = REC_LEVEL_ALL;
	else if (b->level == REC_LEVEL_PAUSED)
		b->level = REC_LEVEL_TRIGGERS;
	else if (b->share > b->limit)
		narrow(b, now);
	else if (b->level > REC_LEVEL_ALL && b->share < CALM * b->limit && ++b->calm >= b->patience) {
		b->calm = 0;
		b->level--;
	}
	b->looked = now;
	b->cpu = cpu;
	b->events = events;
	return b->level != before;
}
