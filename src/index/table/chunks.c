/* SPDX-License-Identifier: MIT */
/*
 * The chunks of an index, with the code that writes and loads each. Loading checks every number against the
 * table that it refers to, so that readers need not. There are three sorts:
 * - tables that are complete when the trace has been read: facts, strings, contexts, devices;
 * - records that were spilled row by row while it was read: rows, their names, priorities and waits for
 *   IPIs, and the series of their counts;
 * - references to series that belong to no row, whose blocks are in the file: times of events, packets of
 *   streams, causes, transfers.
 */
#include "index/table/parts.h"

#include <string.h>

/* ---- META ---- */

static void put_meta(struct idx_writer *w, const struct idx_tables *t, const char *id)
{
	g_autoptr(GBytes) bytes = idx_meta_to_bytes(t->meta);
	gsize size;
	const void *data = g_bytes_get_data(bytes, &size);

	idx_chunks_put(&w->chunks, id, data, size);
}

static bool load_meta(struct idx_reader *r, G_GNUC_UNUSED const char *id, GError **error)
{
	r->t->meta = idx_meta_load(r->map, error);
	return r->t->meta;
}

const struct idx_chunk_kind idx_chunk_meta = { .id = "META",
	.is_base = true,
	.put = put_meta,
	.load = load_meta };

/* ---- STRG ---- */

static void put_strings(struct idx_writer *w, const struct idx_tables *t, const char *id)
{
	const struct base_strings *strings = t->strings;
	uint32_t count = base_strings_count(strings);
	g_autoptr(GByteArray) bytes = g_byte_array_new();
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
	idx_chunks_put(&w->chunks, id, bytes->data, bytes->len);
}

static bool load_strings(struct idx_reader *r, const char *id, GError **error)
{
	uint64_t size, head;
	const uint8_t *data = idx_map_chunk(r->map, id, &size, error);
	const char *text;
	uint32_t count, before = 0;

	if (!data)
		return false;
	count = size >= 8 ? idx_get32(data) : 0;
	head = 4 + 4 * ((uint64_t)count + 1);
	if (count == 0 || head > size)
		return idx_map_bad_chunk(r->map, id, error);
	text = (const char *)data + head;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t from = idx_get32(data + 4 + 4 * (size_t)i), to = idx_get32(data + 8 + 4 * (size_t)i);

		if (from != before || to <= from || to > size - head || text[to - 1] != '\0' ||
			!g_utf8_validate(text + from, (gssize)(to - from - 1), NULL))
			return idx_map_bad_chunk(r->map, id, error);
		before = to;
	}
	r->limits.strings = count;
	r->t->string_ends = data + 4;
	r->t->texts = data + head;
	return *text == '\0' || idx_map_bad_chunk(r->map, id, error);
}

const struct idx_chunk_kind idx_chunk_strings = { .id = "STRG",
	.is_base = true,
	.put = put_strings,
	.load = load_strings };

/* ---- CTXS ---- */

static void put_contexts(struct idx_writer *w, const struct idx_tables *t, const char *id)
{
	uint8_t *bytes = g_malloc0((size_t)t->n_contexts * IDX_CONTEXT_SIZE + 1);

	for (uint32_t i = 0; i < t->n_contexts; i++) {
		uint8_t *p = bytes + (size_t)i * IDX_CONTEXT_SIZE;

		p[0] = t->contexts[i].type;
		idx_put32(p + 4, t->contexts[i].name);
		idx_put64(p + 8, (uint64_t)t->contexts[i].nr);
	}
	idx_chunks_put(&w->chunks, id, bytes, (size_t)t->n_contexts * IDX_CONTEXT_SIZE);
	g_free(bytes);
}

static bool load_contexts(struct idx_reader *r, const char *id, GError **error)
{
	uint32_t count;
	const uint8_t *p = idx_map_records(r->map, id, IDX_CONTEXT_SIZE, &count, error);

	if (!p)
		return false;
	r->t->contexts = g_new(struct mdl_context, count);
	for (uint32_t i = 0; i < count; i++, p += IDX_CONTEXT_SIZE) {
		r->t->contexts[i] = (struct mdl_context){ .type = p[0],
			.name = idx_get32(p + 4),
			.nr = (int64_t)idx_get64(p + 8) };
		if (p[0] >= MDL_CTX_TYPES || r->t->contexts[i].name >= r->limits.strings)
			return idx_map_bad_chunk(r->map, id, error);
	}
	r->limits.contexts = count;
	return true;
}

const struct idx_chunk_kind idx_chunk_contexts = { .id = "CTXS",
	.is_base = true,
	.put = put_contexts,
	.load = load_contexts };

/* ---- BDEV ---- */

static void put_devices(struct idx_writer *w, const struct idx_tables *t, const char *id)
{
	uint8_t *bytes = g_malloc0((size_t)t->n_devices * IDX_DEVICE_SIZE + 1);

	for (uint32_t i = 0; i < t->n_devices; i++) {
		idx_put32(bytes + (size_t)i * IDX_DEVICE_SIZE, t->devices[i].dev);
		idx_put32(bytes + (size_t)i * IDX_DEVICE_SIZE + 4, t->devices[i].name);
	}
	idx_chunks_put(&w->chunks, id, bytes, (size_t)t->n_devices * IDX_DEVICE_SIZE);
	g_free(bytes);
}

static bool load_devices(struct idx_reader *r, const char *id, GError **error)
{
	const uint8_t *p = idx_map_records(r->map, id, IDX_DEVICE_SIZE, &r->n_devices, error);

	if (!p)
		return false;
	r->t->devices = g_new(struct mdl_device, r->n_devices);
	for (uint32_t i = 0; i < r->n_devices; i++, p += IDX_DEVICE_SIZE) {
		struct mdl_device *d = &r->t->devices[i];

		*d = (struct mdl_device){ .dev = idx_get32(p), .name = idx_get32(p + 4) };
		if (d->name >= r->limits.strings || (i > 0 && d->dev <= d[-1].dev))
			return idx_map_bad_chunk(r->map, id, error);
	}
	return true;
}

const struct idx_chunk_kind idx_chunk_devices = { .id = "BDEV", .put = put_devices, .load = load_devices };

/* ---- ROWS ---- */

static void put_rows(struct idx_writer *w, G_GNUC_UNUSED const struct idx_tables *t, const char *id)
{
	idx_chunks_put_spilled(&w->chunks, id, w->row_records);
}

/* Rows are in the order in which they ended. Each number from 0 to COUNT - 1 occurs once. */
static bool load_rows(struct idx_reader *r, const char *id, GError **error)
{
	uint32_t count;
	const uint8_t *p = r->t->rows = idx_map_records(r->map, id, IDX_ROW_SIZE, &count, error);

	if (!p)
		return false;
	r->t->record = g_new(uint32_t, count);
	for (uint32_t i = 0; i < count; i++)
		r->t->record[i] = MDL_NONE;
	for (uint32_t i = 0; i < count; i++, p += IDX_ROW_SIZE) {
		uint32_t number = idx_get32(p + 120);
		struct idx_load_row l = idx_load_record_row(p);

		if (number >= count || r->t->record[number] != MDL_NONE || l.row.type >= MDL_ROW_TYPES ||
			(l.row.parent >= count && l.row.parent != MDL_NONE) ||
			l.row.name >= r->limits.strings || l.row.cgroup >= r->limits.strings ||
			l.row.final > MDL_ST_STORED || l.row.last < l.row.first ||
			!idx_take_count(&r->left, &l.intervals, IDX_LEAST_INTERVAL) ||
			!idx_take_count(&r->left, &l.wakeups, IDX_LEAST_WAKEUP))
			return idx_map_bad_chunk(r->map, id, error);
		r->t->record[number] = i;
	}
	r->limits.rows = count;
	return true;
}

const struct idx_chunk_kind idx_chunk_rows = { .id = "ROWS", .put = put_rows, .load = load_rows };

/* ---- NAME ---- */

static void put_names(struct idx_writer *w, G_GNUC_UNUSED const struct idx_tables *t, const char *id)
{
	idx_chunks_put_spilled(&w->chunks, id, w->name_records);
}

/* True if the N names at P belong to ROW, oldest first. */
static bool are_names(const struct idx_reader *r, const uint8_t *p, uint32_t n, uint32_t row)
{
	int64_t before = INT64_MIN;

	for (uint32_t i = 0; i < n; i++, p += IDX_NAME_SIZE) {
		int64_t time = (int64_t)idx_get64(p + 8);

		if (idx_get32(p) != row || idx_get32(p + 4) >= r->limits.strings || time < before)
			return false;
		before = time;
	}
	return true;
}

static bool load_names(struct idx_reader *r, const char *id, GError **error)
{
	uint32_t count, at = 0;
	const uint8_t *p = r->t->names = idx_map_records(r->map, id, IDX_NAME_SIZE, &count, error),
		      *row = r->t->rows;

	if (!p)
		return false;
	r->t->first_name = g_new(uint32_t, r->limits.rows);
	for (uint32_t i = 0; i < r->limits.rows; i++, row += IDX_ROW_SIZE) {
		uint32_t number = idx_get32(row + 120), n = idx_get32(row + 124);

		r->t->first_name[number] = at;
		if (n > count - at || !are_names(r, p + (size_t)at * IDX_NAME_SIZE, n, number))
			return idx_map_bad_chunk(r->map, id, error);
		at += n;
	}
	return at == count || idx_map_bad_chunk(r->map, id, error);
}

const struct idx_chunk_kind idx_chunk_names = { .id = "NAME", .put = put_names, .load = load_names };

/* ---- PRIO ---- */

static void put_priorities(struct idx_writer *w, G_GNUC_UNUSED const struct idx_tables *t, const char *id)
{
	idx_chunks_put_spilled(&w->chunks, id, w->priority_records);
}

/* Records are in order of time and are looked up by row: count them first, then put them in their places. */
static bool load_priorities(struct idx_reader *r, const char *id, GError **error)
{
	uint32_t count, *first;
	const uint8_t *p = r->t->priorities = idx_map_records(r->map, id, IDX_PRIORITY_SIZE, &count, error);
	int64_t before = INT64_MIN;

	if (!p)
		return false;
	r->t->priority = g_new(uint32_t, count);
	r->t->first_priority = first = g_new0(uint32_t, (gsize)r->limits.rows + 2);
	for (uint32_t i = 0; i < count; i++, p += IDX_PRIORITY_SIZE) {
		int32_t value = (int32_t)idx_get32(p + 4);
		int64_t time = (int64_t)idx_get64(p + 8);

		if (idx_get32(p) >= r->limits.rows || value < MDL_PRIORITY_DEADLINE ||
			value >= MDL_PRIORITY_END || time < before)
			return idx_map_bad_chunk(r->map, id, error);
		before = time;
		first[idx_get32(p) + 2]++;
	}
	for (uint32_t i = 0; i < r->limits.rows; i++)
		first[i + 2] += first[i + 1];
	for (uint32_t i = 0; i < count; i++)
		r->t->priority[first[idx_get32(r->t->priorities + (size_t)i * IDX_PRIORITY_SIZE) + 1]++] = i;
	return true;
}

const struct idx_chunk_kind idx_chunk_priorities = { .id = "PRIO",
	.put = put_priorities,
	.load = load_priorities };

/* ---- IPIW ---- */

static void put_ipi_waits(struct idx_writer *w, G_GNUC_UNUSED const struct idx_tables *t, const char *id)
{
	idx_chunks_put_spilled(&w->chunks, id, w->ipi_wait_records);
}

/* True if W is possible in a trace with ROWS rows. */
static bool is_ipi_wait(const struct mdl_ipi_wait *w, uint32_t rows)
{
	return w->row < rows && w->from < w->to && w->from <= w->entry && w->entry <= w->to && w->last < 64 &&
		w->cpus >> w->last & 1;
}

/* Like load_priorities(): waits are looked up by row. */
static bool load_ipi_waits(struct idx_reader *r, const char *id, GError **error)
{
	uint32_t count, *first;
	const uint8_t *p = r->t->ipi_waits = idx_map_records(r->map, id, IDX_IPI_WAIT_SIZE, &count, error);

	if (!p)
		return false;
	if (count == 0)
		return true;
	r->t->ipi_wait = g_new0(uint32_t, count);
	r->t->first_ipi_wait = first = g_new0(uint32_t, (gsize)r->limits.rows + 2);
	for (uint32_t i = 0; i < count; i++) {
		struct mdl_ipi_wait w = idx_load_ipi_wait(p + (size_t)i * IDX_IPI_WAIT_SIZE);

		if (!is_ipi_wait(&w, r->limits.rows))
			return idx_map_bad_chunk(r->map, id, error);
		first[w.row + 2]++;
	}
	for (uint32_t i = 0; i < r->limits.rows; i++)
		first[i + 2] += first[i + 1];
	for (uint32_t i = 0; i < count; i++)
		r->t->ipi_wait[first[idx_get32(p + (size_t)i * IDX_IPI_WAIT_SIZE) + 1]++] = i;
	for (uint32_t i = 1; i < count; i++) {
		struct mdl_ipi_wait w = idx_load_ipi_wait(p + (size_t)r->t->ipi_wait[i] * IDX_IPI_WAIT_SIZE);
		struct mdl_ipi_wait before = idx_load_ipi_wait(
			p + (size_t)r->t->ipi_wait[i - 1] * IDX_IPI_WAIT_SIZE);

		if (w.row == before.row && w.from < before.to)
			return idx_map_bad_chunk(r->map, id, error);
	}
	return true;
}

const struct idx_chunk_kind idx_chunk_ipi_waits = { .id = "IPIW",
	.put = put_ipi_waits,
	.load = load_ipi_waits };

/* ---- CNTD ---- */

static void put_counts(struct idx_writer *w, G_GNUC_UNUSED const struct idx_tables *t, const char *id)
{
	idx_chunks_put_spilled(&w->chunks, id, w->counts_records);
}

/* One record for each thread with counts. */
static bool load_counts(struct idx_reader *r, const char *id, GError **error)
{
	uint32_t count;
	const uint8_t *p = r->t->counts = idx_map_records(r->map, id, IDX_COUNTS_SIZE, &count, error);

	if (!p || count == 0)
		return p;
	r->t->counted = g_new(uint32_t, r->limits.rows);
	for (uint32_t i = 0; i < r->limits.rows; i++)
		r->t->counted[i] = MDL_NONE;
	for (uint32_t i = 0; i < count; i++, p += IDX_COUNTS_SIZE) {
		uint32_t row = idx_get32(p);
		struct idx_ref top = idx_get_ref(p + 8);

		if (row >= r->limits.rows || idx_get32(p + 4) != 0 || r->t->counted[row] != MDL_NONE ||
			top.count == 0 || !idx_take_count(&r->left, &top, IDX_LEAST_COUNTS))
			return idx_map_bad_chunk(r->map, id, error);
		r->t->counted[row] = i;
	}
	return true;
}

const struct idx_chunk_kind idx_chunk_counts = { .id = "CNTD", .put = put_counts, .load = load_counts };

bool idx_chunk_load_ref(struct idx_reader *r, const char *id, unsigned least, struct idx_ref *top,
	GError **error)
{
	uint64_t size;
	const uint8_t *p = idx_map_chunk(r->map, id, &size, error);

	if (!p)
		return false;
	if (size != IDX_REF_SIZE)
		return idx_map_bad_chunk(r->map, id, error);
	*top = idx_get_ref(p);
	return idx_take_count(&r->left, top, least) || idx_map_bad_chunk(r->map, id, error);
}

/* ---- EVNT ---- */

void idx_chunk_put_time_leaf(struct idx_writer *w)
{
	struct idx_child child = { .count = w->n_times, .first = w->first_time, .end = w->last_time };

	idx_tree_put_head(w->time_leaf->data, IDX_KIND_TIMES, 0, w->n_times, MDL_NONE);
	idx_tree_add_leaf(w->times, w->out, w->time_leaf->data, w->time_leaf->len, &child);
	g_byte_array_set_size(w->time_leaf, IDX_BLOCK_HEAD);
	w->n_times = 0;
}

static void put_times(struct idx_writer *w, G_GNUC_UNUSED const struct idx_tables *t, const char *id)
{
	struct idx_child top;

	if (w->n_times > 0)
		idx_chunk_put_time_leaf(w);
	idx_tree_finish(w->times, w->out, &top);
	idx_chunks_put_ref(&w->chunks, id, &top);
}

static bool load_times(struct idx_reader *r, const char *id, GError **error)
{
	return idx_chunk_load_ref(r, id, IDX_LEAST_TIME, &r->times, error);
}

const struct idx_chunk_kind idx_chunk_times = { .id = "EVNT", .put = put_times, .load = load_times };

/* ---- PKTS ---- */

/* Append TEXT to TEXTS. Returns its offset. */
static uint32_t chunks_add_text(GByteArray *texts, const char *text)
{
	uint32_t at = texts->len;

	g_byte_array_append(texts, (const guint8 *)text, (guint)strlen(text) + 1);
	return at;
}

static void put_streams(struct idx_writer *w, const struct idx_tables *t, const char *id)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new(), texts = g_byte_array_new();

	g_byte_array_set_size(bytes, 8 + t->n_streams * IDX_STREAM_SIZE);
	idx_put64(bytes->data, t->n_streams);
	for (uint32_t i = 0; i < t->n_streams; i++) {
		uint8_t *p = bytes->data + 8 + (size_t)i * IDX_STREAM_SIZE;
		struct idx_child top;

		idx_packets_writer_finish(g_ptr_array_index(w->streams, i), w->out, &top);
		idx_put32(p, chunks_add_text(texts, t->streams[i].name));
		idx_put32(p + 4, chunks_add_text(texts, t->streams[i].reader));
		idx_put64(p + 8, top.sums[IDX_PACKETS_EVENTS]);
		idx_put_ref(p + 16, &top);
	}
	g_byte_array_append(bytes, texts->data, texts->len);
	idx_chunks_put(&w->chunks, id, bytes->data, bytes->len);
}

/* The text at AT of the SIZE bytes TEXTS. NULL if it has no end there. */
static const char *text_at(const char *texts, uint64_t size, uint32_t at)
{
	return at < size && memchr(texts + at, '\0', size - at) ? texts + at : NULL;
}

/* True if NAME is the path of a file in the trace's folder, without "." and "..". */
static bool is_file_name(const char *name)
{
	g_auto(GStrv) parts = name ? g_strsplit(name, "/", -1) : NULL;
	bool fine = parts && parts[0];

	for (unsigned i = 0; fine && parts[i]; i++)
		fine = *parts[i] != '\0' && strcmp(parts[i], ".") != 0 && strcmp(parts[i], "..") != 0;
	return fine;
}

static bool load_streams(struct idx_reader *r, const char *id, GError **error)
{
	uint64_t size, count, events = r->t->meta->events;
	const uint8_t *data = idx_map_chunk(r->map, id, &size, error);
	const char *texts;

	if (!data)
		return false;
	count = size >= 8 ? idx_get64(data) : 0;
	if (size < 8 || count > (size - 8) / IDX_STREAM_SIZE)
		return idx_map_bad_chunk(r->map, id, error);
	size -= 8 + count * IDX_STREAM_SIZE;
	texts = (const char *)data + 8 + count * IDX_STREAM_SIZE;
	r->t->streams = g_new0(struct idx_load_stream, count);
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *p = data + 8 + (size_t)i * IDX_STREAM_SIZE;
		struct idx_load_stream *s = &r->t->streams[i];

		s->packets = idx_get_ref(p + 16);
		s->stream = (struct idx_stream){ .name = text_at(texts, size, idx_get32(p)),
			.reader = text_at(texts, size, idx_get32(p + 4)),
			.events = idx_get64(p + 8),
			.packets = s->packets.count };
		if (!s->stream.name || !s->stream.reader ||
			(s->stream.packets > 0 && !is_file_name(s->stream.name)) ||
			s->stream.events > events || !idx_take_count(&r->left, &s->packets, IDX_LEAST_PACKET))
			return idx_map_bad_chunk(r->map, id, error);
		events -= s->stream.events;
	}
	r->n_streams = (uint32_t)count;
	return events == 0 || idx_map_bad_chunk(r->map, id, error);
}

const struct idx_chunk_kind idx_chunk_streams = { .id = "PKTS", .put = put_streams, .load = load_streams };

/* ---- CAUS ---- */

static void put_causes(struct idx_writer *w, G_GNUC_UNUSED const struct idx_tables *t, const char *id)
{
	struct idx_child top;

	idx_cause_writer_finish(w->causes, w->out, &top);
	idx_chunks_put_ref(&w->chunks, id, &top);
}

static bool load_causes(struct idx_reader *r, const char *id, GError **error)
{
	if (!idx_chunk_load_ref(r, id, IDX_LEAST_CAUSE, &r->causes, error))
		return false;
	r->limits.causes = (uint32_t)r->causes.count;
	return r->causes.count < MDL_NONE || idx_map_bad_chunk(r->map, id, error);
}

const struct idx_chunk_kind idx_chunk_causes = { .id = "CAUS", .put = put_causes, .load = load_causes };

/* ---- PCKT ---- */

static void put_transfers(struct idx_writer *w, G_GNUC_UNUSED const struct idx_tables *t, const char *id)
{
	struct idx_child top;

	idx_transfer_writer_finish(w->transfers, w->out, &top);
	idx_chunks_put_ref(&w->chunks, id, &top);
}

static bool load_transfers(struct idx_reader *r, const char *id, GError **error)
{
	return idx_chunk_load_ref(r, id, IDX_LEAST_TRANSFER, &r->transfers, error);
}

const struct idx_chunk_kind idx_chunk_transfers = { .id = "PCKT",
	.put = put_transfers,
	.load = load_transfers };

/* ---- all chunks ---- */

const struct idx_chunk_kind *const idx_chunks_all[IDX_CHUNKS_MAX] = {
#define CHUNK(name) &idx_chunk_##name,
	IDX_CHUNKS(CHUNK)
#undef CHUNK
};

bool idx_load_tables(struct idx_reader *r, GError **error)
{
	bool fine = true;

	r->left = idx_map_size(r->map);
	r->t = g_new0(struct idx_shared, 1);
	r->t->users = 1;
	for (unsigned pass = 0; pass < 2; pass++)
		for (unsigned i = 0; fine && i < IDX_CHUNKS_MAX; i++)
			if (idx_chunks_all[i]->is_base == !pass)
				fine = idx_chunks_all[i]->load(r, idx_chunks_all[i]->id, error);
	return fine;
}

void idx_load_unref(struct idx_shared *t)
{
	if (!t || !g_atomic_int_dec_and_test(&t->users))
		return;
	idx_meta_free(t->meta);
	g_free(t->contexts);
	g_free(t->record);
	g_free(t->first_name);
	g_free(t->priority);
	g_free(t->first_priority);
	g_free(t->ipi_wait);
	g_free(t->first_ipi_wait);
	g_free(t->counted);
	g_free(t->devices);
	g_free(t->streams);
	g_free(t);
}
