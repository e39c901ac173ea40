/* SPDX-License-Identifier: MIT */
/*
 * How it works: a hash table with open addressing.  Offset alone would not do as
 * key: a file made to deceive can claim the same bytes once rightly and
 * once with another size or in another kind of series, and the second claim was never checked.
 *
 * Leaves are many and asked for all the time: those below a node are bits of that
 * node's entry, because what the node claims of them is part of its own checked bytes.
 */
#include "index/idx_seen.h"

#define SLOTS_MIN 1024 /* a power of two, as all sizes of the table */

struct entry {
	uint64_t offset, count;
	uint32_t size, checksum;
	uint8_t kind;
	uint64_t leaves;
};

struct idx_seen {
	struct entry **slots; /* NULL: empty */
	size_t mask, used;
};

struct idx_seen *idx_seen_new(void)
{
	struct idx_seen *s = g_new0(struct idx_seen, 1);

	s->slots = g_new0(struct entry *, SLOTS_MIN);
	s->mask = SLOTS_MIN - 1;
	return s;
}

void idx_seen_free(struct idx_seen *s)
{
	if (!s)
		return;
	for (size_t i = 0; i <= s->mask; i++)
		g_free(s->slots[i]);
	g_free(s->slots);
	g_free(s);
}

static bool is(const struct entry *e, uint8_t kind, const struct idx_child *child)
{
	return e->offset == child->offset && e->size == child->size && e->checksum == child->checksum &&
		e->count == child->count && e->kind == kind;
}

static size_t home_of(const struct idx_seen *s, uint64_t offset)
{
	return (offset * 0x9e3779b97f4a7c15u) >> 32 & s->mask;
}

uint64_t *idx_seen_find(const struct idx_seen *s, uint8_t kind, const struct idx_child *child)
{
	for (size_t i = home_of(s, child->offset); s->slots[i]; i = (i + 1) & s->mask)
		if (is(s->slots[i], kind, child))
			return &s->slots[i]->leaves;
	return NULL;
}

static void put(struct idx_seen *s, struct entry *e)
{
	size_t i = home_of(s, e->offset);

	while (s->slots[i])
		i = (i + 1) & s->mask;
	s->slots[i] = e;
}

static void grow(struct idx_seen *s)
{
	struct entry **old = s->slots;
	size_t n = s->mask + 1;

	s->slots = g_new0(struct entry *, n * 2);
	s->mask = n * 2 - 1;
	for (size_t i = 0; i < n; i++)
		if (old[i])
			put(s, old[i]);
	g_free(old);
}

uint64_t *idx_seen_add(struct idx_seen *s, uint8_t kind, const struct idx_child *child)
{
	struct entry *e = g_new(struct entry, 1);

	*e = (struct entry){ .offset = child->offset,
		.count = child->count,
		.size = child->size,
		.checksum = child->checksum,
		.kind = kind };
	if (++s->used * 2 > s->mask)
		grow(s);
	put(s, e);
	return &e->leaves;
}
