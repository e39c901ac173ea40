/* SPDX-License-Identifier: MIT */
/* How trace-cmd and perf keep the formats of events in a file: trace-cmd.dat.v6(5), of which perf's tracing
 * data is the beginning (tools/perf/util/trace-event-info.c). */
#ifndef TRC_FORMAT_READ_H
#define TRC_FORMAT_READ_H

#include "trace/tracefs/trc_bytes.h"
#include "trace/tracefs/trc_format.h"

/* Read "header_page", which tells how many bytes the kernel's long has (*LONG_SIZE stays as it is where it
 * does not), and "header_event". */
void trc_format_read_pages(struct trc_bytes *b, unsigned *long_size);
/* Add the events of SYSTEM, or of all systems, behind their number.  False: one makes no sense. */
bool trc_format_read_events(struct trc_formats *formats, struct trc_bytes *b, const char *system);
bool trc_format_read_systems(struct trc_formats *formats, struct trc_bytes *b);

#endif
