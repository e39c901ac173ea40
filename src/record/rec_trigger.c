/* SPDX-License-Identifier: MIT */
/*
 * How it works (Documentation/trace/histogram.rst): at each step that begins a case, a histogram keyed by the
 * case stores the time in a variable.  The step that ends the case reads the variable, which unsets it, and
 * makes a synthetic event with the difference; a step that discards the case reads it only to unset it.  A
 * traceoff trigger on the synthetic event, filtered by the limit, stops the recording.
 *
 * The histograms are in an instance of their own, because they change its clock and widen each event of its
 * ring.  That instance also records the synthetic event, and wakepath reads it there.  All instances share
 * synthetic events, so this one is named after the recording's instance.  The event that ends the case is in
 * the recording: the recording's instance enabled it first, so the kernel calls that instance first.
 *
 * Disk requests have too many keys: a histogram never frees its elements.
 */
#include "record/rec_until.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <tracefs.h>
#include <unistd.h>

/*
 * ---- kinds ----
 *
 * A thread that is woken while it still runs does not wait for a CPU: its case is discarded at the next
 * switch.  A thread that exits leaves its CPU for good, and its last system call has no end: its case is
 * discarded at the first wake-up of a new thread, which may have the same TID.
 *
 * If an event is missing (some hypervisors hide switches), a preempted thread seems to block, or a thread
 * runs without a wake-up: that case is discarded, too.
 */

/* As in analysis/latency, preempted threads are a kind of their own, and a new thread waits like a woken one
 * (ttwu_do_wakeup(), wake_up_new_task()). */
#define WOKEN_UNTIL_IT_RUNS                                                                          \
	{                                                                                            \
		{ "sched:sched_waking", REC_BEGIN, REC_BY_FIELD, "pid", REC_ALWAYS },                \
			{ "sched:sched_wakeup_new", REC_BEGIN, REC_BY_FIELD, "pid", REC_ALWAYS },    \
			{ "sched:sched_switch", REC_GIVE_UP, REC_BY_FIELD, "prev_pid", REC_ALWAYS }, \
			{ "sched:sched_switch", REC_END, REC_BY_FIELD, "next_pid", REC_ALWAYS },     \
	}

const struct rec_kind rec_kinds[] = {
	{ "wakeup", WOKEN_UNTIL_IT_RUNS },
	{ "wait-cpu", WOKEN_UNTIL_IT_RUNS },
	{ "preempted",
		{ { "sched:sched_switch", REC_BEGIN, REC_BY_FIELD, "prev_pid", REC_RUNNABLE },
			{ "sched:sched_switch", REC_GIVE_UP, REC_BY_FIELD, "prev_pid", REC_BLOCKED },
			{ "sched:sched_switch", REC_END, REC_BY_FIELD, "next_pid", REC_ALWAYS } } },
	{ "off-cpu",
		{ { "sched:sched_switch", REC_BEGIN, REC_BY_FIELD, "prev_pid", REC_ALWAYS },
			{ "sched:sched_wakeup_new", REC_GIVE_UP, REC_BY_FIELD, "pid", REC_ALWAYS },
			{ "sched:sched_switch", REC_END, REC_BY_FIELD, "next_pid", REC_ALWAYS } } },
	{ "blocked",
		{ { "sched:sched_switch", REC_BEGIN, REC_BY_FIELD, "prev_pid", REC_BLOCKED },
			{ "sched:sched_wakeup_new", REC_GIVE_UP, REC_BY_FIELD, "pid", REC_ALWAYS },
			{ "sched:sched_switch", REC_GIVE_UP, REC_BY_FIELD, "next_pid", REC_ALWAYS },
			{ "sched:sched_waking", REC_END, REC_BY_FIELD, "pid", REC_ALWAYS } } },
	{ "syscall",
		{ { "raw_syscalls:sys_enter", REC_BEGIN, REC_BY_THREAD, NULL, REC_ALWAYS },
			{ "sched:sched_wakeup_new", REC_GIVE_UP, REC_BY_FIELD, "pid", REC_ALWAYS },
			{ "raw_syscalls:sys_exit", REC_END, REC_BY_THREAD, NULL, REC_ALWAYS } } },
	{ "irq",
		{ { "irq:irq_handler_entry", REC_BEGIN, REC_BY_CPU, NULL, REC_ALWAYS },
			{ "irq:irq_handler_exit", REC_END, REC_BY_CPU, NULL, REC_ALWAYS } } },
	{ "softirq",
		{ { "irq:softirq_entry", REC_BEGIN, REC_BY_CPU, NULL, REC_ALWAYS },
			{ "irq:softirq_exit", REC_END, REC_BY_CPU, NULL, REC_ALWAYS } } },
	{ "block-device",
		{ { "block:block_rq_issue", REC_BEGIN, REC_BY_SECTOR, NULL, REC_ALWAYS },
			{ "block:block_rq_complete", REC_END, REC_BY_SECTOR, NULL, REC_ALWAYS } } },
	{ .name = NULL },
};

const struct rec_kind *rec_kinds_find(const char *name)
{
	const struct rec_kind *kind = rec_kinds;

	while (kind->name && strcmp(kind->name, name) != 0)
		kind++;
	return kind->name ? kind : NULL;
}

/* ---- triggers ---- */

#define SIZE_MIN (1u << 14) /* least number of threads that fit in a histogram; each takes some 200 bytes */
#define SIZE_MAX_BITS 17    /* TRACING_MAP_BITS_MAX */
#define TRY_US 1000
#define RENEW_US 1000000

/* A text to write to a file of tracefs, and the text that undoes it.  All owned. */
struct line {
	char *file, *text, *undo;
};

struct rec_trigger {
	char *event;      /* owned */
	GPtrArray *lines; /* of struct line: the event, the histograms, three lines that use the event */
	unsigned size;    /* elements of a histogram */
	uint64_t made;    /* threads made since boot when the histograms were empty */
	gint64 renewed;   /* µs: last check of that number */
};

#define FIRST_HISTOGRAM 1
#define BEHIND_HISTOGRAMS(lines) ((lines)->len - 3)

/* ---- lines ---- */

static void free_line(gpointer data)
{
	struct line *l = data;

	g_free(l->file);
	g_free(l->text);
	g_free(l->undo);
	g_free(l);
}

/* Add a line.  Takes FILE and TEXT; UNDO NULL: TEXT with '!' before it. */
static void trigger_add(GPtrArray *lines, char *file, char *text, const char *undo)
{
	struct line l = { file, text, undo ? g_strdup(undo) : g_strconcat("!", text, NULL) };

	g_ptr_array_add(lines, g_memdup2(&l, sizeof l));
}

static bool has_key(const struct rec_step *step)
{
	return step->by == REC_BY_FIELD || step->by == REC_BY_THREAD;
}

static const char *trigger_key_of(const struct rec_step *step)
{
	return step->by == REC_BY_FIELD     ? step->field
		: step->by == REC_BY_THREAD ? "common_pid"
					    : "common_cpu";
}

/* Add a histogram with the action DOES on the event of STEP in the instance WATCH. */
static void add_histogram(GPtrArray *lines, const char *watch, const struct rec_step *step, unsigned size,
	const char *does)
{
	/* The idle thread has no cases; for prev_state see meter_on_event() in rec_meter.c. */
	static const char *const states[] = { [REC_ALWAYS] = "",
		[REC_RUNNABLE] = " && !(prev_state & 255)",
		[REC_BLOCKED] = " && prev_state & 255" };
	g_autofree char *condition = step->by == REC_BY_FIELD
		? g_strdup_printf(" if %s != 0%s", step->field, states[step->when])
		: g_strdup("");
	char *file = g_strdup_printf("%s/events/%s/trigger", watch, step->event);

	g_strdelimit(file, ":", '/');
	trigger_add(lines, file,
		g_strdup_printf("hist:keys=%s:%s:size=%u:clock=mono%s", trigger_key_of(step), does, size,
			condition),
		NULL);
}

/* Add the lines of the steps of KIND that use the variable of the step BEGIN. */
static void add_uses(GPtrArray *lines, const char *watch, const char *event, const struct rec_kind *kind,
	unsigned begin, unsigned size)
{
	g_autofree char *from = g_strdelimit(g_strdup(kind->steps[begin].event), ":", '.');

	for (unsigned i = 0; i < REC_STEPS_MAX && kind->steps[i].event; i++) {
		const struct rec_step *step = &kind->steps[i];
		g_autofree char *does = NULL;

		if (i == begin)
			continue;
		if (step->what != REC_END)
			does = g_strdup_printf("g%u%u=common_timestamp-$v%u", begin, i, begin);
		else if (has_key(step))
			does = g_strdup_printf("k%u=%s,l%u=common_timestamp-$v%u:onmatch(%s).%s($l%u,$k%u)",
				begin, trigger_key_of(step), begin, begin, from, event, begin, begin);
		else
			does = g_strdup_printf("l%u=common_timestamp-$v%u:onmatch(%s).%s($l%u)", begin, begin,
				from, event, begin);
		/* event_hist_trigger() reads the variable before it needs an element: 128 do, even if all are
		 * in use. */
		add_histogram(lines, watch, step, step->what == REC_END ? size : 128, does);
	}
}

/* Return the lines for KIND and LIMIT (ns).  FILTER: further conditions of the event.  NULL if triggers
 * cannot measure KIND. */
static GPtrArray *lines_for(const char *name, const char *event, const struct rec_kind *kind, int64_t limit,
	unsigned size, const char *filter)
{
	const struct rec_step *steps = kind->steps;
	g_autofree char *over = g_strdup_printf("lat > %" PRId64 "%s", limit, filter),
			*watch = g_strconcat("instances/", name, REC_TRIGGER_WATCH, NULL),
			*away = g_strconcat("!", event, NULL);
	GPtrArray *lines;

	if (steps[0].by == REC_BY_SECTOR)
		return NULL;
	lines = g_ptr_array_new_with_free_func(free_line);
	trigger_add(lines, g_strdup("synthetic_events"),
		g_strdup_printf("%s u64 lat%s", event, has_key(steps) ? "; pid_t key" : ""), away);
	for (unsigned i = 0; i < REC_STEPS_MAX && steps[i].event; i++)
		if (steps[i].what == REC_BEGIN) {
			g_autofree char *does = g_strdup_printf("v%u=common_timestamp", i);

			add_histogram(lines, watch, &steps[i], size, does);
		}
	for (unsigned i = 0; i < REC_STEPS_MAX && steps[i].event; i++)
		if (steps[i].what == REC_BEGIN)
			add_uses(lines, watch, event, kind, i, size);
	trigger_add(lines, g_strdup_printf("%s/events/synthetic/%s/filter", watch, event), g_strdup(over),
		"0");
	trigger_add(lines, g_strdup_printf("%s/events/synthetic/%s/enable", watch, event), g_strdup("1"),
		"0");
	trigger_add(lines, g_strdup_printf("instances/%s/events/synthetic/%s/trigger", name, event),
		g_strdup_printf("traceoff if %s", over), NULL);
	return lines;
}

/* "wakepath-1-2" → "wakepath_1_2"; the caller frees. */
static char *trigger_event_of(const char *name)
{
	return g_strdelimit(g_strdup(name), "-", '_');
}

/* ---- in the kernel ---- */

/* Append only: truncating would remove the lines of others, such as all synthetic events. */
static bool trigger_put(const char *file, const char *text)
{
	return tracefs_instance_file_append(NULL, file, text) >= 0;
}

static bool is_on(const char *file)
{
	char *text = tracefs_instance_file_read(NULL, file, NULL);
	bool on = text && *text == '1';

	free(text);
	return on;
}

/* Undo the lines in reverse order: users go before the lines that they use. */
static void take_away(GPtrArray *lines, unsigned from, unsigned to)
{
	while (to-- > from) {
		const struct line *l = lines->pdata[to];

		trigger_put(l->file, l->undo);
	}
}

/* Write all lines, or none. */
static bool trigger_set_up(GPtrArray *lines, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		const struct line *l = lines->pdata[i];

		if (trigger_put(l->file, l->text))
			continue;
		take_away(lines, from, i);
		return false;
	}
	return true;
}

/*
 * True if a traceoff trigger switches its own instance.  Before Linux 5.17 it switches the top instance,
 * which belongs to somebody else (traceoff_trigger() in kernel/trace/trace_events_trigger.c).  The test does
 * not change the top instance: it switches NAME-watch to the state that the top instance has already.
 */
static bool can_switch(const char *name)
{
	g_autofree char *state = g_strdup_printf("instances/%s" REC_TRIGGER_WATCH "/tracing_on", name),
			*file = g_strdup_printf("instances/%s" REC_TRIGGER_WATCH
						"/events/sched/sched_switch/trigger",
				name);
	bool top = is_on("tracing_on"), ok;

	ok = trigger_put(state, top ? "0" : "1") && trigger_put(file, top ? "traceon" : "traceoff");
	g_usleep(TRY_US); /* this thread leaves its CPU */
	trigger_put(file, top ? "!traceon" : "!traceoff");
	return ok && is_on(state) == top && trigger_put(state, "1");
}

/* ---- threads ---- */

/* Count the threads made since boot, and those that exist now.  False: unknown. */
static bool count_threads(uint64_t *made, uint64_t *now)
{
	g_autofree char *load = NULL, *stat = NULL;
	const char *at;

	if (!g_file_get_contents("/proc/loadavg", &load, NULL, NULL) ||
		!g_file_get_contents("/proc/stat", &stat, NULL, NULL))
		return false;
	at = strstr(stat, "\nprocesses ");
	*made = at ? g_ascii_strtoull(at + strlen("\nprocesses "), NULL, 10) : 0;
	return at && sscanf(load, "%*s %*s %*s %*u/%" SCNu64, now) == 1;
}

/* Return a filter that excludes the threads of this process; the caller frees. */
static char *not_own(const struct rec_kind *kind)
{
	GString *filter = g_string_new(NULL);
	GDir *dir = has_key(kind->steps) ? g_dir_open("/proc/self/task", 0, NULL) : NULL;
	const char *thread;

	while (dir && (thread = g_dir_read_name(dir)))
		g_string_append_printf(filter, " && key != %s", thread);
	if (dir)
		g_dir_close(dir);
	return g_string_free(filter, FALSE);
}

/* ---- life ---- */

static bool trigger_begin(struct rec_trigger *t, const char *name, const struct rec_until *until)
{
	const struct rec_kind *kind = rec_kinds_find(until->kind);
	g_autofree char *own = not_own(kind), *instance = g_strconcat("instances/", name, NULL);
	uint64_t threads;

	if (!tracefs_file_exists(NULL, "synthetic_events") || !tracefs_dir_exists(NULL, instance) ||
		!count_threads(&t->made, &threads))
		return false;
	for (t->size = SIZE_MIN; t->size < 2 * threads; t->size *= 2)
		if (t->size >> SIZE_MAX_BITS)
			return false;
	t->lines = lines_for(name, t->event, kind, until->limit, t->size, own);
	return t->lines && can_switch(name) && trigger_set_up(t->lines, 0, t->lines->len);
}

struct rec_trigger *rec_trigger_new(const char *name, const struct rec_until *until)
{
	struct rec_trigger *t = g_new0(struct rec_trigger, 1);

	t->event = trigger_event_of(name);
	t->renewed = g_get_monotonic_time();
	if (!trigger_begin(t, name, until))
		g_clear_pointer(&t, rec_trigger_free);
	return t;
}

const char *rec_trigger_event(const struct rec_trigger *t)
{
	return t->event;
}

/* Empty the histograms when SIZE / 2 threads were made: the other half of the elements was for the threads
 * that existed before.  Open cases are dropped. */
bool rec_trigger_renew(struct rec_trigger *t)
{
	uint64_t made, now;
	unsigned end = BEHIND_HISTOGRAMS(t->lines);

	if (g_get_monotonic_time() - t->renewed < RENEW_US || !count_threads(&made, &now))
		return true;
	t->renewed = g_get_monotonic_time();
	if (made - t->made < t->size / 2)
		return true;
	t->made = made;
	take_away(t->lines, FIRST_HISTOGRAM, end);
	return trigger_set_up(t->lines, FIRST_HISTOGRAM, end);
}

void rec_trigger_free(struct rec_trigger *t)
{
	if (t->lines) {
		take_away(t->lines, 0, t->lines->len);
		g_ptr_array_unref(t->lines);
	}
	g_free(t->event);
	g_free(t);
}

/* Undo the lines of all kinds: the kind is unknown, and undoing a line that does not exist is harmless. */
void rec_trigger_clean(const char *watch)
{
	g_autofree char *name = g_strndup(watch, strlen(watch) - strlen(REC_TRIGGER_WATCH)),
			*event = trigger_event_of(name);

	for (const struct rec_kind *kind = rec_kinds; kind->name; kind++) {
		GPtrArray *lines = lines_for(name, event, kind, 0, SIZE_MIN, "");

		if (!lines)
			continue;
		take_away(lines, 0, lines->len);
		g_ptr_array_unref(lines);
	}
}

/* ---- by hand ---- */

bool rec_trigger_tell(const char *name, const struct rec_until *until, bool away, GString *out)
{
	const struct rec_kind *kind = until->kind ? rec_kinds_find(until->kind) : NULL;
	g_autofree char *event = trigger_event_of(name),
			*watch = g_strconcat("$T/instances/", name, REC_TRIGGER_WATCH, "\n", NULL);
	GPtrArray *lines = kind ? lines_for(name, event, kind, until->limit, SIZE_MIN, "") : NULL;

	if (!lines)
		return false;
	if (!away)
		g_string_append_printf(out, "mkdir %s", watch);
	for (unsigned i = 0; i < lines->len; i++) {
		const struct line *l = lines->pdata[away ? lines->len - 1 - i : i];

		g_string_append_printf(out, "echo '%s' >> $T/%s\n", away ? l->undo : l->text, l->file);
	}
	if (away)
		g_string_append_printf(out, "rmdir %s", watch);
	g_ptr_array_unref(lines);
	return true;
}
