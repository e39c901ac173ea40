/* SPDX-License-Identifier: MIT */
#include "model/event/counter.h"

#include <string.h>

#define OTHER_NAME "cpu-" /* cpu-cycles is cycles */

static bool begins(const char *name, const char *what)
{
	size_t length = strlen(what);

	if (!strncmp(name, OTHER_NAME, strlen(OTHER_NAME)) && !strcmp(what, "cycles"))
		name += strlen(OTHER_NAME);
	return !strncmp(name, what, length) && strchr(":/,", name[length]); /* strchr() finds the NUL, too */
}

bool mdl_counter_is(const char *name, const char *what)
{
	const char *slash = strchr(name, '/');

	return begins(name, what) || (slash && begins(slash + 1, what));
}
