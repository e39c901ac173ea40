/* SPDX-License-Identifier: MIT */
/*
 * Clocks as text: the JSON that `wakepath sync --format json` prints, that the file of packets keeps, and
 * that `--sync FILE` takes.  All of a struct sync_hosts is in it, exactly, so that what is read is what was
 * written.
 */
#ifndef SYNC_FILE_H
#define SYNC_FILE_H

#include "sync/sync_hosts.h"

/*
 * Append HOSTS, which are called NAMES, as text.  NAMESAKES (NULL: none; entries may be NULL) are other hosts
 * that they may be too, which is for people only.
 */
void sync_file_write(GString *out, const struct sync_hosts *hosts, const char *const *names,
	const char *const *namesakes);

/*
 * The clocks of N hosts, which are called NAMES and whose traces last SPANS, from SIZE bytes at TEXT, which
 * anybody may have edited: of a line FROM, SEEN and ORIGIN may be missing, of a host all but its name, and
 * LINES where SLOPE and OFFSET_NS tell the only one.  A host that is not there stands apart.  What errors
 * there are is measured anew from the bounds.  NULL with BASE_ERROR_DATA that names host and key.  The caller
 * has the one reference.
 */
struct sync_hosts *sync_file_read(const char *text, size_t size, const char *const *names,
	const struct sync_span *spans, unsigned n, GError **error);

#endif
