/* SPDX-License-Identifier: MIT */
/*
 * perf: the client "perf record" writes to a file without a name that wakepath opened and that gets its name
 * at the end.  perf starts with its events disabled, and wakepath enables them through a pipe, so that
 * COMMAND does not start before perf records (--control, since Linux 5.10).
 */
#include "record/rec.h"

#include "base/base_error.h"
#include "base/base_out.h"
#include "base/base_stop.h"
#include "model/event/wanted.h"
#include "record/rec_command.h"
#include "record/rec_counters.h"
#include "record/rec_dat.h"
#include "record/rec_probes.h"
#include "record/rec_tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define LOOK_MS 100

/* perf's descriptors: 3 commands to it, 4 its answers, 5 its output. */
#define CONTROL "--control=fd:3,4"
#define OUTPUT "/proc/self/fd/5"

struct rec_tracing {
	const struct rec_plan *plan; /* weak */
	struct rec_client *client;   /* owned; NULL: not started */
	int out;                     /* of base_out_new(); -1: none */
	int ask, answer;             /* our ends of the pipes to and from it; -1: none */
};

static const char *problem(G_GNUC_UNUSED bool asked)
{
	if (!rec_client_is_there("perf"))
		return "perf is not installed here";
	return geteuid() == 0 ? NULL : "recording needs root: run the command with sudo";
}

static GPtrArray *events_for(unsigned questions)
{
	GPtrArray *events = g_ptr_array_new_with_free_func(g_free);
	bool known = !rec_tracefs_problem();

	for (const struct mdl_wanted *w = mdl_wanted_first(); w->lttng; w++) {
		g_auto(GStrv) names = w->questions & questions && w->perf ? g_strsplit(w->perf, ",", -1)
									  : NULL;

		for (char **name = names; name && *name; name++) {
			/* perf refuses all events if one does not exist. */
			GPtrArray *here = known ? rec_tracefs_events(*name) : NULL;

			if ((!here || here->len > 0) &&
				!g_ptr_array_find_with_equal_func(events, *name, g_str_equal, NULL))
				g_ptr_array_add(events, g_strdup(*name));
			if (here)
				g_ptr_array_unref(here);
		}
	}
	return events;
}

/* Return "perf record …" with its events, into FILE, as a new array of char *; the caller adds the NULL.
 * CONTROLLED: it starts disabled, and takes commands from a pipe. */
static GPtrArray *arguments(const struct rec_plan *p, const char *file, bool controlled)
{
	GPtrArray *a = g_ptr_array_new_with_free_func(g_free);
	static const char *const begin[] = { "perf", "record", "-a", "-k", "mono", "-c", "1", "-B", "-N" };

	for (gsize i = 0; i < G_N_ELEMENTS(begin); i++)
		g_ptr_array_add(a, g_strdup(begin[i]));
	/* The ring of a CPU has a power of two of pages; perf rounds to that. */
	g_ptr_array_add(a, g_strdup_printf("--mmap-pages=%" G_GUINT64_FORMAT "K", MAX(p->buffer / 1024, 4)));
	if (p->wish->flight)
		g_ptr_array_add(a, g_strdup("--overwrite"));
	if (controlled) {
		g_ptr_array_add(a, g_strdup("--delay=-1"));
		g_ptr_array_add(a, g_strdup(CONTROL));
	}
	g_ptr_array_add(a, g_strdup("-o"));
	g_ptr_array_add(a, g_strdup(file));
	if (p->wish->stacks) {
		g_ptr_array_add(a, g_strdup("-g"));
		g_ptr_array_add(a, g_strdup("-e"));
		g_ptr_array_add(a, g_strdup(rec_counters_sampler()));
	}
	if (p->counters) {
		g_ptr_array_add(a, g_strdup("-e"));
		g_ptr_array_add(a, rec_counters_group(p->counters));
	}
	for (guint i = 0; i < p->events->len; i++) {
		if (p->counters && g_str_equal(p->events->pdata[i], "sched:sched_switch"))
			continue;
		g_ptr_array_add(a, g_strdup("-e"));
		g_ptr_array_add(a, g_strdup(p->events->pdata[i]));
		/* Without this each write of perf causes two events, which perf then writes. */
		if (strstr(p->events->pdata[i], "syscalls:"))
			g_ptr_array_add(a, g_strdup("--exclude-perf"));
	}
	return a;
}

static void perf_tell(const struct rec_plan *plan, GString *out)
{
	g_autoptr(GPtrArray) a = arguments(plan, plan->output, false);

	g_ptr_array_add(a, g_strdup("--"));
	for (char *const *word = plan->wish->command; word && *word; word++)
		g_ptr_array_add(a, g_strdup(*word));
	if (!plan->wish->command) {
		g_ptr_array_add(a, g_strdup("sleep"));
		g_ptr_array_add(a,
			g_strdup_printf("%g",
				plan->wish->duration ? (double)plan->wish->duration / 1e9 : 10.));
	}
	g_ptr_array_add(a, NULL);
	rec_client_tell((const char *const *)a->pdata, out);
}

/* ---- life ---- */

static void perf_drop(struct rec_tracing *t)
{
	const int fds[] = { t->out, t->ask, t->answer };

	rec_client_free(t->client);
	for (gsize i = 0; i < G_N_ELEMENTS(fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	g_free(t);
}

/*
 * Tell perf to enable its events.  False if it ends without an answer, or a signal came.  perf first opens
 * each event on each CPU: tens of thousands on a large machine, which takes a while.
 */
static bool enable(struct rec_tracing *t)
{
	static const char word[] = "enable\n";
	struct pollfd wait = { .fd = t->answer, .events = POLLIN };
	char answer[16];
	int n = 0;

	if (write(t->ask, word, sizeof word - 1) != (ssize_t)sizeof word - 1)
		return false;
	while (n <= 0 && !base_stop_signal()) {
		n = poll(&wait, 1, LOOK_MS);
		if (n < 0 && errno != EINTR)
			return false;
	}
	return n > 0 && read(t->answer, answer, sizeof answer) > 0;
}

/* Start perf with its events disabled. */
static bool start_client(struct rec_tracing *t, GError **error)
{
	int ask[2] = { -1, -1 }, answer[2] = { -1, -1 };
	g_autoptr(GPtrArray) a = arguments(t->plan, OUTPUT, true);

	if (pipe2(ask, O_CLOEXEC) != 0 || pipe2(answer, O_CLOEXEC) != 0) {
		base_error_set_errno(error, errno, "cannot make", "a pipe");
	} else {
		const int fds[] = { ask[0], answer[1], fcntl(t->out, F_DUPFD_CLOEXEC, 0) };

		g_ptr_array_add(a, NULL);
		t->client = rec_client_start((const char *const *)a->pdata, fds, G_N_ELEMENTS(fds), error);
	}
	t->ask = ask[1];
	t->answer = answer[0];
	return t->client;
}

static bool perf_begin(struct rec_tracing *t, GError **error)
{
	t->out = base_out_new(t->plan->output, error);
	if (t->out < 0 || !start_client(t, error))
		return false;
	if (enable(t))
		return true;
	if (base_stop_signal())
		return base_error_false(error, BASE_ERROR_CANCELLED, "interrupted");
	rec_client_stop(t->client);
	rec_client_error(t->client, "perf record", error);
	return false;
}

static struct rec_tracing *perf_start(const struct rec_plan *plan, GError **error)
{
	struct rec_tracing *t = g_new(struct rec_tracing, 1);

	*t = (struct rec_tracing){ .plan = plan, .out = -1, .ask = -1, .answer = -1 };
	if (!perf_begin(t, error))
		g_clear_pointer(&t, perf_drop);
	return t;
}

static bool poll_perf(struct rec_tracing *t, struct rec_state *state, GError **error)
{
	*state = (struct rec_state){ .fill = -1 };
	if (!rec_client_ended(t->client))
		return true;
	rec_client_error(t->client, "perf record", error);
	return false;
}

static void perf_hold(struct rec_tracing *t)
{
	static const char word[] = "disable\n";

	(void)!write(t->ask, word, sizeof word - 1);
}

static bool perf_stop(struct rec_tracing *t, bool keep, struct rec_state *state, GError **error)
{
	bool ok = true;

	*state = (struct rec_state){ .fill = -1 };
	rec_client_stop(t->client);
	if (keep && lseek(t->out, 0, SEEK_END) <= 0) {
		rec_client_error(t->client, "perf record", error);
		ok = false;
	} else if (keep) {
		ok = base_out_publish(t->out, t->plan->output, t->plan->wish->replace, error);
	}
	perf_drop(t);
	return ok;
}

const struct rec_tracer rec_perf = {
	.name = "perf",
	.suffix = ".data",
	.problem = problem,
	.events = events_for,
	.tell = perf_tell,
	.start = perf_start,
	.poll = poll_perf,
	.hold = perf_hold,
	.stop = perf_stop,
	/* perf itself leaves nothing.  These can also be ftrace's, whose instances are removed first. */
	.left = rec_probes_left,
	.left_is = { "the probes ", "" },
	.clean = rec_probes_clean,
};
