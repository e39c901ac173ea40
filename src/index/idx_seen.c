/* SPDX-License-Identifier: MIT */
/*
 * How it works: a hash table with open addressing.  Offset alone would not do as
 * key: a file made to deceive can claim the same bytes once rightly and
 * once with another size, and the second claim was never checked.
 */
#include "index/idx_seen.h"

#define SLOTS_MIN 1024		/* a power of two, as all sizes of the table */

struct slot { uint64_t offset, count; uint32_t size, checksum; };	/* offset 0: empty */

struct idx_seen {
	struct slot *slots;
	size_t mask, used;
};

struct idx_seen *idx_seen_new(void)
{
	struct idx_seen *s = g_new0(struct idx_seen, 1);

	s->slots = g_new0(struct slot, SLOTS_MIN);
	s->mask = SLOTS_MIN - 1;
	return s;
}

void idx_seen_free(struct idx_seen *s)
{
	if (s == NULL)
		return;
	g_free(s->slots);
	g_free(s);
}

static bool is(const struct slot *slot, const struct idx_child *child)
{
	return slot->offset == child->offset && slot->size == child->size && slot->checksum == child->checksum &&
	       slot->count == child->count;
}

static size_t home_of(const struct idx_seen *s, uint64_t offset)
{
	return (offset * 0x9e3779b97f4a7c15u) >> 32 & s->mask;
}

/* Where CHILD is or would be. */
static struct slot *find(const struct idx_seen *s, const struct idx_child *child)
{
	size_t i = home_of(s, child->offset);

	while (s->slots[i].offset != 0 && !is(&s->slots[i], child))
		i = (i + 1) & s->mask;
	return &s->slots[i];
}

bool idx_seen_has(const struct idx_seen *s, const struct idx_child *child)
{
	return find(s, child)->offset != 0;
}

void idx_seen_prefetch(const struct idx_seen *s, const struct idx_child *child)
{
	__builtin_prefetch(&s->slots[home_of(s, child->offset)]);
}

static void put(struct idx_seen *s, const struct slot *slot)
{
	size_t i = home_of(s, slot->offset);

	while (s->slots[i].offset != 0)
		i = (i + 1) & s->mask;
	s->slots[i] = *slot;
}

static void grow(struct idx_seen *s)
{
	struct slot *old = s->slots;
	size_t n = s->mask + 1;

	s->slots = g_new0(struct slot, n * 2);
	s->mask = n * 2 - 1;
	for (size_t i = 0; i < n; i++)
		if (old[i].offset != 0)
			put(s, &old[i]);
	g_free(old);
}

void idx_seen_add(struct idx_seen *s, const struct idx_child *child)
{
	struct slot *slot = find(s, child);

	if (slot->offset != 0)
		return;
	*slot = (struct slot){ .offset = child->offset, .count = child->count, .size = child->size, .checksum = child->checksum };
	if (++s->used * 2 > s->mask)
		grow(s);
}
