/* SPDX-License-Identifier: MIT */
/* How kinds of causes and grades look, wherever they are listed: letters and colours as on the critical path.
 */
#ifndef KIND_LOOK_H
#define KIND_LOOK_H

#include "analysis/wait/source.h"
#include "ui/term/term_role.h"

enum term_role kind_look_role(enum ana_kind kind);
/* One letter that tells KIND from all others. */
char kind_look_letter(enum ana_kind kind);
enum term_role kind_look_grade(enum ana_grade grade);

#endif
