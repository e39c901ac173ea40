/* SPDX-License-Identifier: MIT */
/* The formats of events, as the kernel's events/SYSTEM/EVENT/format tells them (kernel/trace/trace_events.c,
 * f_show()). */
#ifndef TRC_FORMAT_H
#define TRC_FORMAT_H

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

#endif
