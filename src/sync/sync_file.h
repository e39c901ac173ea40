/* SPDX-License-Identifier: MIT */
/*
 * Clocks as text: the JSON that `wakepath sync --format json` prints, that the file of packets keeps, and
 * that `--sync FILE` reads.  It has all of a struct sync_hosts, exactly, so reading gives back what was
 * written.
 */
#ifndef SYNC_FILE_H
#define SYNC_FILE_H

#include "sync/sync_hosts.h"

/* Append HOSTS as text.  NAMES are the names of the hosts.  NAMESAKES, for people only, says which other
 * hosts each may be (NULL: none; entries may be NULL). */
void sync_file_write(GString *out, const struct sync_hosts *hosts, const char *const *names,
	const char *const *namesakes);

/*
 * Read the clocks of N hosts from SIZE bytes at TEXT, which people may have edited.  NAMES are the names of
 * the hosts, SPANS the spans of their traces.  Optional are: in a line FROM, SEEN and ORIGIN; in a host
 * everything except its name; and LINES, if SLOPE and OFFSET_NS give the only one.  A host that is missing
 * stands apart.  Errors are measured again from the bounds.  The caller has the only reference.  NULL with
 * BASE_ERROR_DATA that names host and key.
 */
struct sync_hosts *sync_file_read(const char *text, size_t size, const char *const *names,
	const struct sync_span *spans, unsigned n, GError **error);

#endif
