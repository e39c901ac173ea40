/* SPDX-License-Identifier: MIT */
/* The folder of a watch: its manifest and the recordings that are worth keeping (watch/watch_manifest.h). */
#ifndef REC_KEEP_H
#define REC_KEEP_H

#include "watch/watch_manifest.h"

struct rec_keep;

/*
 * Open FOLDER, which is made if it does not exist, and go on with what an earlier watch kept there: recordings that
 * its manifest does not name are removed, as a killed watch left them.  KEEP: hits of each trigger; DISK: bytes of all
 * recordings.  BASE_ERROR_USAGE if another watch uses the folder, or other users can write in it; BASE_ERROR_IO,
 * BASE_ERROR_DATA.
 */
struct rec_keep *rec_keep_new(const char *folder, unsigned keep, uint64_t disk, GError **error);
/* Make FOLDER if it does not exist.  False with BASE_ERROR_IO, or with BASE_ERROR_USAGE if other users can write in it. */
bool rec_keep_make(const char *folder, GError **error);
void rec_keep_free(struct rec_keep *k);
/* The hits that this watch and earlier ones kept.  Owned by K. */
struct watch_manifest *rec_keep_manifest(const struct rec_keep *k);
/* Append a line: WORD, then ("\tNAME=VALUE…") FIELDS, which are clean.  A line that cannot be written is kept in
 * memory and written before the next one.  False with BASE_ERROR_IO. */
bool rec_keep_line(struct rec_keep *k, const char *word, const char *fields, GError **error);
/* Append a hit of TRIGGER (a text), which H has by number too, and add it to the manifest in memory; takes H->file.  As
 * rec_keep_line(). */
bool rec_keep_hit(struct rec_keep *k, const struct watch_hit *h, GError **error);
/* True if a hit of VALUE is among the worst of TRIGGER, so that its recording is worth keeping. */
bool rec_keep_wants(const struct rec_keep *k, unsigned trigger, int64_t value);
/* Make room for a recording of SIZE bytes: recordings of lesser hits go, of the trigger that has most of them first.
 * False, and nothing is removed, if a hit of TRIGGER as long as VALUE had to go.  VALUE 0: nothing is removed. */
bool rec_keep_room(struct rec_keep *k, uint64_t size, unsigned trigger, int64_t value);
/* Remove the recordings that are not, or no longer, among the worst. */
void rec_keep_prune(struct rec_keep *k);
/* Return the path of a new recording of the hit NUMBER; the caller frees. */
char *rec_keep_path(const struct rec_keep *k, uint64_t number, bool typical);

#endif
