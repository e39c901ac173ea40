/* SPDX-License-Identifier: MIT */
/*
 * The list of all commands.  The enum, the menu of commands and docs/keys.md are made from it.
 * src/ui/core/default.keys and the configuration bind keys to the names.
 *
 * UI_COMMANDS(C): C(ID, "name", "group", "help").  The commands of a group are adjacent.
 */
#ifndef UI_COMMAND_H
#define UI_COMMAND_H

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

#define UI_COMMANDS(C)                                                           \
	C(ROW_UP, "row-up", "Move", "row above")                                 \
	C(ROW_DOWN, "row-down", "Move", "row below")                             \
	C(PAGE_UP, "page-up", "Move", "one page up")                             \
	C(PAGE_DOWN, "page-down", "Move", "one page down")                       \
	C(ROW_FIRST, "row-first", "Move", "first row")                           \
	C(ROW_LAST, "row-last", "Move", "last row")                              \
	C(TIME_LEFT, "time-left", "Move", "one column back in time")             \
	C(TIME_RIGHT, "time-right", "Move", "one column on in time")             \
	C(PAN_LEFT, "pan-left", "Move", "half a window back")                    \
	C(PAN_RIGHT, "pan-right", "Move", "half a window on")                    \
	C(TIME_START, "time-start", "Move", "start of the trace")                \
	C(TIME_END, "time-end", "Move", "end of the trace")                      \
	C(HOLD, "hold", "Move", "hold or release the end")                       \
	C(GOTO, "goto", "Move", "go to a time or #event")                        \
	C(CHANGE_NEXT, "change-next", "Jump", "next change/same event")          \
	C(CHANGE_PREV, "change-prev", "Jump", "previous change/same event")      \
	C(WAKE_NEXT, "wake-next", "Jump", "next wake-up")                        \
	C(WAKE_PREV, "wake-prev", "Jump", "previous wake-up")                    \
	C(FOLLOW, "follow", "Jump", "go to the waker")                           \
	C(ACTIVATE, "activate", "Jump", "open a wait or case; fold")             \
	C(REQUEST, "request", "Jump", "show the whole request")                  \
	C(REQUEST_NEXT, "request-next", "Jump", "next request")                  \
	C(REQUEST_PREV, "request-prev", "Jump", "previous request")              \
	C(ACROSS, "across", "Jump", "between guest and host")                    \
	C(BACK, "back", "Jump", "go back")                                       \
	C(BOOKMARK, "bookmark", "Jump", "set a bookmark, a to z")                \
	C(BOOKMARK_GO, "bookmark-go", "Jump", "go to a bookmark, or back")       \
	C(WORST_NEXT, "worst-next", "Jump", "next worst latency")                \
	C(WORST_PREV, "worst-prev", "Jump", "previous worst latency")            \
	C(UNDO, "undo", "Jump", "undo a move of the view")                       \
	C(REDO, "redo", "Jump", "redo a move of the view")                       \
	C(ZOOM_IN, "zoom-in", "Zoom", "zoom in at the cursor")                   \
	C(ZOOM_OUT, "zoom-out", "Zoom", "zoom out")                              \
	C(ZOOM_FIT, "zoom-fit", "Zoom", "show the whole trace")                  \
	C(ZOOM_SELECTION, "zoom-selection", "Zoom", "fit selection or interval") \
	C(SEARCH, "search", "Rows", "find a thread, or an event")                \
	C(SEARCH_NEXT, "search-next", "Rows", "next match")                      \
	C(SEARCH_PREV, "search-prev", "Rows", "previous match")                  \
	C(FOLD, "fold", "Rows", "fold or unfold")                                \
	C(FOLD_ALL, "fold-all", "Rows", "fold or unfold everything")             \
	C(ROWS, "rows", "Rows", "which rows are shown")                          \
	C(FILTER, "filter", "Rows", "only matching rows")                        \
	C(PIN, "pin", "Rows", "pin a row on top")                                \
	C(HIDE_TRACER, "hide-tracer", "Rows", "hide or show the tracer")         \
	C(NAMES_WIDER, "names-wider", "Rows", "wider names")                     \
	C(NAMES_NARROWER, "names-narrower", "Rows", "narrower names")            \
	C(MARK, "mark", "Select", "begin or end a selection")                    \
	C(CLEAR, "clear", "Select", "drop selection; leave pane")                \
	C(SUMS, "sums", "Select", "selection: events by name")                   \
	C(COPY, "copy", "Select", "copy name, row, table, ...")                  \
	C(VIEW, "view", "Select", "show a copied view")                          \
	C(EXPORT, "export", "Select", "write list, path or window")              \
	C(CUT, "cut", "Select", "write events of the window")                    \
	C(OVERVIEW, "overview", "Panes", "overview of the trace")                \
	C(PATH, "path", "Panes", "critical path of a thread")                    \
	C(LATENCY, "latency", "Panes", "worst latencies")                        \
	C(CAUSES, "causes", "Panes", "what was waited for most")                 \
	C(STACKS, "stacks", "Panes", "blocked time by stack")                    \
	C(MACHINES, "machines", "Panes", "virtual machines")                     \
	C(REQUESTS, "requests", "Panes", "requests over the net")                \
	C(SPANS, "spans", "Panes", "phases, states of programs")                 \
	C(COMPARE, "compare", "Panes", "slow against fast")                      \
	C(AGAINST, "against", "Panes", "compare: other recording")               \
	C(WHY, "why", "Panes", "why this wait ended")                            \
	C(ACCOUNT, "account", "Panes", "account of this time")                   \
	C(STORY, "story", "Panes", "story of this time")                         \
	C(EVENTS, "events", "Panes", "events around the cursor")                 \
	C(CLOCKS, "clocks", "Panes", "clocks of the hosts")                      \
	C(SYNC, "sync", "Panes", "choose the clocks")                            \
	C(WARNINGS, "warnings", "Panes", "warnings, and what to do")             \
	C(HITS, "hits", "Panes", "what a watch kept")                            \
	C(TABLE, "table", "Panes", "any table, by its name")                     \
	C(SQL, "sql", "Panes", "ask a question in SQL")                          \
	C(FLEET, "fleet", "Panes", "hosts of a fleet")                           \
	C(BOOKMARKS, "bookmarks", "Panes", "list of bookmarks")                  \
	C(BOOKMARK_DROP, "bookmark-drop", "Panes", "bookmarks: remove one")      \
	C(SUMMARY, "summary", "Panes", "path: rows, list, shares")               \
	C(FOLD_LONGER, "fold-longer", "Panes", "path: fold longer segments")     \
	C(FOLD_SHORTER, "fold-shorter", "Panes", "path: fold fewer segments")    \
	C(LEVEL_MORE, "level-more", "Panes", "path: one level deeper")           \
	C(LEVEL_LESS, "level-less", "Panes", "path: one level less deep")        \
	C(SCOPE, "scope", "Panes", "lists: whose waits")                         \
	C(SORT, "sort", "Panes", "rows, lists: sort order")                      \
	C(REVERSE, "reverse", "Panes", "lists: reverse the order")               \
	C(COLUMNS, "columns", "Panes", "lists: choose the columns")              \
	C(KIND, "kind", "Panes", "lists: choose the kind")                       \
	C(GROUP, "group", "Panes", "latencies: choose groups")                   \
	C(PICK, "pick", "Panes", "latencies: pick a part")                       \
	C(LIMIT, "limit", "Panes", "latencies: mark long ones")                  \
	C(DETAIL, "detail", "Panes", "details at the cursor")                    \
	C(FOCUS, "focus", "Panes", "go to the other pane")                       \
	C(SECOND, "second", "Panes", "open, close second window")                \
	C(LINK, "link", "Panes", "windows: same time or zoom")                   \
	C(MAXIMISE, "maximise", "Panes", "pane on the whole screen")             \
	C(LAYOUT, "layout", "Panes", "panes: split or stack")                    \
	C(GROW, "grow", "Panes", "larger lower pane, window")                    \
	C(SHRINK, "shrink", "Panes", "smaller lower pane, window")               \
	C(COMMAND, "command", "Panes", "run a command by name")                  \
	C(HELP, "help", "Panes", "find and run a command")                       \
	C(QUESTIONS, "questions", "Panes", "choose a question")                  \
	C(LEGEND, "legend", "Look", "meaning of the signs")                      \
	C(CLOCK, "clock", "Look", "clock or time from start")                    \
	C(ARROWS, "arrows", "Look", "wake-up arrows on or off")                  \
	C(THEME, "theme", "Look", "next theme")                                  \
	C(ASCII, "ascii", "Look", "heights, ASCII or letters")                   \
	C(MOUSE, "mouse", "Look", "mouse: here or terminal's")                   \
	C(REPAINT, "repaint", "Look", "repaint the screen")                      \
	C(CLOSE, "close", "Look", "close the pane, or quit")                     \
	C(QUIT, "quit", "Look", "quit at once (also ZZ)")

enum ui_command {
	UI_CMD_NONE,
#define UI_COMMAND_ENUM(id, name, group, help) UI_CMD_##id,
	UI_COMMANDS(UI_COMMAND_ENUM)
#undef UI_COMMAND_ENUM
		UI_CMD_N
};

struct ui_command_info {
	const char *name, *group, *help; /* static */
};

/* The entry of COMMAND (not UI_CMD_NONE). */
const struct ui_command_info *ui_command_info(enum ui_command command);
/* *COMMAND becomes the command called NAME; false if there is none. */
bool ui_command_find(const char *name, enum ui_command *command);

/* A word that users of other tools would type for a command. */
struct ui_alias {
	const char *word; /* NULL: end of the list */
	const char *line; /* the command with its text; NULL: no command does that */
	const char *said; /* if LINE is NULL: what does it instead */
};
extern const struct ui_alias ui_aliases[];
/* The alias called WORD; NULL if there is none. */
const struct ui_alias *ui_alias_find(const char *word);
/* The aliases of COMMAND, separated by blanks.  The caller frees. */
char *ui_alias_words(enum ui_command command);

/*
 * ---- keys ----
 *
 * A line "COMMAND KEY KEY …" sets all keys of a command, "none KEY …" unbinds keys, "#" begins a comment.
 * Keys and commands that the user's file does not name keep their built-in binding (default.keys).
 */

struct ui_keymap;

/* The built-in keys. */
struct ui_keymap *ui_keymap_new(void);
/* Apply TEXT, line LINE of the user's FILE.  False with an error, also if an earlier line binds the key or
 * the command. */
bool ui_keymap_add(struct ui_keymap *map, const char *text, const char *file, unsigned line, GError **error);
void ui_keymap_free(struct ui_keymap *map);

/* The command bound to KEY; UI_CMD_NONE if there is none. */
enum ui_command ui_keymap_command(const struct ui_keymap *map, uint32_t key);
/* The names of all keys of COMMAND, in the order of the file, joined by SEPARATOR; "" if there are none.  The
 * caller frees. */
char *ui_keymap_keys(const struct ui_keymap *map, enum ui_command command, const char *separator);
/* The name of the first key of COMMAND; "" if there is none.  The caller frees. */
char *ui_keymap_first(const struct ui_keymap *map, enum ui_command command);
/* A sentence, with file and line, that says how COMMAND lost its last key to another command.  NULL if it has
 * a key, or if the user unbound it on purpose (by a line for COMMAND, or by "none").  MAP owns it. */
const char *ui_keymap_lost(const struct ui_keymap *map, enum ui_command command);

#endif
