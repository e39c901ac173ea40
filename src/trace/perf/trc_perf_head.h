/* SPDX-License-Identifier: MIT */
/* The file perf.data: its records, everything in it except its samples, and the use of each record. */
#ifndef TRC_PERF_HEAD_H
#define TRC_PERF_HEAD_H

#include "trace/core/trc_cut.h"
#include "trace/tracefs/trc_format.h"

/* ---- records ---- */

/* The records of a perf.data, one after the other (enum perf_event_type in include/uapi/linux/perf_event.h,
 * and perf's own in tools/lib/perf/include/perf/event.h), and the layout of samples, which depends on the
 * requested events (struct perf_event_attr, enum perf_event_sample_format). */
#define TRC_PERF_HEAD 8 /* bytes of a record's header */

/* A record: struct perf_event_header, and its data. */
struct trc_perf_record {
	uint32_t type;
	uint16_t misc;
	uint64_t offset;       /* bytes, in the file or in the decompressed records */
	struct trc_bytes data; /* with the header */
};

enum {
	TRC_PERF_MMAP = 1,
	TRC_PERF_LOST = 2,
	TRC_PERF_COMM = 3,
	TRC_PERF_EXIT = 4,
	TRC_PERF_FORK = 7,
	TRC_PERF_SAMPLE = 9,
	TRC_PERF_MMAP2 = 10,
	TRC_PERF_LOST_SAMPLES = 13,
	TRC_PERF_SWITCH = 14,
	TRC_PERF_SWITCH_CPU_WIDE = 15,
	TRC_PERF_CGROUP = 19,
	TRC_PERF_ATTR = 64,
	TRC_PERF_TRACING_DATA = 66,
	TRC_PERF_FINISHED_ROUND = 68,
	TRC_PERF_ID_INDEX = 69,
	TRC_PERF_AUXTRACE = 71,
	TRC_PERF_FEATURE = 80,
	TRC_PERF_COMPRESSED = 81,
	TRC_PERF_COMPRESSED2 = 83
};

#define TRC_PERF_COMM_EXEC (1 << 13)     /* misc of COMM: by exec */
#define TRC_PERF_SWITCH_OUT (1 << 13)    /* misc of SWITCH: the thread leaves its CPU */
#define TRC_PERF_SWITCH_RUNS (1 << 14)   /* … and could have gone on; since Linux 4.17 */
#define TRC_PERF_LOST_FILTERED (1 << 15) /* misc of LOST_SAMPLES: not lost, but dropped by a BPF filter */

/* True if a cut may need a record of TYPE even if the record lies outside the window: it is about threads,
 * mappings, losses, or the file itself. */
static inline bool trc_perf_is_common(uint32_t type)
{
	switch (type) {
	case TRC_PERF_SAMPLE:
	case TRC_PERF_SWITCH:
	case TRC_PERF_SWITCH_CPU_WIDE:
	case TRC_PERF_FINISHED_ROUND:
	case TRC_PERF_COMPRESSED:
	case TRC_PERF_COMPRESSED2:
	case TRC_PERF_AUXTRACE - 1: /* AUXTRACE_INFO */
	case TRC_PERF_AUXTRACE:
	case TRC_PERF_AUXTRACE + 1: /* AUXTRACE_ERROR */
	/* THROTTLE, UNTHROTTLE, READ, AUX, ITRACE_START, AUX_OUTPUT_HW_ID are of no use without the
	 * samples */
	case 5:
	case 6:
	case 8:
	case 11:
	case 12:
	case 21: return false;
	default: return true;
	}
}

/* Get the record at *AT in B, up to END, and advance *AT past it and past the data that follows some records.
 * False if there is none; *AT differs from END then if a record should be there. */
bool trc_perf_record_next(const struct trc_bytes *b, uint64_t *at, uint64_t end,
	struct trc_perf_record *record);

#define TRC_PERF_NOWHERE 0   /* not in a record */
#define TRC_PERF_ATTR_MIN 64 /* bytes of the oldest struct perf_event_attr */

#define TRC_PERF_TWINS 32 /* most attrs of one tracepoint that are distinguished */

/* A requested event. */
struct trc_perf_attr {
	uint32_t type;   /* enum perf_type_id */
	uint64_t config; /* of a tracepoint: its id among the formats */
	uint64_t sample_type, read_format;
	const struct trc_format_event *event; /* weak; NULL: unknown */
	/* Weak, fields of EVENT; NULL: it has none. */
	const struct trc_format_field *common_pid, *meant; /* MEANT: the CPU on which a thread will run */
	bool is_tracepoint;
	bool is_part; /* mdl_table_is_part() of EVENT */
	/* other attrs ask for the same tracepoint (perf record -e sched:* -e sched:sched_switch) … */
	bool has_twins;
	uint8_t twin;        /* … and this is number TWIN of them, 0 to TRC_PERF_TWINS - 1 */
	bool is_usable;      /* its samples have time, CPU and the tracepoint's record */
	bool is_counter;     /* not a tracepoint; its samples have a time */
	bool is_switch;      /* it is not a requested event, but stands for the records of switches */
	bool tells_switches; /* records of switches are written */
	char *name;          /* of a counter; owned, hostile */
	bool is_sampled;     /* it samples: not every event has a record */
	bool has_samples;    /* it has samples of its own; if not, samples of another attr have its values */
	bool overwrites;     /* newer records overwrote older ones, on each CPU separately */
	bool has_others;     /* records other than samples also have a time */
	bool has_clock;
	int32_t clock; /* clockid_t, if HAS_CLOCK */
	/* Bytes from the begin of a sample to each part; TRC_PERF_NOWHERE if it has none. */
	unsigned id, ip, tid, time, cpu, period;
	unsigned fixed; /* start of the parts of variable size */
	/* bytes from the end of a sample to the id of the thread's cgroup; TRC_PERF_NOWHERE if it has none */
	unsigned cgroup;
	/* Bytes from the end of a record that is not a sample; TRC_PERF_NOWHERE if it has none. */
	unsigned other_id, other_time, other_cpu;
};

/* Contents of a sample. */
struct trc_perf_sample {
	uint64_t ip;
	/* in the PID namespace of perf; −1: unknown, or the thread has no number any more */
	int32_t pid, tid;
	int32_t global;          /* the TID of that thread outside of all namespaces; −1: unknown */
	uint64_t period;         /* counts since the sample before; 0: unknown */
	uint64_t cgroup;         /* id of the thread's cgroup; 0: unknown */
	struct trc_bytes counts; /* values of counters, as READ_FORMAT says; no data: not recorded */
	uint64_t paused;         /* ns in which they did not count since they were enabled; 0 if unknown */
	uint64_t id;             /* id of its event; 0: unknown */
	struct trc_bytes chain;  /* the call stack: 8 bytes each; no data: not recorded */
	struct trc_bytes record; /* of the tracepoint; no data: it does not fit */
};

/* Read the struct perf_event_attr in B, which may be shorter or longer than the known one.  False if it is
 * invalid. */
bool trc_perf_attr_read(struct trc_perf_attr *a, const struct trc_bytes *b);
/* True if samples of A have the values of a group of events. */
bool trc_perf_attr_is_group(const struct trc_perf_attr *a);
/* RECORD, with its header, is a sample of A (a usable one, or a counter) and has at least A->fixed bytes. */
void trc_perf_sample_read(const struct trc_perf_attr *a, const struct trc_bytes *record,
	struct trc_perf_sample *sample);
/* Read the next of the values COUNTS of A: *ID is that of its event, 0 if unknown. False: there are no
 * more. */
bool trc_perf_sample_count(const struct trc_perf_attr *a, struct trc_bytes *counts, uint64_t *value,
	uint64_t *id);
/* Return the CPU on which a thread will run, from SAMPLE of A; LIMIT if it names none below LIMIT. */
uint32_t trc_perf_sample_meant(const struct trc_perf_attr *a, const struct trc_perf_sample *sample,
	uint32_t limit);

/* ---- compressed records ---- */

/* perf record -z: records within records, compressed with zstd as one stream (tools/perf/util/zstd.c).  perf
 * record --threads: one file per thread, each with a stream of its own. */

/* The records of one file: in BYTES from BEGIN to END. */
struct trc_perf_part {
	struct trc_bytes bytes;
	uint64_t begin, end;
};

/*
 * Decompress the records of PARTS (of struct trc_perf_part, at least one), one after the other, into a file
 * without a name: up to what trc_perf_unpack_to() asks for, and what BUDGET allows. PARTS, their bytes and
 * BUDGET must outlive it. NULL with BASE_ERROR_IO.
 */
struct trc_perf_unpack *trc_perf_unpack_new(const GArray *parts, struct trc_budget *budget, GError **error);
void trc_perf_unpack_free(struct trc_perf_unpack *u);

/* Decompress until there are TO bytes, or all, or the budget is spent.  False with BASE_ERROR_IO. */
bool trc_perf_unpack_to(struct trc_perf_unpack *u, uint64_t to, GError **error);
/* Return the records so far, *SIZE bytes: only complete ones.  The address stays valid when more are
 * added. */
const uint8_t *trc_perf_unpack_bytes(const struct trc_perf_unpack *u, uint64_t *size);
/* Return the descriptor of the file with the records, weak. */
int trc_perf_unpack_fd(const struct trc_perf_unpack *u);
/* Return the part of the compressed data that is decompressed, 0 to 1. */
double trc_perf_unpack_share(const struct trc_perf_unpack *u);
/* True if everything possible is decompressed; *CUT: the rest is damaged and left out. */
bool trc_perf_unpack_is_all(const struct trc_perf_unpack *u, bool *cut);

/* ---- everything except the samples (tools/perf/Documentation/perf.data-file-format.txt) ---- */

struct trc_perf_head {
	char *path;               /* owned: path of the file, or of the folder that it is in */
	GMappedFile *file;        /* owned */
	uint64_t size;            /* bytes of FILE and OTHERS … */
	struct trc_budget budget; /* … and what they may still cost */
	struct trc_places places; /* owned: of its parts */
	/* owned, of GMappedFile *: the other files of the folder that have records */
	GPtrArray *others;
	struct trc_perf_unpack *unpacked; /* owned; NULL: FILE has all records, and none is compressed */
	GArray *parts;                    /* owned, of struct trc_perf_part: input of UNPACKED */
	struct trc_bytes bytes;           /* the bytes of FILE or, if there is one, of UNPACKED … */
	/* … and the range of the records in them; END grows while records are unpacked */
	uint64_t begin, end;
	int fd;                  /* owned: of the file that has BYTES */
	struct trc_bytes window; /* owned: a copy of some of BYTES … */
	uint64_t window_at;      /* … from this offset on */
	GArray *attrs;           /* of struct trc_perf_attr */
	/* stand for the records of switches: PERF_RECORD_SWITCH, PERF_RECORD_SWITCH_CPU_WIDE */
	struct trc_perf_attr own, wide;
	bool reads_wide;  /* only WIDE shows the switches of CPUs */
	GHashTable *cpus; /* owned: id of an event → its CPU + 1; NULL: records have their CPUs */
	/* owned: thread → number that stands for the CPU if records do not have it; NULL: they have it */
	GHashTable *slots;
	GArray *ids;                              /* owned: ids of all attrs, ascending */
	unsigned id, other_id;                    /* place of the id, as in struct trc_perf_attr */
	struct trc_formats formats;               /* of events */
	char *host, *release, *version, *machine; /* "": unknown; owned, hostile */
	struct trc_cut_mark mark;                 /* owned */
	char *command;                            /* the command line; "": unknown; owned, hostile */
	uint32_t online;                          /* CPUs that were online; 0: unknown */
	bool has_wall;                            /* ZERO, the time of the clock's 0, is known */
	int64_t zero;                             /* ns since the Epoch */
	bool is_packed, is_pipe;
	GError *problem; /* owned: why the records cannot be decompressed; NULL: they can */
	bool cut;        /* something did not fit into the file */
};

/* Set *IS to true if the file PATH, or "data" in the folder PATH, begins like a perf.data.  False with errno
 * if it cannot be read. */
bool trc_perf_head_detect(const char *path, bool *is);
/* NULL with BASE_ERROR_IO, or with BASE_ERROR_DATA if nothing can be read. */
struct trc_perf_head *trc_perf_head_open(const char *path, GError **error);
/* Get the record at *AT, and advance *AT, as trc_perf_record_next() does; valid until the next call.
 * Compressed records are decompressed as needed, and H->end grows.  False at the end, or if H->problem says
 * what is wrong. */
bool trc_perf_head_next(struct trc_perf_head *h, uint64_t *at, struct trc_perf_record *record);
/* Copy SIZE bytes at AT of H->bytes to TO.  False if they cannot be read. */
bool trc_perf_head_copy(const struct trc_perf_head *h, uint64_t at, uint64_t size, uint8_t *to);
/* Return the part of all records that is before AT, 0 to 1. */
double trc_perf_head_share(const struct trc_perf_head *h, uint64_t at);
void trc_perf_head_free(struct trc_perf_head *h);
/* Return the name of A; weak, hostile. */
const char *trc_perf_head_name(const struct trc_perf_attr *a);
/* Return the attr with ID.  If there is none: the only attr if H has just one, else NULL. */
const struct trc_perf_attr *trc_perf_head_attr(const struct trc_perf_head *h, uint64_t id);

/* ---- the use of a record, its time and CPU ---- */

#define TRC_PERF_CPUS_MAX 8192 /* of any kernel (NR_CPUS) */

/* The use of a record. */
enum trc_perf_use {
	TRC_PERF_NO_USE,
	TRC_PERF_EVENT,   /* a sample of a tracepoint or a counter, or a switch */
	TRC_PERF_ASIDE,   /* a record with a time, about threads or losses */
	TRC_PERF_TASK,    /* a record about a thread, without a time: the state before the recording */
	TRC_PERF_STRANGER /* a sample of an event that the file does not define */
};

struct trc_perf_place {
	int64_t time; /* ns, of the clock that is shown */
	uint32_t cpu;
	const struct trc_perf_attr *attr; /* of an EVENT */
};

/* Prepare to find the CPUs of records that do not have them. Call it before trc_perf_place(). */
void trc_perf_place_find_cpus(struct trc_perf_head *h);
/* Return the use of R; for EVENT and ASIDE, *PLACE receives its place. */
enum trc_perf_use trc_perf_place(const struct trc_perf_head *h, const struct trc_perf_record *r,
	struct trc_perf_place *place);

/* Return the TID of the thread that was running when R, which is not a sample, was written; 0: idle, -1:
 * unknown. Sets *PID to its process, unless PID is NULL. */
int64_t trc_perf_place_by(const struct trc_perf_head *h, const struct trc_perf_record *r, int64_t *pid);
/* Like trc_perf_place_by(), but -1 for the idle thread, too. */
int64_t trc_perf_place_tid(const struct trc_perf_head *h, const struct trc_perf_record *r);

/* Read R, a LOST_SAMPLES that perf wrote at the end from the kernel's counters: return the CPU that lost
 * *LOST events. TRC_PERF_CPUS_MAX if the CPU is unknown, or if wakepath does not read these events. */
uint32_t trc_perf_place_told(const struct trc_perf_head *h, const struct trc_perf_record *r, uint64_t *lost);

#endif
