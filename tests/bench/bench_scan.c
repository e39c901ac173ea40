/* SPDX-License-Identifier: MIT */
/*
 * bench_scan INDEX TRACE NAME [FIELD...]: scan the events called NAME ("": all) once with these fields, and
 * print their number and the processor time in ns.  The words "rank", "thread" and "text" are not fields:
 * they ask for the rank, the thread and the text of each event.
 */
#include "query/events/scan.h"
#include "trace/trc_test_open.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static G_GNUC_NORETURN void die(const char *what, GError *error)
{
	fprintf(stderr, "bench_scan: %s%s%s\n", what, error ? ": " : "", error ? error->message : "");
	exit(1);
}

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

int main(int argc, char **argv)
{
	struct qry_events_filter filter = QRY_EVENTS_ALL;
	struct qry_scan_want want = { .rank = false };
	GPtrArray *paths = g_ptr_array_new(), *any = g_ptr_array_new(), *fields = g_ptr_array_new();
	GError *error = NULL;
	struct qry_scan *s;
	struct qry_event event;
	uint64_t n = 0, sum = 0;
	bool text = false;
	struct trc_recording *recording;
	struct qry *q;
	int64_t begin;
	int got;

	if (argc < 4)
		die("INDEX TRACE NAME [FIELD...]", NULL);
	g_ptr_array_add(paths, argv[1]);
	g_ptr_array_set_size(any, 1);
	q = qry_open(paths, any, &error);
	if (!q)
		die(argv[1], error);
	recording = trc_test_recording(argv[2]);
	qry_set_trace(q, 0, recording);
	trc_folders_recording_free(recording);
	for (int i = 4; i < argc; i++) {
		if (!strcmp(argv[i], "rank"))
			want.rank = true;
		else if (!strcmp(argv[i], "thread"))
			want.thread = true;
		else if (!strcmp(argv[i], "text"))
			text = true;
		else
			g_ptr_array_add(fields, argv[i]);
	}
	want.fields = (const char *const *)fields->pdata;
	want.n_fields = fields->len;
	filter.name = *argv[3] ? argv[3] : NULL;
	begin = now();
	s = qry_scan_new(q, &filter, &want, &error);
	while (s && (got = qry_scan_next(s, &event, NULL, &error)) == 1) {
		const struct trc_value *values = fields->len > 0 ? qry_scan_values(s, &error) : NULL;
		const char *line = text ? qry_scan_text(s, &error) : NULL;

		for (guint i = 0; values && i < fields->len; i++)
			sum += values[i].number;
		sum += line ? strlen(line) : 0;
		n++;
	}
	if (error)
		die("cannot scan", error);
	begin = now() - begin;
	printf("events %" G_GUINT64_FORMAT "\ntime %" G_GINT64_FORMAT "\nsum %" G_GUINT64_FORMAT "\n", n,
		begin, sum);
	qry_scan_free(s);
	qry_free(q);
	return 0;
}
