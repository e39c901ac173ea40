/* SPDX-License-Identifier: MIT */
/* Formats of events, from the kernel's events/SYSTEM/EVENT/format (kernel/trace/trace_events.c, f_show()). */
#ifndef TRC_FORMAT_H
#define TRC_FORMAT_H

#include "trace/core/trc_cut.h"
#include "trace/core/trc_paging.h"
#include "trace/core/trc_queue.h"
#include "trace/tracefs/trc_bytes.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

struct trc_format_states;

/* Parse FORMAT, the line "print fmt: …" of an event, for the meaning of prev_state.  Free with g_free().
 * NULL if it says nothing. */
struct trc_format_states *trc_format_states_new(const char *format);
/* Convert PREV_STATE to MDL_PREV_… (model/event/event.h). */
int64_t trc_format_states_read(const struct trc_format_states *s, uint64_t prev_state);

enum trc_format_shape {
	TRC_FORMAT_NUMBER,
	TRC_FORMAT_TEXT,
	TRC_FORMAT_ARRAY, /* of numbers */
	/* location of a text: 16 bits each for its length (high) and its offset in the record (low), in
	 * bytes */
	TRC_FORMAT_LOC_TEXT,
	TRC_FORMAT_LOC_ARRAY, /* location of an array of numbers */
};

struct trc_format_field {
	char *name; /* owned, hostile */
	uint32_t offset, size;
	enum trc_format_shape shape;
	uint8_t element; /* bytes of one number: 1, 2, 4 or 8 */
	bool is_signed, is_pointer;
	bool is_common;   /* every event has it */
	bool is_open;     /* it extends to the end of the record */
	bool is_relative; /* LOC: the offset counts from the end of the field */
};

struct trc_format_event {
	char *name;                       /* in the form "sched:sched_switch"; owned, hostile */
	GArray *fields;                   /* owned, of struct trc_format_field, common ones first */
	const GHashTable *texts;          /* weak: the texts to which its pointers point */
	struct trc_format_states *states; /* owned: of prev_state; NULL: the event has none */
};

struct trc_formats {
	GHashTable *events; /* owned: id → struct trc_format_event *, owned */
	GHashTable *names;  /* owned: of these events; set of char *, owned */
	/* Owned: kernel address → text there, owned; trace_printk() prints these. */
	GHashTable *texts;
	struct trc_budget *budget; /* weak: everything in it is charged to this */
};

/* Return formats without an event, whose cost is charged to BUDGET (weak). trc_formats_free() frees what they
 * own. */
struct trc_formats trc_formats_new(struct trc_budget *budget);
void trc_formats_free(struct trc_formats *formats);
/* True if an event of FORMATS is called NAME. */
bool trc_formats_declare(const struct trc_formats *formats, const char *name);
/* Add the event of SYSTEM that TEXT, LENGTH bytes, describes.  False if it is invalid or the budget is spent.
 */
bool trc_formats_add(struct trc_formats *formats, const char *system, const char *text, size_t length);
/* Add TEXT (copied) as the text at ADDRESS of the kernel, unless the budget is spent. */
void trc_formats_add_text(struct trc_formats *formats, uint64_t address, const char *text);
/* Return the field NAME of EVENT; NULL if it has none. */
const struct trc_format_field *trc_format_event_field(const struct trc_format_event *event, const char *name);

/*
 * The CPU on which a thread will run, from the scheduler's events.  A thread that is put on a CPU soon runs
 * there, and on an idle CPU a switch follows at once.  So a CPU that is named but has no events was not
 * recorded.
 *
 * Return the field of EVENT with that CPU; NULL if it has none.  WAKING: also accept sched_waking, although
 * the thread may still be moved (try_to_wake_up(), kernel/sched/core.c).
 */
const struct trc_format_field *trc_format_aim(const struct trc_format_event *event, bool waking);
/* Return the CPU in FIELD of RECORD, clamped to LIMIT; LIMIT also if RECORD is too short. */
uint32_t trc_format_aimed(const struct trc_format_field *field, const struct trc_bytes *record,
	uint32_t limit);

/* Formats of events as trace-cmd and perf store them in a file: trace-cmd.dat.v6(5); perf's tracing data is
 * its beginning (tools/perf/util/trace-event-info.c). */

/* Read "header_page", which gives the bytes of a kernel long (*LONG_SIZE is unchanged if it does not), and
 * "header_event". */
void trc_format_read_pages(struct trc_bytes *b, unsigned *long_size);
/* Read the number of events, then the events, and add them: of SYSTEM, or of all systems.  False if one is
 * invalid. */
bool trc_format_read_events(struct trc_formats *formats, struct trc_bytes *b, const char *system);
bool trc_format_read_systems(struct trc_formats *formats, struct trc_bytes *b);

/* ---- records of tracepoints as model events; which fields to read is determined once per event ---- */

struct trc_format_class;

/* Determine what the model needs from events of EVENT, which must outlive the result.  Free with
 * g_free(). */
struct trc_format_class *trc_format_class_new(const struct trc_format_event *event);
/* Fill in kind, label, arguments and texts of EVENT, which was just added to Q, from RECORD. */
void trc_format_class_read(const struct trc_format_class *c, struct trc_queue *q, struct mdl_event *event,
	const struct trc_bytes *record);

/* Return the thread on the CPU at RECORD: its common_pid, a TID; -1 if unknown. */
int64_t trc_format_class_tid(const struct trc_format_class *c, const struct trc_bytes *record);
/* Return MDL_TOLD_… of FLAGS, the common_flags of an event. */
uint8_t trc_format_told(uint64_t flags);
/* True if the events of C are part of the event before, in whose place they were written. The thread that is
 * `current` there need not be the thread to which that event switches. */
bool trc_format_class_is_part(const struct trc_format_class *c);
/* Return the kind of its events. */
enum mdl_kind trc_format_class_kind(const struct trc_format_class *c);
/* Return the number of the argument that is made from the field FIELD; MDL_ARGS if there is none. For readers
 * that know the value of FIELD from elsewhere than RECORD. */
unsigned trc_format_class_slot(const struct trc_format_class *c, const char *field);

/* Append the fields of RECORD, one of EVENT, to TO, and pass each to TAKER (may be NULL), as of
 * trc_paging_ops.fields. */
void trc_format_class_fields(const struct trc_format_event *event, const struct trc_bytes *record,
	GString *to, const struct trc_taker *taker);

/* As of trc_paging_ops.types, of EVENT. */
void trc_format_types(const struct trc_format_event *event, trc_paging_typed *typed, void *data);

/* Reads some fields of the records of many events; see trc_paging_ops.picker_new. */
struct trc_format_picker;
struct trc_format_picker *trc_format_picker_new(const char *const *names, unsigned n);
void trc_format_picker_free(void *picker);
/* True if the name of a field to pick begins with PREFIX. */
bool trc_format_picker_wants(const struct trc_format_picker *p, const char *prefix);
/* Put the fields of RECORD, one of EVENT, into VALUES; see trc_paging_ops.pick. */
bool trc_format_pick(struct trc_format_picker *p, const struct trc_format_event *event,
	const struct trc_bytes *record, struct trc_value *values);

/* Call SEEN with DATA for each text in RECORD, one of EVENT; it may change them. */
void trc_format_class_texts(const struct trc_format_event *event, const struct trc_bytes *record,
	trc_cut_seen *seen, void *data);

/* Append a call stack as the field NAME, which the event itself does not have, in the way of
 * trc_format_class_fields(): ADDRESSES, of SIZE bytes each. */
void trc_format_class_stack(const char *name, struct trc_bytes addresses, unsigned size, GString *to,
	const struct trc_taker *taker);

#endif
