/* SPDX-License-Identifier: MIT */
/*
 * The walk that finds the critical path, and the path under construction, from its end to its beginning.
 * Private to src/analysis.
 *
 * Segments never overlap and leave no hole, whatever the walk does: each is cut to the time that is not
 * covered yet.
 */
#ifndef ANA_WALK_H
#define ANA_WALK_H

#include "analysis/path/path.h"
#include "base/base_progress.h"

struct ana_pathbuf;

/* Call new; add segments from late to early to PATH (weak, empty at first); finish it if the path is
 * complete; free. */
struct ana_pathbuf *ana_pathbuf_new(struct qry *q, struct ana_path *path);
void ana_pathbuf_free(struct ana_pathbuf *buf);
/* Begin another path in the same memory, for the window that the path of BUF has now. Keeps the actors, up to
 * some thousands. */
void ana_pathbuf_again(struct ana_pathbuf *buf);

/* Like ana_pathbuf_new(), but stores nothing: it passes each segment of [FROM, TO) to TOLD, from late to
 * early.  SOURCE ended the wait of segment->row that the segment is a part of; NULL: the segment is no part
 * of such a wait. Segments have no actors.  Do not call ana_pathbuf_finish(). */
typedef void (
	*ana_pathbuf_told)(void *data, const struct ana_segment *segment, const struct ana_source *source);
struct ana_pathbuf *ana_pathbuf_new_telling(struct qry *q, int64_t from, int64_t to, ana_pathbuf_told told,
	void *data);

/* The number of an actor, for segments.  Copies NAME and LABEL. */
uint32_t ana_pathbuf_thread(struct ana_pathbuf *buf, uint32_t row);
uint32_t ana_pathbuf_actor(struct ana_pathbuf *buf, enum ana_actor_type type, uint32_t host, const char *name,
	const char *label);

/* Set SOURCE as what ended a wait. The next segment added is the end of that wait; if AGAIN, the next
 * segments are further parts of a wait whose end was added before. */
void ana_pathbuf_source(struct ana_pathbuf *buf, const struct ana_source *source, bool again);

/* The path goes from the next segment added to the one added before.  It left at AT and arrived at
 * ARRIVAL. */
void ana_pathbuf_handover(struct ana_pathbuf *buf, int64_t at, int64_t arrival, enum ana_link_kind kind);

/* Add SEGMENT.  Its member source is ignored. */
void ana_pathbuf_segment(struct ana_pathbuf *buf, struct ana_segment segment);

/* Sort the path by time, no more. */
void ana_pathbuf_turn(struct ana_pathbuf *buf);
/* Sort the path by time, number its actors and sources, and add its summary. */
void ana_pathbuf_finish(struct ana_pathbuf *buf);

/* ---- the walk ---- */

/* Follow thread ROW from TO back to FROM, within its life or across its birth, and add all segments to BUF.
 * False if PROGRESS (may be NULL) was cancelled; then BUF is incomplete. */
bool ana_walk(struct qry *q, struct ana_pathbuf *buf, uint32_t row, int64_t from, int64_t to,
	struct base_progress *progress);

/* Follow only the wait of thread ROW that WAKEUP ended (the begin of the wait is known), from its end back to
 * FROM, which is not before the wait. */
void ana_walk_one_wait(struct qry *q, struct ana_pathbuf *buf, uint32_t row, const struct mdl_wakeup *wakeup,
	int64_t from);

#endif
