/* SPDX-License-Identifier: MIT */
/*
 * How it works: two rings of the kernel, of which one records.  A meter (rec_meter.c) measures all cases of the
 * triggers' kinds.  When one is over its limit, the other ring begins to record, this one stops, and a thread saves
 * it; so no event is missed, and a hit that comes meanwhile waits until a ring is free.  The kernel could find
 * latencies over a limit by itself (rec_trigger.c), but tells no others, of which the distribution, relative limits
 * and typical cases are made.
 *
 * Typical: a case between the quartiles of all cases of the trigger, saved in the same way when the ring has recorded
 * for a while after a hit: the same load, and no hit.
 *
 * All times are by CLOCK_MONOTONIC, which no one sets and which stands still while the machine is suspended; the wall
 * clock is only written down.  The rings have all possible CPUs, so one that comes or goes changes nothing.
 */
#include "record/rec_watch.h"

#include "base/base_error.h"
#include "base/base_memory.h"
#include "base/base_stop.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "model/event/wanted.h"
#include "record/rec.h"
#include "record/rec_command.h"
#include "record/rec_dat.h"
#include "record/rec_keep.h"
#include "record/rec_meter.h"
#include "record/rec_ring.h"
#include "record/rec_tracefs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define LOOK_US 20000
#define PAUSED_US 200000
#define SEEN_US (600 * G_USEC_PER_SEC) /* between two lines of what was seen */
#define COUNT_US 1000000               /* between two looks at the number of events */
#define TYPICAL_US 300000              /* that the ring has recorded before a typical case */
#define HOLD_MOST_US 250000            /* that a hit waits for cases that may become hits, too */
#define MARGIN INT64_C(50000000)       /* ns before it is overwritten, at which it is saved */
#define TYPICAL_WAIT_US \
	(10 * G_USEC_PER_SEC) /* in which a typical case waits for cases that may become hits */
#define OPEN_FEW 64           /* more cases that are open for long say nothing: sleepers */
#define FAMILIAR 1000         /* cases before a relative limit means something */
#define FAMILIAR_TYPICAL 50
#define RING_LEAST (UINT64_C(64) << 10) /* bytes of a CPU */
#define RING (UINT64_C(4) << 20)
#define SHARE_OF_MEMORY 32        /* of the rings of a sort */
#define NAMES (UINT64_C(1) << 20) /* bytes: names of threads in a recording, at most about */

/* What a trigger met and is not saved. */
struct pending {
	struct rec_case worst; /* LATENCY 0: nothing */
	uint64_t cases;
	int64_t limit;
	gint64 since; /* µs: of the first one */
};

struct trigger {
	struct rec_until until;
	unsigned number;         /* in the manifest */
	struct watch_seen *seen; /* owned: since the last line, */
	struct watch_seen *all;  /* … and at all */
	uint64_t over, lost;     /* since the last line */
	struct pending pending;
	gint64 saved;             /* µs: when a hit was saved last, or told; 0: never */
	uint64_t without_typical; /* number of a hit that has no typical case; 0: none */
	int64_t low, high;        /* quartiles, ns; HIGH 0: not known yet */
	struct rec_case typical;  /* of the last look; LATENCY 0: none */
};

/* A ring that is being saved. */
struct save {
	GThread *thread; /* NULL: none */
	gint done;
	struct rec_ring *ring;  /* weak */
	const GByteArray *head; /* weak */
	char *path;             /* owned */
	GArray *hits;           /* of struct watch_hit, without files; owned */
	int64_t started;        /* ns of CLOCK_MONOTONIC: the ring's first event, unless it was overwritten */
	int64_t begin;
	bool ok;
	GError *problem;
};

struct watch {
	const struct rec_watch_wish *wish;
	struct rec_watch_result *result;
	char *name; /* owned */
	unsigned cpus, active;
	uint64_t buffer;
	struct rec_ring *rings[2]; /* owned */
	GPtrArray *events[3];      /* by level; owned */
	GByteArray *heads[3];      /* by level; owned; NULL: not needed yet */
	struct rec_meter *meter;   /* owned */
	struct rec_keep *keep;     /* owned; NULL: nothing is kept */
	struct trigger *triggers;
	GArray *cases;
	struct save save;
	gint64 started, turned, told, counted; /* µs: it; the active ring; the last lines; the last count */
	gint64 told_wall;                      /* ns: when the last lines were written */
	uint64_t events_before, meter_before;  /* of rings that were cleared */
	uint64_t meter_lost;
	struct rec_budget budget;
	bool disk_said;
};

static int64_t wall_now(void)
{
	return g_get_real_time() * 1000;
}

/* ---- words ---- */

/* Tell the user, and the manifest. */
static void watch_say(struct watch *w, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void watch_say(struct watch *w, const char *format, ...)
{
	g_autofree char *text = NULL, *clean = NULL, *fields = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	clean = base_text_clean(text, -1);
	if (w->wish->say)
		w->wish->say(w->wish->context, clean);
	fields = g_strdup_printf("\twall=%" PRId64 "\ttext=%s", wall_now(), clean);
	if (w->keep)
		(void)!rec_keep_line(w->keep, "said", fields, NULL);
}

/* A line of the manifest was not written: once, as it is kept and tried again. */
static void told_or_said(struct watch *w, bool ok, GError *problem)
{
	if (ok)
		w->disk_said = false;
	else if (!w->disk_said) {
		w->disk_said = true;
		if (w->wish->say)
			w->wish->say(w->wish->context, problem->message);
	}
	g_clear_error(&problem);
}

static void watch_line(struct watch *w, const char *word, const char *fields)
{
	GError *problem = NULL;

	if (w->keep)
		told_or_said(w, rec_keep_line(w->keep, word, fields, &problem), problem);
}

/* What was seen since the last lines. */
static void tell_seen(struct watch *w)
{
	int64_t to = MAX(wall_now(), w->told_wall); /* the wall clock may be set back */

	for (unsigned i = 0; w->keep && i < w->wish->n; i++) {
		struct trigger *t = &w->triggers[i];
		g_autoptr(GString) fields = g_string_new(NULL);

		g_string_append_printf(fields,
			"\ttrigger=%s\tfrom=%" PRId64 "\tto=%" PRId64 "\tover=%" PRIu64 "\tlost=%" PRIu64
			"\tclasses=",
			w->wish->texts[i], (int64_t)w->told_wall, to, t->over, t->lost);
		watch_seen_text(t->seen, fields);
		watch_line(w, "seen", fields->str);
		*t->seen = (struct watch_seen){ .count = 0 };
		t->over = t->lost = 0;
	}
	w->told_wall = to;
	w->told = g_get_monotonic_time();
}

/* ---- cases ---- */

static void set_limits(struct watch *w)
{
	for (unsigned i = 0; i < w->wish->n; i++) {
		struct trigger *t = &w->triggers[i];

		if (t->all->count >= FAMILIAR_TYPICAL) {
			t->low = watch_seen_quantile(t->all, 0.25);
			t->high = watch_seen_quantile(t->all, 0.75);
		}
		if (t->until.times <= 0 || t->all->count < FAMILIAR)
			continue;
		t->until.limit = (int64_t)MIN(t->until.times *
				(double)watch_seen_quantile(t->all, t->until.quantile),
			(double)(INT64_MAX / 4));
		rec_meter_set_limit(w->meter, i, t->until.limit);
	}
}

/* The hit of C, without a recording. */
static struct watch_hit hit_of(struct watch *w, const struct trigger *t, const struct rec_case *c,
	uint64_t number)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/comm", c->tid);
	char *name = NULL;
	struct watch_hit h = { .number = number,
		.wall = wall_now() - MAX(g_get_monotonic_time() * 1000 - c->end, 0),
		.time = c->end,
		.value = c->latency,
		.tid = c->tid,
		.cpu = c->cpu,
		.cases = 1,
		.trigger = t->number };

	/* A thread that has ended has no name any more; the recording may have it. */
	if (c->tid > 0 && g_file_get_contents(path, &name, NULL, NULL))
		g_strchomp(name);
	h.name = g_string_chunk_insert_const(rec_keep_manifest(w->keep)->texts, name ? name : "");
	g_free(name);
	return h;
}

/* True if C ended before the rings were turned, so that it belongs to the hits that are being saved. */
static bool is_being_saved(struct watch *w, const struct rec_case *c)
{
	const struct trigger *t = &w->triggers[c->of];

	if (!w->save.thread || c->end >= w->turned * 1000)
		return false;
	for (guint i = 0; i < w->save.hits->len; i++) {
		struct watch_hit *h = &g_array_index(w->save.hits, struct watch_hit, i), worse;

		if (h->typical || h->trigger != t->number)
			continue;
		h->cases++;
		if (c->latency > h->value) {
			worse = hit_of(w, t, c, h->number);
			worse.cases = h->cases;
			worse.limit = h->limit;
			*h = worse;
		}
		return true;
	}
	return false;
}

static void watch_take(struct watch *w, const struct rec_case *c)
{
	struct trigger *t = &w->triggers[c->of];

	w->result->cases++;
	watch_seen_add(t->seen, c->latency, 1);
	watch_seen_add(t->all, c->latency, 1);
	if (c->latency > t->until.limit) {
		t->over++;
		if (is_being_saved(w, c))
			return;
		if (t->pending.cases++ == 0)
			t->pending.since = g_get_monotonic_time();
		t->pending.limit = t->until.limit;
		if (c->latency > t->pending.worst.latency)
			t->pending.worst = *c;
	} else if (c->latency >= t->low && c->latency <= t->high)
		t->typical = *c;
}

static bool look_at_cases(struct watch *w, GError **error)
{
	uint64_t lost;

	set_limits(w);
	g_array_set_size(w->cases, 0);
	for (unsigned i = 0; i < w->wish->n; i++)
		w->triggers[i].typical.latency = 0;
	if (!rec_meter_poll(w->meter, w->cases, error))
		return false;
	for (guint i = 0; i < w->cases->len; i++)
		watch_take(w, &g_array_index(w->cases, struct rec_case, i));
	lost = rec_meter_lost(w->meter) - w->meter_lost;
	w->meter_lost += lost;
	for (unsigned i = 0; i < w->wish->n; i++)
		w->triggers[i].lost += lost;
	return true;
}

/* ---- saving ---- */

static gpointer save_work(gpointer data)
{
	struct save *s = data;

	s->ok = rec_ring_save(s->ring, s->head, s->path, &s->begin, &s->problem);
	g_atomic_int_set(&s->done, 1);
	return NULL;
}

/* The events of the active ring and of the meter so far. */
static uint64_t count_events(struct watch *w)
{
	uint64_t events, bytes;
	int64_t whole;

	rec_ring_count(w->rings[w->active], &events, &bytes, &whole);
	return w->events_before + events + w->meter_before + rec_meter_count(w->meter);
}

static const GByteArray *head_of(struct watch *w)
{
	GByteArray **head = &w->heads[w->budget.level];

	if (!*head)
		*head = rec_dat_head(w->events[w->budget.level]);
	return *head;
}

/* The other ring goes on; this one is saved for HITS (taken), whose first one gives the name. */
static void turn(struct watch *w, GArray *hits)
{
	const struct watch_hit *first = &g_array_index(hits, struct watch_hit, 0);
	struct rec_ring *now = w->rings[w->active], *next = w->rings[!w->active];
	uint64_t events, bytes;
	int64_t whole;

	rec_ring_record(next, true);
	rec_ring_record(now, false);
	rec_ring_count(now, &events, &bytes, &whole);
	w->events_before += events;
	w->active = !w->active;
	w->save = (struct save){ .ring = now,
		.head = head_of(w),
		.path = rec_keep_path(w->keep, first->number, first->typical),
		.hits = hits,
		.started = w->turned * 1000 };
	w->turned = g_get_monotonic_time();
	w->save.thread = base_memory_thread("wakepath-save", save_work, &w->save);
}

/* Bytes that a recording of the active ring takes. */
static uint64_t size_of_save(struct watch *w)
{
	uint64_t events, bytes;
	int64_t whole;

	rec_ring_count(w->rings[w->active], &events, &bytes, &whole);
	return head_of(w)->len + NAMES + (uint64_t)w->cpus * 65536 + bytes;
}

/* Move what is pending of all triggers into HITS (of struct watch_hit).  True if a recording is wanted for any. */
static bool take_pending(struct watch *w, GArray *hits)
{
	gint64 now = g_get_monotonic_time();
	uint64_t number = rec_keep_manifest(w->keep)->last;
	bool wanted = false;

	for (unsigned i = 0; i < w->wish->n; i++) {
		struct trigger *t = &w->triggers[i];
		struct watch_hit h;

		if (t->pending.worst.latency == 0 ||
			(t->saved > 0 && (now - t->saved) * 1000 < w->wish->every))
			continue;
		h = hit_of(w, t, &t->pending.worst, ++number);
		h.cases = t->pending.cases;
		h.limit = t->pending.limit;
		g_array_append_val(hits, h);
		wanted = wanted || rec_keep_wants(w->keep, t->number, h.value);
		t->saved = now;
		t->pending = (struct pending){ .cases = 0 };
	}
	/* (What comes too early after a saved one is in the sums alone.) */
	for (unsigned i = 0; i < w->wish->n; i++)
		w->triggers[i].pending = (struct pending){ .cases = 0 };
	return wanted;
}

/* Write HITS, which have no recording, into the manifest. */
static void tell_hits(struct watch *w, const GArray *hits)
{
	for (guint i = 0; i < hits->len; i++) {
		GError *problem = NULL;

		told_or_said(w, rec_keep_hit(w->keep, &g_array_index(hits, struct watch_hit, i), &problem),
			problem);
		w->result->hits++;
	}
}

/* True if there is room for a recording of HITS. */
static bool has_room(struct watch *w, const GArray *hits)
{
	const struct watch_hit *h = &g_array_index(hits, struct watch_hit, 0);

	if (rec_keep_room(w->keep, size_of_save(w), h->trigger, h->value))
		return true;
	if (!w->disk_said)
		watch_say(w,
			"a hit has no recording: worse ones, or the size of one, take all that --disk allows");
	w->disk_said = true;
	return false;
}

static void save_hits(struct watch *w)
{
	GArray *hits = g_array_new(FALSE, FALSE, sizeof(struct watch_hit));

	if (take_pending(w, hits) && has_room(w, hits)) {
		turn(w, hits);
		return;
	}
	tell_hits(w, hits);
	g_array_unref(hits);
}

/* True if a case is open that may become a hit, or is one: if the rings turned now, its begin would be in another
 * recording than its end. */
static bool may_become_hit(const struct watch *w)
{
	for (unsigned i = 0; i < w->wish->n; i++) {
		int64_t limit = w->triggers[i].until.limit;
		unsigned open = limit == INT64_MAX
			? 0
			: rec_meter_open(w->meter, i, limit / 10, MIN(limit, INT64_MAX / 8) * 4);

		if (open > 0 && open <= OPEN_FEW)
			return true;
	}
	return false;
}

/* Save a typical case for a hit that has none. */
static void save_typical(struct watch *w)
{
	for (unsigned i = 0; i < w->wish->n; i++) {
		struct trigger *t = &w->triggers[i];
		struct watch_hit h;
		GArray *hits;

		if (!t->without_typical || t->typical.latency == 0 ||
			g_get_monotonic_time() - w->turned < TYPICAL_US ||
			(g_get_monotonic_time() - t->saved < TYPICAL_WAIT_US && may_become_hit(w)))
			continue;
		h = hit_of(w, t, &t->typical, t->without_typical);
		h.typical = true;
		t->without_typical = 0;
		/* It makes no worse hit go. */
		if (!rec_keep_room(w->keep, size_of_save(w), t->number, 0))
			continue;
		hits = g_array_new(FALSE, FALSE, sizeof(struct watch_hit));
		g_array_append_val(hits, h);
		turn(w, hits);
		return;
	}
}

/* The recording is there, or cannot be. */
static void end_save(struct watch *w)
{
	struct save *s = &w->save;
	g_autofree char *file = g_path_get_basename(s->path);

	g_thread_join(g_steal_pointer(&s->thread));
	if (!s->ok)
		watch_say(w, "a hit has no recording: %s", s->problem->message);
	for (guint i = 0; i < s->hits->len; i++) {
		struct watch_hit *h = &g_array_index(s->hits, struct watch_hit, i);

		if (s->ok) {
			h->file = g_strdup(file);
			h->whole = h->time - h->value >= MAX(s->begin, s->started);
			w->result->kept += !h->typical;
		}
		for (unsigned t = 0; s->ok && !h->typical && t < w->wish->n; t++)
			if (w->triggers[t].number == h->trigger)
				w->triggers[t].without_typical = h->number;
	}
	if (s->ok || !g_array_index(s->hits, struct watch_hit, 0).typical) {
		uint64_t before = w->result->hits;

		tell_hits(w, s->hits);
		if (g_array_index(s->hits, struct watch_hit, 0).typical)
			w->result->hits = before;
	}
	rec_keep_prune(w->keep);
	g_clear_error(&s->problem);
	g_array_unref(s->hits);
	g_free(s->path);
	*s = (struct save){ .thread = NULL };
}

/* True if what is pending waits for a case that is open, so that one recording has both. */
static bool is_held(const struct watch *w)
{
	gint64 now = g_get_monotonic_time();
	uint64_t events, bytes;
	int64_t whole;

	if (!may_become_hit(w))
		return false;
	rec_ring_count(w->rings[w->active], &events, &bytes, &whole);
	for (unsigned i = 0; i < w->wish->n; i++) {
		const struct pending *p = &w->triggers[i].pending;

		/* Its begin must not be overwritten meanwhile. */
		if (p->worst.latency > 0 &&
			(now - p->since >= MIN(p->limit / 1000 * 2, HOLD_MOST_US) ||
				p->worst.end - p->worst.latency < whole + MARGIN))
			return false;
	}
	return true;
}

static bool has_pending(const struct watch *w)
{
	for (unsigned i = 0; i < w->wish->n; i++)
		if (w->triggers[i].pending.worst.latency > 0)
			return true;
	return false;
}

static void look_at_saves(struct watch *w)
{
	if (w->save.thread && g_atomic_int_get(&w->save.done))
		end_save(w);
	if (!w->keep || w->save.thread)
		return;
	if (has_pending(w) && !is_held(w))
		save_hits(w);
	else if (!has_pending(w))
		save_typical(w);
}

/* ---- the budget ---- */

/* Record at the level of the budget; BEFORE: the one until now. */
static bool set_level(struct watch *w, enum rec_level before, GError **error)
{
	enum rec_level level = w->budget.level;
	g_autofree char *fields = g_strdup_printf("\twall=%" PRId64 "\tname=%s", wall_now(),
				rec_budget_name(level)),
			*share = g_strdup_printf("%.2f %%", 100 * w->budget.share);
	bool ok = true;

	if (w->save.thread)
		end_save(w);
	w->events_before = count_events(w) - w->meter_before - rec_meter_count(w->meter);
	for (unsigned i = 0; i < 2; i++)
		rec_ring_record(w->rings[i], false);
	for (unsigned i = 0; i < 2 && ok; i++) {
		if (before != REC_LEVEL_PAUSED)
			ok = rec_ring_enable(w->rings[i], w->events[before], false, error);
		if (ok && level != REC_LEVEL_PAUSED)
			ok = rec_ring_enable(w->rings[i], w->events[level], true, error);
		rec_ring_clear(w->rings[i]);
	}
	if (!ok)
		return false;
	if (level == REC_LEVEL_PAUSED || before == REC_LEVEL_PAUSED) {
		w->meter_before += level == REC_LEVEL_PAUSED ? rec_meter_count(w->meter) : 0;
		if (!rec_meter_pause(w->meter, level == REC_LEVEL_PAUSED, error))
			return false;
	}
	for (unsigned i = 0; i < w->wish->n; i++) /* their recording is gone */
		w->triggers[i].pending = (struct pending){ .cases = 0 };
	w->turned = g_get_monotonic_time();
	if (level != REC_LEVEL_PAUSED)
		rec_ring_record(w->rings[w->active], true);
	watch_line(w, "level", fields);
	if (level == REC_LEVEL_PAUSED)
		watch_say(w, "it took %s of the CPUs, more than --cpu allows: paused for %.0f s", share,
			(double)(w->budget.until - w->turned) / 1e6);
	else
		watch_say(w, "it took %s of the CPUs: from now on it records %s", share,
			level == REC_LEVEL_ALL           ? "all events again"
				: level == REC_LEVEL_CPU ? "threads, interrupts and timers only"
							 : "switches and the events of the triggers only");
	return true;
}

static bool look_at_budget(struct watch *w, GError **error)
{
	enum rec_level before = w->budget.level;
	gint64 now = g_get_monotonic_time();

	if (now - w->counted < COUNT_US)
		return true;
	w->counted = now;
	w->result->events = count_events(w);
	return !rec_budget_look(&w->budget, w->result->events) || set_level(w, before, error);
}

/* ---- life ---- */

/* The events of each level. */
static void choose_events(struct watch *w)
{
	g_autoptr(GPtrArray) own = rec_meter_events(w->meter);
	const unsigned questions[] = { w->wish->questions, w->wish->questions & MDL_ASKS_CPU };

	for (unsigned level = 0; level < G_N_ELEMENTS(w->events); level++) {
		GPtrArray *events = level < G_N_ELEMENTS(questions)
			? rec_ftrace.events(questions[level])
			: rec_tracefs_events("sched:sched_switch,sched:sched_waking");

		for (guint i = 0; i < own->len; i++)
			if (!g_ptr_array_find_with_equal_func(events, own->pdata[i], g_str_equal, NULL))
				g_ptr_array_add(events, g_strdup(own->pdata[i]));
		w->events[level] = events;
	}
}

static bool open_rings(struct watch *w, GError **error)
{
	for (unsigned i = 0; i < 2; i++) {
		g_autofree char *name = g_strdup_printf("%s-%u", w->name, i);

		w->rings[i] = rec_ring_new(name, w->buffer, w->cpus, w->events[REC_LEVEL_ALL], error);
		if (!w->rings[i])
			return false;
	}
	return true;
}

/* Go on with the distributions of an earlier watch in the same folder. */
static void open_triggers(struct watch *w)
{
	w->triggers = g_new0(struct trigger, w->wish->n);
	for (unsigned i = 0; i < w->wish->n; i++) {
		struct trigger *t = &w->triggers[i];

		t->until = w->wish->untils[i];
		t->seen = g_new0(struct watch_seen, 1);
		t->all = g_new0(struct watch_seen, 1);
		if (!w->keep)
			continue;
		t->number = watch_manifest_trigger(rec_keep_manifest(w->keep), w->wish->texts[i]);
		watch_seen_join(t->all,
			watch_manifest_trigger_at(rec_keep_manifest(w->keep), t->number)->seen);
	}
}

static void tell_start(struct watch *w)
{
	struct utsname u = { .sysname = "" };
	g_autofree char *fields = NULL, *host = NULL, *kernel = NULL;

	uname(&u);
	host = base_text_clean(u.nodename, -1);
	kernel = base_text_clean(u.release, -1);
	w->told_wall = wall_now();
	fields = g_strdup_printf("\twall=%" PRId64 "\thost=%s\tkernel=%s", (int64_t)w->told_wall, host,
		kernel);
	watch_line(w, "start", fields);
}

static bool set_rings(struct watch *w, GError **error)
{
	uint64_t memory = rec_plan_memory(), ring = w->wish->ring;

	w->buffer = ring ? ring / w->cpus : CLAMP(memory / SHARE_OF_MEMORY / w->cpus, RING_LEAST, RING);
	if (w->buffer < RING_LEAST)
		return base_error_false(error, BASE_ERROR_USAGE,
			"--flight: %" PRIu64 " bytes are too few for %u CPU%s: type at least %" PRIu64 "K",
			ring, w->cpus, base_text_s(w->cpus), w->cpus * (RING_LEAST >> 10));
	return ring <= memory / 4 ||
		base_error_false(error, BASE_ERROR_USAGE,
			"--flight: two rings of %" PRIu64
			" MiB are more than half of the free memory: type a smaller size",
			ring >> 20);
}

static bool watch_begin(struct watch *w, GError **error)
{
	const struct rec_watch_wish *wish = w->wish;
	const char *problem = rec_tracefs_problem();

	if (problem) {
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_IO, problem);
		return false;
	}
	w->cpus = (unsigned)MAX(sysconf(_SC_NPROCESSORS_CONF), 1);
	if (!set_rings(w, error))
		return false;
	w->keep = wish->folder ? rec_keep_new(wish->folder, wish->keep, wish->disk, error) : NULL;
	if (wish->folder && !w->keep)
		return false;
	open_triggers(w);
	rec_budget_init(&w->budget, wish->cpu, (unsigned)MAX(sysconf(_SC_NPROCESSORS_ONLN), 1), w->name);
	/* The meter begins last: what it sees is in a ring.  But it knows its events before. */
	w->meter = rec_meter_new(w->name, wish->untils, wish->n, false, error);
	if (!w->meter || !rec_meter_pause(w->meter, true, error))
		return false;
	choose_events(w);
	if (!open_rings(w, error))
		return false;
	w->started = w->turned = w->told = g_get_monotonic_time();
	return (rec_ring_record(w->rings[0], true) ||
		       base_error_false(error, BASE_ERROR_IO, "cannot record in tracefs")) &&
		rec_meter_pause(w->meter, false, error);
}

static bool watch_is_over(const struct watch *w)
{
	const struct rec_watch_wish *wish = w->wish;

	return base_stop_signal() || (wish->ends && wish->ends(wish->context)) ||
		(wish->duration > 0 && (g_get_monotonic_time() - w->started) * 1000 >= wish->duration);
}

static bool watch_go_on(struct watch *w, GError **error)
{
	while (!watch_is_over(w)) {
		g_usleep(w->budget.level == REC_LEVEL_PAUSED ? PAUSED_US : LOOK_US);
		if (w->budget.level != REC_LEVEL_PAUSED && !look_at_cases(w, error))
			return false;
		look_at_saves(w);
		if (g_get_monotonic_time() - w->told >= SEEN_US)
			tell_seen(w);
		if (!look_at_budget(w, error))
			return false;
	}
	return true;
}

/* A hit of the last moment is saved, too. */
static void watch_finish(struct watch *w)
{
	g_autofree char *fields = NULL;

	if (w->budget.level != REC_LEVEL_PAUSED)
		(void)!look_at_cases(w, NULL);
	for (unsigned i = 0; i < 2; i++) {
		if (w->save.thread)
			end_save(w);
		if (w->keep && has_pending(w))
			save_hits(w);
	}
	tell_seen(w);
	fields = g_strdup_printf("\twall=%" PRId64, (int64_t)w->told_wall);
	watch_line(w, "end", fields);
	w->result->events = count_events(w);
}

static void watch_close(struct watch *w)
{
	if (w->meter)
		rec_meter_free(w->meter);
	for (unsigned i = 0; i < 2; i++)
		rec_ring_free(w->rings[i]);
	for (unsigned i = 0; i < G_N_ELEMENTS(w->events); i++) {
		if (w->events[i])
			g_ptr_array_unref(w->events[i]);
		if (w->heads[i])
			g_byte_array_unref(w->heads[i]);
	}
	for (unsigned i = 0; w->triggers && i < w->wish->n; i++) {
		g_free(w->triggers[i].seen);
		g_free(w->triggers[i].all);
	}
	g_free(w->triggers);
	rec_keep_free(w->keep);
	g_array_unref(w->cases);
	g_free(w->name);
}

const char *rec_watch_problem(void)
{
	return rec_tracefs_problem();
}

bool rec_watch_run(const struct rec_watch_wish *wish, struct rec_watch_result *result, GError **error)
{
	struct watch w = { .wish = wish,
		.result = result,
		.name = rec_name_new(),
		.cases = g_array_new(FALSE, FALSE, sizeof(struct rec_case)) };
	g_autoptr(GError) problem = NULL;
	double cpu = 0;
	bool ok;

	*result = (struct rec_watch_result){ .hits = 0 };
	/* An instance that somebody reads from stays; it is no reason not to watch. */
	if (!rec_tracefs_problem() && !rec_ftrace.clean(&problem) && wish->say)
		wish->say(wish->context, problem->message);
	ok = watch_begin(&w, error);
	if (ok) {
		cpu = rec_budget_cpu();
		tell_start(&w);
		if (wish->ready)
			wish->ready(wish->context, &w.budget);
		ok = watch_go_on(&w, error);
		watch_finish(&w);
		result->signal = base_stop_signal();
		result->seconds = (double)(g_get_monotonic_time() - w.started) / 1e6;
		result->cpu = rec_budget_cpu() - cpu;
	}
	watch_close(&w);
	return ok;
}
