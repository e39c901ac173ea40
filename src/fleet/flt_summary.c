/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a summary: a file of chunks like an index (index/file/map.h). A chunk is numbers
 * (base_varint.h) and texts: the length + 1, or 0 for none, and the bytes. Each chunk has its checksum and is
 * read only if it is wanted, so that the figures of a thousand files are read in a second.
 */
#include "fleet/flt_parts.h"

#include "base/base_error.h"
#include "base/base_time.h"
#include "index/file/out.h"
#include "query/cases/kept.h"

#include <string.h>

#define MAGIC "WKPSUMMY"
#define VERSION 1 /* version of the format and of the content */
#define FEWEST 4  /* groups of a kind that are kept even if the file becomes too large */

const struct idx_map_kind flt_summary_file = { MAGIC, VERSION, "summary", "it is of another index" };

/* ---- memory ---- */

static void part_clear(void *part)
{
	g_free(((struct flt_part *)part)->text);
}

static void case_clear(void *data)
{
	struct flt_case *c = data;

	g_free(c->subject);
	g_free(c->key);
	g_free(c->cause);
	g_array_unref(c->parts);
}

static void group_clear(void *data)
{
	struct flt_group *g = data;

	g_free(g->name);
	base_sketch_clear(&g->sketch);
}

static void kind_clear(void *data)
{
	struct flt_kind *k = data;

	g_free(k->name);
	base_sketch_clear(&k->all);
	g_array_unref(k->groups);
	g_array_unref(k->worst);
}

static void cause_clear(void *data)
{
	g_free(((struct flt_cause *)data)->kind);
	g_free(((struct flt_cause *)data)->name);
}

static void step_clear(void *data)
{
	g_free(((struct flt_step *)data)->text);
}

static void paths_clear(void *data)
{
	g_free(((struct flt_paths *)data)->set);
	g_array_unref(((struct flt_paths *)data)->steps);
}

static GArray *array_of(guint size, GDestroyNotify clear)
{
	GArray *array = g_array_new(FALSE, TRUE, size);

	g_array_set_clear_func(array, clear);
	return array;
}

void *flt_append(GArray *array)
{
	g_array_set_size(array, array->len + 1);
	return array->data + (gsize)(array->len - 1) * g_array_get_element_size(array);
}

struct flt_kind *flt_summary_kind(struct flt_summary *s)
{
	struct flt_kind *k = flt_append(s->kinds);

	k->groups = array_of(sizeof(struct flt_group), group_clear);
	k->worst = array_of(sizeof(struct flt_case), case_clear);
	return k;
}

struct flt_case *flt_summary_case(struct flt_kind *k)
{
	struct flt_case *c = flt_append(k->worst);

	c->parts = array_of(sizeof(struct flt_part), part_clear);
	return c;
}

struct flt_paths *flt_summary_paths(struct flt_summary *s)
{
	struct flt_paths *p = flt_append(s->paths);

	p->steps = array_of(sizeof(struct flt_step), step_clear);
	return p;
}

struct flt_summary *flt_summary_new(void)
{
	struct flt_summary *s = g_new0(struct flt_summary, 1);

	s->kinds = array_of(sizeof(struct flt_kind), kind_clear);
	s->causes = array_of(sizeof(struct flt_cause), cause_clear);
	s->paths = array_of(sizeof(struct flt_paths), paths_clear);
	return s;
}

void flt_summary_free(struct flt_summary *s)
{
	if (!s)
		return;
	g_free(s->host);
	g_free(s->trace);
	g_free(s->tracer);
	g_free(s->release);
	g_array_unref(s->kinds);
	g_array_unref(s->causes);
	g_array_unref(s->paths);
	g_free(s);
}

void flt_sum_join(struct flt_sum *sum, const struct flt_sum *other)
{
	sum->count += other->count;
	sum->longest = MAX(sum->longest, other->longest);
	sum->time += other->time;
	sum->squares += other->squares;
}

void flt_sum_add(struct flt_sum *sum, int64_t time)
{
	const struct flt_sum one = { 1, time, time, (base_uwide)((base_wide)time * time) };

	flt_sum_join(sum, &one);
}

/* ---- writing ---- */

static void put(GByteArray *to, uint64_t number)
{
	base_sketch_put_number(to, number);
}

static void put_signed(GByteArray *to, int64_t number)
{
	put(to, base_varint_zigzag(number));
}

static void put_text(GByteArray *to, const char *text)
{
	gsize length = text ? strlen(text) : 0;

	put(to, text ? length + 1 : 0);
	if (length > 0)
		g_byte_array_append(to, (const guint8 *)text, (guint)length);
}

static void put_sum(GByteArray *to, const struct flt_sum *sum)
{
	put(to, sum->count);
	put_signed(to, sum->longest);
	base_sketch_put_wide(to, (base_uwide)sum->time);
	base_sketch_put_wide(to, sum->squares);
}

static void put_host(GByteArray *to, const struct flt_summary *s)
{
	put_text(to, s->host);
	put_text(to, s->trace);
	put_text(to, s->tracer);
	put_text(to, s->release);
	put_signed(to, s->from);
	put_signed(to, s->to);
	put(to, s->events);
	put(to, s->lost);
	put(to, s->cpus);
}

static void put_kinds(GByteArray *to, const struct flt_summary *s)
{
	put(to, s->kinds->len);
	for (guint i = 0; i < s->kinds->len; i++) {
		const struct flt_kind *k = &g_array_index(s->kinds, struct flt_kind, i);

		put_text(to, k->name);
		put(to, k->unfinished);
		base_sketch_put(&k->all, to);
	}
}

static void put_groups(GByteArray *to, const struct flt_summary *s)
{
	for (guint i = 0; i < s->kinds->len; i++) {
		const struct flt_kind *k = &g_array_index(s->kinds, struct flt_kind, i);

		put(to, k->others);
		put(to, k->groups->len);
		for (guint g = 0; g < k->groups->len; g++) {
			put_text(to, g_array_index(k->groups, struct flt_group, g).name);
			base_sketch_put(&g_array_index(k->groups, struct flt_group, g).sketch, to);
		}
	}
}

static void put_case(GByteArray *to, const struct flt_case *c)
{
	put_signed(to, c->start);
	put_signed(to, c->end);
	put_signed(to, c->latency);
	put_text(to, c->subject);
	put_text(to, c->key);
	put_text(to, c->cause);
	put(to, c->parts->len);
	for (guint i = 0; i < c->parts->len; i++) {
		put_text(to, g_array_index(c->parts, struct flt_part, i).text);
		put_signed(to, g_array_index(c->parts, struct flt_part, i).time);
	}
}

static void put_worst(GByteArray *to, const struct flt_summary *s)
{
	for (guint i = 0; i < s->kinds->len; i++) {
		const struct flt_kind *k = &g_array_index(s->kinds, struct flt_kind, i);

		put(to, k->worst->len);
		for (guint c = 0; c < k->worst->len; c++)
			put_case(to, &g_array_index(k->worst, struct flt_case, c));
	}
}

static void put_causes(GByteArray *to, const struct flt_summary *s)
{
	put(to, s->causes->len);
	for (guint i = 0; i < s->causes->len; i++) {
		const struct flt_cause *c = &g_array_index(s->causes, struct flt_cause, i);

		put_text(to, c->kind);
		put_text(to, c->name);
		put(to, c->own_sleep);
		put_sum(to, &c->sum);
	}
}

static void put_paths(GByteArray *to, const struct flt_summary *s)
{
	put(to, s->paths->len);
	for (guint i = 0; i < s->paths->len; i++) {
		const struct flt_paths *p = &g_array_index(s->paths, struct flt_paths, i);

		put_text(to, p->set);
		put(to, p->count);
		put_sum(to, &p->of);
		put(to, p->steps->len);
		for (guint k = 0; k < p->steps->len; k++) {
			put_text(to, g_array_index(p->steps, struct flt_step, k).text);
			put_sum(to, &g_array_index(p->steps, struct flt_step, k).sum);
		}
	}
}

/* Keep MOST groups of K: join all further ones into the last. */
static void fold_groups(struct flt_kind *k, guint most)
{
	struct flt_group others = { 0 };

	if (k->groups->len <= most)
		return;
	for (guint i = most - 1; i < k->groups->len; i++) {
		const struct flt_group *g = &g_array_index(k->groups, struct flt_group, i);

		base_sketch_join(&others.sketch, &g->sketch);
		k->others += !!g->name;
	}
	g_array_set_size(k->groups, most - 1);
	g_array_append_val(k->groups, others);
}

/* ID (four letters), function: the chunks, in their order; that of the host comes first. */
#define CHUNKS(C)         \
	C("HOST", host)   \
	C("KIND", kinds)  \
	C("NAME", groups) \
	C("WRST", worst)  \
	C("CAUS", causes) \
	C("STEP", paths)
enum {
#define ONE(id, part) CHUNK_##part,
	CHUNKS(ONE)
#undef ONE
		CHUNKS_N
};

/* All chunks of S; the caller unrefs each.  Returns their size. */
static gsize put_all(GByteArray **chunks, const struct flt_summary *s)
{
	gsize size = IDX_HEADER_SIZE + IDX_TAIL;

#define ONE(id, part)                              \
	chunks[CHUNK_##part] = g_byte_array_new(); \
	put_##part(chunks[CHUNK_##part], s);       \
	size += chunks[CHUNK_##part]->len + IDX_TOC_ENTRY;
	CHUNKS(ONE)
#undef ONE
	return size;
}

/* Keep half of the groups and of the worst of each kind.  False if there is nothing left to fold. */
static bool shrink(struct flt_summary *s)
{
	bool any = false;

	for (guint i = 0; i < s->kinds->len; i++) {
		struct flt_kind *k = &g_array_index(s->kinds, struct flt_kind, i);
		guint groups = MAX(k->groups->len / 2, FEWEST), worst = MAX(k->worst->len / 2, FEWEST);

		any |= groups < k->groups->len || worst < k->worst->len;
		fold_groups(k, groups);
		g_array_set_size(k->worst, MIN(worst, k->worst->len));
	}
	return any;
}

bool flt_summary_write(struct flt_summary *s, const char *path, const char *fingerprint, GError **error)
{
	GByteArray *bytes[CHUNKS_N];
	static const char *const ids[] = {
#define ONE(id, part) id,
		CHUNKS(ONE)
#undef ONE
	};
	struct idx_chunks chunks = { 0 };
	bool fine;

	for (guint i = 0; i < s->kinds->len; i++)
		fold_groups(&g_array_index(s->kinds, struct flt_kind, i), FLT_GROUPS);
	while (put_all(bytes, s) > FLT_SUMMARY_MOST && shrink(s))
		for (unsigned i = 0; i < CHUNKS_N; i++)
			g_byte_array_unref(bytes[i]);
	chunks.out = idx_out_new(path, error);
	for (unsigned i = 0; i < CHUNKS_N; i++) {
		if (chunks.out)
			idx_chunks_put(&chunks, ids[i], bytes[i]->data, bytes[i]->len);
		g_byte_array_unref(bytes[i]);
	}
	fine = chunks.out && idx_chunks_finish(&chunks, &flt_summary_file, fingerprint, error);
	if (chunks.out)
		idx_out_free(chunks.out);
	return fine;
}

/* ---- reading: hostile bytes end it, and memory is limited to a few times the size of the file ---- */

static int64_t get_signed(struct base_varints *in)
{
	return base_varint_unzigzag(base_varints_get(in));
}

static char *get_text(struct base_varints *in)
{
	uint64_t length = base_varints_get(in);
	char *text = NULL;

	if (length == 0)
		return NULL;
	if (!in->p || --length > (uint64_t)(in->end - in->p) || memchr(in->p, '\0', length)) {
		in->p = NULL;
		return NULL;
	}
	text = g_strndup((const char *)in->p, length);
	in->p += length;
	return text;
}

/* The number of elements that follow, of at least LEAST bytes each. */
static guint get_count(struct base_varints *in, unsigned least)
{
	return (guint)base_varints_get_up_to(in, in->p ? (uint64_t)(in->end - in->p) / least : 0);
}

static void get_sum(struct base_varints *in, struct flt_sum *sum)
{
	sum->count = base_varints_get(in);
	sum->longest = get_signed(in);
	sum->time = (base_wide)base_sketch_get_wide(in);
	sum->squares = base_sketch_get_wide(in);
	/* sums of thousands of these do not overflow */
	if (sum->time > (base_wide)1 << 100 || sum->time < -((base_wide)1 << 100) || sum->count >> 56 != 0)
		in->p = NULL;
}

static void get_host(struct base_varints *in, struct flt_summary *s)
{
	s->host = get_text(in);
	s->trace = get_text(in);
	s->tracer = get_text(in);
	s->release = get_text(in);
	s->from = get_signed(in);
	s->to = get_signed(in);
	s->events = base_varints_get(in);
	s->lost = base_varints_get(in);
	s->cpus = (uint32_t)base_varints_get_up_to(in, UINT32_MAX);
	if (!s->host || !s->trace || s->from > s->to || s->from < -BASE_TIME_FARTHEST ||
		s->to > BASE_TIME_FARTHEST)
		in->p = NULL;
}

static void get_kinds(struct base_varints *in, struct flt_summary *s)
{
	for (guint n = get_count(in, 3); in->p && n > 0; n--) {
		struct flt_kind *k = flt_summary_kind(s);

		k->name = get_text(in);
		k->unfinished = base_varints_get(in);
		if (!base_sketch_get(&k->all, in) || !k->name)
			in->p = NULL;
	}
}

static void get_groups(struct base_varints *in, struct flt_summary *s)
{
	for (guint i = 0; in->p && i < s->kinds->len; i++) {
		struct flt_kind *k = &g_array_index(s->kinds, struct flt_kind, i);

		k->others = (uint32_t)base_varints_get_up_to(in, UINT32_MAX);
		for (guint n = get_count(in, 2); in->p && n > 0; n--) {
			struct flt_group *g = flt_append(k->groups);

			g->name = get_text(in);
			if (!base_sketch_get(&g->sketch, in))
				in->p = NULL;
		}
	}
}

static void get_case(struct base_varints *in, struct flt_case *c)
{
	c->start = get_signed(in);
	c->end = get_signed(in);
	c->latency = get_signed(in);
	c->subject = get_text(in);
	c->key = get_text(in);
	c->cause = get_text(in);
	for (guint n = get_count(in, 2); in->p && n > 0; n--) {
		struct flt_part *part = flt_append(c->parts);

		part->text = get_text(in);
		part->time = get_signed(in);
		if (!part->text)
			in->p = NULL;
	}
}

static void get_worst(struct base_varints *in, struct flt_summary *s)
{
	for (guint i = 0; in->p && i < s->kinds->len; i++)
		for (guint n = get_count(in, 7); in->p && n > 0; n--)
			get_case(in, flt_summary_case(&g_array_index(s->kinds, struct flt_kind, i)));
}

static void get_causes(struct base_varints *in, struct flt_summary *s)
{
	for (guint n = get_count(in, 9); in->p && n > 0; n--) {
		struct flt_cause *c = flt_append(s->causes);

		c->kind = get_text(in);
		c->name = get_text(in);
		c->own_sleep = base_varints_get_up_to(in, 1);
		get_sum(in, &c->sum);
		if (!c->kind)
			in->p = NULL;
	}
}

static void get_paths(struct base_varints *in, struct flt_summary *s)
{
	for (guint n = get_count(in, 9); in->p && n > 0; n--) {
		struct flt_paths *p = flt_summary_paths(s);

		p->set = get_text(in);
		p->count = base_varints_get(in);
		get_sum(in, &p->of);
		if (!p->set)
			in->p = NULL;
		for (guint k = get_count(in, 7); in->p && k > 0; k--) {
			struct flt_step *step = flt_append(p->steps);

			step->text = get_text(in);
			get_sum(in, &step->sum);
		}
	}
}

static bool read_chunk(struct flt_summary *s, const struct idx_map *m, const char *id,
	void (*get)(struct base_varints *in, struct flt_summary *s), GError **error)
{
	uint64_t size;
	const uint8_t *bytes = idx_map_chunk(m, id, &size, error);
	struct base_varints in = { bytes, bytes ? bytes + size : NULL };

	if (!bytes)
		return false;
	get(&in, s);
	return in.p == in.end || idx_map_bad_chunk(m, id, error);
}

struct flt_summary *flt_summary_read(const char *path, const char *fingerprint, unsigned wanted,
	GError **error)
{
	static const unsigned needs[] = { [CHUNK_kinds] = FLT_KINDS | FLT_BY_NAME | FLT_CASES,
		[CHUNK_groups] = FLT_BY_NAME,
		[CHUNK_worst] = FLT_CASES,
		[CHUNK_causes] = FLT_BY_CAUSE,
		[CHUNK_paths] = FLT_BY_STEP };
	struct idx_map *m = idx_map_open(path, &flt_summary_file, fingerprint, error);
	struct flt_summary *s = m ? flt_summary_new() : NULL;
	bool fine = m;

	if (m && idx_map_size(m) > FLT_SUMMARY_MOST)
		fine = base_error_false(error, BASE_ERROR_STALE,
			"summary %s: larger than %u bytes, which no summary is", path, FLT_SUMMARY_MOST);
	fine = fine && read_chunk(s, m, "HOST", get_host, error);
#define ONE(id, part)                                                           \
	if (fine && CHUNK_##part != CHUNK_host && needs[CHUNK_##part] & wanted) \
		fine = read_chunk(s, m, id, get_##part, error);
	CHUNKS(ONE)
#undef ONE
	if (!fine)
		g_clear_pointer(&s, flt_summary_free);
	idx_map_free(m);
	return s;
}

bool flt_summary_is(const char *path)
{
	return idx_map_is(path, &flt_summary_file);
}

/* ---- its place ---- */

char *flt_summary_path(const char *index)
{
	gsize length = strlen(index);

	if (g_str_has_suffix(index, ".wpi"))
		length -= strlen(".wpi");
	return g_strdup_printf("%.*s" IDX_SUMMARY_ENDING, (int)length, index);
}

char *flt_summary_fingerprint(const struct qry *q)
{
	static const struct qry_kept of = { .name = "summary", .key = G_STRINGIFY(VERSION) };
	char *text = g_malloc(33);

	qry_kept_fingerprint(text, q, &of);
	return text;
}
