/* SPDX-License-Identifier: MIT */
/*
 * How it works: each wait of the index names two events, the switch by which it began and the wake-up by
 * which it ended, with time and CPU.  The wanted ones are looked up in the traces in order of time, and the
 * stack is read off the fields of each.
 *
 * The tracer's own calls at the inner end of a stack, from its probe on, are left out where symbols tell
 * them. perf marks where the user's part of a chain begins (PERF_CONTEXT_USER,
 * include/uapi/linux/perf_event.h).
 */
#include "analysis/ana_stacks.h"

#include "base/base_error.h"
#include "query/qry_events.h"
#include "query/qry_tracer.h"

#include <inttypes.h>
#include <string.h>

#define NEAR 10000000 /* ns to the next event up to which it is stepped to, not sought */
/* PERF_CONTEXT_MAX: what is above are marks, no addresses. */
#define MARKS_FROM UINT64_C(0xfffffffffffff000)
#define LOOK 1024 /* events between two looks at the progress */

/* A wait, and the event whose stack is wanted. */
struct item {
	int64_t event_time;
	uint32_t host, cpu;
	uint32_t row;
	int64_t time; /* ns of the wait in the window */
};

struct maker {
	struct qry *q;                            /* weak */
	const struct ana_stacks_options *options; /* weak */
	GArray *items;                            /* of struct item */
	struct ana_stacks *stacks;                /* weak */
	GHashTable *by_key; /* name and frames → struct ana_stack, weak; the key is owned */
};

/* ---- the waits ---- */

/* The switch at the begin of the blocked interval IV, or the wake-up at its end. */
static bool event_of(struct maker *m, uint32_t row, const struct mdl_interval *iv, struct item *item)
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

static void collect_row(struct maker *m, uint32_t row)
{
	const struct qry_row *r = qry_row(m->q, row);
	int64_t from = MAX(m->options->from, r->first), to = MIN(m->options->to, r->last);
	struct mdl_interval iv;

	for (int64_t t = from; t < to && qry_state_at(m->q, row, t, &iv); t = iv.to) {
		struct item item = { .host = r->host, .row = row };

		item.time = MIN(iv.to, to) - MAX(iv.from, from);
		if (iv.state != MDL_ST_BLOCKED)
			continue;
		m->stacks->time += item.time;
		if (event_of(m, row, &iv, &item))
			g_array_append_val(m->items, item);
		else
			m->stacks->without++;
	}
}

static int by_time(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->event_time != y->event_time)
		return x->event_time < y->event_time ? -1 : 1;
	return x->host != y->host ? (x->host < y->host ? -1 : 1) : (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static void collect(struct maker *m)
{
	for (uint32_t row = 0; row < qry_row_count(m->q); row++) {
		const struct qry_row *r = qry_row(m->q, row);

		if (r->type == MDL_ROW_THREAD && r->nr != 0 &&
			(m->options->row == MDL_NONE ? !m->options->hide_tracer || !qry_is_tracer(m->q, row)
						     : m->options->row == row))
			collect_row(m, row);
	}
	g_array_sort(m->items, by_time);
}

/* ---- the stack of an event ---- */

/* Behind "NAME = [" in FIELDS, outside of texts; NULL: there is no such field. */
static const char *find_field(const char *fields, const char *name)
{
	gsize length = strlen(name);
	bool quoted = false;

	for (const char *p = fields; *p; p++) {
		if (*p == '\\' && quoted && p[1])
			p++;
		else if (*p == '"')
			quoted = !quoted;
		else if (!quoted && *p == ' ' && strncmp(p + 1, name, length) == 0 &&
			g_str_has_prefix(p + 1 + length, " = ["))
			return p + 1 + length + 4;
	}
	return NULL;
}

/* The addresses of field NAME, the innermost first, to those in ADDRESSES (of uint64_t). */
static void take_field(const char *fields, const char *name, GArray *addresses)
{
	const char *p = find_field(fields, name), *end;

	if (!p)
		return;
	end = p + strcspn(p, "\"{}");
	/* " [0] = 0xFFFFFFFF81000000, [1] = ... ]" */
	for (p = strstr(p, "] = "); p && p < end; p = strstr(p, "] = ")) {
		uint64_t address = g_ascii_strtoull(p + 4, (char **)&p, 0);

		if (address != 0 && address < MARKS_FROM)
			g_array_append_val(addresses, address);
	}
}

static bool is_tracers(const struct ana_symbols *symbols, uint64_t address)
{
	const char *name = ana_symbols_name(symbols, address);

	return name && strstr(name, " [lttng_");
}

/* The frames of the event stepped over last, the outermost first. */
static GPtrArray *frames_of(struct maker *m, const char *fields)
{
	static const char *const names[] = { "callstack_kernel", "perf_callchain", "callstack_user" };
	GArray *addresses = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	GPtrArray *frames = g_ptr_array_new();
	guint first = 0;

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
		take_field(fields, names[i], addresses);
	while (first < addresses->len &&
		is_tracers(m->options->symbols, g_array_index(addresses, uint64_t, first)))
		first++;
	for (guint i = addresses->len; i-- > first;) {
		uint64_t address = g_array_index(addresses, uint64_t, i);
		const char *name = ana_symbols_name(m->options->symbols, address);
		char hex[24];

		g_snprintf(hex, sizeof hex, "0x%" PRIx64, address);
		g_ptr_array_add(frames, g_string_chunk_insert_const(m->stacks->texts, name ? name : hex));
	}
	g_array_unref(addresses);
	return frames;
}

/* ---- the sum ---- */

static void stack_free(void *data)
{
	struct ana_stack *s = data;

	g_free(s->name);
	g_ptr_array_unref(s->frames);
	g_free(s);
}

/* The wait of ITEM had these FRAMES, which are taken over. */
static void add(struct maker *m, const struct item *item, GPtrArray *frames)
{
	const char *name = qry_row(m->q, item->row)->name;
	GString *key = g_string_new(name);
	struct ana_stack *s;

	for (guint i = 0; i < frames->len; i++)
		g_string_append_printf(key, "\n%s", (const char *)g_ptr_array_index(frames, i));
	s = g_hash_table_lookup(m->by_key, key->str);
	if (!s) {
		s = g_new0(struct ana_stack, 1);
		s->name = g_strdup(name);
		s->frames = g_ptr_array_ref(frames);
		g_ptr_array_add(m->stacks->all, s);
		g_hash_table_insert(m->by_key, g_strdup(key->str), s);
	}
	s->time += item->time;
	s->count++;
	m->stacks->with += frames->len > 0;
	m->stacks->without += frames->len == 0;
	g_ptr_array_unref(frames);
	g_string_free(key, TRUE);
}

static int longest_first(const void *a, const void *b)
{
	const struct ana_stack *x = *(const struct ana_stack *const *)a,
			       *y = *(const struct ana_stack *const *)b;

	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	return g_strcmp0(x->name, y->name);
}

/* ---- the walk ---- */

/* Step to the event of ITEM, from EVENT, stepped over last (NEED: none was, or it is far).  1 found, 0 not,
 * -1 error. */
static int go(struct qry_events *e, const struct item *item, struct qry_event *event, bool *need,
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

static bool walk(struct maker *m, struct base_progress *progress, GError **error)
{
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	struct qry_event event = { .time = INT64_MIN };
	struct qry_events *e;
	bool need = true;
	int got = 0;

	filter.name = m->options->of == ANA_STACKS_SLEEPER ? "sched_switch" : "sched_wak";
	e = qry_events_new(m->q, &filter, error);
	for (guint i = 0; e && got >= 0 && i < m->items->len; i++) {
		const struct item *item = &g_array_index(m->items, struct item, i);
		char *fields = NULL;

		if (progress && i % LOOK == 0)
			base_progress_set(progress, (double)i / m->items->len, 0);
		got = go(e, item, &event, &need, progress, error);
		if (got == 1)
			fields = qry_events_fields(e, error);
		if (got == 1 && !fields)
			got = -1;
		if (got >= 0)
			add(m, item, fields ? frames_of(m, fields) : g_ptr_array_new());
		g_free(fields);
	}
	qry_events_free(e);
	return e && got >= 0;
}

struct ana_stacks *ana_stacks_new(struct qry *q, const struct ana_stacks_options *options,
	struct base_progress *progress, GError **error)
{
	struct ana_stacks *stacks = g_new0(struct ana_stacks, 1);
	struct maker m = { .q = q, .options = options, .stacks = stacks };
	bool fine;

	stacks->of = options->of;
	stacks->all = g_ptr_array_new_with_free_func(stack_free);
	stacks->texts = g_string_chunk_new(4096);
	m.items = g_array_new(FALSE, FALSE, sizeof(struct item));
	m.by_key = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	collect(&m);
	fine = walk(&m, progress, error);
	g_ptr_array_sort(stacks->all, longest_first);
	g_array_unref(m.items);
	g_hash_table_unref(m.by_key);
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
	g_string_chunk_free(s->texts);
	g_free(s);
}
