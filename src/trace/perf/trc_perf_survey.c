/* SPDX-License-Identifier: MIT */
/*
 * perf record empties the buffer of one CPU after the other, in rounds. So the file has runs of records of
 * one CPU. Within a CPU times ascend, with two exceptions: an interrupt may come between the time of an event
 * and its place in the buffer (perf_prepare_sample(), then perf_output_begin(), kernel/events/core.c), and an
 * overwritten buffer is read from its newest record backwards.
 *
 * How it works: the file is cut into blocks. If a record is older than a record of its CPU in an earlier
 * block, all blocks from there on are joined. Within a block, records are sorted by time. So for each CPU a
 * block of the file is what a packet is in LTTng. FINISHED_ROUND is not needed: it orders all CPUs at once.
 *
 * No join reaches back more than JOINED_MOST. So blocks that far back are settled, and the reader need not
 * wait for the rest of a long file. It waits if the file does not say which CPUs may have events, or if the
 * file has the earlier threads at its end.
 *
 * While the reader uses settled blocks, a thread surveys the next STRIDE bytes. It is joined before anything
 * that it found is used, so no lock is needed.
 */
#include "trace/perf/trc_perf.h"

#include "base/base_memory.h"
#include "base/base_time.h"

#include <string.h>

#define BLOCK_SIZE (256 * 1024)  /* bytes; then a block ends at the end of a run … */
#define BLOCK_MOST (1024 * 1024) /* … or within it */
#define JOINED_MOST (64 * 1024 * 1024)
#define STRIDE (16 * 1024 * 1024)
#define COMPARED 1000     /* samples */
#define COMMON_APART 4096 /* bytes: pieces for every cut are joined across shorter distances … */
#define COMMON_MOST 65536 /* … and across longer ones if there are more pieces */
#define RECORD_COST 96    /* bytes for a smaller unpacked record in its list */
#define CGROUP_COST 128   /* bytes, beside the path, which is in the file */
#define SOON 10000000     /* ns: the file may end before a woken thread runs */

/* ---- blocks ---- */

/* A piece of the file. It ends where the next one begins. */
struct piece {
	uint64_t offset;
	bool joined; /* it forms a block with the piece before */
};

/* Records of a CPU in a piece. */
struct part {
	uint32_t piece;
	int64_t last; /* ns: the latest, of earlier ones too */
};

/* A CPU, as known from the surveyed records. */
struct seen {
	struct trc_perf_cpu cpu; /* result; LOST and TOLD are counted here */
	GArray *parts;           /* of struct part */
	guint n_taken;           /* number of PARTS whose blocks the reader has */
	bool has_events;
};

struct trc_perf_walk {
	struct trc_perf_survey *s; /* weak */
	struct trc_budget budget;  /* memory that may still be used for the file */
	GThread *thread;           /* NULL: not running */
	gint stop;                 /* set: the thread must end */
	uint64_t at;               /* bytes surveyed so far … */
	bool ended;                /* … and there are no more */
	uint64_t enough;           /* the reader can begin when AT reaches this … */
	bool must_see_all;         /* … or at the end only */
	unsigned n_seen;           /* CPUs with events */
	GArray *pieces;            /* of struct piece */
	GArray *common;            /* owned, of struct trc_piece: result … */
	uint64_t apart;            /* … in which closer pieces are joined */
	uint32_t settled;          /* number of PIECES that will not be joined any more */
	struct seen **cpus;        /* by number; NULL: no record of it yet */
	bool foreign;              /* as in the survey, and … */
	int64_t first, last;       /* … also these */
	uint64_t *counted;         /* owned: samples of each attr that is a counter */
	uint32_t group;            /* the first piece joined with the current one */
	uint32_t cpu;              /* of the record before */
	unsigned compared, other;  /* compared numbers of threads, and those that differ */
	GPtrArray *cgroups;        /* of struct cgroup *, owned: not yet with the reader */
	GHashTable *recorded;      /* set of CPUs on which events were opened */
	int64_t *meant; /* owned: of each CPU, when a thread was last put on it; BASE_TIME_NONE: never */
};

/* A control group, from PERF_RECORD_CGROUP (perf record --all-cgroups). */
struct cgroup {
	gint64 id;
	char *path; /* owned */
};

static void cgroup_free(gpointer data)
{
	g_free(((struct cgroup *)data)->path);
	g_free(data);
}

static struct piece *piece_at(const struct trc_perf_walk *w, guint i)
{
	return &g_array_index(w->pieces, struct piece, i);
}

static struct part *perf_survey_part_at(const struct seen *c, guint i)
{
	return &g_array_index(c->parts, struct part, i);
}

static void begin_piece(struct trc_perf_walk *w, uint64_t offset)
{
	struct piece p = { .offset = offset };

	w->group = w->pieces->len;
	g_array_append_val(w->pieces, p);
}

/* Return the first piece of PIECE's block. */
static uint32_t perf_survey_first_of(const struct trc_perf_walk *w, uint32_t piece)
{
	while (piece_at(w, piece)->joined)
		piece--;
	return piece;
}

/* Join the current piece, which ends at END, with PIECE and all between, unless that is too large. */
static void perf_survey_join(struct trc_perf_walk *w, uint32_t piece, uint64_t end)
{
	uint32_t first = perf_survey_first_of(w, piece);

	if (end - piece_at(w, first)->offset > JOINED_MOST)
		return;
	for (guint i = piece + 1; i < w->pieces->len; i++)
		piece_at(w, i)->joined = true;
	w->group = first;
}

/* Return the state of CPU, new if needed; NULL: a new one comes too late, or there are too many. */
static struct seen *cpu_at(struct trc_perf_walk *w, uint32_t cpu)
{
	struct seen *c = w->cpus[cpu];

	if (c || w->s->cpus->len > 0 ||
		!trc_budget_spend(&w->budget, TRC_BUDGET_STREAM,
			"it has events of more CPUs than its size has room for"))
		return c;
	c = g_new0(struct seen, 1);
	c->cpu.cpu = cpu;
	c->cpu.blocks = g_array_new(FALSE, FALSE, sizeof(struct trc_perf_block));
	c->parts = g_array_new(FALSE, FALSE, sizeof(struct part));
	w->cpus[cpu] = c;
	return c;
}

/* Add a record of C at TIME in the current piece. END: its end in the file. */
static void add_record(struct trc_perf_walk *w, struct seen *c, int64_t time, uint64_t end)
{
	uint32_t piece = w->pieces->len - 1;
	struct part *last = c->parts->len ? perf_survey_part_at(c, c->parts->len - 1) : NULL,
		    fresh = { piece, time };
	guint i = c->parts->len;

	if (last && last->piece == piece && time >= last->last) {
		last->last = time;
		return;
	}
	if (!last || last->piece != piece) {
		fresh.last = last ? MAX(last->last, time) : time;
		g_array_append_val(c->parts, fresh);
	}
	while (i > 0 && perf_survey_part_at(c, i - 1)->piece >= w->group)
		i--;
	while (i > 0 && perf_survey_part_at(c, i - 1)->last > time)
		i--;
	if (i < c->parts->len && perf_survey_part_at(c, i)->piece < w->group)
		perf_survey_join(w, perf_survey_part_at(c, i)->piece, end);
}

/* ---- records that every cut needs ---- */

/* Join pieces that are at most W->apart bytes apart. */
static void join_common(struct trc_perf_walk *w)
{
	guint n = 0;

	for (guint i = 0; i < w->common->len; i++) {
		const struct trc_piece *p = &g_array_index(w->common, struct trc_piece, i);
		struct trc_piece *last = n > 0 ? &g_array_index(w->common, struct trc_piece, n - 1) : NULL;

		if (last && p->offset - (last->offset + last->size) <= w->apart)
			last->size = p->offset + p->size - last->offset;
		else
			g_array_index(w->common, struct trc_piece, n++) = *p;
	}
	g_array_set_size(w->common, n);
}

/* Note that every cut needs the record in [FROM, TO). */
static void add_common(struct trc_perf_walk *w, uint64_t from, uint64_t to)
{
	struct trc_piece fresh = { from, to - from };
	struct trc_piece *last = w->common->len > 0
		? &g_array_index(w->common, struct trc_piece, w->common->len - 1)
		: NULL;

	if (last && from - (last->offset + last->size) <= w->apart) {
		last->size = to - last->offset;
		return;
	}
	g_array_append_val(w->common, fresh);
	while (w->common->len > COMMON_MOST) {
		w->apart *= 2;
		join_common(w);
	}
}

/* ---- records ---- */

/* Read an entry for each event and each CPU on which it was opened (struct id_index_entry): id, index, CPU,
 * thread; −1 is any. */
static void take_index(struct trc_perf_walk *w, struct trc_perf_record *r)
{
	uint64_t n = trc_bytes_take_number(&r->data, 8);

	for (; n > 0 && r->data.size - r->data.at >= 32; n--) {
		uint64_t cpu, thread;

		trc_bytes_take(&r->data, 16);
		cpu = trc_bytes_take_number(&r->data, 8);
		thread = trc_bytes_take_number(&r->data, 8);
		w->s->some_threads |= (int32_t)thread != -1;
		w->must_see_all |= cpu >= TRC_PERF_CPUS_MAX;
		if (cpu < TRC_PERF_CPUS_MAX)
			g_hash_table_add(w->recorded, GUINT_TO_POINTER(cpu));
	}
}

/* Read its id and its path. Zeros follow the path up to the end of the record. */
static void take_cgroup(struct trc_perf_walk *w, struct trc_perf_record *r)
{
	struct cgroup *c;
	uint64_t id = trc_bytes_take_number(&r->data, 8), room = r->data.size - MIN(r->data.at, r->data.size);

	if (room == 0 || id == 0 ||
		!trc_budget_spend(&w->budget, CGROUP_COST, "it has more cgroups than its size has room for"))
		return;
	c = g_new(struct cgroup, 1);
	c->id = (gint64)id;
	c->path = g_strndup((const char *)r->data.data + r->data.at, room);
	g_ptr_array_add(w->cgroups, c);
}

/* Return the CPU on which R, an event of A, puts a thread; TRC_PERF_CPUS_MAX: none. */
static uint32_t meant_by(const struct trc_perf_record *r, const struct trc_perf_attr *a)
{
	struct trc_perf_sample sample;

	if (!a->meant)
		return TRC_PERF_CPUS_MAX;
	trc_perf_sample_read(a, &r->data, &sample);
	return trc_perf_sample_meant(a, &sample, TRC_PERF_CPUS_MAX);
}

/* Compare the current thread's number in perf's namespace (perf_event_tid(), kernel/events/core.c) with that
 * in the tracepoint. Single differences are possible: exec by a thread that is not the first of its process
 * changes its number. */
static void compare_numbers(struct trc_perf_walk *w, const struct trc_perf_attr *a,
	const struct trc_perf_record *r)
{
	struct trc_perf_sample sample;

	if (w->compared == COMPARED)
		return;
	trc_perf_sample_read(a, &r->data, &sample);
	if (sample.global <= 0 || sample.tid < 0)
		return;
	w->compared++;
	w->other += sample.tid != sample.global;
	w->foreign = w->other > w->compared / 2;
}

static guint attr_number(const struct trc_perf_head *h, const struct trc_perf_attr *a)
{
	return (guint)(a - (const struct trc_perf_attr *)(const void *)h->attrs->data);
}

static void take_event(struct trc_perf_walk *w, struct seen *c, const struct trc_perf_record *r,
	const struct trc_perf_place *place)
{
	uint32_t cpu;

	if (!c->has_events) {
		c->has_events = true;
		w->n_seen++;
		w->enough = r->offset + JOINED_MOST;
	}
	w->first = w->first == BASE_TIME_NONE ? place->time : MIN(w->first, place->time);
	w->last = MAX(w->last, place->time);
	if (place->attr->is_counter)
		w->counted[attr_number(w->s->head, place->attr)]++;
	if (!place->attr->is_usable)
		return;
	compare_numbers(w, place->attr, r);
	cpu = meant_by(r, place->attr);
	if (cpu < TRC_PERF_CPUS_MAX)
		w->meant[cpu] = MAX(w->meant[cpu], place->time);
}

static void take_record(struct trc_perf_walk *w, struct trc_perf_record *r)
{
	struct trc_perf_survey *s = w->s;
	struct trc_perf_place place;
	struct seen *c;
	enum trc_perf_use use = trc_perf_place(s->head, r, &place);
	uint64_t n;

	if (s->head->unpacked && use != TRC_PERF_NO_USE &&
		!trc_budget_spend(&w->budget, MAX(RECORD_COST, r->data.size),
			"it unpacks to more events than its size has room for"))
		return;
	if (r->type == TRC_PERF_ID_INDEX && s->cpus->len == 0)
		take_index(w, r);
	if (r->type == TRC_PERF_CGROUP)
		take_cgroup(w, r);
	if (r->type == TRC_PERF_LOST_SAMPLES) {
		/* perf writes it at the end: lost events of one kind on a CPU, from the kernel's counters. */
		uint32_t cpu = trc_perf_place_told(s->head, r, &n);

		if (cpu < TRC_PERF_CPUS_MAX && w->cpus[cpu])
			w->cpus[cpu]->cpu.told += n;
	}
	s->strangers += use == TRC_PERF_STRANGER;
	if (use == TRC_PERF_TASK && s->cpus->len == 0)
		g_array_append_val(s->tasks, r->offset);
	if (use != TRC_PERF_EVENT && use != TRC_PERF_ASIDE)
		place.cpu = w->cpu;
	if (r->offset - piece_at(w, w->pieces->len - 1)->offset >=
		(place.cpu == w->cpu ? BLOCK_MOST : BLOCK_SIZE))
		begin_piece(w, r->offset);
	if (use != TRC_PERF_EVENT && use != TRC_PERF_ASIDE)
		return;
	w->cpu = place.cpu;
	c = cpu_at(w, place.cpu);
	if (!c) {
		s->elsewhere++;
		return;
	}
	add_record(w, c, place.time, r->offset + r->data.size);
	if (r->type == TRC_PERF_LOST && r->data.size >= 24) {
		trc_bytes_take(&r->data, 8);
		c->cpu.lost += trc_bytes_take_number(&r->data, 8);
	}
	if (use == TRC_PERF_EVENT)
		take_event(w, c, r, &place);
}

/*
 * ---- CPUs that continued after their last record ----
 *
 * When a CPU goes off-line the kernel removes its events (perf_event_exit_cpu_context(),
 * kernel/events/core.c), and perf record does not open them again when it comes back. For a CPU that first
 * comes online during the recording it opens none. Later events there are not in the file, and no record
 * reports that. So a CPU is silent if a thread was put on it (trc_format_aim()) long before the end of the
 * file, and it has no later record.
 *
 * perf record also ends CPUs one by one: it goes from CPU to CPU and disables all events of each
 * (__evlist__disable(), tools/perf/util/evlist.c, on the CPU itself since 5.6), which may take longer than
 * SOON. So perf is the last thread to which such a CPU switches, and the last thread on the CPU whose events
 * end last. A CPU that goes off-line switches to its stopper and then idles.
 */

/* Return an array with BASE_TIME_NONE for each CPU; the caller frees. */
static int64_t *no_times(void)
{
	int64_t *times = g_new(int64_t, TRC_PERF_CPUS_MAX);

	for (uint32_t cpu = 0; cpu < TRC_PERF_CPUS_MAX; cpu++)
		times[cpu] = BASE_TIME_NONE;
	return times;
}

/* Return for each CPU the time of its last event in the file, ns; BASE_TIME_NONE: it has none. For a CPU that
 * was not recorded it is the end of the file. The caller frees. */
static int64_t *last_of(const struct trc_perf_survey *s)
{
	int64_t *last = no_times();

	for (guint i = 0; i < s->absent->len; i++)
		last[g_array_index(s->absent, uint32_t, i)] = s->last;
	for (guint i = 0; i < s->cpus->len; i++) {
		const struct seen *c = g_ptr_array_index(s->cpus, i);

		last[c->cpu.cpu] = perf_survey_part_at(c, c->parts->len - 1)->last;
	}
	return last;
}

/* True if a thread was put on a CPU after its LAST event, unless this was at the very end. Most files have no
 * such CPU and are not read again. */
static bool may_be_silent(const struct trc_perf_walk *w, const int64_t *last)
{
	for (uint32_t cpu = 0; cpu < TRC_PERF_CPUS_MAX; cpu++)
		if (w->meant[cpu] > last[cpu] && last[cpu] < w->s->last - SOON)
			return true;
	return false;
}

/* The last known thread of a CPU. */
struct ran {
	int64_t time;
	int32_t tid;
};

/* Note the thread that runs after the event of R, a sample at PLACE. */
static void see_thread(const struct trc_perf_record *r, const struct trc_perf_place *place, struct ran *ran)
{
	const struct trc_format_event *event = place->attr->event;
	const struct trc_format_field *next = event && g_str_equal(event->name, "sched:sched_switch")
		? trc_format_event_field(event, "next_pid")
		: NULL;
	struct trc_perf_sample sample;

	if (place->time < ran->time)
		return;
	trc_perf_sample_read(place->attr, &r->data, &sample);
	ran->time = place->time;
	ran->tid = next && next->size == 4 ? (int32_t)trc_format_aimed(next, &sample.record, UINT32_MAX)
					   : sample.tid;
}

/* Return the last thread of the CPU whose events end last; −1: unknown, or the idle thread. */
static int32_t last_thread(const struct trc_perf_survey *s, const int64_t *last, const struct ran *ran)
{
	for (guint i = 0; i < s->cpus->len; i++) {
		uint32_t cpu = ((const struct trc_perf_cpu *)g_ptr_array_index(s->cpus, i))->cpu;

		if (last[cpu] == s->last)
			return ran[cpu].tid > 0 ? ran[cpu].tid : -1;
	}
	return -1;
}

/* At the end: mark silent CPUs, and add silent CPUs without events to the absent ones. */
static void find_silent(const struct trc_perf_walk *w)
{
	struct trc_perf_survey *s = w->s;
	int64_t *last = last_of(s);
	/* If only some threads are recorded, a CPU may simply run others. */
	bool *found = g_new0(bool, TRC_PERF_CPUS_MAX), any = !s->some_threads && may_be_silent(w, last);
	struct ran *ran = any ? g_new0(struct ran, TRC_PERF_CPUS_MAX) : NULL;
	uint64_t at = s->head->begin;
	struct trc_perf_record r;
	struct trc_perf_place place;
	int32_t perf;

	while (any && trc_perf_record_next(&s->head->bytes, &at, s->head->end, &r)) {
		bool is_event = trc_perf_place(s->head, &r, &place) == TRC_PERF_EVENT &&
			place.attr->is_usable;
		uint32_t cpu = is_event && place.time <= s->last - SOON ? meant_by(&r, place.attr)
									: TRC_PERF_CPUS_MAX;

		if (is_event && place.cpu < TRC_PERF_CPUS_MAX)
			see_thread(&r, &place, &ran[place.cpu]);
		if (cpu < TRC_PERF_CPUS_MAX && place.time > last[cpu])
			found[cpu] = true;
	}
	perf = any ? last_thread(s, last, ran) : -1;
	for (guint i = 0; i < s->cpus->len; i++) {
		struct trc_perf_cpu *c = g_ptr_array_index(s->cpus, i);

		c->silent = found[c->cpu];
		c->stopped = c->silent && perf != -1 && ran[c->cpu].tid == perf;
		found[c->cpu] = false;
	}
	for (uint32_t cpu = 0; cpu < TRC_PERF_CPUS_MAX; cpu++)
		if (found[cpu])
			g_array_append_val(s->absent, cpu);
	g_free(found);
	g_free(last);
	g_free(ran);
}

/* ---- the whole ---- */

static void free_cpu(void *data)
{
	struct seen *c = data;

	g_array_unref(c->cpu.blocks);
	g_array_unref(c->parts);
	g_free(c);
}

/* True if the file has earlier threads at its end: perf record --overwrite writes its buffers there, CPU by
 * CPU; --tail-synthesize writes the threads there. */
static bool tells_at_end(const struct trc_perf_head *h)
{
	bool overwrites = strstr(h->command, " --tail");

	for (guint i = 0; i < h->attrs->len; i++)
		overwrites |= g_array_index(h->attrs, struct trc_perf_attr, i).overwrites;
	return overwrites;
}

static struct trc_perf_walk *walk_new(struct trc_perf_survey *s)
{
	struct trc_perf_walk *w = g_new(struct trc_perf_walk, 1);

	*w = (struct trc_perf_walk){ .s = s,
		.budget = s->head->unpacked ? trc_budget_of_records(s->head->budget, s->head->size)
					    : s->head->budget,
		.at = s->head->begin,
		.must_see_all = tells_at_end(s->head),
		.pieces = g_array_new(FALSE, FALSE, sizeof(struct piece)),
		.common = g_array_new(FALSE, FALSE, sizeof(struct trc_piece)),
		.apart = COMMON_APART,
		.cgroups = g_ptr_array_new_with_free_func(cgroup_free),
		.cpus = g_new0(struct seen *, TRC_PERF_CPUS_MAX),
		.recorded = g_hash_table_new(NULL, NULL),
		.counted = g_new0(uint64_t, s->head->attrs->len + 1),
		.first = BASE_TIME_NONE,
		.last = BASE_TIME_NONE,
		.meant = no_times() };
	begin_piece(w, w->at);
	return w;
}

static void walk_free(struct trc_perf_walk *w)
{
	if (!w)
		return;
	g_atomic_int_set(&w->stop, 1);
	if (w->thread)
		g_thread_join(w->thread);
	for (uint32_t i = 0; w->s->cpus->len == 0 && i < TRC_PERF_CPUS_MAX; i++)
		if (w->cpus[i])
			free_cpu(w->cpus[i]);
	g_free(w->counted);
	g_free(w->meant);
	g_hash_table_unref(w->recorded);
	g_array_unref(w->pieces);
	g_clear_pointer(&w->common, g_array_unref);
	g_ptr_array_unref(w->cgroups);
	g_free(w->cpus);
	g_free(w);
}

/* True if the reader can begin. */
static bool has_enough(const struct trc_perf_walk *w)
{
	unsigned n = g_hash_table_size(w->recorded);

	return !w->must_see_all && n > 0 && w->n_seen == n && w->at >= w->enough;
}

/* Hand over the CPUs with events, and those online CPUs on which no event was opened. */
static void name_cpus(struct trc_perf_walk *w)
{
	struct trc_perf_survey *s = w->s;
	bool is_told = g_hash_table_size(w->recorded) > 0;

	for (uint32_t cpu = 0; cpu < TRC_PERF_CPUS_MAX; cpu++)
		if (w->cpus[cpu])
			g_ptr_array_add(s->cpus, w->cpus[cpu]);
		else if (is_told && cpu < s->head->online &&
			!g_hash_table_contains(w->recorded, GUINT_TO_POINTER(cpu)))
			g_array_append_val(s->absent, cpu);
	if (w->foreign)
		g_array_set_size(s->tasks, 0);
}

/* Survey the next record, if there is one. */
static void perf_survey_look(struct trc_perf_walk *w)
{
	struct trc_perf_record r;

	w->ended = !trc_perf_head_next(w->s->head, &w->at, &r);
	if (!w->ended && !w->s->head->unpacked && trc_perf_is_common(r.type))
		add_common(w, r.offset, w->at);
	if (!w->ended)
		take_record(w, &r);
	if (w->budget.refused && !w->s->head->problem)
		trc_budget_set_error(&w->budget, w->s->head->path, &w->s->head->problem);
	w->ended |= !!w->s->head->problem;
}

static gpointer look_on(gpointer data)
{
	struct trc_perf_walk *w = data;
	uint64_t to = w->at + STRIDE;

	while (!w->ended && w->at < to && !g_atomic_int_get(&w->stop))
		perf_survey_look(w);
	return NULL;
}

/* ---- results for the reader ---- */

/* Return an estimate of the time of the last event, ns. */
static int64_t guess(const struct trc_perf_walk *w)
{
	double share = trc_perf_head_share(w->s->head, w->at), length;

	if (w->ended || w->first == BASE_TIME_NONE || share <= 0)
		return w->last;
	length = (double)(w->last - w->first) / share;
	return (double)w->first + length < (double)BASE_TIME_FARTHEST ? w->first + (int64_t)length : w->last;
}

/* Count the pieces that will not be joined any more: pieces of complete blocks that begin more than
 * JOINED_MOST before the current place. */
static void perf_survey_settle(struct trc_perf_walk *w)
{
	uint32_t end = w->settled;

	do {
		w->settled = end;
		if (!w->ended && w->at <= piece_at(w, w->settled)->offset + JOINED_MOST)
			return;
		for (end++; end < w->pieces->len && piece_at(w, end)->joined; end++)
			;
	} while (end < w->pieces->len);
}

/* Give C its blocks in settled pieces. */
static void hand_over(const struct trc_perf_walk *w, struct seen *c)
{
	uint32_t end = 0;

	for (; c->n_taken < c->parts->len && perf_survey_part_at(c, c->n_taken)->piece < w->settled;
		c->n_taken++) {
		uint32_t piece = perf_survey_part_at(c, c->n_taken)->piece;
		struct trc_perf_block block;

		if (piece < end)
			continue;
		block.offset = piece_at(w, perf_survey_first_of(w, piece))->offset;
		for (end = piece + 1; piece_at(w, end)->joined; end++)
			;
		block.size = piece_at(w, end)->offset - block.offset;
		g_array_append_val(c->cpu.blocks, block);
	}
}

static void take_over(struct trc_perf_survey *s, struct trc_perf_walk *w)
{
	for (guint i = 0; i < w->cgroups->len; i++) {
		struct cgroup *c = g_ptr_array_index(w->cgroups, i);

		/* The path of an id never changes, because events of the reader may refer to it. */
		if (!g_hash_table_contains(s->cgroups, &c->id))
			g_hash_table_insert(s->cgroups, g_memdup2(&c->id, sizeof c->id),
				g_steal_pointer(&c->path));
	}
	g_ptr_array_set_size(w->cgroups, 0);
	perf_survey_settle(w);
	for (guint i = 0; i < s->cpus->len; i++)
		hand_over(w, g_ptr_array_index(s->cpus, i));
	s->first = w->first;
	s->last = w->last;
	s->guess = guess(w);
	s->foreign = w->foreign;
	s->problem = s->head->problem;
}

static void perf_survey_finish(struct trc_perf_survey *s)
{
	struct trc_perf_walk *w = s->walk;

	s->cut = w->at != s->head->end;
	begin_piece(w, w->at);
	take_over(s, w);
	find_silent(w);
	s->counted = g_steal_pointer(&w->counted);
	s->common = g_steal_pointer(&w->common);
	s->walk = NULL;
	walk_free(w);
}

bool trc_perf_survey_more(struct trc_perf_survey *s)
{
	struct trc_perf_walk *w = s->walk;

	if (!w)
		return false;
	if (w->thread)
		g_thread_join(w->thread);
	w->thread = NULL;
	if (w->ended) {
		perf_survey_finish(s);
		return true;
	}
	take_over(s, w);
	w->thread = base_memory_thread("wakepath-look", look_on, w);
	return true;
}

struct trc_perf_survey *trc_perf_survey_new(struct trc_perf_head *h)
{
	struct trc_perf_survey *s = g_new(struct trc_perf_survey, 1);

	trc_perf_place_find_cpus(h);
	*s = (struct trc_perf_survey){ .head = h,
		.cpus = g_ptr_array_new_with_free_func(free_cpu),
		.tasks = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
		.absent = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
		.cgroups = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, g_free) };
	s->walk = walk_new(s);
	while (!s->walk->ended && !has_enough(s->walk))
		perf_survey_look(s->walk);
	name_cpus(s->walk);
	if (s->walk->ended)
		perf_survey_finish(s);
	else
		take_over(s, s->walk);
	return s;
}

void trc_perf_survey_free(void *survey)
{
	struct trc_perf_survey *s = survey;

	walk_free(s->walk);
	g_free(s->counted);
	trc_perf_head_free(s->head);
	g_ptr_array_unref(s->cpus);
	g_array_unref(s->tasks);
	g_array_unref(s->absent);
	g_clear_pointer(&s->common, g_array_unref);
	g_hash_table_unref(s->cgroups);
	g_free(s);
}
