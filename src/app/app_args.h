/* SPDX-License-Identifier: MIT */
/* What a user typed behind the name of a subcommand. */
#ifndef APP_ARGS_H
#define APP_ARGS_H

#include "export/exp.h"

struct app_session;

/* Which groups of options a subcommand takes. */
enum app_options {
	APP_TAKES_OUTPUT = 1,   /* --format, -o */
	APP_TAKES_THREAD = 2,   /* --thread */
	APP_TAKES_LINE = 4,     /* --cpu, --irq, --device */
	APP_TAKES_WINDOW = 8,   /* --from, --to */
	APP_TAKES_LATENCY = 16, /* --kind, --rules, --by, --threshold, --fail-over, --histogram, --linear,
				  --unfinished */
	APP_TAKES_BUILD = 32,   /* --force, --quiet, --reader, --idle */
	APP_TAKES_VIEW = 64, /* --goto, --theme, --config, --command, --script, --ascii, --fresh, --rules */
	APP_TAKES_TOP = 128, /* --top */
	APP_TAKES_EVENTS = 256,      /* --at, --cpu, --name, --match */
	APP_TAKES_BY = 1024,         /* --by, --user-threads */
	APP_TAKES_TRACER = 512,      /* --hide-tracer, --show-tracer */
	APP_TAKES_STACKS = 8192,     /* --of */
	APP_TAKES_KALLSYMS = 16384,  /* --kallsyms */
	APP_TAKES_SYMFS = 65536,     /* --symfs */
	APP_TAKES_AT = 4096,         /* --at TIME */
	APP_TAKES_AGAINST = 32768,   /* --against and its window */
	APP_TAKES_VCPU = 131072,     /* --vcpu */
	APP_TAKES_HOST = 262144,     /* --host */
	APP_TAKES_OVERVIEW = 524288, /* --top, without a number, --bookmarks */
	APP_TAKES_FOLLOW = 1048576,  /* --follow */
	APP_TAKES_RESIDUALS = 2048,  /* --residuals, --columns, --from, --to */
	APP_TAKES_COMPARE = 4194304, /* --set, --slow, --group, --at, --fail-over */
	APP_TAKES_RECORD = 2097152,  /* how to record, and a command instead of traces */
};

/* Strings are owned and NULL where nothing was typed. */
struct app_args {
	char **traces; /* at least one, NULL-terminated; of "record" the words of a command, or NULL */
	char *sync;    /* for app_clocks_set() */
	char *index_dir;
	int jobs; /* 0: not given */
	char *format_name, *output;
	struct exp_output as; /* what FORMAT_NAME means */
	char *command;        /* all that was typed, as a shell takes it */
	char *thread, *cpu, *irq, *device, *vcpu, *host;
	char *from, *to;
	char *kind, *rules, *threshold;
	char *fail_over; /* "" where it stands alone */
	char *at, *name, *match, *by;
	char *of, *kallsyms, *symfs;
	char *set, *slow, *group;
	char **against; /* NULL-terminated; NULL: not typed */
	char *against_from, *against_to;
	int top;
	gboolean residuals;
	int columns; /* 0: not typed */
	gboolean histogram, linear, unfinished;
	gboolean force, quiet, follow;
	char *idle;
	char *reader;
	char *goto_text, *theme, *config, *commands, *view, *script;
	gboolean ascii, copy, fresh, print_config;
	gboolean user_threads, overview, bookmarks;
	gboolean hide_tracer, show_tracer; /* at most one */
	char *with, *record_for, *question, *flight, *until;
	gboolean dry_run, clean, no_open;
	bool match_without_tracer; /* not typed: the clocks are found without its packets too */
};

/* A subcommand: one const struct in its own file and a line in app_main.c. */
struct app_command {
	const char *name;
	const char *operands; /* what follows the options in its help */
	const char *summary;  /* one line, with a verb first */
	const char *examples; /* one to three lines that run, each indented and with its newline */
	const char *result;   /* in EXP_RESULTS; NULL: called like the command */
	unsigned options;     /* enum app_options */
	/* False with an error where what was typed does not go together, before anything is opened; NULL: it
	 * always does. */
	bool (*check)(const struct app_args *args, GError **error);
	/* Of a question to an experiment: as for app_session_run(), */
	bool (*answer)(struct app_session *s, GString *out, GError **error);
	/* of all else: do it.  False with an error, which becomes the exit status. */
	bool (*run)(const struct app_args *args, GError **error);
};

/* Are latencies to be compared with those of another recording or time? */
bool app_args_is_against(const struct app_args *args);

/* A TRACE, in words for the help: what stands for one with every command. */
#define APP_TRACE_WORDS                                                                    \
	"a CTF folder, a trace.dat, a perf.data, a folder of LTTng chunks or snapshots,\n" \
	"or a folder with several of these below it.  wakepath opens all as one experiment."
#define APP_LIVE_WORDS "A live session is net://RELAY/host/HOST/SESSION (view and index)."

/* True if WORD is an option ("--index-dir", "-o") of any command whose value is the next word. */
bool app_args_takes_value(const char *word);
/* Make one word of "--fail-over D" in ARGV, which may also stand without D: then the next word is no
 * duration. */
void app_args_join(int *argc, char **argv);
/*
 * Parse ARGV (ARGV[0] is skipped, ARGV is changed) for COMMAND.  "--help" prints the help and exits.
 * False with BASE_ERROR_USAGE; app_args_clear() in any case.
 */
bool app_args_parse(struct app_args *args, const struct app_command *command, int argc, char **argv,
	GError **error);
void app_args_clear(struct app_args *args);

#endif
