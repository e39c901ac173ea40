/* SPDX-License-Identifier: MIT */
/*
 * Answers that are rows: the question, the columns of each answer with their documentation, a cursor over its
 * rows, and the place that a row leads to. Text, JSON, CSV, Markdown, lists on the screen and SQL all show
 * these columns.
 *
 * A function lists the columns of a row: each has a name and an expression that reads it from the row. The
 * name is the key in JSON and the header in CSV; both have all columns, in one order. Text, Markdown and
 * lists have only the columns with a heading; one of these shows the others in words.
 */
#ifndef TABLE_H
#define TABLE_H

#include "base/base_json.h"
#include "query/qry.h"

#include <math.h>

struct ana_rules;
struct ana_why;
struct base_progress;
struct qry_events_filter;
struct table_evidence;

/* ---- what cells are for ---- */

/* F(ID, name, file ending).  The first is the default. */
#define TABLE_FORMATS(F)         \
	F(TEXT, "text", ".txt")  \
	F(JSON, "json", ".json") \
	F(CSV, "csv", ".csv")    \
	F(MARKDOWN, "markdown", ".md")
/* A cell is made for one of them. CSV is also for SQL and all other users of plain values. */
enum table_format {
#define TABLE_FORMAT_ID(id, name, ending) TABLE_##id,
	TABLE_FORMATS(TABLE_FORMAT_ID)
#undef TABLE_FORMAT_ID
};

/* True if people read FORMAT (text, Markdown), so it shows each thing once. */
bool table_told(enum table_format format);

/* ---- columns and cells ---- */

enum table_type {
	TABLE_NUMBER,   /* a count, an id, a TID */
	TABLE_TIME,     /* ns since the Epoch; in text a clock time */
	TABLE_DURATION, /* ns; in text with a unit */
	TABLE_YES,      /* true or false; BASE_TIME_NONE: unknown */
	TABLE_WORD,     /* text; for an object in JSON: the words for text and CSV */
	TABLE_LONG, /* like TABLE_WORD, but long: text and Markdown put it after all columns of other types */
	TABLE_DECIMAL, /* a number as decimal text, with more digits than 64 bits hold */
	TABLE_SHARE,   /* a part of 1; in text a percentage */
	TABLE_ANY, /* each cell has its own type: a text in WORD, else a decimal in SHARE, else a NUMBER */
	/* Flags, or'ed to a type.  LATE: CSV puts the column last, so that the numbers of older columns do
	 * not change.  ONLY_SQL: no other format has it. */
	TABLE_LATE = 256,
	TABLE_ONLY_SQL = 512,
	TABLE_COSTLY = 1024, /* what complete() of struct table fills in */
	TABLE_FLAGS = TABLE_LATE | TABLE_ONLY_SQL | TABLE_COSTLY,
};

/*
 * A column, as a columns function describes it; all texts are static. HEADING as declared: '>' before it
 * aligns to the right; "(STATES": the column STATES shows it; NULL: text does not show it. DOC begins with
 * the type in JSON if that differs from TYPE: "SUBJECT: ", an object of docs/cli.md; "text[]: ", a list; "{}:
 * ", an object with its own members.
 */
struct table_column {
	const char *name;    /* "": only in text */
	const char *heading; /* NULL: text has no such column */
	/* what it holds, in the Markdown of docs/cli.md; "": the name says it */
	const char *doc;
	unsigned type;    /* enum table_type with flags */
	const char *told; /* the heading under which another column tells it; NULL: none */
	const char *json; /* the type that JSON has instead, up to its ':'; NULL: as TYPE */
};

/* The value of one column in one row.  The columns function sets the members that apply; initially all are
 * unknown. */
struct table_cell {
	int64_t number; /* NUMBER, TIME, DURATION, YES, ANY; BASE_TIME_NONE: unknown */
	/* WORD, LONG, DECIMAL; NULL: unknown.  For other types: the words that text shows instead of the
	 * number. */
	const char *word;
	char *taken;  /* like WORD, but the row frees it; NULL: use WORD */
	double share; /* SHARE, ANY; NAN: unknown */
	/* owned: the object or list that JSON has instead of the word (table/json.h); NULL: the word */
	GString *json;
	bool is_known; /* JSON: an empty word is the value "", not unknown */
};

/* The words of CELL; NULL: it has none. */
static inline const char *table_word(const struct table_cell *cell)
{
	return cell->taken ? cell->taken : cell->word;
}

/* The surroundings of a row. */
struct table_in {
	struct qry *q;                   /* NULL: columns are described as for any experiment */
	const void *context;             /* data that all rows share; its type is the table's own */
	struct table_evidence *evidence; /* weak; NULL: none */
	enum table_format format;        /* a cell needs only what this format shows */
	guint number;                    /* of the row, from 0 */
};

#define TABLE_COLUMNS_MAX 64

/* A row on its way through a columns function, which asks for the cells one after the other. */
struct table_row {
	uint64_t wanted;                            /* bit I: column I is wanted */
	unsigned n;                                 /* columns so far */
	struct table_column *columns;               /* TABLE_COLUMNS_MAX; NULL: names are not needed */
	bool for_json;                              /* with COLUMNS: only what JSON has is wanted */
	struct table_cell cells[TABLE_COLUMNS_MAX]; /* by column; only the wanted ones are set */
};

/* Pass the columns of ROW to TO, one after the other. They depend only on context and format. ROW is NULL if
 * only the names are needed. */
typedef void table_columns(struct table_row *to, const void *row, const struct table_in *in);

/* Store COLUMN as the description of column number I of TO. */
void table_row_describe(struct table_row *to, unsigned i, struct table_column column);

/* The cell of the next column, for the macros below; NULL if it is not wanted. */
static inline struct table_cell *table_cell(struct table_row *to, const char *name, const char *heading,
	unsigned type, const char *doc)
{
	unsigned i = to->n++;

	g_assert(i < TABLE_COLUMNS_MAX);
	if (to->columns)
		table_row_describe(to, i, (struct table_column){ name, heading, doc, type, NULL, NULL });
	if (!(to->wanted >> i & 1))
		return NULL;
	to->cells[i] = (struct table_cell){ .number = INT64_MIN, .share = NAN }; /* BASE_TIME_NONE */
	return &to->cells[i];
}

/* Begins a columns function: "TABLE_COLUMNS(columns) { const struct thread *t = row; TABLE_COLUMN(…); }". */
#define TABLE_COLUMNS(columns)                                                   \
	static void columns(struct table_row *to, G_GNUC_UNUSED const void *row, \
		G_GNUC_UNUSED const struct table_in *in)
/*
 * The next column. NAME: static; "": only in text, where it shows other columns in another form, for example
 * a duration instead of an end. HEADING, DOC: see struct table_column. IS sets a member of the cell: "number
 * = t->tid".
 */
#define TABLE_COLUMN(name, heading, type, doc, is) TABLE_COLUMN_BY(name, heading, type, doc, cell->is)
/* Like TABLE_COLUMN(), with statements that fill CELL. */
#define TABLE_COLUMN_BY(name, heading, type, doc, ...)                              \
	do {                                                                        \
		struct table_cell *cell = table_cell(to, name, heading, type, doc); \
		if (row && cell) {                                                  \
			__VA_ARGS__;                                                \
		}                                                                   \
	} while (0)
/* The column "PREFIXdoubts" of a statement with DOUBTS, the last column of a row. KNOWN is false if there is
 * no statement. */
#define TABLE_DOUBTS(prefix, known, doubts)                                                        \
	TABLE_OBJECT(prefix "doubts", NULL, TABLE_WORD,                                            \
		"text[]: why it is not proved, in words of [proofs.md](proofs.md); empty: proved", \
		table_json_doubts((known) ? (doubts) : 0), (known) ? ana_doubts_text(doubts, false) : NULL)
/* Like TABLE_COLUMN(), for an object: OBJECT (owned by the cell; NULL: null) in JSON, else TEXT (owned by the
 * cell; NULL: unknown). */
#define TABLE_OBJECT(name, heading, type, doc, object, text)                                           \
	TABLE_COLUMN_BY(name, heading, type, doc, if (in->format == TABLE_JSON) cell->json = (object); \
			else cell->taken = (text))
/* A list: in JSON OBJECTS (owned by the cell), else IS sets the cell. */
#define TABLE_LIST(name, heading, type, doc, objects, is)                                               \
	TABLE_COLUMN_BY(name, heading, type, doc, if (in->format == TABLE_JSON) cell->json = (objects); \
			else cell->is)

/* The values of COUNTS (struct qry_counts *; NULL: none); only if counters were recorded. */
#define TABLE_COUNTS(counts, doc)                                                                          \
	do {                                                                                               \
		if (!in->q || qry_has_counters(in->q)) {                                                   \
			TABLE_OBJECT("counters", "COUNTERS", TABLE_LONG | TABLE_LATE, "{}: " doc,          \
				table_counts_json(in->q, counts), table_counts_text(in->q, counts));       \
			TABLE_COLUMN("counters_time", "(COUNTERS", TABLE_DURATION | TABLE_LATE,            \
				"the time of which `counters` tells", number = table_counts_time(counts)); \
		}                                                                                          \
	} while (0)

/* Fill DESCRIBED (TABLE_COLUMNS_MAX) with the columns of rows with IN; return the number of columns. */
unsigned table_describe(table_columns *columns, const struct table_in *in, struct table_column *described);
/* Fill those cells of TO whose bits are in WANTED from ROW; free them with table_row_clear(). */
void table_row_fill(struct table_row *to, uint64_t wanted, table_columns *columns, const void *row,
	const struct table_in *in);
void table_row_clear(struct table_row *row);

/* ---- tables ---- */

/* The question to a table, which uses the members that apply to it. */
struct table_question {
	uint32_t row;     /* only rows about this row of the experiment; MDL_NONE: about all */
	bool of_process;  /* ROW is a process: also about its other threads */
	uint32_t host;    /* only rows of this host; MDL_NONE: of all */
	int64_t from, to; /* ns: only rows within [FROM, TO), by the clocks in use */
	const char *kind; /* of a latency; name of events; weak, NULL: all */
	/* true: only rows that begin in [FROM, TO), uncut; false: those that touch it, cut to it */
	bool whole;
	int64_t ends_after;            /* ns: only rows that end later than this; INT64_MIN: all */
	const struct ana_rules *rules; /* further kinds of latencies; weak, NULL: none */
	const char *query;             /* in SQL, of sql_rows; weak */
	bool hide_tracer;              /* leave out the tracer's own threads */
	bool user_threads;             /* leave out kernel threads */
	const char *by;    /* how rows are grouped, a value of --by; weak; NULL: as without --by */
	int64_t threshold; /* ns: only cases of at least this; 0: all */
	bool parts;        /* the asker calls table_work() and complete() */
	bool no_rows;      /* the cursor is only for complete() */
	uint32_t columns;  /* number of parts of the window to sum over; 0: one */
	unsigned top;      /* limit of rows worth finding; 0: all */
	const struct qry_events_filter *filter; /* of events; weak; NULL: by the other members */
	const void *result; /* weak: the answer, of the type that the table names; NULL: work it out */
	enum table_format format;
	struct base_progress *progress;  /* weak; NULL: never cancelled */
	struct table_evidence *evidence; /* weak; NULL: none */
};

#define TABLE_ALL                                  \
	((struct table_question){ .row = MDL_NONE, \
		.host = MDL_NONE,                  \
		.from = INT64_MIN,                 \
		.to = INT64_MAX,                   \
		.ends_after = INT64_MIN })

/* The place in the experiment that a row leads to. */
struct table_place {
	uint32_t row;     /* MDL_NONE: none */
	int64_t from, to; /* BASE_TIME_NONE: nowhere in time; equal: an instant */
	bool is_wait;     /* a wait of ROW ends at TO */
};

struct table;

/* A cursor; tables have more members after these. */
struct table_cursor {
	const struct table *table;
	struct qry *q; /* weak */
	struct table_question ask;
	uint64_t wanted;    /* bits of the columns, for tables that do less work for fewer columns; ~0: all */
	struct table_in in; /* NUMBER: that of the current row; in next(), of the row to return */
	guint rows;         /* that table_next() returned so far */
};

/* TAKES: parts of a question that a table applies itself, exactly.  BY: the order of its rows.  NEEDS: what
 * it needs to have rows. */
enum table_takes {
	TABLE_TAKES_ROW = 1,
	TABLE_TAKES_HOST = 2,
	TABLE_TAKES_WINDOW = 4,
	TABLE_TAKES_KIND = 8,
	TABLE_BY_ROW = 16,         /* rows come by ROW, and by time within a ROW */
	TABLE_BY_TIME = 32,        /* rows come by time */
	TABLE_NEEDS_SWITCHES = 64, /* sched_switch must be recorded */
	TABLE_NEEDS_ROW = 128,     /* ROW must be a thread: the table is not about all */
	TABLE_NEEDS_RESULT = 256,  /* RESULT must be set: the table cannot work it out */
	TABLE_TAKES_ENDS = 512,    /* ENDS_AFTER, if WHOLE is set; needs TAKES_ROW and columns ts, dur */
};

/* One name of a column in SQL. */
struct table_alias {
	const char *name, *sql; /* SQL NULL: the column is not in SQL */
};

/* The source of the rows of a table. */
enum table_rows {
	TABLE_ROWS_READ,     /* open() and next() find them */
	TABLE_ROWS_ARRAY,    /* elements of a GArray: the result, or in it at PART */
	TABLE_ROWS_POINTERS, /* likewise of a GPtrArray */
};
#define TABLE_WHOLE SIZE_MAX /* the result is the list */

/* Objects within the rows of a table in JSON, for documentation. */
struct table_part {
	const char *path; /* "vcpus[].exits[]" */
	table_columns *columns;
	const void *context; /* of its columns */
};

struct table {
	const char *name; /* in SQL: "thread_state" */
	const char *list; /* key of the list in JSON: "threads" */
	const char *doc;  /* what a row is */
	table_columns *columns;
	/* Ends with path NULL. NULL: none, or docs/cli.md describes them by hand. */
	const struct table_part *parts;
	const struct table_alias *aliases; /* ends with name NULL; NULL: SQL uses the names of the columns */
	size_t size;    /* bytes of its cursor, if that is larger than struct table_list; otherwise 0 */
	unsigned takes; /* enum table_takes */
	/* Approximate number of rows, for the plans of SQL. NULL: few. */
	uint64_t (*rows)(struct qry *q);
	/* For a list: PART is its offset in the result, or TABLE_WHOLE.  make() makes the result if the
	 * question has none, and free() frees it; make() returns NULL if there are no rows, or with an error.
	 * Without MAKE every question must have the result.  The result is the context of the columns. */
	enum table_rows rows_are;
	size_t part;
	void *(*make)(struct table_cursor *c, GError **error);
	GDestroyNotify free;
	/* Begin the answer to C->ask. The rest of C is zeros, or the members of a list. False with an error:
	 * BASE_ERROR_NO_ANSWER if nothing of the kind was recorded. NULL: nothing to do. */
	bool (*open)(struct table_cursor *c, GError **error);
	/* For tables whose rows are final only after all of the trace was read.  If C->ask.parts is set, each
	 * call reads a part, and returns true if more is left; then next() begins again, with the rows so
	 * far.  NULL: rows do not change. */
	bool (*work)(struct table_cursor *c);
	/* Set *ROW to the next row, valid until the next call.  Returns 1; 0 at the end; -1 with an error.
	 * NULL: table_list_next(). */
	int (*next)(struct table_cursor *c, const void **row, GError **error);
	/* If rows are plain data that stay valid: the bytes of a row; otherwise 0. */
	size_t row_size;
	/* Fill in the TABLE_COSTLY columns of ROW, which cost more than all others together.  Without
	 * C->ask.parts, next() does that.  False with an error.  NULL: no column is costly. */
	bool (*complete)(struct table_cursor *c, void *row, GError **error);
	void (*close)(struct table_cursor *c); /* also after open() failed; NULL: nothing to do */
	/* Set *TO to the place that ROW leads to; false if there is none. NULL: no row leads anywhere. */
	bool (*lead)(const struct table_cursor *c, const void *row, struct table_place *to);
};

/* A question to a table. */
struct table_asked {
	const struct table *table;
	struct table_question ask;
};

/* Open a cursor of TABLE over Q, which outlives it.  NULL with an error. */
struct table_cursor *table_open(const struct table *table, struct qry *q, const struct table_question *ask,
	GError **error);
/* work() of struct table.  False at once if rows do not change, or if C->ask.progress was cancelled. */
bool table_work(struct table_cursor *c);
/* Return the next thread that C asks about, from row *NEXT (initially 0), and set *NEXT to the row after it.
 * MDL_NONE if there is none. */
uint32_t table_next_thread(const struct table_cursor *c, uint32_t *next);
/* next() of struct table. */
int table_next(struct table_cursor *c, const void **row, GError **error);
/* Free C, which may be NULL. */
void table_close(struct table_cursor *c);
/* The number of rows that are left, if C goes over a list; else 1 if there is a further row.  Moves C. */
uint64_t table_left(struct table_cursor *c);

/* True if a host of Q recorded EVENT (ana_advice_is_missing()); else false with BASE_ERROR_NO_ANSWER, which
 * says how to record it. */
bool table_needs_event(struct qry *q, const char *event, GError **error);
/* Like table_needs_event(), for the events that show packets. */
bool table_needs_packets(struct qry *q, GError **error);

/* The number of rows of Q: no table of its threads, hosts, … has more. */
uint64_t table_count_rows(struct qry *q);

/* All tables: T(name of the variable without "table_"). */
#define TABLE_TABLES(T) \
	T(hosts)        \
	T(processes)    \
	T(threads)      \
	T(cpus)         \
	T(scheds)       \
	T(states)       \
	T(counters)     \
	T(wakeups)      \
	T(hops)         \
	T(blocks)       \
	T(packets)      \
	T(irqs)         \
	T(softirqs)     \
	T(timers)       \
	T(works)        \
	T(signals)      \
	T(syscalls)     \
	T(latencies)    \
	T(marks)        \
	T(values)       \
	T(spans)        \
	T(own_states)   \
	T(gaps)
#define TABLE_DECLARE(name) extern const struct table table_##name;
TABLE_TABLES(TABLE_DECLARE)

/*
 * Answers to one question. A cursor works the answer out when it is opened, unless the question has the
 * result: the comment gives its type. "!": only the asker can work it out.
 */
#define TABLE_ANSWERS(T)                                                              \
	T(causes)            /* GArray of struct ana_causes_entry */                  \
	T(stacks)            /* struct ana_stacks */                                  \
	T(requests)          /* GArray of struct ana_request, with paths summed up */ \
	T(latency_worst)     /* struct ana_latency */                                 \
	T(latency_open)      /* struct ana_latency */                                 \
	T(latency_groups)    /* struct ana_latency */                                 \
	T(latency_classes)   /* struct ana_latency */                                 \
	T(latency_histogram) /* struct ana_latency */                                 \
	T(events)            /* struct qry_lines, which are read */                   \
	T(event_names)       /* none */                                               \
	T(machines)          /* GArray of struct ana_machine */                       \
	T(machine_lines)     /* GArray of struct ana_machine */                       \
	T(sync_hosts)        /* ! struct sync_hosts */                                \
	T(sync_packets)      /* none */                                               \
	T(sync_columns)      /* none */                                               \
	T(traces)            /* struct ana_cost, one for each host */                 \
	T(answers)           /* ! GArray of struct ana_overview_line */               \
	T(overview)          /* struct ana_overview */                                \
	T(story)             /* ! struct ana_story */                                 \
	T(bookmarks)         /* GArray of struct qry_bookmark */                      \
	T(notes)             /* table_notes_new() */                                  \
	T(watch_hits)        /* struct ana_watched */                                 \
	T(watch_hours)       /* struct ana_watched */                                 \
	T(watch_triggers)    /* struct ana_watched */                                 \
	T(watch_classes)     /* struct ana_watched */                                 \
	T(path_segments)     /* struct ana_path */                                    \
	T(path_links)        /* struct ana_path */                                    \
	T(path_summary)      /* struct ana_path */                                    \
	T(account)           /* struct table_account */                               \
	T(account_phases)    /* struct ana_blame */                                   \
	T(account_memory)    /* ! GArray of struct ana_program_work */                \
	T(account_hottest)   /* ! struct ana_hottest */                               \
	T(account_chain)     /* struct ana_why */                                     \
	T(compare_rows)      /* ! struct ana_compare */                               \
	T(compare_sets)      /* ! struct ana_compare */                               \
	T(compare_groups)    /* ! struct ana_compare */                               \
	T(compare_outside)   /* ! struct ana_compare, which looked outside */         \
	T(against_all)       /* ! struct ana_against */                               \
	T(against_groups)    /* ! struct ana_against */                               \
	T(against_kinds)     /* ! GPtrArray of struct ana_against, one per kind */    \
	T(fleet_hosts)       /* ! struct flt_fleet, as of the next ones */            \
	T(fleet_left)        /* ! */                                                  \
	T(fleet_kinds)       /* ! */                                                  \
	T(fleet_groups)      /* ! */                                                  \
	T(fleet_worst)       /* ! */                                                  \
	T(fleet_causes)      /* ! */                                                  \
	T(fleet_differences) /* ! */
TABLE_ANSWERS(TABLE_DECLARE)
#undef TABLE_DECLARE

/* Return number I of TABLE_TABLES and then TABLE_ANSWERS, not counting those with "!"; NULL: there are
 * fewer. */
const struct table *table_nth(unsigned i);

/* ---- for cells ---- */

/* The number for a cell.  BASE_TIME_NONE (unknown) replaces MDL_NONE in _id(), numbers below 0 in _natural(),
 * INT64_MAX in _bound(). */
int64_t table_id(uint32_t id);
int64_t table_natural(int64_t number);
int64_t table_bound(int64_t error);
/* _nr(): the TID or the interrupt number of ROW.  _name(): the name that ROW had at TIME.  _host(): the name
 * of HOST.  Unknown (BASE_TIME_NONE or NULL) for MDL_NONE. */
int64_t table_nr(const struct qry *q, uint32_t row);
const char *table_name(const struct qry *q, uint32_t row, int64_t time);
/* The account of [FROM, TO) of thread ROW as text (ana_account_text()).  The caller frees; NULL: unknown. */
char *table_cause(struct qry *q, uint32_t row, int64_t from, int64_t to);
const char *table_host(const struct qry *q, uint32_t host);
/* COUNTS by the names of counters: an object of JSON, and words, "61.0 M cycles, 24.4 M instructions, IPC
 * 0.40". NULL if COUNTS is NULL or has no time. The caller frees. */
GString *table_counts_json(const struct qry *q, const struct qry_counts *counts);
char *table_counts_text(const struct qry *q, const struct qry_counts *counts);
/* The time of COUNTS, ns; BASE_TIME_NONE if COUNTS is NULL or has no time. */
int64_t table_counts_time(const struct qry_counts *counts);
/* TEXTS (char *): a list in JSON, else one text joined by BETWEEN. */
void table_texts(struct table_cell *cell, enum table_format format, const GPtrArray *texts,
	const char *between);
/* NUMBER with at least 15 digits, and as many as are needed to read the same number back. TO has
 * G_ASCII_DTOSTR_BUF_SIZE bytes. Returns TO. */
const char *table_real_text(char *to, double number);
/* TIME (ns) as all results show it.  The caller frees. */
char *table_time_text(int64_t time);
/* DURATION (ns) in characters that the locale can show.  The caller frees. */
char *table_duration_text(int64_t duration);
/* DURATION (ns) with its sign: "+1.20 ms".  The caller frees. */
char *table_signed_text(int64_t duration);
/* A bar whose length is COUNT / MOST of LONGEST characters; at least one if COUNT is not 0.  The caller
 * frees. */
char *table_bar(uint64_t count, uint64_t most, unsigned longest);

#endif
