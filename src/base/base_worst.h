/* SPDX-License-Identifier: MIT */
/* The first N of many elements in some order, kept in a bounded heap whose top is the last of the N. */
#ifndef BASE_WORST_H
#define BASE_WORST_H

#include <glib.h>
#include <stdbool.h>

/* Add ITEM to HEAP (initially empty, of such elements) if it is among the first TOP of all items so far, in
 * the order of FIRST. */
void base_worst_keep(GArray *heap, guint top, GCompareFunc first, const void *item);

#endif
