/* SPDX-License-Identifier: MIT */
/*
 * The manifest of a watch: the text file watch.txt in its folder.  It begins with the line "wakepath watch 1".
 * Each other line is a word and fields "NAME=VALUE", separated by tabs; lines are only appended, each by one
 * write.  A last line without its end is what a killed program or a full disk left, and counts for nothing.
 *
 *   start    wall time host kernel    a watch began
 *   hit      n wall time trigger value limit tid comm cpu cases [file whole]
 *   typical  n wall time trigger value tid comm cpu file whole    beside the hit of the same number
 *   gone     file                the recording was removed: there are worse ones
 *   seen     trigger from to time over lost classes      what was measured from … to …
 *   said     wall time text      it recorded less for a while, or lost something, and why
 *   level    wall time name      "all", "cpu", "triggers", "paused": what it records from now on
 *   end      wall time
 *
 * Times are ns: wall and from … to since the Epoch, by the clock of that moment; time by the clock of the
 * recording.  Names and texts have no control characters.
 */
#ifndef WATCH_MANIFEST_H
#define WATCH_MANIFEST_H

#include "watch/watch_seen.h"

#define WATCH_MANIFEST "watch.txt"
#define WATCH_MANIFEST_HEAD "wakepath watch 1\n"

/* A hit, or a typical case that was kept beside it.  Times and values in ns. */
struct watch_hit {
	uint64_t number; /* from 1 */
	bool typical;
	int64_t wall, time;   /* when it ended: since the Epoch, and by the clock of the recording */
	int64_t value, limit; /* LIMIT: 0 for a typical one */
	int tid;              /* 0: unknown */
	unsigned cpu;
	uint64_t
		cases; /* latencies of this trigger over the limit at about the same time, the worst is this one */
	unsigned trigger; /* number in TRIGGERS */
	const char *name; /* of the thread; owned by the manifest; "": unknown */
	char *file;       /* in the folder; owned; NULL: it was not kept, or is gone */
	bool whole;       /* the recording begins before the latency does */
};

/* A part of a watch, by trigger. */
struct watch_hour {
	int64_t from, to; /* wall */
	unsigned trigger;
	uint64_t over; /* latencies over the limit */
};

struct watch_trigger {
	char *text; /* "wakeup > 5ms"; owned */
	char *kind; /* "wakeup"; owned */
	uint64_t over, hits, lost;
	struct watch_seen *seen; /* owned */
};

/* A text with its time. */
struct watch_note {
	int64_t wall;
	const char *text; /* owned by the manifest */
};

struct watch_manifest {
	char *folder;              /* owned */
	GStringChunk *texts;       /* owned */
	GArray *hits;              /* of struct watch_hit, in the order of the file */
	GPtrArray *triggers;       /* of struct watch_trigger */
	GArray *hours;             /* of struct watch_hour, in the order of the file */
	GArray *notes;             /* of struct watch_note */
	const char *host, *kernel; /* of the last start; "" unknown */
	int64_t since;             /* wall: of the first start; 0: none */
	int64_t watched, paused;   /* ns: while it measured; while it paused to keep its budget */
	uint64_t starts, last;     /* number of starts; the largest number of a hit */
};

/* Read the manifest in FOLDER, which may be hostile.  NULL with BASE_ERROR_DATA, or BASE_ERROR_IO.  The caller
 * frees. */
struct watch_manifest *watch_manifest_read(const char *folder, GError **error);
void watch_manifest_free(struct watch_manifest *m);
/* Return the number of the trigger TEXT, which is added if it is new. */
unsigned watch_manifest_trigger(struct watch_manifest *m, const char *text);
const struct watch_trigger *watch_manifest_trigger_at(const struct watch_manifest *m, unsigned i);
/* Return the path of the recording of H; the caller frees.  NULL: it has none. */
char *watch_manifest_path(const struct watch_manifest *m, const struct watch_hit *h);
/* If PATH is a recording that a watch kept in its folder, set *HIT and return the manifest, for the caller to free; else
 * NULL. */
struct watch_manifest *watch_manifest_of(const char *path, const struct watch_hit **hit);
/* True if NAME is one that recordings of a watch have. */
bool watch_manifest_is_recording(const char *name);
/* Append the hit H, which is kept if it has a FILE, as a line. */
void watch_manifest_tell(GString *out, const struct watch_hit *h, const char *trigger);

#endif
