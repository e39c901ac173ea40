/* SPDX-License-Identifier: MIT */
/* Critical paths of many intervals, folded into one tree of steps.  A step is an actor, the actor it works
 * for, and what it did or waited for.  Threads with one name on one host are one actor; iterations of a loop
 * are one step.  Paths are matched by these steps alone, never by time. */
#ifndef ANA_FOLD_H
#define ANA_FOLD_H

#include "analysis/path/path.h"

/* An actor on behalf of ABOVE.  No actor occurs twice on the way up. */
struct ana_fold_actor {
	uint32_t above; /* index of the actor it works for; MDL_NONE: it is the interval's own thread */
	enum ana_actor_type type;
	const char *host; /* NULL if each recording has one host; "*": see OWN_HOST */
	const char *name; /* as in ana_group_name(); "IRQ eth0", without number; "" unknown */
};

struct ana_fold_step {
	uint32_t actor;
	enum ana_segment_kind kind;
	const char *what; /* SYSCALL: the call; else NULL */
	/* Identifies the place in the structure of paths: equal for all steps at one place. */
	uint32_t place;
};

/* A place: a thread on behalf of others with everything that delays it (interrupts, preemption, the way of a
 * packet to it), or something that it waits for: a disk, a timer, a host that was not recorded. */
struct ana_fold_place {
	uint32_t actor;
	enum ana_segment_kind kind; /* ANA_SEG_RUNNING: the thread itself */
};

/* All steps, actors and places.  Owns them and their texts.  Several threads may use it, each with a folder
 * of its own. */
struct ana_fold {
	GMutex lock;
	GArray *actors, *steps, *places; /* of the structs above; hold LOCK while there are folders */
	GHashTable *ids;                 /* key of any of them → index; private */
	GStringChunk *texts;
	bool several; /* hosts have names */
	/* If SEVERAL: the host of the interval's own thread is called "*", so that equal steps of two hosts
	 * are one. */
	bool own_host;
};

/* Make a tree without steps. SEVERAL: hosts have names. The caller frees it after all its folders. */
struct ana_fold *ana_fold_new(bool several);
void ana_fold_free(struct ana_fold *fold);

/* Folds paths of Q into a tree (both weak), for one thread of wakepath. The caller frees it. */
struct ana_folder;
struct ana_folder *ana_folder_new(struct ana_fold *fold, const struct qry *q);
void ana_folder_free(struct ana_folder *folder);
/* Set STEPS (room for all segments) to the step of each segment of PATH. */
void ana_folder_steps(struct ana_folder *folder, const struct ana_path *path, uint32_t *steps);
/* The step for unknown time of thread ROW. */
uint32_t ana_folder_unknown(struct ana_folder *folder, uint32_t row);

/* The actor as text: "httpd/wk-server", "vda".  The caller frees. */
char *ana_fold_actor_text(const struct ana_fold *fold, uint32_t actor);
/* "running", "syscall fsync".  The caller frees. */
char *ana_fold_doing(const struct ana_fold_step *step);
/* A step as one line, from the outermost actor: "client/wk-client > httpd/wk-server running".  The caller
 * frees. */
char *ana_fold_step_text(const struct ana_fold *fold, uint32_t step);

#endif
