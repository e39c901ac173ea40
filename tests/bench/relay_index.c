/* SPDX-License-Identifier: MIT */
/*
 * relay_index FILE STEPS: write an index with critical paths longer than those of any recorded trace.
 *
 * Threads pass a baton: its holder computes, wakes a thread drawn by a generator with a fixed seed, and waits
 * until the baton comes back.  So the critical path of each thread goes through all threads, with two
 * segments a step (waiting for the CPU, computing), and jumps between as many rows as hackbench has.
 */
#include "index/table/writer.h"

#include <stdio.h>
#include <stdlib.h>

#define THREADS 400

struct relay {
	struct idx_writer *writer;
	int64_t reached[THREADS]; /* end of each thread's last interval */
	GRand *random;
};

static void put(struct relay *r, uint32_t row, enum mdl_state state, int64_t to)
{
	struct mdl_interval i = { .from = r->reached[row], .to = to, .state = (uint8_t)state, .aux = 0 };

	if (state == MDL_ST_BLOCKED)
		i.detail = MDL_BLOCK_INTERRUPTIBLE;
	if (to > i.from)
		idx_writer_interval(r->writer, row, &i);
	r->reached[row] = to;
}

/* HOLDER computes from *NOW on and wakes another thread, which then holds the baton.  Returns that thread. */
static uint32_t step(struct relay *r, uint32_t holder, uint64_t rank, int64_t *now)
{
	uint32_t next = (holder + 1 + (uint32_t)g_rand_int_range(r->random, 0, THREADS - 1)) % THREADS;
	int64_t woken = *now + g_rand_int_range(r->random, 5000, 50000),
		runs = woken + g_rand_int_range(r->random, 1000, 20000);
	struct mdl_wakeup w = { .time = woken,
		.since = r->reached[next],
		.ran_at = runs,
		.rank = rank,
		.event_time = woken,
		.waker = holder,
		.via = MDL_VIA_WAKING };

	put(r, next, MDL_ST_BLOCKED, woken);
	put(r, next, MDL_ST_WAIT_CPU, runs);
	idx_writer_wakeup(r->writer, next, &w);
	put(r, holder, MDL_ST_RUNNING, runs);
	*now = runs;
	return next;
}

static struct idx_meta *make_meta(int64_t end)
{
	const struct mdl_hides all_seen = { 0, 0 };
	struct idx_meta *meta = idx_meta_new();

	meta->fingerprint = g_strdup("");
	meta->path = g_strdup("relay");
	meta->host = g_strdup("relay");
	meta->uuid = g_strdup("");
	meta->clock_uuid = g_strdup("");
	meta->domain = g_strdup("kernel");
	meta->tracer = g_strdup("");
	meta->release = g_strdup("");
	meta->format = g_strdup("");
	meta->reader = g_strdup("");
	meta->to = end;
	meta->n_cpus = 1;
	g_array_append_val(meta->hides, all_seen);
	return meta;
}

static void end_rows(struct relay *r, int64_t end)
{
	for (uint32_t i = 0; i < THREADS; i++) {
		struct mdl_row row = { .type = MDL_ROW_THREAD,
			.nr = 1000 + i,
			.cpu = MDL_NONE,
			.pid = 1000,
			.ppid = -1,
			.parent = MDL_NONE,
			.last = end };

		put(r, i, MDL_ST_BLOCKED, end);
		idx_writer_over(r->writer, i, &row);
	}
}

int main(int argc, char **argv)
{
	uint64_t steps = argc == 3 ? strtoull(argv[2], NULL, 10) : 0;
	struct relay r = { .random = g_rand_new_with_seed(1) };
	struct idx_tables tables = { .strings = base_strings_new() };
	GError *error = NULL;
	uint32_t holder = 0;
	int64_t now = 0;

	if (steps == 0) {
		fprintf(stderr, "usage: relay_index FILE STEPS\n");
		return 2;
	}
	r.writer = idx_writer_new(argv[1], &error);
	for (uint64_t i = 0; r.writer && i < steps; i++)
		holder = step(&r, holder, i + 1, &now);
	if (r.writer) {
		put(&r, holder, MDL_ST_RUNNING, now + 1000);
		end_rows(&r, now + 2000);
		tables.meta = make_meta(now + 2000);
		idx_writer_finish(r.writer, &tables, &error);
	}
	if (error) {
		fprintf(stderr, "relay_index: %s\n", error->message);
		return 1;
	}
	idx_writer_free(r.writer);
	base_strings_free((struct base_strings *)tables.strings);
	idx_meta_free((struct idx_meta *)tables.meta);
	g_rand_free(r.random);
	return 0;
}
