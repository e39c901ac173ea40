/* SPDX-License-Identifier: MIT */
/*
 * Critical paths of many intervals, folded into one tree of steps: who it was, on behalf of whom, and what it
 * did or waited for.  Threads of one host and name are one, so are the turns of a loop; paths are matched by
 * these steps alone, never by time.
 */
#ifndef ANA_FOLD_H
#define ANA_FOLD_H

#include "analysis/path/path.h"

/* Who it was, on behalf of ABOVE.  An actor is no twice on the way up. */
struct ana_fold_actor {
	uint32_t above; /* index of whom it was for; MDL_NONE: of whose interval it is */
	enum ana_actor_type type;
	const char *host; /* NULL where all recordings are of one host each; "*": see below */
	const char *name; /* as ana_group_name() has it; "IRQ eth0", without number; "" unknown */
};

struct ana_fold_step {
	uint32_t actor;
	enum ana_segment_kind kind;
	const char *what; /* of SYSCALL the call; else NULL */
	/* What tells one structure of paths from another: steps that are one place of it have the same. */
	uint32_t place;
};

/*
 * A place: a thread on behalf of others with all that delays it (interrupts, pre-emptions, the way of a
 * packet to it), or something that it waits for: a disk, a timer, a host that was not recorded.
 */
struct ana_fold_place {
	uint32_t actor;
	enum ana_segment_kind kind; /* ANA_SEG_RUNNING: the thread itself */
};

/* All of them; owned, and so are their texts.  May be used by several threads, through their own folders. */
struct ana_fold {
	GMutex lock;
	GArray *actors, *steps, *places; /* of the structs above; with LOCK while there are folders */
	GHashTable *ids;                 /* key of any of them → index; private */
	GStringChunk *texts;
	bool several; /* hosts are named */
	/* Then the host of the thread of whose interval it is, is "*", so that the same step of two of them
	 * is one. */
	bool own_host;
};

struct ana_fold *ana_fold_new(bool several);
void ana_fold_free(struct ana_fold *fold);

/* What one thread, which asks Q, folds by. */
struct ana_folder;
struct ana_folder *ana_folder_new(struct ana_fold *fold, const struct qry *q);
void ana_folder_free(struct ana_folder *folder);
/* The step of each segment of PATH, into STEPS (room for all of them). */
void ana_folder_steps(struct ana_folder *folder, const struct ana_path *path, uint32_t *steps);
/* The step of what is not known of thread ROW. */
uint32_t ana_folder_unknown(struct ana_folder *folder, uint32_t row);

/* "httpd/wk-server", "vda"; without its host where that is the one of ABOVE and SHORT is wanted.  The caller
 * frees. */
char *ana_fold_actor_text(const struct ana_fold *fold, uint32_t actor);
/* "running", "syscall fsync".  The caller frees. */
char *ana_fold_doing(const struct ana_fold_step *step);
/* All of a step as one line: "client/wk-client > httpd/wk-server running", from the outermost.  The caller
 * frees. */
char *ana_fold_step_text(const struct ana_fold *fold, uint32_t step);

#endif
