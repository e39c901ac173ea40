/* SPDX-License-Identifier: MIT */
/* Private to ana_cpuwait*.c. */
#ifndef ANA_CPUWAIT_PARTS_H
#define ANA_CPUWAIT_PARTS_H

#include "analysis/ana_cpuwait.h"

/* Find out what made TURN of WAIT so. */
void ana_cpuwait_why(struct qry *q, const struct ana_cpuwait *wait, struct ana_turn *turn);

#endif
