/* SPDX-License-Identifier: MIT */
/*
 * How it works: opening decodes the tables and checks every number in them (index/table/chunks.c). Series are
 * reached through their top blocks (index/tree/node.c). A cursor keeps one decoded leaf.
 */
#include "index/table/reader.h"

#include "base/base_search.h"
#include "base/base_varint.h"
#include "index/tree/leaf.h"
#include "index/table/parts.h"

/* Changes of the row until the file is unmapped. The pages read for that many are few, and mapping them again
 * is cheaper than reading them again. */
#define MOVES_MAX 8192

/* Initialize R, which has its map and tables. */
static void reader_begin(struct idx_reader *r)
{
	r->checked = g_new0(uint64_t, r->limits.rows / 32 + 1);
	r->last_row = MDL_NONE;
}

struct idx_reader *idx_reader_open(const char *path, const char *fingerprint, GError **error)
{
	struct idx_reader *r = g_new0(struct idx_reader, 1);

	r->map = idx_map_open(path, &idx_map_index, fingerprint, error);
	if (!r->map || !idx_load_tables(r, error)) {
		idx_reader_free(r);
		return NULL;
	}
	reader_begin(r);
	idx_map_let_go(r->map); /* what was read for the tables */
	return r;
}

struct idx_reader *idx_reader_again(const struct idx_reader *r)
{
	struct idx_reader *again = g_new0(struct idx_reader, 1);

	g_atomic_int_inc(&r->t->users);
	again->map = idx_map_again(r->map);
	again->t = r->t;
	again->limits = r->limits;
	again->times = r->times;
	again->causes = r->causes;
	again->transfers = r->transfers;
	again->n_devices = r->n_devices;
	again->n_streams = r->n_streams;
	reader_begin(again);
	return again;
}

struct idx_meta *idx_reader_facts(const char *path, uint64_t *bytes, GError **error)
{
	struct idx_map *map = idx_map_open(path, &idx_map_index, NULL, error);
	struct idx_meta *meta = map ? idx_meta_load(map, error) : NULL;

	*bytes = map ? idx_map_size(map) : 0;
	idx_map_free(map);
	return meta;
}

void idx_reader_free(struct idx_reader *r)
{
	if (!r)
		return;
	idx_load_unref(r->t);
	g_free(r->kept_transfers);
	g_free(r->checked);
	idx_map_free(r->map);
	g_free(r);
}

void idx_reader_remove_damaged(const struct idx_reader *r)
{
	if (idx_map_damage(r->map))
		idx_map_remove(r->map);
}

const GError *idx_reader_damage(const struct idx_reader *r)
{
	return idx_map_damage(r->map);
}

const struct idx_meta *idx_reader_meta(const struct idx_reader *r)
{
	return r->t->meta;
}

const char *idx_reader_path(const struct idx_reader *r)
{
	return idx_map_path(r->map);
}

uint64_t idx_reader_checksum(const struct idx_reader *r)
{
	return idx_map_checksum(r->map);
}

uint64_t idx_reader_bytes(const struct idx_reader *r)
{
	return idx_map_size(r->map);
}

bool idx_reader_grows(const struct idx_reader *r)
{
	return idx_map_grows(r->map);
}

uint32_t idx_reader_row_count(const struct idx_reader *r)
{
	return r->limits.rows;
}

/* Note that ROW is read.  Reading every row must not leave the whole file resident. */
static void reader_look_at(struct idx_reader *r, uint32_t row)
{
	if (row == r->last_row)
		return;
	r->last_row = row;
	if (++r->n_moves < MOVES_MAX)
		return;
	r->n_moves = 0;
	idx_map_let_go(r->map);
}

struct mdl_row idx_reader_row(const struct idx_reader *r, uint32_t row)
{
	return idx_load_row(r, row).row;
}

const struct mdl_context *idx_reader_context(const struct idx_reader *r, uint32_t context)
{
	return &r->t->contexts[context];
}

uint32_t idx_reader_context_count(const struct idx_reader *r)
{
	return r->limits.contexts;
}

uint32_t idx_reader_string_count(const struct idx_reader *r)
{
	return r->limits.strings;
}

const char *idx_reader_string(const struct idx_reader *r, uint32_t string)
{
	if (string >= r->limits.strings)
		return "";
	return (const char *)r->t->texts + idx_get32(r->t->string_ends + (size_t)string * 4);
}

uint32_t idx_reader_priority_count(const struct idx_reader *r, uint32_t row)
{
	return r->t->first_priority[row + 1] - r->t->first_priority[row];
}

struct idx_priority idx_reader_priority(const struct idx_reader *r, uint32_t row, uint32_t index)
{
	const uint8_t *p = r->t->priorities +
		(size_t)r->t->priority[r->t->first_priority[row] + index] * IDX_PRIORITY_SIZE;

	return (struct idx_priority){ .time = (int64_t)idx_get64(p + 8),
		.priority = (int16_t)idx_get32(p + 4) };
}

uint32_t idx_reader_ipi_wait_count(const struct idx_reader *r, uint32_t row)
{
	const uint32_t *first = r->t->first_ipi_wait;

	return first ? first[row + 1] - first[row] : 0;
}

struct mdl_ipi_wait idx_reader_ipi_wait(const struct idx_reader *r, uint32_t row, uint32_t index)
{
	return idx_load_ipi_wait(r->t->ipi_waits +
		(size_t)r->t->ipi_wait[r->t->first_ipi_wait[row] + index] * IDX_IPI_WAIT_SIZE);
}

uint32_t idx_reader_name_count(const struct idx_reader *r, uint32_t row)
{
	return idx_get32(idx_load_record(r, row) + 124);
}

struct idx_name idx_reader_name(const struct idx_reader *r, uint32_t row, uint32_t index)
{
	const uint8_t *p = r->t->names + ((size_t)r->t->first_name[row] + index) * IDX_NAME_SIZE;

	return (struct idx_name){ .row = row, .name = idx_get32(p + 4), .time = (int64_t)idx_get64(p + 8) };
}

static struct idx_ref ref_of(const struct idx_reader *r, uint32_t row, uint8_t kind)
{
	return idx_get_ref(
		idx_load_record(r, row) + (kind == IDX_KIND_INTERVALS ? IDX_ROW_INTERVALS : IDX_ROW_WAKEUPS));
}

static struct idx_series series_of(struct idx_reader *r, uint32_t row, uint8_t kind)
{
	struct idx_ref top = ref_of(r, row, kind);
	struct idx_series s = idx_load_series(r, &top, kind, row, *idx_load_record(r, row));

	reader_look_at(r, row);
	s.checked = &r->checked[row / 32];
	s.checked_bit = UINT64_C(1) << (row % 32 * 2 + (kind == IDX_KIND_WAKEUPS));
	return s;
}

void idx_reader_sums(struct idx_reader *r, uint32_t row, const int64_t *times, uint32_t n,
	struct idx_sums *sums)
{
	struct idx_series s = series_of(r, row, IDX_KIND_INTERVALS);

	idx_scan_sums(&s, times, n, sums);
}

struct idx_intervals {
	struct idx_reader *reader;
	uint32_t row;
	unsigned count, at;
	uint64_t next_index; /* number of the first interval after the leaf */
	int64_t first, end;  /* of the leaf; paths jump among rows whose leaves no cache has */
	uint64_t offset;     /* of the leaf */
	bool states;         /* only states and times are read */
	unsigned room;
	struct mdl_interval *leaf; /* owned; if there are very many rows, most leaves are short */
};

struct idx_intervals *idx_intervals_new(struct idx_reader *r)
{
	struct idx_intervals *c = g_new0(struct idx_intervals, 1);

	c->reader = r;
	c->row = MDL_NONE;
	return c;
}

struct idx_intervals *idx_intervals_new_states(struct idx_reader *r)
{
	struct idx_intervals *c = idx_intervals_new(r);

	c->states = true;
	return c;
}

void idx_intervals_free(struct idx_intervals *c)
{
	if (c)
		g_free(c->leaf);
	g_free(c);
}

static bool read_intervals(struct idx_intervals *c, const struct idx_found *found)
{
	const struct idx_limits *limits = &c->reader->limits;
	enum mdl_row_type type = *idx_load_record(c->reader, c->row);
	struct idx_leaf leaf;
	bool fine = idx_leaf_open(found->block, found->leaf.size, &leaf);

	c->count = c->at = 0;
	if (fine && leaf.count > c->room) {
		c->room = leaf.count;
		c->leaf = g_renew(struct mdl_interval, c->leaf, c->room);
	}
	if (fine)
		fine = c->states ? idx_leaf_read_states(&leaf, type, limits, found->leaf.first, c->leaf)
				 : idx_leaf_read(&leaf, type, limits, found->leaf.first, c->leaf);
	if (!fine) {
		idx_map_note_damage(c->reader->map, found->leaf.offset, "invalid leaf");
		return false;
	}
	c->count = leaf.count;
	c->first = c->leaf[0].from;
	c->end = c->leaf[c->count - 1].to;
	c->offset = found->leaf.offset;
	c->next_index = found->count_before + leaf.count;
	return true;
}

bool idx_intervals_seek(struct idx_intervals *c, uint32_t row, int64_t time)
{
	struct idx_series s;
	struct idx_found found;

	if (c->row != row || c->count == 0 || time < c->first || time >= c->end) {
		s = series_of(c->reader, row, IDX_KIND_INTERVALS);
		c->row = row;
		c->count = 0;
		if (!idx_node_find_time(&s, time, &found) || !read_intervals(c, &found))
			return false;
	} else if (c->at < c->count && c->leaf[c->at].from <= time && time < c->leaf[c->at].to) {
		return true; /* the next one, as in a walk forwards */
	} else if (c->at >= 2 && c->leaf[c->at - 2].from <= time && time < c->leaf[c->at - 2].to) {
		c->at -= 2; /* the one before the last one returned, as in a walk backwards */
		return true;
	}
	c->at = (unsigned)base_search_holding(&c->leaf[0].from, c->count, sizeof c->leaf[0], time);
	return true;
}

/* Read the leaf with the interval at the cursor, unless it is decoded already. False at the end, or if it is
 * damaged. */
static bool have_interval(struct idx_intervals *c)
{
	struct idx_series s;
	struct idx_found found;

	if (c->count == 0)
		return false;
	if (c->at < c->count)
		return true;
	s = series_of(c->reader, c->row, IDX_KIND_INTERVALS);
	if (!idx_node_find_index(&s, c->next_index, &found))
		return false;
	if (found.count_before != c->next_index) {
		idx_map_note_damage(c->reader->map, found.leaf.offset, "wrong number of an interval");
		return false;
	}
	return read_intervals(c, &found);
}

bool idx_intervals_next(struct idx_intervals *c, struct mdl_interval *interval)
{
	if (!have_interval(c))
		return false;
	*interval = c->leaf[c->at++];
	return true;
}

bool idx_intervals_at(struct idx_intervals *c, uint32_t row, int64_t time, struct mdl_interval *interval)
{
	if (!idx_intervals_seek(c, row, time) || !idx_intervals_next(c, interval))
		return false;
	if (interval->from <= time && time < interval->to)
		return true;
	/* The node referred to this leaf, so the leaf was overwritten after it was checked. */
	idx_map_note_damage(c->reader->map, c->offset, "invalid leaf");
	return false;
}

const struct mdl_interval *idx_intervals_some(struct idx_intervals *c, unsigned *n)
{
	const struct mdl_interval *some = have_interval(c) ? c->leaf + c->at : NULL;

	*n = some ? c->count - c->at : 0;
	c->at += *n;
	return some;
}

uint64_t idx_reader_wakeup_count(const struct idx_reader *r, uint32_t row)
{
	return ref_of(r, row, IDX_KIND_WAKEUPS).count;
}

struct idx_wakeups {
	struct idx_reader *reader;
	uint32_t row;
	unsigned count;
	uint64_t first_index; /* number of leaf[0] */
	uint64_t empty;       /* number of empty wake-ups before it in the series */
	int64_t first, last;  /* times of the first and last in the leaf, like in struct idx_intervals */
	unsigned at;          /* the last one found */
	bool times;           /* only times are read */
	unsigned room;
	struct mdl_wakeup *leaf; /* owned; like in struct idx_intervals */
};

struct idx_wakeups *idx_wakeups_new(struct idx_reader *r)
{
	struct idx_wakeups *c = g_new0(struct idx_wakeups, 1);

	c->reader = r;
	c->row = MDL_NONE;
	return c;
}

struct idx_wakeups *idx_wakeups_new_times(struct idx_reader *r)
{
	struct idx_wakeups *c = idx_wakeups_new(r);

	c->times = true;
	return c;
}

void idx_wakeups_free(struct idx_wakeups *c)
{
	if (c)
		g_free(c->leaf);
	g_free(c);
}

static bool read_wakeups(struct idx_wakeups *c, uint32_t row, const struct idx_found *found)
{
	unsigned n = idx_wake_count(found->block);

	c->row = row;
	c->at = 0;
	c->first_index = found->count_before;
	c->empty = found->sums_before[IDX_WAKE_EMPTY];
	if (n > c->room) {
		c->room = n;
		c->leaf = g_renew(struct mdl_wakeup, c->leaf, c->room);
	}
	c->count = c->times
		? idx_wake_read_times(found->block, found->leaf.size, n, found->leaf.first, c->leaf)
		: idx_wake_read(found->block, found->leaf.size, n, found->leaf.first, &c->reader->limits,
			  c->leaf);
	if (c->count == 0) {
		idx_map_note_damage(c->reader->map, found->leaf.offset, "invalid leaf of wake-ups");
		return false;
	}
	c->first = c->leaf[0].time;
	c->last = c->leaf[c->count - 1].time;
	return true;
}

/* Number of wake-ups of the decoded leaf before TIME. */
static unsigned count_before(const struct idx_wakeups *c, int64_t time)
{
	/* A walk backwards needs the one before the last one found. */
	if (c->at >= 2 && c->leaf[c->at - 1].time >= time && c->leaf[c->at - 2].time < time)
		return c->at - 1;
	return (unsigned)base_search_below(&c->leaf[0].time, c->count, sizeof c->leaf[0], time);
}

uint64_t idx_wakeups_seek(struct idx_wakeups *c, uint32_t row, int64_t time)
{
	struct idx_series s;
	struct idx_found found;

	if (c->row != row || c->count == 0 || time <= c->first || time > c->last) {
		s = series_of(c->reader, row, IDX_KIND_WAKEUPS);
		if (!idx_node_find_from(&s, time, &found) || !read_wakeups(c, row, &found))
			return s.top.count;
	}
	c->at = count_before(c, time);
	return c->first_index + c->at;
}

/* Wake-up number INDEX of ROW. NULL beyond the end, or if it is damaged. */
static const struct mdl_wakeup *have_wakeup(struct idx_wakeups *c, uint32_t row, uint64_t index)
{
	struct idx_series s;
	struct idx_found found;

	if (c->row != row || index < c->first_index || index >= c->first_index + c->count) {
		s = series_of(c->reader, row, IDX_KIND_WAKEUPS);
		if (!idx_node_find_index(&s, index, &found) || !read_wakeups(c, row, &found))
			return NULL;
		if (index - c->first_index >= c->count) {
			idx_map_note_damage(c->reader->map, found.leaf.offset, "wrong number of a wake-up");
			return NULL;
		}
	}
	return &c->leaf[index - c->first_index];
}

bool idx_wakeups_get(struct idx_wakeups *c, uint32_t row, uint64_t index, struct mdl_wakeup *wakeup)
{
	const struct mdl_wakeup *found = have_wakeup(c, row, index);

	if (found)
		*wakeup = *found;
	return found;
}

const struct mdl_wakeup *idx_wakeups_some(struct idx_wakeups *c, uint32_t row, uint64_t index, unsigned *n)
{
	const struct mdl_wakeup *some = have_wakeup(c, row, index);

	*n = some ? (unsigned)(c->first_index + c->count - index) : 0;
	return some;
}

uint64_t idx_wakeups_seek_empty(struct idx_wakeups *c, uint32_t row, int64_t time)
{
	uint64_t index = time == INT64_MIN ? 0 : idx_wakeups_seek(c, row, time), n;

	if (index == 0 || !have_wakeup(c, row, index - 1))
		return 0;
	n = c->empty;
	for (uint64_t i = 0; i < index - c->first_index; i++)
		n += mdl_wakeup_is_empty(&c->leaf[i]);
	return n;
}

/* Like idx_wakeups_empty(), but false if it is not in the decoded leaf. */
static bool empty_in_leaf(const struct idx_wakeups *c, uint32_t row, uint64_t nth, int64_t *time)
{
	uint64_t n = c->empty;

	if (c->row != row || nth < n)
		return false;
	for (unsigned i = 0; i < c->count; i++) {
		*time = c->leaf[i].time;
		if (mdl_wakeup_is_empty(&c->leaf[i]) && n++ == nth)
			return true;
	}
	return false;
}

bool idx_wakeups_empty(struct idx_wakeups *c, uint32_t row, uint64_t nth, int64_t *time)
{
	struct idx_series s;
	struct idx_found found;

	if (empty_in_leaf(c, row, nth, time))
		return true;
	s = series_of(c->reader, row, IDX_KIND_WAKEUPS);
	return idx_node_find_counted(&s, IDX_WAKE_EMPTY, nth, &found) && read_wakeups(c, row, &found) &&
		empty_in_leaf(c, row, nth, time);
}

bool idx_reader_cause(struct idx_reader *r, uint32_t number, struct mdl_cause *cause)
{
	struct idx_series s = idx_load_series(r, &r->causes, IDX_KIND_CAUSES, MDL_NONE, 0);
	struct idx_found found;

	if (number == 0 || !idx_node_find_index(&s, number - 1, &found))
		return false;
	if (idx_cause_read(found.block, found.leaf.size, (unsigned)(number - 1 - found.count_before),
		    &r->limits, cause))
		return true;
	idx_map_note_damage(r->map, found.leaf.offset, "invalid leaf of causes");
	return false;
}

bool idx_reader_device(const struct idx_reader *r, uint32_t dev, uint32_t *name)
{
	for (uint32_t i = 0; i < r->n_devices; i++) {
		*name = r->t->devices[i].name;
		if (r->t->devices[i].dev == dev)
			return true;
	}
	return false;
}

/* Set *TIME to the sum of the first N + 1 distances in the leaf FOUND. False if it is damaged. */
static bool nth_time(const struct idx_found *found, uint64_t n, int64_t *time)
{
	const uint8_t *p = found->block + IDX_BLOCK_HEAD, *end = found->block + found->leaf.size;
	uint64_t at = (uint64_t)found->leaf.first, distance;

	for (uint64_t i = 0; i <= n; i++) {
		p = base_varint_get(p, end, &distance);
		if (!p)
			return false;
		at += distance;
	}
	*time = (int64_t)at;
	return true;
}

bool idx_reader_event_time(struct idx_reader *r, uint64_t rank, int64_t *time)
{
	struct idx_series s = idx_load_series(r, &r->times, IDX_KIND_TIMES, MDL_NONE, 0);
	uint64_t index = (rank - 1) / IDX_EVENT_STEP;
	struct idx_found found;

	if (rank == 0 || rank > r->t->meta->events || !idx_node_find_index(&s, index, &found))
		return false;
	if (nth_time(&found, index - found.count_before, time))
		return true;
	idx_map_note_damage(r->map, found.leaf.offset, "invalid leaf of event times");
	return false;
}

uint32_t idx_reader_stream_count(const struct idx_reader *r)
{
	return r->n_streams;
}

const struct idx_stream *idx_reader_stream(const struct idx_reader *r, uint32_t stream)
{
	return &r->t->streams[stream].stream;
}

static struct idx_series packets_of(struct idx_reader *r, uint32_t stream)
{
	return idx_load_series(r, &r->t->streams[stream].packets, IDX_KIND_PACKETS, stream, 0);
}

/* Read the leaf FOUND. Returns the number of packets in it; 0 if it is damaged. */
static unsigned read_packets(struct idx_reader *r, const struct idx_found *found, struct idx_packet *packets)
{
	unsigned n = idx_packets_read(found->block, found->leaf.size, found->leaf.first,
		found->sums_before[IDX_PACKETS_EVENTS], packets);

	if (n == 0)
		idx_map_note_damage(r->map, found->leaf.offset, "invalid leaf of packets");
	return n;
}

bool idx_reader_packet(struct idx_reader *r, uint32_t stream, uint64_t index, struct idx_packet *packet)
{
	struct idx_series s = packets_of(r, stream);
	struct idx_packet packets[IDX_LEAF_PACKETS];
	struct idx_found found;

	if (!idx_node_find_index(&s, index, &found))
		return false;
	if (index - found.count_before >= read_packets(r, &found, packets))
		return false;
	*packet = packets[index - found.count_before];
	return true;
}

uint64_t idx_reader_packet_at(struct idx_reader *r, uint32_t stream, int64_t time)
{
	struct idx_series s = packets_of(r, stream);
	struct idx_packet packets[IDX_LEAF_PACKETS];
	struct idx_found found;
	unsigned n, i = 0;

	if (!idx_node_find_from(&s, time, &found))
		return s.top.count;
	n = read_packets(r, &found, packets);
	while (i < n && packets[i].last < time)
		i++;
	return n > 0 ? found.count_before + i : s.top.count;
}
