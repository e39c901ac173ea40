/* SPDX-License-Identifier: MIT */
/* The inside of the pane of virtual machines, shared by its files; no other pane includes it. */
#ifndef MACHINES_H
#define MACHINES_H

#include "analysis/causes/machines.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/asking.h"
#include "ui/widget/list_view.h"

enum machines_what {
	MACHINES_MACHINE,
	MACHINES_VCPU,
	MACHINES_STATE, /* how long a virtual CPU was in one of its states, or asleep, or what a guest lost */
	MACHINES_PART,  /* a part of that: an exit, who had the CPU, a thread of the guest */
	MACHINES_MORE   /* parts that are not shown */
};

struct machines_line {
	enum machines_what what;
	const struct ana_machine_vcpu *vcpu; /* weak; of MACHINES_VCPU */
	uint64_t section;     /* what FOLD opens or closes: lines of one section have the same number */
	enum mdl_state state; /* of MACHINES_STATE: how it looks in the bar; MDL_ST_N: it is not in that */
	char *text;           /* owned */
	int64_t time, of;     /* ns, and what it is a part of; OF 0: no times */
	uint64_t count;       /* 0: does not apply */
	int64_t worst;        /* ns; 0: does not apply */
	uint32_t row;         /* where it leads */
	int64_t at;           /* BASE_TIME_NONE: wherever one is */
	int64_t wait_end;     /* the wait of ROW to open there; BASE_TIME_NONE none */
	uint32_t account;     /* whose account it leads to; MDL_NONE none */
};

struct machines {
	struct ui_pane pane;
	struct asking ask;
	bool whole;          /* of the whole trace, not of selection or window */
	int64_t from, to;    /* what is shown is of this time */
	GArray *machines;    /* of struct ana_machine, owned; NULL: nothing asked */
	guint machine, vcpu; /* counted so far: those before it; of it the virtual CPUs before this one, and
				beyond the last one what its guest lost */
	GArray *lines;       /* of struct machines_line, owned */
	GHashTable *toggled; /* sections that were opened or closed: uint64_t, owned */
	bool all;            /* all parts are shown */
	struct list_view view;
	char *kept_toggled; /* toggled as a text, while it is kept; owned */
};

static inline const struct machines_line *machines_line(const struct machines *m, unsigned i)
{
	return &g_array_index(m->lines, struct machines_line, i);
}

/* ---- machines_lines.c ---- */

/* Make the lines anew; the selected one stays so, as far as it is there. */
void machines_lines_make(struct machines *m);
/* Show all parts of the section with the selected line or only the first; or fold what it heads. */
void machines_lines_toggle(struct machines *m);
/* ns that virtual CPU V was there in the window, at least 1. */
int64_t machines_life(const struct ana_machine_vcpu *v);

/* ---- machines_draw.c ---- */

/* Of the hook "title": "Virtual machines  12.0 ms in view  1 of 4 virtual CPUs counted". */
void machines_draw_title(struct ui_pane *pane, GString *title);
void machines_draw(struct machines *m, const struct term_area *area);

#endif
