/* SPDX-License-Identifier: MIT */
#include "app/app_args.h"
#include "app/app_open.h"
#include "app/app_session.h"

#include "base/base_error.h"
#include "base/base_memory.h"
#include "base/base_near.h"
#include "base/base_scratch.h"
#include "base/base_stop.h"
#include "base/base_version.h"
#include "base/base_text.h"
#include "index/file/map.h"
#include "trace/bt2/trc_bt2.h"
#include "ui/term/term.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct app_command *const commands[] = { &app_view, &app_record, &app_watch, &app_index,
	&app_info, &app_threads, &app_states, &app_wakeups, &app_flow, &app_path, &app_why, &app_requests,
	&app_causes, &app_latency, &app_compare, &app_stacks, &app_machines, &app_events, &app_spans,
	&app_sql, &app_export, &app_sync, &app_cut, &app_fleet, &app_verify };

static void print_help(void)
{
	printf("wakepath shows what each thread of a Linux machine really waited for, from a kernel trace.\n\n"
	       "Examples:\n"
	       "  sudo wakepath record -- ./slow-program\n"
	       "  wakepath sample-traces/pipeline\n"
	       "  wakepath path sample-traces/pipeline --thread wk-pipe-main --from +413ms --to +446ms\n\n"
	       "Usage:\n"
	       "wakepath TRACE...  is \"wakepath view TRACE...\"\n");
	for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
		printf("wakepath %-8s  %s\n", commands[i]->name, commands[i]->summary);
	printf("\nA TRACE is " APP_TRACE_WORDS "\n" APP_LIVE_WORDS
	       "\n\n\"wakepath help COMMAND\" lists the options of a command; \"man wakepath\" has everything.\n"
	       "Exit status: 0 done, 1 no answer, 2 bad usage, 3 bad data, 130 interrupted (143 SIGTERM, 129 SIGHUP).\n");
}

/* Print ERROR (taken) without control characters, lists of matches line by line.  Return the exit status. */
static int main_fail(GError *error)
{
	g_auto(GStrv) lines = g_strsplit(error->message, "\n", -1);
	int status = base_error_exit_status(error);

	for (char **line = lines; *line; line++) {
		g_autofree char *clean = base_text_clean(*line, -1);

		fprintf(stderr, "%s%s\n", line == lines ? "wakepath: " : "", clean);
	}
	g_error_free(error);
	return status;
}

/* SIGBUS: a mapped file became shorter.  It is an index, or a file of the trace that babeltrace2 maps. */
static void on_cut_short(G_GNUC_UNUSED int number, siginfo_t *info, G_GNUC_UNUSED void *context)
{
	const char *words = idx_map_cut_short(info->si_addr);

	base_stop_fault(3,
		words ? words
		      : "wakepath: a file of the trace cannot be read any more: it was cut short, or its disk fails: try again when it is complete\n");
}

/* A signal kills the program: restore the terminal, remove temporary files, and die by the same signal. */
static void on_death(int number)
{
	base_stop_tidy();
	signal(number, SIG_DFL);
	raise(number); /* delivered when this handler returns */
}

/* A fault in this program ends it in the same way; a fault in babeltrace2 is an error in the trace. */
static void on_fault(int number)
{
	const char *words = trc_bt2_guard_fault();

	if (words)
		base_stop_fault(3, words);
	on_death(number);
}

/* Catch signal NUMBER unless it is already ignored, or caught by a sanitizer.  The handler has a stack of its
 * own, because the stack may be full (trc_bt2_guard.c). */
static void catch_default(int number, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK }, before;

	if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
		sigaction(number, &action, NULL);
}

static void catch_death(void)
{
	static const int deaths[] = { SIGQUIT, SIGPIPE };
	static const int faults[] = { SIGABRT, SIGFPE, SIGILL, SIGSEGV, SIGSYS, SIGTRAP };
	struct sigaction cut_short = { .sa_sigaction = on_cut_short, .sa_flags = SA_SIGINFO | SA_ONSTACK };

	for (size_t i = 0; i < G_N_ELEMENTS(deaths); i++)
		catch_default(deaths[i], on_death);
	for (size_t i = 0; i < G_N_ELEMENTS(faults); i++)
		catch_default(faults[i], on_fault);
	sigaction(SIGBUS, &cut_short, NULL);
	base_memory_blame(trc_bt2_guard_fault);
}

/* True if COMMAND records, and so needs root's rights. */
static bool is_recording(const struct app_command *command, const struct app_args *args)
{
	return command == &app_record || (command == &app_watch && !args->report);
}

/* Run COMMAND; ARGV[0] is its name.  Rights are given up before the first thread, which would keep them. */
static int run_command(const struct app_command *command, int argc, char **argv)
{
	GError *error = NULL;
	struct app_args args;
	bool ok = app_args_parse(&args, command, argc, argv, &error) &&
		(is_recording(command, &args) || app_confine(&args, &error));

	base_stop_catch(term_leave);
	catch_death();
	ok = ok && (is_recording(command, &args) || app_stdin_take(&args, &error));
	ok = ok && (!command->check || command->check(&args, &error)) &&
		(command->run ? command->run(&args, &error)
			      : app_session_run(&args, command->answer, &error));
	app_args_clear(&args);
	base_stop_finish();
	base_scratch_end();
	base_stop_last_words();
	return ok ? 0 : main_fail(error);
}

/* Return the command NAME; NULL if there is none. */
static const struct app_command *find_command(const char *name)
{
	if (g_str_equal(name, "account")) /* the explorer's name for its output */
		return &app_why;
	for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
		if (g_str_equal(commands[i]->name, name))
			return commands[i];
	return NULL;
}

/* Print the error that NAME is NO_WHAT ("no command"), with the nearest commands.  Return the exit status. */
static int main_fail_command(const char *name, const char *no_what)
{
	g_autofree char *text = NULL;
	struct base_near near;

	base_near_init(&near, name, false);
	for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
		base_near_offer(&near, commands[i]->name);
	text = base_near_text(&near);
	return main_fail(g_error_new(BASE_ERROR, BASE_ERROR_USAGE,
		"\"%s\" is %s%s; type \"wakepath --help\" for the commands", name, no_what, text));
}

/* "wakepath help [COMMAND]": print the list of commands, or the output of "wakepath COMMAND --help". */
static int main_help(const char *name)
{
	const struct app_command *command = name && name[0] != '-' ? find_command(name) : NULL;
	char *words[] = { (char *)(uintptr_t)name, (char *)(uintptr_t) "--help", NULL };

	if (command)
		return run_command(command, 2, words);
	if (name && name[0] != '-' && !g_str_equal(name, "help"))
		return main_fail_command(name, "no command");
	print_help();
	return 0;
}

/* Run the command that the first operand names, even behind options.  If it names none but ARGV has options
 * or a path first, "wakepath TRACE..." means "wakepath view TRACE...". */
static int main_run(int argc, char **argv)
{
	const struct app_command *command = NULL;
	int i = 1;

	while (i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0)
		i += app_args_takes_value(argv[i]) ? 2 : 1;
	if (i < argc)
		command = find_command(argv[i]);
	if (!command &&
		(i > 1 || argv[1][0] == '-' || strchr(argv[1], '/') ||
			g_file_test(argv[1], G_FILE_TEST_EXISTS)))
		return run_command(&app_view, argc, argv);
	if (!command)
		return main_fail_command(argv[1], "neither a command nor a folder");
	memmove(argv + 2, argv + 1, (size_t)(i - 1) * sizeof *argv);
	return run_command(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	setlocale(LC_ALL, "");
	/* The limit of file sizes becomes a write error, like a full disk, instead of a signal. */
	signal(SIGXFSZ, SIG_IGN);
	/* Numbers always have a decimal point, because scripts read them. */
	setlocale(LC_NUMERIC, "C");
	if (argc < 2)
		return main_fail(g_error_new_literal(BASE_ERROR, BASE_ERROR_USAGE,
			"no trace is named: type \"wakepath TRACE\", or \"wakepath --help\""));
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return main_help(NULL);
	if (!strcmp(argv[1], "help"))
		return main_help(argv[2]);
	if (!strcmp(argv[1], "--version")) {
		printf("wakepath " BASE_VERSION "\n");
		return 0;
	}
	app_args_join(&argc, argv);
	return main_run(argc, argv);
}
