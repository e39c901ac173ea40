/* SPDX-License-Identifier: MIT */
#include "parquet/pqt_read.h"

#include <stdbool.h>
#include <string.h>
#include <zstd.h>

struct bytes {
	const uint8_t *p, *end;
};

static uint8_t get(struct bytes *b)
{
	g_assert_true(b->p < b->end);
	return *b->p++;
}

static struct bytes part(struct bytes *b, gsize size)
{
	struct bytes of = { b->p, b->p + size };

	g_assert_cmpuint(size, <=, (gsize)(b->end - b->p));
	b->p += size;
	return of;
}

static uint64_t number(struct bytes *b, unsigned size)
{
	struct bytes of = part(b, size);
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)of.p[i] << 8 * i;
	return v;
}

static uint64_t varint(struct bytes *b)
{
	uint64_t v = 0;
	uint8_t byte = 0x80;

	for (unsigned shift = 0; byte & 0x80; shift += 7) {
		g_assert_cmpuint(shift, <, 64);
		byte = get(b);
		v |= (uint64_t)(byte & 0x7f) << shift;
	}
	return v;
}

static int64_t zigzag(struct bytes *b)
{
	uint64_t v = varint(b);

	return (int64_t)(v >> 1 ^ -(v & 1));
}

/* ---- Thrift's compact protocol, as a tree ---- */

struct node {
	int id;              /* of a field; 0: an element */
	int64_t value;       /* of numbers and booleans */
	struct bytes binary; /* of texts */
	GPtrArray *nodes;    /* of structs and lists: fields, elements */
};

static void node_free(void *data)
{
	struct node *n = data;

	g_ptr_array_unref(n->nodes);
	g_free(n);
}

static struct node *node_new(int id)
{
	struct node *n = g_new0(struct node, 1);

	n->id = id;
	n->nodes = g_ptr_array_new_with_free_func(node_free);
	return n;
}

static void thrift(struct bytes *b, int type, struct node *n, unsigned depth)
{
	g_assert_cmpuint(depth, <, 12);
	switch (type) {
	case 1:
	case 2: n->value = type == 1; break;
	case 5:
	case 6: n->value = zigzag(b); break;
	case 8: n->binary = part(b, varint(b)); break;
	case 9: {
		uint8_t head = get(b);
		uint64_t count = head >> 4 == 15 ? varint(b) : head >> 4;

		for (uint64_t i = 0; i < count; i++) {
			g_ptr_array_add(n->nodes, node_new(0));
			thrift(b, head & 15, g_ptr_array_index(n->nodes, i), depth + 1);
		}
		break;
	}
	case 12:
		for (int id = 0, head; (head = get(b)) != 0;) {
			id = head >> 4 ? id + (head >> 4) : (int)zigzag(b);
			g_ptr_array_add(n->nodes, node_new(id));
			thrift(b, head & 15, g_ptr_array_index(n->nodes, n->nodes->len - 1), depth + 1);
		}
		break;
	default: g_error("type %d of Thrift", type);
	}
}

/* Field ID of N, or NULL. */
static const struct node *has(const struct node *n, int id)
{
	for (guint i = 0; i < n->nodes->len; i++) {
		const struct node *of = g_ptr_array_index(n->nodes, i);

		if (of->id == id)
			return of;
	}
	return NULL;
}

static const struct node *field(const struct node *n, int id)
{
	const struct node *of = has(n, id);

	if (!of)
		g_error("field %d is missing", id);
	return of;
}

static char *text(const struct node *n)
{
	return g_strndup((const char *)n->binary.p, (gsize)(n->binary.end - n->binary.p));
}

/* ---- encodings ---- */

static uint64_t bits(const uint8_t *p, gsize at, unsigned width)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < width; i++, at++)
		v |= (uint64_t)(p[at / 8] >> at % 8 & 1) << i;
	return v;
}

/* N numbers as uint64_t, or fewer if the bytes end before. */
static GArray *runs(struct bytes *b, gsize n, unsigned width)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(uint64_t));

	while (all->len < n) {
		uint64_t head = varint(b), count = head & 1 ? head >> 1 << 3 : head >> 1, v;
		struct bytes of = part(b, head & 1 ? count * width / 8 : (width + 7) / 8);

		g_assert_cmpuint(count, >, 0);
		for (uint64_t i = 0; i < count && all->len < n; i++) {
			v = head & 1 ? bits(of.p, i * width, width) : bits(of.p, 0, width);
			g_array_append_val(all, v);
		}
	}
	return all;
}

static GArray *delta(struct bytes *b)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(uint64_t));
	uint64_t block = varint(b), parts = varint(b), n = varint(b), v = (uint64_t)zigzag(b), size;

	g_assert_true(block % 128 == 0 && parts > 0 && block % parts == 0 && block / parts % 32 == 0);
	size = block / parts;
	if (n > 0)
		g_array_append_val(all, v);
	while (all->len < n) {
		uint64_t least = (uint64_t)zigzag(b);
		struct bytes widths = part(b, parts);

		for (uint64_t i = 0; i < parts && all->len < n; i++) {
			struct bytes of = part(b, size * widths.p[i] / 8);

			for (uint64_t j = 0; j < size && all->len < n; j++) {
				v += least + bits(of.p, j * widths.p[i], widths.p[i]);
				g_array_append_val(all, v);
			}
		}
	}
	return all;
}

static char *double_word(uint64_t word)
{
	return g_strdup_printf("double %016" G_GINT64_MODIFIER "x", word);
}

char *pqt_read_double(double value)
{
	uint64_t word;

	memcpy(&word, &value, sizeof word);
	return double_word(word);
}

static char *word(int type, uint64_t v)
{
	return type == 5 ? double_word(v) : g_strdup_printf("%" G_GINT64_FORMAT, (gint64)v);
}

/* A value of enum Type TYPE at B; BARE: without a length in front. */
static char *plain(struct bytes *b, int type, bool bare)
{
	struct bytes of;

	if (type == 0)
		return g_strdup(get(b) ? "true" : "false");
	if (type != 6)
		return word(type, number(b, 8));
	of = part(b, bare ? (gsize)(b->end - b->p) : number(b, 4));
	g_assert_true(g_utf8_validate((const char *)of.p, of.end - of.p, NULL));
	return g_strndup((const char *)of.p, (gsize)(of.end - of.p));
}

/* ---- pages ---- */

/* N values of a data page. */
static GPtrArray *values(struct bytes *b, int type, int encoding, gsize n, const GPtrArray *dict)
{
	GPtrArray *all = g_ptr_array_new();
	GArray *numbers = NULL;
	unsigned width;

	switch (encoding) {
	case 0:
		for (gsize i = 0; i < n && type != 0; i++)
			g_ptr_array_add(all, plain(b, type, false));
		for (gsize i = 0; i < n && type == 0; i++)
			g_ptr_array_add(all, g_strdup(bits(b->p, i, 1) ? "true" : "false"));
		if (type == 0)
			part(b, (n + 7) / 8);
		break;
	case 5:
		numbers = delta(b);
		for (guint i = 0; i < numbers->len; i++)
			g_ptr_array_add(all, word(type, g_array_index(numbers, uint64_t, i)));
		break;
	case 8:
		width = get(b);
		g_assert_cmpuint(width, <=, 32);
		numbers = runs(b, n, width);
		for (guint i = 0; i < numbers->len; i++) {
			uint64_t at = g_array_index(numbers, uint64_t, i);

			g_assert_cmpuint(at, <, dict->len);
			g_ptr_array_add(all, g_strdup(g_ptr_array_index(dict, at)));
		}
		break;
	default: g_error("encoding %d", encoding);
	}
	if (numbers)
		g_array_unref(numbers);
	g_assert_cmpuint(all->len, ==, n);
	g_assert_true(b->p == b->end);
	return all;
}

static void data_page(struct bytes *b, const struct node *head, int type, const GPtrArray *dict,
	struct pqt_read_column *c, struct pqt_read_chunk *chunk)
{
	static const char *const names[] = { [0] = "plain", [5] = "delta", [8] = "dictionary" };
	gsize n = (gsize)field(head, 1)->value, present = 0;
	int64_t encoding = field(head, 2)->value;
	struct bytes of = part(b, number(b, 4));
	GArray *levels = runs(&of, n, 1);
	GPtrArray *there;

	g_assert_true(of.p == of.end);
	g_assert_cmpint(field(head, 3)->value, ==, 3);
	for (guint i = 0; i < n; i++)
		present += g_array_index(levels, uint64_t, i);
	there = values(b, type, (int)encoding, present, dict);
	present = 0;
	for (guint i = 0; i < n; i++)
		g_ptr_array_add(c->values,
			g_array_index(levels, uint64_t, i) ? g_ptr_array_index(there, present++) : NULL);
	if (!strstr(chunk->encodings, names[encoding])) {
		char *more = g_strconcat(chunk->encodings, *chunk->encodings ? " " : "", names[encoding],
			NULL);

		g_free(chunk->encodings);
		chunk->encodings = more;
	}
	chunk->pages++;
	g_ptr_array_unref(there);
	g_array_unref(levels);
}

/* A page at B; returns its uncompressed size, including its head. */
static gsize page(struct bytes *b, int type, GPtrArray *dict, struct pqt_read_column *c,
	struct pqt_read_chunk *chunk)
{
	struct node *head = node_new(0);
	const uint8_t *begin = b->p;
	gsize head_size, size;
	struct bytes packed, of;
	uint8_t *all;

	thrift(b, 12, head, 0);
	head_size = (gsize)(b->p - begin);
	size = (gsize)field(head, 2)->value;
	packed = part(b, (gsize)field(head, 3)->value);
	all = g_malloc(size + 1);
	g_assert_cmpuint(ZSTD_decompress(all, size, packed.p, (gsize)(packed.end - packed.p)), ==, size);
	of = (struct bytes){ all, all + size };
	if (field(head, 1)->value == 2) {
		const struct node *of_dict = field(head, 7);

		g_assert_true(dict->len == 0 && chunk->pages == 0);
		g_assert_cmpint(field(of_dict, 2)->value, ==, 0);
		for (int64_t i = 0; i < field(of_dict, 1)->value; i++)
			g_ptr_array_add(dict, plain(&of, type, false));
		g_assert_true(of.p == of.end);
	} else {
		g_assert_cmpint(field(head, 1)->value, ==, 0);
		data_page(&of, field(head, 5), type, dict, c, chunk);
	}
	g_free(all);
	node_free(head);
	return head_size + size;
}

/* ---- the file ---- */

static char *bound(const struct node *statistics, int id, int type)
{
	const struct node *n = has(statistics, id);
	struct bytes of;

	if (!n)
		return NULL;
	of = n->binary;
	return plain(&of, type, true);
}

static void chunk_read(const char *file, gsize size, const struct node *column_chunk,
	struct pqt_read_column *c, gint64 rows, gint64 *packed, gint64 *unpacked)
{
	struct pqt_read_chunk *chunk = g_new0(struct pqt_read_chunk, 1);
	const struct node *meta = field(column_chunk, 3), *statistics = field(meta, 12),
			  *dict_at = has(meta, 11);
	int type = (int)field(meta, 1)->value;
	gsize begin = (gsize)(dict_at ? dict_at : field(meta, 9))->value,
	      length = (gsize)field(meta, 7)->value, whole = 0;
	GPtrArray *dict = g_ptr_array_new_with_free_func(g_free);
	struct bytes b;
	guint before = c->values->len;
	bool at_data = false;

	g_assert_true(begin >= 4 && begin < size && length <= size - begin);
	b = (struct bytes){ (const uint8_t *)file + begin, (const uint8_t *)file + begin + length };
	g_assert_cmpint(field(meta, 4)->value, ==, 6);
	g_assert_cmpint(field(meta, 5)->value, ==, rows);
	chunk->encodings = g_strdup("");
	while (b.p < b.end) {
		at_data |= b.p == (const uint8_t *)file + field(meta, 9)->value;
		whole += page(&b, type, dict, c, chunk);
	}
	g_assert_true(at_data);
	g_assert_true(!dict_at == (dict->len == 0));
	g_assert_cmpint(c->values->len - before, ==, rows);
	g_assert_cmpint(field(meta, 6)->value, ==, whole);
	*packed += (gint64)length;
	*unpacked += (gint64)whole;
	chunk->nulls = has(statistics, 3) ? has(statistics, 3)->value : -1;
	chunk->nans = has(statistics, 9) ? has(statistics, 9)->value : -1;
	chunk->greatest = bound(statistics, 5, type);
	chunk->least = bound(statistics, 6, type);
	g_ptr_array_add(c->chunks, chunk);
	g_ptr_array_unref(dict);
}

static void chunk_free(void *data)
{
	struct pqt_read_chunk *chunk = data;

	g_free(chunk->least);
	g_free(chunk->greatest);
	g_free(chunk->encodings);
	g_free(chunk);
}

static void column_free(void *data)
{
	struct pqt_read_column *c = data;

	g_free(c->name);
	g_free(c->type);
	g_ptr_array_unref(c->values);
	g_ptr_array_unref(c->chunks);
	g_free(c);
}

static struct pqt_read_column *column(const struct node *element)
{
	static const char *const names[] = { [0] = "boolean", [2] = "int64", [5] = "double", [6] = "bytes" };
	struct pqt_read_column *c = g_new0(struct pqt_read_column, 1);
	const struct node *logical = has(element, 10), *timestamp = logical ? has(logical, 8) : NULL;

	c->name = text(field(element, 4));
	c->type = g_strdup(names[field(element, 1)->value]);
	if (timestamp) {
		g_assert_cmpint(field(timestamp, 1)->value, ==, 1);
		field(field(timestamp, 2), 3);
	}
	if (logical) {
		g_free(c->type);
		c->type = g_strdup(timestamp ? "timestamp" : field(logical, 1) ? "text" : "");
	}
	g_assert_cmpint(field(element, 3)->value, ==, 1);
	c->values = g_ptr_array_new_with_free_func(g_free);
	c->chunks = g_ptr_array_new_with_free_func(chunk_free);
	return c;
}

static void group(const char *file, gsize size, const struct node *of, struct pqt_read *t)
{
	const struct node *chunks = field(of, 1);
	gint64 rows = field(of, 3)->value, packed = 0, unpacked = 0;

	g_assert_cmpuint(chunks->nodes->len, ==, t->columns->len);
	for (guint i = 0; i < t->columns->len; i++)
		chunk_read(file, size, g_ptr_array_index(chunks->nodes, i), g_ptr_array_index(t->columns, i),
			rows, &packed, &unpacked);
	g_assert_cmpint(field(of, 2)->value, ==, unpacked);
	g_assert_cmpint(field(of, 6)->value, ==, packed);
	g_array_append_val(t->group_rows, rows);
}

struct pqt_read *pqt_read_new(const char *file, gsize size)
{
	struct pqt_read *t = g_new0(struct pqt_read, 1);
	struct node *root = node_new(0);
	const struct node *schema, *groups;
	struct bytes b = { (const uint8_t *)file + size - 8, (const uint8_t *)file + size };
	gsize footer;
	gint64 rows = 0;

	g_assert_cmpuint(size, >, 12);
	g_assert_true(memcmp(file, "PAR1", 4) == 0 && memcmp(file + size - 4, "PAR1", 4) == 0);
	footer = number(&b, 4);
	g_assert_cmpuint(footer, <=, size - 12);
	b = (struct bytes){ (const uint8_t *)file + size - 8 - footer, (const uint8_t *)file + size - 8 };
	thrift(&b, 12, root, 0);
	g_assert_true(b.p == b.end);
	schema = field(root, 2);
	groups = field(root, 4);
	t->created_by = text(field(root, 6));
	t->rows = field(root, 3)->value;
	t->group_rows = g_array_new(FALSE, FALSE, sizeof(gint64));
	t->columns = g_ptr_array_new_with_free_func(column_free);
	g_assert_cmpint(field(g_ptr_array_index(schema->nodes, 0), 5)->value, ==, schema->nodes->len - 1);
	for (guint i = 1; i < schema->nodes->len; i++)
		g_ptr_array_add(t->columns, column(g_ptr_array_index(schema->nodes, i)));
	g_assert_cmpuint(field(root, 7)->nodes->len, ==, t->columns->len); /* the order of each column */
	for (guint i = 0; i < groups->nodes->len; i++) {
		group(file, size, g_ptr_array_index(groups->nodes, i), t);
		rows += g_array_index(t->group_rows, gint64, i);
	}
	g_assert_cmpint(t->rows, ==, rows);
	node_free(root);
	return t;
}

void pqt_read_free(struct pqt_read *t)
{
	g_free(t->created_by);
	g_array_unref(t->group_rows);
	g_ptr_array_unref(t->columns);
	g_free(t);
}
