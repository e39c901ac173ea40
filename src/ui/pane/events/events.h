/* SPDX-License-Identifier: MIT */
/* The inside of the pane of events, shared by its files; no other pane includes it. */
#ifndef EVENTS_H
#define EVENTS_H

#include "query/events/events.h"
#include "ui/core/ui_shell.h"
#include "ui/widget/ask_worker.h"
#include "ui/widget/list_view.h"

#define EVENTS_TEXT 256 /* bytes of an expression searched for */

/* Whose events. */
enum events_scope { EVENTS_ALL, EVENTS_ROW, EVENTS_CPU, EVENTS_SCOPE_N };

/* Around what the list is wanted. */
enum events_want {
	EVENTS_AT_TIME,  /* the last event at or before TIME */
	EVENTS_AT_EVENT, /* the event at TIME on CPU of HOST */
	EVENTS_AT_RANK,  /* event RANK of HOST, or the next that passes the filter */
	EVENTS_SAME      /* the next (BY 1) or previous event called as RANK of HOST, of the same thread */
};

/* What is asked of the worker; plain data. */
struct events_question {
	enum events_want want;
	bool jump; /* the cursor goes to the event that is found */
	int64_t time;
	uint32_t host, cpu;
	uint64_t rank;
	int by;
	unsigned room;                             /* lines wanted each way */
	uint32_t only_host, only_cpu, only_thread; /* the filter; MDL_NONE: all */
};

/* What comes back: a part of the list. */
struct events_page {
	GArray *lines;         /* of struct qry_events_line, owned */
	unsigned selected;     /* the one that was asked for */
	bool at_start, at_end; /* there is nothing before, behind it */
	char *notice;          /* what there was to be said on the way; owned, NULL nothing */
};

/* ---- searching ---- */

/* The place of an event in the order of the list. */
struct events_place {
	int64_t time;
	uint64_t rank;
	uint32_t host;
};

/* What is asked of the worker that searches; plain data. */
struct events_search {
	char text[EVENTS_TEXT];                    /* the regular expression */
	uint32_t only_host, only_cpu, only_thread; /* as of the list */
	struct events_place from;                  /* an event of it: what is near it is found first, */
	int first;                                 /* on (1) or back (-1) */
};

/* What was found so far. */
struct events_hits {
	GArray *side[2]; /* of struct events_place, owned: before FROM, and from it on; the nearest first */
	/* All that lies between them was looked at; INT64_MIN and INT64_MAX: up to the end of the list. */
	struct events_place low, high;
	bool full; /* there were so many that the search was given up */
};

/* A search and its state; begins as zeros. */
struct events_finder {
	struct ask_worker *worker;  /* owned; NULL until the experiment is there */
	GRegex *regex;              /* owned; NULL: nothing is searched for */
	struct events_search asked; /* where REGEX is not NULL: its text */
	struct events_hits *hits;   /* owned; NULL none yet */
	bool into_view;             /* what matches in the fields of the selected event is to be seen */
	int wanted; /* 1, -1: as soon as the next one that way is found it is gone to; 0 none is */
};

struct events {
	struct ui_pane pane;
	enum events_scope scope;
	uint32_t cpu_host, cpu; /* EVENTS_CPU: whose, that of the event selected before; MDL_NONE: none yet */
	struct events_question asked; /* what the page answers, or the worker is busy with */
	bool has_asked;
	struct events_page *page; /* owned; NULL: see problem */
	char *problem;            /* why there is none; owned, NULL while it is being read */
	struct list_view view;
	unsigned scrolled;  /* columns that fields are moved to the left */
	int64_t own_cursor; /* the cursor as the selected event set it: while it is there, the list stays */
	struct events_finder find;
	/* While it is kept: what is searched for, owned; the selected event, host MDL_NONE: none, and so many
	 * lines of the list above it. */
	struct {
		char *find;
		uint32_t host;
		uint64_t rank;
		unsigned above;
	} kept;
};

static inline const struct qry_events_line *events_line(const struct events *e, unsigned i)
{
	return &g_array_index(e->page->lines, struct qry_events_line, i);
}

/* ---- events_list.c: the part of the list at hand ---- */

extern const struct ask_kind events_kind;
/* Which events ASKED is about. */
struct qry_events_filter events_filter(const struct events_question *asked);
/* The selected event; NULL: none. */
const struct qry_event *events_selected(const struct events *e);
void events_list_forget(struct events *e);
/* What is selected and searched for becomes what is kept; and that is selected again: true, it is. */
void events_list_keep(struct events *e);
bool events_list_restore(struct events *e);
/* Ask for the list around the cursor when that, or whose events are wanted, is not what was asked for. */
void events_list_check(struct events *e);
/* Show the event that another pane has opened. */
void events_list_open(struct events *e);
/* To the event BY lines away; to the first or last of all. */
void events_list_step(struct events *e, int by);
void events_list_end(struct events *e, bool first);
/* Answer of the pane's question: go to "1234", "#1234", "HOST/#1234" or a time. */
void events_list_go_to(struct ui_pane *pane, const char *text);
/* To event RANK of HOST. */
void events_list_jump(struct events *e, uint32_t host, uint64_t rank);
/* To the next (1) or previous (-1) event called as the selected one is, of its thread. */
void events_list_same(struct events *e, int by);
/* The events of others, what the text of the command says or the next: all, the selected row's, the CPU's. */
void events_list_scope(struct events *e);
extern const char *const events_scopes[EVENTS_SCOPE_N]; /* what the text can say */

/* ---- events_search.c: in the worker that searches ---- */

extern const struct ask_kind events_search_kind;

/* ---- events_find.c: what was found ---- */

/* Below, at or above 0 as A comes before B, is B, or comes behind it. */
int events_place_order(const struct events_place *a, const struct events_place *b);
void events_hits_free(struct events_hits *hits);

void events_find_clear(struct events_finder *f);
/* Answer of the pane's question: search for TEXT, from the selected event on; nothing: no more. */
void events_find_text(struct ui_pane *pane, const char *text);
/* TEXT (NULL: nothing) is what is searched for, from the selected event on, which stays selected. */
void events_find_again(struct events *e, const char *text);
/* To the next (1) or previous (-1) event found. */
void events_find_step(struct events *e, int by);
/* The list may be another one: then it is searched anew. */
void events_find_check(struct events *e);
/* Stop searching; false: it is not busy. */
bool events_find_stop(struct events *e);
/* What of it has been taken, or has failed: hooks of the worker. */
void events_find_taken(struct ui_pane *pane, void *hits, GError *error);
void events_find_offered(struct ui_pane *pane, void *hits);
/* Is EVENT one of those found? */
bool events_find_has(const struct events *e, const struct qry_event *event);
/* "  3 of 1204 match, 14 in view"; nothing where nothing is searched for. */
void events_find_title(const struct events *e, GString *title);

/* ---- events_draw.c ---- */

/* Of the hook "title": "Events of CPU 1  #1234 of 98844". */
void events_draw_title(struct ui_pane *pane, GString *title);
/* The list, scrolled so that the selected line is in view. */
void events_draw(struct events *e, const struct term_area *area);

#endif
