/* SPDX-License-Identifier: MIT */
/*
 * A backend without a terminal: it plays the keys of a file, and writes the screen where the file says so.
 * One line is one of:
 *
 *   KEY                              a key by name
 *   "TEXT"                           each character is typed
 *   size COLS ROWS                   in the first line: from the beginning
 *   click|double|move COLUMN LINE, wheel up|down COLUMN LINE, drag COLUMN LINE COLUMN LINE
 *   pointer COLUMN LINE              the place of later mouse keys
 *   paste "TEXT"                     \n in it ends a line
 *   dump|attrs FILE                  write the screen as text, or its roles
 *   frames FILE                      write all screens drawn from the next key until the program is idle
 *                                    again, with a form feed after each
 *   copied FILE                      write the text that was copied last
 *   until TEXT                       wait until TEXT is on the screen, at most 30 s; for a text that comes
 *                                    after the program was idle, or, before "now KEY", while it is busy
 *   now KEY                          deliver KEY although the program may be busy
 *   quit
 *
 * Empty lines and lines that begin with "#" and a space are skipped.  Apart from "until" and "now", the next
 * line is read only when the program is idle, so a dumped screen is always complete, and scripts need no
 * delays.
 */
#include "ui/term/term.h"

#include "base/base_error.h"
#include "base/base_file.h"
#include "base/base_place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define MAX_SIDE 2000
#define NOW "now "
#define UNTIL "until "
#define UNTIL_US 30000000 /* µs until "until" fails */

struct script {
	struct term term;
	char *path;
	char **lines;
	unsigned line;     /* the next line's index */
	const char *typed; /* rest of a quoted text, inside LINES */
	unsigned columns, rows;
	const struct term_grid *shown; /* weak: the grid drawn last */
	const char *frames;            /* the file of "frames", inside LINES; NULL: none */
	GString *drawn;                /* the frames for it */
	char *copied;                  /* owned: the text that was copied last; NULL: none */
	bool drags; /* the button is pressed; release it at this column and line (from 1) */
	unsigned drop_x, drop_y;
	gint64 until; /* when "until" fails, µs, monotonic; 0: it does not wait */
};

static void script_fail(struct script *s, const char *what, const char *line)
{
	g_clear_error(&s->term.error);
	g_set_error(&s->term.error, BASE_ERROR, BASE_ERROR_USAGE, "%s:%u: %s: \"%s\"", s->path, s->line, what,
		line);
}

/* The screen as text, without spaces at the ends of lines. */
static void append_screen(GString *out, const struct term_grid *grid)
{
	for (unsigned y = 0; y < grid->rows; y++) {
		term_grid_text(grid, 0, y, grid->columns, out);
		g_string_append_c(out, '\n');
	}
}

/* Append the runs of cells with one overlay: "over ROLE line Y columns X-X". */
static void append_overlays(GString *out, const struct term_grid *grid)
{
	for (unsigned y = 0; y < grid->rows; y++) {
		for (unsigned x = 0, end; x < grid->columns; x = end) {
			uint8_t over = term_grid_cell(grid, x, y)->over;

			for (end = x + 1; end < grid->columns && term_grid_cell(grid, end, y)->over == over;
				end++)
				;
			if (over != TERM_ROLE_TEXT)
				g_string_append_printf(out, "over %s line %u columns %u-%u\n",
					term_role_name(over), y + 1, x + 1, end);
		}
	}
}

static void append_roles(GString *out, const struct term_grid *grid)
{
	bool seen[TERM_ROLE_N] = { false };

	for (unsigned y = 0; y < grid->rows; y++) {
		for (unsigned x = 0; x < grid->columns; x++) {
			uint8_t role = term_grid_cell(grid, x, y)->role;

			seen[role] = true;
			g_string_append_unichar(out, term_role_letter(role));
		}
		g_string_append_c(out, '\n');
	}
	g_string_append_c(out, '\n');
	for (unsigned role = 0; role < TERM_ROLE_N; role++)
		if (seen[role]) {
			g_string_append_unichar(out, term_role_letter(role));
			g_string_append_printf(out, " %s\n", term_role_name(role));
		}
	append_overlays(out, grid);
}

static void write_text(struct script *s, const char *path, const GString *out)
{
	int fd = base_place_write(path, O_TRUNC, 0666);
	FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (!file || fwrite(out->str, 1, out->len, file) != out->len)
		base_error_set_errno(&s->term.error, errno, "writing the screen to", path);
	if (file && fclose(file) && !s->term.error)
		base_error_set_errno(&s->term.error, errno, "writing the screen to", path);
}

/* Write TEXT (NULL: none) and then what APPEND (NULL: nothing) makes of the screen. */
static void write_screen(struct script *s, const char *path, const char *text,
	void (*append)(GString *, const struct term_grid *))
{
	g_autoptr(GString) out = g_string_new(text);

	if (s->shown && append)
		append(out, s->shown);
	write_text(s, path, out);
}

static uint32_t do_size(struct script *s, const char *line)
{
	unsigned columns, rows;
	char rest;

	if (sscanf(line, "size %u %u%c", &columns, &rows, &rest) != 2 || !columns || !rows ||
		columns > MAX_SIDE || rows > MAX_SIDE) {
		script_fail(s, "expected size COLS ROWS", line);
		return TERM_KEY_END_OF_INPUT;
	}
	s->columns = columns;
	s->rows = rows;
	return TERM_KEY_RESIZE;
}

/* Put the mouse at a column and line, from 1, for the keys "Click", "WheelUp" and "WheelDown". */
static void do_pointer(struct script *s, const char *line)
{
	unsigned column, row;
	char rest;

	if (sscanf(line, "pointer %u %u%c", &column, &row, &rest) != 2 || !column || !row) {
		script_fail(s, "expected pointer COLUMN LINE", line);
		return;
	}
	s->term.mouse_x = column - 1;
	s->term.mouse_y = row - 1;
}

/* Mouse actions, "click X Y", at places counted from 1. */
static const struct {
	const char *form; /* for sscanf(): two numbers, and a character to detect text after them */
	uint32_t key;
} mouse_lines[] = {
	{ "click %u %u%c", TERM_KEY_CLICK },
	{ "move %u %u%c", TERM_KEY_MOVE },
	{ "double %u %u%c", TERM_KEY_DOUBLE },
	{ "wheel up %u %u%c", TERM_KEY_WHEEL_UP },
	{ "wheel down %u %u%c", TERM_KEY_WHEEL_DOWN },
};

/* "drag X Y X Y": press at the first place, which is this key; release at the second, which is the next
 * key. */
static bool do_drag(struct script *s, const char *line)
{
	unsigned x = 0, y = 0;
	char rest;

	if (sscanf(line, "drag %u %u %u %u%c", &x, &y, &s->drop_x, &s->drop_y, &rest) != 4 || !x || !y ||
		!s->drop_x || !s->drop_y)
		return false;
	s->term.mouse_x = x - 1;
	s->term.mouse_y = y - 1;
	s->drags = true;
	return true;
}

/* Put the mouse where LINE says, and return its key; NONE: LINE is not a mouse action. */
static uint32_t do_mouse(struct script *s, const char *line)
{
	if (do_drag(s, line))
		return TERM_KEY_CLICK;
	for (gsize i = 0; i < G_N_ELEMENTS(mouse_lines); i++) {
		unsigned column = 0, row = 0;
		char rest;

		if (sscanf(line, mouse_lines[i].form, &column, &row, &rest) != 2 || !column || !row)
			continue;
		s->term.mouse_x = column - 1;
		s->term.mouse_y = row - 1;
		return mouse_lines[i].key;
	}
	return TERM_KEY_NONE;
}

/* paste "TEXT": the text without the quotes, at once, as from a clipboard. */
static uint32_t do_paste(struct script *s, const char *line)
{
	const char *text = line + strlen("paste ");
	size_t length = strlen(text);
	g_autofree char *inside = NULL, *plain = NULL;

	if (length < 2 || text[0] != '"' || text[length - 1] != '"') {
		script_fail(s, "expected paste \"TEXT\"", line);
		return TERM_KEY_END_OF_INPUT;
	}
	inside = g_strndup(text + 1, length - 2);
	plain = g_strcompress(inside);
	if (s->term.pasted)
		g_string_free(s->term.pasted, TRUE);
	s->term.pasted = g_string_new(plain);
	return TERM_KEY_PASTE;
}

/* The next character of the quoted text; NONE: it has ended. */
static uint32_t type_next(struct script *s)
{
	gunichar ch;

	if (!s->typed || !*s->typed || !strcmp(s->typed, "\"")) {
		s->typed = NULL;
		return TERM_KEY_NONE;
	}
	ch = g_utf8_get_char(s->typed);
	s->typed = g_utf8_next_char(s->typed);
	return ch;
}

/* True if the next line is "until TEXT". */
static bool is_until(const struct script *s)
{
	return s->lines[s->line] && g_str_has_prefix(s->lines[s->line], UNTIL) && s->shown;
}

/* True if the screen shows the TEXT of the next line, "until TEXT". */
static bool is_there_now(const struct script *s)
{
	g_autoptr(GString) screen = g_string_new(NULL);

	append_screen(screen, s->shown);
	return strstr(screen->str, s->lines[s->line] + strlen(UNTIL));
}

/* True if the next line waits for a text that is not on the screen yet. */
static bool term_script_waits(struct script *s)
{
	bool is_there;

	if (!is_until(s))
		return false;
	is_there = is_there_now(s);
	if (s->until == 0)
		s->until = g_get_monotonic_time() + UNTIL_US;
	if (!is_there && g_get_monotonic_time() < s->until)
		return true;
	s->until = 0;
	if (!is_there)
		script_fail(s, "not on the screen within 30 s", s->lines[s->line]);
	return false;
}

/* Run LINE.  Returns its key; NONE: it has none. */
static uint32_t do_line(struct script *s, char *line)
{
	uint32_t key = TERM_KEY_NONE;

	if (g_str_has_prefix(line, NOW))
		line += strlen(NOW);
	if (!*line || !strcmp(line, "#") || g_str_has_prefix(line, "# "))
		return TERM_KEY_NONE;
	if (line[0] == '"' && line[1]) {
		s->typed = line + 1;
		return type_next(s);
	}
	if (g_str_has_prefix(line, "size "))
		return do_size(s, line);
	if (g_str_has_prefix(line, "paste "))
		return do_paste(s, line);
	key = do_mouse(s, line);
	if (key != TERM_KEY_NONE)
		return key;
	if (g_str_has_prefix(line, "pointer "))
		do_pointer(s, line);
	else if (g_str_has_prefix(line, "dump "))
		write_screen(s, line + 5, NULL, append_screen);
	else if (g_str_has_prefix(line, "attrs "))
		write_screen(s, line + 6, NULL, append_roles);
	else if (g_str_has_prefix(line, "frames "))
		s->frames = line + 7;
	else if (g_str_has_prefix(line, "copied "))
		write_screen(s, line + 7, s->copied, NULL);
	else if (g_str_has_prefix(line, UNTIL))
		return s->term.error ? TERM_KEY_END_OF_INPUT : TERM_KEY_NONE;
	else if (!strcmp(line, "quit"))
		key = TERM_KEY_END_OF_INPUT;
	else if (!term_key_parse(line, &key))
		script_fail(s, "no such key or command", line);
	return s->term.error ? TERM_KEY_END_OF_INPUT : key;
}

static uint32_t script_key(struct term *term, int timeout, bool idle)
{
	struct script *s = (struct script *)term;
	uint32_t key = TERM_KEY_NONE;

	if (!idle && is_until(s) && is_there_now(s)) {
		s->line++;
		s->until = 0;
	}
	if (!idle && s->lines[s->line] && g_str_has_prefix(s->lines[s->line], NOW))
		return do_line(s, g_strstrip(s->lines[s->line++]));
	if (!idle) {
		if (timeout > 0)
			g_usleep(1000);
		return TERM_KEY_NONE;
	}
	if (s->frames && s->drawn->len > 0) { /* all frames of the key are drawn */
		write_text(s, s->frames, s->drawn);
		s->frames = NULL;
		g_string_truncate(s->drawn, 0);
	}
	if (s->drags) {
		s->drags = false;
		s->term.mouse_x = s->drop_x - 1;
		s->term.mouse_y = s->drop_y - 1;
		return TERM_KEY_DRAG;
	}
	key = type_next(s);
	while (key == TERM_KEY_NONE) {
		if (!s->lines[s->line])
			return TERM_KEY_END_OF_INPUT;
		if (term_script_waits(s)) {
			g_usleep(10000);
			return TERM_KEY_NONE;
		}
		key = do_line(s, g_strstrip(s->lines[s->line++]));
	}
	return key;
}

static bool script_set_mouse(G_GNUC_UNUSED struct term *term, G_GNUC_UNUSED bool on)
{
	return true;
}

static bool script_copy(struct term *term, const char *text, const char **how)
{
	struct script *s = (struct script *)term;

	g_free(s->copied);
	s->copied = g_strdup(text);
	*how = "to the script";
	return true;
}

static void script_set_styles(G_GNUC_UNUSED struct term *term, G_GNUC_UNUSED const struct term_style *styles)
{
}

static void script_size(struct term *term, unsigned *columns, unsigned *rows)
{
	struct script *s = (struct script *)term;

	*columns = s->columns;
	*rows = s->rows;
}

static void script_draw(struct term *term, const struct term_grid *grid)
{
	struct script *s = (struct script *)term;

	s->shown = grid;
	if (!s->frames)
		return;
	append_screen(s->drawn, grid);
	g_string_append(s->drawn, "\f\n");
}

static void script_repaint(G_GNUC_UNUSED struct term *term)
{
}

static void script_free(struct term *term)
{
	struct script *s = (struct script *)term;

	g_clear_error(&term->error);
	if (term->pasted)
		g_string_free(term->pasted, TRUE);
	g_strfreev(s->lines);
	g_string_free(s->drawn, TRUE);
	g_free(s->path);
	g_free(s->copied);
	g_free(s);
}

static const struct term_ops script_ops = {
	.name = "script",
	.set_styles = script_set_styles,
	.size = script_size,
	.draw = script_draw,
	.repaint = script_repaint,
	.set_mouse = script_set_mouse,
	.copy = script_copy,
	.key = script_key,
	.free = script_free,
};

struct term *term_script_new(const char *path, GError **error)
{
	static const struct base_file_kind kind = { "script", 4 << 20, BASE_ERROR_USAGE };
	g_autofree char *text = base_file_text(path, &kind, error);
	struct script *s;

	if (!text)
		return NULL;
	s = g_new0(struct script, 1);
	s->term.ops = &script_ops;
	s->term.colours = 1 << 24;
	s->term.utf8 = true;
	s->term.waits = true;
	s->path = g_strdup(path);
	s->lines = g_strsplit(text, "\n", -1);
	s->drawn = g_string_new(NULL);
	s->columns = 80;
	s->rows = 24;
	if (g_str_has_prefix(text, "size ")) /* the initial size */
		do_size(s, s->lines[s->line++]);
	return &s->term;
}
