/* SPDX-License-Identifier: MIT */
/*
 * The manifest of a watch: the text file watch.txt in its folder.  The first line is "wakepath watch 1".
 * Each other line is a word and fields "NAME=VALUE", separated by tabs.  Lines are only appended, each by one
 * write.  A killed program or a full disk can leave a last line without its end; readers ignore it.
 *
 *   start    wall time host kernel    a watch began
 *   hit      n wall time trigger value limit tid comm cpu cases [file whole]
 *   typical  n wall time trigger value tid comm cpu file whole    a typical case for the hit of this number
 *   gone     file                the recording was removed, for example for a worse one
 *   seen     trigger from to time over lost classes      the distribution of all latencies in from … to
 *   said     wall time text      a message to the user, such as why less is recorded
 *   level    wall time name      "all", "cpu", "triggers" or "paused": the events recorded from now on
 *   end      wall time
 *
 * Times are ns: wall, from and to since the Epoch, by the wall clock at that moment; time by the clock of the
 * recording (CLOCK_MONOTONIC).  Names and texts have no control characters.
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
	int64_t wall, time;   /* its end: since the Epoch, and by the clock of the recording */
	int64_t value, limit; /* the latency; its limit, 0 for a typical case */
	int tid;              /* 0: unknown */
	unsigned cpu;
	uint64_t
		cases; /* latencies of this trigger above its limit at about this time; this one is longest */
	unsigned trigger; /* number in TRIGGERS */
	const char *name; /* of the thread; owned by the manifest; "": unknown */
	char *file;       /* name in the folder; owned; NULL: not kept, or removed */
	bool whole;       /* the recording begins before the latency */
};

/* A line "seen". */
struct watch_hour {
	int64_t from, to; /* ns since the Epoch */
	unsigned trigger;
	uint64_t over; /* latencies over the limit */
};

struct watch_trigger {
	char *text; /* "wakeup > 5ms"; owned */
	char *kind; /* "wakeup"; owned */
	uint64_t over, hits, lost;
	struct watch_seen *seen; /* owned */
};

/* A line "said". */
struct watch_note {
	int64_t wall;     /* ns since the Epoch */
	const char *text; /* owned by the manifest */
};

struct watch_manifest {
	char *folder;              /* owned */
	GStringChunk *texts;       /* owned */
	GArray *hits;              /* of struct watch_hit, in the order of the file */
	GPtrArray *triggers;       /* of struct watch_trigger */
	GArray *hours;             /* of struct watch_hour, in the order of the file */
	GArray *notes;             /* of struct watch_note */
	const char *host, *kernel; /* of the last start; "": unknown */
	int64_t since;             /* ns since the Epoch: the first start; 0: none */
	int64_t watched, paused;   /* ns: time of measuring; time of pauses to keep the budget */
	uint64_t starts, last;     /* number of starts; largest number of a hit */
};

/* Read the manifest in FOLDER, which may be hostile.  NULL with BASE_ERROR_DATA or BASE_ERROR_IO. */
struct watch_manifest *watch_manifest_read(const char *folder, GError **error);
void watch_manifest_free(struct watch_manifest *m);
/* Return the number of the trigger TEXT, which is added if it is new. */
unsigned watch_manifest_trigger(struct watch_manifest *m, const char *text);
/* Return trigger number I, owned by M. */
const struct watch_trigger *watch_manifest_trigger_at(const struct watch_manifest *m, unsigned i);
/* Return the manifest of the watch that kept the recording PATH, for the caller to free; NULL if none did.
 * *HIT becomes the longest hit of PATH, owned by the manifest. */
struct watch_manifest *watch_manifest_of(const char *path, const struct watch_hit **hit);
/* True if NAME is a name for recordings of a watch. */
bool watch_manifest_is_recording(const char *name);
/* Append the line of the hit H with the text TRIGGER of its trigger. */
void watch_manifest_tell(GString *out, const struct watch_hit *h, const char *trigger);

#endif
