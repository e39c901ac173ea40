/* SPDX-License-Identifier: MIT */
/*
 * All strings are taken as file names are, byte by byte: a thread's name must
 * be found also where the locale cannot write it.
 */
#include "app/app_args.h"

#include "base/base_error.h"
#include "base/base_time.h"
#include "live/live_keep.h"

#include <string.h>

#define TOP_DEFAULT 10
#define COLUMNS_MAX 100000
#define NOT_TYPED G_MININT

/* What happens to a group of options. */
struct taker {
	GOptionContext *context; /* they join it */
	const char *word;        /* NULL; else: is it one of them that takes a value? */
	bool takes_value;
};

static bool is_named(const GOptionEntry *entry, const char *word)
{
	return word[1] == '-' ? !g_strcmp0(entry->long_name, word + 2)
			      : entry->short_name && word[1] == entry->short_name && !word[2];
}

static void add_if(struct taker *taker, bool wanted, const GOptionEntry *entries)
{
	if (wanted && !taker->word)
		g_option_context_add_main_entries(taker->context, entries, NULL);
	for (const GOptionEntry *entry = entries; taker->word && entry->long_name; entry++)
		taker->takes_value |= is_named(entry, taker->word) && entry->arg != G_OPTION_ARG_NONE;
}

static void add_query_options(struct taker *taker, unsigned takes, struct app_args *a, const char *formats)
{
	const GOptionEntry output[] = {
		{ "format", 0, 0, G_OPTION_ARG_FILENAME, &a->format_name, formats, "FORMAT" },
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &a->output, "Write to FILE, not to the terminal",
			"FILE" },
		{ 0 },
	};
	const GOptionEntry sync[] = {
		{ "sync", 0, 0, G_OPTION_ARG_FILENAME, &a->sync,
			"Clocks of several hosts: auto (the default: from their packets), none, a FILE of \"wakepath sync --format json\"; HOST=OFFSET sets one",
			"SYNC,..." },
		{ 0 },
	};
	const GOptionEntry thread[] = {
		{ "thread", 0, 0, G_OPTION_ARG_FILENAME, &a->thread,
			"TID, NAME, HOST/TID or HOST/NAME; @TIME may follow", "T" },
		{ 0 },
	};
	const GOptionEntry line[] = {
		{ "cpu", 0, 0, G_OPTION_ARG_FILENAME, &a->cpu, "A CPU instead of a thread", "[HOST/]N" },
		{ "irq", 0, 0, G_OPTION_ARG_FILENAME, &a->irq, "An interrupt line instead of a thread",
			"[HOST/]N" },
		{ "device", 0, 0, G_OPTION_ARG_FILENAME, &a->device, "A block device instead of a thread",
			"[HOST/]NAME" },
		{ 0 },
	};
	const GOptionEntry vcpu[] = {
		{ "vcpu", 0, 0, G_OPTION_ARG_FILENAME, &a->vcpu,
			"The virtual CPU that this thread of a virtual machine runs", "T" },
		{ 0 },
	};
	const GOptionEntry host[] = {
		{ "host", 0, 0, G_OPTION_ARG_FILENAME, &a->host, "Only those of this host", "H" },
		{ 0 },
	};
	const GOptionEntry window[] = {
		{ "from", 0, 0, G_OPTION_ARG_FILENAME, &a->from,
			"Nanoseconds since the Epoch, HH:MM:SS[.fraction], +D or -D", "TIME" },
		{ "to", 0, 0, G_OPTION_ARG_FILENAME, &a->to, "The end of the window", "TIME" },
		{ 0 },
	};
	const GOptionEntry against[] = {
		{ "against", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &a->against,
			"Compare with those of another recording; type it again for each of its traces",
			"TRACE" },
		{ "against-from", 0, 0, G_OPTION_ARG_FILENAME, &a->against_from,
			"Compare with those of another time, there or in the same traces", "TIME" },
		{ "against-to", 0, 0, G_OPTION_ARG_FILENAME, &a->against_to, "The end of that", "TIME" },
		{ 0 },
	};
	const GOptionEntry compare[] = {
		{ "set", 0, 0, G_OPTION_ARG_FILENAME, &a->set,
			"What is compared: requests[:T], runs:T, latency:KIND[:T], between:EVENT..EVENT, or a FILE of lines THREAD FROM TO [NAME]",
			"SPEC" },
		{ "slow", 0, 0, G_OPTION_ARG_FILENAME, &a->slow,
			"Which are slow: 'over D', 'top P%' or gap (default); of other groups the name of one",
			"WHICH" },
		{ "group", 0, 0, G_OPTION_ARG_FILENAME, &a->group,
			"Groups by duration (default), structure, host, connection, name, or EVENT.FIELD",
			"WHAT" },
		{ "at", 0, 0, G_OPTION_ARG_FILENAME, &a->at,
			"Not all of each group, but those around a percentile, such as p99", "pN" },
		{ "against", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &a->against,
			"Compare with the same set of another recording (again for each of its traces), or with another set",
			"TRACE|SPEC" },
		{ "fail-over", 0, 0, G_OPTION_ARG_FILENAME, &a->fail_over,
			"Exit status 1 when the slow, or newer, ones take longer in the mean by more than P%",
			"P%" },
		{ 0 },
	};
	const GOptionEntry latency[] = {
		{ "kind", 0, 0, G_OPTION_ARG_FILENAME, &a->kind,
			"Which latency: wakeup, blocked, ...; none lists them", "KIND" },
		{ "rules", 0, 0, G_OPTION_ARG_FILENAME, &a->rules,
			"Latencies by the rules in FILE; --kind names one of them", "FILE" },
		{ "by", 0, 0, G_OPTION_ARG_FILENAME, &a->by,
			"Groups by thread, name, process, cpu, host, class, key, call, device or disk",
			"WHAT" },
		{ "threshold", 0, 0, G_OPTION_ARG_FILENAME, &a->threshold,
			"Only cases of at least D, such as 2.5ms", "D" },
		{ "fail-over", 0, 0, G_OPTION_ARG_FILENAME, &a->fail_over,
			"Exit status 1 when a case is longer than D; without D when none reaches the threshold",
			"D" },
		{ "histogram", 0, 0, G_OPTION_ARG_NONE, &a->histogram, "Show the distribution", NULL },
		{ "linear", 0, 0, G_OPTION_ARG_NONE, &a->linear, "Show it in classes of one width", NULL },
		{ 0 },
	};

	const GOptionEntry events[] = {
		{ "at", 0, 0, G_OPTION_ARG_FILENAME, &a->at,
			"Events around there: a time, or [HOST/]#N for event number N", "TIME|EVENT#" },
		{ "cpu", 0, 0, G_OPTION_ARG_FILENAME, &a->cpu, "Only events of that CPU", "[HOST/]N" },
		{ "name", 0, 0, G_OPTION_ARG_FILENAME, &a->name,
			"Part of the event's name; with * or ? the whole of it", "PATTERN" },
		{ "match", 0, 0, G_OPTION_ARG_FILENAME, &a->match,
			"Regular expression over name and fields, such as 'next_comm = \"wk-'", "REGEX" },
		{ 0 },
	};
	const GOptionEntry stacks[] = {
		{ "of", 0, 0, G_OPTION_ARG_FILENAME, &a->of,
			"Whose stacks: of who slept (default), or of who woke them", "sleeper|waker" },
		{ 0 },
	};
	const GOptionEntry kallsyms[] = {
		{ "kallsyms", 0, 0, G_OPTION_ARG_FILENAME, &a->kallsyms,
			"Names of kernel functions: a copy of /proc/kallsyms, also as .gz", "FILE" },
		{ 0 },
	};
	const GOptionEntry symfs[] = {
		{ "symfs", 0, 0, G_OPTION_ARG_FILENAME, &a->symfs,
			"Names of programs' functions: the root of the machine that they ran on, / is this one",
			"DIR" },
		{ 0 },
	};
	const GOptionEntry at[] = {
		{ "at", 0, 0, G_OPTION_ARG_FILENAME, &a->at, "The wait in which the thread stands then",
			"TIME" },
		{ 0 },
	};
	const GOptionEntry residuals[] = {
		{ "residuals", 0, 0, G_OPTION_ARG_NONE, &a->residuals,
			"How long each packet between hosts was on its way by these clocks", NULL },
		{ "columns", 0, 0, G_OPTION_ARG_INT, &a->columns,
			"Of these the shortest and longest in each of N parts of the window", "N" },
		{ 0 },
	};
	const GOptionEntry top[] = {
		{ "top", 0, 0, G_OPTION_ARG_INT, &a->top,
			"How many (default 10; events, latencies: 0 for all)", "N" },
		{ 0 },
	};

	const GOptionEntry overview[] = {
		{ "top", 0, 0, G_OPTION_ARG_NONE, &a->overview,
			"Also where the time went, and the worst of each kind", NULL },
		{ "bookmarks", 0, 0, G_OPTION_ARG_NONE, &a->bookmarks,
			"Also the bookmarks that were set in the explorer", NULL },
		{ 0 },
	};
	const GOptionEntry by[] = {
		{ "by", 0, 0, G_OPTION_ARG_FILENAME, &a->by,
			"A line for all threads of a name (default) or for each thread", "name|thread" },
		{ "user-threads", 0, 0, G_OPTION_ARG_NONE, &a->user_threads,
			"Not what kernel threads waited for: they rest until there is work", NULL },
		{ 0 },
	};
	const GOptionEntry tracer[] = {
		{ "hide-tracer", 0, 0, G_OPTION_ARG_NONE, &a->hide_tracer,
			"Leave out the threads and packets of the tracer itself (view: the default)", NULL },
		{ "show-tracer", 0, 0, G_OPTION_ARG_NONE, &a->show_tracer, "Do not leave them out", NULL },
		{ 0 },
	};

	add_if(taker, takes & (APP_TAKES_OUTPUT | APP_TAKES_VIEW), sync);
	add_if(taker, takes & APP_TAKES_THREAD, thread);
	add_if(taker, takes & APP_TAKES_LINE, line);
	add_if(taker, takes & APP_TAKES_VCPU, vcpu);
	add_if(taker, takes & APP_TAKES_HOST, host);
	add_if(taker, takes & APP_TAKES_RESIDUALS, residuals);
	add_if(taker, takes & (APP_TAKES_WINDOW | APP_TAKES_RESIDUALS), window);
	add_if(taker, takes & APP_TAKES_LATENCY, latency);
	add_if(taker, takes & APP_TAKES_COMPARE, compare);
	add_if(taker, takes & APP_TAKES_AGAINST, against);
	add_if(taker, takes & APP_TAKES_EVENTS, events);
	add_if(taker, takes & APP_TAKES_AT, at);
	add_if(taker, takes & APP_TAKES_STACKS, stacks);
	add_if(taker, takes & APP_TAKES_KALLSYMS, kallsyms);
	add_if(taker, takes & APP_TAKES_SYMFS, symfs);
	add_if(taker, takes & APP_TAKES_TOP, top);
	add_if(taker, takes & APP_TAKES_OVERVIEW, overview);
	add_if(taker, takes & APP_TAKES_BY, by);
	add_if(taker, takes & APP_TAKES_TRACER, tracer);
	add_if(taker, takes & APP_TAKES_OUTPUT, output);
}

static void add_record_options(struct taker *taker, unsigned takes, struct app_args *a)
{
	const GOptionEntry record[] = {
		{ "output", 'o', 0, G_OPTION_ARG_FILENAME, &a->output, "Into this file, of LTTng this folder",
			"NAME" },
		{ "with", 0, 0, G_OPTION_ARG_FILENAME, &a->with, "Not the first of these that is there",
			"lttng|ftrace|perf" },
		{ "for", 0, 0, G_OPTION_ARG_FILENAME, &a->record_for, "No longer than that, such as 10s",
			"D" },
		{ "for-question", 0, 0, G_OPTION_ARG_FILENAME, &a->question,
			"Only the events that these answers need (default: all)", "cpu|disk|net|locks|all" },
		{ "flight", 0, 0, G_OPTION_ARG_FILENAME, &a->flight,
			"Keep only the last events, as many as fit into SIZE, such as 64M", "SIZE" },
		{ "until", 0, 0, G_OPTION_ARG_FILENAME, &a->until,
			"End when a latency is longer, such as 'wakeup > 5ms'", "'KIND > D'" },
		{ "dry-run", 0, 0, G_OPTION_ARG_NONE, &a->dry_run,
			"Record nothing: print commands that do the same", NULL },
		{ "clean", 0, 0, G_OPTION_ARG_NONE, &a->clean,
			"Record nothing: remove what recordings left that were killed", NULL },
		{ "no-open", 0, 0, G_OPTION_ARG_NONE, &a->no_open, "Do not open the recording", NULL },
		{ "force", 0, 0, G_OPTION_ARG_NONE, &a->force, "Replace a file that is there", NULL },
		{ "quiet", 0, 0, G_OPTION_ARG_NONE, &a->quiet, "Say nothing but errors", NULL },
		{ 0 },
	};

	add_if(taker, takes & APP_TAKES_RECORD, record);
}

static void add_other_options(struct taker *taker, unsigned takes, struct app_args *a)
{
	const GOptionEntry build[] = {
		{ "force", 0, 0, G_OPTION_ARG_NONE, &a->force, "Build also what is fresh", NULL },
		{ "reader", 0, 0, G_OPTION_ARG_FILENAME, &a->reader,
			"Read the trace with ctf or babeltrace2, not as is best", "READER" },
		{ "quiet", 0, 0, G_OPTION_ARG_NONE, &a->quiet, "Say nothing but errors", NULL },
		{ "idle", 0, 0, G_OPTION_ARG_FILENAME, &a->idle,
			"With --follow: end when nothing was written for D, such as 30s", "D" },
		{ 0 },
	};
	const GOptionEntry follow[] = {
		{ "follow", 0, 0, G_OPTION_ARG_NONE, &a->follow,
			"Go on with a trace while it is recorded, until it is interrupted", NULL },
		{ 0 },
	};
	const GOptionEntry view[] = {
		{ "goto", 0, 0, G_OPTION_ARG_FILENAME, &a->goto_text, "Begin there", "TIME|EVENT#" },
		{ "theme", 0, 0, G_OPTION_ARG_FILENAME, &a->theme,
			"dark, light, high-contrast, mono, or a file", "NAME" },
		{ "config", 0, 0, G_OPTION_ARG_FILENAME, &a->config,
			"Configuration: keys and what is done at the start", "FILE" },
		{ "print-config", 0, 0, G_OPTION_ARG_NONE, &a->print_config,
			"Print the configuration that is in force, which can be read back", NULL },
		{ "command", 0, 0, G_OPTION_ARG_FILENAME, &a->commands,
			"Do the commands in FILE at the start, a line each", "FILE" },
		{ "view", 0, 0, G_OPTION_ARG_STRING, &a->view,
			"Begin with a view, as the explorer copies it (Y command)", "VIEW" },
		{ "script", 0, 0, G_OPTION_ARG_FILENAME, &a->script,
			"Take keys from FILE, without a terminal, for tests", "FILE" },
		{ "ascii", 0, 0, G_OPTION_ARG_NONE, &a->ascii, "Draw with ASCII only", NULL },
		{ "fresh", 0, 0, G_OPTION_ARG_NONE, &a->fresh,
			"Begin as the first time, and keep nothing of how it looks", NULL },
		{ "copy", 0, 0, G_OPTION_ARG_NONE, &a->copy,
			"Copy to the clipboard (Y) on any terminal, known or not", NULL },
		{ "rules", 0, 0, G_OPTION_ARG_FILENAME, &a->rules,
			"Latencies by the rules in FILE as further kinds", "FILE" },
		{ 0 },
	};
	const GOptionEntry common[] = {
		{ "index-dir", 0, 0, G_OPTION_ARG_FILENAME, &a->index_dir, "Where indexes live", "DIR" },
		{ "jobs", 0, 0, G_OPTION_ARG_INT, &a->jobs, "Build the indexes of N hosts at once", "N" },
		{ G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &a->traces, NULL, NULL },
		{ 0 },
	};

	add_if(taker, takes & APP_TAKES_BUILD, build);
	add_if(taker, takes & APP_TAKES_FOLLOW, follow);
	add_if(taker, takes & APP_TAKES_VIEW, view);
	add_if(taker, true, common);
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

bool app_args_takes_value(const char *word)
{
	struct taker taker = { .word = word };
	struct app_args unused = { 0 };

	if (word[0] != '-' || !word[1])
		return false;
	add_query_options(&taker, 0, &unused, NULL);
	add_record_options(&taker, 0, &unused);
	add_other_options(&taker, 0, &unused);
	return taker.takes_value;
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
	struct taker taker = { .context = context };
	g_autofree char *formats = exp_output_names(result_of(command), " (default)");
	g_autofree char *program = g_strdup_printf("wakepath %s", command->name);
	g_autoptr(GError) problem = NULL;
	bool ok;

	*args = (struct app_args){ .top = TOP_DEFAULT,
		.columns = NOT_TYPED,
		.command = typed(program, argc, argv) };
	g_set_prgname(program);
	g_option_context_set_summary(context, command->summary);
	add_query_options(&taker, command->options, args, formats);
	add_record_options(&taker, command->options, args);
	add_other_options(&taker, command->options, args);
	ok = g_option_context_parse(context, &argc, &argv, &problem);
	if (!ok)
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE, "%s: type \"%s --help\" for its use",
			problem->message, program);
	g_option_context_free(context);
	return ok && check(args, command, error);
}

void app_args_clear(struct app_args *a)
{
	char *const strings[] = { a->sync, a->index_dir, a->format_name, a->output, a->thread, a->cpu, a->irq,
		a->device, a->vcpu, a->host, a->from, a->to, a->kind, a->rules, a->threshold, a->fail_over,
		a->at, a->of, a->kallsyms, a->symfs, a->set, a->slow, a->group, a->name, a->match, a->by,
		a->reader, a->idle, a->goto_text, a->theme, a->config, a->commands, a->view, a->script,
		a->against_from, a->against_to, a->with, a->record_for, a->question, a->flight, a->until,
		a->command };

	for (gsize i = 0; i < G_N_ELEMENTS(strings); i++)
		g_free(strings[i]);
	g_strfreev(a->traces);
	g_strfreev(a->against);
}
