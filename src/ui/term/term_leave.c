/* SPDX-License-Identifier: MIT */
#include "ui/term/term_leave.h"

#include "base/base_stop.h"

#include <glib.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

static struct {
	volatile sig_atomic_t armed;
	struct termios modes;
	char text[256];
	size_t length;
} leaving;

void term_leave_begin(void)
{
	leaving.length = 0;
	tcgetattr(STDIN_FILENO, &leaving.modes);
}

/* "$<5>" is a pause that terminfo(5) asks for, and not sent. */
void term_leave_add(const char *text)
{
	while (text && *text && leaving.length < sizeof leaving.text) {
		const char *after = strncmp(text, "$<", 2) == 0 ? strchr(text, '>') : NULL;

		if (!after)
			leaving.text[leaving.length++] = *text;
		text = after ? after + 1 : text + 1;
	}
}

void term_leave_arm(bool armed)
{
	leaving.armed = armed;
}

void term_leave(void)
{
	if (!leaving.armed)
		return;
	base_stop_put(STDOUT_FILENO, leaving.text, leaving.length);
	tcsetattr(STDIN_FILENO, TCSANOW, &leaving.modes);
}
