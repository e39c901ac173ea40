/* SPDX-License-Identifier: MIT */
#include "ui/core/ui_command.h"

#include <string.h>

static const struct ui_command_info commands[UI_CMD_N] = {
#define UI_COMMAND_ROW(id, name, group, help) [UI_CMD_##id] = { name, group, help },
	UI_COMMANDS(UI_COMMAND_ROW)
#undef UI_COMMAND_ROW
};

const struct ui_command_info *ui_command_info(enum ui_command command)
{
	g_assert(command > UI_CMD_NONE && command < UI_CMD_N);
	return &commands[command];
}

bool ui_command_find(const char *name, enum ui_command *command)
{
	for (unsigned i = UI_CMD_NONE + 1; i < UI_CMD_N; i++) {
		if (!strcmp(commands[i].name, name)) {
			*command = i;
			return true;
		}
	}
	return false;
}
