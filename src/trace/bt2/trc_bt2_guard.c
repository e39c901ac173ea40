/* SPDX-License-Identifier: MIT */
/*
 * How it works: a thread looks every 10 ms at how much memory is in use.  A limit of the kernel's (RLIMIT_AS)
 * would make allocations fail and so abort the program without a word, and would count what is only mapped:
 * streams, indexes, the shadow of sanitizers.
 */
#include "trace/bt2/trc_bt2_guard.h"

#include "base/base_stop.h"
#include "base/base_text.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#define LOOK_US 10000

static GMutex lock; /* guards all below */
static GCond ended;
static unsigned users;
static GThread *thread; /* owned; NULL: no users */
static uint64_t before; /* bytes in use when the first began */

/* Lines about the trace of the last user to begin; never freed, as handlers of faults read them. */
static const char *too_large = "", *broken = "";
static _Thread_local volatile bool is_inside;

/* Bytes of memory that are in use by this program alone; 0 where that cannot be told. */
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

/* "wakepath: DIRECTORY: PROBLEM: …" */
static const char *line_about(const char *directory, const char *problem)
{
	g_autofree char *shown = base_text_clean(directory, -1);
	g_autofree char *line =
		g_strdup_printf("wakepath: %s: %s: it is damaged or made to do harm; copy the trace again\n",
			shown, problem);

	return g_intern_string(line);
}

static gpointer watch(G_GNUC_UNUSED gpointer unused)
{
	g_mutex_lock(&lock);
	while (thread == g_thread_self()) {
		if (used() > before + TRC_BT2_GUARD_MAX)
			base_stop_fault(3, too_large);
		g_cond_wait_until(&ended, &lock, g_get_monotonic_time() + LOOK_US);
	}
	g_mutex_unlock(&lock);
	return NULL;
}

void trc_bt2_guard_begin(const char *directory)
{
	g_mutex_lock(&lock);
	too_large = line_about(directory, "babeltrace2 takes more than 1 GiB of memory to read it");
	broken = line_about(directory, "babeltrace2 broke down when it read it");
	if (!users++) {
		before = used();
		thread = g_thread_new("guard", watch, NULL);
	}
	g_mutex_unlock(&lock);
}

void trc_bt2_guard_end(void)
{
	GThread *done = NULL;

	g_mutex_lock(&lock);
	if (!--users) {
		done = g_steal_pointer(&thread);
		g_cond_signal(&ended);
	}
	g_mutex_unlock(&lock);
	if (done)
		g_thread_join(done);
}

void trc_bt2_guard_set_inside(bool inside)
{
	is_inside = inside;
}

const char *trc_bt2_guard_fault(void)
{
	return is_inside ? broken : NULL;
}
