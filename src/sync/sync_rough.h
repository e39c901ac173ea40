/* SPDX-License-Identifier: MIT */
/* How far apart the hosts' clocks are, roughly: near enough that packets can be looked for. */
#ifndef SYNC_ROUGH_H
#define SYNC_ROUGH_H

#include <glib.h>
#include <stdint.h>

#define SYNC_ROUGH_MAX (INT64_C(1) << 62) /* ns: clocks further apart than that are not told */

/* From FROM on, by its own clock, a host's clock is AHEAD of that of the first host, both ns. */
struct sync_rough_piece {
	int64_t from; /* INT64_MIN for the first */
	int64_t ahead;
};

/* How far one host's clock is ahead, roughly. */
struct sync_rough {
	GArray *pieces; /* owned: of struct sync_rough_piece in order of time, at least one */
};

/* The same packet on two hosts. */
struct sync_both {
	int64_t a, b; /* when, ns of the hosts' clocks; not further apart than SYNC_ROUGH_MAX */
};

struct sync_link {
	unsigned a, b; /* hosts, A < B */
	GArray *all;   /* of struct sync_both, at least one; sorted anew */
};

/*
 * How far each of N hosts is ahead, by LINKS (of struct sync_link *, the strongest first; some may be taken
 * out), of the first among those that they lead to.  A new array of N.
 */
struct sync_rough *sync_rough_new(GPtrArray *links, unsigned n);
void sync_rough_free(struct sync_rough *hosts, unsigned n);

/*
 * What the first host's clock shows, roughly, when that of ROUGH shows TIME; where this was set, not beyond
 * what it showed then.  *PIECE is where TIME was last, any number at first: times that follow each other cost
 * no search.
 */
int64_t sync_rough_reference(const struct sync_rough *rough, int64_t time, guint *piece);

#endif
