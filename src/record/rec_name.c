/* SPDX-License-Identifier: MIT */
/* How it works: a PID is used again, but not together with the time at which the process was started (the
 * 22nd field of /proc/PID/stat, see proc(5)). */
#include "record/rec_name.h"

#include <glib.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FIELDS_BEHIND_NAME 19 /* from the state, the 3rd field, to the 22nd */

/* When the process PID was started; 0: there is none. */
static uint64_t started(int pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/stat", pid), *text = NULL;
	const char *at;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	at = strrchr(text, ')'); /* the name may have any characters */
	at = at ? at + 1 : NULL;
	for (int i = 0; at && i < FIELDS_BEHIND_NAME; i++)
		at = strchr(at + 1, ' ');
	return at ? g_ascii_strtoull(at, NULL, 10) : 0;
}

char *rec_name_new(void)
{
	return g_strdup_printf("wakepath-%d-%" PRIu64, (int)getpid(), started(getpid()));
}

bool rec_name_is_left(const char *name)
{
	uint64_t start;
	int pid;

	return sscanf(name, "wakepath-%d-%" SCNu64, &pid, &start) == 2 && pid > 0 && start != started(pid);
}
