/* SPDX-License-Identifier: MIT */
/*
 * The columns of lists: which there are, and which of them stand in which order.  The configuration says so
 * below [columns]; else all that there is room for stand in the order of the tables here.
 */
#ifndef UI_COLUMNS_H
#define UI_COLUMNS_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* C(LIST, ID, "name"); names are what the configuration has. */
#define UI_COLUMNS_ROWS(C) \
	C(ROWS, TID, "tid") C(ROWS, CPU, "cpu") C(ROWS, WAIT, "wait") C(ROWS, LATE, "latency")
#define UI_COLUMNS_LATENCY(C)         \
	C(LATENCY, RANK, "rank")      \
	C(LATENCY, LENGTH, "latency") \
	C(LATENCY, FROM, "from")      \
	C(LATENCY, OF, "of")          \
	C(LATENCY, CPU, "cpu")        \
	C(LATENCY, WHY, "why")
#define UI_COLUMNS_REQUESTS(C)          \
	C(REQUESTS, BEGUN, "begun")     \
	C(REQUESTS, TOOK, "took")       \
	C(REQUESTS, SERVED, "server")   \
	C(REQUESTS, NET, "net")         \
	C(REQUESTS, WAITING, "waiting") \
	C(REQUESTS, CPU, "cpu")         \
	C(REQUESTS, ASKER, "who")       \
	C(REQUESTS, SERVER, "whom")
#define UI_COLUMNS_CAUSES(C)            \
	C(CAUSES, WAITED, "waited")     \
	C(CAUSES, SHARE, "share")       \
	C(CAUSES, WAITS, "waits")       \
	C(CAUSES, LONGEST, "longest")   \
	C(CAUSES, PROVED, "proved")     \
	C(CAUSES, INFERRED, "inferred") \
	C(CAUSES, UNKNOWN, "unknown")   \
	C(CAUSES, KIND, "kind")         \
	C(CAUSES, WHAT, "what")
#define UI_COLUMNS_EVENTS(C)        \
	C(EVENTS, NUMBER, "number") \
	C(EVENTS, TIME, "time")     \
	C(EVENTS, AFTER, "after")   \
	C(EVENTS, CPU, "cpu")       \
	C(EVENTS, THREAD, "thread") \
	C(EVENTS, EVENT, "event")

/* L(LIST, "name"): of the control flow what stands behind the names of its rows. */
#define UI_LISTS(L)             \
	L(ROWS, "rows")         \
	L(LATENCY, "latency")   \
	L(REQUESTS, "requests") \
	L(CAUSES, "causes")     \
	L(EVENTS, "events")

#define UI_COLUMN_ID(LIST, ID, name) UI_##LIST##_##ID,
#define UI_LIST_ENUM(LIST, name) enum { UI_COLUMNS_##LIST(UI_COLUMN_ID) UI_##LIST##_N };
UI_LISTS(UI_LIST_ENUM)
#undef UI_LIST_ENUM
#undef UI_COLUMN_ID

enum ui_list {
#define UI_LIST_ID(LIST, name) UI_LIST_##LIST,
	UI_LISTS(UI_LIST_ID)
#undef UI_LIST_ID
		UI_LIST_N
};

#define UI_COLUMNS_MAX 10 /* of a list */

/* Those that are shown. */
struct ui_columns {
	struct ui_columns_of {
		unsigned line; /* of the configuration, that says so; 0: none does */
		unsigned n;
		uint8_t shown[UI_COLUMNS_MAX]; /* in this order */
	} of[UI_LIST_N];
};

/* Where a column stands; w 0: it is not shown. */
struct ui_column {
	unsigned x, w;
};

/* All of them. */
void ui_columns_init(struct ui_columns *columns);
/* What LINE says, "LIST COLUMN ...", the line of number N of FILE.  False with an error, which names both,
 * where there is no such list or column, or it is named twice. */
bool ui_columns_take(struct ui_columns *columns, const char *line, const char *file, unsigned n,
	GError **error);
/* A line for each list, with those that are shown and, as a comment, all that there are; the caller frees. */
char *ui_columns_text(const struct ui_columns *columns);
/*
 * Put the columns of LIST side by side into WIDTH columns of the screen, beginning with X: each as wide as
 * WIDTHS says; those of UI_COLUMN_REST share what the others leave, those of UI_COLUMN_SPARED stand there
 * only where the configuration asks for them.  CELLS has one for each column of the list.
 */
#define UI_COLUMN_REST 0
#define UI_COLUMN_SPARED 0x10000u /* added to the width */
void ui_columns_place(const struct ui_columns *columns, enum ui_list list, const unsigned *widths, unsigned x,
	unsigned width, struct ui_column *cells);

/* How much of CELL, within WIDTH columns of the screen, text can have that another column may stand behind.
 */
static inline unsigned ui_column_room(const struct ui_column *cell, unsigned width)
{
	return cell->w - (cell->w && cell->x + cell->w < width);
}

#endif
