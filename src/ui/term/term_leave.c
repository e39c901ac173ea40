/* SPDX-License-Identifier: MIT */
#include "ui/term/term_leave.h"

#include <glib.h>
#include <signal.h>
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

void term_leave_add(const char *text)
{
	if (text)
		leaving.length += g_strlcpy(leaving.text + leaving.length, text,
			sizeof leaving.text - leaving.length);
	leaving.length = MIN(leaving.length, sizeof leaving.text - 1);
}

void term_leave_arm(bool armed)
{
	leaving.armed = armed;
}

void term_leave(void)
{
	ssize_t ignored;

	if (!leaving.armed)
		return;
	ignored = write(STDOUT_FILENO, leaving.text, leaving.length);
	(void)ignored;
	tcsetattr(STDIN_FILENO, TCSANOW, &leaving.modes);
}
