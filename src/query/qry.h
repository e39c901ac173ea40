/* SPDX-License-Identifier: MIT */
/*
 * Typed questions to an experiment: one or more hosts' indexes opened together.
 *
 * Rows of all hosts are numbered through: row ids are 0 … qry_row_count()-1,
 * host by host.  All times are shown times (query/clock/clock.h): those of the first host's clock, or
 * of each host's own until qry_set_clocks() says otherwise.  Everything
 * returned as const is owned by the experiment and lives as long as it does.
 * An experiment is used by one thread at a time.
 */
#ifndef QRY_H
#define QRY_H

#include "index/idx_types.h"
#include "model/mdl_fact.h"
#include "model/mdl_span.h"

#include <glib.h>

struct base_progress;
struct qry;

/* Makes the file of spans FILE of the trace in FOLDERS, as ing_spans_make() does. */
typedef bool (*qry_spans_maker)(char *const *folders, const char *fingerprint, const char *reader,
	const char *file, const bool *tracer, uint32_t rows, mdl_span_visit *found, void *data,
	struct base_progress *progress, GError **error);

/* A row with its names resolved. */
struct qry_row {
	uint32_t id;
	uint32_t host;    /* index of qry_host() */
	uint32_t cpu;     /* idle thread, softirq: its CPU; else MDL_NONE */
	uint32_t parent;  /* row of the thread that forked it; virtual CPU: that runs it; MDL_NONE */
	uint32_t vcpu;    /* virtual CPU: its number in its machine, as KVM has it; MDL_NONE unknown */
	uint32_t process; /* thread: row of its process' main thread in this life, itself when unknown */
	uint8_t type;     /* enum mdl_row_type */
	bool born, died;
	uint8_t final;       /* enum mdl_state: that it has at LAST, if it changed then; else MDL_ST_N */
	int64_t nr;          /* TID, also of a virtual CPU; CPU, IRQ, softirq vector */
	int64_t pid, ppid;   /* -1 unknown */
	const char *name;    /* last name; "" unknown */
	int64_t first, last; /* life within the trace */
};

struct qry_host {
	const char *name; /* host name, unique in the experiment (a "#2" is added where two agree) */
	const struct idx_meta *meta; /* its from, to, gaps and chunks are times of the host's own clock: take
					those below */
	int64_t from, to;            /* first and last event's time */
	const GArray *gaps;          /* of struct idx_gap: lost events */
	const GArray *chunks;        /* of struct idx_chunk: the folders of the trace, in time order */
	const char *index_path;
	uint64_t index_bytes;
	uint32_t first_row, n_rows;
	/* Of hard IRQs, softirqs and vectors: the events that are not recorded (static); NULL: all are. */
	const char *interrupts_missing;
	/* Some are not, or have none (mdl_machine_has_untold()); else, where no context is open, a thread did
	 * it. */
	bool interrupts_hidden;
	bool tells_contexts;   /* each event tells whether it is of an interrupt: by ftrace and perf */
	bool softirqs_missing; /* so the same holds of what softirqs do: receive, acknowledge, forward */
	bool hrtimers_missing; /* so nothing tells who was throttled */
	/* Threads are moved unseen while they wait for a CPU: for which one is a guess. */
	bool moves_missing;
};

/* A packet that one host of the experiment sent and another received. */
struct qry_passage {
	uint32_t sender, receiver; /* hosts */
	int64_t sent, received;    /* by the clocks in use; SENT may be the later one where they are off */
	/* Who sent it: thread a row of the experiment, context one of the sender's host, time SENT. */
	struct mdl_act by;
	uint64_t sent_number, received_number; /* of the transfers of the two hosts: qry_transfers_new_at() */
	int64_t error; /* ns by which SENT and RECEIVED may be off against each other; INT64_MAX unknown */
};

/* Share of each state in one cell of a window. */
struct qry_cell {
	int64_t ns[MDL_ST_N]; /* sums to the cell's span within the row's life; 0 outside it */
	uint32_t intervals;   /* how many intervals touch the cell */
};

/* ---- life ---- */

/*
 * Open the indexes in the files PATHS (of char *), in that order; the first
 * host is the reference.  FINGERPRINTS (same length, entries may be NULL: not
 * checked) tell whether an index still belongs to its trace.
 * BASE_ERROR_STALE names the first index that must be built again.
 */
struct qry *qry_open(const GPtrArray *paths, const GPtrArray *fingerprints, GError **error);
void qry_free(struct qry *q);

/*
 * What others found out of Q and keep for as long as its clocks stay as they are: the one of KEY, an address
 * of theirs, made by MAKE when it is asked for first.  Owned by Q, which lets go of it with FREE.
 */
void *qry_memo(struct qry *q, const void *key, void *(*make)(struct qry *q), GDestroyNotify free);
/*
 * The same experiment for another thread, with the same rows, traces and clocks as Q, which it has together
 * with Q as long as neither is given other clocks; safe while a thread asks Q, but not while its traces or
 * clocks are set.  Fails only where the file of packets cannot be read again.
 */
struct qry *qry_open_again(const struct qry *q, GError **error);
/* The trace of HOST is in FOLDERS (as trc_folders.h says; NULL: not told): without this its events
 * (query/events/events.h) cannot be read.  Nothing is opened yet. */
void qry_set_trace(struct qry *q, uint32_t host, char *const *folders);

/*
 * Damage met in an index since it was opened, or NULL: answers given meanwhile
 * may lack something.  Ask before an answer is shown as whole.  Owned by Q.
 */
const GError *qry_damage(const struct qry *q);
/* The part of qry_damage() met in the file of packets (query/clock/sync.h), in the files of spans
 * (query/cases/spans.h); NULL: none.  The next opening makes these files anew. */
const GError *qry_sync_damage(const struct qry *q);
const GError *qry_spans_damage(const struct qry *q);

/* ---- hosts, rows, names ---- */

uint32_t qry_host_count(const struct qry *q);
const struct qry_host *qry_host(const struct qry *q, uint32_t host);
/*
 * The name under which a host appears: its own, or its folder's where the trace has
 * none, with "#2" where another of NAMES (of char *) has it already.  It is added to NAMES, which owns it.
 */
const char *qry_host_name(GPtrArray *names, const struct idx_meta *meta);
/* Add what META warns of to WARNINGS (of char *, owned by it), each with the host's NAME before it. */
void qry_host_warnings(GPtrArray *warnings, const char *name, const struct idx_meta *meta);
/* The experiment's span over all hosts, ns. */
void qry_span(const struct qry *q, int64_t *from, int64_t *to);
/* Warnings of all hosts as they are shown: "HOST: text", and of the experiment as a whole.  Of char *. */
const GPtrArray *qry_warnings(const struct qry *q);
/* Those of them that are no host's own: what qry_warn() was told.  Of char *. */
const GPtrArray *qry_warnings_overall(const struct qry *q);
/* What else is to be known, and is nothing to warn of.  Of char *. */
const GPtrArray *qry_notes(const struct qry *q);
/* Add TEXT (copied), one line that says what to do, to the warnings of the experiment as a whole, to its
 * notes; once. */
void qry_warn(struct qry *q, const char *text);
void qry_note(struct qry *q, const char *text);

uint32_t qry_row_count(const struct qry *q);
const struct qry_row *qry_row(const struct qry *q, uint32_t row);
/* The number in Q of ROW of BEFORE, which has the same hosts, and each of them the same rows or fewer; what
 * is no row of BEFORE stays what it is. */
uint32_t qry_row_again(const struct qry *q, const struct qry *before, uint32_t row);
/* The same of ROWS, of uint32_t, in a new array; the caller unrefs. */
GArray *qry_rows_again(const struct qry *q, const struct qry *before, const GArray *rows);
/* Whether ROW is a thread of the kernel's own: kthreadd, what it forked, an idle thread.  False where the
 * parent is not known. */
bool qry_is_kernel_thread(const struct qry *q, uint32_t row);
/* Which CPU of a guest a virtual CPU is. */
struct qry_guest {
	uint32_t cpu;             /* its row */
	uint64_t inside, outside; /* what it did while the host says that it was inside the guest, and else */
};

/* What virtual CPU VCPU (a row) is to its guest; false: not known, or the guest's trace is not open. */
bool qry_guest_of(const struct qry *q, uint32_t vcpu, struct qry_guest *guest);
/* Whether the clock of host GUEST, as it was found, jumped where the TSC of its virtual CPUs was set while it
 * ran: words without its name, which the caller frees; NULL: it was not set, or (JUMPS) did not jump. */
char *qry_guest_set_text(const struct qry *q, uint32_t guest, bool jumps);
/* The virtual CPU (a row) that ran CPU of the guest HOST; MDL_NONE: it is not known, or its host's trace is
 * not open, or one of the two has no clock. */
uint32_t qry_vcpu_of(struct qry *q, uint32_t host, uint32_t cpu);
/* The other way round: the CPU of a guest (a row) that THREAD (a row) runs; MDL_NONE in the same cases. */
uint32_t qry_guest_cpu_of(struct qry *q, uint32_t thread);
/* The row of the virtual CPU whose work THREAD (a row) does; MDL_NONE: it does none's. */
uint32_t qry_vcpu_row(const struct qry *q, uint32_t thread);
/* Row of CPU of HOST; MDL_NONE when that CPU was never seen. */
uint32_t qry_cpu_row(const struct qry *q, uint32_t host, uint32_t cpu);
/* The name ROW had at TIME. */
const char *qry_name_at(const struct qry *q, uint32_t row, int64_t time);
/* The priority (mdl_types.h) that thread ROW had at TIME, before the first one seen that one;
 * MDL_PRIORITY_NONE where no event tells. */
int qry_priority_at(const struct qry *q, uint32_t row, int64_t time);
/* When, after TIME, it has another one next; BASE_TIME_NONE: never. */
int64_t qry_priority_change(const struct qry *q, uint32_t row, int64_t time);
/* All names ROW ever had, oldest first, as const char *; the caller unrefs the array. */
GPtrArray *qry_names(const struct qry *q, uint32_t row);
/* "wk-server[1234]", "swapper/0", "CPU 1", "IRQ 25 virtio2-req.0", "softirq BLOCK/0"; with "HOST/" in front
 * when there are several hosts.  The caller frees. */
char *qry_row_label(const struct qry *q, uint32_t row);

/*
 * Find the one thread a person means by SPEC: TID, NAME, HOST/TID, HOST/NAME,
 * with "@TIME" behind it or not.  A name counts that it has at last, or had at TIME; any it ever had where no
 * thread has it so.
 * BASE_ERROR_NO_ANSWER when there is none, BASE_ERROR_USAGE with all
 * matches and what to type for each when there are several.
 */
bool qry_find_thread(const struct qry *q, const char *spec, uint32_t *row, GError **error);
/* The same for "--device [HOST/]NAME", a block device. */
bool qry_find_device(const struct qry *q, const char *spec, uint32_t *row, GError **error);
/* The same for "--cpu [HOST/]N" and "--irq [HOST/]N"; TYPE is MDL_ROW_CPU or MDL_ROW_IRQ. */
bool qry_find_line(const struct qry *q, enum mdl_row_type type, const char *spec, uint32_t *row,
	GError **error);

/* The host called NAME; BASE_ERROR_NO_ANSWER with the names that there are. */
bool qry_find_host(const struct qry *q, const char *name, uint32_t *host, GError **error);

/* ---- state history ---- */

/*
 * The interval of ROW that holds TIME, not clipped.  False outside the row's life.  An interval that is shown
 * as empty (query/clock/clock.h) holds no time and is in no answer; then two neighbours may be alike.
 *
 * Where the host of a guest is open too, what its kernel takes for running is so only as long as the virtual
 * CPU is inside the guest: else it is vcpu-preempted or vcpu-exit, of threads and of CPUs.  All questions
 * below take that into account but qry_kernel_state_at() and _before(), which tell what the row's own kernel
 * knows.
 */
bool qry_state_at(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval);
/* The interval of ROW that ends at or after TIME and starts before it: the one just before TIME.  False when
 * there is none. */
bool qry_state_before(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval);
bool qry_kernel_state_at(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval);
bool qry_kernel_state_before(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval);
/* All intervals of ROW that touch [FROM, TO), clipped to it, oldest first: GArray of struct mdl_interval, the
 * caller unrefs. */
GArray *qry_states(struct qry *q, uint32_t row, int64_t from, int64_t to);
/* Time of ROW in each state within [FROM, TO): two look-ups, whatever lies between. */
void qry_share(struct qry *q, uint32_t row, int64_t from, int64_t to, struct qry_cell *cell);
/* Time in which a thread ran, or of a CPU in which threads did, without interrupts. */
int64_t qry_cell_ran(const struct qry_cell *cell);
/* Time on a CPU, of a thread's share, with the interrupts on top of it, which the kernel's own accounting
 * puts down to it. */
int64_t qry_cell_on_cpu(const struct qry_cell *cell);
/*
 * N_ROWS × N_COLUMNS cells of the window [FROM, TO), row by row into CELLS.
 * Column c is [qry_column_time(c), qry_column_time(c + 1)).
 */
void qry_window(struct qry *q, const uint32_t *rows, uint32_t n_rows, int64_t from, int64_t to,
	uint32_t n_columns, struct qry_cell *cells);
/* The time at which column C of a window begins: base_time_column(). */
int64_t qry_column_time(int64_t from, int64_t to, uint32_t n_columns, uint32_t c);

/* What DETAIL of an interval says in words ("IRQ 25 virtio2-req.0", "softirq BLOCK", "ipi reschedule",
 * "hrtimer", "read", "interruptible"); NULL when it says nothing.  The caller frees. */
char *qry_detail_text(const struct qry *q, uint32_t row, const struct mdl_interval *interval);

/* ---- contexts ---- */

struct qry_context {
	enum mdl_ctx_type type;
	int64_t nr;       /* -1 unknown */
	const char *name; /* "" unknown */
};
/* Context id CONTEXT of HOST. */
struct qry_context qry_context(const struct qry *q, uint32_t host, uint32_t context);
/* How many HOST has; their ids count from 0. */
uint32_t qry_context_count(const struct qry *q, uint32_t host);
/* "IRQ 25 virtio2-req.0", "softirq BLOCK", "ipi reschedule", "hrtimer".  The caller frees. */
char *qry_context_text(const struct qry *q, uint32_t host, uint32_t context);

/* ---- wake-ups: row ids in them are those of the experiment ---- */

/* The wake-up of thread ROW whose time is exactly TIME; false when there is none. */
bool qry_wakeup_at(struct qry *q, uint32_t row, int64_t time, struct mdl_wakeup *wakeup);
/* The last wake-up of ROW with time < TIME / the first with time >= TIME. */
bool qry_wakeup_before(struct qry *q, uint32_t row, int64_t time, struct mdl_wakeup *wakeup);
bool qry_wakeup_after(struct qry *q, uint32_t row, int64_t time, struct mdl_wakeup *wakeup);
/* All wake-ups of ROW with FROM <= time < TO: GArray of struct mdl_wakeup, the caller unrefs. */
GArray *qry_wakeups(struct qry *q, uint32_t row, int64_t from, int64_t to);
/* The number (0, 1, …) of the first wake-up of ROW with time >= TIME, and wake-up number INDEX; false when
 * there is none. */
uint64_t qry_wakeup_seek(struct qry *q, uint32_t row, int64_t time);
bool qry_wakeup_get(struct qry *q, uint32_t row, uint64_t index, struct mdl_wakeup *wakeup);
/* How many wake-ups ROW has in its whole life. */
uint64_t qry_wakeup_count(const struct qry *q, uint32_t row);

/* ---- causes of wake-ups ---- */

/* Cause NUMBER (struct mdl_wakeup.cause, not 0) of HOST; rows in it are those of the experiment.  False when
 * there is no such cause (damage). */
bool qry_cause(struct qry *q, uint32_t host, uint32_t number, struct mdl_cause *cause);
/* Name of device DEV of HOST from the state dump, else "MAJOR:MINOR" as in "8:16".  The experiment's. */
const char *qry_device_name(const struct qry *q, uint32_t host, uint32_t dev);
/* String STRING of HOST, as struct mdl_received.device.  Owned by the experiment; "" for 0. */
const char *qry_string(const struct qry *q, uint32_t host, uint32_t string);
/* What the tracer of HOST calls the event that LTTng calls EVENT since 2.4: "sched:sched_waking".  Owned by
 * the experiment, or EVENT itself. */
const char *qry_event_name(const struct qry *q, uint32_t host, const char *event);
/* The row of interrupt context CONTEXT of HOST on CPU: an interrupt line or a softirq; MDL_NONE for the kinds
 * that have no row. */
uint32_t qry_context_row(const struct qry *q, uint32_t host, uint32_t context, uint32_t cpu);

/* ---- transfers: packets of the net that a host sent or received ---- */

struct qry_transfers;
/* Those of HOST from TIME on, in order of time.  Q must outlive them. */
struct qry_transfers *qry_transfers_new(struct qry *q, uint32_t host, int64_t time);
/* Number NUMBER (0, 1, …) of HOST and those that follow. */
struct qry_transfers *qry_transfers_new_at(struct qry *q, uint32_t host, uint64_t number);
void qry_transfers_free(struct qry_transfers *t);
/* The number of the one that comes next. */
uint64_t qry_transfers_number(const struct qry_transfers *t);
/* The number of the transfer by which HOST received PACKET; false: there is none. */
bool qry_transfer_of(struct qry *q, uint32_t host, const struct mdl_received *packet, uint64_t *number);
/* The next one, its row that of the experiment; false at the end or when damaged. */
bool qry_transfers_next(struct qry_transfers *t, struct mdl_transfer *transfer);

#endif
