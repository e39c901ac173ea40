/* SPDX-License-Identifier: MIT */
/* Text that ftrace, trace-cmd report and perf script print of a recording. */
#ifndef TRC_TEXT_H
#define TRC_TEXT_H

#include "trace/core/trc_budget.h"
#include "trace/core/trc_input.h"

/* trc_text_input: text whose lines have flags with the context of each event. The other one: text without
 * such flags. */
extern const struct trc_input_ops trc_text_input, trc_text_plain_input;
extern const struct trc_source_ops trc_text_ops, trc_text_plain_ops;

/* Bytes of a text that is owned by somebody else; hostile. */
struct trc_text_part {
	const char *at;
	size_t n;
};

/* True if P is TEXT. */
static inline bool trc_text_is(struct trc_text_part p, const char *text)
{
	return p.n == strlen(text) && memcmp(p.at, text, p.n) == 0;
}

static inline bool trc_text_begins(struct trc_text_part p, const char *text)
{
	return p.n >= strlen(text) && memcmp(p.at, text, strlen(text)) == 0;
}

/* Advance P by N bytes, which it has. */
static inline void trc_text_skip(struct trc_text_part *p, size_t n)
{
	p->at += n;
	p->n -= n;
}

static inline void trc_text_skip_blanks(struct trc_text_part *p)
{
	while (p->n > 0 && (*p->at == ' ' || *p->at == '\t'))
		trc_text_skip(p, 1);
}

/* ---- lines (trc_text_line.c) ---- */

#define TRC_TEXT_LINE_MAX 65536 /* bytes; the rest of a longer line is not read */

/* Take the next line of REST, without its end; false if REST is empty. */
bool trc_text_next(struct trc_text_part *rest, struct trc_text_part *line);

/* Read a number in BASE (10, 16) at the begin of P, and advance P; a larger one than 64 bits is
 * UINT64_MAX.  False if there is none. */
bool trc_text_take_number(struct trc_text_part *p, unsigned base, uint64_t *number);

/* The program that printed a text. It decides the meaning of fields that look alike. */
enum trc_text_tool { TRC_TEXT_KERNEL, TRC_TEXT_TRACE_CMD, TRC_TEXT_PERF, TRC_TEXT_TOOLS };

enum trc_text_what {
	TRC_TEXT_EVENT,
	TRC_TEXT_LOST,    /* events of a CPU were lost: CPU, and LOST, their number; 0: unknown */
	TRC_TEXT_STACK,   /* a line of a call stack */
	TRC_TEXT_COMMENT, /* it begins with '#', or is empty */
	TRC_TEXT_NO_CPU,  /* an event without its CPU or its time */
	TRC_TEXT_OTHER
};

/* A line of an event: what all events have. */
struct trc_text_line {
	int64_t time; /* ns */
	uint64_t lost;
	uint32_t cpu;
	int32_t tid, pid; /* -1: unknown */
	uint8_t told;     /* MDL_TOLD_… of the flags, with MDL_TOLD_WITHIN; 0: no flags */
	uint8_t digits;   /* digits of the time after the point */
	/* KERNEL also for most lines of TRACE_CMD: only the survey of all lines distinguishes them */
	enum trc_text_tool tool;
	struct trc_text_part comm, event, fields;
};

/* Read TEXT, without its end, into LINE. CONTEXT is the position of the flag for hard interrupts and softirqs
 * (TRC_TEXT_CONTEXT, or the one in the head of the text). */
#define TRC_TEXT_CONTEXT 2
enum trc_text_what trc_text_line_read(struct trc_text_part text, unsigned context,
	struct trc_text_line *line);

/* ---- the fields of an event (trc_text_form.c) ---- */

/* How the value of a field is written. */
enum trc_text_type {
	TRC_TEXT_NUMBER = 'd', /* decimal, or hexadecimal with 0x */
	TRC_TEXT_HEX = 'x',    /* hexadecimal, with 0x or not */
	TRC_TEXT_WORDS = 't',
	TRC_TEXT_COMM = 'c',     /* name of a thread, which may contain anything */
	TRC_TEXT_SYMBOL = 'f',   /* name of a function, or its address */
	TRC_TEXT_DEV = 'D',      /* major,minor, or major:minor */
	TRC_TEXT_STATE = 's',    /* states as letters of the kernel */
	TRC_TEXT_STATE_OF = 'S', /* states as letters of libtraceevent */
	TRC_TEXT_HANDLED = 'h',
	TRC_TEXT_BEGIN = 'b', /* "begin": 1, "end": 0 */
	TRC_TEXT_MASK = 'm',  /* mask of CPUs, hexadecimal */
	TRC_TEXT_LIST = 'l',  /* list of CPUs: "0-5,7"; the kernel itself prints a mask */
	TRC_TEXT_ARGS = 'a',  /* arguments of a system call, hexadecimal */
	TRC_TEXT_FUTEX = 'F', /* "FUTEX_WAIT|FUTEX_PRIVATE_FLAG", or a number */
	TRC_TEXT_TIMER = 'T', /* flags of a timer: "D|P|I" */
	TRC_TEXT_AGO = 'n',   /* a number to subtract from the field "expires" */
	TRC_TEXT_EXIT = 'r'   /* the reason why a virtual CPU left its guest */
};

struct trc_text_field {
	struct trc_text_part name, value;
	enum trc_text_type type;
};

#define TRC_TEXT_FIELDS_MAX 64

/* A form is the text of an event with its fields in braces, as "irq={irq} name={name:t}": the name of the
 * field, and its type (NUMBER if there is none). A blank stands for any number of blanks. Any text may follow
 * the form. Return the forms of the event NAME ("sched_switch"), a weak array that ends with NULL; *N is
 * their number. */
const char *const *trc_text_forms(const char *name, unsigned *n);
/* Read FIELDS by FORM into TO.  Returns their number, at most TRC_TEXT_FIELDS_MAX; -1: they have another
 * form. */
int trc_text_form_read(const char *form, struct trc_text_part fields, struct trc_text_field *to);
/* Read FIELDS, of an event without a form, as "key=value …" or "key: value, …". Text in another form becomes
 * the field "text". BASE is that of the numbers: 10, or 16 if all are hexadecimal. */
int trc_text_form_guess(struct trc_text_part fields, unsigned base, struct trc_text_field *to);

/* ---- values (trc_text_value.c) ---- */

/* Properties of a whole text that decide how its events are read. */
struct trc_text_ways {
	enum trc_text_tool tool;
	unsigned context; /* see trc_text_line_read() */
	bool old_letters; /* libtraceevent prints states with the letters of kernels before 4.14 */
};

/* Return the number at the begin of P, which may be negative or begin with 0x, else in BASE; MDL_ARG_ABSENT:
 * there is none. */
int64_t trc_text_number(struct trc_text_part p, unsigned base);
/* Return the value of F, one of FIELDS, as a number of the model; MDL_ARG_ABSENT: it is none. */
int64_t trc_text_value(const struct trc_text_field *fields, const struct trc_text_field *f,
	const struct trc_text_ways *ways);
/* Return the name of the function at the begin of TEXT. */
struct trc_text_part trc_text_symbol(struct trc_text_part text);
/* Return a made-up address that stands for the function NAME, because the text has no address. 0 if NAME is
 * empty. */
uint64_t trc_text_address(struct trc_text_part name);
/* Return the name of the function in TEXT, a line of a call stack, which may have "+0x12/0x40" after it.
 * *ADDRESS is the address in the line, or the made-up one (trc_text_address()). */
struct trc_text_part trc_text_stack_line(struct trc_text_part text, uint64_t *address);

/* ---- events by name (trc_text_class.c) ---- */

struct trc_text_class;
struct trc_text_classes;
struct trc_text_classes *trc_text_classes_new(struct trc_budget *budget);
void trc_text_classes_free(struct trc_text_classes *c);
/* Return the class of the events of LINE; NULL if the budget does not allow another one. */
const struct trc_text_class *trc_text_classes_get(struct trc_text_classes *c,
	const struct trc_text_line *line);
/* Call TAKE for the name of each class. */
void trc_text_classes_each(const struct trc_text_classes *c, void (*take)(void *data, const char *name),
	void *data);
/* Return the name of the events of C, with their subsystem if it is known: "sched:sched_switch". Hostile. */
const char *trc_text_class_name(const struct trc_text_class *c);
enum mdl_kind trc_text_class_kind(const struct trc_text_class *c);
/* See mdl_table_is_part(). */
bool trc_text_class_is_part(const struct trc_text_class *c);
/* True if its events are the call stack of the event before. */
bool trc_text_class_is_stack(const struct trc_text_class *c);

/* Fill in kind, label, arguments, texts and context of EVENT, which was just added to Q, from LINE. */
void trc_text_class_read(const struct trc_text_class *c, const struct trc_text_ways *ways,
	struct trc_queue *q, struct mdl_event *event, const struct trc_text_line *line);
/* Append the fields of LINE to TO, and pass each to TAKER (may be NULL), as of trc_paging_ops.fields. */
void trc_text_class_fields(const struct trc_text_class *c, const struct trc_text_line *line, GString *to,
	const struct trc_taker *taker);
/* Return the CPU on which a thread will run according to LINE; UINT32_MAX: LINE names none. */
uint32_t trc_text_class_aim(const struct trc_text_class *c, const struct trc_text_line *line);
/* Call TAKE for each function that LINE names. */
void trc_text_class_symbols(const struct trc_text_class *c, const struct trc_text_line *line,
	void (*take)(void *data, struct trc_text_part name), void *data);
/* ---- the file (trc_text_file.c) ---- */

/* A text, mapped, and its events block by block. */
struct trc_text_file {
	GMappedFile *map; /* owned */
	struct trc_text_part text;
	size_t used; /* bytes that may be in memory */
};

/* False with BASE_ERROR_IO. */
bool trc_text_file_open(struct trc_text_file *f, const char *path, GError **error);
void trc_text_file_close(struct trc_text_file *f);
/* Note that SIZE bytes were read. At most TRC_TEXT_IN_MEMORY bytes stay mapped in memory; the others remain
 * in the page cache only. */
#define TRC_TEXT_IN_MEMORY ((size_t)16 << 20)
void trc_text_file_use(struct trc_text_file *f, size_t size);

/* An event of a block. */
struct trc_text_entry {
	struct trc_text_line line;
	uint32_t offset; /* bytes, of its line in the block */
	uint32_t stack;  /* bytes of the lines after it that belong to it */
	uint32_t next;   /* index of the next event of its CPU; UINT32_MAX: none */
	bool lost;       /* LINE.lost events were lost before it */
};

struct trc_text_list {
	unsigned users;
	uint64_t offset;
	GArray *entries;   /* owned, of struct trc_text_entry */
	GHashTable *first; /* owned: CPU → index of its first entry */
};

/* Read the SIZE bytes of F from OFFSET on.  The caller unrefs. */
struct trc_text_list *trc_text_list_new(struct trc_text_file *f, unsigned context, uint64_t offset,
	uint64_t size);
void trc_text_list_unref(struct trc_text_list *list);
/* Return the first entry of CPU, weak; NULL if there is none. */
const struct trc_text_entry *trc_text_list_first(const struct trc_text_list *list, uint32_t cpu);
const struct trc_text_entry *trc_text_list_next(const struct trc_text_list *list,
	const struct trc_text_entry *e);

/* ---- the survey (trc_text_survey.c) ---- */

/* A part of the file. */
struct trc_text_block {
	uint64_t offset, size;
	/* a line before the block reports that events were lost before its first event of the CPU */
	bool lost;
	uint64_t count; /* their number, 0: unknown */
};

struct trc_text_cpu {
	uint32_t cpu;
	GArray *blocks; /* of struct trc_text_block that have its events */
	bool lost_rest; /* events were lost after its last event */
	uint64_t rest;  /* their number, 0: unknown */
};

/* Examines all lines of a text: which blocks have events of which CPU, and what the text as a whole says. */
struct trc_text_survey {
	struct trc_text_file file;
	struct trc_budget budget;
	struct trc_text_ways ways;
	struct trc_text_classes *classes; /* owned: the classes of all events */
	GPtrArray *cpus;                  /* of struct trc_text_cpu *, owned, ascending */
	/* owned: TID → struct trc_text_thread *, owned: name and process in the last line of the thread */
	GHashTable *threads;
	GArray *absent;      /* of uint32_t: CPUs on which threads were to run, without events */
	int64_t first, last; /* ns: of all events */
	/* numbers of lines: events; lines that are not understood; events with impossible CPUs */
	uint64_t events, strange, far;
	uint64_t strange_at; /* number of the first strange line, from 1 on */
	uint64_t no_cpu;     /* number of events without CPU or time */
	bool flags;          /* the first event has flags */
	bool coarse;         /* some times have less than 9 digits after the point */
	bool counts;         /* times are plain counts, not seconds */
	bool unsorted;       /* times step back from one CPU to another */
	bool cut;            /* the text ends in the middle of a line, or of HTML */
	bool html;
	bool has_rt_thread; /* a thread exists that only PREEMPT_RT has */
	bool idle_serves;   /* the idle thread served a softirq, so the kernel is not PREEMPT_RT */
	/* Owned, "" unknown, hostile: from the head of perf script --header. */
	char *host, *release, *machine, *version;
};

struct trc_text_thread {
	int32_t pid;
	char comm[MDL_COMM];
};

/* Set *IS to true if the file PATH is such a text, and *FLAGS to true if its lines have flags.  False with
 * errno if it cannot be read. */
bool trc_text_detect(const char *path, bool *is, bool *flags);
/* NULL with BASE_ERROR_IO. */
struct trc_text_survey *trc_text_survey_new(const char *path, GError **error);
void trc_text_survey_free(void *survey);

#endif
