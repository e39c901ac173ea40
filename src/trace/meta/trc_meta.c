/* SPDX-License-Identifier: MIT */
#include "trace/meta/trc_meta_type.h"

#include "base/base_time.h"

#include <string.h>

#define OFFSET_MAX (BASE_TIME_FARTHEST / 8 * 7) /* ns; a clock may have counted some years already */
/* Nodes of all trees together, counted at each use. 1 200 LTTng events have 4 300. */
#define UNFOLDED_MAX (1u << 20)

static void meta_stream_free(gpointer data)
{
	struct trc_stream_class *stream = data;

	g_ptr_array_unref(stream->events);
	g_free(stream);
}

struct trc_meta *trc_meta_new(void)
{
	struct trc_meta *t = g_new0(struct trc_meta, 1);

	t->clocks = g_ptr_array_new_with_free_func(g_free);
	t->env = g_ptr_array_new_with_free_func(g_free);
	t->streams = g_ptr_array_new_with_free_func(meta_stream_free);
	t->by_id = g_hash_table_new(g_int64_hash, g_int64_equal);
	t->types = g_ptr_array_new_with_free_func(trc_type_free);
	t->strings = g_string_chunk_new(4096);
	return t;
}

struct trc_stream_class *trc_meta_new_stream(struct trc_meta *t)
{
	struct trc_stream_class *stream = g_new0(struct trc_stream_class, 1);

	stream->events = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(t->streams, stream);
	return stream;
}

bool trc_meta_unfold(struct trc_meta *t, uint32_t nodes)
{
	t->unfolded += nodes;
	return t->unfolded <= UNFOLDED_MAX;
}

void trc_meta_check_clock(struct trc_clock *clock)
{
	int64_t zero = trc_clock_ns(clock, 0);

	clock->astray = zero < -OFFSET_MAX || zero > OFFSET_MAX;
	if (clock->astray)
		clock->offset = clock->offset_s = 0;
}

void trc_meta_free(struct trc_meta *t)
{
	if (!t)
		return;
	g_ptr_array_unref(t->clocks);
	g_ptr_array_unref(t->env);
	g_hash_table_unref(t->by_id);
	g_ptr_array_unref(t->streams);
	g_ptr_array_unref(t->types);
	g_string_chunk_free(t->strings);
	g_free(t);
}

const struct trc_stream_class *trc_meta_stream(const struct trc_meta *t, uint64_t id)
{
	return g_hash_table_lookup(t->by_id, &id);
}

const struct trc_clock *trc_meta_clock(const struct trc_meta *t, const char *name)
{
	for (unsigned i = 0; i < t->clocks->len; i++) {
		const struct trc_clock *clock = g_ptr_array_index(t->clocks, i);

		if (!strcmp(clock->name, name))
			return clock;
	}
	return NULL;
}

const struct trc_env *trc_meta_env(const struct trc_meta *t, const char *name)
{
	for (unsigned i = 0; i < t->env->len; i++) {
		const struct trc_env *env = g_ptr_array_index(t->env, i);

		if (!strcmp(env->name, name))
			return env;
	}
	return NULL;
}

/* Return CYCLES of a clock with FREQUENCY in ns; UINT64_MAX if that does not fit. */
static uint64_t cycles_ns(uint64_t cycles, uint64_t frequency)
{
	double ns;

	if (frequency == 1000000000)
		return cycles;
	ns = 1e9 * (double)cycles / (double)frequency;
	return ns >= (double)UINT64_MAX ? UINT64_MAX : (uint64_t)ns;
}

/*
 * It rounds like libbabeltrace2, so that times equal those of other tools: offset and value separately, in
 * double precision.
 */
int64_t trc_clock_ns(const struct trc_clock *clock, uint64_t cycles)
{
	__extension__ typedef __int128 wide;
	int64_t frequency = (int64_t)MIN(clock->frequency, INT64_MAX), whole = clock->offset / frequency;
	int64_t rest = clock->offset % frequency;
	uint64_t value = cycles_ns(cycles, clock->frequency);
	wide ns;

	if (rest < 0) {
		rest += frequency;
		whole--;
	}
	ns = ((wide)clock->offset_s + whole) * 1000000000 +
		(wide)cycles_ns((uint64_t)rest, clock->frequency) + value;
	return value >= INT64_MAX || ns > INT64_MAX || ns < INT64_MIN ? INT64_MAX : (int64_t)ns;
}

bool trc_clock_is_one(const struct trc_clock *a, const struct trc_clock *b)
{
	return *a->uuid && g_str_equal(a->uuid, b->uuid) && a->frequency == b->frequency;
}
