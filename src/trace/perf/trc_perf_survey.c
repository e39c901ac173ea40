/* SPDX-License-Identifier: MIT */
/*
 * perf record takes what it finds from the buffer of each CPU, one after the other, again and again: so the
 * file has runs of records of one CPU.  Within a CPU times go up, but that an interrupt comes between the
 * time of an event and its place in the buffer (perf_prepare_sample(), then perf_output_begin(),
 * kernel/events/core.c), and that a buffer which is overwritten is read from its newest record on.
 *
 * How it works: the file is cut into blocks.  A record that is older than one of the same CPU in a block
 * before joins all from there on: within a block records are put into the order of time.  So a block of the
 * file is to each CPU what a packet is to LTTng, whatever FINISHED_ROUND says: that is for who wants all CPUs
 * at once.
 *
 * No join reaches farther back than JOINED_MOST: so blocks that far behind are what they are for good, and
 * the reader need not wait for the rest of a long file.  It does where the file does not tell on which CPUs
 * there may be events, or writes at its end what was there before.
 */
#include "trace/perf/trc_perf_survey.h"

#include "base/base_time.h"

#include <string.h>

#define BLOCK_SIZE (256 * 1024)  /* bytes, then it ends with a run … */
#define BLOCK_MOST (1024 * 1024) /* … or in it */
#define JOINED_MOST (64 * 1024 * 1024)
#define COMPARED 1000 /* samples */
#define SOON 10000000 /* ns: the end of the file may come before who was woken runs */

/* ---- blocks ---- */

struct trc_perf_walk {
	struct trc_perf_survey *s;  /* weak */
	uint64_t at;                /* so far it looked */
	uint64_t enough;            /* the reader can begin once it is there … */
	bool must_see_all;          /* … or not before the end */
	unsigned seen;              /* CPUs with events */
	struct trc_perf_cpu **cpus; /* by number; NULL: no record of it so far */
	uint32_t group;             /* the first of the blocks that are joined with the current one */
	uint32_t cpu;               /* of the record before */
	unsigned compared, other;   /* numbers of threads, and those that the kernel calls otherwise */
	GHashTable *recorded;       /* set of CPUs that events were asked for on */
	int64_t *meant; /* owned: of each CPU, when somebody was to run on it last; BASE_TIME_NONE never */
};

static struct trc_perf_block *block_at(const struct trc_perf_survey *s, guint i)
{
	return &g_array_index(s->blocks, struct trc_perf_block, i);
}

static void begin_block(struct trc_perf_walk *w, uint64_t offset)
{
	struct trc_perf_block b = { .offset = offset };

	w->group = w->s->blocks->len;
	g_array_append_val(w->s->blocks, b);
}

/* Is R, of CPU, where another block begins? */
static bool ends_block(const struct trc_perf_walk *w, const struct trc_perf_record *r, uint32_t cpu)
{
	uint64_t size = r->offset - block_at(w->s, w->s->blocks->len - 1)->offset;

	return size >= (cpu == w->cpu ? BLOCK_MOST : BLOCK_SIZE);
}

/* Let the current block be one with BLOCK and all between, unless that is too much. */
static void join(struct trc_perf_walk *w, uint32_t block, uint64_t end)
{
	uint32_t first = block;

	while (block_at(w->s, first)->joined)
		first--;
	if (end - block_at(w->s, first)->offset > JOINED_MOST)
		return;
	for (guint i = block + 1; i < w->s->blocks->len; i++)
		block_at(w->s, i)->joined = true;
	w->group = first;
}

/* NULL: it is too late for another one. */
static struct trc_perf_cpu *cpu_at(struct trc_perf_walk *w, uint32_t cpu)
{
	struct trc_perf_cpu *c = w->cpus[cpu];

	if (c || w->s->cpus->len > 0)
		return c;
	c = g_new0(struct trc_perf_cpu, 1);
	c->cpu = cpu;
	c->parts = g_array_new(FALSE, FALSE, sizeof(struct trc_perf_part));
	w->cpus[cpu] = c;
	return c;
}

/* A record at TIME in the current block, up to END of the file, is one of C. */
static void add_record(struct trc_perf_walk *w, struct trc_perf_cpu *c, int64_t time, uint64_t end)
{
	uint32_t block = w->s->blocks->len - 1;
	struct trc_perf_part *last = c->parts->len
		? &g_array_index(c->parts, struct trc_perf_part, c->parts->len - 1)
		: NULL;
	struct trc_perf_part fresh = { block, time };
	guint i = c->parts->len;

	if (last && last->block == block && time >= last->last) {
		last->last = time;
		return;
	}
	if (!last || last->block != block) {
		fresh.last = last ? MAX(last->last, time) : time;
		g_array_append_val(c->parts, fresh);
	}
	while (i > 0 && g_array_index(c->parts, struct trc_perf_part, i - 1).block >= w->group)
		i--;
	while (i > 0 && g_array_index(c->parts, struct trc_perf_part, i - 1).last > time)
		i--;
	if (i < c->parts->len && g_array_index(c->parts, struct trc_perf_part, i).block < w->group)
		join(w, g_array_index(c->parts, struct trc_perf_part, i).block, end);
}

/* ---- records ---- */

/* An entry for each event and CPU that it was asked for on (struct id_index_entry): number, place, CPU,
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

/* The CPU that a thread is to run on by R, an event of A; TRC_PERF_CPUS_MAX: it tells none. */
static uint32_t meant_by(const struct trc_perf_record *r, const struct trc_perf_attr *a)
{
	struct trc_perf_sample sample;

	if (!a->meant)
		return TRC_PERF_CPUS_MAX;
	trc_perf_sample_read(a, &r->data, &sample);
	return trc_perf_sample_meant(a, &sample, TRC_PERF_CPUS_MAX);
}

/* How many perf, reading its counters at the end, found lost of one event on one CPU. */
static void take_told(struct trc_perf_walk *w, const struct trc_perf_record *r)
{
	uint64_t n;
	uint32_t cpu = trc_perf_place_told(w->s->head, r, &n);

	if (cpu < TRC_PERF_CPUS_MAX && w->cpus[cpu])
		w->cpus[cpu]->told += n;
}

/* Compare the number of the thread at hand in perf's namespace (perf_event_tid(), kernel/events/core.c) with
 * that which the tracepoint tells; an exec of a thread that is not the first of its process changes it. */
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
	w->s->foreign = w->other > w->compared / 2;
}

static void take_event(struct trc_perf_walk *w, struct trc_perf_cpu *c, const struct trc_perf_record *r,
	const struct trc_perf_place *place)
{
	struct trc_perf_survey *s = w->s;
	uint32_t cpu;

	if (!c->has_events) {
		c->has_events = true;
		w->seen++;
		w->enough = r->offset + JOINED_MOST;
	}
	s->first = s->first == BASE_TIME_NONE ? place->time : MIN(s->first, place->time);
	s->last = MAX(s->last, place->time);
	compare_numbers(w, place->attr, r);
	cpu = meant_by(r, place->attr);
	if (cpu < TRC_PERF_CPUS_MAX)
		w->meant[cpu] = MAX(w->meant[cpu], place->time);
}

static void take_record(struct trc_perf_walk *w, struct trc_perf_record *r)
{
	struct trc_perf_survey *s = w->s;
	struct trc_perf_place place;
	struct trc_perf_cpu *c;
	enum trc_perf_use use = trc_perf_place(s->head, r, &place);

	if (r->type == TRC_PERF_ID_INDEX)
		take_index(w, r);
	else if (r->type == TRC_PERF_LOST_SAMPLES)
		take_told(w, r);
	s->strangers += use == TRC_PERF_STRANGER;
	if (use == TRC_PERF_TASK && s->cpus->len == 0 && s->tasks->len < TRC_PERF_TASKS_MAX)
		g_array_append_val(s->tasks, r->offset);
	if (use != TRC_PERF_EVENT && use != TRC_PERF_ASIDE)
		place.cpu = w->cpu;
	if (ends_block(w, r, place.cpu))
		begin_block(w, r->offset);
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
		c->lost += trc_bytes_take_number(&r->data, 8);
	}
	if (use == TRC_PERF_EVENT)
		take_event(w, c, r, &place);
}

/*
 * ---- CPUs that went on after their last record ----
 *
 * The kernel takes the events of a CPU that goes off-line from it (perf_event_exit_cpu_context(),
 * kernel/events/core.c), and perf record does not ask for them again when it comes back; of one that came
 * first while perf was at work it asked for none.  What it does from then on is not in the file, and nothing
 * says so.  So a CPU that somebody was put on (trc_format_aim()) long before the end of the file, and that
 * has no record behind that, is silent.
 */

/* One time for each CPU, all BASE_TIME_NONE; the caller frees. */
static int64_t *no_times(void)
{
	int64_t *times = g_new(int64_t, TRC_PERF_CPUS_MAX);

	for (uint32_t cpu = 0; cpu < TRC_PERF_CPUS_MAX; cpu++)
		times[cpu] = BASE_TIME_NONE;
	return times;
}

/* Of each CPU, when its last event in the file was; BASE_TIME_NONE: it has none.  Of those that are known not
 * to be recorded it is the end.  The caller frees. */
static int64_t *last_of(const struct trc_perf_survey *s)
{
	int64_t *last = no_times();

	for (guint i = 0; i < s->absent->len; i++)
		last[g_array_index(s->absent, uint32_t, i)] = s->last;
	for (guint i = 0; i < s->cpus->len; i++) {
		const struct trc_perf_cpu *c = g_ptr_array_index(s->cpus, i);

		last[c->cpu] = g_array_index(c->parts, struct trc_perf_part, c->parts->len - 1).last;
	}
	return last;
}

/* Is any CPU meant behind its LAST event, which is not at the very end?  Most files have none, and are not
 * looked through again. */
static bool may_be_silent(const struct trc_perf_walk *w, const int64_t *last)
{
	for (uint32_t cpu = 0; cpu < TRC_PERF_CPUS_MAX; cpu++)
		if (w->meant[cpu] > last[cpu] && last[cpu] < w->s->last - SOON)
			return true;
	return false;
}

/* All was seen: mark silent CPUs, and add to the absent ones. */
static void find_silent(const struct trc_perf_walk *w)
{
	struct trc_perf_survey *s = w->s;
	int64_t *last = last_of(s);
	bool *found = g_new0(bool, TRC_PERF_CPUS_MAX), any = may_be_silent(w, last);
	uint64_t at = s->head->begin;
	struct trc_perf_record r;
	struct trc_perf_place place;

	while (any && trc_perf_record_next(&s->head->bytes, &at, s->head->end, &r)) {
		uint32_t cpu = trc_perf_place(s->head, &r, &place) == TRC_PERF_EVENT &&
				place.time <= s->last - SOON
			? meant_by(&r, place.attr)
			: TRC_PERF_CPUS_MAX;

		if (cpu < TRC_PERF_CPUS_MAX && place.time > last[cpu])
			found[cpu] = true;
	}
	for (guint i = 0; i < s->cpus->len; i++) {
		struct trc_perf_cpu *c = g_ptr_array_index(s->cpus, i);

		c->silent = found[c->cpu];
		found[c->cpu] = false;
	}
	for (uint32_t cpu = 0; cpu < TRC_PERF_CPUS_MAX; cpu++)
		if (found[cpu])
			g_array_append_val(s->absent, cpu);
	g_free(found);
	g_free(last);
}

/* ---- the whole ---- */

static void free_cpu(void *data)
{
	struct trc_perf_cpu *c = data;

	g_array_unref(c->parts);
	g_free(c);
}

/* CPUs that there were, and none of their events was asked for. */
static void find_absent(struct trc_perf_walk *w)
{
	struct trc_perf_survey *s = w->s;
	uint32_t n = MIN(s->head->online, TRC_PERF_CPUS_MAX);

	for (uint32_t cpu = 0; g_hash_table_size(w->recorded) > 0 && cpu < n; cpu++)
		if (!g_hash_table_contains(w->recorded, GUINT_TO_POINTER(cpu)) && !w->cpus[cpu])
			g_array_append_val(s->absent, cpu);
}

/* A ring that is overwritten is written at the end, CPU by CPU, and threads that were there before then, too
 * (perf record --overwrite, --tail-synthesize). */
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
		.at = s->head->begin,
		.must_see_all = tells_at_end(s->head),
		.cpus = g_new0(struct trc_perf_cpu *, TRC_PERF_CPUS_MAX),
		.recorded = g_hash_table_new(NULL, NULL),
		.meant = no_times() };
	begin_block(w, w->at);
	return w;
}

static void walk_free(struct trc_perf_walk *w)
{
	if (!w)
		return;
	for (uint32_t i = 0; w->s->cpus->len == 0 && i < TRC_PERF_CPUS_MAX; i++)
		if (w->cpus[i])
			free_cpu(w->cpus[i]);
	g_free(w->meant);
	g_hash_table_unref(w->recorded);
	g_free(w->cpus);
	g_free(w);
}

/* Can the reader begin? */
static bool has_enough(const struct trc_perf_walk *w)
{
	unsigned n = g_hash_table_size(w->recorded);

	return !w->must_see_all && n > 0 && w->seen == n && w->at >= w->enough;
}

static void name_cpus(struct trc_perf_walk *w)
{
	for (uint32_t i = 0; i < TRC_PERF_CPUS_MAX; i++)
		if (w->cpus[i])
			g_ptr_array_add(w->s->cpus, w->cpus[i]);
	find_absent(w);
	if (w->s->foreign)
		g_array_set_size(w->s->tasks, 0);
}

static bool look(struct trc_perf_walk *w)
{
	struct trc_perf_record r;
	bool is = trc_perf_head_next(w->s->head, &w->at, &r);

	if (is)
		take_record(w, &r);
	return is;
}

bool trc_perf_survey_more(struct trc_perf_survey *s)
{
	struct trc_perf_walk *w = s->walk;

	if (!w || look(w))
		return w;
	s->cut = w->at != s->head->end;
	begin_block(w, w->at);
	find_silent(w);
	s->walk = NULL;
	walk_free(w);
	return false;
}

struct trc_perf_survey *trc_perf_survey_new(struct trc_perf_head *h)
{
	struct trc_perf_survey *s = g_new(struct trc_perf_survey, 1);
	bool more = true;

	*s = (struct trc_perf_survey){ .head = h,
		.blocks = g_array_new(FALSE, FALSE, sizeof(struct trc_perf_block)),
		.cpus = g_ptr_array_new_with_free_func(free_cpu),
		.tasks = g_array_new(FALSE, FALSE, sizeof(uint64_t)),
		.absent = g_array_new(FALSE, FALSE, sizeof(uint32_t)),
		.first = BASE_TIME_NONE,
		.last = BASE_TIME_NONE };
	s->walk = walk_new(s);
	while (more && !has_enough(s->walk))
		more = look(s->walk);
	name_cpus(s->walk);
	if (!more)
		trc_perf_survey_more(s);
	return s;
}

void trc_perf_survey_free(void *survey)
{
	struct trc_perf_survey *s = survey;

	walk_free(s->walk);
	trc_perf_head_free(s->head);
	g_array_unref(s->blocks);
	g_ptr_array_unref(s->cpus);
	g_array_unref(s->tasks);
	g_array_unref(s->absent);
	g_free(s);
}

/* ---- what the reader asks for ---- */

/* Is there a block I, and is it joined with the one before?  Looks on until that is known. */
static bool is_joined(struct trc_perf_survey *s, uint32_t i)
{
	while (i >= s->blocks->len && trc_perf_survey_more(s))
		;
	return block_at(s, i)->joined;
}

static uint32_t first_of(const struct trc_perf_survey *s, uint32_t block)
{
	while (block_at(s, block)->joined)
		block--;
	return block;
}

uint32_t trc_perf_survey_block(struct trc_perf_survey *s, uint32_t block, uint64_t *offset, uint64_t *size)
{
	uint64_t settled = block_at(s, first_of(s, block))->offset + JOINED_MOST;
	uint32_t end = block + 1;

	while (s->walk && s->walk->at <= settled && trc_perf_survey_more(s))
		;
	while (is_joined(s, end))
		end++;
	*offset = block_at(s, first_of(s, block))->offset;
	*size = block_at(s, end)->offset - *offset;
	return end;
}

int64_t trc_perf_survey_guess(const struct trc_perf_survey *s)
{
	double share = s->walk ? trc_perf_head_share(s->head, s->walk->at) : 1, length;

	if (s->first == BASE_TIME_NONE || share <= 0)
		return s->last;
	length = (double)(s->last - s->first) / share;
	return (double)s->first + length < (double)BASE_TIME_FARTHEST ? s->first + (int64_t)length : s->last;
}
