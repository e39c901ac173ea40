/* SPDX-License-Identifier: MIT */
/* The looks of kinds of causes and of grades in all lists: letters and colours as on the critical path. */
#ifndef KIND_LOOK_H
#define KIND_LOOK_H

#include "analysis/wait/source.h"
#include "ui/term/term_role.h"

enum term_role kind_look_role(enum ana_kind kind);
/* The letter of KIND; no two kinds have the same letter. */
char kind_look_letter(enum ana_kind kind);
enum term_role kind_look_grade(enum ana_grade grade);

#endif
