/* SPDX-License-Identifier: MIT */
/*
 * How it works: LTTng can record some processes only (lttng track, lttng_kernel_tracker in lttng-modules). It
 * then records an event if one of them is `current`, so only the switches that remove one of them. The trace
 * does not say so. It shows in switches whose prev is mostly not the next of the switch before on that CPU.
 * Without this check the running thread would be wrong from the first switch on, so it is made before the
 * trace is read.
 *
 * The trace does not say either in which way its kernel writes states (model/kernel/prev.c): only the states
 * show it.
 */
#include "ingest/ing_feed.h"

#include "base/base_search.h"
#include "model/kernel/prev.h"
#include "trace/trc_reader.h"

#define BATCH 1024
/* Most events to read, some tenths of a second. A CPU without a switch among them is unknown up to its first
 * switch. */
#define EVENTS_MAX (1u << 21)
#define PAIRS 64       /* pairs to examine: a switch to a thread and the next switch of that CPU */
#define BROKEN 2       /* if at least BROKEN pairs, … */
#define BROKEN_PART 10 /* … and more than one in BROKEN_PART, do not fit, only some threads are recorded */

/* State of the check that switches fit together. */
struct fit {
	GHashTable *to;    /* CPU → TID of next of its last switch */
	GHashTable *woken; /* TIDs of threads woken since their last switch */
	bool wakes;        /* there are wake-ups */
	unsigned pairs, broken;
	uint32_t cpu; /* of the last pair */
};

static bool tells(const struct mdl_event *e)
{
	return e->kind == MDL_EV_SCHED_SWITCH && !(e->told & MDL_TOLD_OFFLINE) &&
		e->arg[MDL_SWITCH_SINCE] != MDL_ARG_ABSENT && e->arg[MDL_SWITCH_PREV_TID] != MDL_ARG_ABSENT;
}

bool ing_first_lacks(const GArray *firsts, const struct mdl_event *e, uint64_t before)
{
	bool lacks = tells(e) && before < EVENTS_MAX;

	for (guint i = 0; lacks && i < firsts->len; i++)
		lacks = g_array_index(firsts, struct mdl_event, i).cpu != e->cpu;
	return lacks;
}

/* Note the first switch of a CPU. Of several streams (channels), the one that began first shows most. */
static void note(GArray *firsts, GHashTable *cpus, const struct mdl_event *e)
{
	struct mdl_event first = { .time = e->arg[MDL_SWITCH_SINCE], .cpu = e->cpu, .kind = MDL_EV_FIRST };

	if (e->kind == MDL_EV_RUNS &&
		!e->arg[MDL_RUNS_SURE]) /* switches are missing before the first recorded one */
		g_hash_table_add(cpus, GUINT_TO_POINTER(e->cpu));
	if (!tells(e) || !g_hash_table_add(cpus, GUINT_TO_POINTER(e->cpu)))
		return;
	mdl_event_no_args(&first);
	first.arg[MDL_FIRST_TID] = e->arg[MDL_SWITCH_PREV_TID];
	first.text[0] = g_strdup(e->text[0]);
	g_array_append_val(firsts, first);
}

static void first_compare(struct fit *f, const struct mdl_event *e)
{
	gpointer prev = GINT_TO_POINTER((int)e->arg[MDL_SWITCH_PREV_TID]), to, cpu = GUINT_TO_POINTER(e->cpu);

	switch (e->kind) {
	case MDL_EV_GAP_BEGIN:
	case MDL_EV_GAP_END:
	case MDL_EV_HOLE: g_hash_table_remove_all(f->to); return;
	case MDL_EV_RUNS:
		if (!e->arg[MDL_RUNS_SURE])
			g_hash_table_remove_all(f->to);
		return;
	case MDL_EV_SCHED_WAKING:
	case MDL_EV_SCHED_WAKEUP:
	case MDL_EV_SCHED_WAKEUP_NEW:
		f->wakes = true;
		g_hash_table_add(f->woken, GINT_TO_POINTER((int)e->arg[MDL_WAKE_TID]));
		return;
	case MDL_EV_SCHED_SWITCH: break;
	default: return;
	}
	if (e->arg[MDL_SWITCH_PREV_TID] == MDL_ARG_ABSENT || e->arg[MDL_SWITCH_NEXT_TID] == MDL_ARG_ABSENT)
		return;
	if (g_hash_table_lookup_extended(f->to, cpu, NULL, &to)) {
		/* Only switches from idle may be filtered out: then PREV was woken. */
		bool broken = to != prev && (to || (f->wakes && !g_hash_table_contains(f->woken, prev)));

		f->pairs += to || broken;
		f->broken += broken;
		f->cpu = e->cpu; /* any CPU whose first switch was seen */
	}
	g_hash_table_remove(f->woken, prev);
	g_hash_table_insert(f->to, cpu, GINT_TO_POINTER((int)e->arg[MDL_SWITCH_NEXT_TID]));
}

static void tell_fit(const struct fit *f, GArray *firsts)
{
	struct mdl_event e = { .cpu = f->cpu, .kind = MDL_EV_FIRST };

	if (f->broken < BROKEN || f->broken * BROKEN_PART <= f->pairs || firsts->len == 0)
		return;
	e.time = g_array_index(firsts, struct mdl_event, 0).time;
	mdl_event_no_args(&e);
	g_array_prepend_val(firsts, e);
}

/* Put an MDL_EV_FIRST with WAYS before FIRSTS: the ways to write states (model/kernel/prev.c) that fit this
 * trace, which begins at TIME. Nothing if these are ALL ways that its kernel may use. */
static void tell_ways(unsigned ways, unsigned all, int64_t time, GArray *firsts)
{
	struct mdl_event e = { .time = time, .kind = MDL_EV_FIRST };

	if (ways == all || firsts->len == 0)
		return;
	e.cpu = g_array_index(firsts, struct mdl_event, 0).cpu;
	mdl_event_no_args(&e);
	e.arg[MDL_FIRST_WAYS] = ways;
	g_array_prepend_val(firsts, e);
}

static int first_by_time(const void *a, const void *b)
{
	return BASE_BY((const struct mdl_event *)a, (const struct mdl_event *)b, time);
}

GArray *ing_first_find(const struct trc_recording *recording, const char *reader, ing_build_watch watch,
	void *data, GError **error)
{
	GArray *firsts = g_array_new(FALSE, FALSE, sizeof(struct mdl_event));
	GError *problem = NULL;
	struct trc_reader *r = trc_tells_first(recording) ? NULL
							  : trc_reader_open(recording, reader, &problem);
	GHashTable *cpus = g_hash_table_new(NULL, NULL);
	struct fit fit = { .to = g_hash_table_new(NULL, NULL), .woken = g_hash_table_new(NULL, NULL) };
	struct mdl_event events[BATCH];
	unsigned all = r ? trc_reader_cpu_count(r) : 0,
		 some = r ? mdl_prev_ways(trc_reader_info(r)->release) : 0, ways = some;
	int64_t begin = INT64_MAX;
	int n = 1;

	for (unsigned read = 0; r && (g_hash_table_size(cpus) < all || fit.pairs < PAIRS) && n > 0 &&
		read < EVENTS_MAX && !(watch && watch(data, 0, 0));
		read += (unsigned)n) {
		n = trc_reader_read(r, events, BATCH, &problem);
		for (int i = 0; i < n; i++) {
			note(firsts, cpus, &events[i]);
			first_compare(&fit, &events[i]);
			begin = MIN(begin, events[i].time);
			if (events[i].kind == MDL_EV_SCHED_SWITCH && some != MDL_PREV_WAY_PLAIN)
				ways = mdl_prev_learn(ways, events[i].arg[MDL_SWITCH_PREV_TID],
					events[i].arg[MDL_SWITCH_PREV_STATE]);
		}
	}
	g_array_sort(firsts, first_by_time);
	tell_fit(&fit, firsts);
	tell_ways(ways, some, begin, firsts);
	g_hash_table_unref(fit.to);
	g_hash_table_unref(fit.woken);
	g_hash_table_unref(cpus);
	trc_reader_free(r);
	if (!problem)
		return firsts;
	g_propagate_error(error, problem);
	ing_first_free(firsts);
	return NULL;
}

void ing_first_free(GArray *firsts)
{
	for (guint i = 0; firsts && i < firsts->len; i++)
		g_free((char *)(uintptr_t)g_array_index(firsts, struct mdl_event, i).text[0]);
	g_clear_pointer(&firsts, g_array_unref);
}
