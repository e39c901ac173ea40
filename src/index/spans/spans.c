/* SPDX-License-Identifier: MIT */
/* Files of latencies: where they are, and reading them.  Opening checks the tables; a leaf is checked each
 * time it is read. */
#include "index/spans/parts.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "base/base_search.h"
#include "base/base_varint.h"
#include "index/spans/texts.h"
#include "index/tree/tree.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <xxhash.h>

#define PASSED_MOST (32u << 20)

/* ---- files of latencies, and the index that they belong to ---- */

/* FILE without its end. */
static char *stem_of(const char *file)
{
	const char *end = strrchr(file, '.');

	return end && !strchr(end, '/') ? g_strndup(file, (gsize)(end - file)) : g_strdup(file);
}

char *idx_spans_path(const char *index)
{
	g_autofree char *stem = stem_of(index);

	return g_strconcat(stem, ".wps", NULL);
}

char *idx_spans_beside(const char *file, const char *name)
{
	g_autofree char *stem = stem_of(file);
	char *path = g_strdup_printf("%s-%016" G_GINT64_MODIFIER "x.wps", stem,
		(guint64)XXH3_64bits(name, strlen(name)));

	return path;
}

GPtrArray *idx_spans_all_beside(const char *file)
{
	GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
	char *stem = stem_of(file), *folder = g_path_get_dirname(file), *base = g_path_get_basename(stem);
	size_t length = strlen(base), whole = length + strlen("-0123456789abcdef.wps");
	g_autoptr(GPtrArray) names = base_io_names(folder);

	for (guint i = 0; names && i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);

		if (g_str_has_prefix(name, base) && name[length] == '-' && g_str_has_suffix(name, ".wps") &&
			strlen(name) == whole)
			g_ptr_array_add(paths, g_build_filename(folder, name, NULL));
	}
	g_ptr_array_sort(paths, base_search_by_text);
	g_free(base);
	g_free(folder);
	g_free(stem);
	return paths;
}

void idx_spans_remove_beside(const char *file)
{
	g_autoptr(GPtrArray) paths = idx_spans_all_beside(file);
	g_autofree char *stem = stem_of(file), *summary = g_strconcat(stem, IDX_SUMMARY_ENDING, NULL);

	g_unlink(summary);
	for (guint i = 0; i < paths->len; i++)
		g_unlink(g_ptr_array_index(paths, i));
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

/* ---- the order of the worst ---- */

int idx_spans_worst_first(const void *a, const void *b)
{
	const struct idx_spans_found *x = a, *y = b;
	int64_t x_length = x->span.end - x->span.start, y_length = y->span.end - y->span.start;

	return BASE_ORDER(y_length, x_length) ?: BASE_BY(x, y, span.start) ?: BASE_BY(x, y, span.row)
		?: BASE_BY(x, y, leaf) ?: BASE_BY(x, y, number);
}

struct idx_spans {
	struct idx_map *map;
	const uint8_t *lines, *figures, *worst, *note; /* in the chunks */
	struct idx_texts *texts;
	uint64_t figures_size;
	uint64_t passed; /* bytes of leaves that were read since the pages were dropped */
	uint32_t n, n_rows, n_hosts;
	uint64_t hash; /* of the rows */
	bool is_outline;
	idx_spans_holds *holds; /* as in struct idx_spans_of, as are the next two */
	const void *data;
	unsigned what;
	struct {
		uint32_t first, n;
	} lists[MDL_SPAN_KINDS][2]; /* the worst of other threads, then those of the tracer's threads */
};

/* ---- opening ---- */

static bool load_rows(struct idx_spans *s, const struct idx_spans_of *of, GError **error)
{
	uint64_t size;
	const uint8_t *bytes = idx_map_chunk(s->map, "ROWS", &size, error);

	if (!bytes)
		return false;
	if (size != IDX_SPANS_ROWS)
		return idx_map_bad_chunk(s->map, "ROWS", error);
	s->n_rows = idx_get32(bytes);
	s->n_hosts = idx_get32(bytes + 4);
	s->hash = idx_get64(bytes + 8);
	if (!of || (s->n_rows == of->rows && s->n_hosts == of->hosts && s->hash == of->hash))
		return true;
	return base_error_false(error, BASE_ERROR_STALE, "%s %s: it does not belong to the index",
		idx_map_spans.name, idx_map_path(s->map));
}

/* True if L is a leaf of spans.  Each leaf takes its bytes from *LEFT, those left in the file. */
static bool is_leaf(const struct idx_spans *s, const struct idx_spans_leaf *l, uint64_t *left)
{
	bool no_rows = l->first_row == MDL_NONE && l->last_row == 0;

	return l->count <= IDX_LEAF_SPANS && l->skip == 0 &&
		(no_rows || (l->first_row <= l->last_row && l->last_row < s->n_rows)) &&
		idx_take(left, l->count, IDX_LEAST_SPAN);
}

/* True if L, of the same host as B, begins behind all of B in the order of rows and time. */
static bool is_behind(const struct idx_spans_leaf *l, const struct idx_spans_leaf *b)
{
	if (l->first_row != b->last_row)
		return l->first_row > b->last_row;
	if (b->first_row != b->last_row) /* FROM of B belongs to another row, and LAST may */
		return true;
	return l->from >= b->last && (l->from > b->from || l->skip >= b->skip + b->count);
}

/* True if L, number I, is a leaf of an outline.  LAST: the last leaf by host. */
static bool is_outlined(const struct idx_spans *s, const struct idx_spans_leaf *l, uint32_t i,
	GHashTable *last)
{
	gpointer known, before = NULL;
	struct idx_spans_leaf b;

	if (l->count > IDX_LEAF_OUTLINE || l->kind != 0 || l->checksum != 0 || l->first_row > l->last_row ||
		l->last_row >= s->n_rows || l->from < l->first || l->from > l->last || l->longest < 0 ||
		l->skip > UINT32_MAX - IDX_LEAF_OUTLINE)
		return false;
	known = g_hash_table_lookup_extended(last, GUINT_TO_POINTER(l->host), NULL, &before) ? before : NULL;
	g_hash_table_replace(last, GUINT_TO_POINTER(l->host), GUINT_TO_POINTER(i + 1));
	if (!known)
		return true;
	b = idx_spans_leaf(s, GPOINTER_TO_UINT(known) - 1);
	return is_behind(l, &b);
}

static bool load_lines(struct idx_spans *s, GError **error)
{
	g_autoptr(GHashTable) last = g_hash_table_new(NULL, NULL);
	uint64_t left = idx_map_size(s->map);

	s->lines = idx_map_records(s->map, "LEAF", IDX_SPANS_LINE, &s->n, error);
	for (uint32_t i = 0; s->lines && i < s->n; i++) {
		struct idx_spans_leaf l = idx_spans_leaf(s, i);

		s->is_outline = i == 0 ? l.size == 0 : s->is_outline;
		if (l.kind >= MDL_SPAN_KINDS || l.host >= s->n_hosts || l.count == 0 || l.first > l.last ||
			(l.size == 0) != s->is_outline ||
			!(s->is_outline ? is_outlined(s, &l, i, last) : is_leaf(s, &l, &left)))
			return idx_map_bad_chunk(s->map, "LEAF", error);
	}
	return s->lines;
}

static uint64_t word(const struct idx_spans *s, uint64_t at)
{
	return idx_get64(s->figures + 8 * at);
}

static double number(const struct idx_spans *s, uint64_t at)
{
	uint64_t bits = word(s, at);
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/* The number of words of the statistics at word AT; 0 if they are invalid. */
static uint64_t figures_length(const struct idx_spans *s, uint64_t at)
{
	uint64_t all = s->figures_size / 8, length = IDX_SPANS_HEAD;

	if (all - at < length || word(s, at) >= IDX_SPANS_WORDS ||
		(word(s, at) >> 1 & 7) >= MDL_SPAN_CLASSES || word(s, at + 1) > BASE_POWERS_MOST ||
		word(s, at + 2) > BASE_LINEAR_MOST || !isfinite(number(s, at + IDX_SPANS_HEAD - 2)) ||
		!isfinite(number(s, at + IDX_SPANS_HEAD - 1)))
		return 0;
	length += IDX_SPANS_BUCKET * (word(s, at + 1) + word(s, at + 2));
	if (all - at < length)
		return 0;
	for (uint64_t i = at + IDX_SPANS_HEAD; i < at + length; i += IDX_SPANS_BUCKET)
		if ((int64_t)word(s, i) >= (int64_t)word(s, i + 1))
			return 0;
	return length;
}

static bool load_figures(struct idx_spans *s, GError **error)
{
	uint64_t before = 0, length;

	s->figures = idx_map_chunk(s->map, "FIGS", &s->figures_size, error);
	if (!s->figures)
		return false;
	for (uint64_t at = 0; at < s->figures_size / 8; at += length) {
		length = figures_length(s, at);
		if (length == 0 || (at > 0 && word(s, at) <= before))
			return idx_map_bad_chunk(s->map, "FIGS", error);
		before = word(s, at);
	}
	return s->figures_size % 8 == 0 || idx_map_bad_chunk(s->map, "FIGS", error);
}

/* True if SPAN, of LENGTH, can be in leaf L; its end is set then.  A span of an outline always has a row. */
static bool spans_fits(const struct idx_spans *s, const struct idx_spans_leaf *l, int64_t length,
	struct mdl_span *span)
{
	return (span->row == MDL_NONE ? !s->is_outline
				      : span->row >= l->first_row && span->row <= l->last_row) &&
		span->start >= l->first && span->start <= l->last && length <= l->longest &&
		!__builtin_add_overflow(span->start, length, &span->end) &&
		(!s->holds || s->holds(s->data, s->what, l->host, span));
}

/* Read number I of all the longest into F.  False if it is invalid. */
static bool get_worst(const struct idx_spans *s, uint32_t i, struct idx_spans_found *f)
{
	const uint8_t *p = s->worst + (size_t)i * IDX_SPANS_BAD;
	struct idx_spans_leaf l;

	*f = (struct idx_spans_found){ .span = { .start = (int64_t)idx_get64(p),
					       .key = idx_get64(p + 16),
					       .row = idx_get32(p + 24),
					       .cpu = idx_get32(p + 28) },
		.leaf = idx_get32(p + 32),
		.number = idx_get16(p + 36) };
	if (f->leaf >= s->n)
		return false;
	l = idx_spans_leaf(s, f->leaf);
	f->span.kind = l.kind;
	f->host = l.host;
	return f->number < l.count && (f->span.row == MDL_NONE || f->span.row < s->n_rows) &&
		spans_fits(s, &l, (int64_t)idx_get64(p + 8), &f->span);
}

static bool load_worst(struct idx_spans *s, GError **error)
{
	struct idx_spans_found f, before = { .leaf = 0 };
	unsigned list, last = 0;
	uint32_t n;

	s->worst = idx_map_records(s->map, "WRST", IDX_SPANS_BAD, &n, error);
	for (uint32_t i = 0; s->worst && i < n; i++, before = f, last = list) {
		unsigned tracer = s->worst[(size_t)i * IDX_SPANS_BAD + IDX_SPANS_BAD_TRACER];

		if (tracer > 1 || !get_worst(s, i, &f))
			return idx_map_bad_chunk(s->map, "WRST", error);
		list = f.span.kind << 1 | tracer;
		if (s->lists[f.span.kind][tracer].n++ == 0)
			s->lists[f.span.kind][tracer].first = i;
		if (s->lists[f.span.kind][tracer].n > IDX_SPANS_WORST || list < last ||
			(s->lists[f.span.kind][tracer].n > 1 && idx_spans_worst_first(&before, &f) >= 0))
			return idx_map_bad_chunk(s->map, "WRST", error);
	}
	return s->worst && (n == 0 || s->figures_size > 0 || idx_map_bad_chunk(s->map, "WRST", error));
}

static bool load_note(struct idx_spans *s, GError **error)
{
	uint64_t size;

	s->note = idx_map_chunk(s->map, "NOTE", &size, error);
	return s->note &&
		((size > 0 && s->note[size - 1] == '\0') || idx_map_bad_chunk(s->map, "NOTE", error));
}

static bool load_texts(struct idx_spans *s, GError **error)
{
	s->texts = idx_texts_open(s->map, error);
	return s->texts;
}

struct idx_spans *idx_spans_open(const char *path, const struct idx_spans_of *of, GError **error)
{
	struct idx_spans *s = g_new0(struct idx_spans, 1);

	if (of) {
		s->holds = of->holds;
		s->data = of->data;
		s->what = of->what;
	}
	s->map = idx_map_open(path, &idx_map_spans, of ? of->fingerprint : NULL, error);
	if (!s->map || !load_rows(s, of, error) || !load_lines(s, error) || !load_figures(s, error) ||
		!load_worst(s, error) || !load_texts(s, error) || !load_note(s, error))
		g_clear_pointer(&s, idx_spans_free);
	return s;
}

/* idx_spans_holds of an index.  The row is below the number of rows already. */
static bool holds_in_index(const void *index, G_GNUC_UNUSED unsigned what, G_GNUC_UNUSED uint32_t host,
	const struct mdl_span *span)
{
	const struct idx_reader *r = index;
	unsigned type = span->row == MDL_NONE ? MDL_ROW_TYPES : idx_reader_row(r, span->row).type;

	return mdl_span_holds(span, type, idx_reader_string_count(r));
}

struct idx_spans *idx_spans_open_index(const char *path, struct idx_reader *index, GError **error)
{
	struct idx_spans_of of = { .fingerprint = idx_reader_meta(index)->fingerprint,
		.hosts = 1,
		.rows = idx_reader_row_count(index),
		.holds = holds_in_index,
		.data = index };

	for (uint32_t row = 0; row < of.rows; row++) {
		struct mdl_row r = idx_reader_row(index, row);

		of.hash += idx_spans_hash(row, &r);
	}
	return idx_spans_open(path, &of, error);
}

void idx_spans_free(struct idx_spans *s)
{
	if (!s)
		return;
	idx_texts_free(s->texts);
	idx_map_free(s->map);
	g_free(s);
}

void idx_spans_remove_damaged(const struct idx_spans *s)
{
	if (idx_map_damage(s->map))
		idx_map_remove(s->map);
}

uint64_t idx_spans_size(const struct idx_spans *s)
{
	return idx_map_size(s->map);
}

const GError *idx_spans_damage(const struct idx_spans *s)
{
	return idx_map_damage(s->map);
}

const char *idx_spans_text(const struct idx_spans *s, uint64_t key)
{
	return idx_texts_get(s->texts, key);
}

void idx_spans_check_texts(struct idx_spans *s)
{
	idx_texts_verify(s->texts);
}

const char *idx_spans_note(const struct idx_spans *s)
{
	return (const char *)s->note;
}

/* ---- spans ---- */

bool idx_spans_is_outline(const struct idx_spans *s)
{
	return s->is_outline;
}

/* Every span that was added with statistics is counted in them, so a file with spans and without FIGS is
 * bare. */
bool idx_spans_is_bare(const struct idx_spans *s)
{
	return s->n > 0 && !s->is_outline && s->figures_size == 0;
}

/* The lines contain the checksums of the leaves. */
bool idx_spans_are_alike(const struct idx_spans *a, const struct idx_spans *b)
{
	return a->n == b->n && a->n_rows == b->n_rows && a->n_hosts == b->n_hosts && a->hash == b->hash &&
		(a->n == 0 || memcmp(a->lines, b->lines, (size_t)a->n * IDX_SPANS_LINE) == 0);
}

struct idx_spans_of idx_spans_of_file(const struct idx_spans *s)
{
	return (struct idx_spans_of){ .hosts = s->n_hosts, .rows = s->n_rows, .hash = s->hash };
}

char *idx_spans_fingerprint(const struct idx_spans *s)
{
	return idx_map_fingerprint(s->map);
}

uint32_t idx_spans_leaf_count(const struct idx_spans *s)
{
	return s->n;
}

struct idx_spans_leaf idx_spans_leaf(const struct idx_spans *s, uint32_t leaf)
{
	const uint8_t *p = s->lines + (size_t)leaf * IDX_SPANS_LINE;

	return (struct idx_spans_leaf){ .offset = idx_get64(p),
		.size = idx_get32(p + 8),
		.checksum = idx_get32(p + 12),
		.count = idx_get32(p + 16),
		.kind = p[20],
		.host = idx_get32(p + 24),
		.first_row = idx_get32(p + 28),
		.last_row = idx_get32(p + 32),
		.skip = idx_get32(p + 36),
		.from = (int64_t)idx_get64(p),
		.first = (int64_t)idx_get64(p + 40),
		.last = (int64_t)idx_get64(p + 48),
		.longest = (int64_t)idx_get64(p + 56) };
}

static uint64_t get_difference(struct base_varints *in, uint64_t *before)
{
	*before += (uint64_t)base_varint_unzigzag(base_varints_get(in));
	return *before;
}

static bool get_span(const struct idx_spans *s, const struct idx_spans_leaf *l, struct base_varints *in,
	struct idx_spans_before *before, struct mdl_span *span)
{
	uint64_t row, cpu;
	int64_t length;

	span->start = (int64_t)get_difference(in, &before->start);
	length = base_varint_unzigzag(base_varints_get(in));
	row = base_varints_get(in);
	cpu = base_varints_get(in);
	span->key = get_difference(in, &before->key);
	span->kind = l->kind;
	span->fate = row & ((1 << IDX_SPANS_FATE) - 1);
	row >>= IDX_SPANS_FATE;
	span->row = (uint32_t)(row - 1);
	span->cpu = (uint32_t)(cpu - 1);
	return in->p && span->fate < MDL_SPAN_FATES && row <= s->n_rows && cpu <= UINT32_MAX &&
		spans_fits(s, l, length, span);
}

unsigned idx_spans_read(struct idx_spans *s, uint32_t leaf, struct mdl_span *spans)
{
	struct idx_spans_leaf l = idx_spans_leaf(s, leaf);
	struct idx_child child = { .offset = l.offset, .size = l.size, .checksum = l.checksum };
	struct idx_spans_before before = { 0, 0 };
	struct base_varints in;
	const uint8_t *block;
	uint64_t *unused;
	bool fine;

	/* Scanning every leaf must not leave the whole file resident. */
	s->passed += l.size;
	if (s->passed > PASSED_MOST) {
		idx_map_let_go(s->map);
		s->passed = 0;
	}
	block = s->is_outline ? NULL : idx_map_block(s->map, &child, IDX_KIND_SPANS, l.kind, &unused);
	if (!block)
		return 0;
	in = (struct base_varints){ block + IDX_BLOCK_HEAD, block + l.size };
	fine = block[0] == IDX_KIND_SPANS && idx_get16(block + 2) == l.count;
	for (uint32_t i = 0; fine && i < l.count; i++)
		fine = get_span(s, &l, &in, &before, &spans[i]);
	if (fine && in.p == in.end)
		return l.count;
	idx_map_note_damage(s->map, l.offset, "invalid leaf of spans");
	return 0;
}

bool idx_spans_worst(const struct idx_spans *s, unsigned kind, bool tracer, uint32_t i,
	struct idx_spans_found *found)
{
	return i < s->lists[kind][tracer].n && get_worst(s, s->lists[kind][tracer].first + i, found);
}

/* A list that is full may lack others; LAST is the first of the ends of such lists. */
bool idx_spans_worst_last(const struct idx_spans *s, unsigned kind, bool without,
	struct idx_spans_found *last)
{
	struct idx_spans_found end;

	*last = (struct idx_spans_found){ .leaf = MDL_NONE };
	for (unsigned tracer = 0; tracer < (without ? 1 : 2); tracer++)
		if (idx_spans_worst(s, kind, tracer, IDX_SPANS_WORST - 1, &end) &&
			(last->leaf == MDL_NONE || idx_spans_worst_first(&end, last) < 0))
			*last = end;
	return last->leaf != MDL_NONE;
}

void idx_spans_note_damage(struct idx_spans *s, uint32_t leaf, const char *what)
{
	struct idx_spans_leaf l = idx_spans_leaf(s, leaf);

	idx_map_note_damage(s->map, s->is_outline ? leaf : l.offset, what);
}

const char *idx_spans_layout(const struct idx_spans *s)
{
	struct idx_map_use use = { .across = false };

	for (uint32_t i = 0; !s->is_outline && i < s->n; i++) {
		struct idx_spans_leaf l = idx_spans_leaf(s, i);

		idx_map_use_block(s->map, &use, &(struct idx_child){ .offset = l.offset, .size = l.size });
	}
	idx_texts_use(s->texts, &use);
	return idx_map_layout(s->map, &use);
}

/* ---- statistics ---- */

/* The N classes at word AT. */
static GArray *buckets_at(const struct idx_spans *s, uint64_t at, uint64_t n)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct base_bucket));

	for (uint64_t i = at; i < at + n * IDX_SPANS_BUCKET; i += IDX_SPANS_BUCKET) {
		struct base_bucket b = { (int64_t)word(s, i), (int64_t)word(s, i + 1), word(s, i + 2) };

		g_array_append_val(all, b);
	}
	return all;
}

static void get_figures(const struct idx_spans *s, uint64_t at, struct idx_spans_figures *f)
{
	uint64_t powers = word(s, at + 1), linear = word(s, at + 2), end = at + IDX_SPANS_HEAD;

	idx_spans_figures_clear(f);
	for (unsigned i = 0; i < MDL_SPAN_FATES; i++)
		f->fates[i] = word(s, at + 3 + i);
	for (unsigned i = 0; i < IDX_SPANS_TIMES; i++)
		*idx_spans_time(&f->figures, i) = (int64_t)word(s, at + 3 + MDL_SPAN_FATES + i);
	f->figures.outliers = word(s, end - 3);
	f->figures.mean = number(s, end - 2);
	f->figures.stddev = number(s, end - 1);
	f->figures.count = f->fates[MDL_SPAN_DONE];
	f->figures.unfinished = f->fates[MDL_SPAN_OPEN];
	f->figures.dropped = f->fates[MDL_SPAN_LOST];
	f->powers = buckets_at(s, end, powers);
	f->linear = buckets_at(s, end + powers * IDX_SPANS_BUCKET, linear);
}

static const int64_t *next_of_none(G_GNUC_UNUSED void *data, G_GNUC_UNUSED size_t *n)
{
	return NULL;
}

void idx_spans_figures(const struct idx_spans *s, unsigned kind, bool without, struct idx_spans_figures *f)
{
	idx_spans_figures_of(s, kind, MDL_SPAN_NO_CLASS, without, f);
}

bool idx_spans_has_classes(const struct idx_spans *s, unsigned kind)
{
	for (uint64_t at = 0; at < s->figures_size / 8; at += figures_length(s, at))
		if (word(s, at) >= idx_spans_word(kind, MDL_SPAN_CLASS_UNKNOWN, false) &&
			word(s, at) < idx_spans_word(kind, MDL_SPAN_CLASSES, false))
			return true;
	return false;
}

/* Figures without the tracer's spans are stored only if they differ. */
void idx_spans_figures_of(const struct idx_spans *s, unsigned kind, enum mdl_span_class class, bool without,
	struct idx_spans_figures *f)
{
	struct base_numbers none = { next_of_none, NULL };

	*f = (struct idx_spans_figures){ 0 };
	base_figures_find(&none, &f->figures, &f->powers, &f->linear);
	for (uint64_t at = 0; at < s->figures_size / 8; at += figures_length(s, at))
		if (word(s, at) == idx_spans_word(kind, class, false) ||
			(without && word(s, at) == idx_spans_word(kind, class, true)))
			get_figures(s, at, f);
}
