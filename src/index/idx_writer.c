/* SPDX-License-Identifier: MIT */
#include "index/idx_writer.h"

#include "base/base_varint.h"
#include "index/idx_cause.h"
#include "index/idx_chunks.h"
#include "index/idx_meta.h"
#include "index/idx_packets.h"
#include "index/idx_transfer.h"
#include "index/idx_wake.h"

struct row_writers {
	struct idx_leaf_writer intervals;
	struct idx_wake_writer wakeups;
	uint32_t n_names, first_name; /* most have one */
	int64_t first_named;
	struct idx_bytes names; /* the others: records of NAME */
};

struct idx_writer {
	struct idx_out *out;
	GPtrArray *rows; /* by row: struct row_writers *, NULL before anything came of it and once over */
	uint32_t n_over;
	struct idx_spill *row_records, *name_records; /* the chunks ROWS and NAME, in order of ending */
	struct idx_spill *priority_records;           /* the chunk PRIO, in order of time */
	struct idx_cause_writer *causes;
	struct idx_transfer_writer *transfers;
	GPtrArray *streams; /* of struct idx_packets_writer * */
	struct idx_tree *times;
	GByteArray *time_leaf;
	unsigned n_times;
	int64_t first_time, last_time;
	struct idx_chunks chunks;
};

static void begin_time_leaf(struct idx_writer *w)
{
	g_byte_array_set_size(w->time_leaf, IDX_BLOCK_HEAD);
	w->n_times = 0;
}

static void row_writers_free(void *data)
{
	struct row_writers *r = data;

	if (!r)
		return;
	idx_leaf_writer_clear(&r->intervals);
	idx_wake_writer_clear(&r->wakeups);
	idx_bytes_clear(&r->names);
	g_free(r);
}

struct idx_writer *idx_writer_new(const char *path, GError **error)
{
	struct idx_out *out = idx_out_new(path, error);
	struct idx_writer *w;

	if (!out)
		return NULL;
	w = g_new0(struct idx_writer, 1);
	w->out = w->chunks.out = out;
	w->rows = g_ptr_array_new_with_free_func(row_writers_free);
	w->row_records = idx_spill_new(out);
	w->name_records = idx_spill_new(out);
	w->priority_records = idx_spill_new(out);
	w->streams = g_ptr_array_new_with_free_func(idx_packets_writer_free);
	w->times = idx_tree_new(MDL_NONE);
	w->causes = idx_cause_writer_new();
	w->transfers = idx_transfer_writer_new();
	w->time_leaf = g_byte_array_new();
	begin_time_leaf(w);
	return w;
}

void idx_writer_free(struct idx_writer *w)
{
	if (!w)
		return;
	g_ptr_array_unref(w->rows);
	idx_spill_free(w->row_records);
	idx_spill_free(w->name_records);
	idx_spill_free(w->priority_records);
	g_ptr_array_unref(w->streams);
	idx_tree_free(w->times);
	idx_cause_writer_free(w->causes);
	idx_transfer_writer_free(w->transfers);
	g_byte_array_unref(w->time_leaf);
	idx_out_free(w->out);
	g_free(w);
}

static struct row_writers *row_writers(struct idx_writer *w, uint32_t row)
{
	struct row_writers *r;

	if (row >= w->rows->len)
		g_ptr_array_set_size(w->rows, (gint)row + 1);
	r = w->rows->pdata[row];
	if (!r) {
		r = w->rows->pdata[row] = g_new0(struct row_writers, 1);
		idx_leaf_writer_init(&r->intervals, row);
		idx_wake_writer_init(&r->wakeups, row);
	}
	return r;
}

void idx_writer_interval(struct idx_writer *w, uint32_t row, const struct mdl_interval *interval)
{
	idx_leaf_writer_add(&row_writers(w, row)->intervals, w->out, interval);
}

void idx_writer_wakeup(struct idx_writer *w, uint32_t row, const struct mdl_wakeup *wakeup)
{
	idx_wake_writer_add(&row_writers(w, row)->wakeups, w->out, wakeup);
}

static void put_name(uint8_t *record, uint32_t row, int64_t time, uint32_t name)
{
	idx_put32(record, row);
	idx_put32(record + 4, name);
	idx_put64(record + 8, (uint64_t)time);
}

void idx_writer_name(struct idx_writer *w, uint32_t row, int64_t time, uint32_t name)
{
	struct row_writers *r = row_writers(w, row);

	if (r->n_names++ == 0) {
		r->first_name = name;
		r->first_named = time;
		return;
	}
	put_name(idx_bytes_reserve(&r->names, IDX_NAME_SIZE), row, time, name);
	r->names.size += IDX_NAME_SIZE;
}

void idx_writer_priority(struct idx_writer *w, uint32_t row, int64_t time, int16_t priority)
{
	uint8_t record[IDX_PRIORITY_SIZE];

	idx_put32(record, row);
	idx_put32(record + 4, (uint32_t)(int32_t)priority);
	idx_put64(record + 8, (uint64_t)time);
	idx_spill_add(w->priority_records, record, sizeof record);
}

void idx_writer_cause(struct idx_writer *w, const struct mdl_cause *cause)
{
	idx_cause_writer_add(w->causes, w->out, cause);
}

void idx_writer_transfer(struct idx_writer *w, const struct mdl_transfer *transfer)
{
	idx_transfer_writer_add(w->transfers, w->out, transfer);
}

static void write_time_leaf(struct idx_writer *w)
{
	struct idx_child child = { .count = w->n_times, .first = w->first_time, .end = w->last_time };

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

/* The names of ROW, which is R, go behind those of the rows that ended before. */
static void spill_names(struct idx_writer *w, uint32_t row, const struct row_writers *r)
{
	uint8_t first[IDX_NAME_SIZE];

	if (r->n_names == 0)
		return;
	put_name(first, row, r->first_named, r->first_name);
	idx_spill_add(w->name_records, first, sizeof first);
	for (uint32_t at = 0; at < r->names.size; at += IDX_NAME_SIZE)
		idx_spill_add(w->name_records, r->names.data + at, IDX_NAME_SIZE);
}

void idx_writer_over(struct idx_writer *w, uint32_t row, const struct mdl_row *facts)
{
	struct row_writers *r = row_writers(w, row);
	uint8_t record[IDX_ROW_SIZE] = { facts->type,
		(uint8_t)((facts->born ? 1 : 0) | (facts->died ? 2 : 0)) };
	struct idx_child intervals, wakeups;

	idx_leaf_writer_finish(&r->intervals, w->out, &intervals);
	idx_wake_writer_finish(&r->wakeups, w->out, &wakeups);
	idx_put32(record + 4, facts->cpu);
	idx_put64(record + 8, (uint64_t)facts->nr);
	idx_put64(record + 16, (uint64_t)facts->pid);
	idx_put64(record + 24, (uint64_t)facts->ppid);
	idx_put32(record + 32, facts->parent);
	idx_put32(record + 36, facts->name);
	idx_put64(record + 40, (uint64_t)facts->first);
	idx_put64(record + 48, (uint64_t)facts->last);
	idx_put_ref(record + IDX_ROW_INTERVALS, &intervals);
	idx_put_ref(record + IDX_ROW_WAKEUPS, &wakeups);
	idx_put32(record + 120, row);
	idx_put32(record + 124, r->n_names);
	spill_names(w, row, r);
	idx_spill_add(w->row_records, record, sizeof record);
	g_clear_pointer(&w->rows->pdata[row], row_writers_free);
	w->n_over++;
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
	idx_chunks_put(&w->chunks, "STRG", bytes->data, bytes->len);
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
	idx_chunks_put(&w->chunks, "CTXS", bytes, (size_t)t->n_contexts * IDX_CONTEXT_SIZE);
	g_free(bytes);
}

static void write_times(struct idx_writer *w)
{
	struct idx_child top;

	if (w->n_times > 0)
		write_time_leaf(w);
	idx_tree_finish(w->times, w->out, &top);
	idx_chunks_put_ref(&w->chunks, "EVNT", &top);
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
		idx_put64(p + 8, top.sums[IDX_PACKETS_EVENTS]);
		idx_put_ref(p + 16, &top);
	}
	g_byte_array_append(bytes, texts->data, texts->len);
	idx_chunks_put(&w->chunks, "PKTS", bytes->data, bytes->len);
	g_byte_array_unref(bytes);
	g_byte_array_unref(texts);
}

static void write_causes(struct idx_writer *w)
{
	struct idx_child top;

	idx_cause_writer_finish(w->causes, w->out, &top);
	idx_chunks_put_ref(&w->chunks, "CAUS", &top);
}

static void write_transfers(struct idx_writer *w)
{
	struct idx_child top;

	idx_transfer_writer_finish(w->transfers, w->out, &top);
	idx_chunks_put_ref(&w->chunks, "PCKT", &top);
}

static void write_devices(struct idx_writer *w, const struct idx_tables *t)
{
	uint8_t *bytes = g_malloc0((size_t)t->n_devices * IDX_DEVICE_SIZE + 1);

	for (uint32_t i = 0; i < t->n_devices; i++) {
		idx_put32(bytes + (size_t)i * IDX_DEVICE_SIZE, t->devices[i].dev);
		idx_put32(bytes + (size_t)i * IDX_DEVICE_SIZE + 4, t->devices[i].name);
	}
	idx_chunks_put(&w->chunks, "BDEV", bytes, (size_t)t->n_devices * IDX_DEVICE_SIZE);
	g_free(bytes);
}

bool idx_writer_finish(struct idx_writer *w, const struct idx_tables *tables, GError **error)
{
	gsize size;
	char *json = idx_meta_to_json(tables->meta, &size);

	g_assert(w->n_over == w->rows->len);
	idx_chunks_put_spilled(&w->chunks, "ROWS", w->row_records);
	write_times(w);
	idx_chunks_put(&w->chunks, "META", json, size);
	g_free(json);
	write_strings(w, tables->strings);
	write_contexts(w, tables);
	idx_chunks_put_spilled(&w->chunks, "NAME", w->name_records);
	idx_chunks_put_spilled(&w->chunks, "PRIO", w->priority_records);
	write_streams(w, tables);
	write_causes(w);
	write_transfers(w);
	write_devices(w, tables);
	return idx_chunks_finish(&w->chunks, &idx_map_index, tables->meta->fingerprint, error);
}
