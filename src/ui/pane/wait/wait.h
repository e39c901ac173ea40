/* SPDX-License-Identifier: MIT */
/* Internals of the pane that explains a wait.  Only its files include this header. */
#ifndef WAIT_H
#define WAIT_H

#include "analysis/cpu/cpuwait.h"
#include "analysis/wait/why.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/list_pane.h"

enum wait_line_kind {
	WAIT_HOP,
	WAIT_EVENT,   /* an event of the hop above it */
	WAIT_REASON,  /* why the hop is not proved */
	WAIT_MISSING, /* the event that would have proved the hop */
	WAIT_WOKEN,   /* the thread that waited */
};

struct wait_line {
	enum wait_line_kind kind;
	unsigned hop;
	unsigned event; /* WAIT_EVENT: index into the evidence */
};

struct wait {
	struct ui_pane pane;
	struct ana_why *why;     /* owned; NULL: see CPU */
	struct ana_cpuwait *cpu; /* a wait for a CPU; owned; NULL: see PROBLEM */
	/* DRILLING: another wait is being opened from one of the turns.  DRILLED: one was opened; "back"
	 * returns from it. */
	bool drilling, drilled;
	bool sums;        /* a wait for a CPU: show sums per thread on the CPU, not turns */
	char *problem;    /* reason why there is no wait; owned, NULL: none */
	uint32_t own_row; /* the wait stays while row and cursor (ns) are those that this pane set */
	int64_t own_cursor;
	/* For each event of the evidence its fields, "" if unknown; owned, NULL: not read yet, or see
	 * NO_FIELDS. */
	char **fields;
	/* "in memcg reclaim": where in the kernel the thread waited (ana_blocked_text()); owned; NULL:
	 * unknown, or not read yet */
	char *within;
	GError *no_fields; /* reason why there are no fields; owned */
	bool *open;        /* owned: for each hop, true if its events are listed */
	GArray *lines;     /* owned, of struct wait_line */
	bool fresh;        /* not drawn yet: the first draw opens hops if there is room */
	struct list list;  /* the turns or the parts of CPU; its view is also that of LINES */
	uint32_t kept_row; /* a kept view: the row of the wait, its end in ns, the open hops (owned) */
	int64_t kept_end;
	char *kept_open;
};

static inline const struct ana_why_hop *wait_hop(const struct wait *w, unsigned i)
{
	return &g_array_index(w->why->hops, struct ana_why_hop, i);
}

/* The doubts about hop I other than "unknown". */
static inline mdl_doubts wait_doubts(const struct wait *w, unsigned i)
{
	return wait_hop(w, i)->doubts & ~MDL_DOUBT(UNKNOWN);
}

static inline const struct ana_evidence *wait_event(const struct wait *w, unsigned i)
{
	return &g_array_index(w->why->evidence, struct ana_evidence, i);
}

static inline const struct wait_line *wait_line(const struct wait *w, unsigned i)
{
	return &g_array_index(w->lines, struct wait_line, i);
}

/* ---- wait_lines.c: the lines of the list ---- */

/* Open all hops if their events fit into ROOM lines; otherwise none. */
void wait_lines_start(struct wait *w, unsigned room);
/* Open or close the hop of the selected line. */
void wait_lines_toggle(struct wait *w);
/* _open_text(): the open hops as a text, NULL: none; the caller frees.  _set_open(): open the hops in
 * TEXT. */
char *wait_lines_open_text(const struct wait *w);
void wait_lines_set_open(struct wait *w, const char *text);
/* Open all hops; if all are open, close them. */
void wait_lines_toggle_all(struct wait *w);

/* The maximum lines of AREA for a long text. */
static inline unsigned wait_lines_most(const struct term_area *area)
{
	return area->h < 9 ? 1 : MAX(area->h / 4, 2);
}

/* Draw TEXT from column X on, on at most LINES lines; the first one has only ROOM columns.  Returns the
 * number of lines. */
unsigned wait_lines_words(const struct term_area *area, unsigned x, unsigned room, unsigned lines,
	const char *text);

/* ---- wait_lines.c: the fields of the events ---- */

/* Read the fields of all events of the evidence, and where in the kernel the thread waited. */
void wait_fields_ask(struct wait *w);
/* Forget what wait_fields_ask() read, and cancel reading. */
void wait_fields_drop(struct wait *w);
/* The fields of event number EVENT of the evidence; NULL: none, or not yet. */
const char *wait_fields_of(const struct wait *w, unsigned event);

/* ---- wait_cpu.c: a wait for a CPU ---- */

extern const struct list_kind wait_cpu_kind;
/* List the turns of the wait, or the parts of the sum. */
void wait_cpu_lines(struct wait *w);
/* "wk-victim[546] was preempted for 3.66 ms until +0.276 s". */
void wait_cpu_title(const struct wait *w, GString *title);
/* Draw the headline of a wait for a CPU, and the list. */
void wait_cpu_draw(struct wait *w, const struct term_area *area);
/*
 * *ROW and *TIME (ns) become those of the selected line.  If no thread was on the CPU, *ROW is the CPU's row;
 * MDL_NONE if there is none.  *WOKEN (may be NULL) becomes the time of the wake-up that ended the thread's
 * wait before this turn; MDL_NEVER if it did not wait, or the line is a sum.
 */
void wait_cpu_where(const struct wait *w, uint32_t *row, int64_t *time, int64_t *woken);

/* ---- wait_draw.c ---- */

/* The hook "title": "wk-ioburst[957] waited 3.24 ms in read until +0.276 s". */
void wait_draw_title(struct ui_pane *pane, GString *title);
/* Draw the headline and the lines; the selected one is scrolled into view. */
void wait_draw(struct wait *w, const struct term_area *area);

#endif
