/* SPDX-License-Identifier: MIT */
/* The inside of the rows: flow_rows.c changes what is chosen, flow_lines.c makes the lines of it. */
#ifndef FLOW_ROWS_PARTS_H
#define FLOW_ROWS_PARTS_H

#include "ui/pane/flow/flow_items.h"

struct flow_rows {
	struct qry *q;      /* weak */
	GArray *items;      /* of struct flow_item */
	uint32_t *item_of;  /* owned: of each row, the index of its item */
	GArray *lines;      /* of struct flow_line */
	unsigned n_pinned;  /* of them */
	GHashTable *folded; /* set of fold keys, see fold_key() */
	struct flow_choice choice;
	struct flow_facts *facts; /* owned; NULL: none are known */
	bool facts_fit;           /* they answer what the choice asks, maybe of another window */
	GArray *path;             /* of uint32_t: rows; NULL none */
	GHashTable *on_path;      /* set of them */
	uint32_t process;         /* the main thread of the process of FLOW_SET_PROCESS */
	GArray *pins;             /* of uint32_t: rows */
	uint32_t kept;            /* shown whatever is chosen; MDL_NONE: none */
	bool hide_tracer;
	unsigned shown; /* bits of enum flow_order: times that are shown whatever is chosen */
};

/* Make the lines anew. */
void flow_lines_make(struct flow_rows *rows);
/* Whether ITEM is shown, pinned or not. */
bool flow_lines_passes(const struct flow_rows *rows, const struct flow_item *item);
/* flow_rows_measure(). */
int64_t flow_lines_measure(const struct flow_rows *rows, uint32_t row, enum flow_order order);
/* Fold a heading, or the process ROW. */
void flow_lines_fold(struct flow_rows *rows, enum flow_kind kind, uint32_t host, uint32_t row, bool folded);
/* What is folded by KEY in OLD is so in ROWS by this one; the caller frees. */
gint64 *flow_lines_key_again(const struct flow_rows *rows, const struct flow_rows *old, gint64 key);

#endif
