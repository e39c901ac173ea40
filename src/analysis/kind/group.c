/* SPDX-License-Identifier: MIT */
#include "analysis/kind/group.h"

#include <glib.h>
#include <string.h>

#define DIGITS "0123456789"

/* The kind of the worker called "kworker/u4:1H", a star for its numbers; NULL: NAME is not called so. */
static char *worker_name(const char *name)
{
	static const char prefix[] = "kworker/";
	const char *at = name + strlen(prefix), *unbound;
	size_t cpu, number;

	if (!g_str_has_prefix(name, prefix))
		return NULL;
	unbound = *at == 'u' ? "u" : "";
	at += strlen(unbound);
	cpu = strspn(at, DIGITS);
	if (cpu == 0 || at[cpu] != ':')
		return NULL;
	number = strspn(at + cpu + 1, DIGITS);
	return number > 0 ? g_strconcat(prefix, unbound, "*", at + cpu + 1 + number, NULL) : NULL;
}

char *ana_group_name(const char *name)
{
	const char *slash = strrchr(name, '/');
	char *worker = worker_name(name);

	if (worker)
		return worker;
	if (slash && slash > name && slash[1] != '\0' && slash[1 + strspn(slash + 1, DIGITS)] == '\0')
		return g_strdup_printf("%.*s/*", (int)(slash - name), name);
	return g_strdup(name);
}
