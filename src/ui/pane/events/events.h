/* SPDX-License-Identifier: MIT */
/* Internals of the events pane.  Only its files include this header. */
#ifndef EVENTS_H
#define EVENTS_H

#include "query/events/events.h"
#include "ui/widget/list_pane.h"

#define EVENTS_TEXT 256 /* bytes of a search expression, and of a filter */

/* The scope of the list: all events, those of the selected row, those of a CPU. */
enum events_scope { EVENTS_ALL, EVENTS_ROW, EVENTS_CPU, EVENTS_SCOPE_N };

/* The wanted place in the list. */
enum events_want {
	EVENTS_AT_TIME,  /* the last event at or before TIME */
	EVENTS_AT_EVENT, /* the event at TIME on CPU of HOST */
	EVENTS_AT_RANK,  /* event RANK of HOST, or the next that passes the filter */
	/* the next (BY 1) or previous (BY -1) event with the name and the thread of event RANK of HOST */
	EVENTS_SAME
};

/* The filter of the list; plain data. */
struct events_only {
	uint32_t host, cpu, thread; /* MDL_NONE: all */
	char name[EVENTS_TEXT];     /* as in struct qry_events_filter; "": all */
};

/* A question for the worker; plain data. */
struct events_question {
	const struct list_kind *kind; /* kind of the list; static */
	enum events_want want;
	bool jump; /* move the cursor to the found event */
	int64_t time;
	uint32_t host, cpu;
	uint64_t rank;
	int by;
	unsigned room; /* lines wanted before and after the event */
	struct events_only only;
};

/* The answer: a part of the list. */
struct events_page {
	GArray *lines;          /* of struct qry_events_line, owned */
	struct list_part *part; /* LINES as rows of the list; owned, NULL: the list took it */
	unsigned selected;      /* index of the requested line */
	bool at_start, at_end;  /* no event is before / after these lines */
	char *notice;           /* a message about the search; owned, NULL: none */
};

/* ---- searching ---- */

/* The place of an event in the order of the list. */
struct events_place {
	int64_t time;
	uint64_t rank;
	uint32_t host;
};

/* A question for the worker that searches; plain data. */
struct events_search {
	char text[EVENTS_TEXT];   /* the regular expression */
	struct events_only only;  /* as for the list */
	struct events_place from; /* an event of the list: the search starts here */
	int first;                /* side searched first: after (1) or before (-1) FROM */
};

/* The matches found so far. */
struct events_hits {
	/* of struct events_place, owned: [0] matches before FROM, [1] from FROM on; the nearest first */
	GArray *side[2];
	/* All events between LOW and HIGH were searched; INT64_MIN and INT64_MAX: up to the end of the
	 * list. */
	struct events_place low, high;
	bool full; /* the search stopped because there were too many matches */
};

/* A search and its state; zero-initialised. */
struct events_finder {
	struct ask_worker *worker;  /* owned; NULL until the experiment is open */
	GRegex *regex;              /* owned; NULL: no search */
	struct events_search asked; /* valid if REGEX is not NULL */
	struct events_hits *hits;   /* owned; NULL: none yet */
	bool into_view;             /* scroll the fields of the selected event to the match */
	int wanted;                 /* 1, -1: go to the next match in this direction when found; 0: stay */
};

struct events {
	struct list list; /* its rows are those of PAGE */
	enum events_scope scope;
	uint32_t cpu_host, cpu; /* EVENTS_CPU: the CPU of the previously selected event; MDL_NONE: none yet */
	struct events_question asked; /* the last question: PAGE answers it, or the worker is busy with it */
	struct events_page *page;     /* owned; NULL: none, see ask.problem of the list */
	/* the cursor (ns) set by the selected event; the list stays while the cursor is there */
	int64_t own_cursor;
	struct events_finder find;
	/* A kept view: the search text (owned), the selected event (host MDL_NONE: none), and the number of
	 * list lines above it. */
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

/* ---- events_list.c: the part of the list in memory ---- */

extern const struct ask_kind events_kind;
/* ONLY as a filter that borrows its name. */
struct qry_events_filter events_filter(const struct events_only *only);
/* True if both filters pass the same events. */
bool events_only_same(const struct events_only *a, const struct events_only *b);
/* The selected event; NULL: none. */
const struct qry_event *events_selected(const struct events *e);
/* Drop the page: the list is empty until the next answer. */
void events_list_forget(struct events *e);
/* _keep(): store selection and search.  _restore(): select the stored event again; true if it is selected
 * now. */
void events_list_keep(struct events *e);
bool events_list_restore(struct events *e);
/* Ask for the list around the cursor if the cursor or the filter has changed since the last question. */
void events_list_check(struct events *e);
/* Show the event that another pane opened. */
void events_list_open(struct events *e);
/* _step(): go to the event BY lines away.  _end(): go to the first or last event of the trace. */
void events_list_step(struct events *e, int by);
void events_list_end(struct events *e, bool first);
/* The answer of the pane's question: go to "1234", "#1234", "HOST/#1234" or a time. */
void events_list_go_to(struct ui_pane *pane, const char *text);
/* Go to event RANK of HOST. */
void events_list_jump(struct events *e, uint32_t host, uint64_t rank);
/* Go to the next (BY 1) or previous (BY -1) event with the name and the thread of the selected event. */
void events_list_same(struct events *e, int by);
/* The answer of the pane's question: show only events called NAME. */
void events_list_filter(struct ui_pane *pane, const char *name);
/* Change the scope: to the one in the command's text, else to the next in the cycle all, selected row,
 * CPU. */
void events_list_scope(struct events *e);
extern const char *const events_scopes[EVENTS_SCOPE_N]; /* words for the text */

/* ---- events_find.c: the search ---- */

extern const struct ask_kind events_search_kind;
/* End the search; frees all but F itself. */
void events_find_clear(struct events_finder *f);
/* The answer of the pane's question: search for TEXT, from the selected event on; "": end the search. */
void events_find_text(struct ui_pane *pane, const char *text);
/* Search for TEXT (NULL: end the search) from the selected event on.  The selected event stays selected. */
void events_find_again(struct events *e, const char *text);
/* Go to the next (BY 1) or previous (BY -1) match. */
void events_find_step(struct events *e, int by);
/* Search again if the list has changed. */
void events_find_check(struct events *e);
/* Stop the search.  False if none is running. */
bool events_find_stop(struct events *e);
/* True if EVENT is a found match. */
bool events_find_has(const struct events *e, const struct qry_event *event);
/* Append "  3 of 1204 match, 14 in view" to TITLE; nothing if there is no search. */
void events_find_title(const struct events *e, GString *title);

#endif
