/* SPDX-License-Identifier: MIT */
#include "trace/bt2/trc_bt2_tape.h"

#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_text.h"
#include "trace/bt2/trc_bt2_open.h"
#include "trace/bt2/trc_bt2_text.h"
#include "trace/core/trc_folders.h"
#include "trace/core/trc_info.h"
#include "trace/ctf/trc_ctf_class.h"

#include <string.h>

G_STATIC_ASSERT(TRC_BT2_TAPE_KEPT > TRC_QUEUE_SIZE); /* one fill may go that far beyond what is wanted */

struct kept {
	const bt_message *message; /* owned; NULL: none */
	int64_t time;
};

/* One stream. */
struct reel {
	struct trc_queue *queue;             /* weak: of the open trace */
	uint64_t read;                       /* events so far */
	uint64_t first;                      /* those from here up to READ are kept */
	uint64_t wanted;                     /* events far before this need not be kept */
	struct kept kept[TRC_BT2_TAPE_KEPT]; /* by number modulo their count */
};

struct trc_bt2_tape {
	struct trc_survey *survey; /* owned */
	struct trc_info *info;     /* owned */
	struct trc_bt2_open *open; /* owned */
	GHashTable *reels;         /* name (char *) → struct reel *, both owned; those used so far */
	struct reel *turning;      /* weak: the one that is read; NULL: none */
	uint64_t rewound;
};

/* ---- opening ---- */

static void reel_free(gpointer data)
{
	struct reel *r = data;
	unsigned i;

	for (i = 0; i < TRC_BT2_TAPE_KEPT; i++)
		if (r->kept[i].message)
			bt_message_put_ref(r->kept[i].message);
	g_free(r);
}

/* The stream files to be read, of struct trc_stream_file *; the caller unrefs.  NULL with ERROR. */
static GPtrArray *choose_streams(const struct trc_survey *survey, bool all, GError **error)
{
	GPtrArray *streams = g_ptr_array_new(),
		  *classes = g_ptr_array_new_with_free_func(trc_ctf_stream_free);
	unsigned i;

	if (survey->layout && !all && !trc_ctf_compile(survey->tsdl, false, classes, error))
		g_clear_pointer(&streams, g_ptr_array_unref);
	for (i = 0; streams && i < survey->streams->len; i++) {
		struct trc_stream_file *f = g_ptr_array_index(survey->streams, i);

		if (f->state != TRC_FILE_UNUSABLE && (all || trc_ctf_unknown(classes, f)))
			g_ptr_array_add(streams, f);
	}
	g_ptr_array_unref(classes);
	return streams;
}

static void see(void *data, const struct trc_queue *q, const bt_message *message)
{
	const struct trc_bt2_tape *t = data;
	struct reel *r = t->turning;
	struct kept *kept = &r->kept[r->read % TRC_BT2_TAPE_KEPT];
	uint64_t number = r->read++;

	if (number + TRC_BT2_TAPE_KEPT <= r->wanted) {
		r->first = r->read;
		return;
	}
	if (kept->message)
		bt_message_put_ref(kept->message);
	bt_message_get_ref(message);
	kept->message = message;
	kept->time = q->newest;
	if (r->read - r->first > TRC_BT2_TAPE_KEPT)
		r->first = r->read - TRC_BT2_TAPE_KEPT;
}

static bool open_streams(struct trc_bt2_tape *t, char *const *folders, bool all, GError **error)
{
	g_autofree char *root = trc_folders_root(folders);
	g_autoptr(GPtrArray) streams = NULL;

	t->info = trc_info_new(root);
	t->survey = trc_survey_new(folders, t->info, error);
	if (!t->survey)
		return false;
	streams = choose_streams(t->survey, all, error);
	if (!streams)
		return false;
	t->open = trc_bt2_open_new(t->survey, streams, t->info, 1, error);
	return t->open;
}

struct trc_bt2_tape *trc_bt2_tape_open(char *const *folders, bool all, GError **error)
{
	struct trc_bt2_tape *t = g_new0(struct trc_bt2_tape, 1);
	struct trc_bt2_trace *trace;

	t->reels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, reel_free);
	if (!open_streams(t, folders, all, error)) {
		trc_bt2_tape_free(t);
		return NULL;
	}
	trc_bt2_open_begin(t->open);
	trace = trc_bt2_graph_trace(t->open->graphs[0]);
	trace->see = see;
	trace->data = t;
	return t;
}

void trc_bt2_tape_free(struct trc_bt2_tape *t)
{
	if (!t)
		return;
	g_hash_table_unref(t->reels); /* its messages belong to the graph */
	trc_bt2_open_free(t->open);
	trc_survey_free(t->survey);
	trc_info_free(t->info);
	g_free(t);
}

uint64_t trc_bt2_tape_rewound(const struct trc_bt2_tape *t)
{
	return t->rewound;
}

/* ---- winding ---- */

static void fill(struct trc_bt2_tape *t, struct reel *r)
{
	t->turning = r;
	trc_queue_reset(r->queue);
	g_array_set_size(r->queue->packets, 0);
	trc_bt2_open_fill(t->open, r->queue);
	t->turning = NULL;
}

static void rewind_reel(struct trc_bt2_tape *t, struct reel *r)
{
	struct trc_bt2_graph *graph = t->open->graphs[r->queue->index];

	r->read = r->first = 0;
	t->rewound++;
	trc_bt2_graph_rewind(graph, r->queue);
	if (!r->queue->ended)
		fill(t, r);
	/* An error that was found beyond the messages given last comes first, even though the stream begins
	 * anew. */
	if (r->queue->ended && !r->read) {
		trc_bt2_graph_rewind(graph, r->queue);
		fill(t, r);
	}
}

/* The stream called NAME; NULL: there is none. */
static struct reel *find_reel(struct trc_bt2_tape *t, const char *name)
{
	struct reel *r = g_hash_table_lookup(t->reels, name);
	unsigned i;

	for (i = 0; !r && i < t->open->backs->len; i++) {
		struct trc_queue *q = g_ptr_array_index(t->open->backs, i);

		if (strcmp(q->name, name) != 0)
			continue;
		r = g_new0(struct reel, 1);
		r->queue = q;
		g_hash_table_insert(t->reels, g_strdup(name), r);
	}
	return r;
}

/* Have event NUMBER of the stream NAME kept; NULL with ERROR when there is none. */
static struct reel *wind(struct trc_bt2_tape *t, const char *name, uint64_t number, GError **error)
{
	struct reel *r = find_reel(t, name);
	g_autofree char *shown = NULL;

	if (r && number >= r->first && number < r->read)
		return r;
	if (r) {
		r->wanted = number;
		if (number < r->read || !r->read)
			rewind_reel(t, r);
		while (r->read <= number && !r->queue->ended)
			fill(t, r);
		if (number < r->read)
			return r;
	}
	shown = base_text_clean(name, -1);
	return base_error_null(error, BASE_ERROR_DATA,
		"%s/%s: babeltrace2 finds no event %" G_GUINT64_FORMAT " in it any more",
		t->survey->directory, shown, number + 1);
}

static const struct kept *kept_at(const struct reel *r, uint64_t number)
{
	return &r->kept[number % TRC_BT2_TAPE_KEPT];
}

static const bt_event *event_of(const struct kept *kept)
{
	return bt_message_event_borrow_event_const(kept->message);
}

/* ---- events ---- */

bool trc_bt2_tape_event(struct trc_bt2_tape *t, const char *name, uint64_t number, int64_t *time,
	const char **class, GError **error)
{
	const struct reel *r = wind(t, name, number, error);

	if (!r)
		return false;
	*time = kept_at(r, number)->time;
	*class = bt_event_class_get_name(bt_event_borrow_class_const(event_of(kept_at(r, number))));
	if (!*class)
		*class = "";
	return true;
}

struct sought {
	const struct reel *reel;
	int64_t time;
};

static bool is_before(const void *data, uint64_t i)
{
	const struct sought *s = data;

	return kept_at(s->reel, i)->time < s->time;
}

/* The first event of R at or after TIME in [LOW, HIGH), which are kept; HIGH when there is none. */
static uint64_t find_kept(const struct reel *r, uint64_t low, uint64_t high, int64_t time)
{
	return base_search(low, high, is_before, &(struct sought){ r, time });
}

bool trc_bt2_tape_find(struct trc_bt2_tape *t, const char *name, uint64_t from, uint64_t to, int64_t time,
	uint64_t *found, GError **error)
{
	const struct reel *r = find_reel(t, name);
	uint64_t begin = r ? MAX(from, r->first) : from, end = r ? MIN(to, r->read) : from;

	/* Begin with what is kept, where that is not beyond TIME already. */
	*found = from;
	if (begin < end && (begin == from || kept_at(r, begin)->time < time)) {
		*found = find_kept(r, begin, end, time);
		if (*found < end)
			return true;
	}
	for (; *found < to; ++*found) {
		r = wind(t, name, *found, error);
		if (!r)
			return false;
		if (kept_at(r, *found)->time >= time)
			break;
	}
	return true;
}

bool trc_bt2_tape_fields(struct trc_bt2_tape *t, const char *name, uint64_t number, GString *to,
	const struct trc_taker *taker, GError **error)
{
	const struct reel *r = wind(t, name, number, error);

	if (r)
		trc_bt2_text_event(event_of(kept_at(r, number)), to, taker);
	return r;
}
