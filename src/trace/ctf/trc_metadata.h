/* SPDX-License-Identifier: MIT */
/* The metadata of a recording in one or several folders, and the facts in it. */
#ifndef TRC_METADATA_H
#define TRC_METADATA_H

#include "trace/core/trc_info.h"
#include "trace/meta/trc_meta.h"

/* A cache of parsed metadata files: the chunks of a recording usually have identical ones, and a day may have
 * a thousand chunks. */
struct trc_metadata;

struct trc_metadata *trc_metadata_new(void);
/* From now on, clocks in metadata that M reads get the zero of LIKE (copied) if they have its UUID and
 * frequency. A tracer compares one clock with the time of day once for each of its traces, with different
 * results. */
void trc_metadata_set_clock(struct trc_metadata *m, const struct trc_clock *like);
/* Copy the only clock of the trace in FOLDER to *CLOCK; M owns its texts. False if the trace has no clock,
 * several clocks, or metadata that is not understood. */
bool trc_metadata_clock(struct trc_metadata *m, const char *folder, struct trc_clock *clock);
void trc_metadata_free(struct trc_metadata *m);

/* Get the metadata of FOLDER in *META, owned by M. If it is not understood, *META is NULL and *PROBLEM (owned
 * by M) says why. False with ERROR if the file cannot be read or its packets are incomplete. No other reader
 * gets such a file, because babeltrace2 2.0 hangs on it. */
bool trc_metadata_read(struct trc_metadata *m, const char *folder, const struct trc_meta **meta,
	const GError **problem, GError **error);

/* True if the metadata of FOLDER can be read and is CTF 2, whether it is understood or not. */
bool trc_metadata_is_ctf2(const char *folder);

/*
 * Return the metadata of FOLDER about the recording as a whole: its trace, env and clock blocks.  They
 * usually come before all events and are a small part of it; otherwise all of it is parsed.  Owned by M. NULL
 * if it is not understood, or, with an error, cannot be read.
 */
const struct trc_meta *trc_metadata_head(struct trc_metadata *m, const char *folder, GError **error);

/* Find the metadata, among those of FOLDERS (one recording of trc_find()), that describes all packets: *META
 * as in trc_metadata_read(), *OF is its folder. False like trc_metadata_read(), or with BASE_ERROR_DATA if
 * none describes all. */
bool trc_metadata_choose(struct trc_metadata *m, char *const *folders, const struct trc_meta **meta,
	const char **of, const GError **problem, GError **error);

/* ---- facts about the whole trace, from the metadata into struct trc_info ---- */

/* Set host, tracer, release, UUID and classes of INFO from T. */
void trc_learn(struct trc_info *info, const struct trc_meta *t);

/* A value of the trace's env: TEXT, or NUMBER if TEXT is NULL. */
struct trc_learn_value {
	const char *text; /* weak */
	int64_t number;
};

/* Get the value NAME of TRACE, whose type depends on the reader.  False if there is none. */
typedef bool (*trc_learn_value_of)(const void *trace, const char *name, struct trc_learn_value *value);

/* Set host, tracer and UUID (16 bytes; may be NULL) of INFO from the env of TRACE. */
void trc_learn_env(struct trc_info *info, const void *trace, trc_learn_value_of value_of,
	const uint8_t *uuid);

/* Return UUID as text, "" for NULL; the caller frees. */
char *trc_learn_uuid(const uint8_t *uuid);

#endif
