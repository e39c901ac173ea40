/* SPDX-License-Identifier: MIT */
#include "ui/term/term_role.h"

#include <stdint.h>
#include <string.h>

static const struct {
	const char *name;
	char letter;
	uint8_t as;
} roles[TERM_ROLE_N] = {
#define TERM_ROLE_ROW(id, name, letter, as) [TERM_ROLE_##id] = { name, letter, TERM_ROLE_##as },
	TERM_ROLES(TERM_ROLE_ROW)
#undef TERM_ROLE_ROW
};

const char *term_role_name(enum term_role role)
{
	return roles[role].name;
}

char term_role_letter(enum term_role role)
{
	return roles[role].letter;
}

enum term_role term_role_as(enum term_role role)
{
	return roles[role].as;
}

bool term_role_find(const char *name, enum term_role *role)
{
	for (unsigned i = 0; i < TERM_ROLE_N; i++) {
		if (!strcmp(roles[i].name, name)) {
			*role = i;
			return true;
		}
	}
	return false;
}
