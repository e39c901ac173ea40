/* SPDX-License-Identifier: MIT */
/* The files of a trace's folders. */
#ifndef TRC_FILES_H
#define TRC_FILES_H

#include <glib.h>
#include <stdint.h>

struct trc_file {
	/* owned: path within the folder that contains all folders of the trace (trc_folders_root()) … */
	char *name;
	const char *own;        /* … and within its own folder; points into NAME */
	unsigned folder;        /* index of its folder */
	int64_t size;           /* bytes */
	uint64_t device, inode; /* both stay when the file, or a folder above it, is renamed */
	int64_t mtime;          /* ns since the Epoch */
	/* Last change to anything about it, ns since the Epoch: not even its owner can set it back. */
	int64_t ctime;
};

/* Return the stream files in FOLDERS (see trc_folders.h): their regular files except "metadata" and hidden
 * ones, sorted by name.  The result is an array of struct trc_file *; the caller unrefs.  NULL with
 * BASE_ERROR_IO if a folder or one of the files cannot be read. */
GPtrArray *trc_files_list(char *const *folders, GError **error);

/* Like trc_files_list(), for the single file PATH. */
GPtrArray *trc_files_one(const char *path, GError **error);

/* The file PATH, mapped; the caller unrefs.  NULL with BASE_ERROR_IO. */
GMappedFile *trc_files_map(const char *path, GError **error);

/* The bytes of DIRECTORY/metadata; the caller unrefs.  NULL with an error that names the file. */
GBytes *trc_files_metadata(const char *directory, GError **error);

#endif
