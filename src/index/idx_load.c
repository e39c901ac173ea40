/* SPDX-License-Identifier: MIT */
#include "index/idx_load.h"

#include "base/base_error.h"
#include "index/idx_meta.h"

#include <string.h>

static void set_bad(const struct idx_map *m, const char *chunk, GError **error)
{
	g_set_error(error, BASE_ERROR, BASE_ERROR_STALE, "index %s: damaged: inside of chunk %s",
		idx_map_path(m), chunk);
}

static bool bad(const struct idx_reader *r, const char *chunk, GError **error)
{
	set_bad(r->map, chunk, error);
	return false;
}

/* Chunk ID as records of SIZE bytes; *COUNT of them. */
static const uint8_t *records(const struct idx_reader *r, const char *id, size_t size, uint32_t *count,
	GError **error)
{
	uint64_t bytes;
	const uint8_t *data = idx_map_chunk(r->map, id, &bytes, error);

	if (!data)
		return NULL;
	if (bytes % size != 0 || bytes / size >= MDL_NONE) {
		bad(r, id, error);
		return NULL;
	}
	*count = (uint32_t)(bytes / size);
	return data;
}

struct idx_meta *idx_load_meta(const struct idx_map *m, GError **error)
{
	uint64_t size;
	const uint8_t *data = idx_map_chunk(m, "META", &size, error);
	struct idx_meta *meta;

	if (!data)
		return NULL;
	meta = idx_meta_from_json((const char *)data, size, NULL);
	if (!meta || meta->from > meta->to) {
		set_bad(m, "META", error);
		idx_meta_free(meta);
		return NULL;
	}
	meta->fingerprint = idx_map_fingerprint(m);
	return meta;
}

static bool load_strings(struct idx_reader *r, GError **error)
{
	uint64_t size, head;
	const uint8_t *data = idx_map_chunk(r->map, "STRG", &size, error);
	const char *text;
	uint32_t count, before = 0;

	if (!data)
		return false;
	count = size >= 8 ? idx_get32(data) : 0;
	head = 4 + 4 * ((uint64_t)count + 1);
	if (count == 0 || head > size)
		return bad(r, "STRG", error);
	text = (const char *)data + head;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t from = idx_get32(data + 4 + 4 * (size_t)i), to = idx_get32(data + 8 + 4 * (size_t)i);

		if (from != before || to <= from || to > size - head || text[to - 1] != '\0' ||
			!g_utf8_validate(text + from, (gssize)(to - from - 1), NULL))
			return bad(r, "STRG", error);
		before = to;
	}
	r->limits.strings = count;
	r->t->string_ends = data + 4;
	r->t->texts = data + head;
	return *text == '\0' || bad(r, "STRG", error);
}

static bool load_contexts(struct idx_reader *r, GError **error)
{
	uint32_t count;
	const uint8_t *p = records(r, "CTXS", IDX_CONTEXT_SIZE, &count, error);

	if (!p)
		return false;
	r->t->contexts = g_new(struct mdl_context, count);
	for (uint32_t i = 0; i < count; i++, p += IDX_CONTEXT_SIZE) {
		r->t->contexts[i] = (struct mdl_context){ .type = p[0],
			.name = idx_get32(p + 4),
			.nr = (int64_t)idx_get64(p + 8) };
		if (p[0] >= MDL_CTX_TYPES || r->t->contexts[i].name >= r->limits.strings)
			return bad(r, "CTXS", error);
	}
	r->limits.contexts = count;
	return true;
}

struct idx_series idx_load_series(struct idx_reader *r, const struct idx_ref *top, uint8_t kind, uint32_t row,
	uint8_t row_type)
{
	return (struct idx_series){
		.map = r->map,
		.limits = &r->limits,
		.kind = kind,
		.row = row,
		.row_type = row_type,
		.top = { .offset = top->offset,
			.size = top->size,
			.checksum = top->checksum,
			.count = top->count,
			.first = top->first },
	};
}

static struct idx_load_row get_row(const uint8_t *p)
{
	return (struct idx_load_row){
		.row = {
			.type = p[0], .born = p[1] & 1, .died = (p[1] & 2) != 0, .cpu = idx_get32(p + 4),
			.nr = (int64_t)idx_get64(p + 8), .pid = (int64_t)idx_get64(p + 16), .ppid = (int64_t)idx_get64(p + 24),
			.parent = idx_get32(p + 32), .name = idx_get32(p + 36),
			.first = (int64_t)idx_get64(p + 40), .last = (int64_t)idx_get64(p + 48),
		},
		.intervals = idx_get_ref(p + IDX_ROW_INTERVALS), .wakeups = idx_get_ref(p + IDX_ROW_WAKEUPS), .n_names = idx_get32(p + 124)
	};
}

struct idx_load_row idx_load_row(const struct idx_reader *r, uint32_t row)
{
	return get_row(idx_load_record(r, row));
}

static bool is_row(const struct idx_reader *r, const struct idx_load_row *l, uint32_t rows)
{
	return l->row.type < MDL_ROW_TYPES && (l->row.parent < rows || l->row.parent == MDL_NONE) &&
		l->row.name < r->limits.strings && l->row.last >= l->row.first;
}

/* Rows stand in the order in which they ended; each number from 0 to COUNT - 1 once. */
static bool load_rows(struct idx_reader *r, GError **error)
{
	uint32_t count;
	uint64_t left = idx_map_size(r->map);
	const uint8_t *p = r->t->rows = records(r, "ROWS", IDX_ROW_SIZE, &count, error);

	if (!p)
		return false;
	r->t->record = g_new(uint32_t, count);
	for (uint32_t i = 0; i < count; i++)
		r->t->record[i] = MDL_NONE;
	for (uint32_t i = 0; i < count; i++, p += IDX_ROW_SIZE) {
		uint32_t id = idx_get32(p + 120);
		struct idx_load_row l = get_row(p);

		if (id >= count || r->t->record[id] != MDL_NONE)
			return bad(r, "ROWS", error);
		if (!is_row(r, &l, count) || !idx_take_count(&left, &l.intervals) ||
			!idx_take_count(&left, &l.wakeups))
			return bad(r, "ROWS", error);
		r->t->record[id] = i;
	}
	r->limits.rows = count;
	return true;
}

/* The N names at P are those of ROW, oldest first. */
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

static bool load_names(struct idx_reader *r, GError **error)
{
	uint32_t count, at = 0;
	const uint8_t *p = r->t->names = records(r, "NAME", IDX_NAME_SIZE, &count, error), *row = r->t->rows;

	if (!p)
		return false;
	r->t->first_name = g_new(uint32_t, r->limits.rows);
	for (uint32_t i = 0; i < r->limits.rows; i++, row += IDX_ROW_SIZE) {
		uint32_t id = idx_get32(row + 120), n = idx_get32(row + 124);

		r->t->first_name[id] = at;
		if (n > count - at || !are_names(r, p + (size_t)at * IDX_NAME_SIZE, n, id))
			return bad(r, "NAME", error);
		at += n;
	}
	return at == count || bad(r, "NAME", error);
}

/* Is P a record of PRIO, which comes after one at BEFORE? */
static bool is_priority(const struct idx_reader *r, const uint8_t *p, int64_t before)
{
	int32_t value = (int32_t)idx_get32(p + 4);

	return idx_get32(p) < r->limits.rows && value >= MDL_PRIORITY_DEADLINE && value < MDL_PRIORITY_END &&
		(int64_t)idx_get64(p + 8) >= before;
}

/* They come in order of time, and are found row by row: counted first, then put into their places. */
static bool load_priorities(struct idx_reader *r, GError **error)
{
	uint32_t count, *first;
	const uint8_t *p = r->t->priorities = records(r, "PRIO", IDX_PRIORITY_SIZE, &count, error);
	int64_t before = INT64_MIN;

	if (!p)
		return false;
	r->t->priority = g_new(uint32_t, count);
	r->t->first_priority = first = g_new0(uint32_t, (gsize)r->limits.rows + 2);
	for (uint32_t i = 0; i < count; i++, p += IDX_PRIORITY_SIZE) {
		if (!is_priority(r, p, before))
			return bad(r, "PRIO", error);
		before = (int64_t)idx_get64(p + 8);
		first[idx_get32(p) + 2]++;
	}
	for (uint32_t i = 0; i < r->limits.rows; i++)
		first[i + 2] += first[i + 1];
	for (uint32_t i = 0; i < count; i++)
		r->t->priority[first[idx_get32(r->t->priorities + (size_t)i * IDX_PRIORITY_SIZE) + 1]++] = i;
	return true;
}

/* Chunk ID, which is no more than a reference to a series. */
static bool load_ref(struct idx_reader *r, const char *id, struct idx_ref *top, GError **error)
{
	uint64_t size;
	const uint8_t *p = idx_map_chunk(r->map, id, &size, error);

	if (!p)
		return false;
	if (size != IDX_REF_SIZE)
		return bad(r, id, error);
	*top = idx_get_ref(p);
	size = idx_map_size(r->map);
	return idx_take_count(&size, top) || bad(r, id, error);
}

static bool load_causes(struct idx_reader *r, GError **error)
{
	if (!load_ref(r, "CAUS", &r->causes, error))
		return false;
	r->limits.causes = (uint32_t)r->causes.count;
	return r->causes.count < MDL_NONE || bad(r, "CAUS", error);
}

static bool load_devices(struct idx_reader *r, GError **error)
{
	const uint8_t *p = records(r, "BDEV", IDX_DEVICE_SIZE, &r->n_devices, error);

	if (!p)
		return false;
	r->t->devices = g_new(struct mdl_device, r->n_devices);
	for (uint32_t i = 0; i < r->n_devices; i++, p += IDX_DEVICE_SIZE) {
		struct mdl_device *d = &r->t->devices[i];

		*d = (struct mdl_device){ .dev = idx_get32(p), .name = idx_get32(p + 4) };
		if (d->name >= r->limits.strings || (i > 0 && d->dev <= d[-1].dev))
			return bad(r, "BDEV", error);
	}
	return true;
}

/* The text at AT of the SIZE bytes TEXTS; NULL when it does not end there. */
static const char *text_at(const char *texts, uint64_t size, uint32_t at)
{
	return at < size && memchr(texts + at, '\0', size - at) ? texts + at : NULL;
}

/* The name of a file within the trace's folder, by a way that never leaves it? */
static bool is_file_name(const char *name)
{
	char **parts = name ? g_strsplit(name, "/", -1) : NULL;
	bool fine = parts && parts[0];

	for (unsigned i = 0; fine && parts[i]; i++)
		fine = *parts[i] != '\0' && strcmp(parts[i], ".") != 0 && strcmp(parts[i], "..") != 0;
	g_strfreev(parts);
	return fine;
}

static bool load_streams(struct idx_reader *r, GError **error)
{
	uint64_t size, count, left = idx_map_size(r->map), events = r->t->meta->events;
	const uint8_t *data = idx_map_chunk(r->map, "PKTS", &size, error);
	const char *texts;

	if (!data)
		return false;
	count = size >= 8 ? idx_get64(data) : 0;
	if (size < 8 || count > (size - 8) / IDX_STREAM_SIZE)
		return bad(r, "PKTS", error);
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
			s->stream.events > events || !idx_take_count(&left, &s->packets))
			return bad(r, "PKTS", error);
		events -= s->stream.events;
	}
	r->n_streams = (uint32_t)count;
	return events == 0 || bad(r, "PKTS", error);
}

bool idx_load_tables(struct idx_reader *r, GError **error)
{
	r->t = g_new0(struct idx_shared, 1);
	r->t->users = 1;
	r->t->meta = idx_load_meta(r->map, error);
	return r->t->meta && load_strings(r, error) && load_contexts(r, error) && load_rows(r, error) &&
		load_names(r, error) && load_priorities(r, error) && load_ref(r, "EVNT", &r->times, error) &&
		load_streams(r, error) && load_causes(r, error) &&
		load_ref(r, "PCKT", &r->transfers, error) && load_devices(r, error);
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
	g_free(t->devices);
	g_free(t->streams);
	g_free(t);
}
