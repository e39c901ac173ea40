/* SPDX-License-Identifier: MIT */
/* The meaning of each sign on the screen, and what to do about it: the table of the legend and of
 * docs/cells.md. */
#ifndef MEANING_H
#define MEANING_H

#include <stdbool.h>

#define MEANING_TEXT_MAX 50 /* columns of a text, so that it fits beside sign and name on 80 columns */

enum meaning_of {
	MEANING_HEADING, /* SIGN */
	MEANING_STATE,   /* NR: enum mdl_state */
	MEANING_WAIT,    /* NR: enum ana_segment_kind or path_look, on the critical path */
	MEANING_GRADE,   /* NR: enum mdl_grade */
	MEANING_SIGN,    /* SIGN */
};

/* All texts are static. */
struct meaning {
	enum meaning_of of;
	unsigned nr;
	const char *sign; /* HEADING: the text; SIGN: the characters; else NULL */
	const char *text; /* its meaning; HEADING: the text if states are letters, NULL: SIGN */
	const char *
		todo; /* what to do about it: a command (":why") or a setting of the machine; NULL: nothing */
};

/* In the order of the legend. */
extern const struct meaning meanings[];
extern const unsigned meanings_n;

/* The name of M in the legend: "wait-cpu", "proved"; "" for signs and headings. */
const char *meaning_name(const struct meaning *m);

#endif
