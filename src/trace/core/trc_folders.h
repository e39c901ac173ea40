/* SPDX-License-Identifier: MIT */
/* The folders of one recording, their files, and a fingerprint of those. */
#ifndef TRC_FOLDERS_H
#define TRC_FOLDERS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A recording has usually one folder, and several if the tracer wrote it in chunks (lttng rotate, lttng
 * snapshot record).  They are passed as a NULL-terminated, sorted array of canonical paths. */

struct XXH3_state_s; /* of xxhash.h */
struct trc_input;

/*
 * A recording and its format. trc_find() (trc_reader.h) determines both once; everything after it gets this
 * struct and does not look at the files again for that.
 */
struct trc_recording {
	const struct trc_input *input; /* its format, of trc_inputs.c; set by trc_find() */
	char **folders;                /* owned, as said above */
	/* owned: traces of user programs, recorded in the same session by the same clock
	 * (trc_source_ops.beside); each a folder of its own; NULL: none */
	char **beside;
	/* owned: why FOLDERS are not joined with others that seem to be of the same recording; NULL: there
	 * are no such others */
	char *apart;
};

/* Make a recording of FOLDERS (copied).  Takes APART (may be NULL). */
struct trc_recording *trc_folders_recording(char *const *folders, char *apart);
/* The caller calls trc_folders_recording_free(). */
struct trc_recording *trc_folders_recording_copy(const struct trc_recording *recording);
/* RECORDING may be NULL. */
void trc_folders_recording_free(gpointer recording);

/* trc_input_ops.join for a format in which each of FILES (of char *) is a recording of its own. */
GPtrArray *trc_folders_each(const GPtrArray *files, GError **error);

/*
 * A file may hold several recordings, its parts (trc_input_ops.parts). The folder of a part is FILE/PART, a
 * path at which no file system has anything. Return the name of the part, in PATH; NULL: PATH is none.
 */
const char *trc_folders_part(const char *path);
/* Return the file of the part PATH, else PATH; the caller frees. */
char *trc_folders_file(const char *path);
/* Return PATH, which may be that of a part, without links; the caller frees.  NULL with errno. */
char *trc_folders_canonical(const char *path);

/* Return the folder that contains all FOLDERS, or the only one itself; the caller frees. */
char *trc_folders_root(char *const *folders);

/* ---- the files of a trace's folders ---- */

struct trc_file {
	/* owned: path within the folder that contains all folders of the trace (trc_folders_root()) … */
	char *name;
	const char *own;        /* … and within its own folder; points into NAME */
	unsigned folder;        /* index of its folder */
	int64_t size;           /* bytes */
	uint64_t device, inode; /* do not change if the file, or a folder above it, is renamed */
	int64_t mtime;          /* ns since the Epoch */
	/* Last change to anything about it, ns since the Epoch: not even its owner can set it back. */
	int64_t ctime;
};

/* Return the stream files in FOLDERS (see trc_folders.h): their regular files except "metadata" and hidden
 * ones, sorted by name.  The result is an array of struct trc_file *; the caller unrefs.  NULL with
 * BASE_ERROR_IO if a folder or one of the files cannot be read. */
GPtrArray *trc_files_list(char *const *folders, GError **error);

/* The file PATH, mapped; the caller unrefs.  NULL with BASE_ERROR_IO. */
GMappedFile *trc_files_map(const char *path, GError **error);

/* The bytes of DIRECTORY/metadata; the caller unrefs.  NULL with an error that names the file. */
GBytes *trc_files_metadata(const char *directory, GError **error);

/* ---- fingerprints of files, see trc_fingerprint() ---- */

/* Return the fingerprint, 32 hex digits, of the files that LIST returns (an array of struct trc_file *, which
 * trc_stamp() unrefs; NULL with an error) and of everything that MORE (may be NULL) adds to STATE (false with
 * an error).  Both get DATA.  The caller frees; NULL with an error. */
char *trc_stamp(GPtrArray *(*list)(void *data, GError **error),
	bool (*more)(void *data, struct XXH3_state_s *state, GError **error), void *data, GError **error);
/* Return the fingerprint of the single file FILES[0], or of a part of it. */
char *trc_stamp_file(char *const *files, GError **error);

#endif
