/* SPDX-License-Identifier: MIT */
#include "index/idx_mutate.h"

#include "index/file/format.h"

#include <stdlib.h>
#include <string.h>

struct idx_mutate {
	GRand *rand;
	const struct idx_map_kind *kind;
	uint8_t *bytes;
	size_t size;
	GArray *places; /* of struct idx_repair_place */
	char what[80];
};

struct idx_mutate *idx_mutate_new(const uint8_t *bytes, size_t size, const struct idx_map_kind *kind,
	guint32 seed)
{
	struct idx_mutate *m = g_new0(struct idx_mutate, 1);

	m->rand = g_rand_new_with_seed(seed);
	m->kind = kind;
	m->bytes = g_memdup2(bytes, size);
	m->size = size;
	m->places = idx_repair_places(m->bytes, size, kind);
	g_assert_cmpmem(m->bytes, size, bytes, size);
	return m;
}

void idx_mutate_free(struct idx_mutate *m)
{
	g_rand_free(m->rand);
	g_free(m->bytes);
	g_array_unref(m->places);
	g_free(m);
}

static size_t below(struct idx_mutate *m, size_t n)
{
	return n > 1 ? (size_t)g_rand_int_range(m->rand, 0, (gint32)n) : 0;
}

/* A number close to the value NOW or at the edge of a type. */
static uint64_t odd_number(struct idx_mutate *m, uint64_t now)
{
	const uint64_t numbers[] = { 0, 1, UINT64_C(1) << 31, UINT32_MAX, UINT64_C(1) << 32,
		UINT64_C(1) << 63, UINT64_MAX, INT64_MAX, m->size, m->size - 8, below(m, m->size), now + 1,
		now - 1, now * 2, g_rand_int(m->rand) };

	return numbers[below(m, G_N_ELEMENTS(numbers))];
}

/* Overwrite one aligned number of WIDTH bytes in PLACE. */
static void change_number(struct idx_mutate *m, uint8_t *bytes, const struct idx_repair_place *place,
	size_t width)
{
	size_t at = place->at + below(m, place->size / width) * width;
	uint8_t number[8] = { 0 };

	memcpy(number, bytes + at, width);
	idx_put64(number, odd_number(m, idx_get64(number)));
	memcpy(bytes + at, number, width);
}

/* Overwrite some bytes of PLACE with bytes from elsewhere in the file. */
static void copy_some(struct idx_mutate *m, uint8_t *bytes, const struct idx_repair_place *place)
{
	size_t most = (size_t)8 << below(m, 5), n = MIN(most, place->size), from = below(m, m->size - n),
	       at = place->at + below(m, place->size - n + 1);

	if (g_rand_boolean(m->rand)) /* from this place: one record overwrites another */
		from = place->at + below(m, place->size - n + 1) / 8 * 8;
	memmove(bytes + at, m->bytes + from, n);
}

uint8_t *idx_mutate_next(struct idx_mutate *m, bool repair, const char **what)
{
	const struct idx_repair_place *place = &g_array_index(m->places, struct idx_repair_place,
		below(m, m->places->len));
	uint8_t *bytes = g_memdup2(m->bytes, m->size);
	size_t at = place->at + below(m, place->size), width = (size_t)1 << below(m, 4);
	unsigned how = (unsigned)below(m, 4);

	if (how == 0)
		bytes[at] ^= (uint8_t)(1 << below(m, 8));
	else if (how == 1)
		bytes[at] = (uint8_t)g_rand_int(m->rand);
	else if (how == 2 && place->size >= width)
		change_number(m, bytes, place, width);
	else
		copy_some(m, bytes, place);
	if (repair)
		idx_repair_checksums(bytes, m->size, m->kind);
	g_snprintf(m->what, sizeof m->what, "in the %zu bytes at %zu (%.4s), way %u", place->size, place->at,
		(const char *)m->bytes + place->at, how);
	*what = m->what;
	return bytes;
}

unsigned idx_mutate_count(unsigned few)
{
	const char *wanted = g_getenv("WAKEPATH_MUTATIONS");

	if (wanted)
		return (unsigned)atoi(wanted);
	return g_test_slow() ? 100000 : few;
}
