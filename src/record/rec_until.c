/* SPDX-License-Identifier: MIT */
/*
 * How it works: the kernel finds the latency by itself and ends the recording at once, where it can
 * (rec_trigger.c).  Else another small ring holds the few events that a kind is measured by.  It is read
 * every few milliseconds; events of all CPUs are put in order by time, and those that are older than the
 * moment at which reading began are complete.
 */
#include "record/rec_until.h"

#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_time.h"
#include "record/rec_tracefs.h"

#include <event-parse.h>
#include <string.h>
#include <time.h>
#include <tracefs.h>
#include <unistd.h>

#define RING (4u << 20)   /* bytes for each CPU */
#define OPEN_MAX 1000000u /* cases; the oldest are forgotten with all others */

/* ---- what is typed ---- */

static bool set_unknown(GError **error)
{
	g_autoptr(GString) names = g_string_new(REC_UNTIL_COMMAND);

	for (const struct rec_kind *kind = rec_kinds; kind->name; kind++)
		g_string_append_printf(names, ", %s", kind->name);
	return base_error_false(error, BASE_ERROR_USAGE,
		"--until takes 'KIND > D' such as 'wakeup > 5ms', and KIND is one of: %s", names->str);
}

bool rec_until_parse(const char *text, struct rec_until *until, GError **error)
{
	g_auto(GStrv) parts = g_strsplit(text, ">", 2);
	const struct rec_kind *kind;

	if (!parts[0] || !parts[1])
		return set_unknown(error);
	g_strstrip(parts[0]);
	g_strstrip(parts[1]);
	kind = rec_kinds_find(parts[0]);
	if (!kind && !g_str_equal(parts[0], REC_UNTIL_COMMAND))
		return set_unknown(error);
	until->kind = kind ? kind->name : REC_UNTIL_COMMAND;
	return base_time_parse_duration(parts[1], &until->limit, error);
}

/* ---- events ---- */

/* An event of a step. */
struct mark {
	uint64_t time; /* ns */
	uint64_t key;
	enum rec_what what;
	unsigned order; /* among those of one time: as they were read */
};

/* A step, and where in its event the fields are. */
struct found {
	const struct rec_step *step;
	struct tep_event *event;
	struct tep_format_field *key, *sector, *state; /* NULL: not needed, or not there */
};

struct rec_watch {
	const struct rec_kind *kind;
	struct found steps[REC_STEPS_MAX];
	unsigned n_steps;
	int64_t limit;
	struct tracefs_instance *instance;
	struct tep_handle *tep;
	GArray *marks;                /* of struct mark, not yet looked at */
	GHashTable *open;             /* uint64_t * → uint64_t *, owned: when the case of a key began */
	int64_t worst;                /* ns, of those since it was asked last */
	struct rec_trigger *trigger;  /* owned; NULL: the ring has the events themselves */
	struct tep_format_field *lat; /* of the event by which the kernel tells of a latency */
};

static uint64_t field_of(struct tep_format_field *field, struct tep_record *record)
{
	unsigned long long value = 0;

	if (field)
		tep_read_number_field(field, record->data, &value);
	return value;
}

static int until_on_event(struct tep_event *event, struct tep_record *record, G_GNUC_UNUSED int cpu,
	void *context)
{
	struct rec_watch *w = context;

	for (const struct found *f = w->steps; f < w->steps + w->n_steps; f++) {
		struct mark m = { record->ts, 0, f->step->what, w->marks->len };
		/* prev_state: bits of why it does not run; 0 or only TASK_REPORT_MAX: it was preempted. */
		bool runnable = f->event == event && (field_of(f->state, record) & 0xff) == 0;

		if (f->event != event ||
			(f->step->when != REC_ALWAYS && runnable != (f->step->when == REC_RUNNABLE)))
			continue;
		m.key = f->step->by == REC_BY_CPU ? (uint64_t)record->cpu + 1 : field_of(f->key, record);
		if (f->step->by == REC_BY_SECTOR)
			m.key = m.key << 44 ^ field_of(f->sector, record);
		if (m.key != 0) /* the idle thread waits for nothing */
			g_array_append_val(w->marks, m);
	}
	return 0;
}

static int until_by_time(gconstpointer a, gconstpointer b)
{
	const struct mark *x = a, *y = b;

	return BASE_BY(x, y, time) ?: BASE_BY(x, y, order);
}

/* ---- cases ---- */

static uint64_t *until_keep(uint64_t number)
{
	return g_memdup2(&number, sizeof number);
}

/* True if the case of KEY is about a thread of this process: its waits do not count. */
static bool is_own(const struct rec_watch *w, uint64_t key)
{
	enum rec_by by = w->kind->steps[0].by;
	g_autofree char *path = g_strdup_printf("/proc/self/task/%" G_GUINT64_FORMAT, key);

	return (by == REC_BY_FIELD || by == REC_BY_THREAD) && access(path, F_OK) == 0;
}

static void until_take(struct rec_watch *w, const struct mark *m)
{
	const uint64_t *begun = g_hash_table_lookup(w->open, &m->key);

	if (m->what == REC_BEGIN) {
		if (g_hash_table_size(w->open) >= OPEN_MAX)
			g_hash_table_remove_all(w->open);
		g_hash_table_replace(w->open, until_keep(m->key), until_keep(m->time));
		return;
	}
	if (m->what == REC_END && begun && (int64_t)(m->time - *begun) > w->worst && !is_own(w, m->key))
		w->worst = (int64_t)(m->time - *begun);
	g_hash_table_remove(w->open, &m->key);
}

/* Those before END, in order; what is later stays. */
static void take_all(struct rec_watch *w, uint64_t end)
{
	guint n = 0;

	g_array_sort(w->marks, until_by_time);
	for (; n < w->marks->len && g_array_index(w->marks, struct mark, n).time < end; n++)
		until_take(w, &g_array_index(w->marks, struct mark, n));
	g_array_remove_range(w->marks, 0, n);
	for (guint i = 0; i < w->marks->len; i++)
		g_array_index(w->marks, struct mark, i).order = i;
}

/* ---- by triggers ---- */

static int on_latency(struct tep_event *event, struct tep_record *record, G_GNUC_UNUSED int cpu,
	void *context)
{
	struct rec_watch *w = context;

	if (event == w->lat->event)
		w->worst = MAX(w->worst, (int64_t)field_of(w->lat, record));
	return 0;
}

static bool begin_triggers(struct rec_watch *w, const char *name, const struct rec_until *until)
{
	static const char *const systems[] = { "synthetic", NULL };
	struct tep_event *event;

	w->trigger = rec_trigger_new(name, until);
	if (!w->trigger)
		return false;
	w->tep = tracefs_local_events_system(NULL, systems);
	event = w->tep ? tep_find_event_by_name(w->tep, systems[0], rec_trigger_event(w->trigger)) : NULL;
	w->lat = event ? tep_find_field(event, "lat") : NULL;
	return w->lat;
}

/* ---- life ---- */

/* Find the event of STEP and its fields. */
static void find_step(struct rec_watch *w, const struct rec_step *step)
{
	g_autofree char *system = g_strndup(step->event, strcspn(step->event, ":"));
	struct tep_event *event = tep_find_event_by_name(w->tep, system, strchr(step->event, ':') + 1);
	const char *key = step->by == REC_BY_THREAD ? "common_pid"
		: step->by == REC_BY_SECTOR         ? "dev"
						    : step->field;

	if (event)
		w->steps[w->n_steps++] = (struct found){ step, event,
			key ? tep_find_any_field(event, key) : NULL, tep_find_field(event, "sector"),
			tep_find_field(event, "prev_state") };
}

static void end_triggers(struct rec_watch *w)
{
	g_clear_pointer(&w->trigger, rec_trigger_free);
	g_clear_pointer(&w->tep, tep_free);
}

static bool begin_polling(struct rec_watch *w, GError **error)
{
	static const char *const systems[] = { "sched", "raw_syscalls", "irq", "block", NULL };
	g_autoptr(GPtrArray) events = g_ptr_array_new_with_free_func(g_free);
	const struct rec_kind *kind = w->kind;

	end_triggers(w);
	w->tep = tracefs_local_events_system(NULL, systems);
	for (gsize i = 0; w->tep && i < REC_STEPS_MAX && kind->steps[i].event; i++) {
		g_ptr_array_add(events, g_strdup(kind->steps[i].event));
		find_step(w, &kind->steps[i]);
	}
	if (!w->tep || w->n_steps < events->len)
		return base_error_false(error, BASE_ERROR_IO,
			"cannot watch for %s: this kernel does not have its events", kind->name);
	return rec_tracefs_enable(w->instance, events, error);
}

static bool until_begin(struct rec_watch *w, const char *name, const struct rec_until *until, GError **error)
{
	g_autofree char *own = g_strconcat(name, REC_TRIGGER_WATCH, NULL),
			*pid = g_strdup_printf("%d", (int)getpid());

	w->instance = rec_tracefs_new(own, RING, error);
	if (!w->instance)
		return false;
	/* wakepath's own threads are not watched: each read would make an event to be read. */
	tracefs_instance_file_write(w->instance, "set_event_notrace_pid", pid);
	if (!begin_triggers(w, name, until) && !begin_polling(w, error))
		return false;
	rec_tracefs_record(w->instance, true);
	return true;
}

struct rec_watch *rec_watch_new(const char *name, const struct rec_until *until, GError **error)
{
	struct rec_watch *w = g_new0(struct rec_watch, 1);

	*w = (struct rec_watch){ .kind = rec_kinds_find(until->kind),
		.limit = until->limit,
		.marks = g_array_new(FALSE, FALSE, sizeof(struct mark)),
		.open = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free) };
	if (!until_begin(w, name, until, error))
		g_clear_pointer(&w, rec_watch_free);
	return w;
}

bool rec_watch_poll(struct rec_watch *w, int64_t *latency, GError **error)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	*latency = w->worst = 0;
	if (w->trigger && !rec_trigger_renew(w->trigger) && !begin_polling(w, error))
		return false;
	tracefs_iterate_raw_events(w->tep, w->instance, NULL, 0, w->trigger ? on_latency : until_on_event, w);
	take_all(w, (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
	*latency = w->worst;
	return w->worst > w->limit;
}

void rec_watch_free(struct rec_watch *w)
{
	end_triggers(w);
	rec_tracefs_free(w->instance);
	g_array_unref(w->marks);
	g_hash_table_unref(w->open);
	g_free(w);
}
