/* SPDX-License-Identifier: MIT */
/* The first of many things by some order, kept in a bounded heap whose top is the last of them. */
#ifndef BASE_WORST_H
#define BASE_WORST_H

#include <glib.h>
#include <stdbool.h>

/* Keep ITEM in HEAP, of such, which begins empty, if it is one of the TOP first of all, as FIRST compares. */
void base_worst_keep(GArray *heap, guint top, GCompareFunc first, const void *item);

#endif
