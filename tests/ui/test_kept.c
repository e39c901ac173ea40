/* SPDX-License-Identifier: MIT */
/* The view of an experiment, stored for the next run: the content of the file, files of others, several
 * explorers at once. */
#include "base/base_error.h"
#include "ui/core/ui_shell_parts.h"

#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

static struct ui_options options;
static char *path; /* of the file */

static struct ui_shell *new_shell(void)
{
	struct ui_shell *shell = g_new0(struct ui_shell, 1);

	shell->options = &options;
	shell->times = base_time_way_next(NULL);
	shell->hide_tracer = true;
	shell->notes = g_ptr_array_new_with_free_func(g_free);
	return shell;
}

static void free_shell(struct ui_shell *shell)
{
	g_ptr_array_unref(shell->notes);
	g_free(shell->message);
	g_free(shell);
}

static void put(const char *text)
{
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static char *get(void)
{
	char *text = NULL;

	g_file_get_contents(path, &text, NULL, NULL);
	return text;
}

static void write_it(const struct ui_kept *kept, const struct ui_shell *shell)
{
	GError *error = NULL;

	g_assert_true(ui_kept_write(kept, shell, &error));
	g_assert_no_error(error);
}

/* A run begins with the state that the previous one left. */
static void test_again(void)
{
	struct ui_shell *shell = new_shell();
	struct ui_kept *kept = ui_kept_new(shell, path);
	g_autofree char *text = NULL;

	g_unlink(path);
	write_it(kept, shell);
	g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS)); /* nothing was changed */
	shell->stacked = shell->two = true;
	shell->names_extra = -4;
	shell->times = base_time_way_next(shell->times);
	write_it(kept, shell);
	ui_kept_free(kept);
	free_shell(shell);
	text = get();
	g_assert_cmpstr(text, ==,
		"[wakepath view]\nversion=1\nlayout=stack\nwindows=two\nname-columns=-4\nclock=clock\n");

	shell = new_shell();
	kept = ui_kept_new(shell, path);
	g_assert_true(shell->stacked);
	g_assert_true(shell->two);
	g_assert_cmpint(shell->names_extra, ==, -4);
	g_assert_cmpint(shell->lower_extra, ==, 0);
	g_assert_cmpstr(shell->times->name, ==, "clock");
	g_assert_true(shell->hide_tracer);
	g_assert_false(shell->no_arrows);
	g_assert_cmpuint(shell->notes->len, ==, 0);
	ui_kept_free(kept);
	free_shell(shell);
	g_unlink(path);
}

/* Two at once: each stores what it changed. */
static void test_two(void)
{
	struct ui_shell *one = new_shell(), *other = new_shell();
	struct ui_kept *kept_one = ui_kept_new(one, path), *kept_other = ui_kept_new(other, path);
	g_autofree char *text = NULL;

	one->no_arrows = true;
	one->lower_extra = 6;
	other->hide_tracer = false;
	other->lower_extra = 2;
	write_it(kept_one, one);
	write_it(kept_other, other);
	text = get();
	g_assert_cmpstr(text, ==, "[wakepath view]\nversion=1\narrows=off\nlower-rows=2\ntracer=shown\n");
	ui_kept_free(kept_one);
	ui_kept_free(kept_other);
	free_shell(one);
	free_shell(other);
	g_unlink(path);
}

/* Typed settings override stored ones. */
static void test_typed(void)
{
	struct ui_shell *shell = new_shell();
	struct ui_kept *kept;

	put("[wakepath view]\nversion=1\narrows=off\ntracer=shown\n");
	options.tracer_typed = true;
	kept = ui_kept_new(shell, path);
	options.tracer_typed = false;
	g_assert_true(shell->hide_tracer);
	g_assert_true(shell->no_arrows);
	ui_kept_free(kept);
	free_shell(shell);
	g_unlink(path);
}

/* Impossible entries are left out, with a message. */
static void test_damage(void)
{
	static const char *const texts[] = { "", "nonsense", "[wakepath view]\nversion=2\nlayout=stack\n",
		"[wakepath bookmarks]\nversion=1\n", "[wakepath view]\nversion=1\nlayout=pile\n",
		"[wakepath view]\nversion=1\nlower-rows=99999999999999999999\n",
		"[wakepath view]\nversion=1\nname-columns=1e3\n", "[wakepath view]\nversion=1\nclock=\n" };
	GError *error = NULL;

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++) {
		struct ui_shell *shell = new_shell();
		struct ui_kept *kept;

		put(texts[i]);
		kept = ui_kept_new(shell, path);
		g_assert_cmpuint(shell->notes->len, ==, 1);
		g_assert_nonnull(strstr(g_ptr_array_index(shell->notes, 0), path));
		g_assert_false(shell->stacked);
		g_assert_cmpint(shell->lower_extra, ==, 0);
		g_assert_cmpint(shell->names_extra, ==, 0);
		shell->no_arrows = true;
		if (i < 4) { /* not ours: it remains */
			g_autofree char *text = NULL;

			g_assert_false(ui_kept_write(kept, shell, &error));
			g_assert_error(error, BASE_ERROR, BASE_ERROR_DATA);
			g_clear_error(&error);
			text = get();
			g_assert_cmpstr(text, ==, texts[i]);
		} else {
			write_it(kept, shell);
		}
		ui_kept_free(kept);
		free_shell(shell);
	}
	g_unlink(path);
}

/* A link, a pipe and a file that is too large are not read, and no link is written through. */
static void test_traps(void)
{
	g_autofree char *other = g_strconcat(path, ".other", NULL), *huge = g_strnfill(2 << 20, '#');

	for (unsigned i = 0; i < 3; i++) {
		struct ui_shell *shell = new_shell();
		struct ui_kept *kept;
		GError *error = NULL;

		if (i == 0)
			g_assert_cmpint(symlink(other, path), ==, 0);
		else if (i == 1)
			g_assert_cmpint(mkfifo(path, 0600), ==, 0);
		else
			put(huge);
		kept = ui_kept_new(shell, path);
		g_assert_cmpuint(shell->notes->len, ==, 1);
		shell->no_arrows = true;
		g_assert_false(ui_kept_write(kept, shell, &error));
		g_clear_error(&error);
		g_assert_false(g_file_test(other, G_FILE_TEST_EXISTS));
		ui_kept_free(kept);
		free_shell(shell);
		g_unlink(path);
	}
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	path = g_build_filename(g_get_tmp_dir(), "kept.view", NULL);
	g_test_add_func("/kept/again", test_again);
	g_test_add_func("/kept/two", test_two);
	g_test_add_func("/kept/typed", test_typed);
	g_test_add_func("/kept/damage", test_damage);
	g_test_add_func("/kept/traps", test_traps);
	status = g_test_run();
	g_free(path);
	return status;
}
