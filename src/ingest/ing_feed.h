/* SPDX-License-Identifier: MIT */
/* Feeds a trace, event by event, into a model: steps that all callers share which read a whole trace. */
#ifndef ING_FEED_H
#define ING_FEED_H

#include "model/mdl_machine.h"
#include "trace/core/trc_budget.h"
#include "trace/trc_ahead.h"

struct ing_feed {
	/* of the reader; while the reader reads ahead, use only members that no longer change */
	const struct trc_info *info;
	struct mdl_machine *machine; /* owned */
	const GArray *firsts;        /* of struct mdl_event, by time */
	guint first;                 /* the next of them */
	int64_t from, to;            /* BASE_TIME_NONE until the first event */
	GArray *lost;             /* owned, of struct mdl_event: gaps that are open before the first event */
	uint64_t events;          /* read so far */
	struct trc_budget budget; /* what the model may still cost; no limit if the trace grows … */
	uint64_t memory;          /* … memory that was already counted (mdl_machine_memory()) … */
	uint64_t gone_over;       /* … and threads (mdl_machine_gone_over()) */
};

/* Callbacks for further work; all get the caller's data. */
struct ing_feed_hooks {
	void (*time)(void *data, int64_t time); /* for every TRC_EVENT_STEPth event; may be NULL */
	void (*batch)(void *data, struct trc_ahead *ahead); /* after each batch and at the end; may be NULL */
	/* now and then and at the end: true with an error to stop */
	bool (*stop)(void *data, GError **error);
};

/* Make a new machine for READER that calls SINK with DATA.  FIRSTS (weak) is the result of
 * ing_first_find(). */
void ing_feed_init(struct ing_feed *f, const struct trc_reader *reader, const GArray *firsts,
	const struct mdl_sink *sink, void *data);
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

#endif
