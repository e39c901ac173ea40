/* SPDX-License-Identifier: MIT */
/* ftrace: an instance of our own in tracefs, its pages moved into a trace.dat. */
#include "record/rec.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "model/event/wanted.h"
#include "record/rec_command.h"
#include "record/rec_dat.h"
#include "record/rec_tracefs.h"
#include "record/rec_until.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

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
	for (guint i = events->len; i-- > 1;) /* a group may name one that another has */
		if (g_str_equal(events->pdata[i], events->pdata[i - 1]))
			g_ptr_array_remove_index(events, i);
	return events;
}

/* ---- by hand ---- */

/* All that may be wanted: the kernel on which it is typed may have others than this one. */
static void tell_events(unsigned questions, GString *out)
{
	g_string_append(out, "for e in");
	for (const struct mdl_wanted *w = mdl_wanted_first(); w->lttng; w++) {
		const char *list = w->questions & questions ? mdl_wanted_ftrace(w) : NULL;
		g_auto(GStrv) names = list ? g_strsplit(list, ",", -1) : NULL;

		for (char **name = names; name && *name; name++)
			g_string_append_printf(out, strchr(*name, '*') ? " '%s'" : " %s", *name);
	}
	g_string_append(out, "; do echo \"$e\" >> $I/set_event; done 2>/dev/null\n");
}

/* WATCHED: the kernel may end it before. */
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
 * "trace-cmd record" refuses where it cannot write ftrace_enabled; putting pages together it can.  It asks
 * the top instance for the clock, so it is shown ours there, in a name space of its own.
 *
 * A program that waits for events causes some itself: its reads, its writes, its switches, one page of the ring for a
 * few of them each time, as fast as it can.  So the rings are emptied now and then, by a dd that has a name
 * of its own: what it calls is left out.  Where dd cannot do that, only what the rings hold in the end is
 * there.  A read may find an end that is none (tracing_buffers_read()), so cat is given a second.
 */
static void ftrace_tell(const struct rec_plan *plan, GString *out)
{
	const char *top = tracefs_tracing_dir();
	g_autofree char *output = g_shell_quote(plan->output);
	bool watched;

	g_string_append_printf(out,
		"T=%s I=$T/instances/" BY_HAND "\nmkdir $I\necho 0 > $I/tracing_on\n"
		"echo mono > $I/trace_clock\necho %" G_GUINT64_FORMAT " > $I/buffer_size_kb\n",
		top ? top : "/sys/kernel/tracing", MAX(plan->buffer / 1024, 4));
	tell_events(plan->wish->questions, out);
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

/*
 * ---- one begin for the rings of all CPUs: each was overwritten up to another instant ----
 *
 * The oldest page of a CPU whose ring was overwritten says that events were lost before it
 * (RB_MISSED_EVENTS); so all is known from the time of the newest such page on.  Older pages of other CPUs
 * are left out, and of the page that holds this instant the records before it: the page's time becomes that
 * of the last of them, on which the others' differences count (struct buffer_data_page in
 * kernel/trace/ring_buffer.c).
 */

#define MISSED (UINT64_C(3) << 30) /* both flags */
#define LENGTH ((UINT64_C(1) << 27) - 1)
#define DELTA_BITS 27
#define STAMP_HIGH (UINT64_C(0x1f) << 59) /* bits that an absolute time does not hold */

enum { BEHIND = 0, PADDING = 29, TIME_EXTEND, TIME_STAMP };

/* Of a kernel of 64 bits. */
struct page {
	uint64_t time;
	uint64_t commit;
	uint8_t data[];
};

static bool load_page(const struct rec_dat_cpu *c, uint64_t offset, struct page *p, size_t size)
{
	return offset < c->offset + c->size && pread(c->fd, p, size, (off_t)offset) == (ssize_t)size;
}

/* The record at AT: its bytes; *TIME is moved on to it. */
static size_t step_record(const uint8_t *at, size_t room, uint64_t *time)
{
	uint32_t head, more = 0;
	unsigned type;
	uint64_t delta;

	memcpy(&head, at, sizeof head);
	type = G_BYTE_ORDER == G_BIG_ENDIAN ? head >> DELTA_BITS : head & 31;
	delta = G_BYTE_ORDER == G_BIG_ENDIAN ? head & ((1u << DELTA_BITS) - 1) : head >> 5;
	if (room >= 8)
		memcpy(&more, at + 4, sizeof more);
	switch (type) {
	case PADDING: *time += delta; return delta == 0 ? room : 4 + (size_t)more;
	case TIME_EXTEND: *time += ((uint64_t)more << DELTA_BITS) + delta; return 8;
	case TIME_STAMP: *time = (*time & STAMP_HIGH) | (((uint64_t)more << DELTA_BITS) + delta); return 8;
	case BEHIND: *time += delta; return 4 + (((size_t)more + 3) & ~(size_t)3);
	default: *time += delta; return 4 + (size_t)type * 4;
	}
}

/* Take away the records of P before BEGIN. */
static void cut_page(struct page *p, uint64_t begin)
{
	size_t length = p->commit & LENGTH, at = 0, size = 0;
	uint64_t time = p->time, before = p->time;

	for (; at < length; at += size) {
		before = time;
		size = step_record(p->data + at, length - at, &time);
		if (time >= begin || size == 0 || size > length - at)
			break;
	}
	at = MIN(at, length);
	memmove(p->data, p->data + at, length - at);
	p->commit = length - at;
	p->time = at < length ? before : time;
}

/* Leave out of C what came before BEGIN. */
static void cut_cpu(struct rec_dat_cpu *c, uint64_t begin, size_t page_size)
{
	struct page *p = g_malloc(page_size), next;

	while (load_page(c, c->offset + page_size, &next, sizeof next) && next.time <= begin) {
		c->offset += page_size;
		c->size -= page_size;
	}
	if (load_page(c, c->offset, p, page_size) && (p->commit & LENGTH) <= page_size - sizeof *p) {
		cut_page(p, begin);
		/* The file is wakepath's own, and is read from OFFSET on. */
		if (!base_io_write(c->fd, p, page_size, c->offset) || p->commit == 0) {
			c->offset += page_size;
			c->size -= page_size;
		}
	}
	g_free(p);
}

/* Of pages that were read from a ring in overwrite mode leave only what came after the last event that was
 * lost before the oldest page of any of COUNT CPUs. */
static void cut_rings(struct rec_dat_cpu *cpus, unsigned count)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t begin = 0;
	struct page first;

	/* On 32 bits the recording keeps its ragged begin, with the marks of what was lost. */
	for (unsigned i = 0; i < count && sizeof(long) == 8; i++)
		if (load_page(&cpus[i], cpus[i].offset, &first, sizeof first) && first.commit & MISSED)
			begin = MAX(begin, first.time);
	for (unsigned i = 0; i < count && begin > 0; i++)
		if (cpus[i].size > 0)
			cut_cpu(&cpus[i], begin, page_size);
}

/* ---- life ---- */

/* Free T; all that is in the kernel goes away. */
static void ftrace_drop(struct rec_tracing *t)
{
	if (t->drain)
		rec_drain_free(t->drain); /* first: while it is open the instance stays */
	rec_tracefs_free(t->instance);
	if (t->dat)
		rec_dat_free(t->dat);
	g_free(t);
}

static bool ftrace_begin(struct rec_tracing *t, GError **error)
{
	const struct rec_plan *plan = t->plan;
	g_autofree char *path = NULL;
	char *dir;

	t->instance = rec_tracefs_new(plan->name, plan->buffer, error);
	if (!t->instance || !rec_tracefs_enable(t->instance, plan->events, error))
		return false;
	dir = tracefs_instance_get_dir(t->instance);
	path = g_strdup(dir);
	tracefs_put_tracing_file(dir);
	t->drain = rec_drain_new(path, t->cpus, plan->output, error);
	t->dat = t->drain ? rec_dat_new(plan->output, plan->events, error) : NULL;
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

/* ---- how far it is ---- */

/* Events that the ring of a flight recorder overwrites are no loss: the user asked for that. */
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
			cut_rings(cpus, t->cpus);
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
