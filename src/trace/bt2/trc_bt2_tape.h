/* SPDX-License-Identifier: MIT */
/*
 * Any event, with all its fields, of streams that only babeltrace2 can read.  It reads a stream from its
 * start only, so an event is reached by winding: on from where the stream is, or back to its start and on.
 * The events passed last are kept, so that steps both ways are quick.  The events are those of the reader
 * "babeltrace2".
 */
#ifndef TRC_BT2_TAPE_H
#define TRC_BT2_TAPE_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct trc_bt2_tape;
struct trc_taker;

#define TRC_BT2_TAPE_KEPT 4096 /* events of each stream: a few MB */

/*
 * The trace in FOLDERS (as trc_folders.h says): with ALL every stream of it, as the reader "babeltrace2"
 * opens it, else those that the reader "ctf" leaves to others.  NULL with BASE_ERROR_IO or _DATA.
 */
struct trc_bt2_tape *trc_bt2_tape_open(char *const *folders, bool all, GError **error);
void trc_bt2_tape_free(struct trc_bt2_tape *t);

/* The time, as the reader gives it, and the name (hostile, owned by the tape) of event NUMBER (0, 1, …) of
 * the stream NAME; false with BASE_ERROR_DATA when there is none. */
bool trc_bt2_tape_event(struct trc_bt2_tape *t, const char *name, uint64_t number, int64_t *time,
	const char **class, GError **error);

/* The number of the first event of the stream NAME at or after TIME, among those of [FROM, TO), in *FOUND: TO
 * when there is none.  False with an error. */
bool trc_bt2_tape_find(struct trc_bt2_tape *t, const char *name, uint64_t from, uint64_t to, int64_t time,
	uint64_t *found, GError **error);

/* Append contexts and fields of event NUMBER of the stream NAME to TO, and give each to TAKER, as
 * trc_text_event(); hostile.  False with an error. */
bool trc_bt2_tape_fields(struct trc_bt2_tape *t, const char *name, uint64_t number, GString *to,
	const struct trc_taker *taker, GError **error);

/* How often a stream was read from its start so far. */
uint64_t trc_bt2_tape_rewound(const struct trc_bt2_tape *t);

#endif
