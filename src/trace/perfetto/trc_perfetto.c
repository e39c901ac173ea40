/* SPDX-License-Identifier: MIT */
/*
 * The reader of Perfetto's traces: a stream for each CPU, a block of the file with bundles of it is a packet.  A
 * stream of its own has the threads that traced found in /proc.
 *
 * A bundle tells whether events were lost before it: in the ring of the kernel (lost_events), or because traced's
 * buffer was full or overwritten, so that the bundle before it is not in the file (previous_bundle_end_timestamp is
 * later than the last event that is; before version 47, previous_packet_dropped).
 */
#include "trace/perfetto/trc_perfetto.h"

#include "base/base_error.h"
#include "base/base_search.h"
#include "trace/tracefs/trc_running.h"

#include <string.h>

#define KEPT 8             /* blocks */
#define EVENT_COST 32      /* of an event that was packed */
#define IN_PROCESS 0x10000 /* CLONE_THREAD: the new thread is one of the process */
/* enum trace_flag_type, include/linux/trace_events.h */
enum { FLAG_HARDIRQ = 0x08, FLAG_SOFTIRQ = 0x10, FLAG_NMI = 0x40 };

/* What an event without a description is called. */
#define UNDESCRIBED "perfetto:event"

struct stream {
	const struct trc_perfetto_stream *of; /* weak; NULL: of the threads in /proc */
	guint next;                           /* of the blocks of OF, or of the threads */
	struct trc_perfetto_block *block;     /* owned: at hand; NULL: none */
	guint at;                             /* the next of its packets */
	struct trc_perfetto_bundle bundle;
	struct trc_perfetto_walk walk;
	bool is_packed; /* the bundle was */
	bool in_bundle, had_bundle;
	bool loses;   /* the rest of the bundle before could not be read */
	uint64_t end; /* ns, BOOTTIME: its latest event so far */
	guint drop;   /* of the survey's: the first behind its last bundle */
	struct trc_running running;
};

struct reading {
	struct trc_perfetto_survey *survey;    /* weak */
	struct trc_perfetto_block *kept[KEPT]; /* owned, the last one first; NULL: none */
	GPtrArray *streams;                    /* of struct stream *, owned */
	struct trc_budget budget;              /* for events that were packed */
	bool forks;                            /* sched_process_fork is recorded */
	int64_t first;                         /* ns: of all events */
};

static void perfetto_stream_free(gpointer data)
{
	struct stream *s = data;

	trc_perfetto_walk_clear(&s->walk);
	trc_perfetto_block_unref(s->block);
	g_free(s);
}

static void perfetto_add_stream(struct reading *r, const struct trc_perfetto_stream *of, const char *name,
	struct trc_info *info, GPtrArray *queues)
{
	struct stream *s = g_new0(struct stream, 1);
	struct trc_queue *q = trc_queue_new(name, info);

	s->of = of;
	s->running = (struct trc_running)TRC_RUNNING_UNKNOWN;
	trc_perfetto_walk_init(&s->walk);
	q->stream = s;
	if (of)
		q->cpu = of->cpu;
	g_ptr_array_add(r->streams, s);
	g_ptr_array_add(queues, q);
}

static void *perfetto_open(void *survey, const GPtrArray *streams, G_GNUC_UNUSED GPtrArray *rest,
	struct trc_info *info, GPtrArray *queues, G_GNUC_UNUSED GError **error)
{
	struct reading *r = g_new0(struct reading, 1);
	const struct trc_perfetto_file *f = ((struct trc_perfetto_survey *)survey)->file;

	(void)streams; /* all there are */
	r->survey = survey;
	r->streams = g_ptr_array_new_with_free_func(perfetto_stream_free);
	r->budget = trc_budget_of_records(trc_budget_of(f->size), f->size);
	r->forks = g_hash_table_contains(info->classes, "sched:sched_process_fork");
	r->first = trc_perfetto_time(&r->survey->facts.zero, r->survey->first);
	for (guint i = 0; i < r->survey->streams->len; i++) {
		const struct trc_perfetto_stream *of = g_ptr_array_index(r->survey->streams, i);

		perfetto_add_stream(r, of, of->name, info, queues);
	}
	perfetto_add_stream(r, NULL, "threads", info, queues);
	return r;
}

static void perfetto_free(void *data)
{
	struct reading *r = data;

	g_ptr_array_unref(r->streams);
	for (unsigned i = 0; i < KEPT; i++)
		trc_perfetto_block_unref(r->kept[i]);
	g_free(r);
}

/* ---- blocks and bundles ---- */

/* Return block NUMBER; the caller unrefs.  NULL if it cannot be read. */
static struct trc_perfetto_block *block_of(struct reading *r, uint32_t number)
{
	const uint64_t *offsets = (const uint64_t *)(const void *)r->survey->offsets->data;
	struct trc_perfetto_block *b;
	unsigned i = 0;

	while (i < KEPT - 1 && r->kept[i] && r->kept[i]->offset != offsets[number])
		i++;
	b = r->kept[i];
	if (!b || b->offset != offsets[number]) {
		if (!b || b->refs > 1) { /* its memory is used again, unless somebody else has it */
			trc_perfetto_block_unref(b);
			b = trc_perfetto_block_new();
		}
		if (!trc_perfetto_block_read(b, r->survey->file, offsets[number], offsets[number + 1])) {
			trc_perfetto_block_unref(b);
			r->kept[i] = NULL;
			return NULL;
		}
	}
	memmove(&r->kept[1], &r->kept[0], i * sizeof r->kept[0]);
	r->kept[0] = b;
	return trc_perfetto_block_ref(b);
}

/* True if packets of the sequence of S were dropped between its last bundle and the one at OFFSET. */
static bool was_dropped(const struct reading *r, struct stream *s, uint64_t offset)
{
	const GArray *drops = r->survey->drops;
	bool was = false;

	for (; s->drop < drops->len; s->drop++) {
		const struct trc_perfetto_drop *d = &g_array_index(drops, struct trc_perfetto_drop, s->drop);

		if (d->offset > offset)
			break;
		was |= d->sequence == s->of->sequence;
	}
	return was;
}

/*
 * Events may be missing before the first one of the bundle of S, which is at TIME: tell of that.  Nothing is told before
 * the first event of all.
 */
static void tell_losses(const struct reading *r, struct trc_queue *q, struct stream *s, uint64_t offset,
	int64_t time)
{
	const struct trc_perfetto_bundle *b = &s->bundle;
	const struct trc_perfetto_zero *zero = &r->survey->facts.zero;
	uint64_t before = (b->has_before ? b->before : s->had_bundle ? 0 : b->last_read), until = 0;
	bool dropped = was_dropped(r, s, offset);
	int64_t from = q->last == BASE_TIME_NONE ? MIN(r->first + 1, time) : q->last;

	if (before > 0)
		before += b->ahead;
	if (b->lost || s->loses || (s->had_bundle && s->of->refused > 0) || (!b->has_before && dropped))
		until = UINT64_MAX;
	else if (before > s->end) /* from there on all events are in the file */
		until = before;
	s->loses = b->errors > 0;
	s->had_bundle = true;
	if (until == 0)
		return;
	trc_queue_lost_inside(q, from, CLAMP(trc_perfetto_time(zero, until), from, time), 0);
	trc_running_forget(&s->running);
}

/* The number of the next packet of S in BLOCK, from I on; that of all packets: there is none. */
static guint find_bundle(const struct trc_perfetto_stream *of, const struct trc_perfetto_block *block,
	guint i, struct trc_perfetto_bundle *bundle)
{
	for (; i < block->packets->len; i++) {
		const struct trc_perfetto_packet *p = &g_array_index(block->packets,
			struct trc_perfetto_packet, i);

		if (p->kind == TRC_PERFETTO_FTRACE && p->sequence == of->sequence &&
			trc_perfetto_bundle_read(bundle, p->body) && bundle->cpu == of->cpu)
			break;
	}
	return i;
}

/* Go on with the next bundle of the block of S; false: there is none. */
static bool next_bundle(struct stream *s)
{
	guint i = s->block ? find_bundle(s->of, s->block, s->at, &s->bundle) : 0;

	s->in_bundle = s->block && i < s->block->packets->len;
	if (!s->in_bundle)
		return false;
	s->at = i + 1;
	s->is_packed = g_array_index(s->block->packets, struct trc_perfetto_packet, i).is_packed;
	trc_perfetto_walk_begin(&s->walk, &s->bundle);
	return true;
}

/*
 * When the recording of the CPU began, if the first bundle, in BLOCK, is the first that traced wrote, and the kernel
 * overwrote nothing before it: with the others.  BASE_TIME_NONE: unknown.
 */
static int64_t begin_of(const struct reading *r, const struct stream *s)
{
	struct trc_perfetto_bundle b;
	guint i = find_bundle(s->of, s->block, 0, &b);

	return i < s->block->packets->len && b.has_before && b.before == 0 && !b.lost ? r->first
										      : BASE_TIME_NONE;
}

/* Go on with the next block; false: that was all. */
static bool next_block(struct reading *r, struct trc_queue *q, struct stream *s)
{
	if (s->block)
		trc_queue_packet_end(q);
	g_clear_pointer(&s->block, trc_perfetto_block_unref);
	if (s->next < s->of->blocks->len)
		s->block = block_of(r, g_array_index(s->of->blocks, uint32_t, s->next++));
	if (!s->block) {
		const GError *problem = r->survey->file->problem;

		if (problem && !q->info->problem)
			q->info->problem = g_error_copy(problem);
		trc_running_end(&s->running, q);
		if (r->survey->cut || s->loses || s->of->refused > 0)
			trc_queue_lost_rest(q, 0);
		trc_queue_end(q);
		return false;
	}
	s->at = 0;
	trc_queue_packet_begin(q, s->of->cpu, q->n_packets == 0 ? begin_of(r, s) : BASE_TIME_NONE);
	trc_queue_packet_place(q, s->block->offset, s->block->size);
	return true;
}

/* ---- events ---- */

static const struct trc_perfetto_class *perfetto_class_of(struct trc_perfetto_classes *all,
	const struct trc_perfetto_event *e)
{
	return e->number == TRC_PERFETTO_GENERIC ? trc_perfetto_class_named(all, &e->payload)
						 : trc_perfetto_class_of(all, e->number);
}

static const char *comm_of(struct trc_queue *q, const struct trc_wire *w)
{
	return w->at ? trc_queue_text(q, (const char *)w->at, trc_wire_size(w)) : NULL;
}

static int64_t known(int64_t number)
{
	return number == INT64_MIN ? MDL_ARG_ABSENT : number;
}

/* A switch or a waking of CompactSched. */
static void compact_read(const struct trc_perfetto_event *e, struct trc_queue *q, struct mdl_event *to,
	const struct trc_running *running)
{
	mdl_event_no_args(to);
	to->label = NULL;
	to->packet = NULL;
	to->text[0] = to->text[1] = NULL;
	if (e->number == TRC_PERFETTO_WAKING) {
		to->kind = MDL_EV_SCHED_WAKING;
		to->arg[MDL_WAKE_TID] = e->thread;
		to->arg[MDL_WAKE_TARGET_CPU] = known(e->target);
		to->text[0] = comm_of(q, &e->comm);
		return;
	}
	to->kind = MDL_EV_SCHED_SWITCH;
	if (running->now >= 0)
		to->arg[MDL_SWITCH_PREV_TID] = running->now;
	to->arg[MDL_SWITCH_PREV_STATE] = known(e->state);
	to->arg[MDL_SWITCH_NEXT_TID] = e->thread;
	to->arg[MDL_SWITCH_NEXT_PRIO] = known(e->priority);
	to->text[1] = comm_of(q, &e->comm);
}

/* task_newtask tells of a new thread before sched_process_fork does (copy_process(), kernel/fork.c): pid 1, comm 2,
 * clone_flags 3. */
static void newtask_read(const struct trc_perfetto_event *e, struct trc_queue *q, struct mdl_event *to)
{
	struct trc_wire w = e->payload;
	struct trc_wire_field f;
	uint64_t flags = IN_PROCESS;

	to->kind = MDL_EV_FORK;
	to->label = NULL;
	to->packet = NULL;
	mdl_event_no_args(to);
	to->text[0] = to->text[1] = NULL;
	to->arg[MDL_FORK_PARENT_TID] = e->tid < 0 ? MDL_ARG_ABSENT : e->tid;
	while (trc_wire_next(&w, &f))
		if (f.number == 1 && f.type == TRC_WIRE_NUMBER)
			to->arg[MDL_FORK_CHILD_TID] = (int32_t)f.value;
		else if (f.number == 2 && f.type == TRC_WIRE_BYTES)
			to->text[1] = comm_of(q, &f.bytes);
		else if (f.number == 3 && f.type == TRC_WIRE_NUMBER)
			flags = f.value;
	if (!(flags & IN_PROCESS))
		to->arg[MDL_FORK_CHILD_PID] = to->arg[MDL_FORK_CHILD_TID];
}

static uint8_t told_by(int64_t flags)
{
	if (flags < 0)
		return 0;
	return (uint8_t)(MDL_TOLD_WITHIN | (flags & (FLAG_HARDIRQ | FLAG_NMI) ? MDL_TOLD_IRQ : 0) |
		(flags & FLAG_SOFTIRQ ? MDL_TOLD_SOFTIRQ : 0));
}

/* Call before the event E, of KIND at TIME: tell who runs where no switch does. */
static void perfetto_check_running(const struct reading *r, struct trc_queue *q, struct stream *s,
	enum mdl_kind kind, const struct trc_perfetto_event *e, int64_t time)
{
	bool begins = trc_running_begins(&s->running, kind, e->tid);

	trc_running_wake(&s->running, q, kind, e->tid, time);
	if (trc_running_check(&s->running, kind, e->tid, time))
		trc_running_tell(&s->running, q, time, kind, true);
	else if (begins && time > r->first)
		trc_running_begin(&s->running, q, e->tid, time);
}

static bool perfetto_add_event(struct reading *r, struct trc_queue *q, struct stream *s,
	const struct trc_perfetto_event *e, bool first)
{
	int64_t time = trc_perfetto_time(&r->survey->facts.zero, e->time);
	const struct trc_perfetto_class *class = e->compact ? NULL : perfetto_class_of(r->survey->classes, e);
	enum mdl_kind kind = class ? trc_perfetto_class_kind(class) : MDL_EV_NONE;
	struct mdl_event *to;

	if (s->is_packed &&
		!trc_budget_spend(&r->budget, EVENT_COST,
			"it unpacks to more events than its size has room for")) {
		if (!q->info->problem)
			trc_budget_set_error(&r->budget, q->info->path, &q->info->problem);
		return false;
	}
	if (first)
		tell_losses(r, q, s,
			g_array_index(s->block->packets, struct trc_perfetto_packet, s->at - 1).offset, time);
	s->end = MAX(s->end, e->time);
	if (e->tid >= 0)
		perfetto_check_running(r, q, s, kind, e, time);
	to = trc_queue_add(q, time);
	if (e->compact)
		compact_read(e, q, to, &s->running);
	else if (e->number == TRC_PERFETTO_NEWTASK && !r->forks)
		newtask_read(e, q, to);
	else if (kind != MDL_EV_NONE)
		trc_perfetto_class_read(class, q, to, e->payload);
	if (to->kind == MDL_EV_NONE)
		return true;
	to->told = told_by(e->flags);
	if (to->kind == MDL_EV_SCHED_SWITCH || to->kind == MDL_EV_EXEC)
		trc_running_note(&s->running, to);
	else
		s->running.just = false;
	return true;
}

/* ---- threads in /proc ---- */

static void fill_threads(struct reading *r, struct trc_queue *q, struct stream *s)
{
	const struct trc_perfetto_survey *survey = r->survey;
	const GArray *threads = survey->facts.threads, *absent = survey->absent;

	for (; s->next < absent->len + threads->len && trc_queue_has_room(q, 1); s->next++) {
		const struct trc_perfetto_thread *t;
		struct mdl_event *to;

		if (s->next < absent->len) {
			trc_queue_unknown_from(q, g_array_index(absent, uint32_t, s->next), r->first);
			continue;
		}
		t = &g_array_index(threads, struct trc_perfetto_thread, s->next - absent->len);
		to = trc_queue_aside(q,
			trc_perfetto_time(&survey->facts.zero, CLAMP(t->time, survey->first, survey->last)));
		to->cpu = 0;
		to->kind = MDL_EV_DUMP_PROCESS;
		to->arg[MDL_DUMP_TID] = t->tid;
		if (t->pid >= 0)
			to->arg[MDL_DUMP_PID] = t->pid;
		if (t->ppid >= 0)
			to->arg[MDL_DUMP_PPID] = t->ppid;
		if (t->name)
			to->text[0] = trc_queue_text(q, t->name, strlen(t->name));
	}
	if (s->next == absent->len + threads->len)
		trc_queue_end(q);
}

static void perfetto_fill(void *source, struct trc_queue *q)
{
	struct reading *r = source;
	struct stream *s = q->stream;
	struct trc_perfetto_event e;
	bool first = false;

	if (!s->of) {
		fill_threads(r, q, s);
		return;
	}
	while (trc_queue_has_room(q, 6)) {
		if (s->in_bundle && trc_perfetto_walk_next(&s->walk, &e)) {
			if (!perfetto_add_event(r, q, s, &e, first)) {
				trc_queue_end(q);
				return;
			}
			first = false;
			continue;
		}
		/* (A bundle without events may be damaged, or tell of a loss: the next event is behind it.) */
		s->loses |= s->in_bundle &&
			(s->walk.damaged || (first && (s->bundle.lost || s->bundle.errors > 0)));
		first = next_bundle(s);
		if (!first && !next_block(r, q, s))
			return;
	}
}

/* ---- pages ---- */

/* A trace whose blocks are read anywhere. */
struct paging {
	struct trc_perfetto_file *file;       /* owned */
	struct trc_perfetto_classes *classes; /* owned */
	struct trc_perfetto_facts facts;      /* the clock alone */
	bool has_all;                         /* CLASSES has all descriptions */
};

struct page_event {
	int64_t time;                           /* ns */
	const struct trc_perfetto_class *class; /* weak; NULL: nothing describes it */
	struct trc_perfetto_event event;
};

struct page {
	struct trc_perfetto_block *block; /* owned */
	GArray *events;                   /* of struct page_event, owned */
	bool is_packed;
	uint32_t cpu;
};

static void paging_free(void *data)
{
	struct paging *p = data;

	trc_perfetto_facts_clear(&p->facts);
	trc_perfetto_classes_free(p->classes);
	trc_perfetto_file_free(p->file);
	g_free(p);
}

static void paging_describe(struct paging *p, const struct trc_perfetto_packet *packet)
{
	struct trc_wire w = packet->body;
	struct trc_wire_field f;

	while (packet->kind == TRC_PERFETTO_FTRACE && trc_wire_next(&w, &f))
		if (f.number == 11 && f.type == TRC_WIRE_BYTES)
			trc_perfetto_classes_describe(p->classes, f.bytes);
}

/* What is unpacked once more is known to have room. */
static void paging_has_room(struct paging *p)
{
	p->file->unpack = trc_budget_of_records(trc_budget_of(p->file->size), p->file->size);
}

/* Look at the blocks from the first on, until the clock is known; ALL: at all, for descriptions. */
static void paging_look(struct paging *p, bool all)
{
	struct trc_perfetto_block *b = trc_perfetto_block_new();
	uint64_t at = 0;
	bool cut = false;

	paging_has_room(p);
	for (guint n = 0; !cut && (all || !trc_perfetto_zero_is_settled(&p->facts.zero, n)) &&
		trc_perfetto_block_read(b, p->file, at, p->file->size) && b->size > 0;
		n++) {
		cut = b->cut;
		at += b->size;
		for (guint i = 0; i < b->packets->len; i++) {
			const struct trc_perfetto_packet *packet = &g_array_index(b->packets,
				struct trc_perfetto_packet, i);

			if (all)
				paging_describe(p, packet);
			else if (packet->kind == TRC_PERFETTO_CLOCKS && packet->machine == 0)
				trc_perfetto_facts_take(&p->facts, packet, n);
		}
	}
	trc_perfetto_block_unref(b);
}

static void *paging_open(char *const *folders, G_GNUC_UNUSED bool all, GError **error)
{
	struct trc_perfetto_file *f = trc_perfetto_file_open(folders[0], error);
	struct paging *p = f ? g_new0(struct paging, 1) : NULL;

	if (!p)
		return NULL;
	p->file = f;
	p->classes = trc_perfetto_classes_new(&f->budget);
	trc_perfetto_facts_init(&p->facts, &f->budget);
	paging_look(p, false);
	if (!f->problem)
		return p;
	g_propagate_error(error, g_error_copy(f->problem));
	paging_free(p);
	return NULL;
}

static void page_free(void *data)
{
	struct page *p = data;

	trc_perfetto_block_unref(p->block);
	g_array_unref(p->events);
	g_free(p);
}

/* The stream called NAME, "cpu0" or "cpu0.7"; *ANY: of any sequence. */
static bool stream_called(const char *name, struct trc_perfetto_stream *of, bool *any)
{
	guint64 cpu, sequence = 0;
	g_auto(GStrv) parts = g_str_has_prefix(name, "cpu") ? g_strsplit(name + 3, ".", 2) : NULL;

	if (!parts || !parts[0] || !g_ascii_string_to_unsigned(parts[0], 10, 0, TRC_CPUS_MAX, &cpu, NULL) ||
		(parts[1] && !g_ascii_string_to_unsigned(parts[1], 10, 0, UINT32_MAX, &sequence, NULL)))
		return false;
	*any = !parts[1];
	of->cpu = (uint32_t)cpu;
	of->sequence = (uint32_t)sequence;
	return true;
}

/* Add the events of BUNDLE, all after LATEST or at it. */
static void page_add(struct paging *p, struct page *page, const struct trc_perfetto_bundle *bundle,
	int64_t *latest)
{
	struct trc_perfetto_walk walk;
	struct page_event e;

	trc_perfetto_walk_init(&walk);
	trc_perfetto_walk_begin(&walk, bundle);
	while (trc_perfetto_walk_next(&walk, &e.event)) {
		e.class = perfetto_class_of(p->classes, &e.event);
		if (!e.class && !p->has_all) {
			p->has_all = true;
			paging_look(p, true);
			e.class = perfetto_class_of(p->classes, &e.event);
		}
		e.time = MAX(*latest, trc_perfetto_time(&p->facts.zero, e.event.time));
		*latest = e.time;
		g_array_append_val(page->events, e);
	}
	trc_perfetto_walk_clear(&walk);
}

static void *page_read(void *trace, struct trc_paging_packet *packet, GError **error)
{
	struct paging *p = trace;
	struct page *page = g_new0(struct page, 1);
	struct trc_perfetto_stream of = { 0 };
	int64_t latest = packet->latest;
	bool any = false, known_name = stream_called(packet->stream, &of, &any);

	page->block = trc_perfetto_block_new();
	page->events = g_array_new(FALSE, FALSE, sizeof(struct page_event));
	page->cpu = of.cpu;
	paging_has_room(p);
	if (known_name)
		trc_perfetto_block_read(page->block, p->file, packet->offset, packet->offset + packet->size);
	if (p->file->problem) {
		g_propagate_error(error, g_steal_pointer(&p->file->problem));
		page_free(page);
		return NULL;
	}
	for (guint i = 0; i < page->block->packets->len; i++) {
		const struct trc_perfetto_packet *at = &g_array_index(page->block->packets,
			struct trc_perfetto_packet, i);
		struct trc_perfetto_bundle bundle;

		if (at->kind != TRC_PERFETTO_FTRACE || (!any && at->sequence != of.sequence) ||
			!trc_perfetto_bundle_read(&bundle, at->body) || bundle.cpu != of.cpu)
			continue;
		page->is_packed |= at->is_packed;
		page_add(p, page, &bundle, &latest);
	}
	packet->events = page->events->len;
	return page;
}

static const struct page_event *page_at(const struct page *page, uint64_t i)
{
	return &g_array_index(page->events, struct page_event, i);
}

static bool page_get(G_GNUC_UNUSED void *trace, void *data, uint64_t i, struct trc_paging_event *event,
	G_GNUC_UNUSED GError **error)
{
	const struct page *page = data;
	const struct page_event *e = page_at(page, i);

	*event = (struct trc_paging_event){ .time = e->time,
		.cpu = page->cpu,
		.offset = page->is_packed ? -1 : e->event.place - page->block->bytes,
		.name = e->class ? trc_perfetto_class_name(e->class) : UNDESCRIBED };
	return true;
}

static bool page_find(G_GNUC_UNUSED void *trace, void *data, int64_t time, uint64_t *found,
	G_GNUC_UNUSED GError **error)
{
	const GArray *events = ((const struct page *)data)->events;

	*found = events->len == 0
		? 0
		: base_search_below(&page_at(data, 0)->time, events->len, sizeof(struct page_event), time);
	return true;
}

static void append_compact(const struct trc_perfetto_event *e, GString *to, const struct trc_taker *taker)
{
	bool is_switch = e->number == TRC_PERFETTO_SWITCH;
	const struct {
		const char *name;
		int64_t number;
	} numbers[] = { { "prev_state", e->state }, { is_switch ? "next_pid" : "pid", e->thread },
		{ is_switch ? "next_prio" : "prio", e->priority }, { "target_cpu", e->target } };

	if (e->comm.at)
		trc_perfetto_text_bytes(to, is_switch ? "next_comm" : "comm", &e->comm, taker);
	for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
		if (numbers[i].number != INT64_MIN)
			trc_perfetto_text_number(to, numbers[i].name, 'i', (uint64_t)numbers[i].number,
				taker);
}

static bool page_fields(G_GNUC_UNUSED void *trace, void *data, uint64_t i, GString *to,
	const struct trc_taker *taker, G_GNUC_UNUSED GError **error)
{
	const struct page_event *e = page_at(data, i);

	if (e->event.flags >= 0 || e->event.tid >= 0) {
		g_string_append(to, "{ ");
		if (e->event.flags >= 0)
			trc_perfetto_text_number(to, "common_flags", 'u', (uint64_t)e->event.flags, taker);
		if (e->event.tid >= 0)
			trc_perfetto_text_number(to, "common_pid", 'i', (uint64_t)e->event.tid, taker);
		g_string_append(to, " }, ");
	}
	g_string_append(to, "{ ");
	if (e->event.compact)
		append_compact(&e->event, to, taker);
	else if (e->class)
		trc_perfetto_class_fields(e->class, e->event.payload, to, taker);
	g_string_append(to, " }");
	return true;
}

static const struct trc_paging_ops paging = {
	.open = paging_open,
	.free = paging_free,
	.read = page_read,
	.free_page = page_free,
	.event = page_get,
	.find = page_find,
	.fields = page_fields,
};

const struct trc_source_ops trc_perfetto_ops = {
	.name = "perfetto",
	.open = perfetto_open,
	.fill = perfetto_fill,
	.free = perfetto_free,
	.paging = &paging,
};
