/* SPDX-License-Identifier: MIT */
/*
 * How it works: each wait of the index names two events with time and CPU: the switch at its begin and the
 * wake-up at its end. The wanted ones are looked up in the traces in order of time, and the fields of each
 * hold the stack. The time is split into parts with few enough waits, so memory is bounded. The number of
 * different stacks is limited too.
 *
 * Samples of running threads are events of their own. All samples in the window are read in order, and
 * counted by stack and thread.
 */
#include "analysis/stacks/stacks.h"

#include "analysis/kind/chain.h"
#include "analysis/stacks/frames.h"

#include "base/base_search.h"
#include "base/base_time.h"
#include "model/event/counter.h"
#include "model/event/tracer.h"
#include "query/events/events.h"
#include "query/symbols/symbols.h"
#include "query/host/tracer.h"

#include <string.h>

/* Ns; the next event is reached by steps, not by a seek, if it is no further away. */
#define NEAR 10000000
#define LOOK 1024           /* events between two updates of the progress */
#define WAITS_MAX (1 << 20) /* waits in memory at once: 40 MB */
#define READ_ENOUGH 20000   /* events read before giving up, if none had a field for a stack */
#define STACKS_MAX 100000   /* different stacks */

/* A wait, and the event with the wanted stack. */
struct item {
	int64_t event_time, end; /* END: of the wait */
	int64_t time;            /* ns of the wait in the window */
	uint32_t host, cpu, row;
};

struct maker {
	struct qry *q;                            /* weak */
	const struct ana_stacks_options *options; /* weak */
	struct base_progress *progress;           /* weak; NULL none */
	GArray *items;                            /* of struct item: of one part of the time */
	struct ana_stacks *stacks;                /* weak */
	struct ana_frames *frames;
	GHashTable *known;              /* set of struct ana_stack, weak */
	GPtrArray *no_frames, *further; /* empty; ANA_STACKS_FURTHER */
	GHashTable *sampled;            /* struct sampled, owned, by its stack and row */
	GHashTable *samples;            /* row → number of its samples so far */
};

/* ---- the sum ---- */

static guint stack_hash(gconstpointer data)
{
	const struct ana_stack *s = data;
	guint hash = (g_direct_hash(s->name) * 31 + g_direct_hash(s->waker)) * 31 + g_direct_hash(s->host);

	for (guint i = 0; i < s->frames->len; i++)
		hash = hash * 31 + g_direct_hash(g_ptr_array_index(s->frames, i));
	return hash;
}

/* Equal texts have the same pointer. */
static gboolean stack_equal(gconstpointer a, gconstpointer b)
{
	const struct ana_stack *x = a, *y = b;

	if (x->name != y->name || x->waker != y->waker || x->host != y->host ||
		x->frames->len != y->frames->len)
		return FALSE;
	for (guint i = 0; i < x->frames->len; i++)
		if (g_ptr_array_index(x->frames, i) != g_ptr_array_index(y->frames, i))
			return FALSE;
	return TRUE;
}

static void stack_free(void *data)
{
	struct ana_stack *s = data;

	g_ptr_array_unref(s->frames);
	g_free(s);
}

static const char *stacks_keep(struct maker *m, const char *text)
{
	if (!g_hash_table_contains(m->stacks->texts, text))
		g_hash_table_add(m->stacks->texts, g_strdup(text));
	return g_hash_table_lookup(m->stacks->texts, text);
}

/*
 * The waker of the thread of ITEM. From the stack of an interrupt, the frames that it interrupted are
 * removed. If interrupts were not recorded, the names in the stack show if an interrupt was the waker.
 * Without names the waker may have been an interrupt.
 */
static const char *waker_of(struct maker *m, const struct item *item, GPtrArray *frames)
{
	const char *kept = NULL;
	guint first;
	bool interrupt = ana_frames_interrupt(frames, &first);
	struct mdl_wakeup w;
	g_autofree char *text = NULL;

	if (!qry_wakeup_at(m->q, item->row, item->end, &w))
		return NULL;
	if (w.n_contexts > 0)
		text = qry_context_text(m->q, item->host, w.contexts[w.n_contexts - 1].context);
	else if (interrupt)
		text = g_strdup("an interrupt");
	else if (w.waker != MDL_NONE)
		text = g_strdup_printf("%s%s", qry_name_at(m->q, w.waker, w.time),
			ana_chain_hidden(m->q, item->host, w.time) &&
					!(frames->len > 0 && qry_has_symbols(m->q, item->host))
				? ", or an interrupt"
				: "");
	if (text)
		kept = stacks_keep(m, text);
	if (first > 0)
		g_ptr_array_remove_range(frames, 0, first);
	return kept;
}

/* The listed stack equal to LIKE. A new one gets a copy of the FRAMES. */
static struct ana_stack *stack_of(struct maker *m, const struct ana_stack *like)
{
	struct ana_stack *s = g_hash_table_lookup(m->known, like);

	if (s)
		return s;
	s = g_new0(struct ana_stack, 1);
	s->name = like->name;
	s->host = like->host;
	s->waker = like->waker;
	s->frames = g_ptr_array_copy(like->frames, NULL, NULL);
	g_ptr_array_add(m->stacks->all, s);
	g_hash_table_add(m->known, s);
	return s;
}

/* Add ITEM, a wait or a sample, with these FRAMES, which change. Returns its stack. */
static struct ana_stack *stacks_add(struct maker *m, const struct item *item, GPtrArray *frames)
{
	struct ana_stack like = { .name = stacks_keep(m, qry_row(m->q, item->row)->name),
		.host = stacks_keep(m, qry_host(m->q, item->host)->name),
		.frames = frames };
	struct ana_stack *s;

	m->stacks->with += frames->len > 0;
	m->stacks->without += frames->len == 0;
	if (m->options->of == ANA_STACKS_WAKER)
		like.waker = waker_of(m, item, frames);
	if (m->stacks->all->len >= STACKS_MAX && !g_hash_table_contains(m->known, &like))
		like.frames = m->further;
	s = stack_of(m, &like);
	s->time = base_time_sum(s->time, item->time);
	if (s->count++ > 0 && item->time <= s->longest)
		return s;
	s->longest = item->time;
	s->longest_end = item->end;
	s->longest_row = item->row;
	return s;
}

/* Add TIME on a CPU of thread ROW, which has no samples, to the entry without a stack. */
static void add_time(struct maker *m, uint32_t row, int64_t time)
{
	const struct qry_row *r = qry_row(m->q, row);
	struct ana_stack like = { .name = stacks_keep(m, r->name),
		.host = stacks_keep(m, qry_host(m->q, r->host)->name),
		.frames = m->no_frames };
	struct ana_stack *s = stack_of(m, &like);

	s->time = base_time_sum(s->time, time);
	if (s->count > 0 || time <= s->longest)
		return;
	s->longest_row = row;
	s->longest_end = MAX(r->first, m->options->from);
}

static int stacks_longest_first(const void *a, const void *b)
{
	const struct ana_stack *x = *(const struct ana_stack *const *)a,
			       *y = *(const struct ana_stack *const *)b;

	return BASE_BY(y, x, time) ?: strcmp(x->name, y->name);
}

/* ---- the waits ---- */

/* Set ITEM to the switch at the begin of the blocked interval IV, or to the wake-up at its end. */
static bool stacks_event_of(struct maker *m, uint32_t row, const struct mdl_interval *iv, struct item *item)
{
	struct mdl_wakeup w;

	item->event_time = iv->from;
	item->cpu = iv->aux;
	if (m->options->of == ANA_STACKS_SLEEPER)
		return iv->aux != MDL_NONE;
	if (!qry_wakeup_at(m->q, row, iv->to, &w) || w.event_time == MDL_NEVER)
		return false;
	item->event_time = w.event_time;
	item->cpu = w.event_cpu;
	return w.event_cpu != MDL_NONE;
}

/* Add the waits of ROW that begin in [FROM, TO). If FROM is the begin of the window, also those that begin
 * before. */
static void collect_row(struct maker *m, uint32_t row, int64_t from, int64_t to)
{
	const struct ana_stacks_options *o = m->options;
	const struct qry_row *r = qry_row(m->q, row);
	struct mdl_interval iv;

	to = MIN(to, r->last);
	for (int64_t t = MAX(from, r->first); t < to && qry_kernel_state_at(m->q, row, t, &iv); t = iv.to) {
		struct item item = { .host = r->host, .row = row, .end = iv.to };

		if (iv.state != MDL_ST_BLOCKED || (iv.from < from && from > o->from))
			continue;
		item.time = MIN(iv.to, MIN(o->to, r->last)) - MAX(iv.from, o->from);
		m->stacks->time = base_time_sum(m->stacks->time, item.time);
		if (stacks_event_of(m, row, &iv, &item))
			g_array_append_val(m->items, item);
		else
			stacks_add(m, &item, m->no_frames);
	}
}

static int stacks_by_time(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	return BASE_BY(x, y, event_time) ?: BASE_BY(x, y, host) ?: BASE_BY(x, y, cpu);
}

static bool stacks_is_wanted(const struct maker *m, uint32_t row)
{
	const struct ana_stacks_options *o = m->options;
	const struct qry_row *r = qry_row(m->q, row);

	if (r->type != MDL_ROW_THREAD || r->nr == 0)
		return false;
	if (o->row != MDL_NONE)
		return o->row == row || (o->process && r->process == o->row);
	return !(o->hide_tracer && qry_is_tracer(m->q, row)) &&
		!(o->user_threads && qry_is_kernel_thread(m->q, row));
}

/* ---- the walk ---- */

/* Step to the event of ITEM, from EVENT, the last one stepped over. NEED: there is none, or it is far.
 * Returns 1 found, 0 not found, -1 error. */
static int stacks_go(struct qry_events *e, const struct item *item, struct qry_event *event, bool *need,
	struct base_progress *progress, GError **error)
{
	int got = 1;

	if (*need || item->event_time - event->time > NEAR || event->time >= item->event_time) {
		if (!qry_events_seek(e, item->event_time, error))
			return -1;
		got = qry_events_step(e, 1, event, progress, error);
	}
	*need = false;
	while (got == 1 &&
		(event->time < item->event_time ||
			(event->time == item->event_time &&
				(event->host != item->host || event->cpu != item->cpu))))
		got = qry_events_step(e, 1, event, progress, error);
	*need = got != 1;
	return got < 0 ? -1 : got == 1 && event->time == item->event_time;
}

/* Add the items in their order. */
static bool stacks_add_all(struct maker *m, struct qry_events *e, GError **error)
{
	struct qry_event event = { .time = INT64_MIN };
	g_autoptr(GPtrArray) frames = g_ptr_array_new();
	double all = (double)m->options->to - (double)m->options->from;
	bool need = true;
	int got = 0;

	for (guint i = 0; got >= 0 && i < m->items->len; i++) {
		const struct item *item = &g_array_index(m->items, struct item, i);

		if (i % LOOK == 0 && m->progress)
			base_progress_set(m->progress,
				CLAMP(((double)item->event_time - (double)m->options->from) / MAX(all, 1), 0,
					1),
				0);
		g_ptr_array_set_size(frames, 0);
		if (ana_frames_absent(m->frames, item->host, READ_ENOUGH)) {
			stacks_add(m, item, frames);
			continue;
		}
		got = stacks_go(e, item, &event, &need, m->progress, error);
		if (got == 1 && !ana_frames_read(m->frames, e, &event, frames, error))
			got = -1;
		if (ana_frames_wants_maps(m->frames))
			break; /* the walk starts again, with maps */
		if (got >= 0)
			stacks_add(m, item, frames);
	}
	return got >= 0;
}

/* Add the waits in [FROM, TO), in parts if there are many. */
static bool stacks_walk(struct maker *m, struct qry_events *e, int64_t from, int64_t to, GError **error)
{
	int64_t middle = from + (to - from) / 2;
	uint64_t waits = 0; /* about how many there are */

	if (ana_frames_wants_maps(m->frames))
		return true;
	for (uint32_t row = 0; row < qry_row_count(m->q); row++)
		if (stacks_is_wanted(m, row))
			waits += qry_wakeup_seek(m->q, row, to) - qry_wakeup_seek(m->q, row, from);
	if (middle > from && waits > WAITS_MAX)
		return stacks_walk(m, e, from, middle, error) && stacks_walk(m, e, middle, to, error);
	g_array_set_size(m->items, 0);
	for (uint32_t row = 0; row < qry_row_count(m->q); row++)
		if (stacks_is_wanted(m, row))
			collect_row(m, row, from, to);
	g_array_sort(m->items, stacks_by_time);
	return stacks_add_all(m, e, error);
}

/* ---- samples of running threads ---- */

/* The samples of one thread with one stack. */
struct sampled {
	struct ana_stack *stack; /* weak */
	uint32_t row;
	uint64_t count;
};

static guint sampled_hash(gconstpointer data)
{
	const struct sampled *s = data;

	return g_direct_hash(s->stack) * 31 + s->row;
}

static gboolean sampled_equal(gconstpointer a, gconstpointer b)
{
	const struct sampled *x = a, *y = b;

	return x->stack == y->stack && x->row == y->row;
}

/* The counters of perf that count the time of a CPU, so that their samples show where threads run. */
static const char *const clocks[] = { "cycles", "cpu-clock", "task-clock", "ref-cycles" };

static bool is_sampler(G_GNUC_UNUSED void *data, const char *name)
{
	for (gsize i = 0; i < G_N_ELEMENTS(clocks); i++)
		if (mdl_counter_is(name, clocks[i]))
			return true;
	return false;
}

bool ana_stacks_has_samples(struct qry *q, uint32_t host)
{
	bool is_perf = mdl_tracer_of(qry_host(q, host)->meta->tracer) == mdl_tracer_of("perf");

	for (gsize i = 0; is_perf && i < G_N_ELEMENTS(clocks); i++)
		if (qry_events_declared(q, host, clocks[i]))
			return true;
	return false;
}

/* Add a sample of the thread of EVENT with these FRAMES. */
static void add_sample(struct maker *m, const struct qry_event *event, GPtrArray *frames)
{
	struct item item = { .host = event->host, .row = event->thread, .end = event->time };
	struct sampled like = { .row = event->thread }, *s;
	gpointer samples = g_hash_table_lookup(m->samples, GUINT_TO_POINTER(event->thread));

	like.stack = stacks_add(m, &item, frames);
	s = g_hash_table_lookup(m->sampled, &like);
	if (!s) {
		s = g_memdup2(&like, sizeof like);
		g_hash_table_add(m->sampled, s);
	}
	s->count++;
	g_hash_table_insert(m->samples, GUINT_TO_POINTER(event->thread),
		GSIZE_TO_POINTER(GPOINTER_TO_SIZE(samples) + 1));
}

static int sampled_in_order(const void *a, const void *b)
{
	const struct sampled *x = *(const struct sampled *const *)a, *y = *(const struct sampled *const *)b;

	return BASE_BY(x, y, row) ?: BASE_BY(y, x, count) ?: BASE_BY(x->stack, y->stack, longest_end);
}

static int64_t on_cpu(struct maker *m, uint32_t row)
{
	const struct qry_row *r = qry_row(m->q, row);
	int64_t from = MAX(m->options->from, r->first), to = MIN(m->options->to, r->last);
	struct qry_cell cell;

	if (from >= to)
		return 0;
	qry_share(m->q, row, from, to, &cell);
	return qry_cell_on_cpu(&cell);
}

/* Divide the time of each thread among its samples, so that the parts add up to it. The time of a thread
 * without samples has no stack. */
static void share_out(struct maker *m)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new();
	GHashTableIter iter;
	gpointer key;
	uint32_t row = MDL_NONE;
	int64_t time = 0, given = 0;
	double n = 1, so_far = 0;

	g_hash_table_iter_init(&iter, m->sampled);
	while (g_hash_table_iter_next(&iter, &key, NULL))
		g_ptr_array_add(all, key);
	g_ptr_array_sort(all, sampled_in_order);
	for (guint i = 0; i < all->len; i++) {
		struct sampled *s = g_ptr_array_index(all, i);
		int64_t upto;

		if (s->row != row) {
			row = s->row;
			time = on_cpu(m, row);
			n = (double)GPOINTER_TO_SIZE(g_hash_table_lookup(m->samples, GUINT_TO_POINTER(row)));
			so_far = 0;
			given = 0;
		}
		so_far += (double)s->count;
		upto = so_far >= n ? time : MIN(time, (int64_t)((double)time * so_far / n));
		s->stack->time = base_time_sum(s->stack->time, upto - given);
		given = upto;
	}
	for (row = 0; row < qry_row_count(m->q); row++) {
		if (!stacks_is_wanted(m, row))
			continue;
		time = on_cpu(m, row);
		m->stacks->time = base_time_sum(m->stacks->time, time);
		if (time > 0 && !g_hash_table_contains(m->samples, GUINT_TO_POINTER(row)))
			add_time(m, row, time);
	}
}

/* Add all samples of the window. */
static bool walk_samples(struct maker *m, GError **error)
{
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	g_autoptr(GPtrArray) frames = g_ptr_array_new();
	struct qry_events *e;
	struct qry_event event;
	int got = -1;

	g_hash_table_remove_all(m->sampled);
	g_hash_table_remove_all(m->samples);
	filter.wants = is_sampler;
	filter.from = m->options->from;
	filter.to = m->options->to;
	e = qry_events_new(m->q, &filter, error);
	while (e && (got = qry_events_step(e, 1, &event, m->progress, error)) == 1) {
		if (event.thread == MDL_NONE || !stacks_is_wanted(m, event.thread))
			continue;
		g_ptr_array_set_size(frames, 0);
		if (!ana_frames_absent(m->frames, event.host, READ_ENOUGH) &&
			!ana_frames_read(m->frames, e, &event, frames, error)) {
			got = -1;
			break;
		}
		if (ana_frames_wants_maps(m->frames)) {
			got = 0;
			break; /* the walk starts again, with maps */
		}
		add_sample(m, &event, frames);
	}
	qry_events_free(e);
	if (got == 0)
		share_out(m);
	return got == 0;
}

/* All of the window, from the start. */
static bool walk_window(void *data, GError **error)
{
	struct maker *m = data;
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	struct qry_events *e;
	bool fine;

	g_hash_table_remove_all(m->known);
	g_ptr_array_set_size(m->stacks->all, 0);
	m->stacks->time = 0;
	m->stacks->with = m->stacks->without = 0;
	if (m->options->of == ANA_STACKS_CPU)
		return walk_samples(m, error);
	if (m->options->of == ANA_STACKS_SLEEPER)
		filter.wants = qry_events_is_switch;
	else
		filter.name = "sched_wak";
	e = qry_events_new(m->q, &filter, error);
	fine = e && stacks_walk(m, e, m->options->from, m->options->to, error);
	qry_events_free(e);
	return fine;
}

struct ana_stacks *ana_stacks_new(struct qry *q, const struct ana_stacks_options *options,
	struct base_progress *progress, GError **error)
{
	struct ana_stacks *stacks = g_new0(struct ana_stacks, 1);
	struct maker m = { .q = q, .options = options, .progress = progress, .stacks = stacks };
	bool fine;

	stacks->of = options->of;
	stacks->several = options->row == MDL_NONE && qry_host_count(q) > 1;
	stacks->all = g_ptr_array_new_with_free_func(stack_free);
	stacks->texts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	m.items = g_array_new(FALSE, FALSE, sizeof(struct item));
	m.frames = ana_frames_new(q, stacks->texts, false);
	m.known = g_hash_table_new(stack_hash, stack_equal);
	m.no_frames = g_ptr_array_new();
	m.further = g_ptr_array_new();
	g_ptr_array_add(m.further, (gpointer)ANA_STACKS_FURTHER);
	m.sampled = g_hash_table_new_full(sampled_hash, sampled_equal, g_free, NULL);
	m.samples = g_hash_table_new(NULL, NULL);
	fine = ana_frames_walk(m.frames, walk_window, &m, progress, error);
	g_ptr_array_sort(stacks->all, stacks_longest_first);
	ana_frames_warn(m.frames);
	ana_frames_free(m.frames);
	g_array_unref(m.items);
	g_hash_table_unref(m.known);
	g_ptr_array_unref(m.no_frames);
	g_ptr_array_unref(m.further);
	g_hash_table_unref(m.sampled);
	g_hash_table_unref(m.samples);
	if (fine)
		return stacks;
	ana_stacks_free(stacks);
	return NULL;
}

void ana_stacks_free(struct ana_stacks *s)
{
	if (!s)
		return;
	g_ptr_array_unref(s->all);
	g_hash_table_unref(s->texts);
	g_free(s);
}

const char *ana_stacks_of_name(enum ana_stacks_of of)
{
	static const char *const names[ANA_STACKS_N] = { "sleeper", "waker", "cpu" };

	return names[of];
}

const char *ana_stacks_advice(enum ana_stacks_of of)
{
	return of == ANA_STACKS_CPU
		? "wakepath record --for-question on-cpu, perf record -a -g -k mono -e sched:sched_switch -e cycles"
		: "lttng add-context -k -t callstack-kernel, perf record -g, trace-cmd record -T";
}
