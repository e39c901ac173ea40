/* SPDX-License-Identifier: MIT */
#include "trace/perf/trc_perf.h"

#include "trace/core/trc_paging.h"
#include "trace/tracefs/trc_format.h"

struct class
{
	struct trc_format_class *of; /* owned */
	unsigned pid; /* the argument that is the process of the thread at hand; MDL_ARGS none */
};

struct trc_perf_classes {
	const struct trc_perf_head *head; /* weak */
	GHashTable *of_events;            /* owned: event → struct class *, owned */
	struct class **all;               /* owned: for each attr, weak; NULL: it tells the model nothing */
};

/* ---- for the model ---- */

/* The switches of some threads do not tell who ran besides, and since when they run again: in the kernel
 * perf_tp_event() is called for who leaves (kernel/events/core.c). */
bool trc_perf_class_is_whole(const struct trc_perf_attr *a, bool some_threads)
{
	return a->event && a->is_usable && !a->is_sampled &&
		!(some_threads && g_str_equal(a->event->name, "sched:sched_switch"));
}

static void class_free(void *data)
{
	struct class *class = data;

	g_free(class->of);
	g_free(class);
}

/* Several attrs may be of one event. */
static struct class *class_for(const struct trc_perf_classes *c, const struct trc_format_event *event)
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

struct trc_perf_classes *trc_perf_classes_new(const struct trc_perf_head *h, bool some_threads)
{
	struct trc_perf_classes *c = g_new(struct trc_perf_classes, 1);

	*c = (struct trc_perf_classes){ .head = h,
		.of_events = g_hash_table_new_full(NULL, NULL, NULL, class_free),
		.all = g_new0(struct class *, h->attrs->len) };
	for (guint i = 0; i < h->attrs->len; i++) {
		const struct trc_perf_attr *a = &g_array_index(h->attrs, struct trc_perf_attr, i);

		if (trc_perf_class_is_whole(a, some_threads))
			c->all[i] = class_for(c, a->event);
	}
	return c;
}

const struct trc_perf_attr *trc_perf_classes_switch(const struct trc_perf_classes *c)
{
	guint i = 0;

	while (i < c->head->attrs->len &&
		(!c->all[i] || trc_format_class_kind(c->all[i]->of) != MDL_EV_SCHED_SWITCH))
		i++;
	return (const struct trc_perf_attr *)(const void *)c->head->attrs->data + i;
}

void trc_perf_classes_free(struct trc_perf_classes *c)
{
	g_hash_table_unref(c->of_events);
	g_free(c->all);
	g_free(c);
}

/* NULL: it tells the model nothing. */
static const struct class *perf_class_class_of(const struct trc_perf_classes *c,
	const struct trc_perf_attr *a)
{
	return c->all[a - (const struct trc_perf_attr *)(const void *)c->head->attrs->data];
}

enum mdl_kind trc_perf_class_kind(const struct trc_perf_classes *c, const struct trc_perf_attr *a)
{
	const struct class *class = perf_class_class_of(c, a);

	return class ? trc_format_class_kind(class->of) : MDL_EV_NONE;
}

void trc_perf_class_read(const struct trc_perf_classes *c, const struct trc_perf_attr *a, struct trc_queue *q,
	struct mdl_event *event, const struct trc_perf_sample *sample)
{
	const struct class *class = perf_class_class_of(c, a);

	if (!class || !sample->record.data)
		return;
	trc_format_class_read(class->of, q, event, &sample->record);
	if (event->kind != MDL_EV_NONE && class->pid < MDL_ARGS && sample->tid == sample->global)
		event->arg[class->pid] = sample->pid;
}

/* A number of a record that is about threads. */
static int64_t perf_class_number_of(const struct trc_perf_record *r, unsigned at)
{
	return r->data.size < at + 4 ? MDL_ARG_ABSENT
				     : (int32_t)trc_bytes_number(r->data.data + at, 4, r->data.big);
}

/* Where the process, its parent's, the thread and its parent stand in FORK; COMM has two of them, and a name.
 */
enum { FORK_PID = 8, FORK_PPID = 12, FORK_TID = 16, FORK_PTID = 20 };
enum { COMM_PID = 8, COMM_TID = 12, COMM_NAME = 16 };

int64_t trc_perf_class_tid(const struct trc_perf_record *record)
{
	int64_t tid = perf_class_number_of(record, COMM_TID);

	return tid == MDL_ARG_ABSENT ? -1 : tid;
}

/* Of all threads that there were perf wrote a FORK, of each but the first of a process by that, and a COMM
 * (perf_event__synthesize_threads(), tools/perf/util/synthetic-events.c). */
static void set_dump(struct mdl_event *event, struct trc_queue *q, const struct trc_perf_record *r)
{
	bool fork = r->type == TRC_PERF_FORK;
	int64_t pid = perf_class_number_of(r, fork ? FORK_PID : COMM_PID);

	event->kind = MDL_EV_DUMP_PROCESS;
	event->arg[MDL_DUMP_TID] = perf_class_number_of(r, fork ? FORK_TID : COMM_TID);
	event->arg[MDL_DUMP_PID] = pid;
	if (fork && perf_class_number_of(r, FORK_PPID) != pid)
		event->arg[MDL_DUMP_PPID] = perf_class_number_of(r, FORK_PPID);
	if (!fork && r->data.size > COMM_NAME)
		event->text[0] = trc_queue_text(q, (const char *)r->data.data + COMM_NAME,
			r->data.size - COMM_NAME);
}

void trc_perf_class_task(struct mdl_event *event, struct trc_queue *q, const struct trc_perf_record *r,
	bool before)
{
	if (before) {
		set_dump(event, q, r);
	} else if (r->type == TRC_PERF_FORK) {
		event->kind = MDL_EV_FORK;
		event->arg[MDL_FORK_PARENT_TID] = perf_class_number_of(r, FORK_PTID);
		event->arg[MDL_FORK_PARENT_PID] = perf_class_number_of(r, FORK_PPID);
		event->arg[MDL_FORK_CHILD_TID] = perf_class_number_of(r, FORK_TID);
		event->arg[MDL_FORK_CHILD_PID] = perf_class_number_of(r, FORK_PID);
	} else if (r->data.size > COMM_NAME) {
		event->kind = MDL_EV_SCHED_RENAME;
		event->arg[0] = perf_class_number_of(r, COMM_TID);
		event->text[0] = trc_queue_text(q, (const char *)r->data.data + COMM_NAME,
			r->data.size - COMM_NAME);
	}
}

/* ---- for people ---- */

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

void trc_perf_class_fields(const struct trc_perf_attr *a, const struct trc_bytes *sample, GString *to,
	const struct trc_taker *taker)
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
	if (!a->event || !s.record.data)
		return;
	g_string_append(to, ", ");
	trc_format_class_fields(a->event, &s.record, to, taker);
}
