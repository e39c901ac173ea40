/* SPDX-License-Identifier: MIT */
/* Internals of the virtual machines pane.  Only its files include this header. */
#ifndef MACHINES_H
#define MACHINES_H

#include "analysis/causes/machines.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/list_view.h"

enum machines_what {
	MACHINES_MACHINE,
	MACHINES_VCPU,
	MACHINES_STATE, /* time of a virtual CPU in one of its states, or asleep, or time lost by a guest */
	MACHINES_PART,  /* a part of that: an exit, a thread that had the CPU, a thread of the guest */
	MACHINES_MORE   /* parts that are not shown */
};

struct machines_line {
	enum machines_what what;
	const struct ana_machine_vcpu *vcpu; /* weak; for MACHINES_VCPU */
	/* its section, the unit of folding: all lines of a section have the same number */
	uint64_t section;
	enum mdl_state state; /* MACHINES_STATE: its state in the bar; MDL_ST_N: not in the bar */
	char *text;           /* owned */
	int64_t time, of;     /* ns; TIME is a part of OF; OF 0: no times */
	uint64_t count;       /* 0: not applicable */
	int64_t worst;        /* ns; 0: not applicable */
	uint32_t row;         /* the row to go to */
	int64_t at;           /* the time to go to, ns; BASE_TIME_NONE: stay */
	int64_t wait_end;     /* end of the wait of ROW to open, ns; BASE_TIME_NONE: none */
	uint32_t account;     /* the row whose account to open; MDL_NONE: none */
};

struct machines {
	struct ui_pane pane;
	struct asking ask;
	unsigned scope;   /* 1: the whole trace; 0: selection or window */
	int64_t from, to; /* the shown time range, ns */
	GArray *machines; /* of struct ana_machine, owned; NULL: nothing was asked */
	/* Progress: the machines before MACHINE are counted, and of MACHINE the virtual CPUs before VCPU.  If
	 * VCPU is after the last one, the time lost by the guest is next. */
	guint machine, vcpu;
	GArray *lines;       /* of struct machines_line, owned */
	GHashTable *toggled; /* set of uint64_t: sections opened or closed by the user; owned */
	bool all;            /* show all parts */
	struct list_view view;
	char *kept_toggled; /* TOGGLED as text, for a kept view; owned */
};

static inline const struct machines_line *machines_line(const struct machines *m, unsigned i)
{
	return &g_array_index(m->lines, struct machines_line, i);
}

/* ---- machines_lines.c ---- */

/* Remake the lines; the selected line stays selected if it still exists. */
void machines_lines_make(struct machines *m);
/* Toggle the section of the selected line: show all its parts or only the first; or fold the lines below
 * it. */
void machines_lines_toggle(struct machines *m);
/* The hook "title": "Virtual machines  12.0 ms in view  1 of 4 virtual CPUs counted". */
void machines_draw_title(struct ui_pane *pane, GString *title);
/* Draw the list and the details of the selected line; without lines, the reason why there are none. */
void machines_draw(struct machines *m, const struct term_area *area);

#endif
