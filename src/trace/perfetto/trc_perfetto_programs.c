/* SPDX-License-Identifier: MIT */
/*
 * How it works: reads track events anywhere in the file. The whole file is read once, for names and clocks,
 * and some states of each sequence are kept. From the last kept state before a block, the blocks of the
 * sequence are read again.
 */
#include "trace/perfetto/trc_perfetto_track.h"

#define POINT_EVERY 16 /* blocks of a sequence */
#define POINT_COST 512 /* bytes of memory of a sequence, or of a state of it */

/* A sequence with track events. */
struct sequence {
	struct trc_perfetto_state state; /* at the begin of its block number NEXT */
	guint next;
	GArray *blocks; /* of uint32_t, owned: blocks with its packets */
	GArray *points; /* of struct trc_perfetto_state, owned: at the begin of every POINT_EVERY-th block */
};

/* Everything on which track events depend. */
struct trc_perfetto_programs {
	struct trc_perfetto_clocks clocks;
	struct trc_perfetto_names *names; /* owned */
	GHashTable *sequences;            /* number → struct sequence *, owned */
	GArray *offsets;                  /* of uint64_t, owned: of all blocks, and the end of the last */
	struct trc_perfetto_file *file;   /* weak */
};

static void sequence_free(void *data)
{
	struct sequence *s = data;

	g_array_unref(s->points);
	g_array_unref(s->blocks);
	g_free(s);
}

static struct trc_perfetto_programs *programs_new(struct trc_perfetto_file *f)
{
	struct trc_perfetto_programs *programs = g_new0(struct trc_perfetto_programs, 1);

	programs->file = f;
	trc_perfetto_clocks_init(&programs->clocks);
	programs->names = trc_perfetto_names_new(&f->budget);
	programs->offsets = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	programs->sequences = g_hash_table_new_full(NULL, NULL, NULL, sequence_free);
	return programs;
}

void trc_perfetto_programs_free(struct trc_perfetto_programs *programs)
{
	if (!programs)
		return;
	trc_perfetto_clocks_clear(&programs->clocks);
	trc_perfetto_names_free(programs->names);
	g_hash_table_unref(programs->sequences);
	g_array_unref(programs->offsets);
	g_free(programs);
}

static struct sequence *sequence_of(struct trc_perfetto_programs *p, uint32_t number)
{
	struct sequence *s = g_hash_table_lookup(p->sequences, GUINT_TO_POINTER(number));

	if (s ||
		!trc_budget_spend(&p->file->budget, POINT_COST,
			"it has more sequences than its size has room for"))
		return s;
	s = g_new(struct sequence, 1);
	*s = (struct sequence){ .state = TRC_PERFETTO_STATE_NEW,
		.points = g_array_new(FALSE, FALSE, sizeof(struct trc_perfetto_state)),
		.blocks = g_array_new(FALSE, FALSE, sizeof(uint32_t)) };
	g_hash_table_insert(p->sequences, GUINT_TO_POINTER(number), s);
	return s;
}

/* Note that block NUMBER has packets of S. */
static void sequence_add_block(struct trc_perfetto_programs *p, struct sequence *s, uint32_t number)
{
	if (s->blocks->len > 0 && g_array_index(s->blocks, uint32_t, s->blocks->len - 1) == number)
		return;
	if (!trc_budget_spend(&p->file->budget, POINT_COST / POINT_EVERY,
		    "it has more blocks than its size has room for"))
		return;
	if (s->blocks->len % POINT_EVERY == 0)
		g_array_append_val(s->points, s->state);
	g_array_append_val(s->blocks, number);
}

/* A packet of block NUMBER is left out. Its sequence is unknown, so all lose their state. */
static void look_at_lost(struct trc_perfetto_programs *p, uint32_t number)
{
	GHashTableIter iter;
	gpointer s;

	trc_budget_spend(&p->file->budget, g_hash_table_size(p->sequences) * sizeof(uint64_t),
		"it has more packets that cannot be read than its size has room for");
	g_hash_table_iter_init(&iter, p->sequences);
	while (g_hash_table_iter_next(&iter, NULL, &s)) {
		sequence_add_block(p, s, number);
		((struct sequence *)s)->state.era.is_valid = false;
	}
}

/* True if PACKET has events of the kernel. */
static bool has_events(const struct trc_perfetto_packet *packet)
{
	struct trc_perfetto_bundle bundle;
	struct trc_perfetto_event e;
	struct trc_perfetto_walk walk;
	bool has;

	if (packet->kind != TRC_PERFETTO_FTRACE || !trc_perfetto_bundle_read(&bundle, packet->body))
		return false;
	trc_perfetto_walk_init(&walk);
	trc_perfetto_walk_begin(&walk, &bundle);
	has = trc_perfetto_walk_next(&walk, &e);
	trc_perfetto_walk_clear(&walk);
	return has;
}

static void look_at_packet(struct trc_perfetto_programs *p, const struct trc_perfetto_packet *packet,
	uint32_t number, bool *has_kernel)
{
	struct sequence *s;

	*has_kernel = *has_kernel || has_events(packet);
	if (packet->kind == TRC_PERFETTO_CLOCKS && packet->machine == 0)
		trc_perfetto_clocks_take(&p->clocks, packet, &p->file->budget);
	if (packet->kind == 0)
		look_at_lost(p, number);
	if (!trc_perfetto_state_needs(packet))
		return;
	s = sequence_of(p, packet->sequence);
	if (!s)
		return;
	sequence_add_block(p, s, number);
	trc_perfetto_state_take(&s->state, NULL, packet, NULL);
	trc_perfetto_names_take(p->names, packet, s->state.era.generation);
}

/* Mark the states of all sequences as belonging to no block. */
static void forget_places(const struct trc_perfetto_programs *p)
{
	GHashTableIter iter;
	gpointer s;

	g_hash_table_iter_init(&iter, p->sequences);
	while (g_hash_table_iter_next(&iter, NULL, &s))
		((struct sequence *)s)->next = G_MAXUINT;
}

struct trc_perfetto_programs *trc_perfetto_programs_new(struct trc_perfetto_file *f)
{
	struct trc_perfetto_programs *p = programs_new(f);
	struct trc_perfetto_block *b = trc_perfetto_block_new();
	bool cut = false, has_kernel = false;
	uint64_t at = 0;

	while (!cut && !f->budget.refused && trc_perfetto_block_read(b, f, at, f->size) && b->size > 0) {
		cut = b->cut;
		g_array_append_val(p->offsets, at);
		for (guint i = 0; i < b->packets->len && !f->budget.refused; i++)
			look_at_packet(p, &g_array_index(b->packets, struct trc_perfetto_packet, i),
				p->offsets->len - 1, &has_kernel);
		at += b->size;
	}
	g_array_append_val(p->offsets, at);
	trc_perfetto_clocks_settle(&p->clocks, has_kernel);
	forget_places(p);
	if (f->budget.refused && !f->problem)
		trc_budget_set_error(&f->budget, f->path, &f->problem);
	trc_perfetto_block_unref(b);
	return p;
}

/* Return the index in S->blocks of the block at OFFSET; S->blocks->len: it is not there. */
static guint block_at(const struct trc_perfetto_programs *p, const struct sequence *s, uint64_t offset)
{
	guint from = 0, to = s->blocks->len;

	while (from < to) {
		guint middle = from + (to - from) / 2;

		if (g_array_index(p->offsets, uint64_t, g_array_index(s->blocks, uint32_t, middle)) < offset)
			from = middle + 1;
		else
			to = middle;
	}
	return from < s->blocks->len &&
			g_array_index(p->offsets, uint64_t, g_array_index(s->blocks, uint32_t, from)) ==
				offset
		? from
		: s->blocks->len;
}

/* Bring S to the begin of its block N, from the last kept state before it. */
static void sequence_go(struct trc_perfetto_programs *p, struct sequence *s,
	const struct trc_perfetto_zero *zero, uint32_t number, guint n)
{
	struct trc_perfetto_block *b;
	g_autoptr(GArray) marks = NULL;

	if (s->next > n || s->next < n - n % POINT_EVERY) {
		s->next = n - n % POINT_EVERY;
		s->state = g_array_index(s->points, struct trc_perfetto_state, s->next / POINT_EVERY);
	}
	if (s->next == n)
		return;
	b = trc_perfetto_block_new();
	marks = g_array_new(FALSE, FALSE, sizeof(struct trc_perfetto_mark));
	for (; s->next < n && !p->file->problem; s->next++) {
		const uint64_t *at = &g_array_index(p->offsets, uint64_t,
			g_array_index(s->blocks, uint32_t, s->next));

		g_array_set_size(marks, 0);
		if (trc_perfetto_block_read(b, p->file, at[0], at[1]))
			trc_perfetto_marks_read(marks, &s->state, &p->clocks, zero, b, number, INT64_MIN);
	}
	trc_perfetto_block_unref(b);
}

bool trc_perfetto_programs_read(struct trc_perfetto_programs *p, GArray *marks,
	const struct trc_perfetto_zero *zero, const struct trc_perfetto_block *b, uint32_t sequence,
	int64_t latest)
{
	struct sequence *s = g_hash_table_lookup(p->sequences, GUINT_TO_POINTER(sequence));
	guint n = s ? block_at(p, s, b->offset) : 0;

	if (!s || n == s->blocks->len)
		return false;
	sequence_go(p, s, zero, sequence, n);
	trc_perfetto_marks_read(marks, &s->state, &p->clocks, zero, b, sequence, latest);
	s->next = n + 1;
	return !p->file->problem;
}

const struct trc_perfetto_names *trc_perfetto_programs_names(const struct trc_perfetto_programs *p)
{
	return p->names;
}
