/* SPDX-License-Identifier: MIT */
#include "index/idx_writer.h"

#include "base/base_varint.h"
#include "index/idx_meta.h"
#include "index/idx_packets.h"
#include "index/idx_wake.h"

#include <stdlib.h>
#include <xxhash.h>

#define CHUNKS_MAX 8

struct row_writers {
	struct idx_leaf_writer *intervals;	/* NULL until the first, and once over */
	struct idx_wake_writer *wakeups;
	bool over;
	uint8_t refs[2][IDX_REF_SIZE];	/* once over: of intervals and wake-ups */
};

struct idx_writer {
	struct idx_out *out;
	GArray *rows;			/* of struct row_writers */
	GArray *names;			/* of struct idx_name */
	GPtrArray *streams;		/* of struct idx_packets_writer * */
	struct idx_tree *times;
	GByteArray *time_leaf;
	unsigned n_times;
	int64_t first_time, last_time;
	uint8_t toc[CHUNKS_MAX * IDX_TOC_ENTRY];
	unsigned n_chunks;
};

static void begin_time_leaf(struct idx_writer *w)
{
	g_byte_array_set_size(w->time_leaf, IDX_BLOCK_HEAD);
	w->n_times = 0;
}

struct idx_writer *idx_writer_new(const char *path, GError **error)
{
	struct idx_out *out = idx_out_new(path, error);
	struct idx_writer *w;

	if (out == NULL)
		return NULL;
	w = g_new0(struct idx_writer, 1);
	w->out = out;
	w->rows = g_array_new(FALSE, TRUE, sizeof(struct row_writers));
	w->names = g_array_new(FALSE, FALSE, sizeof(struct idx_name));
	w->streams = g_ptr_array_new_with_free_func(idx_packets_writer_free);
	w->times = idx_tree_new(MDL_NONE);
	w->time_leaf = g_byte_array_new();
	begin_time_leaf(w);
	return w;
}

void idx_writer_free(struct idx_writer *w)
{
	if (w == NULL)
		return;
	for (guint i = 0; i < w->rows->len; i++) {
		struct row_writers *r = &g_array_index(w->rows, struct row_writers, i);

		idx_leaf_writer_free(r->intervals);
		idx_wake_writer_free(r->wakeups);
	}
	g_array_unref(w->rows);
	g_array_unref(w->names);
	g_ptr_array_unref(w->streams);
	idx_tree_free(w->times);
	g_byte_array_unref(w->time_leaf);
	idx_out_free(w->out);
	g_free(w);
}

static struct row_writers *row_writers(struct idx_writer *w, uint32_t row)
{
	if (row >= w->rows->len)
		g_array_set_size(w->rows, row + 1);
	return &g_array_index(w->rows, struct row_writers, row);
}

void idx_writer_interval(struct idx_writer *w, uint32_t row, const struct mdl_interval *interval)
{
	struct row_writers *r = row_writers(w, row);

	g_assert(!r->over);
	if (r->intervals == NULL)
		r->intervals = idx_leaf_writer_new(row);
	idx_leaf_writer_add(r->intervals, w->out, interval);
}

void idx_writer_wakeup(struct idx_writer *w, uint32_t row, const struct mdl_wakeup *wakeup)
{
	struct row_writers *r = row_writers(w, row);

	g_assert(!r->over);
	if (r->wakeups == NULL)
		r->wakeups = idx_wake_writer_new(row);
	idx_wake_writer_add(r->wakeups, w->out, wakeup);
}

void idx_writer_name(struct idx_writer *w, uint32_t row, int64_t time, uint32_t name)
{
	struct idx_name n = { .row = row, .name = name, .time = time };

	g_array_append_val(w->names, n);
}

static void write_time_leaf(struct idx_writer *w)
{
	struct idx_child child = { .count = w->n_times, .first = w->first_time };

	idx_tree_put_head(w->time_leaf->data, IDX_KIND_TIMES, 0, w->n_times, MDL_NONE);
	idx_tree_add_leaf(w->times, w->out, w->time_leaf->data, w->time_leaf->len, &child);
	begin_time_leaf(w);
}

void idx_writer_event_time(struct idx_writer *w, int64_t time)
{
	uint8_t bytes[BASE_VARINT_MAX];

	if (w->n_times == IDX_LEAF_TIMES)
		write_time_leaf(w);
	if (w->n_times == 0)
		w->first_time = w->last_time = time;
	g_byte_array_append(w->time_leaf, bytes,
			    (guint)(base_varint_put(bytes, (uint64_t)time - (uint64_t)w->last_time) - bytes));
	w->last_time = time;
	w->n_times++;
}

/* The packets of STREAM. */
static struct idx_packets_writer *stream_packets(struct idx_writer *w, uint32_t stream)
{
	while (stream >= w->streams->len)
		g_ptr_array_add(w->streams, idx_packets_writer_new(w->streams->len));
	return g_ptr_array_index(w->streams, stream);
}

void idx_writer_packet(struct idx_writer *w, uint32_t stream, const struct idx_packet *packet)
{
	idx_packets_writer_add(stream_packets(w, stream), w->out, packet);
}

const GError *idx_writer_error(const struct idx_writer *w)
{
	return idx_out_error(w->out);
}

static void put_ref(uint8_t *p, const struct idx_child *top)
{
	idx_put64(p, top->offset);
	idx_put32(p + 8, top->size);
	idx_put32(p + 12, top->checksum);
	idx_put64(p + 16, top->count);
	idx_put64(p + 24, (uint64_t)top->first);
}

/* Close the series of R and keep no more than where they are. */
static void finish_row(struct idx_writer *w, struct row_writers *r)
{
	struct idx_child top;

	if (r->over)
		return;
	memset(&top, 0, sizeof top);
	if (r->intervals != NULL)
		idx_leaf_writer_finish(r->intervals, w->out, &top);
	put_ref(r->refs[0], &top);
	memset(&top, 0, sizeof top);
	if (r->wakeups != NULL)
		idx_wake_writer_finish(r->wakeups, w->out, &top);
	put_ref(r->refs[1], &top);
	g_clear_pointer(&r->intervals, idx_leaf_writer_free);
	g_clear_pointer(&r->wakeups, idx_wake_writer_free);
	r->over = true;
}

void idx_writer_over(struct idx_writer *w, uint32_t row)
{
	finish_row(w, row_writers(w, row));
}

static void write_chunk(struct idx_writer *w, const char *id, const void *data, size_t size)
{
	static const uint8_t zeros[8];
	uint8_t *entry = w->toc + w->n_chunks * IDX_TOC_ENTRY;
	uint64_t offset;

	g_assert(w->n_chunks < CHUNKS_MAX);
	idx_out_append(w->out, zeros, -idx_out_size(w->out) & 7);
	offset = idx_out_append(w->out, data, size);
	memset(entry, 0, IDX_TOC_ENTRY);
	memcpy(entry, id, 4);
	idx_put64(entry + 8, offset);
	idx_put64(entry + 16, size);
	idx_put64(entry + 24, XXH3_64bits(data, size));
	w->n_chunks++;
}

static void write_strings(struct idx_writer *w, const struct base_strings *strings)
{
	uint32_t count = base_strings_count(strings);
	GByteArray *bytes = g_byte_array_new();
	uint32_t at = 0;

	g_byte_array_set_size(bytes, 4 + 4 * (count + 1));
	idx_put32(bytes->data, count);
	for (uint32_t i = 0; i < count; i++) {
		const char *text = base_strings_get(strings, i);
		uint32_t size = (uint32_t)strlen(text) + 1;

		idx_put32(bytes->data + 4 + 4 * i, at);
		g_byte_array_append(bytes, (const guint8 *)text, size);
		at += size;
	}
	idx_put32(bytes->data + 4 + 4 * count, at);
	write_chunk(w, "STRG", bytes->data, bytes->len);
	g_byte_array_unref(bytes);
}

static void write_contexts(struct idx_writer *w, const struct idx_tables *t)
{
	uint8_t *bytes = g_malloc0((size_t)t->n_contexts * IDX_CONTEXT_SIZE + 1);

	for (uint32_t i = 0; i < t->n_contexts; i++) {
		uint8_t *p = bytes + (size_t)i * IDX_CONTEXT_SIZE;

		p[0] = t->contexts[i].type;
		idx_put32(p + 4, t->contexts[i].name);
		idx_put64(p + 8, (uint64_t)t->contexts[i].nr);
	}
	write_chunk(w, "CTXS", bytes, (size_t)t->n_contexts * IDX_CONTEXT_SIZE);
	g_free(bytes);
}

static int compare_names(const void *a, const void *b)
{
	const struct idx_name *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

static void write_names(struct idx_writer *w)
{
	uint8_t *bytes = g_malloc0((size_t)w->names->len * IDX_NAME_SIZE + 1);

	g_array_sort(w->names, compare_names);
	for (guint i = 0; i < w->names->len; i++) {
		const struct idx_name *n = &g_array_index(w->names, struct idx_name, i);
		uint8_t *p = bytes + (size_t)i * IDX_NAME_SIZE;

		idx_put32(p, n->row);
		idx_put32(p + 4, n->name);
		idx_put64(p + 8, (uint64_t)n->time);
	}
	write_chunk(w, "NAME", bytes, (size_t)w->names->len * IDX_NAME_SIZE);
	g_free(bytes);
}

static void put_row(struct idx_writer *w, uint8_t *p, uint32_t id, const struct mdl_row *row)
{
	struct row_writers *r = row_writers(w, id);

	p[0] = row->type;
	p[1] = (uint8_t)((row->born ? 1 : 0) | (row->died ? 2 : 0));
	idx_put32(p + 4, row->cpu);
	idx_put64(p + 8, (uint64_t)row->nr);
	idx_put64(p + 16, (uint64_t)row->pid);
	idx_put64(p + 24, (uint64_t)row->ppid);
	idx_put32(p + 32, row->parent);
	idx_put32(p + 36, row->name);
	idx_put64(p + 40, (uint64_t)row->first);
	idx_put64(p + 48, (uint64_t)row->last);
	finish_row(w, r);
	memcpy(p + 56, r->refs[0], IDX_REF_SIZE);
	memcpy(p + 88, r->refs[1], IDX_REF_SIZE);
}

static void write_rows(struct idx_writer *w, const struct idx_tables *t)
{
	uint8_t *bytes = g_malloc0((size_t)t->n_rows * IDX_ROW_SIZE + 1);

	for (uint32_t i = 0; i < t->n_rows; i++)
		put_row(w, bytes + (size_t)i * IDX_ROW_SIZE, i, &t->rows[i]);
	write_chunk(w, "ROWS", bytes, (size_t)t->n_rows * IDX_ROW_SIZE);
	g_free(bytes);
}

static void write_times(struct idx_writer *w)
{
	uint8_t ref[IDX_REF_SIZE];
	struct idx_child top;

	if (w->n_times > 0)
		write_time_leaf(w);
	idx_tree_finish(w->times, w->out, &top);
	put_ref(ref, &top);
	write_chunk(w, "EVNT", ref, sizeof ref);
}

/* TEXT goes behind what is in TEXTS; where it begins there. */
static uint32_t add_text(GByteArray *texts, const char *text)
{
	uint32_t at = texts->len;

	g_byte_array_append(texts, (const guint8 *)text, (guint)strlen(text) + 1);
	return at;
}

static void write_streams(struct idx_writer *w, const struct idx_tables *t)
{
	GByteArray *bytes = g_byte_array_new(), *texts = g_byte_array_new();

	g_byte_array_set_size(bytes, 8 + t->n_streams * IDX_STREAM_SIZE);
	idx_put64(bytes->data, t->n_streams);
	for (uint32_t i = 0; i < t->n_streams; i++) {
		uint8_t *p = bytes->data + 8 + (size_t)i * IDX_STREAM_SIZE;
		struct idx_child top;

		idx_packets_writer_finish(stream_packets(w, i), w->out, &top);
		idx_put32(p, add_text(texts, t->streams[i].name));
		idx_put32(p + 4, add_text(texts, t->streams[i].reader));
		idx_put64(p + 8, t->streams[i].events);
		put_ref(p + 16, &top);
	}
	g_byte_array_append(bytes, texts->data, texts->len);
	write_chunk(w, "PKTS", bytes->data, bytes->len);
	g_byte_array_unref(bytes);
	g_byte_array_unref(texts);
}

static void make_header(uint8_t *h, const struct idx_writer *w, uint64_t toc, uint64_t size, const char *fingerprint)
{
	memset(h, 0, IDX_HEADER_SIZE);
	memcpy(h, IDX_MAGIC, 8);
	idx_put32(h + 8, IDX_FORMAT_VERSION);
	idx_put32(h + 12, IDX_HEADER_SIZE);
	idx_put64(h + 16, size);
	idx_put64(h + 24, toc);
	idx_put32(h + 32, w->n_chunks);
	idx_put64(h + 40, XXH3_64bits(w->toc, (size_t)w->n_chunks * IDX_TOC_ENTRY));
	memcpy(h + 48, fingerprint, MIN(strlen(fingerprint), 32));
	idx_put64(h + IDX_HEADER_HASHED, XXH3_64bits(h, IDX_HEADER_HASHED));
}

bool idx_writer_finish(struct idx_writer *w, const struct idx_tables *tables, GError **error)
{
	static const uint8_t tail[IDX_TAIL];
	uint8_t header[IDX_HEADER_SIZE];
	gsize size;
	char *json = idx_meta_to_json(tables->meta, &size);
	uint64_t toc;

	write_rows(w, tables);
	write_times(w);
	write_chunk(w, "META", json, size);
	g_free(json);
	write_strings(w, tables->strings);
	write_contexts(w, tables);
	write_names(w);
	write_streams(w, tables);
	toc = idx_out_append(w->out, w->toc, (size_t)w->n_chunks * IDX_TOC_ENTRY);
	idx_out_append(w->out, tail, sizeof tail);
	make_header(header, w, toc, idx_out_size(w->out), tables->meta->fingerprint);
	return idx_out_publish(w->out, header, sizeof header, error);
}
