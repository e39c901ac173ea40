/* SPDX-License-Identifier: MIT */
#include "ui/widget/kind_look.h"

#define ROLE(NAME, word, letter, role, ...) [ANA_KIND_##NAME] = TERM_ROLE_PATH_##role,
static const enum term_role roles[ANA_KIND_N] = { ANA_KINDS(ROLE) };

enum term_role kind_look_role(enum ana_kind kind)
{
	return roles[kind];
}

char kind_look_letter(enum ana_kind kind)
{
	return ana_kind_look(kind)->letter;
}

enum term_role kind_look_grade(enum ana_grade grade)
{
	return TERM_ROLE_GRADE_PROVED + grade;
}
