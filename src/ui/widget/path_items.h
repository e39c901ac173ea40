/* SPDX-License-Identifier: MIT */
/* The shown items of a critical path.  An item is one segment, or a run of segments folded into one: they are
 * short, or short ones interrupt a longer one, or they are deeper than the shown level. */
#ifndef PATH_ITEMS_H
#define PATH_ITEMS_H

#include "analysis/path/path.h"

/* The look of an item: an enum ana_segment_kind, or one of these. */
enum path_look {
	PATH_LOOK_USERMODE = ANA_SEG_N, /* running in user mode; known if system calls are recorded */
	PATH_LOOK_VIRTIO,               /* a wait for a virtio device that is neither disk nor network */
	PATH_LOOK_DEEPER,               /* folded: what others did while the actor waited for them */
	PATH_LOOK_SHORT,                /* folded: segments shorter than the limit */
	PATH_LOOK_N
};

#define PATH_ALL_LEVELS UINT32_MAX
#define PATH_NO_ITEM UINT32_MAX

/* A fold, identified by its first segment and its reason. */
typedef uint64_t path_fold;
#define PATH_NO_FOLD UINT64_MAX

struct path_item {
	int64_t from, to;  /* ns, [from, to), never empty; the next item begins at TO */
	uint32_t first, n; /* segments of the path: the first, their number */
	/* The item is in the row of this actor.  A fold of deeper segments is in the row of the actor that
	 * waited for them; one of short segments, of the actor before it; at the start, after it. */
	uint32_t actor;
	uint32_t depth;
	uint8_t look;     /* enum ana_segment_kind or path_look */
	int64_t other;    /* ns of other looks in it, folded because they are short */
	path_fold fold;   /* the fold that this item is; PATH_NO_FOLD: an ordinary segment */
	path_fold inside; /* the innermost opened fold that contains it; PATH_NO_FOLD: none */
};

/* The time of an actor with one look.  All sums together are the length of the path. */
struct path_sum {
	uint32_t actor;
	uint8_t look;
	int64_t time;   /* ns */
	uint32_t items; /* number of items; a segment shorter than the limit counts as one */
};

/* A fold that the user opened: segments [first, end). */
struct path_opened {
	path_fold fold;
	uint32_t first, end;
};

struct path_items {
	int64_t limit; /* ns: shorter segments are folded; 0: none */
	/* segments deeper than this are folded; 0: only the subject is shown; PATH_ALL_LEVELS: none are
	 * folded */
	uint32_t levels;
	GArray *opened; /* of struct path_opened; owned */
	/* Made by path_items_make(): */
	GArray *items;    /* of struct path_item, in time order; owned */
	GArray *sums;     /* of struct path_sum, longest first; owned */
	GArray *lines;    /* of uint32_t: the actors that have a row, in the order of the path; owned */
	GArray *line_of;  /* of uint32_t, by actor: its index in lines, UINT32_MAX: none; owned */
	uint32_t deepest; /* depth of the deepest segment */
};

static inline const struct ana_segment *path_segment(const struct ana_path *path, uint32_t i)
{
	return &g_array_index(path->segments, struct ana_segment, i);
}

static inline const struct ana_actor *path_actor(const struct ana_path *path, uint32_t i)
{
	return &g_array_index(path->actors, struct ana_actor, i);
}

static inline const struct path_item *path_item(const struct path_items *items, uint32_t i)
{
	return &g_array_index(items->items, struct path_item, i);
}

static inline const struct path_sum *path_sum(const struct path_items *items, uint32_t i)
{
	return &g_array_index(items->sums, struct path_sum, i);
}

/* The line of ACTOR among the rows; UINT32_MAX if it has none. */
static inline uint32_t path_line_of(const struct path_items *items, uint32_t actor)
{
	return g_array_index(items->line_of, uint32_t, actor);
}

/* Initialise ITEMS: no items, no limit, all levels.  Free its members with path_items_clear(). */
void path_items_init(struct path_items *items);
void path_items_clear(struct path_items *items);

/* Make the items of PATH again, in time linear in the number of segments. */
void path_items_make(struct path_items *items, const struct ana_path *path);

/* The look of SEGMENT of PATH alone: enum ana_segment_kind or path_look. */
uint8_t path_items_look(const struct ana_path *path, const struct ana_segment *segment);

/* The index of the item that contains TIME; UINT32_MAX if none does. */
uint32_t path_items_at(const struct path_items *items, int64_t time);

/* Open the folded ITEM, which may be one of ITEMS.  Folds inside it stay folded.  The caller then makes the
 * items again. */
void path_items_open(struct path_items *items, const struct path_item *item);
/* Close FOLD.  The caller then makes the items again. */
void path_items_close(struct path_items *items, path_fold fold);
/* _opened_text(): the open folds as a text, NULL: none; the caller frees.  _set_opened(): open the folds of
 * PATH that TEXT names. */
char *path_items_opened_text(const struct path_items *items);
void path_items_set_opened(struct path_items *items, const struct ana_path *path, const char *text);
/* Close all folds; true if one was open. */
bool path_items_close_all(struct path_items *items);

#endif
