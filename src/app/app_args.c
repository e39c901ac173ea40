/* SPDX-License-Identifier: MIT */
/*
 * All strings are taken byte by byte, like file names: a thread must be found even if the locale cannot
 * represent its name.
 */
#include "app/app_args.h"

#include "analysis/latency/rules.h"
#include "base/base_error.h"
#include "base/base_time.h"
#include "live/live_relay.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOP_DEFAULT 10
#define COLUMNS_MAX 100000
#define NOT_TYPED G_MININT

/* An option: its commands, its GLib type, and the member of struct app_args for its value. */
struct option {
	unsigned takes; /* set of enum app_options: the commands that have it; 0: all commands */
	GOptionArg arg;
	char letter; /* 0: none */
	const char *name;
	size_t at;
	const char *words; /* help; NULL: the formats of the command's result */
	const char *value; /* name of its value in the help */
};
#define AT(member) offsetof(struct app_args, member)
#define FLAG G_OPTION_ARG_NONE
#define NUMBER G_OPTION_ARG_INT
#define TEXT G_OPTION_ARG_FILENAME
#define LIST G_OPTION_ARG_FILENAME_ARRAY

/* In the order of the help. */
static const struct option options[] = {
	{ APP_TAKES_OUTPUT | APP_TAKES_VIEW | APP_TAKES_EXPORT, TEXT, 0, "sync", AT(sync),
		"Clocks of several hosts: auto (default: from their packets), none, a FILE of \"wakepath sync --format json\", HOST=OFFSET for one host",
		"SYNC,..." },
	{ APP_TAKES_THREAD, TEXT, 0, "thread", AT(thread),
		"Thread: TID, NAME, HOST/TID or HOST/NAME; add @TIME if the kernel used the TID twice", "T" },
	{ APP_TAKES_LINE, TEXT, 0, "cpu", AT(cpu), "CPU, instead of a thread", "[HOST/]N" },
	{ APP_TAKES_LINE, TEXT, 0, "irq", AT(irq), "Interrupt line, instead of a thread", "[HOST/]N" },
	{ APP_TAKES_LINE, TEXT, 0, "device", AT(device), "Block device, instead of a thread", "[HOST/]NAME" },
	{ APP_TAKES_VCPU, TEXT, 0, "vcpu", AT(vcpu),
		"Virtual CPU that this thread of the host runs, instead of a thread", "T" },
	{ APP_TAKES_HOST, TEXT, 0, "host", AT(host), "Only this host", "H" },
	{ APP_TAKES_RESIDUALS, FLAG, 0, "residuals", AT(residuals),
		"Print the travel time of each packet between hosts, by the clocks in use", NULL },
	{ APP_TAKES_RESIDUALS, NUMBER, 0, "columns", AT(columns),
		"With --residuals: number, minimum and maximum in each of N parts of the window", "N" },
	{ APP_TAKES_WINDOW | APP_TAKES_RESIDUALS, TEXT, 0, "from", AT(from),
		"Start of the window: ns since the Epoch, HH:MM:SS[.fraction], +D from the start or -D from the end",
		"TIME" },
	{ APP_TAKES_WINDOW | APP_TAKES_RESIDUALS, TEXT, 0, "to", AT(to), "End of the window", "TIME" },
	{ APP_TAKES_LATENCY, TEXT, 0, "kind", AT(kind),
		"Kind of latency: wakeup (default), blocked, ...; an unknown one lists them all", "KIND" },
	{ APP_TAKES_LATENCY, TEXT, 0, "rules", AT(rules),
		"Measure latencies by the rules in FILE; --kind selects one rule", "FILE" },
	{ APP_TAKES_SQL | APP_TAKES_EXPORT, TEXT, 0, "rules", AT(rules),
		"Add what the rules in FILE measure to the table latency", "FILE" },
	{ APP_TAKES_WINDOW | APP_TAKES_COMPARE | APP_TAKES_EXPORT | APP_TAKES_VIEW | APP_TAKES_OVERVIEW |
			APP_TAKES_DECLARED,
		TEXT, 0, "spans", AT(spans), "Add the spans and states of programs that FILE declares",
		"FILE" },
	{ APP_TAKES_SPANS, TEXT, 0, "name", AT(name), "Only spans of this name", "NAME" },
	{ APP_TAKES_LATENCY, TEXT, 0, "by", AT(by),
		"Group by thread, name, process, cpu, host, class, cgroup, key, call, device or disk",
		"WHAT" },
	{ APP_TAKES_LATENCY, TEXT, 0, "threshold", AT(threshold),
		"List only cases of at least D, such as 2.5ms", "D" },
	{ APP_TAKES_LATENCY, TEXT, 0, "fail-over", AT(fail_over),
		"Exit with 1 if a case is longer than D; without D, if no case reaches the threshold", "D" },
	{ APP_TAKES_LATENCY, FLAG, 0, "histogram", AT(histogram), "Print the distribution", NULL },
	{ APP_TAKES_LATENCY, FLAG, 0, "linear", AT(linear),
		"Print the distribution in classes of equal width", NULL },
	{ APP_TAKES_LATENCY, FLAG, 0, "unfinished", AT(unfinished),
		"List the cases that did not end in the trace", NULL },
	{ APP_TAKES_COMPARE, TEXT, 0, "set", AT(set),
		"Intervals to compare: requests[:T], runs:T, latency:KIND[:T], span:NAME, between:EVENT..EVENT, or a FILE of lines THREAD FROM TO [NAME]",
		"SPEC" },
	{ APP_TAKES_COMPARE, TEXT, 0, "slow", AT(slow),
		"Slow intervals: 'over D', 'top P%' or gap (default); with other groups the name of a group",
		"WHICH" },
	{ APP_TAKES_COMPARE, TEXT, 0, "group", AT(group),
		"Group by duration (default), structure, host, connection, name, or EVENT.FIELD", "WHAT" },
	{ APP_TAKES_COMPARE, TEXT, 0, "at", AT(at),
		"Only the intervals around this percentile of each group, such as p99", "pN" },
	{ APP_TAKES_COMPARE, LIST, 0, "against", AT(against),
		"Compare with the same set in another recording (repeat it for each trace), or with another set",
		"TRACE|SPEC" },
	{ APP_TAKES_COMPARE, TEXT, 0, "fail-over", AT(fail_over),
		"Exit with 1 if the mean of the slow (or newer) intervals is more than P% longer", "P%" },
	{ APP_TAKES_AGAINST, LIST, 0, "against", AT(against),
		"Compare with another recording; repeat it for each trace", "TRACE" },
	{ APP_TAKES_AGAINST, TEXT, 0, "against-from", AT(against_from),
		"Start of the time to compare with, in that recording or in the same traces", "TIME" },
	{ APP_TAKES_AGAINST, TEXT, 0, "against-to", AT(against_to), "End of that time", "TIME" },
	{ APP_TAKES_EVENTS, TEXT, 0, "at", AT(at),
		"Events around a time, or around event number N ([HOST/]#N)", "TIME|EVENT#" },
	{ APP_TAKES_EVENTS, TEXT, 0, "cpu", AT(cpu), "Only events of this CPU", "[HOST/]N" },
	{ APP_TAKES_EVENTS, TEXT, 0, "name", AT(name),
		"Only events whose name contains PATTERN; with * or ? it must match the whole name",
		"PATTERN" },
	{ APP_TAKES_EVENTS, TEXT, 0, "match", AT(match),
		"Only events whose name and fields match, such as 'next_comm = \"wk-'", "REGEX" },
	{ APP_TAKES_AT, TEXT, 0, "at", AT(at), "The wait of the thread at this time, instead of a window",
		"TIME" },
	{ APP_TAKES_AT, FLAG, 0, "story", AT(story),
		"One page: a sentence, the path, the largest causes, what is not known; also --format svg, png, pdf",
		NULL },
	{ APP_TAKES_STACKS, TEXT, 0, "of", AT(of),
		"Stacks of the threads that slept (default), of the threads that woke them, or of running threads",
		"sleeper|waker|cpu" },
	{ APP_TAKES_STACKS, FLAG, 0, "on-cpu", AT(on_cpu), "Same as --of cpu: where threads ran, by samples",
		NULL },
	{ APP_TAKES_KALLSYMS, TEXT, 0, "kallsyms", AT(kallsyms),
		"Names of kernel functions: a copy of /proc/kallsyms, plain or .gz", "FILE" },
	{ APP_TAKES_SYMFS, TEXT, 0, "symfs", AT(symfs),
		"Names of program functions: from files below DIR, the root folder of the recorded machine; / is this machine",
		"DIR" },
	{ APP_TAKES_SQL, TEXT, 0, "file", AT(query_file), "Read the query from FILE", "FILE" },
	{ APP_TAKES_SQL, TEXT, 0, "fleet", AT(fleet),
		"Ask all hosts of LIST (a list for \"wakepath fleet\"), and combine their answers", "LIST" },
	{ APP_TAKES_SQL, TEXT, 0, "cpu", AT(cpu), "The CPU that $cpu stands for", "N" },
	{ APP_TAKES_TOP, NUMBER, 0, "top", AT(top), "Number of rows (default 10; 0 for all)", "N" },
	{ APP_TAKES_LONGEST, NUMBER, 0, "top", AT(top), "Only the N longest, longest first (default: all)",
		"N" },
	{ APP_TAKES_OVERVIEW, FLAG, 0, "top", AT(overview),
		"Also print where the time went, and the worst of each kind", NULL },
	{ APP_TAKES_OVERVIEW, FLAG, 0, "bookmarks", AT(bookmarks), "Also print the bookmarks of the explorer",
		NULL },
	{ APP_TAKES_BY, TEXT, 0, "by", AT(by), "One line for each name (default), thread or cgroup",
		"name|thread|cgroup" },
	{ APP_TAKES_BY, FLAG, 0, "user-threads", AT(user_threads),
		"Leave out kernel threads, which sleep until there is work", NULL },
	{ APP_TAKES_TRACER, FLAG, 0, "hide-tracer", AT(hide_tracer),
		"Leave out the threads and packets of the tracer itself (default of view)", NULL },
	{ APP_TAKES_TRACER, FLAG, 0, "show-tracer", AT(show_tracer),
		"Show the threads and packets of the tracer itself", NULL },
	{ APP_TAKES_OUTPUT | APP_TAKES_WATCH, TEXT, 0, "format", AT(format_name), NULL, "FORMAT" },
	{ APP_TAKES_OUTPUT, TEXT, 'o', "output", AT(output), "Write to FILE instead of standard output",
		"FILE" },
	{ APP_TAKES_EXPORT, TEXT, 0, "format", AT(format_name),
		"A database of SQLite, or a folder of Parquet files", "sqlite|parquet" },
	{ APP_TAKES_EXPORT, TEXT, 'o', "output", AT(output), "Write this file, or (parquet) this new folder",
		"NAME" },
	{ APP_TAKES_EXPORT, TEXT, 0, "tables", AT(tables), "Only these tables, such as thread,wakeup",
		"A,B" },
	{ APP_TAKES_CUT, LIST, 0, "thread", AT(only),
		"Keep all events of this thread (TID, NAME, HOST/TID) and of those that it depends on; of others, leave out system calls and what wakepath does not use; repeat it for several",
		"T" },
	{ APP_TAKES_CUT, FLAG, 0, "anonymous", AT(anonymous),
		"Replace the names of the host, of user threads and of files; equal names stay equal", NULL },
	{ APP_TAKES_RECORD | APP_TAKES_CUT, TEXT, 'o', "output", AT(output),
		"Write this file, or for LTTng this folder", "NAME" },
	{ APP_TAKES_RECORD, TEXT, 0, "with", AT(with),
		"Use this tracer (default: the first of these that is available)", "lttng|ftrace|perf" },
	{ APP_TAKES_WATCH, LIST, 0, "until", AT(untils),
		"Keep a recording of each latency longer than D, such as 'wakeup > 5ms', or than N x p50, p90, p99 or p999 of what was seen so far; repeat it for several kinds",
		"'KIND > D'" },
	{ APP_TAKES_WATCH, TEXT, 'o', "output", AT(output),
		"Folder of the recordings (default wakepath-watch); with --report: write to this file",
		"DIR" },
	{ APP_TAKES_WATCH, TEXT, 0, "keep", AT(keep),
		"Keep the N worst of each --until, and a typical case beside each (default 20)", "N" },
	{ APP_TAKES_WATCH, TEXT, 0, "every", AT(every),
		"Save at most one recording of each --until in D (default 1s)", "D" },
	{ APP_TAKES_WATCH, TEXT, 0, "cpu", AT(cpu_share),
		"Use at most this share of all CPUs: if need be, record less, or pause (default: no limit)",
		"P%" },
	{ APP_TAKES_WATCH, TEXT, 0, "disk", AT(disk), "Keep at most SIZE of recordings (default 1G)",
		"SIZE" },
	{ APP_TAKES_WATCH, FLAG, 0, "daemon", AT(daemon),
		"Go on without this terminal; messages go to watch.log in the folder", NULL },
	{ APP_TAKES_WATCH, FLAG, 0, "overhead", AT(overhead),
		"Measure what watching costs COMMAND; without COMMAND, two threads that wake each other",
		NULL },
	{ APP_TAKES_WATCH, TEXT, 0, "report", AT(report),
		"Print what a watch kept in DIR: hits per hour, distribution, and how hits differ from typical cases",
		"DIR" },
	{ APP_TAKES_RECORD | APP_TAKES_WATCH, TEXT, 0, "for", AT(record_for), "End after D, such as 10s",
		"D" },
	{ APP_TAKES_RECORD | APP_TAKES_WATCH, TEXT, 0, "for-question", AT(question),
		"Record only the events for these answers (default: all)",
		"cpu|disk|net|locks|spans|counters|on-cpu|all" },
	{ APP_TAKES_RECORD, TEXT, 0, "counters", AT(counters),
		"With perf: read these counters at each switch of threads, such as cycles,instructions",
		"NAME,..." },
	{ APP_TAKES_RECORD, LIST, 0, "probe", AT(probes),
		"Record when this function of a program begins and returns, as a span NAME; without BINARY: a function of the kernel; repeat it for several",
		"'p:NAME BINARY:FUNCTION'" },
	{ APP_TAKES_RECORD, LIST, 0, "usdt", AT(usdts),
		"Record this USDT probe of a program, or all its probes, with their arguments; repeat it for several",
		"BINARY[:PROVIDER:NAME]" },
	{ APP_TAKES_RECORD, FLAG, 0, "stacks", AT(stacks),
		"With perf: record call stacks, also of running threads by samples", NULL },
	{ APP_TAKES_WATCH, TEXT, 0, "flight", AT(flight),
		"Size of a recording: the last events that fit into SIZE (default 4 MiB for each CPU)",
		"SIZE" },
	{ APP_TAKES_RECORD, TEXT, 0, "flight", AT(flight),
		"Flight recorder: keep only the last events that fit into SIZE, such as 64M", "SIZE" },
	{ APP_TAKES_RECORD, TEXT, 0, "until", AT(until),
		"End when a latency is longer than D, such as 'wakeup > 5ms'", "'KIND > D'" },
	{ APP_TAKES_RECORD, FLAG, 0, "dry-run", AT(dry_run),
		"Print commands that make the same recording; record nothing", NULL },
	{ APP_TAKES_RECORD, FLAG, 0, "clean", AT(clean),
		"Remove what killed recordings left behind; record nothing", NULL },
	{ APP_TAKES_RECORD, FLAG, 0, "no-open", AT(no_open), "Do not open the recording", NULL },
	{ APP_TAKES_RECORD, FLAG, 0, "force", AT(force), "Replace an existing file", NULL },
	{ APP_TAKES_RECORD | APP_TAKES_WATCH, FLAG, 0, "quiet", AT(quiet), "Print only errors", NULL },
	{ APP_TAKES_BUILD | APP_TAKES_FLEET, FLAG, 0, "force", AT(force), "Rebuild fresh indexes too", NULL },
	{ APP_TAKES_BUILD, TEXT, 0, "reader", AT(reader),
		"Reader of CTF traces: ctf or babeltrace2 (default: ctf, if it can read the trace)",
		"READER" },
	{ APP_TAKES_BUILD | APP_TAKES_FLEET, FLAG, 0, "quiet", AT(quiet), "Print only errors", NULL },
	{ APP_TAKES_BUILD, TEXT, 0, "idle", AT(idle),
		"With --follow: end if the trace did not grow for D, such as 30s", "D" },
	{ APP_TAKES_BUILD, FLAG, 0, "summary", AT(summary),
		"Also make the summary of each host, for \"wakepath fleet\"", NULL },
	{ APP_TAKES_BUILD, TEXT, 0, "summary-as", AT(summary_as),
		"Write the summary of the only host to FILE", "FILE" },
	{ APP_TAKES_BUILD, TEXT, 0, "host", AT(host), "Name of the host in --summary-as", "NAME" },
	{ APP_TAKES_FLEET, TEXT, 0, "kind", AT(kind),
		"Compare hosts by this kind of latency only; latency prints its names and worst cases",
		"KIND" },
	{ APP_TAKES_FLEET, FLAG, 0, "slurm", AT(slurm), "With submit: by job arrays of Slurm", NULL },
	{ APP_TAKES_FLEET, FLAG, 0, "parallel", AT(parallel), "With submit: by GNU parallel over ssh", NULL },
	{ APP_TAKES_FLEET, FLAG, 0, "anywhere", AT(anywhere),
		"With --slurm: run each task on any node, because all nodes can read the traces", NULL },
	{ APP_TAKES_FLEET, FLAG, 0, "dry-run", AT(dry_run), "With submit: print what would be run", NULL },
	{ APP_TAKES_FLEET, NUMBER, 0, "top", AT(top), "Only the first N rows (default: text 20, others all)",
		"N" },
	{ APP_TAKES_FOLLOW, FLAG, 0, "follow", AT(follow), "Read a trace while it is recorded, until Ctrl-C",
		NULL },
	{ APP_TAKES_VIEW, TEXT, 0, "goto", AT(goto_text), "Start at this time or event", "TIME|EVENT#" },
	{ APP_TAKES_VIEW, TEXT, 0, "theme", AT(theme), "Theme: dark, light, high-contrast, mono, or a file",
		"NAME" },
	{ APP_TAKES_VIEW, TEXT, 0, "config", AT(config),
		"Configuration: keys, columns, and commands at the start", "FILE" },
	{ APP_TAKES_VIEW, FLAG, 0, "print-config", AT(print_config),
		"Print the configuration in use, as a file for --config", NULL },
	{ APP_TAKES_VIEW, TEXT, 0, "command", AT(commands),
		"Run the commands in FILE at the start, one per line", "FILE" },
	{ APP_TAKES_VIEW, G_OPTION_ARG_STRING, 0, "view", AT(view),
		"Start with a view that the explorer copied (Y command)", "VIEW" },
	{ APP_TAKES_VIEW, TEXT, 0, "script", AT(script),
		"Play the keys in FILE, without a terminal, for tests", "FILE" },
	{ APP_TAKES_VIEW, FLAG, 0, "ascii", AT(ascii), "Draw with ASCII only", NULL },
	{ APP_TAKES_VIEW, FLAG, 0, "fresh", AT(fresh),
		"Start with the default layout, and do not keep the layout", NULL },
	{ APP_TAKES_VIEW, FLAG, 0, "copy", AT(copy), "Copy to the clipboard (Y) on every terminal", NULL },
	{ APP_TAKES_VIEW, TEXT, 0, "rules", AT(rules), "Add the rules in FILE as kinds of latency", "FILE" },
	{ 0, TEXT, 0, "index-dir", AT(index_dir), "Folder of the indexes (default ~/.cache/wakepath)",
		"DIR" },
	{ 0, NUMBER, 0, "jobs", AT(jobs), "Build the indexes of N hosts at a time", "N" },
	{ 0, LIST, 0, G_OPTION_REMAINING, AT(traces), "", NULL },
};

static void add_options(GOptionContext *context, unsigned takes, struct app_args *a, const char *formats)
{
	for (const struct option *o = options; o < options + G_N_ELEMENTS(options); o++) {
		const GOptionEntry entries[] = {
			{ o->name, o->letter, 0, o->arg, (char *)a + o->at, o->words ? o->words : formats,
				o->value },
			{ 0 },
		};

		if (!o->takes || o->takes & takes)
			g_option_context_add_main_entries(context, entries, NULL);
	}
}

/* Return the mistake in the options of residuals; NULL: none.  Columns that were not typed become 0. */
static const char *check_residuals(struct app_args *a, const struct app_command *command)
{
	bool typed = a->columns != NOT_TYPED;

	if (!typed)
		a->columns = 0;
	if (!(command->options & APP_TAKES_RESIDUALS))
		return NULL;
	if (!a->residuals && (a->from || a->to || typed))
		return "--from, --to and --columns are for --residuals";
	return typed && (a->columns < 1 || a->columns > COLUMNS_MAX)
		? "--columns takes a number from 1 to " G_STRINGIFY(COLUMNS_MAX)
		: NULL;
}

/* For SQL: make the last operand the query, unless --file was typed. */
static void take_query(struct app_args *a, const struct app_command *command)
{
	guint n = a->traces ? g_strv_length(a->traces) : 0;

	if (!(command->options & APP_TAKES_SQL) || a->query_file || n == 0)
		return;
	a->query = a->traces[n - 1];
	a->traces[n - 1] = NULL;
}

/* Make the folder of --report the trace to open.  Its recordings have one clock, and no packets to match. */
static void take_report(struct app_args *a)
{
	char *traces[] = { a->report, NULL };

	if (!a->report || a->traces)
		return;
	a->traces = g_strdupv(traces);
	a->sync = g_strdup("none");
}

static const char *result_of(const struct app_command *command)
{
	return command->result ? command->result : command->name;
}

/* Read FILE into *RULES; NULL if FILE is NULL. */
static bool read_rules(const char *file, struct ana_rules **rules, GError **error)
{
	*rules = file ? ana_rules_read(file, error) : NULL;
	return *rules || !file;
}

static bool args_check(struct app_args *a, const struct app_command *command, GError **error)
{
	bool is_live = a->traces && a->traces[0] && live_keep_is_url(a->traces[0]);
	const char *wrong = check_residuals(a, command);
	const char *result = a->residuals ? "residuals"
		: app_args_is_against(a) && !(command->options & APP_TAKES_COMPARE)
		? (a->kind || command->options & APP_TAKES_BY ? "against" : "changes")
		: a->story ? "story"
			   : result_of(command);

	a->follow |= is_live;
	take_query(a, command);
	take_report(a);
	if (!(command->options & (APP_TAKES_RECORD | APP_TAKES_WATCH)) && !a->print_config && !a->fleet &&
		(!a->traces || !a->traces[0]))
		wrong = "no trace is named";
	else if (a->jobs < 0)
		wrong = "--jobs takes a number from 1 on";
	else if (a->top < 0)
		wrong = "--top takes a number from 0 on";
	else if (a->hide_tracer && a->show_tracer)
		wrong = "--hide-tracer and --show-tracer contradict each other";
	else if (is_live && !(command->options & APP_TAKES_FOLLOW))
		wrong = "only view and index read a live session; they keep it in a folder: name that folder";
	else if (a->idle && !a->follow)
		wrong = "--idle is for --follow";
	else if (a->follow && (a->force || a->reader || (a->traces && g_strv_length(a->traces) > 1)))
		wrong = "--follow takes one trace, without --force and --reader";
	if (wrong)
		return base_error_false(error, BASE_ERROR_USAGE,
			"%s: type \"wakepath %s --help\" for its use", wrong, command->name);
	if (!read_rules(a->rules, &a->measured, error) || !read_rules(a->spans, &a->declared, error))
		return false;
	if (a->format_name && command->options & (APP_TAKES_OUTPUT | APP_TAKES_WATCH))
		return exp_output_find(result, a->format_name, &a->as, error);
	exp_output_at(result, 0, &a->as); /* without effect if the command has no result */
	return true;
}

bool app_args_is_against(const struct app_args *a)
{
	return a->against || a->against_from || a->against_to;
}

bool app_args_takes_value(const char *word)
{
	if (word[0] != '-' || !word[1])
		return false;
	for (const struct option *o = options; o < options + G_N_ELEMENTS(options); o++)
		if (o->arg != FLAG &&
			(word[1] == '-' ? g_str_equal(o->name, word + 2)
					: o->letter && word[1] == o->letter && !word[2]))
			return true;
	return false;
}

void app_args_join(int *argc, char **argv)
{
	int64_t unused;

	for (int i = 1; i < *argc && strcmp(argv[i], "--") != 0; i++) {
		const char *value = i + 1 < *argc ? argv[i + 1] : "";
		size_t digits = strspn(value, "0123456789.");
		bool typed = base_time_parse_duration(value, &unused, NULL) ||
			(digits > 0 && g_str_equal(value + digits, "%"));
		char *word;

		if (strcmp(argv[i], "--fail-over") != 0)
			continue;
		word = g_strdup_printf("--fail-over=%s", typed ? value : "");
		argv[i] = (char *)(uintptr_t)g_intern_string(word);
		g_free(word);
		if (typed)
			memmove(argv + i + 1, argv + i + 2, (size_t)(--*argc - i) * sizeof *argv);
	}
}

/* Return PROGRAM ("wakepath path") and ARGV behind ARGV[0], quoted for a shell.  The caller frees. */
static char *typed(const char *program, int argc, char **argv)
{
	GString *all = g_string_new(program);

	for (int i = 1; i < argc; i++) {
		g_autofree char *quoted = g_shell_quote(argv[i]);
		bool plain = *argv[i] &&
			strspn(argv[i], G_CSET_A_2_Z G_CSET_a_2_z "0123456789_-./:@%+=,") == strlen(argv[i]);

		g_string_append_printf(all, " %s", plain ? argv[i] : quoted);
	}
	return g_string_free(all, FALSE);
}

/* True if "--help" or "-h" is an option in ARGV, and not the value of one. */
static bool help_is_asked(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (g_str_equal(argv[i], "--help") || g_str_equal(argv[i], "-h") ||
			g_str_equal(argv[i], "-?"))
			return true;
		i += app_args_takes_value(argv[i]);
	}
	return false;
}

bool app_args_parse(struct app_args *args, const struct app_command *command, int argc, char **argv,
	GError **error)
{
	GOptionContext *context = g_option_context_new(command->operands);
	g_autofree char *formats = exp_output_names(result_of(command), " (default)");
	g_autofree char *program = g_strdup_printf("wakepath %s", command->name);
	bool traces = !(command->options & (APP_TAKES_RECORD | APP_TAKES_WATCH | APP_TAKES_FLEET)),
	     live = command->options & APP_TAKES_FOLLOW;
	g_autofree char *summary = g_strconcat(command->summary,
		traces ? "\n\nTRACE is " APP_TRACE_WORDS : "", live ? "\n" APP_LIVE_WORDS : "", NULL);
	g_autoptr(GError) problem = NULL;
	bool ok;

	*args = (struct app_args){ .top = command->options & (APP_TAKES_LONGEST | APP_TAKES_FLEET)
			? 0
			: TOP_DEFAULT,
		.columns = NOT_TYPED,
		.command = typed(program, argc, argv) };
	g_set_prgname(program);
	g_option_context_set_summary(context, summary);
	add_options(context, command->options, args, formats);
	if (help_is_asked(argc, argv)) {
		char *rest = g_option_context_get_help(context, TRUE, NULL);

		printf("Examples:\n%s\n%s", command->examples, rest);
		g_free(rest); /* exit() does not run g_autofree */
		exit(0);
	}
	ok = g_option_context_parse(context, &argc, &argv, &problem);
	if (!ok)
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "%s: type \"%s --help\" for its use",
			problem->message, program);
	g_option_context_free(context);
	return ok && args_check(args, command, error);
}

void app_args_clear(struct app_args *a)
{
	for (const struct option *o = options; o < options + G_N_ELEMENTS(options); o++) {
		void *member = (char *)a + o->at; /* several options can share it */

		if (o->arg == TEXT || o->arg == G_OPTION_ARG_STRING)
			g_clear_pointer((char **)member, g_free);
		else if (o->arg == LIST)
			g_clear_pointer((char ***)member, g_strfreev);
	}
	g_free(a->command);
	g_free(a->query);
	ana_rules_free(a->measured);
	ana_rules_free(a->declared);
}
