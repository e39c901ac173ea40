/* SPDX-License-Identifier: MIT */
/* A table of recent objects by their kernel address. Its size is bounded, and it forgets the oldest first. */
#ifndef MDL_RECENT_H
#define MDL_RECENT_H

#include <stddef.h>
#include <stdint.h>

struct mdl_recent;

/* A table of values of SIZE bytes each.  It grows up to MAX entries (a power of two, at least 256) and keeps
 * that size. */
struct mdl_recent *mdl_recent_new(size_t size, unsigned max);
void mdl_recent_free(struct mdl_recent *r);

/* The value of KEY, owned by R and valid until the next put; NULL if there is none. KEY 0 never has one. */
void *mdl_recent_find(const struct mdl_recent *r, uint64_t key);
/* A new value for KEY (not 0), all zero. It replaces the old value of KEY, or that of another key. */
void *mdl_recent_put(struct mdl_recent *r, uint64_t key);
void mdl_recent_drop(struct mdl_recent *r, uint64_t key);
void mdl_recent_clear(struct mdl_recent *r);

#endif
