/* SPDX-License-Identifier: MIT */
/* The formats of events, as the kernel's events/SYSTEM/EVENT/format tells them (kernel/trace/trace_events.c,
 * f_show()). */
#ifndef TRC_FORMAT_H
#define TRC_FORMAT_H

#include "trace/tracefs/trc_bytes.h"
#include "trace/tracefs/trc_format_states.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

enum trc_format_shape {
	TRC_FORMAT_NUMBER,
	TRC_FORMAT_TEXT,
	TRC_FORMAT_ARRAY,     /* of numbers */
	TRC_FORMAT_LOC_TEXT,  /* where a text is: its offset in the record and its length, 16 bits each */
	TRC_FORMAT_LOC_ARRAY, /* the same of numbers */
};

struct trc_format_field {
	char *name; /* owned, hostile */
	uint32_t offset, size;
	enum trc_format_shape shape;
	uint8_t element; /* bytes of a number: 1, 2, 4 or 8 */
	bool is_signed, is_pointer;
	bool is_common;   /* all events have it */
	bool is_open;     /* it goes up to the end of the record */
	bool is_relative; /* LOC: the offset counts from behind the field */
};

struct trc_format_event {
	char *name;                       /* as perf calls it: "sched:sched_switch"; owned, hostile */
	GArray *fields;                   /* owned, of struct trc_format_field, the common ones first */
	const GHashTable *texts;          /* weak: what its pointers point to */
	struct trc_format_states *states; /* owned: of prev_state; NULL: it has none */
};

struct trc_formats {
	GHashTable *events; /* owned: id → struct trc_format_event *, owned */
	/* Owned: address in the kernel → text that it holds, owned: what trace_printk() prints. */
	GHashTable *texts;
};

struct trc_formats trc_formats_new(void);
void trc_formats_free(struct trc_formats *formats);
/* Add what TEXT, LENGTH bytes, says of an event of SYSTEM; false: it makes no sense. */
bool trc_formats_add(struct trc_formats *formats, const char *system, const char *text, size_t length);
/* TEXT (copied) is at ADDRESS of the kernel. */
void trc_formats_add_text(struct trc_formats *formats, uint64_t address, const char *text);
/* The field of EVENT called NAME; NULL: it has none. */
const struct trc_format_field *trc_format_event_field(const struct trc_format_event *event, const char *name);

/*
 * Which CPU a thread is to run on, as the scheduler's events tell: who is put there runs soon, and where that
 * CPU was idle, a switch follows at once.  So a CPU that is named and has no events is one that is not
 * recorded.
 *
 * The field of EVENT that tells that CPU; NULL: none does.  WAKING: that of sched_waking is taken for it,
 * though the thread may still be moved (try_to_wake_up(), kernel/sched/core.c).
 */
const struct trc_format_field *trc_format_aim(const struct trc_format_event *event, bool waking);
/* The CPU that FIELD of RECORD tells, LIMIT at most; LIMIT where RECORD is too short, too. */
uint32_t trc_format_aimed(const struct trc_format_field *field, const struct trc_bytes *record,
	uint32_t limit);

/*
 * How trace-cmd and perf keep the formats of events in a file: trace-cmd.dat.v6(5), of which perf's tracing
 * data is the beginning (tools/perf/util/trace-event-info.c).
 */

/* Read "header_page", which tells how many bytes the kernel's long has (*LONG_SIZE stays as it is where it
 * does not), and "header_event". */
void trc_format_read_pages(struct trc_bytes *b, unsigned *long_size);
/* Add the events of SYSTEM, or of all systems, behind their number.  False: one makes no sense. */
bool trc_format_read_events(struct trc_formats *formats, struct trc_bytes *b, const char *system);
bool trc_format_read_systems(struct trc_formats *formats, struct trc_bytes *b);

#endif
