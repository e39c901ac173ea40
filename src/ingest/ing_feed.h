/* SPDX-License-Identifier: MIT */
/* From a trace to a model, and from the model to an index: the steps of every read of a whole trace. */
#ifndef ING_FEED_H
#define ING_FEED_H

#include "ingest/ing_post.h"
#include "model/machine.h"
#include "trace/core/trc_budget.h"
#include "trace/trc_reader.h"

/* ---- the thread that runs on each CPU when its events begin ---- */

/* Called now and then with the part that is done (0..1) and the number of events read.  Returns true to stop
 * the build. */
typedef bool (*ing_build_watch)(void *data, double share, uint64_t events);

/* Find the thread that runs on each CPU at its first event: the first switch of the CPU names it as prev.
 * Read RECORDING with READER (as trc_reader_open()) as far as needed. Returns an array of struct mdl_event
 * with their own texts, for ing_first_free(): an MDL_EV_FIRST for each CPU whose thread is known, by time. If
 * the switches do not fit together, only those of some threads were recorded; then an MDL_EV_FIRST without a
 * thread comes first. If WATCH (with DATA; may be NULL) stops it, returns what is known so far. NULL with an
 * error if the trace cannot be read. */
GArray *ing_first_find(const struct trc_recording *recording, const char *reader, ing_build_watch watch,
	void *data, GError **error);
/* True if FIRSTS lacks the thread that E, number BEFORE of the trace (trc_reader_read()), shows: the trace
 * was still growing, and E was written after ing_first_find() had read. */
bool ing_first_lacks(const GArray *firsts, const struct mdl_event *e, uint64_t before);
/* FIRSTS may be NULL. */
void ing_first_free(GArray *firsts);

/* ---- CPUs without recorded events ---- */

/* Absent CPUs: they have no stream, but events of other CPUs name them.  Initialise with
 * ing_absent_init(). */
struct ing_absent {
	GHashTable *streams; /* owned: set of CPUs with streams; NULL: do not search for absent ones */
	uint64_t low;        /* bits of those of the first 64 CPUs that have a stream */
	GArray *cpus;        /* owned, of uint32_t: absent CPUs that ran */
	GArray *named;       /* owned, of uint32_t: absent CPUs that may have been off-line */
	guint n_known;       /* so many of CPUS were known before the first event, … */
	bool knows_names;    /* … and at least one of NAMED */
	bool moves;          /* migrations are recorded */
	/* the last sched_waking, by CPU BY, of thread TID, which was on the absent CPU; TID -1: none is
	 * pending */
	struct {
		int64_t tid;
		uint32_t by, cpu;
	} waking;
};

/* Initialise A for READER. KNOWN: the absent CPUs as an earlier reading of the whole trace found them; NULL:
 * there was none, so search for them. */
void ing_absent_init(struct ing_absent *a, const struct trc_reader *reader, const struct ing_absent *known);
/* Return the CPUs that A has found so far, as KNOWN for ing_absent_init(); free with ing_absent_clear(). */
struct ing_absent ing_absent_found(const struct ing_absent *a);
/* Return the CPUs without a stream in READER that the index of META has as absent, as KNOWN for
 * ing_absent_init(); free with ing_absent_clear(). */
struct ing_absent ing_absent_told(const struct trc_reader *reader, const struct idx_meta *meta);
void ing_absent_clear(struct ing_absent *a);
/* Look at E, the next event. Return the CPU that E shows to be absent; MDL_NONE: no new one. */
uint32_t ing_absent_see(struct ing_absent *a, const struct mdl_event *e);
/* True if something was found that should have been known before the first event: all must be read again. */
bool ing_absent_is_late(const struct ing_absent *a);

/* ---- events → model ---- */

/* The model, fed event by event. */
struct ing_feed {
	/* of the reader; while the reader reads ahead, use only members that no longer change */
	const struct trc_info *info;
	struct mdl_machine *machine; /* owned */
	const GArray *firsts;        /* of struct mdl_event, by time */
	guint first;                 /* the next of FIRSTS */
	int64_t from, to;            /* ns; BASE_TIME_NONE until the first event */
	struct ing_absent absent;
	GArray *lost;             /* owned, of struct mdl_event: gaps that are open before the first event */
	GArray *renames;          /* owned, of struct mdl_event: names of threads before the first event */
	uint64_t events;          /* read so far */
	struct trc_budget budget; /* what the model may still cost; no limit if the trace grows */
	uint64_t memory;          /* mdl_machine_memory() that BUDGET has paid, bytes */
	uint64_t gone_over;       /* mdl_machine_gone_over() that BUDGET has paid */
};

/* Callbacks for further work; all get the caller's data. */
struct ing_feed_hooks {
	void (*time)(void *data, int64_t time); /* for every TRC_EVENT_STEPth event; may be NULL */
	void (*batch)(void *data, struct trc_ahead *ahead); /* after each batch and at the end; may be NULL */
	/* at intervals and at the end: true with an error to stop */
	bool (*stop)(void *data, GError **error);
};

/* Make a new machine for READER that calls SINK with DATA.  FIRSTS (weak) is the result of
 * ing_first_find(), ABSENT as for ing_absent_init(). */
void ing_feed_init(struct ing_feed *f, const struct trc_reader *reader, const GArray *firsts,
	const struct ing_absent *absent, const struct mdl_sink *sink, void *data);
void ing_feed_clear(struct ing_feed *f);
/* Read all of READER.  False with the error of the reader or of hooks->stop().  Does not finish the model. */
bool ing_feed_all(struct ing_feed *f, struct trc_reader *reader, const struct ing_feed_hooks *hooks,
	void *data, GError **error);
/* Feed only the next N EVENTS.  Leaves out those beyond the budget. */
void ing_feed_events(struct ing_feed *f, const struct mdl_event *events, int n,
	const struct ing_feed_hooks *hooks, void *data);
/* Tell the model that there are no more events. */
void ing_feed_end(struct ing_feed *f);
/* Return the part of the trace that is read, 0..1. */
double ing_feed_share(const struct ing_feed *f);
/* True if all of RECORDING was read, and its fingerprint is still FINGERPRINT, as before it was opened. False
 * with an error. */
bool ing_feed_is_whole(const struct ing_feed *f, const struct trc_recording *recording,
	const char *fingerprint, GError **error);

/* ---- model → index ---- */

/* An unfinished index: a model that writes its results into it. */
struct ing_make {
	struct ing_feed feed;
	struct mdl_sink sink; /* of the model */
	struct ing_post_files files;
	struct ing_post *post;   /* owned: writes FILES in another thread; NULL: none does */
	GArray *holes;           /* owned, of struct idx_gap; their CPU has no meaning */
	uint64_t received, bare; /* packets received; of these, those whose headers do not identify them */
	gint64 started;          /* µs, monotonic */
};

/* Begin the index FILE of the trace in READER and, with SPANS, the bare file of spans beside it, if that can
 * be written.  FIRSTS (weak) is the result of ing_first_find(), ABSENT as for ing_absent_init().  M must not
 * move.  False with BASE_ERROR_IO. */
bool ing_make_begin(struct ing_make *m, const struct trc_reader *reader, const GArray *firsts,
	const struct ing_absent *absent, const char *file, bool spans, GError **error);
/* For ing_feed_hooks.time; DATA is a struct ing_make. */
void ing_make_time(void *data, int64_t time);
/* Add N packets that were read, in order within each stream. */
void ing_make_packets(struct ing_make *m, const struct trc_packet_seen *packets, unsigned n);
/* True if there was an event.  False with BASE_ERROR_DATA. */
bool ing_make_has_events(const struct ing_make *m, GError **error);
/* The trace, with FINGERPRINT, ends here: finish the model and publish the index, then the spans. */
bool ing_make_finish(struct ing_make *m, const struct trc_reader *reader, const char *fingerprint,
	GError **error);
/* Removes the index unless ing_make_finish() published it. */
void ing_make_clear(struct ing_make *m);

/* Read all of READER and write the index FILE of RECORDING, with its spans if the disk has room for them.
 * FINGERPRINT: that of RECORDING before READER was opened. FIRSTS: the result of ing_first_find().
 * READER_NAME: as of trc_reader_open(). HELPED: there is a processor for a thread that only writes. False
 * with BASE_ERROR_CANCELLED if WATCH (called with DATA) stops it, BASE_ERROR_DATA if there is no event or the
 * trace has another fingerprint at its end, BASE_ERROR_IO if FILE cannot be written; FILE is then
 * unchanged. */
bool ing_build(struct trc_reader *reader, const struct trc_recording *recording, const char *fingerprint,
	const GArray *firsts, const char *reader_name, const char *file, bool helped, ing_build_watch watch,
	void *data, GError **error);

#endif
