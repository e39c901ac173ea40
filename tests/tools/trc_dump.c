/* SPDX-License-Identifier: MIT */
/* Prints what a reader makes of a trace: trc_dump [--quiet] FOLDER. */
#include "trace/trc_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define BATCH 1024

static void print_event(const struct mdl_event *e)
{
	int i;

	printf("%" PRId64 " %" PRIu64 " cpu %u kind %u %s", e->time, e->rank, e->cpu, e->kind, e->label ? e->label : "-");
	for (i = 0; i < MDL_ARGS; i++)
		if (e->arg[i] != MDL_ARG_ABSENT)
			printf(" a%d=%" PRId64, i, e->arg[i]);
	for (i = 0; i < MDL_TEXTS; i++)
		if (e->text[i])
			printf(" t%d=\"%s\"", i, e->text[i]);
	putchar('\n');
}

static void print_info(const struct trc_info *info, double seconds, uint64_t delivered)
{
	unsigned i;

	printf("# path %s\n# host %s\n# uuid %s\n# tracer %s\n# release %s\n# reader %s\n", info->path, info->host,
	       info->uuid, info->tracer, info->release, info->reader);
	printf("# begin %" PRId64 " end %" PRId64 "\n# events %" PRIu64 " delivered %" PRIu64 "\n", info->begin, info->end,
	       info->events, delivered);
	printf("# discarded %" PRIu64 " packets %" PRIu64 " stepped back %" PRIu64 "\n# cpus %u classes %u\n",
	       info->discarded, info->discarded_packets, info->stepped_back, info->n_cpus,
	       g_hash_table_size(info->classes));
	for (i = 0; i < info->gaps->len; i++) {
		const struct trc_gap *gap = &g_array_index(info->gaps, struct trc_gap, i);

		printf("# gap cpu %u %" PRId64 " %" PRId64 " %" PRIu64 "\n", gap->cpu, gap->from, gap->to, gap->count);
	}
	for (i = 0; i < info->warnings->len; i++)
		printf("# warning %s\n", (const char *)g_ptr_array_index(info->warnings, i));
	printf("# %.3f s, %.0f ns per event\n", seconds, info->events ? seconds * 1e9 / (double)info->events : 0);
}

int main(int argc, char **argv)
{
	bool quiet = argc > 2 && strcmp(argv[1], "--quiet") == 0;
	struct mdl_event *events = g_new(struct mdl_event, BATCH);
	gint64 start = g_get_monotonic_time();
	GError *error = NULL;
	struct trc_reader *r;
	uint64_t delivered = 0;
	int n, i;

	r = argc > 1 ? trc_reader_open(argv[argc - 1], &error) : NULL;
	if (!r) {
		fprintf(stderr, "trc_dump: %s\n", error ? error->message : "which folder?");
		g_clear_error(&error);
		g_free(events);
		return 3;
	}
	while ((n = trc_reader_read(r, events, BATCH, &error)) > 0) {
		delivered += (uint64_t)n;
		for (i = 0; !quiet && i < n; i++)
			print_event(&events[i]);
	}
	print_info(trc_reader_info(r), (double)(g_get_monotonic_time() - start) / 1e6, delivered);
	trc_reader_free(r);
	g_free(events);
	return 0;
}
