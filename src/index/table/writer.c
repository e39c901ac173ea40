/* SPDX-License-Identifier: MIT */
#include "index/table/writer.h"

#include "base/base_varint.h"
#include "index/tree/leaf.h"
#include "index/table/parts.h"

struct row_writers {
	struct idx_leaf_writer intervals;
	struct idx_wake_writer wakeups;
	struct idx_counts_writer *counts; /* owned; NULL: none yet */
	uint32_t n_names, first_name;     /* most rows have one name */
	int64_t first_named;
	struct idx_bytes names; /* the other names: records of NAME */
};

static void row_writers_free(void *data)
{
	struct row_writers *r = data;

	if (!r)
		return;
	idx_tree_free(r->intervals.tree);
	idx_bytes_clear(&r->intervals.records);
	idx_tree_free(r->wakeups.tree);
	idx_bytes_clear(&r->wakeups.bytes);
	if (r->counts) {
		idx_tree_free(r->counts->tree);
		idx_bytes_clear(&r->counts->bytes);
		g_free(r->counts);
	}
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
	w->ipi_wait_records = idx_spill_new(out);
	w->counts_records = idx_spill_new(out);
	w->streams = g_ptr_array_new_with_free_func(idx_packets_writer_free);
	w->times = idx_tree_new(MDL_NONE);
	w->causes = idx_cause_writer_new();
	w->transfers = idx_transfer_writer_new();
	w->time_leaf = g_byte_array_new();
	g_byte_array_set_size(w->time_leaf, IDX_BLOCK_HEAD);
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
	idx_spill_free(w->ipi_wait_records);
	idx_spill_free(w->counts_records);
	g_ptr_array_unref(w->streams);
	idx_tree_free(w->times);
	idx_cause_writer_free(w->causes);
	idx_transfer_writer_free(w->transfers);
	g_byte_array_unref(w->time_leaf);
	idx_out_free(w->out);
	g_free(w);
}

/* Make the writers of ROW, at its first record. */
static struct row_writers *row_writers_new(struct idx_writer *w, uint32_t row)
{
	struct row_writers *r = g_new0(struct row_writers, 1);

	if (row >= w->rows->len)
		g_ptr_array_set_size(w->rows, (gint)row + 1);
	w->rows->pdata[row] = r;
	r->intervals.row = r->wakeups.row = row;
	return r;
}

static inline struct row_writers *row_writers(struct idx_writer *w, uint32_t row)
{
	struct row_writers *r = row < w->rows->len ? w->rows->pdata[row] : NULL;

	return G_LIKELY(r) ? r : row_writers_new(w, row);
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

void idx_writer_ipi_wait(struct idx_writer *w, const struct mdl_ipi_wait *wait)
{
	uint8_t record[IDX_IPI_WAIT_SIZE];

	idx_put32(record, wait->row);
	idx_put32(record + 4, wait->cpu);
	idx_put64(record + 8, (uint64_t)wait->from);
	idx_put64(record + 16, (uint64_t)wait->to);
	idx_put64(record + 24, (uint64_t)wait->entry);
	idx_put64(record + 32, wait->cpus);
	idx_put64(record + 40, wait->caller);
	idx_put32(record + 48, wait->last);
	idx_put32(record + 52, wait->doubts);
	idx_spill_add(w->ipi_wait_records, record, sizeof record);
}

void idx_writer_counted(struct idx_writer *w, uint32_t row, const struct mdl_counted *counted)
{
	struct row_writers *r = row_writers(w, row);

	if (!r->counts) {
		r->counts = g_new0(struct idx_counts_writer, 1);
		r->counts->row = row;
	}
	idx_counts_writer_add(r->counts, w->out, counted);
}

void idx_writer_cause(struct idx_writer *w, const struct mdl_cause *cause)
{
	idx_cause_writer_add(w->causes, w->out, cause);
}

void idx_writer_transfer(struct idx_writer *w, const struct mdl_transfer *transfer)
{
	idx_transfer_writer_add(w->transfers, w->out, transfer);
}

void idx_writer_event_time(struct idx_writer *w, int64_t time)
{
	uint8_t bytes[BASE_VARINT_MAX];

	if (w->n_times == IDX_LEAF_TIMES)
		idx_chunk_put_time_leaf(w);
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

/* Spill the names of ROW, which is R, after those of the rows that ended before. */
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

static void spill_counts(struct idx_writer *w, uint32_t row, struct idx_counts_writer *counts)
{
	uint8_t record[IDX_COUNTS_SIZE] = { 0 };
	struct idx_child top;

	idx_counts_writer_finish(counts, w->out, &top);
	idx_put32(record, row);
	idx_put_ref(record + 8, &top);
	idx_spill_add(w->counts_records, record, sizeof record);
}

void idx_writer_over(struct idx_writer *w, uint32_t row, const struct mdl_row *facts)
{
	struct row_writers *r = row_writers(w, row);
	uint8_t record[IDX_ROW_SIZE] = { facts->type,
		(uint8_t)((facts->born ? 1 : 0) | (facts->died ? 2 : 0)), facts->final };
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
	idx_put32(record + 128, facts->cgroup);
	spill_names(w, row, r);
	if (r->counts)
		spill_counts(w, row, r->counts);
	idx_spill_add(w->row_records, record, sizeof record);
	g_clear_pointer(&w->rows->pdata[row], row_writers_free);
	w->n_over++;
}

void idx_writer_flush(struct idx_writer *w)
{
	idx_out_flush(w->out);
}

bool idx_writer_branch(struct idx_writer *w, const char *path, GError **error)
{
	return idx_out_branch(w->out, path, error);
}

void idx_writer_rename(struct idx_writer *w, const char *path)
{
	idx_out_rename(w->out, path);
}

bool idx_writer_finish(struct idx_writer *w, const struct idx_tables *tables, GError **error)
{
	g_assert(w->n_over == w->rows->len);
	while (w->streams->len < tables->n_streams)
		stream_packets(w, w->streams->len);
	for (unsigned i = 0; i < IDX_CHUNKS_MAX; i++)
		idx_chunks_all[i]->put(w, tables, idx_chunks_all[i]->id);
	return idx_chunks_finish(&w->chunks, &idx_map_index, tables->meta->fingerprint, error);
}
