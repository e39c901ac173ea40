/* SPDX-License-Identifier: MIT */
/* Names of Linux 4.4 and 6.1, from the recorded traces and kernel/workqueue.c, and others that only
 * resemble them. */
#include "analysis/kind/kind.h"

#include <glib.h>

static void test_names(void)
{
	static const char *const names[][2] = {
		{ "kworker/0:1", "kworker/*" },
		{ "kworker/11:23", "kworker/*" },
		{ "kworker/0:1H", "kworker/*H" },
		{ "kworker/u4:2", "kworker/u*" },
		{ "kworker/u16:0H", "kworker/u*H" },
		{ "kworker/1:1-mm_p", "kworker/*-mm_p" },
		{ "ksoftirqd/0", "ksoftirqd/*" },
		{ "migration/11", "migration/*" },
		{ "rcuop/3", "rcuop/*" },
		{ "hackbench", "hackbench" },
		{ "wk-stage0", "wk-stage0" },
		{ "", "" },
		{ "/0", "/0" },
		{ "x/", "x/" },
		{ "a/1b", "a/1b" },
		{ "kworker/0", "kworker/*" },
		{ "kworker/u:1", "kworker/u:1" },
		{ "kworker/0:", "kworker/0:" },
		{ "kworker/R-mm_pe", "kworker/R-mm_pe" },
		{ "a/b/7", "a/b/*" },
		{ "CPU 0/KVM", "CPU 0/KVM" },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		char *group = ana_group_name(names[i][0]);

		g_assert_cmpstr(group, ==, names[i][1]);
		g_free(group);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/group/names", test_names);
	return g_test_run();
}
