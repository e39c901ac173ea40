/* SPDX-License-Identifier: MIT */
/*
 * How it works: one open leaf per kind; a full one is written, and a line for it goes to the directory, which
 * says when its spans begin and how long the longest is: so those of a window, or the worst, are found
 * without a look at the others.
 */
#include "index/idx_spans.h"

#include "base/base_error.h"
#include "base/base_varint.h"
#include "index/idx_chunks.h"
#include "index/idx_tree.h"

#include <xxhash.h>

#define LINE 48 /* bytes of a leaf in the directory */
#define SPAN_MAX (5 * BASE_VARINT_MAX)
#define ROWS_SIZE 16

char *idx_spans_path(const char *index)
{
	size_t stem = strlen(index);

	if (g_str_has_suffix(index, ".wpi"))
		stem -= strlen(".wpi");
	return g_strdup_printf("%.*s.wps", (int)stem, index);
}

uint64_t idx_spans_hash(uint32_t id, const struct mdl_row *row)
{
	uint8_t bytes[32];

	idx_put64(bytes, id);
	idx_put64(bytes + 8, row->type);
	idx_put64(bytes + 16, (uint64_t)row->nr);
	idx_put64(bytes + 24, (uint64_t)row->first);
	return XXH3_64bits(bytes, sizeof bytes);
}

/* ---- writing ---- */

/* What a span is told by the difference to. */
struct before {
	uint64_t start, key;
};

struct open_leaf {
	struct idx_spans_leaf line;
	struct before before;
	uint8_t *p; /* behind the last span */
	uint8_t bytes[IDX_BLOCK_HEAD + IDX_LEAF_SPANS * SPAN_MAX];
};

struct idx_spans_writer {
	struct idx_out *out;
	struct idx_spill *lines;
	struct open_leaf *leaves[MDL_SPAN_KINDS]; /* NULL until the first of its kind */
};

struct idx_spans_writer *idx_spans_writer_new(const char *path, GError **error)
{
	struct idx_out *out = idx_out_new(path, error);
	struct idx_spans_writer *w;

	if (!out)
		return NULL;
	w = g_new0(struct idx_spans_writer, 1);
	w->out = out;
	w->lines = idx_spill_new(out);
	return w;
}

void idx_spans_writer_free(struct idx_spans_writer *w)
{
	if (!w)
		return;
	for (unsigned i = 0; i < MDL_SPAN_KINDS; i++)
		g_free(w->leaves[i]);
	idx_spill_free(w->lines);
	idx_out_free(w->out);
	g_free(w);
}

const GError *idx_spans_writer_error(const struct idx_spans_writer *w)
{
	return idx_out_error(w->out);
}

static void write_leaf(struct idx_spans_writer *w, struct open_leaf *l)
{
	size_t size = (size_t)(l->p - l->bytes);
	uint8_t line[LINE] = { 0 };

	idx_tree_put_head(l->bytes, IDX_KIND_SPANS, 0, l->line.count, l->line.kind);
	idx_put64(line, idx_out_append(w->out, l->bytes, size));
	idx_put32(line + 8, (uint32_t)size);
	idx_put32(line + 12, (uint32_t)XXH3_64bits(l->bytes, size));
	idx_put32(line + 16, l->line.count);
	line[20] = l->line.kind;
	idx_put64(line + 24, (uint64_t)l->line.first);
	idx_put64(line + 32, (uint64_t)l->line.last);
	idx_put64(line + 40, (uint64_t)l->line.longest);
	idx_spill_add(w->lines, line, LINE);
	l->line.count = 0;
}

static struct open_leaf *leaf_of(struct idx_spans_writer *w, const struct mdl_span *span)
{
	struct open_leaf *l = w->leaves[span->kind];

	if (!l)
		l = w->leaves[span->kind] = g_new0(struct open_leaf, 1);
	if (l->line.count > 0)
		return l;
	l->line = (struct idx_spans_leaf){ .kind = span->kind, .first = INT64_MAX, .last = INT64_MIN };
	l->before = (struct before){ 0, 0 };
	l->p = l->bytes + IDX_BLOCK_HEAD;
	return l;
}

static uint8_t *put_difference(uint8_t *p, uint64_t value, uint64_t *before)
{
	p = base_varint_put(p, base_varint_zigzag((int64_t)(value - *before)));
	*before = value;
	return p;
}

void idx_spans_writer_add(struct idx_spans_writer *w, const struct mdl_span *span)
{
	struct open_leaf *l = leaf_of(w, span);
	uint64_t length = (uint64_t)span->end - (uint64_t)span->start;

	l->p = put_difference(l->p, (uint64_t)span->start, &l->before.start);
	l->p = base_varint_put(l->p, length);
	l->p = base_varint_put(l->p, (uint64_t)(uint32_t)(span->row + 1) << 2 | span->fate);
	l->p = base_varint_put(l->p, (uint32_t)(span->cpu + 1));
	l->p = put_difference(l->p, span->key, &l->before.key);
	l->line.first = MIN(l->line.first, span->start);
	l->line.last = MAX(l->line.last, span->start);
	l->line.longest = MAX(l->line.longest, (int64_t)length);
	if (++l->line.count == IDX_LEAF_SPANS)
		write_leaf(w, l);
}

bool idx_spans_writer_finish(struct idx_spans_writer *w, const char *fingerprint, uint32_t rows,
	uint64_t hash, GError **error)
{
	struct idx_chunks chunks = { .out = w->out };
	uint8_t bytes[ROWS_SIZE] = { 0 };

	for (unsigned i = 0; i < MDL_SPAN_KINDS; i++)
		if (w->leaves[i] && w->leaves[i]->line.count > 0)
			write_leaf(w, w->leaves[i]);
	idx_chunks_put_spilled(&chunks, "LEAF", w->lines);
	idx_put32(bytes, rows);
	idx_put64(bytes + 8, hash);
	idx_chunks_put(&chunks, "ROWS", bytes, sizeof bytes);
	return idx_chunks_finish(&chunks, &idx_map_spans, fingerprint, error);
}

/* ---- reading ---- */

struct idx_spans {
	struct idx_map *map;
	const uint8_t *lines; /* in the file */
	uint32_t n, n_rows;
};

static bool bad(const struct idx_spans *s, const char *what, GError **error)
{
	g_set_error(error, BASE_ERROR, BASE_ERROR_STALE, "%s %s: %s", idx_map_spans.name,
		idx_map_path(s->map), what);
	return false;
}

static uint64_t hash_of(struct idx_reader *index)
{
	uint64_t hash = 0;

	for (uint32_t row = 0; row < idx_reader_row_count(index); row++) {
		struct mdl_row r = idx_reader_row(index, row);

		hash += idx_spans_hash(row, &r);
	}
	return hash;
}

static bool load_rows(struct idx_spans *s, struct idx_reader *index, GError **error)
{
	uint64_t size;
	const uint8_t *bytes = idx_map_chunk(s->map, "ROWS", &size, error);

	if (!bytes)
		return false;
	if (size != ROWS_SIZE)
		return bad(s, "damaged: inside of chunk ROWS", error);
	s->n_rows = idx_get32(bytes);
	return !index ||
		(s->n_rows == idx_reader_row_count(index) && idx_get64(bytes + 8) == hash_of(index)) ||
		bad(s, "it does not belong to the index", error);
}

static bool load_lines(struct idx_spans *s, GError **error)
{
	uint64_t size;

	s->lines = idx_map_chunk(s->map, "LEAF", &size, error);
	if (!s->lines)
		return false;
	if (size % LINE != 0 || size / LINE > UINT32_MAX)
		return bad(s, "damaged: inside of chunk LEAF", error);
	s->n = (uint32_t)(size / LINE);
	for (uint32_t i = 0; i < s->n; i++) {
		struct idx_spans_leaf l = idx_spans_leaf(s, i);

		if (l.kind >= MDL_SPAN_KINDS || l.count == 0 || l.count > IDX_LEAF_SPANS ||
			l.first > l.last || l.longest < 0)
			return bad(s, "damaged: inside of chunk LEAF", error);
	}
	return true;
}

struct idx_spans *idx_spans_open(const char *path, struct idx_reader *index, GError **error)
{
	struct idx_spans *s = g_new0(struct idx_spans, 1);

	s->map = idx_map_open(path, &idx_map_spans, index ? idx_reader_meta(index)->fingerprint : NULL,
		error);
	if (!s->map || !load_rows(s, index, error) || !load_lines(s, error))
		g_clear_pointer(&s, idx_spans_free);
	return s;
}

void idx_spans_free(struct idx_spans *s)
{
	if (!s)
		return;
	idx_map_free(s->map);
	g_free(s);
}

uint32_t idx_spans_leaf_count(const struct idx_spans *s)
{
	return s->n;
}

struct idx_spans_leaf idx_spans_leaf(const struct idx_spans *s, uint32_t leaf)
{
	const uint8_t *p = s->lines + (size_t)leaf * LINE;

	return (struct idx_spans_leaf){ .offset = idx_get64(p),
		.size = idx_get32(p + 8),
		.checksum = idx_get32(p + 12),
		.count = idx_get32(p + 16),
		.kind = p[20],
		.first = (int64_t)idx_get64(p + 24),
		.last = (int64_t)idx_get64(p + 32),
		.longest = (int64_t)idx_get64(p + 40) };
}

static uint64_t get_difference(struct base_varints *in, uint64_t *before)
{
	*before += (uint64_t)base_varint_unzigzag(base_varints_get(in));
	return *before;
}

static bool get_span(const struct idx_spans *s, const struct idx_spans_leaf *l, struct base_varints *in,
	struct before *before, struct mdl_span *span)
{
	uint64_t length, row, cpu;

	span->start = (int64_t)get_difference(in, &before->start);
	length = base_varints_get(in);
	row = base_varints_get(in);
	cpu = base_varints_get(in);
	span->key = get_difference(in, &before->key);
	span->kind = l->kind;
	span->fate = row & 3;
	span->row = (uint32_t)((row >> 2) - 1);
	span->cpu = (uint32_t)(cpu - 1);
	return in->p && span->fate < MDL_SPAN_FATES && row >> 2 <= s->n_rows && cpu <= UINT32_MAX &&
		span->start >= l->first && span->start <= l->last && length <= (uint64_t)l->longest &&
		!__builtin_add_overflow(span->start, (int64_t)length, &span->end);
}

unsigned idx_spans_read(struct idx_spans *s, uint32_t leaf, struct mdl_span *spans)
{
	struct idx_spans_leaf l = idx_spans_leaf(s, leaf);
	struct idx_child child = { .offset = l.offset, .size = l.size, .checksum = l.checksum };
	struct before before = { 0, 0 };
	struct base_varints in;
	const uint8_t *block;
	uint64_t *unused;
	bool fine;

	block = idx_map_block(s->map, &child, IDX_KIND_SPANS, l.kind, &unused);
	if (!block)
		return 0;
	in = (struct base_varints){ block + IDX_BLOCK_HEAD, block + l.size };
	fine = block[0] == IDX_KIND_SPANS && idx_get16(block + 2) == l.count;
	for (uint32_t i = 0; fine && i < l.count; i++)
		fine = get_span(s, &l, &in, &before, &spans[i]);
	if (fine && in.p == in.end)
		return l.count;
	idx_map_note_damage(s->map, l.offset, "inside of a leaf of spans");
	return 0;
}

const GError *idx_spans_damage(const struct idx_spans *s)
{
	return idx_map_damage(s->map);
}

/* ---- checking ---- */

bool idx_spans_verify(const char *path, struct idx_reader *index, idx_verify_report report, void *data,
	struct idx_verify_totals *totals)
{
	struct mdl_span *spans = g_new(struct mdl_span, IDX_LEAF_SPANS);
	GError *error = NULL;
	struct idx_spans *s = idx_spans_open(path, index, &error);

	*totals = (struct idx_verify_totals){ .bytes = s ? idx_map_size(s->map) : 0 };
	for (uint32_t i = 0; s && i < s->n && !error; i++) {
		totals->spans += idx_spans_read(s, i, spans);
		totals->blocks++;
		if (idx_spans_damage(s))
			error = g_error_copy(idx_spans_damage(s));
	}
	if (error) {
		report(data, error->message);
		totals->findings++;
		g_error_free(error);
	}
	idx_spans_free(s);
	g_free(spans);
	return totals->findings == 0;
}
