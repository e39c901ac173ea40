/* SPDX-License-Identifier: MIT */
/* A file of its own, because <term.h> defines another struct term, and macros for words such as "columns". */
#include <curses.h>
#include <term.h>

#include "ui/term/term_curses.h"

#include "base/base_error.h"

#include <unistd.h>

/* True if the terminal's string NAME is a control function of ECMA-48, as on the VT100. */
static bool is_ecma(const char *name)
{
	const char *text = tigetstr(name); /* the string, NULL or -1 */

	return text && text != (const char *)-1 && g_str_has_prefix(text, "\033[");
}

bool term_type_is_good(const char *type, GError **error)
{
	bool can;
	int known;

	if (!type || !*type || setupterm(type, STDOUT_FILENO, &known) != OK)
		return base_error_false(error, BASE_ERROR_USAGE,
			"TERM=%s: no description of such a terminal: set TERM (e.g. TERM=xterm) or install ncurses-term",
			type ? type : "");
	can = is_ecma("cup") && is_ecma("ed");
	del_curterm(cur_term);
	if (!can)
		g_set_error(error, BASE_ERROR, BASE_ERROR_USAGE,
			"TERM=%s: the explorer cannot draw on such a terminal: set TERM to what it is (e.g. TERM=xterm), or use a subcommand such as info",
			type);
	return can;
}
