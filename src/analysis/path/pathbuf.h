/* SPDX-License-Identifier: MIT */
/*
 * A path under construction, from its end to its beginning: private to the
 * walks in src/analysis.  It keeps the promises about order and cover whatever the walk does: a segment
 * is cut to what is not covered yet.
 */
#ifndef ANA_PATHBUF_H
#define ANA_PATHBUF_H

#include "analysis/path/path.h"

struct ana_pathbuf;

/* Life: new, add from late to early to PATH (weak, nothing in it yet), then finish if it is whole, free. */
struct ana_pathbuf *ana_pathbuf_new(struct qry *q, struct ana_path *path);
void ana_pathbuf_free(struct ana_pathbuf *buf);

/*
 * One that keeps nothing, and tells each segment of [FROM, TO) instead, from late to early, with SOURCE where
 * it is a part of the wait of segment->row that this ended; NULL else.  Segments have no actors then.  It
 * is not to be finished.
 */
typedef void (
	*ana_pathbuf_told)(void *data, const struct ana_segment *segment, const struct ana_source *source);
struct ana_pathbuf *ana_pathbuf_new_telling(struct qry *q, int64_t from, int64_t to, ana_pathbuf_told told,
	void *data);

/* The number of an actor, for segments.  NAME and LABEL are copied. */
uint32_t ana_pathbuf_thread(struct ana_pathbuf *buf, uint32_t row);
uint32_t ana_pathbuf_actor(struct ana_pathbuf *buf, enum ana_actor_type type, uint32_t host, const char *name,
	const char *label);

/* What ended a wait at the end of the segment that is added next. */
void ana_pathbuf_source(struct ana_pathbuf *buf, const struct ana_source *source);
/* The segments that are added next are further parts of the wait that SOURCE ended, of which others were
 * added before. */
void ana_pathbuf_source_again(struct ana_pathbuf *buf, const struct ana_source *source);

/* From the segment added next the path goes to the one added before: it left at AT and arrived at ARRIVAL. */
void ana_pathbuf_handover(struct ana_pathbuf *buf, int64_t at, int64_t arrival, enum ana_link_kind kind);

/* Add SEGMENT; its field source is not looked at. */
void ana_pathbuf_segment(struct ana_pathbuf *buf, struct ana_segment segment);

/* Put the path in time order, with its summary. */
void ana_pathbuf_finish(struct ana_pathbuf *buf);

#endif
