/* SPDX-License-Identifier: MIT */
/* The words that follow the name of a subcommand, parsed. */
#ifndef APP_ARGS_H
#define APP_ARGS_H

#include "export/exp.h"

struct app_session;

/* Groups of options; a subcommand takes some of them. */
enum app_options {
	APP_TAKES_OUTPUT = 1,   /* --format, -o, --sync */
	APP_TAKES_THREAD = 2,   /* --thread */
	APP_TAKES_LINE = 4,     /* --cpu, --irq, --device */
	APP_TAKES_WINDOW = 8,   /* --from, --to */
	APP_TAKES_LATENCY = 16, /* --kind, --rules, --by, --threshold, --fail-over, --histogram, --linear,
				  --unfinished */
	APP_TAKES_BUILD = 32,   /* --force, --quiet, --reader, --idle, --summary, --summary-as, --host */
	/* --goto, --theme, --config, --print-config, --command, --view, --script, --ascii, --fresh, --copy,
	 * --rules, --sync */
	APP_TAKES_VIEW = 64,
	APP_TAKES_TOP = 128,          /* --top */
	APP_TAKES_EVENTS = 256,       /* --at, --cpu, --name, --match */
	APP_TAKES_LONGEST = 67108864, /* --top; all without it */
	APP_TAKES_BY = 1024,          /* --by, --user-threads */
	APP_TAKES_TRACER = 512,       /* --hide-tracer, --show-tracer */
	APP_TAKES_STACKS = 8192,      /* --of */
	APP_TAKES_KALLSYMS = 16384,   /* --kallsyms */
	APP_TAKES_SYMFS = 65536,      /* --symfs */
	APP_TAKES_AT = 4096,          /* --at TIME, --story */
	APP_TAKES_AGAINST = 32768,    /* --against and its window */
	APP_TAKES_VCPU = 131072,      /* --vcpu */
	APP_TAKES_HOST = 262144,      /* --host */
	APP_TAKES_OVERVIEW = 524288,  /* --top (without a number), --bookmarks */
	APP_TAKES_FOLLOW = 1048576,   /* --follow */
	APP_TAKES_RESIDUALS = 2048,   /* --residuals, --columns, --from, --to */
	APP_TAKES_COMPARE = 4194304,  /* --set, --slow, --group, --at, --against, --fail-over */
	APP_TAKES_RECORD = 2097152,   /* how to record; operands are a command, not traces */
	APP_TAKES_CUT = 8388608,      /* -o: the new recording */
	APP_TAKES_SQL =
		16777216, /* --file, --cpu, --fleet; the last operand is the query, unless --file is typed */
	APP_TAKES_EXPORT = 33554432,    /* --format sqlite|parquet, -o, --tables */
	APP_TAKES_SPANS = 134217728,    /* --name of spans */
	APP_TAKES_DECLARED = 268435456, /* --spans, without a window */
	/* --kind, --top, --force, --quiet, options of "fleet submit"; operands: folder or list, and a word */
	APP_TAKES_FLEET = 536870912,
	APP_TAKES_WATCH = 1073741824, /* how to watch; the only trace is the folder of --report */
};

/* Strings are owned; NULL if the option was not typed. */
struct app_args {
	char **traces; /* NULL-terminated, at least one; for "record": the words of a command, or NULL */
	char *sync;    /* for app_clocks_set() */
	char *index_dir;
	int jobs; /* hosts indexed at a time; 0: not typed */
	char *format_name, *output;
	struct exp_output as; /* the format named by FORMAT_NAME */
	char *command;        /* the whole command line, quoted for a shell */
	char *thread, *cpu, *irq, *device, *vcpu, *host;
	char *from, *to;
	char *kind, *rules, *threshold;
	char *spans;
	struct ana_rules *measured, *declared; /* read from RULES, from SPANS; owned; NULL: none */
	char *fail_over;                       /* "": typed without a value */
	char *at, *name, *match, *by;
	char *of, *kallsyms, *symfs;
	char *set, *slow, *group;
	char **against;           /* NULL-terminated; NULL: not typed */
	char *query, *query_file; /* at most one of them */
	char *fleet;              /* of "sql": a list of hosts, or a folder */
	char *tables;             /* of "export": names, separated by commas */
	char **only;              /* --thread of "cut"; NULL-terminated; NULL: not typed */
	char *against_from, *against_to;
	int top;
	gboolean residuals;
	int columns; /* 0: not typed */
	gboolean histogram, linear, unfinished, story;
	gboolean force, quiet, follow, summary;
	gboolean slurm, parallel, anywhere; /* of "fleet submit" */
	char *summary_as;
	char *idle;
	char *reader;
	char *goto_text, *theme, *config, *commands, *view, *script;
	gboolean ascii, copy, fresh, print_config;
	gboolean user_threads, overview, bookmarks;
	gboolean hide_tracer, show_tracer; /* at most one */
	char *with, *record_for, *question, *flight, *until, *counters;
	char **untils;          /* of "watch"; NULL: not typed */
	char **probes, **usdts; /* of "record"; NULL: not typed */
	char *keep, *every, *cpu_share, *disk, *report;
	gboolean overhead, daemon;
	gboolean on_cpu, stacks, dry_run, clean, no_open, anonymous;
	/* not an option: ignore the tracer's packets also when matching clocks */
	bool match_without_tracer;
};

/* A subcommand: one const struct next to similar commands, and one line in app_main.c. */
struct app_command {
	const char *name;
	const char *operands; /* the operands, as its help shows them */
	const char *summary;  /* one line that begins with a verb */
	const char *examples; /* one to three command lines that run, each indented and with its newline */
	const char *result;   /* its name in EXP_RESULTS; NULL: the same as NAME */
	unsigned options;     /* enum app_options */
	/* Called before anything is opened.  False with an error if the options do not fit together.  NULL:
	 * no check is needed. */
	bool (*check)(const struct app_args *args, GError **error);
	/* Answers a question about an experiment, by app_session_run().  NULL: RUN does the work. */
	bool (*answer)(struct app_session *s, GString *out, GError **error);
	/* Does the work of a subcommand that has no ANSWER.  False with an error, which sets the exit
	 * status. */
	bool (*run)(const struct app_args *args, GError **error);
};

/* True if latencies are compared with another recording or another time. */
bool app_args_is_against(const struct app_args *args);

/* The definition of TRACE, for the help of every command. */
#define APP_TRACE_WORDS                                                                     \
	"a CTF folder, a trace.dat, a perf.data, a .pftrace of Perfetto, text of ftrace\n"  \
	"or perf script, - for standard input, a folder of LTTng chunks or snapshots, or\n" \
	"a folder with several of these below it.  wakepath opens all as one experiment."
#define APP_LIVE_WORDS "A live session is net://RELAY/host/HOST/SESSION (view and index)."

/* True if WORD is an option ("--index-dir", "-o") of any command whose value is the next word. */
bool app_args_takes_value(const char *word);
/* Join "--fail-over D" in ARGV into one word, because --fail-over can also stand without D.  The next word is
 * D only if it is a duration or a percentage. */
void app_args_join(int *argc, char **argv);
/* Parse ARGV for COMMAND.  Skips ARGV[0] and changes ARGV.  "--help" prints the help and exits.  False with
 * BASE_ERROR_USAGE.  The caller calls app_args_clear() in both cases. */
bool app_args_parse(struct app_args *args, const struct app_command *command, int argc, char **argv,
	GError **error);
/* Free the members of ARGS. */
void app_args_clear(struct app_args *args);

/* ---- all subcommands; the list in app_main.c gives their order in the help ---- */

extern const struct app_command app_view, app_record, app_watch, app_index, app_info, app_threads, app_states,
	app_wakeups, app_flow, app_path, app_why, app_requests, app_latency, app_compare, app_causes,
	app_stacks, app_machines, app_events, app_spans, app_sql, app_export, app_sync, app_cut, app_verify,
	app_fleet;

#endif
