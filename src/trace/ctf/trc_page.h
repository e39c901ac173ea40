/* SPDX-License-Identifier: MIT */
/*
 * Events in the middle of a trace, with all their fields: one packet at a time, at a place that is known from
 * the index.  Read with the same plans as by the reader "ctf", so that the events of a packet are those that
 * it gives.
 */
#ifndef TRC_PAGE_H
#define TRC_PAGE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A trace whose packets can be read. */
struct trc_pages;

/*
 * The trace in FOLDERS (as trc_folders.h says); reads its metadata, no more.  NULL with BASE_ERROR_IO or
 * _DATA when that is not there or not understood.
 */
struct trc_pages *trc_pages_open(char *const *folders, GError **error);
void trc_pages_free(struct trc_pages *p);

struct trc_ctf_event;

/* One event of a page. */
struct trc_page_event {
	int64_t time;   /* ns, as the reader gives it: never before an earlier event of the stream */
	uint32_t cpu;   /* that it tells itself; UINT32_MAX: it does not */
	uint64_t start; /* bit of the packet at which it begins, with its header */
	uint64_t at;    /* where its contexts and fields begin; for trc_page_fields() */
	const struct trc_ctf_event *class; /* weak: of the trace */
};

/* The events of one packet.  Of the packet itself only places are kept, every TRC_PAGE_STEP events one, and
 * the events around one of them. */
struct trc_page {
	uint64_t n_events;
	int64_t first, last; /* times of the first and the last, when there are any */
};

#define TRC_PAGE_STEP 64
#define TRC_PAGE_MAX (INT64_C(1) << 30) /* a larger packet is not read as a whole */

/*
 * Read the packet of SIZE bytes at OFFSET of the stream file NAME.  LATEST is the time of the latest event of
 * the stream before it (INT64_MIN: none).  Damage ends the page early, as it ends the stream for the reader.
 * NULL with BASE_ERROR_IO when the file cannot be read, with BASE_ERROR_DATA when there is no such packet, it
 * is too large, or of a kind that is not known here.
 */
struct trc_page *trc_page_read(struct trc_pages *p, const char *name, uint64_t offset, uint64_t size,
	int64_t latest, GError **error);
void trc_page_free(struct trc_page *page);

/*
 * Event number I of PAGE, below its n_events: good until the next call for this page.  NULL with an error
 * when the file is not what it was.
 */
const struct trc_page_event *trc_page_event(struct trc_page *page, uint64_t i, GError **error);
/* The number of the first event of PAGE at or after TIME in *FOUND, n_events when there is none; false with
 * an error. */
bool trc_page_find(struct trc_page *page, int64_t time, uint64_t *found, GError **error);

/* The name of the class of EVENT; hostile, owned by the trace. */
const char *trc_page_name(const struct trc_page_event *event);

/* Does the metadata declare events called NAME? */
bool trc_pages_declare(const struct trc_pages *p, const char *name);

struct trc_taker;

/* Append the contexts and fields of event number I of PAGE to TO, and give each to TAKER, as
 * trc_text_event(); hostile.  False with an error. */
bool trc_page_fields(struct trc_pages *p, struct trc_page *page, uint64_t i, GString *to,
	const struct trc_taker *taker, GError **error);

#endif
