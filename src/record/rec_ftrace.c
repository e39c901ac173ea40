/* SPDX-License-Identifier: MIT */
/* ftrace: a private tracefs instance, whose pages are moved into a trace.dat. */
#include "record/rec.h"

#include "base/base_error.h"
#include "model/event/wanted.h"
#include "record/rec_command.h"
#include "record/rec_dat.h"
#include "record/rec_probes.h"
#include "record/rec_tracefs.h"
#include "record/rec_until.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <tracefs.h>

#define BY_HAND "wakepath-by-hand"

struct rec_tracing {
	const struct rec_plan *plan;       /* weak */
	struct tracefs_instance *instance; /* owned; NULL: gone */
	struct rec_drain *drain;           /* owned */
	struct rec_dat *dat;               /* owned */
	unsigned cpus;
};

static const char *problem(G_GNUC_UNUSED bool asked)
{
	return rec_tracefs_problem();
}

static GPtrArray *events_for(unsigned questions)
{
	g_autoptr(GString) list = g_string_new(NULL);
	GPtrArray *events;

	for (const struct mdl_wanted *w = mdl_wanted_first(); w->lttng; w++)
		if (w->questions & questions && mdl_wanted_ftrace(w))
			g_string_append_printf(list, "%s%s", list->len ? "," : "", mdl_wanted_ftrace(w));
	events = rec_tracefs_events(list->str);
	for (guint i = events->len; i-- > 1;) /* groups can share events */
		if (g_str_equal(events->pdata[i], events->pdata[i - 1]))
			g_ptr_array_remove_index(events, i);
	return events;
}

/* ---- by hand ---- */

/* Append a loop over all wanted events: another kernel can have events that this one lacks. */
static void tell_events(const struct rec_plan *plan, GString *out)
{
	unsigned questions = plan->wish->questions;
	g_autoptr(GPtrArray) probes = g_ptr_array_new_with_free_func(g_free);

	if (plan->probes)
		rec_probes_add_events(plan->probes, probes);
	g_string_append(out, "for e in");
	for (const struct mdl_wanted *w = mdl_wanted_first(); w->lttng; w++) {
		const char *list = w->questions & questions ? mdl_wanted_ftrace(w) : NULL;
		g_auto(GStrv) names = list ? g_strsplit(list, ",", -1) : NULL;

		for (char **name = names; name && *name; name++)
			g_string_append_printf(out, strchr(*name, '*') ? " '%s'" : " %s", *name);
	}
	for (guint i = 0; i < probes->len; i++)
		g_string_append_printf(out, " %s", (char *)probes->pdata[i]);
	g_string_append(out, "; do echo \"$e\" >> $I/set_event; done 2>/dev/null\n");
}

/* WATCHED: a trigger in the kernel can end the recording early. */
static void tell_work(const struct rec_wish *w, bool watched, GString *out)
{
	double seconds = (double)w->duration / 1e9;

	if (w->command) {
		rec_client_tell((const char *const *)w->command, out);
		if (watched)
			g_string_insert(out, (gssize)out->len - 1, " &");
	}
	if (watched)
		g_string_append_printf(out,
			w->command
				? "while kill -0 $! && [ $(cat $I/tracing_on) = 1 ]; do sleep 0.1; done 2>/dev/null\n"
				: "timeout --foreground %g sh -c 'while [ $(cat $0/tracing_on) = 1 ]; do sleep 0.1; done' $I\n",
			seconds);
	else if (!w->command)
		g_string_append_printf(out, "sleep %g\n", w->duration ? seconds : 10.);
}

/*
 * "trace-cmd record" refuses to run if it cannot write ftrace_enabled, but trace-cmd can still put pages
 * together.  It reads trace_clock of the top instance, so a bind mount in a private mount namespace puts the
 * file of our instance in its place.
 *
 * A program that waits for events causes events: its reads, writes and switches are the next events to wait
 * for, so it never rests, and pages of the ring have only a few events each.  So a copy of dd with a name of
 * its own empties the rings from time to time, and a filter leaves out its system calls.  If dd cannot do
 * that, the recording has only what the rings contain at the end.  A read can report an end that is not one
 * (tracing_buffers_read()), so cat runs for a second.
 */
static void ftrace_tell(const struct rec_plan *plan, GString *out)
{
	const char *top = tracefs_tracing_dir();
	g_autofree char *output = g_shell_quote(plan->output);
	bool watched;

	g_string_append_printf(out,
		"T=%s I=$T/instances/" BY_HAND "\nmkdir $I\necho 0 > $I/tracing_on\n"
		"echo mono > $I/trace_clock\necho %" G_GUINT64_FORMAT " > $I/buffer_size_kb\n"
		"echo 1 2>/dev/null > $I/options/copy_trace_marker\n",
		top ? top : "/sys/kernel/tracing", MAX(plan->buffer / 1024, 4));
	tell_events(plan, out);
	if (!plan->wish->flight)
		g_string_append(out,
			"ln -sf \"$(command -v dd)\" trace.dd\n"
			"echo 'comm != \"trace.dd\"' > $I/events/raw_syscalls/filter\n");
	g_string_append(out, "echo 1 > $I/tracing_on\n");
	if (!plan->wish->flight)
		g_string_append(out,
			"(while [ $(cat $I/tracing_on) = 1 ]; do sleep 0.2; for c in $I/per_cpu/cpu*; do ./trace.dd if=$c/trace_pipe_raw iflag=nonblock bs=64k count=100000 >> trace.${c##*/}; done 2>/dev/null; done) &\n");
	watched = rec_trigger_tell(BY_HAND, &plan->wish->until, false, out);
	tell_work(plan->wish, watched, out);
	g_string_append(out, "echo 0 > $I/tracing_on\nwait\n");
	rec_trigger_tell(BY_HAND, &plan->wish->until, true, out);
	g_string_append_printf(out,
		"for c in $I/per_cpu/cpu*; do timeout 1 cat $c/trace_pipe_raw >> trace.${c##*/}; done\n"
		"trace-cmd restore -c -o trace.head\n"
		"unshare -m sh -c \"mount --bind $I/trace_clock $T/trace_clock; trace-cmd restore -o trace.dat -i trace.head $(ls trace.cpu* | sort -V | tr '\\n' ' ')\"\n"
		"rmdir $I; rm trace.head trace.cpu*%s; mv trace.dat %s\n",
		plan->wish->flight ? "" : " trace.dd", output);
}

/* ---- life ---- */

/* Free T, and remove everything it has in the kernel. */
static void ftrace_drop(struct rec_tracing *t)
{
	if (t->drain)
		rec_drain_free(t->drain); /* first: an open buffer keeps the instance */
	rec_tracefs_free(t->instance);
	if (t->dat)
		rec_dat_free(t->dat);
	g_free(t);
}

static bool ftrace_begin(struct rec_tracing *t, GError **error)
{
	const struct rec_plan *plan = t->plan;
	g_autofree char *path = NULL;
	g_autoptr(GByteArray) head = NULL;

	t->instance = rec_tracefs_new(plan->name, plan->buffer, error);
	if (!t->instance || !rec_tracefs_enable(t->instance, plan->events, true, error) ||
		!rec_probes_are_in(plan->probes, plan->events, error))
		return false;
	path = rec_tracefs_path(t->instance);
	head = rec_dat_head(plan->events);
	t->drain = rec_drain_new(path, t->cpus, plan->output, error);
	t->dat = t->drain ? rec_dat_new(plan->output, head, error) : NULL;
	if (!t->dat)
		return false;
	if (!rec_tracefs_record(t->instance, true))
		return base_error_false_errno(error, errno, "cannot record in", path);
	if (!plan->wish->flight)
		rec_drain_begin(t->drain);
	return true;
}

static struct rec_tracing *ftrace_start(const struct rec_plan *plan, GError **error)
{
	struct rec_tracing *t = g_new0(struct rec_tracing, 1);

	t->plan = plan;
	t->cpus = plan->cpus;
	if (!ftrace_begin(t, error))
		g_clear_pointer(&t, ftrace_drop);
	return t;
}

/* ---- progress ---- */

/* Events that a flight recorder overwrites are not lost: the user asked for that. */
static void read_state(const struct rec_tracing *t, struct rec_state *state)
{
	struct rec_tracefs_count c;

	rec_tracefs_count(t->instance, t->cpus, &c);
	*state = (struct rec_state){ .events = c.read + c.unread,
		.lost = c.refused + (t->plan->wish->flight ? 0 : c.overwritten),
		.fill = MIN((double)c.fullest / (double)t->plan->buffer, 1),
		.has_count = true };
}

static bool poll(struct rec_tracing *t, struct rec_state *state, GError **error)
{
	int saved_errno = rec_drain_problem(t->drain);

	read_state(t, state);
	if (saved_errno == 0)
		return true;
	return base_error_false_errno(error, saved_errno, "cannot write", t->plan->output);
}

/* ---- the end ---- */

static void ftrace_hold(struct rec_tracing *t)
{
	rec_tracefs_record(t->instance, false);
}

static bool ftrace_stop(struct rec_tracing *t, bool keep, struct rec_state *state, GError **error)
{
	char *clock = tracefs_instance_file_read(t->instance, "trace_clock", NULL);
	struct rec_dat_cpu *cpus = rec_drain_cpus(t->drain);
	bool ok = true;

	ftrace_hold(t);
	read_state(t, state);
	rec_drain_end(t->drain);
	if (keep) {
		for (unsigned i = 0; i < t->cpus; i++)
			cpus[i].stats = rec_tracefs_stats(t->instance, i);
		rec_tracefs_free(g_steal_pointer(&t->instance));
		if (t->plan->wish->flight)
			rec_drain_cut(t->drain);
		ok = rec_dat_finish(t->dat, cpus, t->cpus, clock ? g_strchomp(clock) : "mono",
			t->plan->wish->replace, error);
	}
	free(clock);
	ftrace_drop(t);
	return ok;
}

/* ---- what is left ---- */

static bool clean(GError **error)
{
	g_autoptr(GPtrArray) names = rec_tracefs_left();

	for (guint i = 0; i < names->len; i++)
		if (g_str_has_suffix(names->pdata[i], REC_TRIGGER_WATCH))
			rec_trigger_clean(names->pdata[i]);
	return rec_tracefs_clean(error);
}

const struct rec_tracer rec_ftrace = {
	.name = "ftrace",
	.suffix = ".dat",
	.problem = problem,
	.events = events_for,
	.tell = ftrace_tell,
	.start = ftrace_start,
	.poll = poll,
	.hold = ftrace_hold,
	.stop = ftrace_stop,
	.left = rec_tracefs_left,
	.left_is = { "the tracefs instance ", "" },
	.clean = clean,
};
