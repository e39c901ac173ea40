/* SPDX-License-Identifier: MIT */
/*
 * How it works: the reader of Perfetto's traces. Each CPU is a stream; a block of the file that has bundles
 * of the CPU is a packet. One more stream has the threads that traced found in /proc. Each sequence with
 * track events has a stream, too; these have no CPU, and the model does not get them.
 *
 * A bundle shows whether events were lost before it. The kernel's ring lost them (lost_events), or traced's
 * buffer was full or overwritten, so that the bundle before is not in the file: previous_bundle_end_timestamp
 * is then later than the last event in the file (before version 47: previous_packet_dropped).
 */
#include "trace/perfetto/trc_perfetto_track.h"

#include "base/base_error.h"
#include "trace/tracefs/trc_format.h"
#include "trace/tracefs/trc_running.h"

#include <string.h>

#define KEPT 8             /* blocks */
#define MARKS_AT_ONCE 64   /* a trace may have many sequences, so their queues stay small */
#define EVENT_COST 32      /* of an unpacked event */
#define IN_PROCESS 0x10000 /* CLONE_THREAD: the new thread belongs to the process */

struct stream {
	const struct trc_perfetto_stream *of; /* weak; NULL: the stream of threads in /proc */
	guint next;      /* number of the next run of OF->blocks, or of the next thread … */
	uint32_t within; /* … and of the block in that run */
	struct trc_perfetto_block *block; /* owned: the current block; NULL: none */
	guint at;                         /* its next packet */
	struct trc_perfetto_bundle bundle;
	struct trc_perfetto_walk walk;
	bool is_packed; /* true if the bundle was packed */
	bool in_bundle, had_bundle;
	bool loses;   /* the rest of the last bundle could not be read */
	uint64_t end; /* latest event so far, by the clock of the events */
	guint drop;   /* of the survey's drops: the first after its last bundle */
	struct trc_running running;
	/* For track events: */
	struct trc_perfetto_state state;
	GArray *marks;  /* of struct trc_perfetto_mark, owned: of the block; AT is the next; NULL: none */
	int64_t latest; /* ns: latest event so far; INT64_MIN: none */
};

struct reading {
	struct trc_perfetto_survey *survey;    /* weak */
	struct trc_perfetto_block *kept[KEPT]; /* owned, the last used one first; NULL: none */
	GPtrArray *streams;                    /* of struct stream *, owned */
	struct trc_budget budget;              /* for unpacked events */
	bool forks;                            /* sched_process_fork is recorded */
	int64_t first;                         /* ns: the first event */
};

static void perfetto_stream_free(gpointer data)
{
	struct stream *s = data;

	trc_perfetto_walk_clear(&s->walk);
	trc_perfetto_block_unref(s->block);
	g_clear_pointer(&s->marks, g_array_unref);
	g_free(s);
}

static void perfetto_add_stream(struct reading *r, const struct trc_perfetto_stream *of, const char *name,
	struct trc_info *info, GPtrArray *queues)
{
	struct stream *s = g_new0(struct stream, 1);
	struct trc_queue *q = trc_queue_new(name, info);

	s->of = of;
	s->running = (struct trc_running)TRC_RUNNING_UNKNOWN;
	s->state = TRC_PERFETTO_STATE_NEW;
	s->latest = INT64_MIN;
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

	(void)streams; /* it reads all streams */
	r->survey = survey;
	r->streams = g_ptr_array_new_with_free_func(perfetto_stream_free);
	r->budget = trc_budget_of_records(trc_budget_of(f->size), f->size);
	if (f->is_part) /* All parts together may have as many events as one file. */
		r->budget.left = (uint64_t)((double)r->budget.left *
			((double)f->own / (double)MAX(f->all, 1)));
	r->forks = g_hash_table_contains(info->classes, "sched:sched_process_fork");
	r->first = trc_perfetto_time(&r->survey->facts.zero, r->survey->first);
	for (guint i = 0; i < r->survey->programs->len; i++) {
		const struct trc_perfetto_stream *of = g_ptr_array_index(r->survey->programs, i);

		perfetto_add_stream(r, of, of->name, info, queues);
	}
	/* Without the kernel's events the threads in /proc have no states. */
	if (!trc_perfetto_survey_has_kernel(r->survey))
		return r;
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

/* Return the block at OFFSET (weak) if a stream of R uses it; else NULL. If the bundles of CPUs are far apart
 * in the file, more blocks are in use than are kept. */
static struct trc_perfetto_block *block_in_use(const struct reading *r, uint64_t offset)
{
	for (guint i = 0; i < r->streams->len; i++) {
		struct trc_perfetto_block *b =
			((const struct stream *)g_ptr_array_index(r->streams, i))->block;

		if (b && b->offset == offset)
			return b;
	}
	return NULL;
}

/* Return block NUMBER; the caller unrefs.  NULL if it cannot be read. */
static struct trc_perfetto_block *block_of(struct reading *r, uint32_t number)
{
	const uint64_t *offsets = (const uint64_t *)(const void *)r->survey->offsets->data;
	struct trc_perfetto_block *b = block_in_use(r, offsets[number]);
	unsigned i = 0;

	if (b)
		return trc_perfetto_block_ref(b);
	while (i < KEPT - 1 && r->kept[i] && r->kept[i]->offset != offsets[number])
		i++;
	b = r->kept[i];
	if (!b || b->offset != offsets[number]) {
		if (!b || b->refs > 1) { /* reuse its memory if nothing else refers to it */
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

/* Return the next block of S; the caller unrefs. NULL at the end, or if it cannot be read. */
static struct trc_perfetto_block *stream_block(struct reading *r, struct stream *s)
{
	const struct trc_perfetto_blocks *run;
	uint32_t number;

	if (s->next == s->of->blocks->len)
		return NULL;
	run = &g_array_index(s->of->blocks, struct trc_perfetto_blocks, s->next);
	number = run->first + s->within++;
	if (s->within == run->n) {
		s->next++;
		s->within = 0;
	}
	return block_of(r, number);
}

/* True if packets of S's sequence were dropped between its last bundle and the one at OFFSET. */
static bool was_dropped(const struct reading *r, struct stream *s, uint64_t offset)
{
	const GArray *drops = r->survey->drops;
	bool was = false;

	for (guint i = s->drop; i < drops->len; i++) {
		const struct trc_perfetto_drop *d = &g_array_index(drops, struct trc_perfetto_drop, i);

		if (d->offset > offset)
			break;
		was |= d->sequence == s->of->sequence || d->sequence == 0;
		/* It is unknown before which of the bundles packed together they were dropped. */
		if (!s->is_packed || d->offset < offset)
			s->drop = i + 1;
	}
	return was;
}

/*
 * Mark a gap if events may be missing before the first one of S's bundle, which is at TIME. No mark goes
 * before the first event of all CPUs.
 */
static void tell_losses(const struct reading *r, struct trc_queue *q, struct stream *s, uint64_t offset,
	int64_t time)
{
	const struct trc_perfetto_bundle *b = &s->bundle;
	const struct trc_perfetto_zero *zero = &r->survey->facts.zero;
	uint64_t before = (b->has_before ? b->before : s->had_bundle ? 0 : b->last_read), until = 0;
	bool dropped = was_dropped(r, s, offset);
	int64_t from = q->last == BASE_TIME_NONE ? MIN(r->first + 1, time) : q->last;

	if (b->lost || s->loses || (s->had_bundle && s->of->refused > 0) || (!b->has_before && dropped))
		until = UINT64_MAX;
	else if (before > s->end && (s->had_bundle || trc_perfetto_time(zero, before + b->ahead) > r->first))
		until = before + b->ahead; /* from there on the file has all events */
	s->loses = b->errors > 0;
	s->had_bundle = true;
	if (until == 0)
		return;
	trc_queue_lost_inside(q, from, CLAMP(trc_perfetto_time(zero, until), from, time), 0);
	trc_running_forget(&s->running);
}

/* Return the number of the next packet of S in BLOCK, from I on; the number of packets: there is none. */
static guint find_bundle(const struct trc_perfetto_stream *of, const struct trc_perfetto_block *block,
	guint i, struct trc_perfetto_bundle *bundle)
{
	for (; i < block->packets->len; i++) {
		const struct trc_perfetto_packet *p = &g_array_index(block->packets,
			struct trc_perfetto_packet, i);

		if (p->cpu == of->cpu && p->sequence == of->sequence &&
			trc_perfetto_bundle_read(bundle, p->body))
			break;
	}
	return i;
}

/* Continue with the next bundle of S's block. False if there is none. */
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

/* Return the time of the first event of all CPUs, if no event is missing between it and the first bundle of
 * S: this is the first bundle that traced wrote, or the one before it ended earlier, and the kernel overwrote
 * nothing. BASE_TIME_NONE: unknown. */
static int64_t begin_of(const struct reading *r, const struct stream *s)
{
	struct trc_perfetto_bundle b;
	guint i = find_bundle(s->of, s->block, 0, &b);

	return i < s->block->packets->len && b.has_before && !b.lost &&
			(b.before == 0 ||
				trc_perfetto_time(&r->survey->facts.zero, b.before + b.ahead) <= r->first)
		? r->first
		: BASE_TIME_NONE;
}

/* Continue with the next block. False at the end. */
static bool next_block(struct reading *r, struct trc_queue *q, struct stream *s)
{
	if (s->block)
		trc_queue_packet_end(q);
	g_clear_pointer(&s->block, trc_perfetto_block_unref);
	s->block = stream_block(r, s);
	if (!s->block) {
		const GError *problem = r->survey->file->problem;

		if (problem && !q->info->problem)
			q->info->problem = g_error_copy(problem);
		trc_running_end(&s->running, q);
		if (r->survey->cut || s->loses || s->of->refused > 0 || s->of->full)
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

static const char *comm_of(struct trc_queue *q, const struct trc_wire *w)
{
	return w->at ? trc_queue_text(q, (const char *)w->at, trc_wire_size(w)) : NULL;
}

static int64_t known(int64_t number)
{
	return number == INT64_MIN ? MDL_ARG_ABSENT : number;
}

/* Read a switch or waking of CompactSched. */
static void compact_read(const struct trc_perfetto_event *e, struct trc_queue *q, struct mdl_event *to,
	const struct trc_running *running)
{
	mdl_event_begin(to, e->number == TRC_PERFETTO_WAKING ? MDL_EV_SCHED_WAKING : MDL_EV_SCHED_SWITCH,
		NULL);
	if (e->number == TRC_PERFETTO_WAKING) {
		to->arg[MDL_WAKE_TID] = e->thread;
		to->arg[MDL_WAKE_TARGET_CPU] = known(e->target);
		to->text[0] = comm_of(q, &e->comm);
		return;
	}
	if (running->now >= 0)
		to->arg[MDL_SWITCH_PREV_TID] = running->now;
	to->arg[MDL_SWITCH_PREV_STATE] = known(e->state);
	to->arg[MDL_SWITCH_NEXT_TID] = e->thread;
	to->arg[MDL_SWITCH_NEXT_PRIO] = known(e->priority);
	to->text[1] = comm_of(q, &e->comm);
}

/* Read task_newtask: pid 1, comm 2, clone_flags 3. The kernel writes it before sched_process_fork
 * (copy_process(), kernel/fork.c). */
static void newtask_read(const struct trc_perfetto_event *e, struct trc_queue *q, struct mdl_event *to)
{
	struct trc_wire w = e->payload;
	struct trc_wire_field f;
	uint64_t flags = IN_PROCESS;

	mdl_event_begin(to, MDL_EV_FORK, NULL);
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

static bool perfetto_add_event(struct reading *r, struct trc_queue *q, struct stream *s,
	const struct trc_perfetto_event *e, bool first)
{
	int64_t time = trc_perfetto_time(&r->survey->facts.zero, e->time);
	const struct trc_perfetto_class *class = e->compact ? NULL
							    : trc_perfetto_class_for(r->survey->classes, e);
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
	s->end = MAX(s->end, e->time - s->bundle.ahead);
	if (e->tid >= 0)
		trc_running_before(&s->running, q, kind, e->tid, time, r->first);
	to = trc_queue_add(q, time);
	if (e->compact)
		compact_read(e, q, to, &s->running);
	else if (e->number == TRC_PERFETTO_NEWTASK && !r->forks)
		newtask_read(e, q, to);
	else if (kind != MDL_EV_NONE)
		trc_perfetto_class_read(class, q, to, e->payload);
	if (to->kind == MDL_EV_NONE)
		return true;
	to->told = e->flags < 0 ? 0 : trc_format_told((uint64_t)e->flags);
	trc_running_note(&s->running, to);
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

/* ---- track events ---- */

/* Continue with the next block of S. False at the end. */
static bool next_marks(struct reading *r, struct trc_queue *q, struct stream *s)
{
	struct trc_perfetto_survey *survey = r->survey;
	struct trc_perfetto_block *b;

	if (s->marks)
		trc_queue_packet_end(q);
	g_clear_pointer(&s->marks, g_array_unref);
	b = stream_block(r, s);
	if (!b) {
		if (survey->file->problem && !q->info->problem)
			q->info->problem = g_error_copy(survey->file->problem);
		trc_queue_end(q);
		return false;
	}
	s->at = 0;
	s->marks = g_array_new(FALSE, FALSE, sizeof(struct trc_perfetto_mark));
	survey->lost += trc_perfetto_marks_read(s->marks, &s->state, survey->clocks, &survey->facts.zero, b,
		s->of->sequence, s->latest);
	trc_queue_packet_begin(q, TRC_CPU_UNKNOWN, BASE_TIME_NONE);
	q->packet.cpu = TRC_CPU_NONE;
	trc_queue_packet_place(q, b->offset, b->size);
	trc_perfetto_block_unref(b);
	return true;
}

/* True if MARK is within the recording of the kernel. */
static bool is_inside(const struct reading *r, const struct trc_perfetto_mark *mark)
{
	const struct trc_perfetto_survey *s = r->survey;

	return !trc_perfetto_survey_has_kernel(s) ||
		(mark->time >= r->first && mark->time <= trc_perfetto_time(&s->facts.zero, s->last));
}

static void fill_marks(struct reading *r, struct trc_queue *q, struct stream *s)
{
	while (q->count < MARKS_AT_ONCE) {
		const struct trc_perfetto_mark *mark;

		if (!s->marks || s->at == s->marks->len) {
			if (q->count > 0 || !next_marks(r, q, s))
				return;
			continue;
		}
		mark = &g_array_index(s->marks, struct trc_perfetto_mark, s->at++);
		if (!trc_budget_spend(&r->budget, EVENT_COST,
			    "it unpacks to more events than its size has room for")) {
			if (!q->info->problem)
				trc_budget_set_error(&r->budget, q->info->path, &q->info->problem);
			trc_queue_end(q);
			return;
		}
		if (!is_inside(r, mark)) {
			r->survey->outside++;
			continue;
		}
		r->survey->late += mark->time != mark->told;
		s->latest = mark->time;
		trc_queue_add(q, mark->time);
	}
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
	if (s->of->is_marks) {
		fill_marks(r, q, s);
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
		/* A bundle without events may be damaged or report a loss. The next event comes after it. */
		s->loses |= s->in_bundle &&
			(s->walk.damaged || (first && (s->bundle.lost || s->bundle.errors > 0)));
		first = next_bundle(s);
		if (!first && (q->count > 0 || !next_block(r, q, s)))
			return;
	}
}

const struct trc_source_ops trc_perfetto_ops = {
	.name = "perfetto",
	.open = perfetto_open,
	.fill = perfetto_fill,
	.free = perfetto_free,
	.paging = &trc_perfetto_paging,
};
