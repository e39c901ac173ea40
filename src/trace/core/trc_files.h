/* SPDX-License-Identifier: MIT */
/* The files of a trace folder. */
#ifndef TRC_FILES_H
#define TRC_FILES_H

#include <glib.h>
#include <stdint.h>

struct trc_file {
	char *name; /* owned: within the folder that holds all folders of the trace (trc_folders_root()) … */
	const char *own;        /* … and within its own folder: a part of NAME */
	unsigned folder;        /* which of them that is */
	int64_t size;           /* bytes */
	uint64_t device, inode; /* which stay when it, or a folder that it is in, gets another name */
	int64_t mtime;          /* ns since the Epoch */
	/* The same, of the last change to anything about it: not even its owner can set this one back. */
	int64_t ctime;
};

/*
 * The stream files in FOLDERS (as trc_folders.h says): their regular files but "metadata" and hidden
 * ones, sorted by name.  The caller unrefs the array of struct trc_file *.
 * NULL with BASE_ERROR_IO when a folder, or one of the files, cannot be read.
 */
GPtrArray *trc_files_list(char *const *folders, GError **error);

/* The one file PATH, in the same way. */
GPtrArray *trc_files_one(const char *path, GError **error);

/* The bytes of DIRECTORY/metadata; the caller unrefs.  NULL with an error that names the file. */
GBytes *trc_files_metadata(const char *directory, GError **error);

/* Read up to SIZE bytes at OFFSET of FD, fewer at the end of the file or where it cannot be read.  Returns
 * how many. */
size_t trc_files_read(int fd, void *to, size_t size, uint64_t offset);

#endif
