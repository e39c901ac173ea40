/* SPDX-License-Identifier: MIT */
/*
 * How it works: a list has each thread inside babeltrace2. The guard's own thread checks every 10 ms how much
 * memory the program took while the list was not empty, and how much processor time each thread took since
 * its last progress. The kernel's limit (RLIMIT_AS) is no alternative: allocations would fail and abort the
 * program, and it counts what is only mapped (streams, indexes, the shadow of sanitizers).
 *
 * The signal handlers (app_main.c) call trc_bt2_guard_fault(). They run on a stack of their own, because
 * babeltrace2 recurses as deep as the metadata nest.
 */
#include "trace/bt2/trc_bt2.h"

#include "base/base_memory.h"
#include "base/base_stop.h"
#include "base/base_text.h"

#include <fcntl.h>
#include <glib.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define LOOK_US 10000
#define STACK_SIZE (64 * 1024)

/* Limits: a constant, and an amount per byte of the trace. A recording with 1 200 types of events takes 70
 * MiB and 0.2 s. */
#define MEMORY_LEAST (UINT64_C(112) << 20) /* for all traces together: one may be open twice */
#define MEMORY_PER_BYTE 32
#define MEMORY_MOST (UINT64_C(1) << 30)
#define TIME_LEAST_NS (UINT64_C(2) * 1000000000)
#define TIME_PER_BYTE_NS 2000

struct trc_bt2_guard {
	uint64_t memory; /* bytes: its part of the limit, above MEMORY_LEAST */
	uint64_t time;   /* ns: its limit */
	char *too_large, *too_long, *broken;
};

/* A thread inside babeltrace2. */
struct visit {
	struct trc_bt2_guard *guard; /* weak */
	struct visit *next;
	unsigned depth;
	clockid_t clock; /* processor time of the thread */
	int64_t since;   /* ns on CLOCK: last progress */
	gint progress;   /* set: progress since the last check */
};

static GMutex lock; /* guards everything below */
static GCond ended;
static unsigned guards;
static GThread *thread;       /* owned; NULL: no guards */
static struct visit *visits;  /* all threads inside */
static uint64_t before;       /* bytes in use when VISITS became non-empty … */
static uint64_t taken;        /* … and bytes that earlier visits took and did not free */
static uint64_t memory_parts; /* of all guards together */

static _Thread_local struct visit this_visit;

/* Return the bytes of memory that this program alone uses; 0: unknown. */
static uint64_t used(void)
{
	char text[128] = "";
	uint64_t size = 0, resident = 0, shared = 0;
	int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;

	if (fd >= 0)
		close(fd);
	if (n <= 0 || sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64, &size, &resident, &shared) != 3 ||
		resident < shared)
		return 0;
	return (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static int64_t bt2_guard_time_of(clockid_t clock)
{
	struct timespec t;

	return clock_gettime(clock, &t) == 0 ? (int64_t)t.tv_sec * 1000000000 + t.tv_nsec : 0;
}

/* Return the bytes taken inside babeltrace2. Call with the lock held. */
static uint64_t taken_now(void)
{
	uint64_t now = taken + used();

	return now > before ? now - before : 0;
}

static gpointer watch(G_GNUC_UNUSED gpointer unused)
{
	g_mutex_lock(&lock);
	while (thread == g_thread_self()) {
		if (visits && taken_now() > MIN(MEMORY_LEAST + memory_parts, MEMORY_MOST))
			base_stop_fault(3, visits->guard->too_large);
		for (struct visit *v = visits; v; v = v->next) {
			int64_t now = bt2_guard_time_of(v->clock);

			if (g_atomic_int_compare_and_exchange(&v->progress, 1, 0))
				v->since = now;
			else if (now > v->since && (uint64_t)(now - v->since) > v->guard->time)
				base_stop_fault(3, v->guard->too_long);
		}
		g_cond_wait_until(&ended, &lock, g_get_monotonic_time() + LOOK_US);
	}
	g_mutex_unlock(&lock);
	return NULL;
}

/* Return "wakepath: DIRECTORY: babeltrace2 PROBLEM: …"; the caller frees it. */
static char *line_about(const char *directory, const char *problem)
{
	g_autofree char *shown = base_text_clean(directory, -1);

	return g_strdup_printf(
		"wakepath: %s: babeltrace2 %s: it is damaged or made to do harm; copy the trace again\n",
		shown, problem);
}

struct trc_bt2_guard *trc_bt2_guard_new(const char *directory, uint64_t bytes)
{
	struct trc_bt2_guard *g = g_new0(struct trc_bt2_guard, 1);
	g_autofree char *too_large = NULL, *too_long = NULL;

	bytes = MIN(bytes, UINT64_C(1) << 40);
	g->memory = MEMORY_PER_BYTE * bytes;
	g->time = TIME_LEAST_NS + TIME_PER_BYTE_NS * bytes;
	too_large = g_strdup_printf("takes more than %" PRIu64 " MiB of memory to read it",
		MIN(MEMORY_LEAST + g->memory, MEMORY_MOST) >> 20);
	g->too_large = line_about(directory, too_large);
	too_long = g_strdup_printf("takes more than %" PRIu64 " s to read it", g->time / 1000000000);
	g->too_long = line_about(directory, too_long);
	g->broken = line_about(directory, "crashed while it read it");
	g_mutex_lock(&lock);
	memory_parts += g->memory;
	if (guards++ == 0) {
		taken = 0;
		thread = base_memory_thread("guard", watch, NULL);
	}
	g_mutex_unlock(&lock);
	return g;
}

void trc_bt2_guard_free(struct trc_bt2_guard *g)
{
	GThread *done = NULL;

	g_mutex_lock(&lock);
	memory_parts -= g->memory;
	if (--guards == 0) {
		done = g_steal_pointer(&thread);
		g_cond_signal(&ended);
	}
	g_mutex_unlock(&lock);
	if (done)
		g_thread_join(done);
	g_free(g->too_large);
	g_free(g->too_long);
	g_free(g->broken);
	g_free(g);
}

/* ---- inside ---- */

static void drop_stack(gpointer stack)
{
	const stack_t none = { .ss_flags = SS_DISABLE };

	sigaltstack(&none, NULL);
	g_free(stack);
}

/* Give this thread's signal handlers a stack of their own, unless they have one (sanitizers). */
static void need_stack(void)
{
	static GPrivate stack = G_PRIVATE_INIT(drop_stack);
	stack_t own = { .ss_size = STACK_SIZE }, current;

	if (g_private_get(&stack) || sigaltstack(NULL, &current) != 0 || !(current.ss_flags & SS_DISABLE))
		return;
	own.ss_sp = g_malloc(STACK_SIZE);
	g_private_set(&stack, own.ss_sp);
	sigaltstack(&own, NULL);
}

void trc_bt2_guard_enter(struct trc_bt2_guard *g)
{
	struct visit *v = &this_visit;

	if (v->depth++ > 0)
		return;
	need_stack();
	v->guard = g;
	if (pthread_getcpuclockid(pthread_self(), &v->clock) != 0)
		v->clock = CLOCK_THREAD_CPUTIME_ID; /* no limit: the guard reads its own clock */
	v->since = bt2_guard_time_of(v->clock);
	v->progress = 0;
	g_mutex_lock(&lock);
	if (!visits)
		before = used();
	v->next = visits;
	visits = v;
	g_mutex_unlock(&lock);
}

void trc_bt2_guard_leave(void)
{
	struct visit *v = &this_visit, **at;

	if (--v->depth > 0)
		return;
	g_mutex_lock(&lock);
	for (at = &visits; *at != v;)
		at = &(*at)->next;
	*at = v->next;
	if (!visits)
		taken = taken_now();
	g_mutex_unlock(&lock);
	v->guard = NULL;
}

void trc_bt2_guard_progress(void)
{
	g_atomic_int_set(&this_visit.progress, 1);
}

const char *trc_bt2_guard_fault(void)
{
	const struct trc_bt2_guard *g = this_visit.guard;

	return g ? g->broken : NULL;
}
