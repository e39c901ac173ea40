/* SPDX-License-Identifier: MIT */
/* The metadata of CTF 1.8 (TSDL), as LTTng and perf write it. The text is hostile: nesting, sizes and counts
 * are limited, and every error names its line. */
#ifndef TRC_TSDL_H
#define TRC_TSDL_H

#include "trace/meta/trc_meta.h"

/* Parse the bytes of a metadata file, packetized or plain text. NULL with BASE_ERROR_DATA ("metadata line 12:
 * …"), with BASE_ERROR_FOREIGN if it is intact but not CTF 1.8, or with BASE_ERROR_REFUSED if the described
 * types would be too large; then no other reader should be tried. */
struct trc_meta *trc_tsdl_parse(const void *data, size_t size, GError **error);

#endif
