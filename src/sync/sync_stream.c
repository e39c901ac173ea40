/* SPDX-License-Identifier: MIT */
/*
 * How it works: the bytes that a host sent on a connection are a list of stretches in order of sequence
 * numbers, which wrap.  Only bytes after the last stretch are new.  A SYN with another number opens the next
 * connection on the same ports, and so does a number that no window allows.  The received bytes are a list of
 * ranges, nearly always one.
 *
 * Numbers repeat after 4 GB (RFC 9293, 3.4), and fast networks send more than that while stretches wait.  If
 * more than half of 4 GB waits, a number alone is ambiguous.  Then the stream must have been followed from
 * its beginning, or since less waited, and bytes are looked up near the one found last.
 */
#include "sync/sync_match_parts.h"

#include "base/base_search.h"

/* No window is larger (RFC 7323, 2.3): a larger distance means another stream. */
#define STREAM_JUMP (INT32_C(1) << 30)
#define HALF (UINT64_C(1) << 31) /* so many bytes are in order by their numbers */
#define NEAR 4096                /* stretches from the one found last */
#define STREAMS_MAX 8            /* connections on the same ports that wait at once */
#define RANGES_MAX 64            /* received ranges; more are forgotten, the oldest first */

/* Bytes at most, including the growth of arrays and the allocator's overhead. */
#define END_BYTES 80
#define ARRAY_BYTES 96
#define STREAM_BYTES (2 * sizeof(struct sync_sent_stream) + ARRAY_BYTES)
#define STRETCH_BYTES (2 * sizeof(struct sync_stretch))
#define RANGE_BYTES (2 * sizeof(struct range))

struct sync_sent_stream {
	GArray *stretches; /* of struct sync_stretch; [waits, len) wait */
	guint waits;
	/* The stretch that was found last: receptions mostly come in the order of sendings. */
	guint found;
	bool followed;  /* receptions are at FOUND */
	uint64_t bytes; /* from the first that waits to the end */
	uint32_t begin; /* number of its SYN, valid if BEGAN */
	bool began;
	uint32_t end; /* one after the last byte sent */
};

struct range {
	uint32_t first, end;
};

/* How far A is after B in the stream: sequence numbers wrap. */
static int32_t after(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b);
}

static bool is_far(uint32_t a, uint32_t b)
{
	return after(a, b) > STREAM_JUMP || after(a, b) < -STREAM_JUMP;
}

static struct sync_sent_stream *stream_at(const struct sync_end *e, guint i)
{
	return &g_array_index(e->sent, struct sync_sent_stream, i);
}

static struct sync_stretch *stretch_at(const struct sync_sent_stream *s, guint i)
{
	return &g_array_index(s->stretches, struct sync_stretch, i);
}

void sync_end_clear(struct sync_end *e)
{
	for (guint i = 0; e->sent && i < e->sent->len; i++)
		g_array_unref(stream_at(e, i)->stretches);
	g_clear_pointer(&e->sent, g_array_unref);
	g_clear_pointer(&e->received, g_array_unref);
}

/* ---- sent ---- */

/* Keep only the stretches that wait, in as much memory as they need. */
static void compact(struct sync_sent_stream *s)
{
	guint n = s->stretches->len - s->waits;
	GArray *left = g_array_sized_new(FALSE, FALSE, sizeof(struct sync_stretch), n);

	if (n > 0)
		g_array_append_vals(left, stretch_at(s, s->waits), n);
	g_array_unref(s->stretches);
	s->stretches = left;
	s->followed = s->followed && s->found >= s->waits;
	s->found -= MIN(s->found, s->waits);
	s->waits = 0;
}

static void give_up(struct sync_sent_stream *s, const struct sync_age *age, struct sync_counts *counts)
{
	for (; s->waits < s->stretches->len && stretch_at(s, s->waits)->walked <= age->upto; s->waits++) {
		const struct sync_stretch *t = stretch_at(s, s->waits);
		uint32_t next = s->waits + 1 < s->stretches->len ? t[1].first : s->end;

		s->bytes -= next - t->first;
		if (!t->found)
			sync_age_count(age, t->walked, counts);
	}
	if (s->waits > s->stretches->len / 2)
		compact(s);
}

static void drop_stream(struct sync_end *e, guint i)
{
	g_array_unref(stream_at(e, i)->stretches);
	g_array_remove_index(e->sent, i);
}

static struct sync_sent_stream *open_stream(struct sync_end *e, const struct sync_identity *id,
	struct sync_counts *counts)
{
	static const struct sync_age all = { INT64_MAX, INT64_MAX };
	struct sync_sent_stream new = { .begin = id->first, .began = id->begins, .end = id->first };

	if (!e->sent)
		e->sent = g_array_new(FALSE, FALSE, sizeof(struct sync_sent_stream));
	if (e->sent->len == STREAMS_MAX) {
		give_up(stream_at(e, 0), &all, counts);
		drop_stream(e, 0);
	}
	new.stretches = g_array_new(FALSE, FALSE, sizeof(struct sync_stretch));
	g_array_append_val(e->sent, new);
	return stream_at(e, e->sent->len - 1);
}

bool sync_end_send(struct sync_end *e, const struct sync_identity *id, const struct sync_step *step,
	struct sync_counts *counts)
{
	struct sync_sent_stream *s = e->sent && e->sent->len > 0 ? stream_at(e, e->sent->len - 1) : NULL;
	struct sync_stretch new = { .first = id->first,
		.length = id->length,
		.time = step->packet.time,
		.walked = step->at,
		.number = step->packet.number };

	if (!s || (id->begins ? !s->began || id->first != s->begin : is_far(id->first, s->end)))
		s = open_stream(e, id, counts);
	if (after(new.first + new.length, s->end) <= 0)
		return false;
	if (after(s->end, new.first) > 0) {
		new.length = new.first + new.length - s->end;
		new.first = s->end;
	}
	if (s->waits == s->stretches->len)
		s->bytes = 0;
	s->bytes += s->waits < s->stretches->len ? new.first + new.length - s->end : new.length;
	s->end = new.first + new.length;
	g_array_append_val(s->stretches, new);
	return true;
}

static bool stream_holds(const struct sync_sent_stream *s, guint i, uint32_t at)
{
	return i >= s->waits && i < s->stretches->len &&
		at - stretch_at(s, i)->first < stretch_at(s, i)->length;
}

struct sought {
	const struct sync_sent_stream *stream;
	uint32_t at;
};

static bool stream_begins_by(const void *data, uint64_t i)
{
	const struct sought *s = data;

	return after(stretch_at(s->stream, (guint)i)->first, s->at) <= 0;
}

/* The stretch near the one found last that holds byte AT; G_MAXUINT: none. */
static guint search_near(const struct sync_sent_stream *s, uint32_t at)
{
	for (guint k = 1; k < NEAR; k++) {
		if (stream_holds(s, s->found + k, at))
			return s->found + k;
		if (k <= s->found && stream_holds(s, s->found - k, at))
			return s->found - k;
	}
	return G_MAXUINT;
}

/* The stretch that holds byte AT.  NULL if no waiting one does, or if several may. */
static struct sync_stretch *find_stretch(struct sync_sent_stream *s, uint32_t at)
{
	bool many = s->bytes > HALF;
	guint i = stream_holds(s, s->found, at) ? s->found : s->found + 1;

	if (many && (!s->followed || s->found < s->waits))
		return NULL;
	if (!stream_holds(s, i, at)) /* otherwise the last one that does not begin after AT */
		i = many ? search_near(s, at)
			 : (guint)base_search(s->waits, s->stretches->len, stream_begins_by,
				   &(struct sought){ s, at }) -
				1;
	if (!stream_holds(s, i, at))
		return NULL;
	s->followed = true;
	s->found = i;
	return stretch_at(s, i);
}

struct sync_stretch *sync_end_find(const struct sync_end *e, const struct sync_end *receiver, uint32_t at)
{
	for (guint i = 0; e->sent && i < e->sent->len; i++) {
		struct sync_sent_stream *s = stream_at(e, i);
		struct sync_stretch *found;

		if (s->began && receiver->received_began && s->begin != receiver->received_begin)
			continue;
		/* Both began with the SYN, so the first byte received is the first byte sent. */
		s->followed = s->followed || (s->began && receiver->received_began && s->waits == 0);
		found = find_stretch(s, at);
		if (found)
			return found;
	}
	return NULL;
}

unsigned sync_end_sweep(struct sync_end *e, const struct sync_age *age, struct sync_counts *counts)
{
	unsigned left = 0;

	for (guint i = e->sent ? e->sent->len : 0; i-- > 0;) {
		struct sync_sent_stream *s = stream_at(e, i);

		give_up(s, age, counts);
		left += s->stretches->len - s->waits;
		if (s->stretches->len == 0 && i + 1 < e->sent->len)
			drop_stream(e, i);
	}
	return left;
}

/* ---- memory ---- */

/* The bytes without the stretches. */
static size_t bytes_without(const struct sync_end *e)
{
	return END_BYTES + (e->sent ? ARRAY_BYTES + e->sent->len * STREAM_BYTES : 0) +
		(e->received ? ARRAY_BYTES + e->received->len * RANGE_BYTES : 0);
}

size_t sync_end_bytes(const struct sync_end *e)
{
	size_t bytes = bytes_without(e);

	for (guint i = 0; e->sent && i < e->sent->len; i++)
		bytes += stream_at(e, i)->stretches->len * STRETCH_BYTES;
	return bytes;
}

void sync_end_ages(const struct sync_end *e, int64_t used, struct sync_ages *ages)
{
	sync_ages_add(ages, used, bytes_without(e));
	for (guint i = 0; e->sent && i < e->sent->len; i++)
		for (guint k = 0; k < stream_at(e, i)->stretches->len; k++)
			sync_ages_add(ages, stretch_at(stream_at(e, i), k)->walked, STRETCH_BYTES);
}

/* ---- received ---- */

static struct range *range_at(const struct sync_end *e, guint i)
{
	return &g_array_index(e->received, struct range, i);
}

/* Put NEW in place I, joined with the ranges [I, END), which it touches. */
static void merge(struct sync_end *e, guint i, guint end, struct range new)
{
	if (end == i) {
		g_array_insert_val(e->received, i, new);
		if (e->received->len > RANGES_MAX)
			g_array_remove_index(e->received, 0);
		return;
	}
	new.first = after(range_at(e, i)->first, new.first) < 0 ? range_at(e, i)->first : new.first;
	new.end = after(range_at(e, end - 1)->end, new.end) > 0 ? range_at(e, end - 1)->end : new.end;
	*range_at(e, i) = new;
	g_array_remove_range(e->received, i + 1, end - i - 1);
}

bool sync_end_receive(struct sync_end *e, const struct sync_identity *id, uint32_t *last)
{
	struct range new = { id->first, id->first + id->length };
	guint from, to;

	if (!e->received)
		e->received = g_array_new(FALSE, FALSE, sizeof(struct range));
	if (id->begins ? !e->received_began || id->first != e->received_begin
		       : e->received->len > 0 && is_far(id->first, range_at(e, e->received->len - 1)->end)) {
		/* another connection */
		g_array_set_size(e->received, 0);
		e->received_begin = id->first;
		e->received_began = id->begins;
	}
	*last = new.end - 1;
	for (to = e->received->len; to > 0 && after(range_at(e, to - 1)->first, new.end) > 0; to--)
		;
	for (from = to; from > 0 && after(range_at(e, from - 1)->end, new.first) >= 0; from--)
		;
	if (to > from && after(range_at(e, to - 1)->end, new.end) >= 0) {
		*last = range_at(e, to - 1)->first - 1;
		if (after(range_at(e, to - 1)->first, new.first) <= 0)
			return false;
	}
	merge(e, from, to, new);
	return true;
}
