/* SPDX-License-Identifier: MIT */
/*
 * How it works: to end a recording, the kernel itself finds the latency if it can, and stops at once
 * (rec_trigger.c).  Otherwise another small ring records the few events of the kinds.  wakepath reads it
 * every few milliseconds and sorts the events of all CPUs by time; those older than the begin of the read are
 * complete.
 *
 * A page of this ring has a mark if events were lost before it.  Then all open cases are dropped: a begin and
 * an end that do not belong together would make a false case.
 *
 * The rings stay open, and their pages are read without libtracefs' iterator, which reopens all of them for
 * each look: that took half a millisecond.
 */
#include "record/rec_meter.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_search.h"
#include "base/base_time.h"
#include "record/rec_tracefs.h"

#include <errno.h>
#include <fcntl.h>
#include <event-parse.h>
#include <kbuffer.h>
#include <string.h>
#include <time.h>
#include <tracefs.h>
#include <unistd.h>

#define RING (4u << 20) /* bytes for each CPU */
#define PAGE_MAX 65536
#define OPEN_MAX 1000000u /* cases; at this number all open cases of the kind are dropped */

/* ---- events ---- */

/* An event that matches a step. */
struct mark {
	uint64_t time; /* ns */
	uint64_t key;
	unsigned of; /* number of the kind */
	enum rec_what what;
	unsigned order; /* order of reading, for marks of the same time */
	int tid;        /* the thread of the case, or of the event */
	unsigned cpu;
};

/* A step of the kind number OF, and the fields of its event. */
struct found {
	const struct rec_step *step;
	unsigned of;
	struct tep_event *event;
	struct tep_format_field *key, *sector, *state; /* NULL: not needed, or the event lacks it */
};

/* A case that began. */
struct begun {
	uint64_t key, time; /* ns */
	int tid;
};

/* A kind that is measured. */
struct measured {
	const struct rec_kind *kind;
	int64_t limit;
	GHashTable *open; /* key → struct begun, owned */
};

struct rec_meter {
	struct measured *kinds;
	unsigned n_kinds;
	struct found *steps;
	unsigned n_steps;
	struct tracefs_instance *instance;
	struct tep_handle *tep;
	struct tep_format_field *pid;  /* common_pid */
	GArray *marks;                 /* of struct mark, not yet processed */
	GArray *cases;                 /* of struct rec_case, weak; NULL outside rec_meter_poll() */
	struct tep_format_field *type; /* common_type: the number of an event */
	int *rings;                    /* of each of CPUS, -1: closed; owned */
	unsigned cpus;
	void *page;                   /* the page of a ring read last; owned */
	struct kbuffer *events;       /* in PAGE; owned */
	uint64_t lost;                /* polls that found lost events */
	uint64_t looked;              /* ns: begin of the last poll */
	struct rec_trigger *trigger;  /* owned; NULL: the ring has the events of the kinds */
	struct tep_format_field *lat; /* of the synthetic event that reports a latency */
};

/* Return the number in FIELD (NULL: 0) of the event with the bytes DATA. */
static uint64_t field_of(struct tep_format_field *field, const void *data)
{
	unsigned long long value = 0;

	if (field)
		tep_read_number_field(field, data, &value);
	return value;
}

/* Add marks for the event with the bytes DATA on CPU. */
static void meter_on_event(struct rec_meter *w, const void *data, uint64_t time, unsigned cpu)
{
	int id = (int)field_of(w->type, data);

	for (const struct found *f = w->steps; f < w->steps + w->n_steps; f++) {
		struct mark m = { time, 0, f->of, f->step->what, w->marks->len, 0, cpu };
		/* prev_state: the reasons to sleep, as bits; 0 or only TASK_REPORT_MAX: preempted. */
		bool runnable = f->event->id == id && (field_of(f->state, data) & 0xff) == 0;

		if (f->event->id != id ||
			(f->step->when != REC_ALWAYS && runnable != (f->step->when == REC_RUNNABLE)))
			continue;
		m.key = f->step->by == REC_BY_CPU ? (uint64_t)cpu + 1 : field_of(f->key, data);
		m.tid = (int)(f->step->by == REC_BY_FIELD ? m.key : field_of(w->pid, data));
		if (f->step->by == REC_BY_SECTOR)
			m.key = m.key << 44 ^ field_of(f->sector, data);
		if (m.key != 0) /* the idle thread has no cases */
			g_array_append_val(w->marks, m);
	}
}

static int meter_by_time(gconstpointer a, gconstpointer b)
{
	const struct mark *x = a, *y = b;

	return BASE_BY(x, y, time) ?: BASE_BY(x, y, order);
}

/* ---- cases ---- */

/* True if case C of K, with KEY, belongs to a thread of this process, so that it must not become a hit. Cases
 * up to the limit are only compared with the main thread: to ask /proc for each is slow. */
static bool is_own(const struct measured *k, const struct rec_case *c, uint64_t key)
{
	enum rec_by by = k->kind->steps[0].by;
	g_autofree char *path = NULL;

	if (by != REC_BY_FIELD && by != REC_BY_THREAD)
		return false;
	if (key == (uint64_t)getpid())
		return true;
	if (c->latency <= k->limit)
		return false;
	path = g_strdup_printf("/proc/self/task/%" G_GUINT64_FORMAT, key);
	return access(path, F_OK) == 0;
}

static void meter_end(struct rec_meter *w, const struct mark *m, const struct begun *begun)
{
	const struct measured *k = &w->kinds[m->of];
	struct rec_case c = { .of = m->of,
		.latency = (int64_t)(m->time - begun->time),
		.end = (int64_t)m->time,
		.tid = k->kind->steps[0].by == REC_BY_CPU ? 0 : begun->tid,
		.cpu = m->cpu };

	if (!is_own(k, &c, m->key))
		g_array_append_val(w->cases, c);
}

static void meter_take(struct rec_meter *w, const struct mark *m)
{
	GHashTable *open = w->kinds[m->of].open;
	const struct begun *begun = g_hash_table_lookup(open, &m->key);

	if (m->what == REC_BEGIN) {
		struct begun b = { m->key, m->time, m->tid };

		if (g_hash_table_size(open) >= OPEN_MAX)
			g_hash_table_remove_all(open);
		g_hash_table_add(open, g_memdup2(&b, sizeof b));
		return;
	}
	if (m->what == REC_END && begun && m->time >= begun->time)
		meter_end(w, m, begun);
	g_hash_table_remove(open, &m->key);
}

/* Process the marks before END in order of time; later ones stay. */
static void take_all(struct rec_meter *w, uint64_t end)
{
	guint n = 0;

	g_array_sort(w->marks, meter_by_time);
	for (; n < w->marks->len && g_array_index(w->marks, struct mark, n).time < end; n++)
		meter_take(w, &g_array_index(w->marks, struct mark, n));
	g_array_remove_range(w->marks, 0, n);
	for (guint i = 0; i < w->marks->len; i++)
		g_array_index(w->marks, struct mark, i).order = i;
}

static void forget_all(struct rec_meter *w)
{
	g_array_set_size(w->marks, 0);
	for (unsigned i = 0; i < w->n_kinds; i++)
		g_hash_table_remove_all(w->kinds[i].open);
}

/* ---- cases that triggers measured ---- */

/* Add the case that the kernel measured, if the bytes DATA are its synthetic event. */
static void on_latency(struct rec_meter *w, const void *data, uint64_t time, unsigned cpu)
{
	struct rec_case c = { .latency = (int64_t)field_of(w->lat, data), .end = (int64_t)time, .cpu = cpu };

	if (w->lat->event->id == (int)field_of(w->type, data))
		g_array_append_val(w->cases, c);
}

static bool begin_triggers(struct rec_meter *w, const char *name, const struct rec_until *until)
{
	static const char *const systems[] = { "synthetic", NULL };
	struct tep_event *event;

	w->trigger = rec_trigger_new(name, until);
	if (!w->trigger)
		return false;
	w->tep = tracefs_local_events_system(NULL, systems);
	event = w->tep ? tep_find_event_by_name(w->tep, systems[0], rec_trigger_event(w->trigger)) : NULL;
	w->lat = event ? tep_find_field(event, "lat") : NULL;
	w->type = event ? tep_find_common_field(event, "common_type") : NULL;
	return w->lat && w->type;
}

/* ---- reading ---- */

static void close_rings(struct rec_meter *w)
{
	for (unsigned i = 0; w->rings && i < w->cpus; i++)
		if (w->rings[i] >= 0)
			close(w->rings[i]);
	g_clear_pointer(&w->rings, g_free);
	g_clear_pointer(&w->page, g_free);
	g_clear_pointer(&w->events, kbuffer_free);
}

/* (O_CLOEXEC: a copy in the recorded command would keep the instance.) */
static bool open_meter_rings(struct rec_meter *w, GError **error)
{
	g_autofree char *instance = rec_tracefs_path(w->instance);

	w->rings = g_new(int, w->cpus);
	for (unsigned i = 0; i < w->cpus; i++)
		w->rings[i] = -1;
	for (unsigned i = 0; i < w->cpus; i++) {
		g_autofree char *path = g_strdup_printf("%s/per_cpu/cpu%u/trace_pipe_raw", instance, i);

		w->rings[i] = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		if (w->rings[i] < 0)
			return base_error_false_errno(error, errno, "cannot read", path);
	}
	w->page = g_malloc0(PAGE_MAX);
	w->events = kbuffer_alloc(sizeof(long) == 8 ? KBUFFER_LSIZE_8 : KBUFFER_LSIZE_4,
		G_BYTE_ORDER == G_BIG_ENDIAN ? KBUFFER_ENDIAN_BIG : KBUFFER_ENDIAN_LITTLE);
	return w->events || base_error_false(error, BASE_ERROR_IO, "cannot read the rings of tracefs");
}

/* Read at least the events that CPU recorded before the poll began.  False: events were lost. */
static bool read_ring(struct rec_meter *w, unsigned cpu)
{
	size_t size = MIN((size_t)sysconf(_SC_PAGESIZE), PAGE_MAX);
	unsigned long long time = 0;
	bool whole = true;

	while (time <= w->looked && BASE_IO_AGAIN(read(w->rings[cpu], w->page, size)) > 0) {
		void *data;

		if (kbuffer_load_subbuffer(w->events, w->page) < 0)
			return false;
		whole = whole && kbuffer_missed_events(w->events) == 0;
		for (data = kbuffer_read_event(w->events, &time); data;
			data = kbuffer_next_event(w->events, &time))
			w->trigger ? on_latency(w, data, time, cpu) : meter_on_event(w, data, time, cpu);
	}
	return whole;
}

/* ---- life ---- */

/* Find the event of STEP, of kind number OF, and its fields.  False: this kernel does not have the event. */
static bool find_step(struct rec_meter *w, unsigned of, const struct rec_step *step)
{
	g_autofree char *system = g_strndup(step->event, strcspn(step->event, ":"));
	struct tep_event *event = tep_find_event_by_name(w->tep, system, strchr(step->event, ':') + 1);
	const char *key = step->by == REC_BY_THREAD ? "common_pid"
		: step->by == REC_BY_SECTOR         ? "dev"
						    : step->field;

	if (!event)
		return false;
	w->pid = tep_find_common_field(event, "common_pid");
	w->type = tep_find_common_field(event, "common_type");
	w->steps = g_renew(struct found, w->steps, w->n_steps + 1);
	w->steps[w->n_steps++] = (struct found){ step, of, event, key ? tep_find_any_field(event, key) : NULL,
		tep_find_field(event, "sector"), tep_find_field(event, "prev_state") };
	return true;
}

static void end_triggers(struct rec_meter *w)
{
	g_clear_pointer(&w->trigger, rec_trigger_free);
	g_clear_pointer(&w->tep, tep_free);
}

static bool begin_polling(struct rec_meter *w, GError **error)
{
	static const char *const systems[] = { "sched", "raw_syscalls", "irq", "block", NULL };
	g_autoptr(GPtrArray) events = NULL;

	end_triggers(w);
	w->tep = tracefs_local_events_system(NULL, systems);
	for (unsigned k = 0; k < w->n_kinds; k++) {
		const struct rec_kind *kind = w->kinds[k].kind;

		for (gsize i = 0; i < REC_STEPS_MAX && kind->steps[i].event; i++)
			if (!w->tep || !find_step(w, k, &kind->steps[i]))
				return base_error_false(error, BASE_ERROR_IO,
					"cannot watch for %s: this kernel does not have its events",
					kind->name);
	}
	events = rec_meter_events(w);
	return rec_tracefs_enable(w->instance, events, true, error);
}

static bool meter_begin(struct rec_meter *w, const char *name, const struct rec_until *ends, GError **error)
{
	g_autofree char *own = g_strconcat(name, REC_TRIGGER_WATCH, NULL),
			*pid = g_strdup_printf("%d", (int)getpid());

	w->instance = rec_tracefs_new(own, RING, error);
	if (!w->instance)
		return false;
	/* Events of wakepath's main thread are not recorded: each read would cause an event to read. */
	tracefs_instance_file_write(w->instance, "set_event_notrace_pid", pid);
	if (!open_meter_rings(w, error) ||
		((!ends || !begin_triggers(w, name, ends)) && !begin_polling(w, error)))
		return false;
	rec_tracefs_record(w->instance, true);
	return true;
}

struct rec_meter *rec_meter_new(const char *name, const struct rec_until *untils, unsigned n, bool ends,
	GError **error)
{
	struct rec_meter *w = g_new0(struct rec_meter, 1);

	*w = (struct rec_meter){ .kinds = g_new0(struct measured, n),
		.n_kinds = n,
		.cpus = (unsigned)MAX(sysconf(_SC_NPROCESSORS_CONF), 1),
		.marks = g_array_new(FALSE, FALSE, sizeof(struct mark)) };
	for (unsigned i = 0; i < n; i++)
		w->kinds[i] = (struct measured){ rec_kinds_find(untils[i].kind), untils[i].limit,
			g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL) };
	if (!meter_begin(w, name, ends ? untils : NULL, error))
		g_clear_pointer(&w, rec_meter_free);
	return w;
}

GPtrArray *rec_meter_events(const struct rec_meter *w)
{
	GPtrArray *events = g_ptr_array_new_with_free_func(g_free);

	for (unsigned k = 0; k < w->n_kinds; k++)
		for (gsize i = 0; i < REC_STEPS_MAX && w->kinds[k].kind->steps[i].event; i++) {
			const char *event = w->kinds[k].kind->steps[i].event;

			if (!g_ptr_array_find_with_equal_func(events, event, g_str_equal, NULL))
				g_ptr_array_add(events, g_strdup(event));
		}
	return events;
}

void rec_meter_set_limit(struct rec_meter *w, unsigned of, int64_t limit)
{
	w->kinds[of].limit = limit;
}

unsigned rec_meter_open(const struct rec_meter *w, unsigned of, int64_t from, int64_t to)
{
	GHashTableIter iter;
	gpointer begun;
	unsigned n = 0;

	g_hash_table_iter_init(&iter, w->kinds[of].open);
	while (g_hash_table_iter_next(&iter, &begun, NULL)) {
		int64_t age = (int64_t)(w->looked - ((const struct begun *)begun)->time);

		n += age >= from && age < to;
	}
	return n;
}

bool rec_meter_pause(struct rec_meter *w, bool pause, GError **error)
{
	g_autoptr(GPtrArray) events = rec_meter_events(w);

	if (pause)
		rec_tracefs_record(w->instance, false);
	if (!rec_tracefs_enable(w->instance, events, !pause, error))
		return false;
	forget_all(w);
	tracefs_instance_file_clear(w->instance, "trace");
	return pause || rec_tracefs_record(w->instance, true);
}

bool rec_meter_poll(struct rec_meter *w, GArray *cases, GError **error)
{
	struct timespec now;
	bool whole = true;

	clock_gettime(CLOCK_MONOTONIC, &now);
	w->looked = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	if (w->trigger && !rec_trigger_renew(w->trigger) && !begin_polling(w, error))
		return false;
	w->cases = cases;
	for (unsigned i = 0; i < w->cpus; i++)
		whole &= read_ring(w, i);
	if (!whole) {
		w->lost++;
		forget_all(w);
	}
	take_all(w, w->looked);
	w->cases = NULL;
	return true;
}

uint64_t rec_meter_lost(const struct rec_meter *w)
{
	return w->lost;
}

uint64_t rec_meter_count(const struct rec_meter *w)
{
	struct rec_tracefs_count c;

	rec_tracefs_count(w->instance, w->cpus, &c);
	return c.read + c.unread + c.overwritten;
}

void rec_meter_free(struct rec_meter *w)
{
	close_rings(w); /* first: an open ring keeps the instance */
	end_triggers(w);
	rec_tracefs_free(w->instance);
	for (unsigned i = 0; i < w->n_kinds; i++)
		g_hash_table_unref(w->kinds[i].open);
	g_free(w->kinds);
	g_free(w->steps);
	g_array_unref(w->marks);
	g_free(w);
}
