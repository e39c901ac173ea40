/* SPDX-License-Identifier: MIT */
/*
 * How it works: runs without and with the watch alternate, so that a machine that gets slower, or another
 * load, affects both.  The watch is ready before the load begins.  The default load is the worst case for a
 * recorder: two threads that only wake each other, so nearly everything they do is an event.
 */
#include "record/rec_overhead.h"

#include "base/base_error.h"
#include "base/base_memory.h"
#include "base/base_stop.h"
#include "record/rec_command.h"

#include <errno.h>
#include <math.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TURNS 20000 /* wake-ups by each of the two threads */

/* One run of the load, in threads of its own. */
struct load {
	char *const *command; /* NULL: two threads */
	GThread *thread;      /* NULL: not begun, or joined */
	gint done;
	double seconds, cpu;   /* s: duration; CPU time of its threads in this process */
	int there[2], back[2]; /* pipes */
	GError *problem;       /* owned */
	double answer_cpu, event_cost;
};

/* Return the CPU time of this thread, s. */
static double thread_cpu(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Read a byte of FROM, and write it to TO, TURNS times. */
static void take_turns(int from, int to)
{
	char c = 0;

	for (int i = 0; i < TURNS; i++)
		if (read(from, &c, 1) != 1 || write(to, &c, 1) != 1)
			return;
}

static gpointer answer(gpointer data)
{
	struct load *l = data;

	take_turns(l->there[0], l->back[1]);
	l->answer_cpu = thread_cpu();
	return NULL;
}

static void run_threads(struct load *l)
{
	GThread *other;

	if (pipe(l->there) != 0) {
		base_error_set_errno(&l->problem, errno, "cannot make", "a pipe");
		return;
	}
	if (pipe(l->back) == 0) {
		other = base_memory_thread("wk-answer", answer, l);
		if (write(l->there[1], "", 1) == 1)
			take_turns(l->back[0], l->there[1]);
		close(l->there[1]);
		g_thread_join(other);
		close(l->back[0]);
		close(l->back[1]);
	} else {
		base_error_set_errno(&l->problem, errno, "cannot make", "a pipe");
		close(l->there[1]);
	}
	close(l->there[0]);
}

static void run_command(struct load *l)
{
	int pid = rec_command_start(l->command, &l->problem), status;

	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
}

static gpointer load_work(gpointer data)
{
	struct load *l = data;
	gint64 begun = g_get_monotonic_time();

	if (l->command)
		run_command(l);
	else
		run_threads(l);
	l->cpu = thread_cpu() + l->answer_cpu;
	l->seconds = (double)(g_get_monotonic_time() - begun) / 1e6;
	g_atomic_int_set(&l->done, 1);
	return NULL;
}

static void load_begin(struct load *l)
{
	l->thread = base_memory_thread("wk-load", load_work, l);
}

/* ---- with the watch ---- */

static void overhead_ready(void *context, const struct rec_budget *budget)
{
	struct load *l = context;

	l->event_cost = budget->event_cost;
	load_begin(l);
}

static bool is_done(void *context)
{
	return g_atomic_int_get(&((struct load *)context)->done);
}

static bool run_with(const struct rec_watch_wish *wish, struct load *l, struct rec_overhead *o,
	GError **error)
{
	struct rec_watch_wish own = *wish;
	struct rec_watch_result result;
	bool ok;

	own.folder = NULL;
	own.duration = 0;
	own.cpu = 0;
	own.say = NULL;
	own.ready = overhead_ready;
	own.ends = is_done;
	own.context = l;
	ok = rec_watch_run(&own, &result, error);
	if (l->thread)
		g_thread_join(g_steal_pointer(&l->thread));
	o->event_cost += l->event_cost / REC_OVERHEAD_RUNS;
	o->events += ok ? (double)result.events / result.seconds / REC_OVERHEAD_RUNS : 0;
	o->cpu += ok ? fmax(result.cpu - l->cpu, 0) / result.seconds / REC_OVERHEAD_RUNS : 0;
	return ok;
}

/* ---- statistics ---- */

/* Student's t, two-sided, 95 %, for 2 · REC_OVERHEAD_RUNS - 2 degrees of freedom. */
#define STUDENT 2.179
G_STATIC_ASSERT(REC_OVERHEAD_RUNS == 7);

static void sum_up(struct rec_overhead_runs *r)
{
	double squares = 0;

	r->mean = 0;
	for (unsigned i = 0; i < REC_OVERHEAD_RUNS; i++)
		r->mean += r->times[i] / REC_OVERHEAD_RUNS;
	for (unsigned i = 0; i < REC_OVERHEAD_RUNS; i++)
		squares += (r->times[i] - r->mean) * (r->times[i] - r->mean);
	r->deviation = sqrt(squares / (REC_OVERHEAD_RUNS - 1));
}

bool rec_overhead_measure(const struct rec_watch_wish *wish, char *const *command, void (*show)(unsigned run),
	struct rec_overhead *o, GError **error)
{
	*o = (struct rec_overhead){ .cpu = 0 };
	for (unsigned i = 0; i < 2 * REC_OVERHEAD_RUNS; i++) {
		struct load l = { .command = command };
		bool with = i % 2, ok = true;

		if (with)
			ok = run_with(wish, &l, o, error);
		else
			load_begin(&l);
		if (l.thread)
			g_thread_join(l.thread);
		if (l.problem && ok)
			g_propagate_error(error, l.problem);
		else
			g_clear_error(&l.problem);
		if (ok && base_stop_signal())
			return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
		if (!ok || l.problem)
			return false;
		(with ? &o->with : &o->without)->times[i / 2] = l.seconds;
		show(i + 1);
	}
	sum_up(&o->without);
	sum_up(&o->with);
	o->difference = o->with.mean - o->without.mean;
	o->within = STUDENT *
		sqrt((o->without.deviation * o->without.deviation + o->with.deviation * o->with.deviation) /
			REC_OVERHEAD_RUNS);
	return true;
}
