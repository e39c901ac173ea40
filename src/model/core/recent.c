/* SPDX-License-Identifier: MIT */
/*
 * How it works: the key selects one set of a few slots. If the set is full, the table doubles. At its limit,
 * the oldest slot of the set is overwritten. There are no chains and no frees, because a busy machine starts
 * and stops some 100 000 timers per second.
 */
#include "model/core/recent.h"

#include <glib.h>
#include <stdalign.h>
#include <string.h>

#define WAYS 8 /* slots of a set */
#define SETS_MIN 32

/* The head of each value. */
struct slot {
	uint64_t key;     /* 0: free */
	uint64_t written; /* number of this write; the lowest is the oldest */
};

struct mdl_recent {
	size_t stride, size;       /* bytes of slot and value; bytes of the value */
	unsigned n_sets, max_sets; /* powers of two */
	uint64_t writes;
	char *slots; /* owned */
};

static void *recent_value_of(struct slot *s)
{
	return s + 1;
}

/* Addresses are multiples of 8 and close together: Fibonacci hashing (Knuth, TAOCP 3, 6.4) spreads them. */
static struct slot *set_of(const struct mdl_recent *r, uint64_t key)
{
	uint64_t set = (key * 0x9E3779B97F4A7C15u >> 32) & (r->n_sets - 1);

	return (struct slot *)(void *)(r->slots + set * WAYS * r->stride);
}

static struct slot *next(const struct mdl_recent *r, struct slot *s)
{
	return (struct slot *)(void *)((char *)s + r->stride);
}

static void allocate(struct mdl_recent *r, unsigned n_sets)
{
	r->n_sets = n_sets;
	r->slots = g_malloc0_n((gsize)n_sets * WAYS, r->stride);
}

struct mdl_recent *mdl_recent_new(size_t size, unsigned max)
{
	struct mdl_recent *r = g_new0(struct mdl_recent, 1);

	r->size = size;
	r->max_sets = max / WAYS;
	r->stride = sizeof(struct slot) +
		(size + alignof(struct slot) - 1) / alignof(struct slot) * alignof(struct slot);
	allocate(r, SETS_MIN);
	return r;
}

void mdl_recent_free(struct mdl_recent *r)
{
	g_free(r->slots);
	g_free(r);
}

static struct slot *recent_slot_of(const struct mdl_recent *r, uint64_t key)
{
	struct slot *s = set_of(r, key);

	for (unsigned i = 0; i < WAYS; i++, s = next(r, s))
		if (s->key == key)
			return s;
	return NULL;
}

void *mdl_recent_find(const struct mdl_recent *r, uint64_t key)
{
	struct slot *s = key != 0 ? recent_slot_of(r, key) : NULL;

	return s ? recent_value_of(s) : NULL;
}

/* A free slot for KEY; if there is none, the oldest slot of its set. */
static struct slot *slot_for(const struct mdl_recent *r, uint64_t key)
{
	struct slot *s = set_of(r, key), *oldest = s;

	for (unsigned i = 0; i < WAYS; i++, s = next(r, s)) {
		if (s->key == 0)
			return s;
		if (s->written < oldest->written)
			oldest = s;
	}
	return oldest;
}

/* Double the number of sets. Each set becomes two, so all values have room. */
static void grow(struct mdl_recent *r)
{
	unsigned n = r->n_sets * WAYS;
	g_autofree char *old = r->slots;
	struct slot *s = (struct slot *)(void *)old;

	allocate(r, r->n_sets * 2);
	for (unsigned i = 0; i < n; i++, s = next(r, s))
		if (s->key != 0)
			memcpy(slot_for(r, s->key), s, r->stride);
}

void *mdl_recent_put(struct mdl_recent *r, uint64_t key)
{
	struct slot *s = recent_slot_of(r, key);

	if (!s) {
		s = slot_for(r, key);
		while (s->key != 0 && r->n_sets < r->max_sets) {
			grow(r);
			s = slot_for(r, key);
		}
	}
	s->key = key;
	s->written = ++r->writes;
	memset(recent_value_of(s), 0, r->size);
	return recent_value_of(s);
}

void mdl_recent_drop(struct mdl_recent *r, uint64_t key)
{
	struct slot *s = key != 0 ? recent_slot_of(r, key) : NULL;

	if (s)
		s->key = 0;
}

void mdl_recent_clear(struct mdl_recent *r)
{
	if (r->writes == 0)
		return;
	g_free(r->slots);
	r->writes = 0;
	allocate(r, SETS_MIN);
}
