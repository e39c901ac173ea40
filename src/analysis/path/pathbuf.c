/* SPDX-License-Identifier: MIT */
/*
 * Everything is appended while the walk goes back in time. At the end it is turned round once: arrays are
 * reversed, and indices into them renumbered.
 *
 * A hand-over and a source come before the segment that they belong to is known, so they wait for the next
 * segment. If several hand-overs happen at one instant, the threads in between had no time of their own, and
 * the path goes straight from the first to the last.
 */
#include "analysis/path/walk.h"

#include "base/base_memory.h"
#include "base/base_search.h"

struct ana_pathbuf {
	struct qry *q; /* weak */
	/* Weak; all in it is in reverse order until ana_pathbuf_finish(). NULL: segments go to TOLD. */
	struct ana_path *path;
	ana_pathbuf_told told;
	void *told_data;
	int64_t from;
	GHashTable *by_row;   /* row → actor + 1 */
	GHashTable *by_label; /* "type/host/label", owned → actor + 1 */
	int64_t cursor;
	bool has_source, has_link; /* for the next segment */
	struct ana_source source;
	struct ana_link link;
};

struct ana_pathbuf *ana_pathbuf_new(struct qry *q, struct ana_path *path)
{
	struct ana_pathbuf *buf = g_new0(struct ana_pathbuf, 1);

	buf->q = q;
	buf->path = path;
	buf->by_row = g_hash_table_new(NULL, NULL);
	buf->by_label = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	buf->from = path->from;
	buf->cursor = path->to;
	ana_pathbuf_thread(buf, path->subject);
	return buf;
}

#define KEPT 4096 /* actors */

void ana_pathbuf_again(struct ana_pathbuf *buf)
{
	struct ana_path *p = buf->path;

	g_array_set_size(p->segments, 0);
	g_array_set_size(p->links, 0);
	g_array_set_size(p->sources, 0);
	if (p->actors->len > KEPT) {
		g_hash_table_remove_all(buf->by_row);
		g_hash_table_remove_all(buf->by_label);
		g_array_set_size(p->actors, 0);
	}
	buf->from = p->from;
	buf->cursor = p->to;
	buf->has_source = buf->has_link = false;
}

struct ana_pathbuf *ana_pathbuf_new_telling(struct qry *q, int64_t from, int64_t to, ana_pathbuf_told told,
	void *data)
{
	struct ana_pathbuf *buf = g_new0(struct ana_pathbuf, 1);

	buf->q = q;
	buf->told = told;
	buf->told_data = data;
	buf->from = from;
	buf->cursor = to;
	return buf;
}

void ana_pathbuf_free(struct ana_pathbuf *buf)
{
	if (!buf)
		return;
	g_clear_pointer(&buf->by_row, g_hash_table_unref);
	g_clear_pointer(&buf->by_label, g_hash_table_unref);
	g_free(buf);
}

static uint32_t add_actor(struct ana_pathbuf *buf, const struct ana_actor *actor)
{
	g_array_append_val(buf->path->actors, *actor);
	return buf->path->actors->len - 1;
}

uint32_t ana_pathbuf_thread(struct ana_pathbuf *buf, uint32_t row)
{
	uint32_t known, id;
	const struct qry_row *r;

	if (!buf->path)
		return 0;
	known = GPOINTER_TO_UINT(g_hash_table_lookup(buf->by_row, GUINT_TO_POINTER(row)));
	if (known)
		return known - 1;
	r = qry_row(buf->q, row);
	id = add_actor(buf,
		&(struct ana_actor){
			.type = ANA_ACTOR_THREAD,
			.host = r->host,
			.row = row,
			.name = g_strdup(r->name),
			.label = qry_row_label(buf->q, row),
		});
	g_hash_table_insert(buf->by_row, GUINT_TO_POINTER(row), GUINT_TO_POINTER(id + 1));
	return id;
}

uint32_t ana_pathbuf_actor(struct ana_pathbuf *buf, enum ana_actor_type type, uint32_t host, const char *name,
	const char *label)
{
	uint32_t known, id;
	char *key;

	if (!buf->path)
		return 0;
	key = g_strdup_printf("%d/%u/%s", (int)type, host, label);
	known = GPOINTER_TO_UINT(g_hash_table_lookup(buf->by_label, key));
	if (known) {
		g_free(key);
		return known - 1;
	}
	id = add_actor(buf,
		&(struct ana_actor){
			.type = type,
			.host = host,
			.row = MDL_NONE,
			.name = g_strdup(name),
			.label = g_strdup(label),
		});
	g_hash_table_insert(buf->by_label, key, GUINT_TO_POINTER(id + 1));
	return id;
}

void ana_pathbuf_source(struct ana_pathbuf *buf, const struct ana_source *source, bool again)
{
	buf->source = *source;
	buf->has_source |= !again;
}

void ana_pathbuf_handover(struct ana_pathbuf *buf, int64_t at, int64_t arrival, enum ana_link_kind kind)
{
	if (!buf->path || buf->has_link || buf->path->segments->len == 0)
		return;
	buf->link = (struct ana_link){ .at = at,
		.arrival = arrival,
		.to = buf->path->segments->len - 1,
		.kind = kind };
	buf->has_link = true;
}

/*
 * True if SEGMENT, which ends at the begin of the last one added, continues it with the same state of one
 * thread. The index has no such neighbours. They occur if a segment of another host lay between them and was
 * empty.
 */
static bool goes_on(const struct ana_pathbuf *buf, const struct ana_segment *segment)
{
	const struct ana_segment *last = buf->path->segments->len > 0
		? &g_array_index(buf->path->segments, struct ana_segment, buf->path->segments->len - 1)
		: NULL;
	const struct ana_detail *a = &segment->detail;

	return last && !buf->has_link && !buf->has_source && last->source == UINT32_MAX &&
		last->actor == segment->actor && last->kind == segment->kind &&
		last->depth == segment->depth && a->kind == ANA_DETAIL_STATE &&
		last->detail.kind == a->kind && last->detail.row == a->row &&
		last->detail.state == a->state && last->detail.value == a->value &&
		last->detail.cpu == a->cpu;
}

void ana_pathbuf_segment(struct ana_pathbuf *buf, struct ana_segment segment)
{
	g_assert(segment.to >= buf->cursor); /* a hole would be a bug of the walk */
	segment.from = MAX(segment.from, buf->from);
	segment.to = buf->cursor;
	if (segment.from >= segment.to) {
		/* The source waits for the other parts of this wait, which follow. */
		buf->has_source &= segment.detail.kind == ANA_DETAIL_WAITER;
		return;
	}
	buf->cursor = segment.from;
	if (!buf->path) {
		/* The last source belongs to the current wait, even if a part of the wait was passed on
		 * already. */
		bool wait = segment.detail.kind == ANA_DETAIL_WAITER ||
			(segment.kind == ANA_SEG_BLOCKED && buf->has_source);

		buf->has_source = false;
		buf->told(buf->told_data, &segment,
			wait && buf->source.row == segment.row ? &buf->source : NULL);
		return;
	}
	if (goes_on(buf, &segment)) {
		g_array_index(buf->path->segments, struct ana_segment, buf->path->segments->len - 1).from =
			segment.from;
		return;
	}
	segment.source = buf->has_source ? buf->path->sources->len : UINT32_MAX;
	if (buf->has_source)
		base_pages_append(buf->path->sources, &buf->source);
	if (buf->has_link) {
		buf->link.from = buf->path->segments->len;
		base_pages_append(buf->path->links, &buf->link);
	}
	buf->has_source = buf->has_link = false;
	base_pages_append(buf->path->segments, &segment);
}

/* Reverse ARRAY, which has elements of TYPE. */
#define REVERSE(array, TYPE)                                                     \
	for (guint i_ = 0, j_ = (array)->len; i_ + 1 < j_; i_++) {               \
		TYPE swap_ = g_array_index(array, TYPE, i_);                     \
		j_--;                                                            \
		g_array_index(array, TYPE, i_) = g_array_index(array, TYPE, j_); \
		g_array_index(array, TYPE, j_) = swap_;                          \
	}

void ana_pathbuf_turn(struct ana_pathbuf *buf)
{
	struct ana_path *p = buf->path;
	guint n = p->segments->len;

	REVERSE(p->segments, struct ana_segment);
	REVERSE(p->links, struct ana_link);
	REVERSE(p->sources, struct ana_source);
	for (guint i = 0; i < p->links->len; i++) {
		struct ana_link *l = &g_array_index(p->links, struct ana_link, i);

		l->from = n - 1 - l->from;
		l->to = n - 1 - l->to;
	}
}

/* Move each actor to its NUMBER (old → new; 0: it has no time, or is the subject). SEEN actors have time. */
static void order_actors(struct ana_path *p, const uint32_t *number, guint seen)
{
	guint n = p->actors->len;
	struct ana_actor *actors = &g_array_index(p->actors, struct ana_actor, 0),
			 *old = g_memdup2(actors, n * sizeof *old);

	for (guint i = 1, end = seen; i < n; i++) /* actors without time are moved to the end, and dropped */
		actors[number[i] != 0 ? number[i] : end++] = old[i];
	g_array_set_size(p->actors, seen);
	g_free(old);
}

static int pathbuf_longest_first(const void *a, const void *b)
{
	const struct ana_summary *x = a, *y = b;

	return BASE_BY(y, x, time) ?: BASE_BY(x, y, actor) ?: (int)x->kind - (int)y->kind;
}

/*
 * Number the actors by their first appearance in time (the subject remains 0) and sum up their times. Number
 * the sources from the other end. All in one pass, because a long path is larger than any cache.
 */
static void number_and_sum(struct ana_path *p)
{
	guint n = p->actors->len, seen = 1;
	uint32_t *number = g_new0(uint32_t, n); /* see order_actors() */
	struct ana_summary *sums = g_new0(struct ana_summary, (size_t)n * ANA_SEG_N), *sum;

	for (guint i = 0; i < p->segments->len; i++) {
		struct ana_segment *s = &g_array_index(p->segments, struct ana_segment, i);

		if (s->actor != 0 && number[s->actor] == 0)
			number[s->actor] = seen++;
		s->actor = number[s->actor];
		if (s->source != UINT32_MAX)
			s->source = p->sources->len - 1 - s->source;
		sum = &sums[(size_t)s->actor * ANA_SEG_N + s->kind];
		sum->actor = s->actor;
		sum->kind = s->kind;
		sum->time += s->to - s->from;
		sum->segments++;
	}
	order_actors(p, number, seen);
	for (size_t i = 0; i < (size_t)seen * ANA_SEG_N; i++) {
		if (sums[i].segments == 0)
			continue;
		sums[i].share = (double)sums[i].time / (double)(p->to - p->from);
		g_array_append_val(p->summary, sums[i]);
	}
	g_array_sort(p->summary, pathbuf_longest_first);
	g_free(number);
	g_free(sums);
}

void ana_pathbuf_finish(struct ana_pathbuf *buf)
{
	ana_pathbuf_turn(buf);
	number_and_sum(buf->path);
}
