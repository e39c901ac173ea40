/* SPDX-License-Identifier: MIT */
/*
 * How it works: one open leaf per host and kind.  A full leaf is written, and a line for it goes to the
 * directory: when its spans begin, which rows they have and how long the longest is.  So a reader finds the
 * spans of a window or of a thread, or the longest, without reading the others.  Lengths are also spilled,
 * apart for each class and for the tracer's threads, for the statistics at the end; a heap keeps the longest
 * of each kind.
 */
#include "index/spans/parts.h"

#include "base/base_error.h"
#include "base/base_progress.h"
#include "base/base_search.h"
#include "base/base_varint.h"
#include "index/file/out.h"
#include "index/spans/texts.h"
#include "index/tree/tree.h"

#include <xxhash.h>

#define SPAN_MAX (5 * BASE_VARINT_MAX)
#define LONG UINT32_MAX /* a length of 64 bits follows */

/* A candidate for the longest spans. */
struct bad {
	struct idx_spans_found found;
	bool tracer;
};

struct open_leaf {
	struct idx_spans_leaf line;
	struct idx_spans_before before;
	/* Outline: start and row of the last span, and the number of spans before it with the same start and
	 * row. */
	int64_t start;
	uint32_t row, alike;
	uint32_t n_bad;
	uint8_t *p; /* behind the last span */
	uint8_t bytes[IDX_BLOCK_HEAD + IDX_LEAF_SPANS * SPAN_MAX];
	struct bad bad[]; /* IDX_LEAF_SPANS of them; none in a file without the longest */
};

#define NEW 512 /* lengths that are spilled at once */

/* Counts of the spans of one kind, class and side: the tracer's threads, or all others. */
struct part {
	uint64_t fates[MDL_SPAN_FATES];
	struct idx_spill *lengths; /* put_length(); NULL until the first */
	struct base_figuring *figuring;
	unsigned n; /* lengths that are in neither yet: */
	int64_t last[NEW];
};

#define PARTS (2 * MDL_SPAN_CLASSES) /* of a kind: class × 2, + 1 for those of the tracer */
#define TRACERS 0x2aau               /* a bit for each part: those of the tracer */
#define ALL_PARTS ((1u << PARTS) - 1)
G_STATIC_ASSERT(PARTS == 10);

struct idx_spans_writer {
	struct idx_out *out;
	struct idx_spill *lines;
	struct idx_texts_writer *texts;
	GPtrArray *leaves;                         /* by host and kind; NULL until the first of those */
	struct part *parts[MDL_SPAN_KINDS][PARTS]; /* owned; NULL until the first span of it */
	/* Of struct idx_spans_found: the longest in written leaves (base_search.h), of other threads, then of
	 * the tracer's threads. */
	GArray *worst[MDL_SPAN_KINDS][2];
	char *note;
	enum idx_spans_form form;
};

struct idx_spans_writer *idx_spans_writer_new(const char *path, enum idx_spans_form form, GError **error)
{
	struct idx_out *out = idx_out_new(path, error);
	struct idx_spans_writer *w;

	if (!out)
		return NULL;
	w = g_new0(struct idx_spans_writer, 1);
	w->out = out;
	w->form = form;
	w->lines = idx_spill_new(out);
	w->texts = idx_texts_writer_new(out);
	w->leaves = g_ptr_array_new_with_free_func(g_free);
	for (unsigned i = 0; i < MDL_SPAN_KINDS; i++)
		for (unsigned of = 0; of < 2; of++)
			w->worst[i][of] = g_array_new(FALSE, FALSE, sizeof(struct idx_spans_found));
	return w;
}

static void kind_clear(struct idx_spans_writer *w, unsigned kind)
{
	for (unsigned i = 0; i < PARTS; i++) {
		struct part *part = w->parts[kind][i];

		if (!part)
			continue;
		idx_spill_free(part->lengths);
		g_free(part->figuring);
		g_free(part);
	}
	for (unsigned of = 0; of < 2; of++)
		g_array_unref(w->worst[kind][of]);
}

void idx_spans_writer_free(struct idx_spans_writer *w)
{
	if (!w)
		return;
	for (unsigned i = 0; i < MDL_SPAN_KINDS; i++)
		kind_clear(w, i);
	g_ptr_array_unref(w->leaves);
	idx_spill_free(w->lines);
	idx_texts_writer_free(w->texts);
	idx_out_free(w->out);
	g_free(w->note);
	g_free(w);
}

const GError *idx_spans_writer_error(const struct idx_spans_writer *w)
{
	return idx_out_error(w->out);
}

void idx_spans_writer_flush(struct idx_spans_writer *w)
{
	idx_out_flush(w->out);
}

void idx_spans_writer_rename(struct idx_spans_writer *w, const char *path)
{
	idx_out_rename(w->out, path);
}

void idx_spans_writer_note(struct idx_spans_writer *w, const char *note)
{
	g_free(w->note);
	w->note = g_strdup(note);
}

uint64_t idx_spans_writer_text(struct idx_spans_writer *w, const char *text)
{
	return idx_texts_writer_add(w->texts, text);
}

/* ---- leaves ---- */

static void writer_write_leaf(struct idx_spans_writer *w, struct open_leaf *l)
{
	uint32_t number = (uint32_t)(idx_spill_size(w->lines) / IDX_SPANS_LINE);
	uint8_t line[IDX_SPANS_LINE] = { 0 };
	size_t size = (size_t)(l->p - l->bytes);

	if (w->form == IDX_SPANS_OUTLINE) {
		idx_put64(line, (uint64_t)l->line.from);
	} else {
		idx_tree_put_head(l->bytes, IDX_KIND_SPANS, 0, l->line.count, l->line.kind);
		idx_put64(line, idx_out_append(w->out, l->bytes, size));
		idx_put32(line + 8, (uint32_t)size);
		idx_put32(line + 12, (uint32_t)XXH3_64bits(l->bytes, size));
	}
	idx_put32(line + 16, l->line.count);
	idx_put32(line + 20, l->line.kind);
	idx_put32(line + 24, l->line.host);
	idx_put32(line + 28, l->line.first_row);
	idx_put32(line + 32, l->line.last_row);
	idx_put32(line + 36, l->line.skip);
	idx_put64(line + 40, (uint64_t)l->line.first);
	idx_put64(line + 48, (uint64_t)l->line.last);
	idx_put64(line + 56, (uint64_t)l->line.longest);
	for (uint32_t i = 0; i < l->n_bad; i++) {
		l->bad[i].found.leaf = number;
		base_worst_keep(w->worst[l->line.kind][l->bad[i].tracer], IDX_SPANS_WORST,
			idx_spans_worst_first, &l->bad[i].found);
	}
	idx_spill_add(w->lines, line, IDX_SPANS_LINE);
	l->n_bad = 0;
	l->line.count = 0;
}

static void writer_begin_leaf(struct open_leaf *l, uint32_t host, uint8_t kind)
{
	l->line = (struct idx_spans_leaf){ .kind = kind,
		.host = host,
		.first_row = MDL_NONE,
		.first = INT64_MAX,
		.last = INT64_MIN,
		.longest = INT64_MIN };
	l->before = (struct idx_spans_before){ 0, 0 };
	l->p = l->bytes + IDX_BLOCK_HEAD;
}

static struct open_leaf *leaf_of(struct idx_spans_writer *w, uint32_t host, uint8_t kind)
{
	uint32_t i = host * MDL_SPAN_KINDS + kind;
	struct open_leaf *l;

	if (i >= w->leaves->len)
		g_ptr_array_set_size(w->leaves, (gint)i + 1);
	l = w->leaves->pdata[i];
	if (G_UNLIKELY(!l)) {
		/* A page that is not touched costs nothing. */
		l = w->leaves->pdata[i] = g_malloc(
			sizeof *l + (w->form == IDX_SPANS_BARE ? 0 : IDX_LEAF_SPANS * sizeof *l->bad));
		memset(l, 0, offsetof(struct open_leaf, bytes));
	}
	if (l->line.count == 0)
		writer_begin_leaf(l, host, kind);
	return l;
}

static uint8_t *put_difference(uint8_t *p, uint64_t value, uint64_t *before)
{
	p = base_varint_put(p, base_varint_zigzag((int64_t)(value - *before)));
	*before = value;
	return p;
}

/* Most lengths fit a word of 32 bits; others are two words after LONG.  Returns the place behind it. */
static uint32_t *put_length(uint32_t *p, int64_t length)
{
	if (length >= 0 && length < LONG) {
		*p++ = (uint32_t)length;
		return p;
	}
	*p++ = LONG;
	*p++ = (uint32_t)((uint64_t)length >> 32);
	*p++ = (uint32_t)length;
	return p;
}

static void take_last(const struct idx_spans_writer *w, struct part *k)
{
	uint32_t words[3 * NEW], *p = words;

	if (k->n == 0)
		return;
	if (!k->lengths) {
		k->lengths = idx_spill_new(w->out);
		k->figuring = base_figuring_new();
	}
	for (unsigned i = 0; i < k->n; i++)
		p = put_length(p, k->last[i]);
	idx_spill_add(k->lengths, words, (size_t)(p - words) * sizeof *words);
	base_figuring_add(k->figuring, k->last, k->n);
	k->n = 0;
}

static void writer_count(struct idx_spans_writer *w, const struct mdl_span *span, unsigned part)
{
	struct part *k = w->parts[span->kind][part];

	if (G_UNLIKELY(!k))
		k = w->parts[span->kind][part] = g_new0(struct part, 1);
	k->fates[span->fate]++;
	if (span->fate != MDL_SPAN_DONE)
		return;
	k->last[k->n++] = span->end - span->start;
	if (k->n == NEW)
		take_last(w, k);
}

/* Add SPAN to an outline. */
static void outline_span(struct open_leaf *l, const struct mdl_span *span)
{
	l->alike = span->row == l->row && span->start == l->start ? l->alike + 1 : 0;
	l->row = span->row;
	l->start = span->start;
	if (l->line.count > 0)
		return;
	l->line.from = span->start;
	l->line.skip = l->alike;
}

/* SPAN, which goes to L, may be one of the longest.  The number of L is known once it is written. */
static void note_bad(const struct idx_spans_writer *w, struct open_leaf *l, const struct mdl_span *span,
	bool tracer)
{
	const GArray *worst = w->worst[span->kind][tracer];
	const struct mdl_span *least;

	if (span->fate != MDL_SPAN_DONE)
		return;
	if (worst->len == IDX_SPANS_WORST) {
		least = &g_array_index(worst, struct idx_spans_found, 0).span;
		if (span->end - span->start < least->end - least->start)
			return;
	}
	l->bad[l->n_bad++] = (struct bad){ { *span, l->line.host, MDL_NONE, l->line.count }, tracer };
}

void idx_spans_writer_add(struct idx_spans_writer *w, uint32_t host, const struct mdl_span *span, bool tracer,
	enum mdl_span_class class)
{
	struct open_leaf *l = leaf_of(w, host, span->kind);
	int64_t length = span->end - span->start;

	if (w->form == IDX_SPANS_OUTLINE) {
		outline_span(l, span);
	} else {
		l->p = put_difference(l->p, (uint64_t)span->start, &l->before.start);
		l->p = base_varint_put(l->p, base_varint_zigzag(length));
		l->p = base_varint_put(l->p,
			(uint64_t)(uint32_t)(span->row + 1) << IDX_SPANS_FATE | span->fate);
		l->p = base_varint_put(l->p, (uint32_t)(span->cpu + 1));
		l->p = put_difference(l->p, span->key, &l->before.key);
	}
	l->line.first = MIN(l->line.first, span->start);
	l->line.last = MAX(l->line.last, span->start);
	l->line.longest = MAX(l->line.longest, length);
	if (span->row != MDL_NONE) {
		l->line.first_row = MIN(l->line.first_row, span->row);
		l->line.last_row = MAX(l->line.last_row, span->row);
	}
	if (w->form != IDX_SPANS_BARE) {
		writer_count(w, span, 2 * class + tracer);
		note_bad(w, l, span, tracer);
	}
	if (++l->line.count == (w->form == IDX_SPANS_OUTLINE ? IDX_LEAF_OUTLINE : IDX_LEAF_SPANS))
		writer_write_leaf(w, l);
}

/* ---- statistics ---- */

/* The spilled lengths of some parts of a kind, one part after the other. */
struct lengths {
	struct part *const *parts; /* of the kind */
	unsigned members;          /* a bit for each part */
	unsigned next;
	unsigned missing; /* words of a long length that are still to come; HIGH: the word before */
	uint64_t high;
	int64_t piece[IDX_SPILL_ROOM / sizeof(uint32_t)];
};

/* Read the lengths in the N words at P.  Returns how many. */
static size_t take_words(struct lengths *l, const uint32_t *p, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		if (l->missing == 0 && p[i] != LONG) {
			l->piece[found++] = p[i];
			continue;
		}
		if (l->missing == 1)
			l->piece[found++] = (int64_t)(l->high << 32 | p[i]);
		l->high = p[i];
		l->missing = l->missing == 0 ? 2 : l->missing - 1;
	}
	return found;
}

static const int64_t *next_lengths(void *data, size_t *n)
{
	struct lengths *l = data;
	size_t size;

	for (; l->next < PARTS; l->next++) {
		const struct part *part = l->members >> l->next & 1 ? l->parts[l->next] : NULL;
		const uint8_t *piece;

		while (part && part->lengths && (piece = idx_spill_next(part->lengths, &size))) {
			*n = take_words(l, (const uint32_t *)(const void *)piece, size / sizeof(uint32_t));
			if (*n > 0)
				return l->piece;
		}
	}
	l->next = 0;
	return NULL;
}

static void put_buckets(struct idx_spill *to, const GArray *buckets)
{
	for (guint i = 0; i < buckets->len; i++) {
		const struct base_bucket *b = &g_array_index(buckets, struct base_bucket, i);
		uint8_t words[8 * IDX_SPANS_BUCKET];

		idx_put64(words, (uint64_t)b->from);
		idx_put64(words + 8, (uint64_t)b->to);
		idx_put64(words + 16, b->count);
		idx_spill_add(to, words, sizeof words);
	}
}

static uint8_t *put_word(uint8_t *p, uint64_t word)
{
	idx_put64(p, word);
	return p + 8;
}

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static void put_figures(uint64_t word, const uint64_t *fates, const struct base_figures *found,
	GArray *powers, GArray *linear, struct idx_spill *to)
{
	uint8_t bytes[8 * IDX_SPANS_HEAD], *p = bytes;
	struct base_figures f = *found;

	p = put_word(p, word);
	p = put_word(p, powers->len);
	p = put_word(p, linear->len);
	for (unsigned i = 0; i < MDL_SPAN_FATES; i++)
		p = put_word(p, fates[i]);
	for (unsigned i = 0; i < IDX_SPANS_TIMES; i++)
		p = put_word(p, (uint64_t)*idx_spans_time(&f, i));
	p = put_word(p, f.outliers);
	p = put_word(p, bits_of(f.mean));
	put_word(p, bits_of(f.stddev));
	idx_spill_add(to, bytes, sizeof bytes);
	put_buckets(to, powers);
	put_buckets(to, linear);
	g_array_unref(powers);
	g_array_unref(linear);
}

/* The statistics of some parts of a kind. */
struct set {
	uint64_t word; /* the first one */
	bool of_class;
	unsigned members; /* a bit for each part */
	struct base_figuring *find;
};

/* All sets of a kind. */
struct sets {
	struct set sets[PARTS];
	unsigned n;
	struct lengths lengths;
};

/* Add the set of MEMBERS of CLASS, and the one without the tracer's threads if that differs. */
static void add_sets(struct sets *s, unsigned kind, enum mdl_span_class class, unsigned members)
{
	unsigned there = 0;

	for (unsigned i = 0; i < PARTS; i++)
		there |= s->lengths.parts[i] ? members & 1u << i : 0;
	for (unsigned without = 0; without < 2 && there != 0; without++) {
		struct set *set = &s->sets[s->n];

		if (without && !(there & TRACERS))
			return;
		*set = (struct set){ idx_spans_word(kind, class, without), class != MDL_SPAN_NO_CLASS,
			without ? there & ~TRACERS : there, base_figuring_new() };
		for (unsigned i = 0; i < PARTS; i++)
			if (set->members >> i & 1 && s->lengths.parts[i]->figuring)
				base_figuring_join(set->find, s->lengths.parts[i]->figuring);
		s->n++;
	}
}

/* The second pass over all lengths. */
static void figure(struct sets *s)
{
	const int64_t *at;
	size_t n;

	for (unsigned i = 0; i < s->n; i++)
		base_figuring_turn(s->sets[i].find);
	s->lengths.members = ALL_PARTS;
	while ((at = next_lengths(&s->lengths, &n)))
		for (unsigned i = 0; i < s->n; i++)
			if (s->sets[i].members >> s->lengths.next & 1)
				base_figuring_again(s->sets[i].find, at, n);
}

static void put_set(struct sets *s, const struct set *set, struct idx_spill *to)
{
	struct base_numbers numbers = { next_lengths, &s->lengths };
	uint64_t fates[MDL_SPAN_FATES] = { 0 };
	struct base_figures f = { 0 };
	GArray *powers, *linear;

	for (unsigned i = 0; i < PARTS; i++)
		for (unsigned fate = 0; set->members >> i & 1 && fate < MDL_SPAN_FATES; fate++)
			fates[fate] += s->lengths.parts[i]->fates[fate];
	s->lengths.members = set->members;
	base_figuring_finish(set->find, &numbers, &f, &powers, &linear);
	if (set->of_class) {
		/* No caller needs the histogram of a class. */
		g_array_set_size(powers, 0);
		g_array_set_size(linear, 0);
	}
	put_figures(set->word, fates, &f, powers, linear, to);
}

/* Write the statistics of KIND; also those without the tracer's if they differ, and those of classes. */
static void put_kind(struct idx_spans_writer *w, unsigned kind, struct idx_spill *to)
{
	struct sets *s = g_new0(struct sets, 1);

	s->lengths.parts = w->parts[kind];
	for (unsigned i = 0; i < PARTS; i++)
		if (w->parts[kind][i])
			take_last(w, w->parts[kind][i]);
	add_sets(s, kind, MDL_SPAN_NO_CLASS, ALL_PARTS);
	for (unsigned i = MDL_SPAN_CLASS_UNKNOWN; i < MDL_SPAN_CLASSES; i++)
		add_sets(s, kind, i, 3u << 2 * i);
	figure(s);
	for (unsigned i = 0; i < s->n; i++)
		put_set(s, &s->sets[i], to);
	g_free(s);
}

static void put_all_figures(struct idx_spans_writer *w, struct idx_chunks *chunks)
{
	struct idx_spill *all = idx_spill_new(w->out);

	for (unsigned kind = 0; kind < MDL_SPAN_KINDS; kind++)
		put_kind(w, kind, all);
	idx_chunks_put_spilled(chunks, "FIGS", all);
	idx_spill_free(all);
}

/* ---- the worst ---- */

static void put_bad(const struct idx_spans_found *f, bool tracer, struct idx_spill *to)
{
	uint8_t bytes[IDX_SPANS_BAD] = { 0 };

	idx_put64(bytes, (uint64_t)f->span.start);
	idx_put64(bytes + 8, (uint64_t)(f->span.end - f->span.start));
	idx_put64(bytes + 16, f->span.key);
	idx_put32(bytes + 24, f->span.row);
	idx_put32(bytes + 28, f->span.cpu);
	idx_put32(bytes + 32, f->leaf);
	idx_put16(bytes + 36, (uint16_t)f->number);
	bytes[IDX_SPANS_BAD_TRACER] = tracer;
	idx_spill_add(to, bytes, sizeof bytes);
}

static void put_all_worst(struct idx_spans_writer *w, struct idx_chunks *chunks)
{
	struct idx_spill *all = idx_spill_new(w->out);

	for (unsigned i = 0; i < 2 * MDL_SPAN_KINDS; i++) {
		GArray *worst = w->worst[i / 2][i % 2];

		g_array_sort(worst, idx_spans_worst_first);
		for (guint k = 0; k < worst->len; k++)
			put_bad(&g_array_index(worst, struct idx_spans_found, k), i % 2, all);
	}
	idx_chunks_put_spilled(chunks, "WRST", all);
	idx_spill_free(all);
}

/* ---- the whole ---- */

bool idx_spans_writer_finish(struct idx_spans_writer *w, const struct idx_spans_of *of, GError **error)
{
	struct idx_chunks chunks = { .out = w->out };
	const char *note = w->note ? w->note : "";
	uint8_t bytes[IDX_SPANS_ROWS] = { 0 };

	for (guint i = 0; i < w->leaves->len; i++) {
		struct open_leaf *l = w->leaves->pdata[i];

		if (l && l->line.count > 0)
			writer_write_leaf(w, l);
	}
	idx_chunks_put_spilled(&chunks, "LEAF", w->lines);
	idx_put32(bytes, of->rows);
	idx_put32(bytes + 4, of->hosts);
	idx_put64(bytes + 8, of->hash);
	idx_chunks_put(&chunks, "ROWS", bytes, sizeof bytes);
	put_all_figures(w, &chunks);
	put_all_worst(w, &chunks);
	idx_texts_writer_finish(w->texts, &chunks);
	idx_chunks_put(&chunks, "NOTE", note, strlen(note) + 1);
	return idx_chunks_finish(&chunks, &idx_map_spans, of->fingerprint, error);
}

/* ---- from bare to full ---- */

/* The order of the spans of each kind determines the leaves, so the full file has the leaves of the bare
 * one. */
bool idx_spans_settle(struct idx_spans *bare, const char *path, const bool *tracer, mdl_span_visit *found,
	void *data, struct base_progress *progress, GError **error)
{
	struct idx_spans_writer *w = idx_spans_writer_new(path, IDX_SPANS_FULL, error);
	struct mdl_span *leaf = g_new(struct mdl_span, IDX_LEAF_SPANS);
	struct idx_spans_of of = idx_spans_of_file(bare);
	g_autofree char *fingerprint = idx_spans_fingerprint(bare);
	bool fine = w;

	of.fingerprint = fingerprint;
	for (uint32_t i = 0; fine && i < idx_spans_leaf_count(bare); i++) {
		unsigned n = idx_spans_read(bare, i, leaf);

		for (unsigned k = 0; k < n; k++) {
			if (found)
				found(data, &leaf[k]);
			idx_spans_writer_add(w, 0, &leaf[k], leaf[k].row != MDL_NONE && tracer[leaf[k].row],
				MDL_SPAN_NO_CLASS);
		}
		if (progress)
			base_progress_set(progress, (double)i / idx_spans_leaf_count(bare), 0);
		fine = n > 0 && !base_progress_cancelled(progress);
	}
	if (w && !fine && idx_spans_damage(bare))
		g_propagate_error(error, g_error_copy(idx_spans_damage(bare)));
	else if (w && !fine)
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED,
			"interrupted; nothing was written");
	fine = fine && idx_spans_writer_finish(w, &of, error);
	idx_spans_writer_free(w);
	g_free(leaf);
	return fine;
}
