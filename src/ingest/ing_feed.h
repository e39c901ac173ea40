/* SPDX-License-Identifier: MIT */
/* A trace, event by event, into a model: what all who read one to its end do alike. */
#ifndef ING_FEED_H
#define ING_FEED_H

#include "model/mdl_machine.h"
#include "trace/trc_ahead.h"

struct ing_feed {
	const struct trc_info *info; /* the reader's; while it is read ahead, only what does not change */
	struct mdl_machine *machine; /* owned */
	const GArray *firsts;        /* of struct mdl_event, by time */
	guint first;                 /* the next of them */
	int64_t from, to;            /* BASE_TIME_NONE until the first event */
	GArray *lost;    /* owned, of struct mdl_event: gaps that are open before the first event */
	uint64_t events; /* read so far */
};

/* What is done besides, with the caller's data. */
struct ing_feed_hooks {
	void (*time)(void *data, int64_t time);             /* of every TRC_EVENT_STEPth event; may be NULL */
	void (*batch)(void *data, struct trc_ahead *ahead); /* behind each, and at the end; may be NULL */
	bool (*stop)(void *data, GError **error); /* now and then, and at the end: true with an error */
};

/* A new machine for READER that tells SINK, with DATA; FIRSTS (weak) as ing_first_find() has them. */
void ing_feed_init(struct ing_feed *f, const struct trc_reader *reader, const GArray *firsts,
	const struct mdl_sink *sink, void *data);
void ing_feed_clear(struct ing_feed *f);
/* Read all of READER; false with the error of the reader or of hooks->stop().  The model is not finished. */
bool ing_feed_all(struct ing_feed *f, struct trc_reader *reader, const struct ing_feed_hooks *hooks,
	void *data, GError **error);
/* The same of the next N EVENTS alone. */
void ing_feed_events(struct ing_feed *f, const struct mdl_event *events, int n,
	const struct ing_feed_hooks *hooks, void *data);
/* No more events come. */
void ing_feed_end(struct ing_feed *f);
/* How far that is, 0..1. */
double ing_feed_share(const struct ing_feed *f);
/* Is the trace in FOLDERS still the one that had FINGERPRINT before it was opened?  False with an error. */
bool ing_feed_is_unchanged(const struct ing_feed *f, char *const *folders, const char *fingerprint,
	GError **error);

#endif
