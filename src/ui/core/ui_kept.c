/* SPDX-License-Identifier: MIT */
/* The layout of the last run, in a file beside the index. */
#include "ui/core/ui_shell_parts.h"

#include "base/base_file.h"

#include <stddef.h>
#include <string.h>

#define HEAD "wakepath view"
#define EXTRA_MAX 1000 /* rows, columns */

/* A setting: a switch of the shell (bool, with the words OFF and ON), a number of rows or columns (int), or
 * the notation of times (ON without OFF). */
struct setting {
	const char *name, *off, *on;
	size_t at;
	bool typed; /* an option can set it, too, and overrides the file */
};

static const struct setting settings[] = {
	{ "layout", "split", "stack", offsetof(struct ui_shell, stacked), false },
	{ "tracer", "shown", "hidden", offsetof(struct ui_shell, hide_tracer), true },
	{ "arrows", "on", "off", offsetof(struct ui_shell, no_arrows), false },
	{ "windows", "one", "two", offsetof(struct ui_shell, two), false },
	{ "lower-rows", NULL, NULL, offsetof(struct ui_shell, lower_extra), false },
	{ "name-columns", NULL, NULL, offsetof(struct ui_shell, names_extra), false },
	{ "second-rows", NULL, NULL, offsetof(struct ui_shell, second_rows), false },
	{ "second-columns", NULL, NULL, offsetof(struct ui_shell, second_columns), false },
	{ "clock", NULL, "", offsetof(struct ui_shell, times), false },
};

static const struct base_keyfile_kind kept_kind = { HEAD, 1, "move it away" };

struct ui_kept {
	char *path;                           /* owned */
	char *before[G_N_ELEMENTS(settings)]; /* owned: the settings at the start */
};

/* The present value of S as a text.  The caller frees. */
static char *kept_text_of(const struct ui_shell *shell, const struct setting *s)
{
	const void *value = (const char *)shell + s->at;

	if (s->off)
		return g_strdup(*(const bool *)value ? s->on : s->off);
	if (s->on)
		return g_strdup(shell->times->name);
	return g_strdup_printf("%d", *(const int *)value);
}

/* Set S to TEXT.  False if TEXT is not a value of S. */
static bool kept_set(struct ui_shell *shell, const struct setting *s, const char *text)
{
	void *value = (char *)shell + s->at;
	gint64 number;

	if (s->off) {
		if (strcmp(text, s->on) != 0 && strcmp(text, s->off) != 0)
			return false;
		*(bool *)value = !strcmp(text, s->on);
	} else if (s->on) {
		if (!base_time_way_find(text))
			return false;
		shell->times = base_time_way_find(text);
	} else {
		if (!g_ascii_string_to_signed(text, 10, -EXTRA_MAX, EXTRA_MAX, &number, NULL))
			return false;
		*(int *)value = (int)number;
	}
	return true;
}

static void note(struct ui_shell *shell, const char *text)
{
	g_autofree char *line = g_strdup_printf("the layout of the last run is not restored: %s", text);

	ui_shell_note(shell, line);
}

static void kept_take(struct ui_shell *shell, GKeyFile *file, const char *path)
{
	bool hides = shell->hide_tracer;

	for (unsigned i = 0; i < G_N_ELEMENTS(settings); i++) {
		const struct setting *s = &settings[i];
		g_autofree char *text = g_key_file_get_value(file, HEAD, s->name, NULL), *why = NULL;

		if (!text || (s->typed && shell->options->tracer_typed) || kept_set(shell, s, text))
			continue;
		why = g_strdup_printf("%s: %s cannot be \"%s\"", path, s->name, text);
		note(shell, why);
	}
	shell->changes |= UI_CHANGED_SIZE | (shell->hide_tracer != hides ? UI_CHANGED_HIDING : 0);
	shell->dirty = true;
}

struct ui_kept *ui_kept_new(struct ui_shell *shell, const char *path)
{
	struct ui_kept *kept = g_new0(struct ui_kept, 1);
	g_autoptr(GError) error = NULL;
	GKeyFile *file = base_keyfile_read(path, &kept_kind, &error);

	kept->path = g_strdup(path);
	if (file) {
		kept_take(shell, file, path);
		g_key_file_unref(file);
	} else {
		note(shell, error->message);
	}
	for (unsigned i = 0; i < G_N_ELEMENTS(settings); i++)
		kept->before[i] = kept_text_of(shell, &settings[i]);
	return kept;
}

bool ui_kept_write(const struct ui_kept *kept, const struct ui_shell *shell, GError **error)
{
	g_autoptr(GKeyFile) file = NULL;

	for (unsigned i = 0; i < G_N_ELEMENTS(settings); i++) {
		g_autofree char *now = kept_text_of(shell, &settings[i]);

		if (!strcmp(now, kept->before[i]))
			continue;
		if (!file)
			file = base_keyfile_read(kept->path, &kept_kind, error);
		if (!file)
			return false;
		g_key_file_set_value(file, HEAD, settings[i].name, now);
	}
	return !file || base_keyfile_write(file, kept->path, error);
}

void ui_kept_free(struct ui_kept *kept)
{
	if (!kept)
		return;
	for (unsigned i = 0; i < G_N_ELEMENTS(settings); i++)
		g_free(kept->before[i]);
	g_free(kept->path);
	g_free(kept);
}
