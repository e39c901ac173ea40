/* SPDX-License-Identifier: MIT */
/*
 * What of a critical path is shown: each item is one segment, or a run of
 * segments folded into one: because they are short, because short ones interrupt
 * the same for a moment only, or because they lie deeper than one wants to look.
 */
#ifndef PATH_ITEMS_H
#define PATH_ITEMS_H

#include "analysis/path/path.h"

/* How an item looks: as its segment's kind, or by one of these. */
enum path_look {
	PATH_LOOK_USERMODE = ANA_SEG_N, /* running, where it can be told from system calls */
	PATH_LOOK_VIRTIO,               /* a wait for a virtio device that is neither disk nor network */
	PATH_LOOK_DEEPER,               /* folded: what others did while the actor waited for them */
	PATH_LOOK_SHORT,                /* folded: segments shorter than the limit */
	PATH_LOOK_N
};

#define PATH_ALL_LEVELS UINT32_MAX
#define PATH_NO_ITEM UINT32_MAX

/* A fold is known by its first segment and what folds it. */
typedef uint64_t path_fold;
#define PATH_NO_FOLD UINT64_MAX

struct path_item {
	int64_t from, to;  /* [from, to), never empty; the next item begins at TO */
	uint32_t first, n; /* segments of the path */
	uint32_t actor;    /* in whose row it stands: of a folded item who waited, or who was before */
	uint32_t depth;
	uint8_t look;     /* enum ana_segment_kind or path_look */
	int64_t other;    /* ns in it that are something else, folded because it is short */
	path_fold fold;   /* the fold it is; PATH_NO_FOLD: an ordinary segment */
	path_fold inside; /* the innermost opened fold it is a part of; PATH_NO_FOLD none */
};

/* Share of an actor in a look; those of all sum to the path. */
struct path_sum {
	uint32_t actor;
	uint8_t look;
	int64_t time;   /* ns */
	uint32_t items; /* of them, segments shorter than the limit counted singly */
};

/* A fold that was opened by hand, of segments [first, end). */
struct path_opened {
	path_fold fold;
	uint32_t first, end;
};

struct path_items {
	int64_t limit;   /* ns: what is shorter is folded; 0 nothing */
	uint32_t levels; /* what is deeper is folded; 0: the subject alone; PATH_ALL_LEVELS nothing */
	GArray *opened;  /* of struct path_opened; owned */
	/* Made by path_items_make(): */
	GArray *items;   /* of struct path_item, in time order; owned */
	GArray *sums;    /* of struct path_sum, longest first; owned */
	GArray *lines;   /* of uint32_t: the actors that items stand for, in the order of the path's; owned */
	GArray *line_of; /* of uint32_t, by actor: its index in lines, UINT32_MAX: none; owned */
	uint32_t deepest; /* depth of the deepest segment */
};

void path_items_init(struct path_items *items);
void path_items_clear(struct path_items *items);

/* Make the items of PATH anew; costs time linear in its segments. */
void path_items_make(struct path_items *items, const struct ana_path *path);

/* How SEGMENT of PATH looks alone: enum ana_segment_kind or path_look. */
uint8_t path_items_look(const struct ana_path *path, const struct ana_segment *segment);

/* The index of the item that holds TIME; UINT32_MAX outside. */
uint32_t path_items_at(const struct path_items *items, int64_t time);

/* Open the folded ITEM, which may be one of ITEMS; what is folded within it stays so.  The items are to be
 * made anew. */
void path_items_open(struct path_items *items, const struct path_item *item);
/* Close FOLD. */
void path_items_close(struct path_items *items, path_fold fold);
/* Which folds are open, as a text, NULL: none; the caller frees.  And open those of PATH that TEXT says. */
char *path_items_opened_text(const struct path_items *items);
void path_items_set_opened(struct path_items *items, const struct ana_path *path, const char *text);
/* Close all; true when one was open. */
bool path_items_close_all(struct path_items *items);

#endif
