/* SPDX-License-Identifier: MIT */
/*
 * How it works: the reader of perf.data. Each CPU is a stream; a block of the file that has records of the
 * CPU is a packet. One more stream has what perf wrote about threads that existed before it began to record.
 */
#include "trace/perf/trc_perf.h"

#include "base/base_time.h"
#include "model/event/counter.h"
#include "model/kernel/prev.h"
#include "trace/tracefs/trc_running.h"

#include <string.h>

#define COPIED_CPUS 32 /* each CPU may read another block of 1 MB */

/* ---- records as model events, and as text ---- */

struct class
{
	struct trc_format_class *of; /* owned */
	unsigned pid;                /* the argument with the process of the current thread; MDL_ARGS: none */
};

struct classes {
	const struct trc_perf_head *head; /* weak */
	GHashTable *of_events;            /* owned: event → struct class *, owned */
	struct class **all;               /* owned: of each attr, weak; NULL: not used by the model */
};

bool trc_perf_class_is_whole(const struct trc_perf_attr *a)
{
	return a->event && a->is_usable && !a->is_sampled;
}

/* True if only some threads are recorded, and without PERF_RECORD_SWITCH. Their sched_switch does not show
 * when they run again, because perf_tp_event() is called for the thread that leaves (kernel/events/core.c).
 * PERF_RECORD_SWITCH shows it (proofs.md R25.12). */
bool trc_perf_class_is_away(const struct trc_perf_survey *s)
{
	for (guint i = 0; s->some_threads && !s->head->own.tells_switches && i < s->head->attrs->len; i++) {
		const struct trc_perf_attr *a = &g_array_index(s->head->attrs, struct trc_perf_attr, i);

		if (trc_perf_class_is_whole(a) && g_str_equal(a->event->name, "sched:sched_switch"))
			return true;
	}
	return false;
}

static void class_free(void *data)
{
	struct class *class = data;

	g_free(class->of);
	g_free(class);
}

/* Return the class of EVENT, which several attrs may share. */
static struct class *class_for(const struct classes *c, const struct trc_format_event *event)
{
	struct class *class = g_hash_table_lookup(c->of_events, event);

	if (class)
		return class;
	class = g_new(struct class, 1);
	class->of = trc_format_class_new(event);
	class->pid = trc_format_class_slot(class->of, "perf_pid");
	g_hash_table_insert(c->of_events, (gpointer)(uintptr_t)event, class);
	return class;
}

static struct classes *classes_new(const struct trc_perf_head *h)
{
	struct classes *c = g_new(struct classes, 1);

	*c = (struct classes){ .head = h,
		.of_events = g_hash_table_new_full(NULL, NULL, NULL, class_free),
		.all = g_new0(struct class *, h->attrs->len) };
	for (guint i = 0; i < h->attrs->len; i++) {
		const struct trc_perf_attr *a = &g_array_index(h->attrs, struct trc_perf_attr, i);

		if (trc_perf_class_is_whole(a))
			c->all[i] = class_for(c, a->event);
	}
	return c;
}

static const struct trc_perf_attr *switch_attr(const struct classes *c)
{
	guint i = 0;

	while (i < c->head->attrs->len &&
		(!c->all[i] || trc_format_class_kind(c->all[i]->of) != MDL_EV_SCHED_SWITCH))
		i++;
	return (const struct trc_perf_attr *)(const void *)c->head->attrs->data + i;
}

/* True if switches were recorded. */
static bool has_switches(const struct classes *c)
{
	return switch_attr(c) <
		(const struct trc_perf_attr *)(const void *)c->head->attrs->data + c->head->attrs->len;
}

/* NULL: the model does not use A. */
static const struct class *perf_class_of(const struct classes *c, const struct trc_perf_attr *a)
{
	return c->all[a - (const struct trc_perf_attr *)(const void *)c->head->attrs->data];
}

static enum mdl_kind class_kind(const struct classes *c, const struct trc_perf_attr *a)
{
	const struct class *class = perf_class_of(c, a);

	return class ? trc_format_class_kind(class->of) : MDL_EV_NONE;
}

static void class_read(const struct classes *c, const struct trc_perf_attr *a, struct trc_queue *q,
	struct mdl_event *event, const struct trc_perf_sample *sample)
{
	const struct class *class = perf_class_of(c, a);

	if (!class || !sample->record.data)
		return;
	trc_format_class_read(class->of, q, event, &sample->record);
	if (event->kind != MDL_EV_NONE && class->pid < MDL_ARGS && sample->tid == sample->global)
		event->arg[class->pid] = sample->pid;
}

/* Return the number at byte AT of a record about threads. */
static int64_t perf_number_of(const struct trc_perf_record *r, unsigned at)
{
	return r->data.size < at + 4 ? MDL_ARG_ABSENT
				     : (int32_t)trc_bytes_number(r->data.data + at, 4, r->data.big);
}

/* Offsets in FORK of process, parent's process, thread and parent; COMM has process, thread and name. */
enum { FORK_PID = 8, FORK_PPID = 12, FORK_TID = 16, FORK_PTID = 20 };
enum { SWITCH_TID = 12 }; /* in PERF_RECORD_SWITCH_CPU_WIDE: the other thread */
enum { COMM_PID = 8, COMM_TID = 12, COMM_NAME = 16 };

/* For each existing thread perf wrote a COMM, and for each except the first of a process a FORK, by that
 * first thread (perf_event__synthesize_threads(), tools/perf/util/synthetic-events.c). */
static void set_dump(struct mdl_event *event, struct trc_queue *q, const struct trc_perf_record *r)
{
	bool fork = r->type == TRC_PERF_FORK;
	int64_t pid = perf_number_of(r, fork ? FORK_PID : COMM_PID);

	event->kind = MDL_EV_DUMP_PROCESS;
	event->arg[MDL_DUMP_TID] = perf_number_of(r, fork ? FORK_TID : COMM_TID);
	event->arg[MDL_DUMP_PID] = pid;
	if (fork && perf_number_of(r, FORK_PPID) != pid)
		event->arg[MDL_DUMP_PPID] = perf_number_of(r, FORK_PPID);
	if (!fork && r->data.size > COMM_NAME)
		event->text[0] = trc_queue_text(q, (const char *)r->data.data + COMM_NAME,
			r->data.size - COMM_NAME);
}

static void task_read(struct mdl_event *event, struct trc_queue *q, const struct trc_perf_record *r,
	bool before)
{
	if (before) {
		set_dump(event, q, r);
	} else if (r->type == TRC_PERF_FORK) {
		event->kind = MDL_EV_FORK;
		event->arg[MDL_FORK_PARENT_TID] = perf_number_of(r, FORK_PTID);
		event->arg[MDL_FORK_PARENT_PID] = perf_number_of(r, FORK_PPID);
		event->arg[MDL_FORK_CHILD_TID] = perf_number_of(r, FORK_TID);
		event->arg[MDL_FORK_CHILD_PID] = perf_number_of(r, FORK_PID);
	} else if (r->data.size > COMM_NAME) {
		event->kind = MDL_EV_SCHED_RENAME;
		event->arg[0] = perf_number_of(r, COMM_TID);
		event->text[0] = trc_queue_text(q, (const char *)r->data.data + COMM_NAME,
			r->data.size - COMM_NAME);
	}
}

static void append_decimal(GString *to, const char *name, uint64_t number, const struct trc_taker *taker)
{
	struct trc_value value = { .type = TRC_VALUE_UNSIGNED, .number = number };

	g_string_append_printf(to, "%s%s = %" G_GUINT64_FORMAT, to->str[to->len - 1] == ' ' ? "" : ", ", name,
		number);
	if (taker)
		taker->take(taker->data, name, &value);
}

static void append_number(GString *to, const char *name, bool is_signed, uint64_t number,
	const struct trc_taker *taker)
{
	struct trc_value value = { .type = is_signed ? TRC_VALUE_SIGNED : TRC_VALUE_UNSIGNED,
		.number = number };

	g_string_append_printf(to, "%s%s = ", to->str[to->len - 1] == ' ' ? "" : ", ", name);
	trc_text_value_integer(to, is_signed, is_signed ? 32 : 64, is_signed ? 10 : 16, number);
	if (taker)
		taker->take(taker->data, name, &value);
}

/* Append the counter and those that were read with it. */
static void append_counters(const struct trc_perf_head *h, const struct trc_perf_attr *a,
	struct trc_perf_sample *s, GString *to, const struct trc_taker *taker)
{
	uint64_t value, id;
	bool any = a->is_counter && a->period != TRC_PERF_NOWHERE;

	g_string_append(to, ", { ");
	if (any)
		append_decimal(to, "perf_period", s->period, taker);
	while (trc_perf_sample_count(a, &s->counts, &value, &id)) {
		const struct trc_perf_attr *of = id != 0 ? trc_perf_head_attr(h, id) : a;

		append_decimal(to, trc_perf_head_name(of ? of : a), value, taker);
		any = true;
	}
	g_string_append(to, any ? " }" : "}");
}

static void append_sample(const struct trc_perf_head *h, const struct trc_perf_attr *a,
	const struct trc_bytes *sample, GString *to, const struct trc_taker *taker)
{
	struct trc_perf_sample s;

	trc_perf_sample_read(a, sample, &s);
	g_string_append(to, "{ ");
	if (a->ip != TRC_PERF_NOWHERE)
		append_number(to, "perf_ip", false, s.ip, taker);
	if (a->tid != TRC_PERF_NOWHERE) {
		append_number(to, "perf_tid", true, (uint64_t)(int64_t)s.tid, taker);
		append_number(to, "perf_pid", true, (uint64_t)(int64_t)s.pid, taker);
	}
	if (s.chain.data) {
		g_string_append(to, ", ");
		trc_format_class_stack("perf_callchain", s.chain, 8, to, taker);
	}
	g_string_append(to, " }");
	if (a->is_counter || trc_perf_attr_is_group(a))
		append_counters(h, a, &s, to, taker);
	if (!a->event || !s.record.data)
		return;
	g_string_append(to, ", ");
	trc_format_class_fields(a->event, &s.record, to, taker);
}

/* ---- the reader ---- */

struct reading {
	struct trc_perf_survey *survey; /* weak */
	struct trc_bytes begin;         /* the file up to the last task */
	guint absent;                   /* CPUs in SURVEY->absent that were known at the begin */
	bool *known;                    /* owned: true for each CPU that is known as recorded or not */
	struct classes *classes;        /* owned */
	bool by_records;                /* some threads: their switches are PERF_RECORD_SWITCH … */
	bool is_away;                   /* … or only switches away from them are recorded */
	bool tells_sleep;               /* without SWITCH_RUNS, PERF_RECORD_SWITCH means sleep */
	struct trc_perf_lists *lists;   /* owned */
	GPtrArray *streams;             /* of struct stream *, owned */
	/* Counters in samples of groups: names (interned) and attrs. A counter keeps its number. */
	const char *counters[MDL_COUNTERS];
	const struct trc_perf_attr *counts_of[MDL_COUNTERS];
	unsigned n_counters;
};

struct stream {
	const struct trc_perf_cpu *of;        /* weak; NULL: the stream of threads that existed before */
	guint next;                           /* number of the next block of OF, or of the next task */
	struct trc_perf_list *list;           /* owned: the current block; NULL: none */
	const struct trc_perf_entry *entries; /* weak: of LIST */
	unsigned at, n;
	bool began;            /* the first thread is known, or a switch or loss came before */
	bool misses;           /* a switch was missed since the last one */
	int64_t left, left_as; /* if by_records: the thread that sched_switch took out, and its prev_state */
	int64_t exits;         /* the thread that ended here; -1: none */
	int64_t grouped;       /* the thread whose cgroup is known … */
	uint64_t cgroup;       /* … and its id */
	struct trc_running running;
	GHashTable *twins; /* owned: event that several attrs record → struct twin, owned; NULL: none yet */
};

/* The last event of a tracepoint that several attrs record. */
struct twin {
	uint32_t seen; /* 1 << twin of each attr with a sample of it */
	GByteArray *record;
};

static void twin_free(gpointer data)
{
	struct twin *t = data;

	g_byte_array_unref(t->record);
	g_free(t);
}

static void perf_stream_free(gpointer data)
{
	struct stream *s = data;

	g_clear_pointer(&s->twins, g_hash_table_unref);
	trc_perf_list_unref(s->list);
	g_free(s);
}

static void perf_add_stream(struct reading *r, const struct trc_perf_cpu *of, const char *name,
	struct trc_info *info, GPtrArray *queues)
{
	struct stream *s = g_new0(struct stream, 1);
	struct trc_queue *q = trc_queue_new(name, info);

	s->of = of;
	q->stream = s;
	s->running = (struct trc_running)TRC_RUNNING_UNKNOWN;
	s->left = s->exits = s->grouped = -1;
	q->switched = true; /* this reader emits the first running thread */
	g_ptr_array_add(r->streams, s);
	g_ptr_array_add(queues, q);
}

static void *perf_open(void *survey, const GPtrArray *streams, G_GNUC_UNUSED GPtrArray *rest,
	struct trc_info *info, GPtrArray *queues, G_GNUC_UNUSED GError **error)
{
	struct reading *r = g_new(struct reading, 1);

	(void)streams; /* it reads all streams */
	*r = (struct reading){ .survey = survey,
		.streams = g_ptr_array_new_with_free_func(perf_stream_free) };
	r->begin = r->survey->head->bytes;
	r->begin.size = r->survey->head->end;
	r->classes = classes_new(r->survey->head);
	r->by_records = r->survey->some_threads && r->survey->head->own.tells_switches;
	r->is_away = trc_perf_class_is_away(r->survey);
	r->tells_sleep = mdl_prev_is_since(r->survey->head->release, 5, 14);
	r->lists = trc_perf_lists_new(r->survey->head, r->survey->cpus->len <= COPIED_CPUS);
	r->known = g_new0(bool, TRC_PERF_CPUS_MAX);
	r->absent = r->survey->absent->len;
	for (guint i = 0; i < r->absent; i++)
		r->known[g_array_index(r->survey->absent, uint32_t, i)] = true;
	for (guint i = 0; i < r->survey->cpus->len; i++) {
		const struct trc_perf_cpu *c = g_ptr_array_index(r->survey->cpus, i);
		g_autofree char *name = g_strdup_printf("cpu%" G_GUINT32_FORMAT, c->cpu);

		r->known[c->cpu] = true;
		perf_add_stream(r, c, name, info, queues);
	}
	/* Its name sorts last: it has no events, and it needs the time of the first one. */
	perf_add_stream(r, NULL, "threads", info, queues);
	return r;
}

static void perf_free(void *data)
{
	struct reading *r = data;

	g_ptr_array_unref(r->streams);
	trc_perf_lists_free(r->lists);
	g_hash_table_unref(r->classes->of_events);
	g_free(r->classes->all);
	g_free(r->classes);
	g_free(r->known);
	g_free(r);
}

/* ---- a CPU ---- */

/* Records before the first one of the CPU may have been overwritten. They are missing since the begin of the
 * other CPUs. */
static void tell_overwritten(const struct reading *r, struct trc_queue *q, const struct stream *s)
{
	const GArray *attrs = r->survey->head->attrs;
	bool overwrites = false;

	for (guint i = 0; i < attrs->len; i++)
		overwrites |= g_array_index(attrs, struct trc_perf_attr, i).overwrites;
	/* No mark goes before the first event of all CPUs. */
	if (overwrites && s->n > 0 && r->survey->first != BASE_TIME_NONE &&
		s->entries->time > r->survey->first)
		trc_queue_lost_between(q, r->survey->first + 1, s->entries->time, 0);
}

/* Continue with the next block. False at the end. */
static bool next_packet(struct reading *r, struct trc_queue *q, struct stream *s)
{
	const GArray *blocks = s->of->blocks;
	struct trc_perf_block block;
	bool more = true;

	if (s->list)
		trc_queue_packet_end(q);
	g_clear_pointer(&s->list, trc_perf_list_unref);
	while (more && s->next == blocks->len)
		more = trc_perf_survey_more(r->survey);
	if (!more) {
		/* If events were lost, the state of the CPU is unknown at its end. */
		uint64_t lost = s->of->told > s->of->lost ? s->of->told - s->of->lost : 0;

		q->info->end = r->survey->last;
		trc_running_end(&s->running, q);
		if (r->survey->cut || lost > 0 || s->of->silent)
			trc_queue_lost_rest(q, lost);
		trc_queue_end(q);
		return false;
	}
	block = g_array_index(blocks, struct trc_perf_block, s->next++);
	s->list = trc_perf_lists_get(r->lists, block.offset, block.size);
	if (!s->list) {
		trc_queue_end(q);
		return false;
	}
	s->entries = trc_perf_list_of(s->list, s->of->cpu, &s->n);
	s->at = 0;
	q->info->end = r->survey->guess;
	if (q->last == BASE_TIME_NONE)
		tell_overwritten(r, q, s);
	trc_queue_packet_begin(q, s->of->cpu, BASE_TIME_NONE);
	trc_queue_packet_place(q, block.offset, block.size);
	return true;
}

/*
 * On each CPU, perf enables the events one by one in the order of the attrs (evlist__enable(),
 * tools/perf/util/evlist.c). So after a sample of sched_switch, or of a later attr, the file has all switches
 * of the CPU. The thread of that sample runs until the first switch.
 */
static void tell_first(const struct reading *r, struct trc_queue *q, struct stream *s,
	const struct trc_perf_attr *a, const struct trc_perf_sample *sample, int64_t time)
{
	struct mdl_event *first;

	if (s->began || sample->global < 0 || a < switch_attr(r->classes))
		return;
	s->began = true;
	first = trc_queue_aside(q, time);
	first->kind = MDL_EV_FIRST;
	first->cpu = s->of->cpu;
	first->arg[MDL_FIRST_TID] = sample->global;
}

/* Call before an event of KIND at TIME, during which the thread TID ran. If a switch to TID is missing
 * (--filter, a thread that the kernel hides), more may be missing until the next switch: the running thread
 * is then known during each event and unknown between events. */
static void check_running(const struct reading *r, struct trc_queue *q, struct stream *s, enum mdl_kind kind,
	int64_t tid, int64_t time)
{
	bool begins = trc_running_begins(&s->running, kind, tid) && time > r->survey->first &&
		!has_switches(r->classes);
	bool is_other;

	trc_running_wake(&s->running, q, kind, tid, time);
	is_other = trc_running_check(&s->running, kind, tid, time);

	if (begins)
		trc_running_begin(&s->running, q, tid, time);
	s->misses |= is_other;
	if (!s->misses || tid < 0 || q->last == BASE_TIME_NONE)
		return;
	trc_running_tell(&s->running, q, time, kind, is_other);
	s->began = true;
}

/*
 * True if SAMPLE, of A, is an event that S has already from another attr. A tracepoint makes one record, and
 * a sample of it for each attr that records it (perf_tp_event(), kernel/events/core.c; proofs.md R25.11).
 */
static bool is_again(struct stream *s, const struct trc_perf_attr *a, const struct trc_perf_sample *sample)
{
	const struct trc_bytes *b = &sample->record;
	struct twin *t;

	if (G_LIKELY(!a->has_twins) || !b->data)
		return false;
	if (!s->twins)
		s->twins = g_hash_table_new_full(NULL, NULL, NULL, twin_free);
	t = g_hash_table_lookup(s->twins, a->event);
	if (!t) {
		t = g_new0(struct twin, 1);
		t->record = g_byte_array_new();
		g_hash_table_insert(s->twins, (gpointer)a->event, t);
	}
	if (t->record->len == b->size && memcmp(t->record->data, b->data, b->size) == 0 &&
		!(t->seen & 1u << a->twin)) {
		t->seen |= 1u << a->twin;
		return true;
	}
	t->seen = 1u << a->twin;
	g_byte_array_set_size(t->record, 0);
	g_byte_array_append(t->record, b->data, (guint)b->size);
	return false;
}

/* If the first event is a counter's or sched_switch, its thread runs. */
static void tell_own(const struct reading *r, struct trc_queue *q, struct stream *s,
	const struct trc_perf_attr *a, const struct trc_perf_sample *sample, int64_t time)
{
	struct mdl_event *first;

	if (s->began || sample->tid <= 0 || r->survey->foreign || q->last == BASE_TIME_NONE ||
		!(a->is_counter || class_kind(r->classes, a) == MDL_EV_SCHED_SWITCH))
		return;
	s->began = true;
	first = trc_queue_aside(q, time);
	first->kind = MDL_EV_FIRST;
	first->cpu = s->of->cpu;
	first->arg[MDL_FIRST_TID] = sample->tid;
}

/*
 * Return the state in which TID leaves its CPU by a PERF_RECORD_SWITCH with MISC; MDL_ARG_ABSENT: unknown.
 *
 * Since Linux 5.14 MISC says whether the thread is still on the run queue (perf_event_switch(),
 * kernel/events/core.c). This is more reliable than prev_state: a signal may wake a thread after its state
 * was read, and some sleeping threads have R (model/sched/sched.c). From 4.17 on MISC says whether the state
 * is TASK_RUNNING, which it is not for a thread that is preempted on its way to sleep.
 */
static int64_t state_of(const struct reading *r, const struct stream *s, int64_t tid, unsigned misc,
	uint8_t *told)
{
	bool is_known = s->left == tid && s->left_as != MDL_ARG_ABSENT,
	     says_runs = is_known && (s->left_as == 0 || s->left_as & MDL_PREV_PREEMPTED);

	*told |= MDL_TOLD_STATE;
	if (misc & TRC_PERF_SWITCH_RUNS)
		return MDL_PREV_PREEMPTED;
	if (s->exits == tid)
		return MDL_PREV_DEAD;
	if (!r->tells_sleep) {
		*told = 0;
		return is_known ? s->left_as : MDL_ARG_ABSENT;
	}
	if (!is_known || says_runs)
		return MDL_PREV_UNKNOWN;
	*told &= (uint8_t)~MDL_TOLD_STATE;
	return s->left_as;
}

static void add_switch(const struct reading *r, struct trc_queue *q, struct stream *s,
	const struct trc_perf_entry *e, const struct trc_perf_record *record)
{
	int64_t pid, tid = trc_perf_place_by(r->survey->head, record, &pid), state,
		     other = e->type == TRC_PERF_SWITCH_CPU_WIDE ? perf_number_of(record, SWITCH_TID)
								 : MDL_ARG_ABSENT;
	bool out = e->misc & TRC_PERF_SWITCH_OUT;
	struct mdl_event *event;
	uint8_t told = 0;

	if (other != MDL_ARG_ABSENT)
		check_running(r, q, s, out ? MDL_EV_SCHED_SWITCH : MDL_EV_NONE, out ? tid : -1, e->time);
	event = trc_queue_add(q, e->time);
	if (tid < 0 || (!out && s->running.now == tid))
		return;
	mdl_event_begin(event, MDL_EV_SCHED_SWITCH, NULL);
	state = out ? state_of(r, s, tid, e->misc, &told) : MDL_ARG_ABSENT;
	if (state != MDL_ARG_ABSENT) {
		event->arg[MDL_SWITCH_PREV_TID] = tid;
		event->arg[MDL_SWITCH_PREV_STATE] = state;
		event->arg[MDL_SWITCH_PERF_PID] = pid;
		event->told = told;
	}
	event->arg[MDL_SWITCH_NEXT_TID] = out ? other : tid;
	s->left = s->exits = -1;
	s->began = true;
	trc_running_note(&s->running, event);
}

/*
 * Emit the cgroup of the thread of SAMPLE, which was `current` (perf_prepare_sample(), kernel/events/core.c),
 * unless the last sample of this CPU had it.
 */
static void tell_cgroup(const struct reading *r, struct trc_queue *q, struct stream *s,
	const struct trc_perf_sample *sample, int64_t time)
{
	int64_t tid = sample->global >= 0 ? sample->global : r->survey->foreign ? -1 : sample->tid;
	struct mdl_event *event;
	const char *path;

	if (G_LIKELY(sample->cgroup == 0) || tid <= 0 || (s->grouped == tid && s->cgroup == sample->cgroup))
		return;
	s->grouped = tid;
	s->cgroup = sample->cgroup;
	path = g_hash_table_lookup(r->survey->cgroups, &sample->cgroup);
	if (!path)
		return;
	event = trc_queue_aside(q, time);
	event->kind = MDL_EV_CGROUP;
	event->cpu = s->of->cpu;
	event->label = "perf"; /* the cgroup is of one thread */
	event->arg[MDL_CGROUP_TID] = tid;
	event->arg[MDL_CGROUP_ROOT] = 0; /* the hierarchy of the controller perf_event, which has priority */
	event->text[0] = path;
}

/* Return the number of counter A; MDL_COUNTERS: it has none, because all numbers are used. */
static unsigned counter_number(struct reading *r, const struct trc_perf_attr *a)
{
	for (unsigned i = 0; i < r->n_counters; i++)
		if (r->counts_of[i] == a)
			return i;
	if (r->n_counters == MDL_COUNTERS)
		return MDL_COUNTERS;
	r->counts_of[r->n_counters] = a;
	r->counters[r->n_counters] = g_intern_string(trc_perf_head_name(a));
	return r->n_counters++;
}

/*
 * Add the counters that were read with SAMPLE, of A, to EVENT. A tracepoint that leads its group is no
 * counter: it only counts itself.
 */
static void tell_counts(struct reading *r, struct trc_queue *q, const struct trc_perf_attr *a,
	struct trc_perf_sample *sample, struct mdl_event *event)
{
	struct mdl_counts *counts = NULL;
	uint64_t value, id;

	while (trc_perf_sample_count(a, &sample->counts, &value, &id)) {
		const struct trc_perf_attr *of = id != 0 ? trc_perf_head_attr(r->survey->head, id)
			: a->is_counter                  ? a
							 : NULL;
		unsigned number;

		if (!of || (of == a && a->is_tracepoint))
			continue;
		counts = counts ? counts : trc_queue_counts(q, event);
		number = counter_number(r, of);
		if (number == MDL_COUNTERS) {
			counts->more++;
			continue;
		}
		counts->value[number] = value;
		counts->has |= (uint16_t)(1u << number);
	}
	if (!counts)
		return;
	counts->names = r->counters;
	counts->paused = sample->paused;
	counts->series = sample->id;
	counts->tid = sample->global >= 0 ? sample->global : sample->tid;
	counts->of_thread = r->survey->some_threads;
	counts->leaves = class_kind(r->classes, a) == MDL_EV_SCHED_SWITCH;
	if (event->kind == MDL_EV_NONE)
		mdl_event_begin(event, MDL_EV_COUNTS, NULL);
}

static void add_sample(struct reading *r, struct trc_queue *q, struct stream *s,
	const struct trc_perf_entry *e, const struct trc_perf_record *record)
{
	struct trc_perf_sample sample;
	struct mdl_event *event;
	uint32_t cpu;

	trc_perf_sample_read(e->attr, &record->data, &sample);
	if (is_again(s, e->attr, &sample)) { /* keep its place in the list; nothing new happened */
		trc_queue_add(q, e->time);
		return;
	}
	if (r->by_records)
		tell_own(r, q, s, e->attr, &sample, e->time);
	else if (!r->is_away && !e->attr->is_part)
		check_running(r, q, s, class_kind(r->classes, e->attr), sample.global, e->time);
	/* No mark goes before the first event of all CPUs. */
	if (e->time > r->survey->first && !r->by_records && !r->is_away)
		tell_first(r, q, s, e->attr, &sample, e->time);
	/* A CPU that came online after perf began becomes known with the first thread that is put on it
	 * (trc_perf_survey.c). */
	cpu = trc_perf_sample_meant(e->attr, &sample, TRC_PERF_CPUS_MAX);
	if (cpu < TRC_PERF_CPUS_MAX && !r->known[cpu]) {
		r->known[cpu] = true;
		trc_queue_unknown_from(q, cpu, e->time);
	}
	tell_cgroup(r, q, s, &sample, e->time);
	event = trc_queue_add(q, e->time);
	class_read(r->classes, e->attr, q, event, &sample);
	if (r->by_records && event->kind == MDL_EV_SCHED_SWITCH) {
		s->left = event->arg[MDL_SWITCH_PREV_TID];
		s->left_as = event->arg[MDL_SWITCH_PREV_STATE];
		event->kind = MDL_EV_NONE;
	}
	if (G_UNLIKELY(sample.counts.data))
		tell_counts(r, q, e->attr, &sample, event);
	trc_running_note(&s->running, event);
	s->began |= event->kind == MDL_EV_SCHED_SWITCH;
	s->misses &= event->kind != MDL_EV_SCHED_SWITCH;
	if (r->by_records)
		tell_own(r, q, s, e->attr, &sample, e->time);
	else if (!r->is_away)
		tell_first(r, q, s, e->attr, &sample, e->time);
}

/* Add the end of a thread. The kernel removes the events of the thread before its last switch
 * (perf_event_exit_task(), kernel/events/core.c), but not the events of its CPU. */
static void add_exit(const struct reading *r, struct trc_queue *q, struct stream *s,
	const struct trc_perf_entry *e, const struct trc_perf_record *record)
{
	int64_t tid = perf_number_of(record, FORK_TID);
	struct mdl_event *event;

	s->exits = tid;
	if (r->survey->foreign || !r->by_records || tid == MDL_ARG_ABSENT)
		return;
	event = trc_queue_aside(q, e->time);
	event->kind = MDL_EV_SCHED_SWITCH;
	event->cpu = s->of->cpu;
	event->arg[MDL_SWITCH_PREV_TID] = tid;
	event->arg[MDL_SWITCH_PREV_STATE] = MDL_PREV_DEAD;
	event->told = MDL_TOLD_STATE;
	trc_running_forget(&s->running);
}

static void add_entry(struct reading *r, struct trc_queue *q, struct stream *s,
	const struct trc_perf_entry *e)
{
	struct trc_perf_record record = trc_perf_list_record(s->list, e);

	if (e->attr && e->attr->is_switch) {
		add_switch(r, q, s, e, &record);
	} else if (e->attr) {
		add_sample(r, q, s, e, &record);
	} else if (record.type == TRC_PERF_EXIT) {
		add_exit(r, q, s, e, &record);
	} else if (record.type == TRC_PERF_LOST) {
		s->began = true;
		trc_running_forget(&s->running);
		trc_bytes_take(&record.data, 8);
		trc_queue_lost_inside(q, q->last == BASE_TIME_NONE ? e->time : q->last, e->time,
			trc_bytes_take_number(&record.data, 8));
	} else if (!r->survey->foreign) {
		/* The running thread writes the records about threads, in a system call. perf records them
		 * before it has enabled all tracepoints, sched_switch among them. */
		bool execs = record.type == TRC_PERF_COMM && record.misc & TRC_PERF_COMM_EXEC;
		int64_t tid = execs ? perf_number_of(&record, COMM_TID)
				    : trc_perf_place_tid(r->survey->head, &record);

		if (s->running.now >= 0 && !r->by_records && !r->is_away)
			check_running(r, q, s, MDL_EV_SYSCALL_EXIT, tid, e->time);
		task_read(trc_queue_aside(q, e->time), q, &record, false);
	}
}

/* ---- threads that existed before ---- */

static void fill_before(struct reading *r, struct trc_queue *q, struct stream *s)
{
	const GArray *tasks = r->survey->tasks;
	int64_t time = r->survey->first;

	for (; time != BASE_TIME_NONE && s->next < r->absent + tasks->len && trc_queue_has_room(q, 1);
		s->next++) {
		if (s->next < r->absent) {
			trc_queue_unknown_from(q, g_array_index(r->survey->absent, uint32_t, s->next), time);
		} else {
			uint64_t at = g_array_index(tasks, uint64_t, s->next - r->absent);
			struct trc_perf_record record = { .type = 0 };
			struct mdl_event *to = trc_queue_aside(q, time);

			trc_perf_record_next(&r->begin, &at, r->begin.size, &record);
			to->cpu = 0;
			task_read(to, q, &record, true);
		}
	}
	if (time == BASE_TIME_NONE || s->next == r->absent + tasks->len)
		trc_queue_end(q);
}

static void perf_fill(void *source, struct trc_queue *q)
{
	struct reading *r = source;
	struct stream *s = q->stream;

	if (!s->of)
		fill_before(r, q, s);
	while (s->of && trc_queue_has_room(q, 7)) {
		if (s->list && s->at < s->n)
			add_entry(r, q, s, &s->entries[s->at++]);
		else if (q->count > 0 || !next_packet(r, q, s))
			break;
	}
	if (r->survey->problem && !q->info->problem)
		q->info->problem = g_error_copy(r->survey->problem);
	if (trc_perf_lists_budget(r->lists)->refused && !q->info->problem)
		trc_budget_set_error(trc_perf_lists_budget(r->lists), q->info->path, &q->info->problem);
}

/* ---- events of a block again, with all their fields; the name of a stream is its CPU ---- */

struct page {
	struct trc_perf_list *list; /* owned */
	GPtrArray *events;          /* of struct trc_perf_entry *, weak: samples only */
};

static void *open_trace(char *const *folders, G_GNUC_UNUSED bool all, GError **error)
{
	struct trc_perf_head *h = trc_perf_head_open(folders[0], error);
	struct trc_perf_record r;
	uint64_t at = h ? h->end : 0;

	while (h && trc_perf_head_next(h, &at, &r))
		;
	if (h)
		trc_perf_place_find_cpus(h);
	if (!h || !h->problem)
		return h;
	g_propagate_error(error, g_steal_pointer(&h->problem));
	trc_perf_head_free(h);
	return NULL;
}

static void free_page(void *data)
{
	struct page *p = data;

	trc_perf_list_unref(p->list);
	g_ptr_array_unref(p->events);
	g_free(p);
}

static void *perf_read_page(void *trace, struct trc_paging_packet *packet, G_GNUC_UNUSED GError **error)
{
	struct page *p = g_new(struct page, 1);
	const struct trc_perf_entry *entries = NULL;
	guint64 cpu;
	unsigned n = 0;

	*p = (struct page){ trc_perf_list_new(trace, packet->offset, packet->size), g_ptr_array_new() };
	if (g_str_has_prefix(packet->stream, "cpu") &&
		g_ascii_string_to_unsigned(packet->stream + 3, 10, 0, TRC_PERF_CPUS_MAX, &cpu, NULL)) {
		trc_perf_list_keep(p->list, (uint32_t)cpu);
		entries = trc_perf_list_of(p->list, (uint32_t)cpu, &n);
	}
	for (unsigned i = 0; i < n; i++)
		if (entries[i].attr)
			g_ptr_array_add(p->events, (gpointer)&entries[i]);
	packet->events = p->events->len;
	return p;
}

static const struct trc_perf_entry *entry_at(const struct page *p, uint64_t i)
{
	return g_ptr_array_index(p->events, i);
}

/* Take the stack of thread TID, which leaves by record I: it was recorded with the sched_switch before. */
static void take_stack(const struct trc_perf_head *h, const struct page *p, uint64_t i, int64_t tid,
	const struct trc_taker *taker)
{
	g_autoptr(GString) text = g_string_new(NULL);

	while (i-- > 0) {
		const struct trc_perf_entry *e = entry_at(p, i);
		struct trc_perf_record record = trc_perf_list_record(p->list, e);
		struct trc_perf_sample s;

		if (e->attr->is_switch)
			return;
		if (!e->attr->event || !g_str_equal(e->attr->event->name, "sched:sched_switch"))
			continue;
		trc_perf_sample_read(e->attr, &record.data, &s);
		if (s.chain.data && trc_perf_place_by(h, &record, NULL) == tid)
			trc_format_class_stack("perf_callchain", s.chain, 8, text, taker);
		return;
	}
}

static void append_switch(const struct trc_perf_head *h, const struct page *p, uint64_t i,
	const struct trc_perf_record *r, GString *to, const struct trc_taker *taker)
{
	int64_t pid, tid = trc_perf_place_by(h, r, &pid);
	bool out = r->misc & TRC_PERF_SWITCH_OUT;

	g_string_append(to, "{ ");
	append_number(to, "perf_tid", true, (uint64_t)tid, taker);
	append_number(to, "perf_pid", true, (uint64_t)pid, taker);
	g_string_append(to, " }, { ");
	append_number(to, "out", true, out, taker);
	append_number(to, "preempt", true, !!(r->misc & TRC_PERF_SWITCH_RUNS), taker);
	if (r->type == TRC_PERF_SWITCH_CPU_WIDE && r->data.size >= SWITCH_TID + 4)
		append_number(to, out ? "next_tid" : "prev_tid", true,
			(uint64_t)perf_number_of(r, SWITCH_TID), taker);
	g_string_append(to, " }");
	if (out && taker)
		take_stack(h, p, i, tid, taker);
}

static bool perf_get_event(G_GNUC_UNUSED void *trace, void *page, uint64_t i, struct trc_paging_event *event,
	G_GNUC_UNUSED GError **error)
{
	const struct trc_perf_entry *e = entry_at(page, i);

	*event = (struct trc_paging_event){ .time = e->time,
		.cpu = e->cpu,
		.offset = e->offset,
		.name = trc_perf_head_name(e->attr) };
	return true;
}

static bool perf_get_fields(void *trace, void *page, uint64_t i, GString *to, const struct trc_taker *taker,
	G_GNUC_UNUSED GError **error)
{
	const struct trc_perf_entry *e = entry_at(page, i);
	struct trc_perf_record record = trc_perf_list_record(((const struct page *)page)->list, e);

	if (e->attr->is_switch)
		append_switch(trace, page, i, &record, to, taker);
	else
		append_sample(trace, e->attr, &record.data, to, taker);
	return true;
}

static void *perf_picker(G_GNUC_UNUSED void *trace, const char *const *names, unsigned n)
{
	return trc_format_picker_new(names, n);
}

/* A plan reads only the fields of the tracepoint. perf adds counters and fields "perf_…". */
static bool perf_pick(G_GNUC_UNUSED void *trace, void *page, uint64_t i, void *picker,
	struct trc_value *values)
{
	const struct trc_perf_entry *e = entry_at(page, i);
	const struct trc_perf_attr *a = e->attr;
	struct trc_perf_record record;
	struct trc_perf_sample s;

	if (a->is_switch || a->is_counter || trc_perf_attr_is_group(a) || !a->event ||
		trc_format_picker_wants(picker, "perf_"))
		return false;
	record = trc_perf_list_record(((const struct page *)page)->list, e);
	trc_perf_sample_read(a, &record.data, &s);
	return s.record.data && trc_format_pick(picker, a->event, &s.record, values);
}

/* True if the trace may have events NAME. A tracepoint's name has a ':', a counter's may have modifiers. A
 * pipe may declare events anywhere. */
static bool perf_declares(const void *trace, const char *name)
{
	const struct trc_perf_head *h = trace;

	for (guint i = 0; i < h->attrs->len; i++) {
		const struct trc_perf_attr *a = &g_array_index(h->attrs, struct trc_perf_attr, i);

		if (a->is_counter && a->has_samples && mdl_counter_is(trc_perf_head_name(a), name))
			return true;
	}
	return strchr(name, ':') ? trc_formats_declare(&h->formats, name) : h->is_pipe;
}

static const struct trc_paging_ops paging = {
	.open = open_trace,
	.free = (GDestroyNotify)trc_perf_head_free,
	.read = perf_read_page,
	.free_page = free_page,
	.event = perf_get_event,
	.fields = perf_get_fields,
	.picker_new = perf_picker,
	.picker_free = trc_format_picker_free,
	.pick = perf_pick,
	.declares = perf_declares,
};

const struct trc_source_ops trc_perf_ops = {
	.name = "perf",
	.open = perf_open,
	.fill = perf_fill,
	.free = perf_free,
	.paging = &paging,
};
