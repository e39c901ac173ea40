/* SPDX-License-Identifier: MIT */
/*
 * All strings are taken as file names are, byte by byte: a thread's name must
 * be found also where the locale cannot write it.
 */
#include "app/app_args.h"

#include "base/base_error.h"
#include "base/base_time.h"
#include "live/live_keep.h"

#include <stddef.h>
#include <string.h>

#define TOP_DEFAULT 10
#define COLUMNS_MAX 100000
#define NOT_TYPED G_MININT

/* An option: whose it is, how GLib takes it, and where in struct app_args what is typed goes. */
struct option {
	unsigned takes; /* of commands that have one of these, enum app_options; 0: of all */
	GOptionArg arg;
	char letter; /* 0: none */
	const char *name;
	size_t at;
	const char *words; /* NULL: the formats that the result of the command has */
	const char *value; /* what its value is called */
};
#define AT(member) offsetof(struct app_args, member)
#define FLAG G_OPTION_ARG_NONE
#define NUMBER G_OPTION_ARG_INT
#define TEXT G_OPTION_ARG_FILENAME
#define LIST G_OPTION_ARG_FILENAME_ARRAY

/* In the order of the help. */
static const struct option options[] = {
	{ APP_TAKES_OUTPUT | APP_TAKES_VIEW, TEXT, 0, "sync", AT(sync),
		"Clocks of several hosts: auto (the default: from their packets), none, a FILE of \"wakepath sync --format json\"; HOST=OFFSET sets one",
		"SYNC,..." },
	{ APP_TAKES_THREAD, TEXT, 0, "thread", AT(thread),
		"TID, NAME, HOST/TID or HOST/NAME; @TIME may follow", "T" },
	{ APP_TAKES_LINE, TEXT, 0, "cpu", AT(cpu), "A CPU instead of a thread", "[HOST/]N" },
	{ APP_TAKES_LINE, TEXT, 0, "irq", AT(irq), "An interrupt line instead of a thread", "[HOST/]N" },
	{ APP_TAKES_LINE, TEXT, 0, "device", AT(device), "A block device instead of a thread",
		"[HOST/]NAME" },
	{ APP_TAKES_VCPU, TEXT, 0, "vcpu", AT(vcpu),
		"The virtual CPU that this thread of a virtual machine runs", "T" },
	{ APP_TAKES_HOST, TEXT, 0, "host", AT(host), "Only those of this host", "H" },
	{ APP_TAKES_RESIDUALS, FLAG, 0, "residuals", AT(residuals),
		"How long each packet between hosts was on its way by these clocks", NULL },
	{ APP_TAKES_RESIDUALS, NUMBER, 0, "columns", AT(columns),
		"Of these the shortest and longest in each of N parts of the window", "N" },
	{ APP_TAKES_WINDOW | APP_TAKES_RESIDUALS, TEXT, 0, "from", AT(from),
		"Nanoseconds since the Epoch, HH:MM:SS[.fraction], +D or -D", "TIME" },
	{ APP_TAKES_WINDOW | APP_TAKES_RESIDUALS, TEXT, 0, "to", AT(to), "The end of the window", "TIME" },
	{ APP_TAKES_LATENCY, TEXT, 0, "kind", AT(kind),
		"Which latency: wakeup, blocked, ...; none lists them", "KIND" },
	{ APP_TAKES_LATENCY, TEXT, 0, "rules", AT(rules),
		"Latencies by the rules in FILE; --kind names one of them", "FILE" },
	{ APP_TAKES_LATENCY, TEXT, 0, "by", AT(by),
		"Groups by thread, name, process, cpu, host, class, key, call, device or disk", "WHAT" },
	{ APP_TAKES_LATENCY, TEXT, 0, "threshold", AT(threshold),
		"List only cases of at least D, such as 2.5ms", "D" },
	{ APP_TAKES_LATENCY, TEXT, 0, "fail-over", AT(fail_over),
		"Exit status 1 when a case is longer than D; without D when none reaches the threshold",
		"D" },
	{ APP_TAKES_LATENCY, FLAG, 0, "histogram", AT(histogram), "Show the distribution", NULL },
	{ APP_TAKES_LATENCY, FLAG, 0, "linear", AT(linear), "Show it in classes of one width", NULL },
	{ APP_TAKES_LATENCY, FLAG, 0, "unfinished", AT(unfinished), "List what did not end in the trace",
		NULL },
	{ APP_TAKES_COMPARE, TEXT, 0, "set", AT(set),
		"What is compared: requests[:T], runs:T, latency:KIND[:T], between:EVENT..EVENT, or a FILE of lines THREAD FROM TO [NAME]",
		"SPEC" },
	{ APP_TAKES_COMPARE, TEXT, 0, "slow", AT(slow),
		"Which are slow: 'over D', 'top P%' or gap (default); of other groups the name of one",
		"WHICH" },
	{ APP_TAKES_COMPARE, TEXT, 0, "group", AT(group),
		"Groups by duration (default), structure, host, connection, name, or EVENT.FIELD", "WHAT" },
	{ APP_TAKES_COMPARE, TEXT, 0, "at", AT(at),
		"Not all of each group, but those around a percentile, such as p99", "pN" },
	{ APP_TAKES_COMPARE, LIST, 0, "against", AT(against),
		"Compare with the same set of another recording (again for each of its traces), or with another set",
		"TRACE|SPEC" },
	{ APP_TAKES_COMPARE, TEXT, 0, "fail-over", AT(fail_over),
		"Exit status 1 when the slow, or newer, ones take longer in the mean by more than P%", "P%" },
	{ APP_TAKES_AGAINST, LIST, 0, "against", AT(against),
		"Compare with those of another recording; type it again for each of its traces", "TRACE" },
	{ APP_TAKES_AGAINST, TEXT, 0, "against-from", AT(against_from),
		"Compare with those of another time, there or in the same traces", "TIME" },
	{ APP_TAKES_AGAINST, TEXT, 0, "against-to", AT(against_to), "The end of that", "TIME" },
	{ APP_TAKES_EVENTS, TEXT, 0, "at", AT(at),
		"Events around there: a time, or [HOST/]#N for event number N", "TIME|EVENT#" },
	{ APP_TAKES_EVENTS, TEXT, 0, "cpu", AT(cpu), "Only events of that CPU", "[HOST/]N" },
	{ APP_TAKES_EVENTS, TEXT, 0, "name", AT(name),
		"Part of the event's name; with * or ? the whole of it", "PATTERN" },
	{ APP_TAKES_EVENTS, TEXT, 0, "match", AT(match),
		"Regular expression over name and fields, such as 'next_comm = \"wk-'", "REGEX" },
	{ APP_TAKES_AT, TEXT, 0, "at", AT(at), "The wait in which the thread stands then", "TIME" },
	{ APP_TAKES_STACKS, TEXT, 0, "of", AT(of),
		"Whose stacks: of who slept (default), or of who woke them", "sleeper|waker" },
	{ APP_TAKES_KALLSYMS, TEXT, 0, "kallsyms", AT(kallsyms),
		"Names of kernel functions: a copy of /proc/kallsyms, also as .gz", "FILE" },
	{ APP_TAKES_SYMFS, TEXT, 0, "symfs", AT(symfs),
		"Names of programs' functions: the root of the machine that they ran on, / is this one",
		"DIR" },
	{ APP_TAKES_TOP, NUMBER, 0, "top", AT(top), "How many (default 10; 0 for all)", "N" },
	{ APP_TAKES_OVERVIEW, FLAG, 0, "top", AT(overview),
		"Also where the time went, and the worst of each kind", NULL },
	{ APP_TAKES_OVERVIEW, FLAG, 0, "bookmarks", AT(bookmarks),
		"Also the bookmarks that were set in the explorer", NULL },
	{ APP_TAKES_BY, TEXT, 0, "by", AT(by),
		"A line for all threads of a name (default) or for each thread", "name|thread" },
	{ APP_TAKES_BY, FLAG, 0, "user-threads", AT(user_threads),
		"Not what kernel threads waited for: they rest until there is work", NULL },
	{ APP_TAKES_TRACER, FLAG, 0, "hide-tracer", AT(hide_tracer),
		"Leave out the threads and packets of the tracer itself (view: the default)", NULL },
	{ APP_TAKES_TRACER, FLAG, 0, "show-tracer", AT(show_tracer), "Do not leave them out", NULL },
	{ APP_TAKES_OUTPUT, TEXT, 0, "format", AT(format_name), NULL, "FORMAT" },
	{ APP_TAKES_OUTPUT, TEXT, 'o', "output", AT(output), "Write to FILE, not to the terminal", "FILE" },
	{ APP_TAKES_RECORD, TEXT, 'o', "output", AT(output), "Into this file, of LTTng this folder", "NAME" },
	{ APP_TAKES_RECORD, TEXT, 0, "with", AT(with), "Not the first of these that is there",
		"lttng|ftrace|perf" },
	{ APP_TAKES_RECORD, TEXT, 0, "for", AT(record_for), "No longer than that, such as 10s", "D" },
	{ APP_TAKES_RECORD, TEXT, 0, "for-question", AT(question),
		"Only the events that these answers need (default: all)", "cpu|disk|net|locks|all" },
	{ APP_TAKES_RECORD, TEXT, 0, "flight", AT(flight),
		"Keep only the last events, as many as fit into SIZE, such as 64M", "SIZE" },
	{ APP_TAKES_RECORD, TEXT, 0, "until", AT(until),
		"End when a latency is longer, such as 'wakeup > 5ms'", "'KIND > D'" },
	{ APP_TAKES_RECORD, FLAG, 0, "dry-run", AT(dry_run),
		"Record nothing: print commands that do the same", NULL },
	{ APP_TAKES_RECORD, FLAG, 0, "clean", AT(clean),
		"Record nothing: remove what recordings left that were killed", NULL },
	{ APP_TAKES_RECORD, FLAG, 0, "no-open", AT(no_open), "Do not open the recording", NULL },
	{ APP_TAKES_RECORD, FLAG, 0, "force", AT(force), "Replace a file that is there", NULL },
	{ APP_TAKES_RECORD, FLAG, 0, "quiet", AT(quiet), "Say nothing but errors", NULL },
	{ APP_TAKES_BUILD, FLAG, 0, "force", AT(force), "Build also what is fresh", NULL },
	{ APP_TAKES_BUILD, TEXT, 0, "reader", AT(reader),
		"Read the trace with ctf or babeltrace2, not as is best", "READER" },
	{ APP_TAKES_BUILD, FLAG, 0, "quiet", AT(quiet), "Say nothing but errors", NULL },
	{ APP_TAKES_BUILD, TEXT, 0, "idle", AT(idle),
		"With --follow: end when nothing was written for D, such as 30s", "D" },
	{ APP_TAKES_FOLLOW, FLAG, 0, "follow", AT(follow),
		"Go on with a trace while it is recorded, until it is interrupted", NULL },
	{ APP_TAKES_VIEW, TEXT, 0, "goto", AT(goto_text), "Begin there", "TIME|EVENT#" },
	{ APP_TAKES_VIEW, TEXT, 0, "theme", AT(theme), "dark, light, high-contrast, mono, or a file",
		"NAME" },
	{ APP_TAKES_VIEW, TEXT, 0, "config", AT(config), "Configuration: keys and what is done at the start",
		"FILE" },
	{ APP_TAKES_VIEW, FLAG, 0, "print-config", AT(print_config),
		"Print the configuration that is in force, which can be read back", NULL },
	{ APP_TAKES_VIEW, TEXT, 0, "command", AT(commands),
		"Do the commands in FILE at the start, a line each", "FILE" },
	{ APP_TAKES_VIEW, G_OPTION_ARG_STRING, 0, "view", AT(view),
		"Begin with a view, as the explorer copies it (Y command)", "VIEW" },
	{ APP_TAKES_VIEW, TEXT, 0, "script", AT(script), "Take keys from FILE, without a terminal, for tests",
		"FILE" },
	{ APP_TAKES_VIEW, FLAG, 0, "ascii", AT(ascii), "Draw with ASCII only", NULL },
	{ APP_TAKES_VIEW, FLAG, 0, "fresh", AT(fresh),
		"Begin as the first time, and keep nothing of how it looks", NULL },
	{ APP_TAKES_VIEW, FLAG, 0, "copy", AT(copy),
		"Copy to the clipboard (Y) on any terminal, known or not", NULL },
	{ APP_TAKES_VIEW, TEXT, 0, "rules", AT(rules), "Latencies by the rules in FILE as further kinds",
		"FILE" },
	{ 0, TEXT, 0, "index-dir", AT(index_dir), "Where indexes live", "DIR" },
	{ 0, NUMBER, 0, "jobs", AT(jobs), "Build the indexes of N hosts at once", "N" },
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

/* What is wrong with residuals; NULL nothing.  Columns that nobody typed become 0. */
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

static const char *result_of(const struct app_command *command)
{
	return command->result ? command->result : command->name;
}

static bool check(struct app_args *a, const struct app_command *command, GError **error)
{
	bool is_live = a->traces && a->traces[0] && live_keep_is_url(a->traces[0]);
	const char *wrong = check_residuals(a, command);
	const char *result = a->residuals ? "residuals"
		: app_args_is_against(a) && !(command->options & APP_TAKES_COMPARE)
		? (a->kind || command->options & APP_TAKES_BY ? "against" : "changes")
		: result_of(command);

	a->follow |= is_live;
	if (!(command->options & APP_TAKES_RECORD) && !a->print_config && (!a->traces || !a->traces[0]))
		wrong = "no trace is named";
	else if (a->jobs < 0)
		wrong = "--jobs takes a number from 1 on";
	else if (a->top < 0)
		wrong = "--top takes a number from 0 on";
	else if (a->hide_tracer && a->show_tracer)
		wrong = "--hide-tracer and --show-tracer contradict each other";
	else if (is_live && !(command->options & APP_TAKES_FOLLOW))
		wrong = "a live session is kept in a folder by view and index: name that";
	else if (a->idle && !a->follow)
		wrong = "--idle is for --follow";
	else if (a->follow && (a->force || a->reader || (a->traces && g_strv_length(a->traces) > 1)))
		wrong = "--follow takes one trace, without --force and --reader";
	if (wrong)
		return base_error_false(error, BASE_ERROR_USAGE,
			"%s: type \"wakepath %s --help\" for its use", wrong, command->name);
	if (a->format_name)
		return exp_output_find(result, a->format_name, &a->as, error);
	exp_output_at(result, 0, &a->as); /* of what has no result this is none */
	return true;
}

bool app_args_is_against(const struct app_args *a)
{
	return a->against || a->against_from || a->against_to;
}

static bool is_named(const struct option *o, const char *word)
{
	return word[1] == '-' ? g_str_equal(o->name, word + 2)
			      : o->letter && word[1] == o->letter && !word[2];
}

bool app_args_takes_value(const char *word)
{
	bool takes = false;

	for (size_t i = 0; i < G_N_ELEMENTS(options) && word[0] == '-' && word[1]; i++)
		takes |= is_named(&options[i], word) && options[i].arg != FLAG;
	return takes;
}

/* "10%". */
static bool is_percentage(const char *text)
{
	size_t digits = strspn(text, "0123456789.");

	return digits > 0 && g_str_equal(text + digits, "%");
}

void app_args_join(int *argc, char **argv)
{
	int64_t unused;

	for (int i = 1; i < *argc && strcmp(argv[i], "--") != 0; i++) {
		const char *value = i + 1 < *argc ? argv[i + 1] : "";
		bool typed = base_time_parse_duration(value, &unused, NULL) || is_percentage(value);
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

/* The words behind the program's name, after those of PROGRAM ("wakepath path").  The caller frees. */
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

bool app_args_parse(struct app_args *args, const struct app_command *command, int argc, char **argv,
	GError **error)
{
	GOptionContext *context = g_option_context_new(command->operands);
	g_autofree char *formats = exp_output_names(result_of(command), " (default)");
	g_autofree char *program = g_strdup_printf("wakepath %s", command->name);
	g_autoptr(GError) problem = NULL;
	bool ok;

	*args = (struct app_args){ .top = TOP_DEFAULT,
		.columns = NOT_TYPED,
		.command = typed(program, argc, argv) };
	g_set_prgname(program);
	g_option_context_set_summary(context, command->summary);
	add_options(context, command->options, args, formats);
	ok = g_option_context_parse(context, &argc, &argv, &problem);
	if (!ok)
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "%s: type \"%s --help\" for its use",
			problem->message, program);
	g_option_context_free(context);
	return ok && check(args, command, error);
}

void app_args_clear(struct app_args *a)
{
	for (const struct option *o = options; o < options + G_N_ELEMENTS(options); o++) {
		void *member = (char *)a + o->at; /* which may be that of several options */

		if (o->arg == TEXT || o->arg == G_OPTION_ARG_STRING)
			g_clear_pointer((char **)member, g_free);
		else if (o->arg == LIST)
			g_clear_pointer((char ***)member, g_strfreev);
	}
	g_free(a->command);
}
