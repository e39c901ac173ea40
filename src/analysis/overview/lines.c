/* SPDX-License-Identifier: MIT */
/* Helpers for lines, shared by the parts of an overview and by stories. */
#include "analysis/overview/parts.h"

void ana_overview_line_clear(void *data)
{
	struct ana_overview_line *line = data;

	g_free(line->name);
	g_free(line->what);
	if (line->answer) {
		g_free(line->answer->text);
		g_free(line->answer->cause);
		g_free(line->answer);
	}
}

unsigned ana_answer_about(const struct ana_overview_line *line)
{
	return line->way == ANA_OVERVIEW_SPANS   ? ANA_ANSWER_SPANS
		: line->way == ANA_OVERVIEW_PATH ? ANA_ANSWER_REQUESTS
						 : 1u << line->answer->kind;
}

void ana_overview_put_share(GString *text, int64_t part, int64_t whole)
{
	double share = 100 * (double)part / (double)MAX(whole, 1);

	g_string_append_printf(text, share > 0 && share < 0.95 ? "%.1f %%" : "%.0f %%", share);
}

bool ana_overview_is_remote_shell(const char *name)
{
	static const char *const names[] = { "ssh", "sshd", "sshd-session", "dropbear", "mosh-server" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		if (g_str_equal(name, names[i]))
			return true;
	return false;
}
