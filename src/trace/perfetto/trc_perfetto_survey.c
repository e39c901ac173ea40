/* SPDX-License-Identifier: MIT */
/*
 * How it works: the survey reads the whole file once, block by block. It keeps the begins of the blocks,
 * which blocks have events of which CPU, and facts. The packets of one CPU are in order of time, those of
 * different CPUs are not. So the reader has a stream for each CPU, and a block of the file is for each CPU
 * what a packet is in LTTng.
 *
 * Usually one sequence of packets has all events of the kernel. If several have events of a CPU, as with two
 * data sources, both may have equal events. Then the one with more bytes is used.
 */
#include "trace/perfetto/trc_perfetto_track.h"

#include "base/base_error.h"
#include "base/base_search.h"

#define BLOCK_COST 16     /* bytes of memory of a block, or of a block of a stream */
#define SEQUENCE_COST 512 /* bytes of memory of a sequence */
#define TOO_MANY_SEQUENCES "it has more sequences of packets than its size has room for"
#define TOO_MANY_CPUS "it has events of more CPUs than its size has room for"
#define DROPS_MOST 100000 /* known places of dropped packets at most */

static void stream_free(void *data)
{
	struct trc_perfetto_stream *s = data;

	if (s->others)
		g_hash_table_unref(s->others);
	g_array_unref(s->blocks);
	g_free(s->name);
	g_free(s);
}

/* State of the survey. */
struct looking {
	struct trc_perfetto_survey *s; /* weak */
	GHashTable *streams;           /* owned: sequence and CPU → struct trc_perfetto_stream *, weak */
	GHashTable *sequences;         /* owned: set of those with events of the kernel */
	GHashTable
		*programs; /* owned: sequence → struct trc_perfetto_stream *, weak: may have track events */
	GHashTable *machines; /* owned: set of those with events */
	struct trc_perfetto_walk walk;
};

static struct trc_perfetto_stream *stream_of(struct looking *l, uint32_t cpu,
	const struct trc_perfetto_packet *p)
{
	gint64 key = (gint64)((uint64_t)p->sequence << 32 | cpu);
	struct trc_perfetto_stream *s = g_hash_table_lookup(l->streams, &key);
	gint64 *kept;

	if (s || !trc_budget_spend(&l->s->file->budget, TRC_BUDGET_STREAM, TOO_MANY_CPUS))
		return s;
	s = g_new0(struct trc_perfetto_stream, 1);
	s->cpu = cpu;
	s->sequence = p->sequence;
	s->machine = p->machine;
	s->first = UINT64_MAX;
	s->blocks = g_array_new(FALSE, FALSE, sizeof(struct trc_perfetto_blocks));
	g_ptr_array_add(l->s->streams, s);
	kept = g_new(gint64, 1);
	*kept = key;
	g_hash_table_insert(l->streams, kept, s);
	return s;
}

/* Note the kind of E, an event of S. */
static void see(struct looking *l, struct trc_perfetto_stream *s, const struct trc_perfetto_event *e)
{
	const struct trc_perfetto_class *class;

	if (G_LIKELY(e->number < TRC_PERFETTO_TYPED && e->number != TRC_PERFETTO_GENERIC)) {
		s->typed[e->number / 64] |= UINT64_C(1) << e->number % 64;
		return;
	}
	class = trc_perfetto_class_for(l->s->classes, e);
	if (!s->others)
		s->others = g_hash_table_new(NULL, NULL);
	if (class)
		g_hash_table_add(s->others, (gpointer) class);
}

/* Note that block number BLOCK has something of S. */
static void stream_add_block(struct looking *l, struct trc_perfetto_stream *s, uint32_t block)
{
	struct trc_perfetto_blocks *last = s->blocks->len == 0
		? NULL
		: &g_array_index(s->blocks, struct trc_perfetto_blocks, s->blocks->len - 1);
	struct trc_perfetto_blocks one = { block, 1 };

	if ((last && last->first + last->n > block) ||
		!trc_budget_spend(&l->s->file->budget, BLOCK_COST,
			"it has more blocks than its size has room for"))
		return;
	if (last && last->first + last->n == block)
		last->n++;
	else
		g_array_append_val(s->blocks, one);
}

static void look_at_bundle(struct looking *l, const struct trc_perfetto_packet *p, uint32_t block)
{
	struct trc_perfetto_survey *s = l->s;
	struct trc_perfetto_bundle b;
	struct trc_perfetto_event e;
	struct trc_perfetto_stream *stream;
	bool is_whole;

	g_hash_table_add(l->sequences, GUINT_TO_POINTER(p->sequence));
	is_whole = trc_perfetto_bundle_read(&b, p->body);
	if (b.describes) /* the description comes after the events that need it */
		trc_perfetto_classes_describe(s->classes, p->body);
	if (!is_whole) {
		s->damaged++;
		return;
	}
	stream = stream_of(l, b.cpu, p);
	if (!stream)
		return;
	stream_add_block(l, stream, block);
	stream->bytes += trc_wire_size(&p->body);
	s->errors += b.errors;
	trc_perfetto_walk_begin(&l->walk, &b);
	while (trc_perfetto_walk_next(&l->walk, &e)) {
		see(l, stream, &e);
		stream->first = MIN(stream->first, e.time);
		stream->last = MAX(stream->last, e.time);
	}
	s->damaged += l->walk.damaged;
}

/* ---- events of programs ---- */

/* Return the stream of P's sequence, which may have no events. */
static struct trc_perfetto_stream *program_of(struct looking *l, const struct trc_perfetto_packet *p)
{
	struct trc_perfetto_stream *s = g_hash_table_lookup(l->programs, GUINT_TO_POINTER(p->sequence));

	if (s || !trc_budget_spend(&l->s->file->budget, SEQUENCE_COST, TOO_MANY_SEQUENCES))
		return s;
	s = g_new0(struct trc_perfetto_stream, 1);
	s->is_marks = true;
	s->cpu = TRC_CPU_UNKNOWN;
	s->sequence = p->sequence;
	s->blocks = g_array_new(FALSE, FALSE, sizeof(struct trc_perfetto_blocks));
	g_ptr_array_add(l->s->programs, s);
	g_hash_table_insert(l->programs, GUINT_TO_POINTER(p->sequence), s);
	return s;
}

static void look_at_program(struct looking *l, const struct trc_perfetto_packet *p, uint32_t block)
{
	struct trc_perfetto_stream *s = program_of(l, p);

	if (!s)
		return;
	stream_add_block(l, s, block);
	if (p->kind == TRC_PERFETTO_TRACK &&
		(s->acts != 0 ||
			trc_budget_spend(&l->s->file->budget, TRC_BUDGET_STREAM, TOO_MANY_SEQUENCES)))
		s->acts |= UINT32_C(1) << trc_perfetto_act_of(p->body);
}

/* A packet of block number BLOCK is left out. Any sequence may have lost it. */
static void look_at_skipped(struct looking *l, uint32_t block)
{
	for (guint i = 0; i < l->s->programs->len; i++)
		stream_add_block(l, g_ptr_array_index(l->s->programs, i), block);
}

static int by_sequence(const void *a, const void *b)
{
	const struct trc_perfetto_stream *x = *(struct trc_perfetto_stream *const *)a,
					 *y = *(struct trc_perfetto_stream *const *)b;

	return BASE_BY(x, y, sequence);
}

/* Keep the sequences with events. They belong to the host; another machine has other clocks. */
static void choose_programs(struct trc_perfetto_survey *s)
{
	if (s->streams->len > 0 &&
		((const struct trc_perfetto_stream *)g_ptr_array_index(s->streams, 0))->machine != 0)
		g_ptr_array_set_size(s->programs, 0);
	for (guint i = s->programs->len; i-- > 0;) {
		struct trc_perfetto_stream *program = g_ptr_array_index(s->programs, i);

		if (program->acts == 0)
			g_ptr_array_remove_index_fast(s->programs, i);
		else
			program->name = g_strdup_printf("program%u", program->sequence);
	}
	g_ptr_array_sort(s->programs, by_sequence);
}

/* ---- all blocks ---- */

/* Note a dropped packet. A sequence's first packet has this flag, too; newer versions mark it as first. */
static void look_at_drop(struct looking *l, const struct trc_perfetto_packet *p)
{
	struct trc_perfetto_drop drop = { p->offset, p->sequence };

	if (p->dropped && !p->first && p->kind != TRC_PERFETTO_OTHER && l->s->drops->len < DROPS_MOST &&
		(p->kind == 0 || g_hash_table_contains(l->sequences, GUINT_TO_POINTER(p->sequence))))
		g_array_append_val(l->s->drops, drop);
}

static void look_at_machine(struct looking *l, const struct trc_perfetto_packet *p)
{
	gpointer machine = GUINT_TO_POINTER(p->machine);

	if ((p->kind == TRC_PERFETTO_FTRACE || p->kind == TRC_PERFETTO_TRACK) &&
		!g_hash_table_contains(l->machines, machine) &&
		trc_budget_spend(&l->s->file->budget, SEQUENCE_COST,
			"it has events of more machines than its size has room for"))
		g_hash_table_add(l->machines, machine);
}

static void look_at_block(struct looking *l, const struct trc_perfetto_block *b, uint32_t number)
{
	for (guint i = 0; i < b->packets->len; i++) {
		const struct trc_perfetto_packet *p = &g_array_index(b->packets, struct trc_perfetto_packet,
			i);

		look_at_drop(l, p);
		look_at_machine(l, p);
		if (p->kind == TRC_PERFETTO_FTRACE)
			look_at_bundle(l, p, number);
		else if (p->machine == 0)
			trc_perfetto_facts_take(&l->s->facts, p, number);
		if (p->kind == TRC_PERFETTO_CLOCKS && p->machine == 0)
			trc_perfetto_clocks_take(l->s->clocks, p, &l->s->file->budget);
		if (trc_perfetto_state_needs(p))
			look_at_program(l, p, number);
	}
	if (b->skipped > 0)
		look_at_skipped(l, number);
}

static void look(struct looking *l)
{
	struct trc_perfetto_survey *s = l->s;
	struct trc_perfetto_block *b = trc_perfetto_block_new();
	uint64_t at = 0;

	while (!s->cut && trc_perfetto_block_read(b, s->file, at, s->file->size)) {
		uint32_t number = s->offsets->len;

		s->cut = b->cut;
		s->skipped += b->skipped;
		if (b->size == 0)
			break;
		g_array_append_val(s->offsets, at);
		look_at_block(l, b, number);
		at += b->size;
		if (!trc_budget_spend(&s->file->budget, BLOCK_COST,
			    "it has more blocks than its size has room for") &&
			!s->file->problem)
			trc_budget_set_error(&s->file->budget, s->file->path, &s->file->problem);
	}
	g_array_append_val(s->offsets, at);
	if (s->file->budget.refused && !s->file->problem)
		trc_budget_set_error(&s->file->budget, s->file->path, &s->file->problem);
	trc_perfetto_block_unref(b);
}

/* ---- the streams that are used ---- */

/* Order by CPU, then the stream with most bytes first. */
static int by_cpu(const void *a, const void *b)
{
	const struct trc_perfetto_stream *x = *(struct trc_perfetto_stream *const *)a,
					 *y = *(struct trc_perfetto_stream *const *)b;

	return BASE_BY(x, y, cpu) ?: BASE_BY(y, x, bytes) ?: BASE_BY(x, y, sequence);
}

/* Return the machine whose events are used: the host, or the one with most bytes. */
static uint32_t choose_machine(const struct trc_perfetto_survey *s)
{
	const struct trc_perfetto_stream *most = NULL;
	bool host = false;

	for (guint i = 0; i < s->streams->len; i++) {
		const struct trc_perfetto_stream *stream = g_ptr_array_index(s->streams, i);

		host |= stream->machine == 0;
		most = !most || stream->bytes > most->bytes ? stream : most;
	}
	return host || !most ? 0 : most->machine;
}

/* Keep one stream for each CPU of the machine. */
static void choose_streams(struct trc_perfetto_survey *s)
{
	uint32_t machine = choose_machine(s);
	GPtrArray *all = s->streams;

	g_ptr_array_sort(all, by_cpu);
	s->streams = g_ptr_array_new_with_free_func(stream_free);
	for (guint first = 0, end; first < all->len; first = end) {
		uint32_t cpu = ((const struct trc_perfetto_stream *)g_ptr_array_index(all, first))->cpu;
		struct trc_perfetto_stream *chosen = NULL;

		for (end = first; end < all->len; end++) {
			struct trc_perfetto_stream *stream = g_ptr_array_index(all, end);

			if (stream->cpu != cpu)
				break;
			if (stream->machine != machine)
				continue;
			s->sequences += chosen ? 1 : 0;
			chosen = chosen ? chosen : stream;
		}
		for (guint i = first; i < end; i++) {
			struct trc_perfetto_stream *stream = g_ptr_array_index(all, i);

			if (stream != chosen) {
				stream_free(stream);
				continue;
			}
			stream->name = end - first > 1 ? g_strdup_printf("cpu%u.%u", cpu, stream->sequence)
						       : g_strdup_printf("cpu%u", cpu);
			s->first = MIN(s->first, stream->first);
			s->last = MAX(s->last, stream->last);
			trc_perfetto_facts_lost(&s->facts, cpu, &stream->refused);
			stream->full = trc_perfetto_facts_full(&s->facts, stream->sequence);
			g_ptr_array_add(s->streams, stream);
		}
	}
	g_ptr_array_set_free_func(all, NULL);
	g_ptr_array_unref(all);
}

/* A CPU without events was idle, or excluded from the recording. An idle one gets a stream without events. */
static void add_silent(struct trc_perfetto_survey *s)
{
	guint n = s->streams->len, at = 0;

	for (uint32_t cpu = 0; cpu < s->facts.cpus; cpu++) {
		struct trc_perfetto_stream *stream;

		while (at < n &&
			((const struct trc_perfetto_stream *)g_ptr_array_index(s->streams, at))->cpu < cpu)
			at++;
		if (at < n &&
			((const struct trc_perfetto_stream *)g_ptr_array_index(s->streams, at))->cpu == cpu)
			continue;
		if (!trc_perfetto_facts_has(&s->facts, cpu)) {
			g_array_append_val(s->absent, cpu);
			continue;
		}
		if (!trc_budget_spend(&s->file->budget, TRC_BUDGET_STREAM, TOO_MANY_CPUS))
			return;
		stream = g_new0(struct trc_perfetto_stream, 1);
		stream->cpu = cpu;
		stream->name = g_strdup_printf("cpu%u", cpu);
		stream->blocks = g_array_new(FALSE, FALSE, sizeof(struct trc_perfetto_blocks));
		g_ptr_array_add(s->streams, stream);
	}
	g_ptr_array_sort(s->streams, by_cpu);
}

static int by_time(const void *a, const void *b)
{
	const struct trc_perfetto_thread *x = a, *y = b;

	return BASE_BY(x, y, time) ?: BASE_BY(x, y, tid);
}

struct trc_perfetto_survey *trc_perfetto_survey_new(struct trc_perfetto_file *f, GError **error)
{
	struct trc_perfetto_survey *s = g_new0(struct trc_perfetto_survey, 1);
	struct looking l = { .s = s,
		.streams = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL),
		.sequences = g_hash_table_new(NULL, NULL),
		.programs = g_hash_table_new(NULL, NULL),
		.machines = g_hash_table_new(NULL, NULL) };

	s->file = f;
	s->classes = trc_perfetto_classes_new(&f->budget);
	s->offsets = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	s->streams = g_ptr_array_new_with_free_func(stream_free);
	s->programs = g_ptr_array_new_with_free_func(stream_free);
	s->clocks = g_new(struct trc_perfetto_clocks, 1);
	trc_perfetto_clocks_init(s->clocks);
	s->absent = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	s->drops = g_array_new(FALSE, FALSE, sizeof(struct trc_perfetto_drop));
	s->first = UINT64_MAX;
	trc_perfetto_facts_init(&s->facts, &f->budget);
	s->facts.is_part = f->is_part;
	trc_perfetto_walk_init(&l.walk);
	look(&l);
	trc_perfetto_walk_clear(&l.walk);
	g_hash_table_unref(l.streams);
	g_hash_table_unref(l.sequences);
	g_hash_table_unref(l.programs);
	s->machines = MAX(g_hash_table_size(l.machines), 1) - 1;
	g_hash_table_unref(l.machines);
	choose_streams(s);
	choose_programs(s);
	trc_perfetto_clocks_settle(s->clocks, trc_perfetto_survey_has_kernel(s));
	if (trc_perfetto_survey_has_kernel(s))
		add_silent(s);
	if (f->budget.refused && !f->problem)
		trc_budget_set_error(&f->budget, f->path, &f->problem);
	g_array_sort(s->facts.threads, by_time);
	/* Packets are unpacked again by the reader. This costs time, which is cheaper than memory. */
	f->unpack = trc_budget_of_records(trc_budget_of(f->size), f->size);
	f->share = 8;
	if (!f->problem && (trc_perfetto_survey_has_kernel(s) || s->programs->len > 0))
		return s;
	if (f->problem)
		g_propagate_error(error, g_error_copy(f->problem));
	else
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA,
			"%s: no events of the kernel in this trace: record it again, with the data source "
			"linux.ftrace and events such as sched/sched_switch",
			f->path);
	trc_perfetto_survey_free(s);
	return NULL;
}

void trc_perfetto_survey_free(void *data)
{
	struct trc_perfetto_survey *s = data;

	if (!s)
		return;
	trc_perfetto_facts_clear(&s->facts);
	g_ptr_array_unref(s->streams);
	g_ptr_array_unref(s->programs);
	trc_perfetto_clocks_clear(s->clocks);
	g_free(s->clocks);
	g_array_unref(s->drops);
	g_array_unref(s->absent);
	g_array_unref(s->offsets);
	trc_perfetto_classes_free(s->classes);
	trc_perfetto_file_free(s->file);
	g_free(s);
}
