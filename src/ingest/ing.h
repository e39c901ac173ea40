/* SPDX-License-Identifier: MIT */
/* Trace → model → index: builds every index that is missing or stale, and leaves the others alone. */
#ifndef ING_H
#define ING_H

#include "base/base_progress.h"
#include "model/span/span.h"
#include "trace/core/trc_folders.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct idx_meta;
struct idx_reader;

struct ing_options {
	const char *index_dir; /* NULL: $WAKEPATH_INDEX_DIR, else $XDG_CACHE_HOME/wakepath, else
				  ~/.cache/wakepath */
	bool force;            /* build even if a fresh index exists */
	/* if no folder is named and the cache cannot be written, build in a private folder that is removed
	 * when the program ends */
	bool or_private;
	/* build with this reader, and rebuild indexes that another reader built; NULL: the first reader that
	 * understands the trace */
	const char *reader;
	unsigned jobs; /* traces built at once; 0: two more than processors */
	bool look;     /* build nothing: only find out what would be built */
	bool opens;    /* keep fresh indexes open, for the caller */
};

/* Result for one trace. */
struct ing_result {
	struct trc_recording *recording; /* the trace */
	char *trace;                     /* the folder that all of it is in */
	/* why other chunks that seem to be of this recording are not joined with it; NULL: there are none */
	char *apart;
	char *index;       /* file; NULL if the trace was left out */
	char *fingerprint; /* of the trace, taken before it was read */
	/* why the trace is left out of the experiment (a user-space trace beside others, a trace within a
	 * named folder that cannot be read); NULL if it is not */
	char *left_out;
	bool replaced; /* an index existed but could not be used; REASON says why */
	/* Why the index was built in a private folder; NULL if it was not.  Identical for all traces built
	 * there. */
	char *unkept;
	/* why the index was built, or would be ("no index yet", "the trace changed", …); NULL if it was
	 * fresh */
	char *reason;
	struct idx_reader *reader; /* owned: the index, with OPENS and if it was fresh; else NULL */
};

/* Make sure that all traces at or below each of PATHS (NULL-terminated, at least one) have a fresh index;
 * chunks of one recording have one together. A user-space trace is left out if there are others; so is a
 * trace that cannot be read, unless it was itself named. Returns the GPtrArray of struct ing_result, in the
 * order of PATHS, for the caller to unref; NULL with an error. If PROGRESS is cancelled:
 * BASE_ERROR_CANCELLED, and nothing half-built is left. */
GPtrArray *ing_prepare(char *const *paths, const struct ing_options *options, struct base_progress *progress,
	GError **error);

/* ---- paths of indexes ---- */

/* Return the folder of indexes: INDEX_DIR if not NULL, else as cli.md says.  Does not create it.  The caller
 * frees. */
char *ing_place_folder(const char *index_dir);

/* Return the path of the index in FOLDER for the trace in FOLDERS (see trc_folders.h): a readable part and a
 * hash of paths and user.  The caller frees. */
char *ing_place_file(const char *folder, char *const *folders);

/* Create FOLDER for its owner only.  False with BASE_ERROR_IO, or with BASE_ERROR_DATA if a symbolic link on
 * the way belongs to another user. */
bool ing_place_make(const char *folder, GError **error);

/* ---- a trace that is followed while it is written ---- */

/* Its index grows, and the part that exists can be opened at any time.  The process must have no other thread
 * that may hold a lock: see ing_follow.c. */
struct ing_follow;

/* Progress of the index. */
struct ing_follow_view {
	const struct trc_recording *recording; /* the trace as far as it is read; weak; NULL: not found yet */
	const char *index; /* what can be opened, with FINGERPRINT; NULL: nothing yet; weak, as is the next */
	const char *fingerprint;
	const char *waits_for; /* the stream that all others wait for; NULL: none; weak */
	/* why nothing can be read yet, or why the trace was read again; NULL: neither; weak */
	const char *note;
	uint64_t events;  /* in INDEX */
	unsigned times;   /* how often an index that can be opened was made */
	double share;     /* 0..1: part of the written trace that is read */
	bool more;        /* true if the trace has more data than was read */
	int64_t from, to; /* ns: interval that INDEX covers; BASE_TIME_NONE: no index yet */
	/* ns from TO to now, if no event was lost on the way: data that waits to be read, and data that is
	 * not written yet */
	int64_t behind;
	int64_t idle; /* ns since the trace last grew */
};

/* Follow the only recording at or below PATHS (NULL-terminated).  WHOLE: the recording is complete, only its
 * index grows.  NULL with an error if no recording can be there. */
struct ing_follow *ing_follow_new(char *const *paths, bool whole, const struct ing_options *options,
	GError **error);
/* Removes the index unless ing_follow_close() finished it. */
void ing_follow_free(struct ing_follow *f);

#define ING_FOLLOW_RARER (-1) /* 0.1 s, 0.2 s, 0.4 s, … after the begin of reading */

/* Look for new data, read the events that are certain, and if there are new ones make an index that can be
 * opened, at most once per EVERY ns (or ING_FOLLOW_RARER). Returns as soon as there is a new index, even if
 * there is more to read, and when a signal asks the program to stop. False with BASE_ERROR_IO if the index
 * cannot be written, or with the error of the reader if the trace will never be readable. Data that cannot be
 * read yet is no error: NOTE says why. */
bool ing_follow_step(struct ing_follow *f, int64_t every, GError **error);
/* Return the progress.  Its pointers are valid until the next ing_follow_step(). */
struct ing_follow_view ing_follow_view(const struct ing_follow *f);

/* The recording has ended: read the rest and leave the index as a build would make it now.  The caller frees
 * *INDEX and *FINGERPRINT.  False with BASE_ERROR_DATA if the trace is still written or has no event. */
bool ing_follow_close(struct ing_follow *f, char **index, char **fingerprint, GError **error);

/* ---- the file of a trace's spans, made on first use ---- */

/* Read RECORDING again, with the reader that META, the facts of its index, names, and write its spans to FILE
 * (index/spans/spans.h). TRACER: for each of the ROWS rows of the index, true if it is a thread of the
 * tracer. FOUND (may be NULL) gets each span, with DATA, when it is found. False with BASE_ERROR_DATA if the
 * fingerprint of RECORDING is not that of META; BASE_ERROR_IO if FILE cannot be written; BASE_ERROR_CANCELLED
 * if PROGRESS (may be NULL) was cancelled. After a failure no file is left. */
bool ing_spans_make(const struct trc_recording *recording, const struct idx_meta *meta, const char *file,
	const bool *tracer, uint32_t rows, mdl_span_visit *found, void *data, struct base_progress *progress,
	GError **error);

#endif
