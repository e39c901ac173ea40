/* SPDX-License-Identifier: MIT */
/* The metadata of CTF 2 (CTF2-SPEC-2.0), as LTTng 2.15 and babeltrace2 2.1 write it: a sequence of JSON
 * objects, the fragments (RFC 7464). The text is hostile: nesting, sizes and counts are limited, and every
 * error names the fragment and its line. */
#ifndef TRC_CTF2_H
#define TRC_CTF2_H

#include "trace/meta/trc_meta.h"

/* True if TEXT, the text of a metadata file (trc_meta_text()), is JSON and not TSDL. */
bool trc_ctf2_is(const GString *text);

/* Parse the bytes of a metadata file, packetized or plain text. NULL with BASE_ERROR_DATA ("metadata fragment
 * 3, line 12: …"), with BASE_ERROR_FOREIGN if it is intact but of another version or uses an extension, or
 * with BASE_ERROR_REFUSED if the described types would be too large; then no other reader should be tried. */
struct trc_meta *trc_ctf2_parse(const void *data, size_t size, GError **error);

#endif
