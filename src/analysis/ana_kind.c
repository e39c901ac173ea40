/* SPDX-License-Identifier: MIT */
#include "analysis/ana_kind.h"

#include "analysis/ana_path.h"

#define LOOK(NAME, name, letter, role, words, segment, actor, link, kept)                                 \
	[ANA_KIND_##NAME] = { name, words, letter, ANA_SEG_##segment, ANA_ACTOR_##actor, ANA_LINK_##link, \
		kept },
static const struct ana_kind_look looks[ANA_KIND_N] = { ANA_KINDS(LOOK) };

const struct ana_kind_look *ana_kind_look(enum ana_kind kind)
{
	return &looks[kind];
}

const char *ana_kind_name(enum ana_kind kind)
{
	return looks[kind].name;
}

enum ana_grade ana_grade_of(enum mdl_grade grade)
{
	return grade == MDL_PROVED ? ANA_PROVED : grade == MDL_INFERRED ? ANA_INFERRED : ANA_UNKNOWN;
}

const char *ana_grade_name(enum ana_grade grade)
{
	static const char *const
		names[] = { [ANA_PROVED] = "proved", [ANA_INFERRED] = "inferred", [ANA_UNKNOWN] = "unknown" };

	return names[grade];
}
