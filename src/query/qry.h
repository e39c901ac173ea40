/* SPDX-License-Identifier: MIT */
/*
 * Questions to an experiment: the indexes of one or more hosts, opened together.
 *
 * Row ids number the rows of all hosts, host by host: 0 … qry_row_count()-1.  All times are shown times, ns
 * (query/clock/clock.h): those of the first host's clock, or of each host's own clock until qry_set_clocks()
 * is called.  The experiment owns everything returned as const until it is freed.  One thread at a time uses
 * an experiment.
 */
#ifndef QRY_H
#define QRY_H

#include "index/file/types.h"
#include "model/kernel/coverage.h"
#include "model/event/fact.h"
#include "model/span/span.h"

#include <glib.h>

struct base_progress;
struct qry;
struct trc_recording;

/* Makes the file of spans FILE of RECORDING.  See ing_spans_make(). */
typedef bool (*qry_spans_maker)(const struct trc_recording *recording, const struct idx_meta *meta,
	const char *file, const bool *tracer, uint32_t rows, mdl_span_visit *found, void *data,
	struct base_progress *progress, GError **error);

/* A row with its names looked up. */
struct qry_row {
	uint32_t id;
	uint32_t host; /* number of the host: qry_host() */
	uint32_t cpu;  /* idle thread, softirq: its CPU; else MDL_NONE */
	/* row of the parent thread; virtual CPU: row of the thread that runs it; else MDL_NONE */
	uint32_t parent;
	uint32_t vcpu; /* virtual CPU: its number in its virtual machine, from KVM; MDL_NONE unknown */
	/* thread: row of the main thread of its process in this life; the row itself if unknown */
	uint32_t process;
	uint8_t type; /* enum mdl_row_type */
	bool born, died;
	bool is_kernel; /* a kernel thread, by its parent or else by its name */
	/* enum mdl_state that begins at LAST, if the state changes there; else MDL_ST_STORED */
	uint8_t final;
	int64_t nr;          /* TID (also of a virtual CPU), or number of the CPU, IRQ or softirq vector */
	int64_t pid, ppid;   /* -1 unknown */
	const char *name;    /* last name; "" unknown */
	const char *cgroup;  /* thread: path of its last control group; "" unknown */
	int64_t first, last; /* life within the trace; LAST is exclusive */
};

struct qry_host {
	/* host name, unique in the experiment: "#2" is added to the second of two alike */
	const char *name;
	/* Its from, to, gaps and chunks are by the host's own clock.  Use those below instead. */
	const struct idx_meta *meta;
	int64_t from, to;     /* times of the first and the last event */
	const GArray *gaps;   /* of struct idx_gap: lost events */
	const GArray *chunks; /* of struct idx_chunk: the folders of the trace, in time order */
	const char *index_path;
	uint64_t index_bytes;
	uint32_t first_row, n_rows;
	/* Events of hard IRQs, softirqs and vectors that were not recorded (static text); NULL: all were. */
	const char *interrupts_missing;
	bool tells_contexts; /* each event says whether an interrupt caused it */
	/* true: no event shows softirqs, nor what they do (receive, acknowledge, forward) */
	bool softirqs_missing;
	bool hrtimers_missing; /* true: no event shows which threads were throttled */
	/* True if migrations of runnable threads are not recorded: the CPU that they wait for is inferred. */
	bool moves_missing;
};

/* A packet that one host of the experiment sent and another received. */
struct qry_passage {
	uint32_t sender, receiver; /* numbers of the hosts */
	int64_t sent, received; /* by the clocks in use; SENT may be after RECEIVED if the clocks are off */
	/* The sender: a row of the experiment, a context of the sender's host, at time SENT. */
	struct mdl_act by;
	/* numbers of the transfers of the two hosts: qry_transfers_new_at() */
	uint64_t sent_number, received_number;
	int64_t error; /* ns by which SENT and RECEIVED may be off against each other; INT64_MAX unknown */
};

/* Beside the states, a cell has the time that an analysis took from MDL_ST_PREEMPTED and MDL_ST_WAIT_CPU,
 * because a quota kept the thread from its CPU (ana_throttled_window()). The functions below leave it 0. */
enum { QRY_CELL_THROTTLED = MDL_ST_N, QRY_CELL_N };

/* Time per state in one cell of a window. */
struct qry_cell {
	int64_t ns[QRY_CELL_N]; /* their sum is the cell's span within the row's life */
	uint32_t intervals;     /* number of intervals that touch the cell */
};

/* ---- life ---- */

/* Open the indexes in the files PATHS (of char *), in this order; the first host is the reference.
 * FINGERPRINTS (same length; NULL entries are not checked) are those of the traces now.  BASE_ERROR_STALE
 * names the first index that must be rebuilt. */
struct qry *qry_open(const GPtrArray *paths, const GPtrArray *fingerprints, GError **error);
/* Like qry_open().  READERS (same length) has those indexes that are already open, else NULL; an entry that
 * was taken becomes NULL. */
struct qry *qry_open_taking(const GPtrArray *paths, const GPtrArray *fingerprints, GPtrArray *readers,
	GError **error);
void qry_free(struct qry *q);

/* A cache for data derived from Q; it is dropped when the clocks of Q change.  Returns the data of KEY, an
 * address of the caller's; MAKE makes it on first use.  Q owns it and frees it with FREE. */
void *qry_memo(struct qry *q, const void *key, void *(*make)(struct qry *q), GDestroyNotify free);
/* Open the same experiment for another thread: same rows, traces and clocks as Q, shared until one of the two
 * gets other clocks.  Safe while another thread asks Q, but not while it sets traces or clocks of Q.  Fails
 * only if the file of packets cannot be read again. */
struct qry *qry_open_again(const struct qry *q, GError **error);
/* Set the trace of HOST to RECORDING (copied; NULL: unknown). Without it the events of HOST
 * (query/events/events.h) cannot be read. Nothing is opened yet. */
void qry_set_trace(struct qry *q, uint32_t host, const struct trc_recording *recording);

/*
 * Damage met in an index since it was opened, or (BASE_ERROR_IO) a trace that could not be read; NULL:
 * neither. Answers given meanwhile may lack something.  Ask before an answer is shown as whole, or kept.
 * Owned by Q.
 */
const GError *qry_damage(const struct qry *q);
/* The part of qry_damage() met in the file of packets (query/clock/sync.h); NULL: none.  The next opening
 * makes this file anew, and those of spans (query/cases/spans.h) if they are damaged. */
const GError *qry_sync_damage(const struct qry *q);
/* The part of qry_damage() met in the indexes themselves. */
const GError *qry_index_damage(const struct qry *q);
/* Note FAILURE (taken over): a trace could not be read for a part of many answers. qry_damage() returns
 * it. */
void qry_fail(const struct qry *q, GError *failure);

/* ---- hosts, rows, names ---- */

uint32_t qry_host_count(const struct qry *q);
const struct qry_host *qry_host(const struct qry *q, uint32_t host);
/* The doubts that can hold at TIME in the recording of HOST: what is recorded is what came until then.  Where
 * the whole recording shows that the kernel does something without events, that holds all the time. */
mdl_doubts qry_hides(const struct qry *q, uint32_t host, int64_t time);
/* True if events of GROUP are recorded. */
bool qry_host_has(const struct qry *q, uint32_t host, enum mdl_group group);
/* Make the name shown for a host: its own, or its folder's if the trace has none; with "#2" if it is already
 * in NAMES (of char *).  Adds it to NAMES, which owns it. */
const char *qry_host_name(GPtrArray *names, const struct idx_meta *meta);
/* Give HOST the name NAME (copied), which no other host of Q has. Call this before any question. */
void qry_set_host_name(struct qry *q, uint32_t host, const char *name);
/* Add the warnings of META to WARNINGS (of char *, owned by it), each after the host's NAME. */
void qry_host_warnings(GPtrArray *warnings, const char *name, const struct idx_meta *meta);
/* The span of the experiment over all hosts, ns. */
void qry_span(const struct qry *q, int64_t *from, int64_t *to);
/* All warnings as shown (of char *): those of hosts as "HOST: text", and those of the experiment. */
const GPtrArray *qry_warnings(const struct qry *q);
/* The warnings of the experiment alone, which qry_warn() added.  Of char *. */
const GPtrArray *qry_warnings_overall(const struct qry *q);
/* Facts worth knowing that are no warnings.  Of char *. */
const GPtrArray *qry_notes(const struct qry *q);
/* Add TEXT (copied) to the warnings, or the notes, of the experiment, unless it is there already. A warning
 * is one line that says what to do. */
void qry_warn(struct qry *q, const char *text);
void qry_note(struct qry *q, const char *text);

uint32_t qry_row_count(const struct qry *q);
const struct qry_row *qry_row(const struct qry *q, uint32_t row);
/* True if the control group of some thread is known. */
bool qry_has_cgroups(const struct qry *q);
/* Convert ROW of BEFORE to the row of Q.  Q has the hosts of BEFORE, each with at least the same rows.  A
 * number that is no row of BEFORE is returned unchanged. */
uint32_t qry_row_again(const struct qry *q, const struct qry *before, uint32_t row);
/* Convert ROWS (of uint32_t) like qry_row_again().  Returns a new array; the caller unrefs. */
GArray *qry_rows_again(const struct qry *q, const struct qry *before, const GArray *rows);
/* True if ROW is a kernel thread: kthreadd, its children, or an idle thread.  False if the parent is
 * unknown. */
bool qry_is_kernel_thread(const struct qry *q, uint32_t row);
/* The guest's CPU that a virtual CPU is. */
struct qry_guest {
	uint32_t cpu; /* row of that CPU */
	/* numbers of the CPU's events inside the virtual CPU's stays in the guest, as its host recorded them,
	 * and outside */
	uint64_t inside, outside;
};

/* Which CPU of its guest the virtual CPU VCPU (a row) is.  False if unknown or the guest's trace is not
 * open. */
bool qry_guest_of(const struct qry *q, uint32_t vcpu, struct qry_guest *guest);
/* The TSC of the virtual CPUs of host GUEST was set while it ran: returns what its clock, as found, did then,
 * without the host's name.  The caller frees.  NULL if it was not set.  JUMPS: also NULL if the clock did not
 * jump. */
char *qry_guest_set_text(const struct qry *q, uint32_t guest, bool jumps);
/* The virtual CPU (a row) that ran CPU of the guest HOST.  MDL_NONE if it is unknown, its host's trace is not
 * open, or one of the two has no clock. */
uint32_t qry_vcpu_of(struct qry *q, uint32_t host, uint32_t cpu);
/* The CPU of a guest (a row) that THREAD (a row) runs: the reverse of qry_vcpu_of(). MDL_NONE in the same
 * cases. */
uint32_t qry_guest_cpu_of(struct qry *q, uint32_t thread);
/* The row of the virtual CPU that THREAD (a row) works for; MDL_NONE: none. */
uint32_t qry_vcpu_row(const struct qry *q, uint32_t thread);
/* The row of CPU of HOST; MDL_NONE if the trace never shows that CPU. */
uint32_t qry_cpu_row(const struct qry *q, uint32_t host, uint32_t cpu);
/* The name ROW had at TIME. */
const char *qry_name_at(const struct qry *q, uint32_t row, int64_t time);
/* The priority (model/event/types.h) of thread ROW at TIME. The first recorded priority also holds before it
 * was recorded. MDL_PRIORITY_NONE if no event has it. */
int qry_priority_at(const struct qry *q, uint32_t row, int64_t time);
/* The next time after TIME at which the priority changes; BASE_TIME_NONE: never. */
int64_t qry_priority_change(const struct qry *q, uint32_t row, int64_t time);
/* The scheduling classes of all rows, to look up many; Q owns them. */
struct qry_classes;
const struct qry_classes *qry_classes(struct qry *q);
/* The class of ROW at TIME, by its priority; UNKNOWN for MDL_NONE and for what is no thread. */
enum mdl_span_class qry_class_at(const struct qry_classes *classes, uint32_t row, int64_t time);
/* Set *WAIT to the last wait of thread ROW for an IPI that begins before TIME. False if there is none. */
bool qry_ipi_wait_before(const struct qry *q, uint32_t row, int64_t time, struct mdl_ipi_wait *wait);
/* Set *WAIT to the first wait of thread ROW for an IPI that ends after TIME. False if there is none. */
bool qry_ipi_wait_after(const struct qry *q, uint32_t row, int64_t time, struct mdl_ipi_wait *wait);
/* All names that ROW ever had (const char *), oldest first.  The caller unrefs the array. */
GPtrArray *qry_names(const struct qry *q, uint32_t row);
/* "wk-server[1234]", "swapper/0", "CPU 1", "IRQ 25 virtio2-req.0", "softirq BLOCK/0"; after "HOST/" if there
 * are several hosts.  The caller frees. */
char *qry_row_label(const struct qry *q, uint32_t row);
/* LABEL (taken over) with "HOST/" before it, unless there is only one host, or LABEL begins with "NAME/" or
 * "NAME: " of any host. The caller frees. */
char *qry_label_with_host(const struct qry *q, uint32_t host, char *label);
/* "thread", "cpu", "irq", "softirq", "vcpu", "device", static. */
const char *qry_row_type_name(enum mdl_row_type type);

/*
 * Find the one thread that SPEC means: TID, NAME, HOST/TID or HOST/NAME, optionally followed by "@TIME".
 * NAME matches the last name of a thread, or with TIME the name at TIME.  If no thread matches, it matches
 * any name that a thread ever had.  BASE_ERROR_NO_ANSWER if there is none.  BASE_ERROR_USAGE if there are
 * several: lists them, and what to type for each.
 */
bool qry_find_thread(const struct qry *q, const char *spec, uint32_t *row, GError **error);
/* Like qry_find_thread(), for a block device: "--device [HOST/]NAME". */
bool qry_find_device(const struct qry *q, const char *spec, uint32_t *row, GError **error);
/* Like qry_find_thread(), for "--cpu [HOST/]N" (TYPE MDL_ROW_CPU) and "--irq [HOST/]N" (MDL_ROW_IRQ). */
bool qry_find_line(const struct qry *q, enum mdl_row_type type, const char *spec, uint32_t *row,
	GError **error);

/* Find the host called NAME.  BASE_ERROR_NO_ANSWER, with the names of all hosts, if there is none. */
bool qry_find_host(const struct qry *q, const char *name, uint32_t *host, GError **error);

/* ---- what counters counted while threads had a CPU ---- */

/* Sums: of counters of HOST, over TIME (ns). */
struct qry_counts {
	uint32_t host;
	int64_t time;
	uint64_t value[MDL_COUNTERS];
};

/* The number of counters of HOST, and the name of counter NUMBER, owned by the experiment. */
unsigned qry_counter_count(const struct qry *q, uint32_t host);
const char *qry_counter_name(const struct qry *q, uint32_t host, unsigned number);
/* True if a host has counters. */
bool qry_has_counters(const struct qry *q);
/* Set COUNTS to what thread ROW counted in [FROM, TO), between the first and the last reading in it. False,
 * with zeros, if nothing is known. */
bool qry_counts(const struct qry *q, uint32_t row, int64_t from, int64_t to, struct qry_counts *counts);
/* The share (0 to 1) that the counters of HOST cover of the time in which threads, except idle ones, had its
 * CPUs; NAN: it has no counters. */
double qry_counted_share(struct qry *q, uint32_t host);
/* Add COUNTS, of the same host, to SUM. */
void qry_counts_add(struct qry_counts *sum, const struct qry_counts *counts);
/* A cursor over the times between two readings in which ROW had a CPU, from the first that ends after TIME. Q
 * must outlive it. */
struct qry_counted;
struct qry_counted *qry_counted_new(struct qry *q, uint32_t row, int64_t time);
void qry_counted_free(struct qry_counted *c);
/* Read the next one.  False at the end. */
bool qry_counted_next(struct qry_counted *c, struct mdl_counted *counted);

/* ---- state history ---- */

/*
 * The interval of ROW that holds TIME, not clipped. False outside the row's life. An interval that is empty
 * in shown time (query/clock/clock.h) is never an answer; its two neighbours may have one state.
 *
 * If the trace of a guest's host is open, too, a running state of the guest lasts only while its virtual CPU
 * is inside the guest. The rest is vcpu-preempted or vcpu-exit, for threads and CPUs. If a thread has a CPU
 * in a wait that the user declared, its state is waiting, even during interrupts, because they take nothing
 * from its work. This holds for all functions below, except those with "kernel" in their name: they give the
 * view of the row's own kernel.
 */
bool qry_state_at(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval);
/* Like qry_state_at(), without the waits that the user declared: the state below them. */
bool qry_state_beneath(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval);
/* The interval of ROW that starts before TIME and ends at or after it.  False if there is none. */
bool qry_state_before(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval);
bool qry_kernel_state_at(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval);
bool qry_kernel_state_before(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *interval);
/* The end of the life of thread ROW: its exit, even if its history goes on because its parent has not reaped
 * it. Without an exit, the end of its history. */
int64_t qry_life_end(struct qry *q, uint32_t row);
/* All intervals of ROW that touch [FROM, TO), clipped to it, oldest first (GArray of struct mdl_interval).
 * The caller unrefs. */
GArray *qry_states(struct qry *q, uint32_t row, int64_t from, int64_t to);
/* Append the intervals of ROW that touch [FROM, TO), not clipped, to STATES (of struct mdl_interval). */
void qry_kernel_states_whole(struct qry *q, uint32_t row, int64_t from, int64_t to, GArray *states);
/* Set CELL to the time per state of ROW in [FROM, TO).  Costs two look-ups, whatever lies between. */
void qry_share(struct qry *q, uint32_t row, int64_t from, int64_t to, struct qry_cell *cell);
/* Like qry_share(), for the life of ROW. */
struct qry_cell qry_life(struct qry *q, uint32_t row);
/* Time that a thread ran, or that threads ran on a CPU, without interrupts and declared waits. ns. */
int64_t qry_cell_ran(const struct qry_cell *cell);
/* Time in ns that a thread was on a CPU, with declared waits and interrupts, like the kernel's accounting. */
int64_t qry_cell_on_cpu(const struct qry_cell *cell);
/* Fill CELLS with N_ROWS × N_COLUMNS cells of the window [FROM, TO), row by row.  Column c is
 * [qry_column_time(c), qry_column_time(c + 1)). */
void qry_window(struct qry *q, const uint32_t *rows, uint32_t n_rows, int64_t from, int64_t to,
	uint32_t n_columns, struct qry_cell *cells);
/* The time at which column C of a window begins.  See base_time_column(). */
int64_t qry_column_time(int64_t from, int64_t to, uint32_t n_columns, uint32_t c);

/* The detail of INTERVAL in words ("IRQ 25 virtio2-req.0", "softirq BLOCK", "ipi reschedule", "hrtimer",
 * "read", "interruptible"); NULL if it has none.  The caller frees. */
char *qry_detail_text(const struct qry *q, uint32_t row, const struct mdl_interval *interval);
/* "idle state 3": the idle state of the CPU in INTERVAL of its row; static. NULL: none, or not recorded. */
const char *qry_idle_state(const struct mdl_interval *interval);

/* ---- waits that the user declared: times in which a thread keeps its CPU and gets nothing done ---- */

struct qry_spin {
	int64_t from, to; /* the thread is in that state, ns */
	/* In [FROM, TO]: when it had no more to wait for, and began to notice; TO: that is not known. */
	int64_t released;
	uint32_t row;
	/* The thread that let it go on at RELEASED: the last one to arrive, or the one that held what it
	 * wanted. MDL_NONE: unknown, or this thread itself. */
	uint32_t by;
	const char *name;  /* of the state, "STATE:VALUE"; lives as long as struct qry_spins */
	mdl_doubts doubts; /* of work for memory: that it was this; else 0 */
};

struct qry_spins {
	GArray *all; /* of struct qry_spin */
	GStringChunk *names;
};

/* Finds the waits of Q, in any order; NULL: none, or it failed (qry_fail()). qry_spins_free() frees. */
typedef struct qry_spins *qry_spins_maker(struct qry *q);
void qry_spins_free(void *spins); /* may be NULL */
/* Let MAKER (NULL: none) find the waits of Q, and of what qry_open_again() opens of it. Call it before any
 * question to Q. */
void qry_set_spins_maker(struct qry *q, qry_spins_maker *maker);
/* All of them, by thread and time; those of one thread do not overlap. NULL if there are none. Owned by Q,
 * until its clocks change. */
const struct qry_spins *qry_spins(struct qry *q);
/* The wait of thread ROW that begins before TIME and ends at TIME or later; or the first one that ends after
 * TIME. NULL if there is none. Owned like qry_spins(). */
const struct qry_spin *qry_spin_before(struct qry *q, uint32_t row, int64_t time);
const struct qry_spin *qry_spin_after(struct qry *q, uint32_t row, int64_t time);

/* ---- the kernel's work for memory (reclaim, compaction, page faults) in a thread: changes no state ---- */

/* Like qry_set_spins_maker(). FROM, TO, ROW, DOUBTS and NAME ("direct reclaim") are set. Of two that overlap
 * the outer one counts. */
void qry_set_works_maker(struct qry *q, qry_spins_maker *maker);
/* The first work of thread ROW that ends after TIME; NULL: none. Owned like qry_spins(). */
const struct qry_spin *qry_work_after(struct qry *q, uint32_t row, int64_t time);
/* Find all such work now, so that later questions do not read the traces. */
void qry_works_find(struct qry *q);

/* ---- contexts ---- */

struct qry_context {
	enum mdl_ctx_type type;
	int64_t nr;       /* -1 unknown */
	const char *name; /* "" unknown */
};
/* Look up context id CONTEXT of HOST. */
struct qry_context qry_context(const struct qry *q, uint32_t host, uint32_t context);
/* The number of contexts of HOST; ids start at 0. */
uint32_t qry_context_count(const struct qry *q, uint32_t host);
/* "IRQ 25 virtio2-req.0", "softirq BLOCK", "ipi reschedule", "hrtimer".  The caller frees. */
char *qry_context_text(const struct qry *q, uint32_t host, uint32_t context);

/* ---- wake-ups: row ids in them are those of the experiment ---- */

/* The wake-up of thread ROW whose time is exactly TIME.  False if there is none. */
bool qry_wakeup_at(struct qry *q, uint32_t row, int64_t time, struct mdl_wakeup *wakeup);
/* The last wake-up of ROW with time < TIME; the first with time >= TIME.  False if there is none. */
bool qry_wakeup_before(struct qry *q, uint32_t row, int64_t time, struct mdl_wakeup *wakeup);
bool qry_wakeup_after(struct qry *q, uint32_t row, int64_t time, struct mdl_wakeup *wakeup);
/* All wake-ups of ROW with FROM <= time < TO (GArray of struct mdl_wakeup).  The caller unrefs. */
GArray *qry_wakeups(struct qry *q, uint32_t row, int64_t from, int64_t to);
/* The number (0, 1, …) of the first wake-up of ROW with time >= TIME; and wake-up number INDEX, false if
 * there is none. */
uint64_t qry_wakeup_seek(struct qry *q, uint32_t row, int64_t time);
bool qry_wakeup_get(struct qry *q, uint32_t row, uint64_t index, struct mdl_wakeup *wakeup);
/* The number of wake-ups of ROW in its whole life. */
uint64_t qry_wakeup_count(const struct qry *q, uint32_t row);

/* ---- causes of wake-ups ---- */

/* Read cause NUMBER (struct mdl_wakeup.cause, not 0) of HOST; rows in it are those of the experiment.  False
 * if there is none (damage). */
bool qry_cause(struct qry *q, uint32_t host, uint32_t number, struct mdl_cause *cause);
/* The name of device DEV of HOST, from the state dump, else "MAJOR:MINOR" ("8:16").  Owned by the
 * experiment. */
const char *qry_device_name(const struct qry *q, uint32_t host, uint32_t dev);
/* String STRING of HOST, for example struct mdl_received.device; "" for 0.  Owned by the experiment. */
const char *qry_string(const struct qry *q, uint32_t host, uint32_t string);
/* The number of strings of HOST. */
uint32_t qry_string_count(const struct qry *q, uint32_t host);
/* The name that the tracer of HOST uses for EVENT, a name of LTTng 2.4 or later: "sched:sched_waking".  Owned
 * by the experiment, or EVENT itself. */
const char *qry_event_name(const struct qry *q, uint32_t host, const char *event);
/* The row of interrupt context CONTEXT of HOST on CPU: an IRQ or a softirq.  MDL_NONE for contexts that have
 * no row. */
uint32_t qry_context_row(const struct qry *q, uint32_t host, uint32_t context, uint32_t cpu);

/* ---- transfers: network packets that a host sent or received ---- */

struct qry_transfers;
/* A cursor in the transfers of HOST, at the first at or after TIME.  Q must outlive it. */
struct qry_transfers *qry_transfers_new(struct qry *q, uint32_t host, int64_t time);
/* A cursor at transfer number NUMBER (0, 1, …) of HOST. */
struct qry_transfers *qry_transfers_new_at(struct qry *q, uint32_t host, uint64_t number);
void qry_transfers_free(struct qry_transfers *t);
/* The number of the next transfer. */
uint64_t qry_transfers_number(const struct qry_transfers *t);
/* The number of the transfer in which HOST received PACKET.  False if there is none. */
bool qry_transfer_of(struct qry *q, uint32_t host, const struct mdl_received *packet, uint64_t *number);
/* Read the next transfer; its row is that of the experiment.  False at the end or if it is damaged. */
bool qry_transfers_next(struct qry_transfers *t, struct mdl_transfer *transfer);

#endif
