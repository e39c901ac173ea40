/* SPDX-License-Identifier: MIT */
/* The folder of a watch: its manifest and the recordings that are worth keeping (watch/watch_manifest.h). */
#ifndef REC_KEEP_H
#define REC_KEEP_H

#include "watch/watch_manifest.h"

struct rec_keep;

/*
 * Open FOLDER (made if it does not exist) and continue what an earlier watch kept there.  Recordings that the
 * manifest does not name are removed: a killed watch left them.  KEEP: largest number of hits of each
 * trigger; DISK: largest size of all recordings, bytes.  NULL with BASE_ERROR_USAGE if another watch uses the
 * folder or other users can write in it, BASE_ERROR_IO or BASE_ERROR_DATA.
 */
struct rec_keep *rec_keep_new(const char *folder, unsigned keep, uint64_t disk, GError **error);
/* Make FOLDER if it does not exist.  False with BASE_ERROR_IO, or with BASE_ERROR_USAGE if other users can
 * write in it. */
bool rec_keep_make(const char *folder, GError **error);
void rec_keep_free(struct rec_keep *k);
/* Return the manifest: the hits that this watch and earlier ones kept.  Owned by K. */
struct watch_manifest *rec_keep_manifest(const struct rec_keep *k);
/* Append a line: WORD, then FIELDS ("\tNAME=VALUE…", without control characters in values).  A line that
 * cannot be written stays in memory and is written before the next one.  False with BASE_ERROR_IO. */
bool rec_keep_line(struct rec_keep *k, const char *word, const char *fields, GError **error);
/* Append the line of the hit H, and add H to the manifest in memory, which takes H->file.  False with
 * BASE_ERROR_IO, like rec_keep_line(). */
bool rec_keep_hit(struct rec_keep *k, const struct watch_hit *h, GError **error);
/* True if a hit of VALUE (ns) is among the worst of trigger number TRIGGER, so that it is worth keeping. */
bool rec_keep_wants(const struct rec_keep *k, unsigned trigger, int64_t value);
/* Make room for a recording of SIZE bytes: remove the shortest hit of the trigger that has most recordings,
 * then look again.  False, with nothing removed, if a hit of TRIGGER at least as long as VALUE (ns) would
 * have to go, or SIZE is larger than the limit.  VALUE 0: nothing is removed. */
bool rec_keep_room(struct rec_keep *k, uint64_t size, unsigned trigger, int64_t value);
/* Remove the recordings that are not among the worst. */
void rec_keep_prune(struct rec_keep *k);
/* Return the path of a new recording of the hit NUMBER; the caller frees. */
char *rec_keep_path(const struct rec_keep *k, uint64_t number, bool typical);

#endif
