/* SPDX-License-Identifier: MIT */
/*
 * Measures queries to an index like those of the explorer.
 *
 *   bench_query windows FILE SAMPLES [N]          windows, the index in memory; N: of 1/N of each length
 *   bench_query cold FILE SAMPLES                 like windows; before each, drop and reopen the index
 *   bench_query path FILE SEGMENTS                a critical path with about that many segments
 *   bench_query events FILE SAMPLES TRACE         the list of events around a random event
 *   bench_query events-cold FILE SAMPLES TRACE    like events; before each, drop and reopen index and trace
 *   bench_query drop FILE...                      only drop these files from memory
 *   bench_query clock ...                         any of these by another clock than the host's: 50 ppm off
 *   bench_query worst FILE N                      the N longest times off the CPU
 *   bench_query guest GUEST HOST SAMPLES          windows of a guest's threads, without and with its host
 *
 * Prints lines "NAME VALUE", times in ns.  A window has 60 rows × 200 columns.  A generator with a fixed seed
 * draws its rows from the busy threads that live in it, and its place from the trace.
 */
#include "analysis/latency/latency.h"
#include "analysis/path/path.h"
#include "base/base_time.h"
#include "query/qry.h"
#include "query/clock/clock.h"
#include "query/events/events.h"
#include "query/clock/sync.h"
#include "sync/sync_hosts.h"
#include "trace/trc_test_open.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define ROWS 60
#define COLUMNS 200
#define SAMPLES_MAX 10000
#define BUSY 100 /* wake-ups of a thread that counts as busy */
#define REPEAT 5
#define LINES 40         /* events on a screen */
#define DROP_TRIES 50    /* 100 ms apart */
#define NOT_TO_BE_HAD 77 /* exit status: pages stay in memory, so nothing is measured */
#define STEPS 40         /* to find the window for a path */

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static G_GNUC_NORETURN void die(const char *what, GError *error)
{
	fprintf(stderr, "bench_query: %s%s%s\n", what, error ? ": " : "", error ? error->message : "");
	exit(1);
}

/* Queries use another clock than the host's. */
static bool other_clock;

static void set_clock(struct qry *q)
{
	struct sync_line line = { .from = INT64_MIN,
		.seen = INT64_MAX,
		.origin = qry_host(q, 0)->meta->from,
		.rate = (INT64_C(1) << 62) / 20000 };
	struct sync_hosts *hosts = sync_typed_none(1);
	GArray *lines = g_array_new(FALSE, FALSE, sizeof line);

	g_array_append_val(lines, line);
	sync_clock_free(hosts->hosts[0].clock);
	hosts->hosts[0].clock = sync_clock_new(lines);
	qry_set_clocks(q, hosts);
	sync_hosts_unref(hosts);
}

static struct qry *open_index(char *file)
{
	GPtrArray *paths = g_ptr_array_new(), *fingerprints = g_ptr_array_new();
	GError *error = NULL;
	struct qry *q;

	g_ptr_array_add(paths, file);
	g_ptr_array_add(fingerprints, NULL);
	q = qry_open(paths, fingerprints, &error);
	if (!q)
		die(file, error);
	if (other_clock)
		set_clock(q);
	g_ptr_array_unref(paths);
	g_ptr_array_unref(fingerprints);
	return q;
}

/* Set the trace of Q's host to FOLDER. */
static void set_trace(struct qry *q, const char *folder)
{
	struct trc_recording *recording = trc_test_recording(folder);

	qry_set_trace(q, 0, recording);
	trc_folders_recording_free(recording);
}

static int compare(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

static void print_sample(const char *name, int64_t *times, int n)
{
	qsort(times, (size_t)n, sizeof(*times), compare);
	printf("%s-p50 %lld\n%s-p99 %lld\n%s-max %lld\n", name, (long long)times[n / 2], name,
		(long long)times[n * 99 / 100], name, (long long)times[n - 1]);
}

/* ---- dropped caches ---- */

/* Bytes of FD that are in memory. */
static size_t resident(int fd, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = (size + page - 1) / page, n = 0;
	unsigned char *here = g_malloc(pages);
	void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);

	if (map == MAP_FAILED || mincore(map, size, here))
		die("cannot see what is in memory", NULL);
	for (size_t i = 0; i < pages; i++)
		n += here[i] & 1;
	munmap(map, size);
	g_free(here);
	return n * page;
}

/* Ask the kernel to drop FD's SIZE bytes from memory, by force if needed and allowed.  True if they are
 * gone. */
static bool drop_once(int fd, size_t size)
{
	int all;

	fdatasync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (!resident(fd, size))
		return true;
	all = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);
	if (all >= 0 && write(all, "1", 1) != 1)
		fprintf(stderr, "bench_query: drop_caches: %s\n", g_strerror(errno));
	if (all >= 0)
		close(all);
	return !resident(fd, size);
}

/*
 * Drop FILE, which no process may have mapped, from memory.  On a busy disk pages may stay for a while.  If
 * they stay longer than DROP_TRIES, exit with status NOT_TO_BE_HAD.
 */
static void drop(const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	unsigned tries = 0;

	if (size < 0)
		die(file, NULL);
	while (size > 0 && !drop_once(fd, (size_t)size)) {
		if (++tries == DROP_TRIES) {
			fprintf(stderr, "bench_query: %s does not leave memory\n", file);
			exit(NOT_TO_BE_HAD);
		}
		g_usleep(100 * 1000);
	}
	close(fd);
}

/* ---- windows ---- */

static GArray *busy_rows(const struct qry *q)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	uint64_t least = BUSY;

	for (; !rows->len; least = 0)
		for (uint32_t i = 0; i < qry_row_count(q); i++)
			if (qry_row(q, i)->type == MDL_ROW_THREAD && qry_wakeup_count(q, i) >= least)
				g_array_append_val(rows, i);
	return rows;
}

/* Draw ROWS of the BUSY rows that live between FROM and TO. */
static void draw_rows(const struct qry *q, const GArray *busy, GRand *random, int64_t from, int64_t to,
	uint32_t *rows)
{
	GArray *here = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	for (guint i = 0; i < busy->len; i++) {
		uint32_t row = g_array_index(busy, uint32_t, i);

		if (qry_row(q, row)->first < to && qry_row(q, row)->last > from)
			g_array_append_val(here, row);
	}
	for (int i = 0; i < ROWS; i++)
		rows[i] = g_array_index(here->len ? here : busy, uint32_t,
			g_rand_int_range(random, 0, (gint32)(here->len ? here->len : busy->len)));
	g_array_unref(here);
}

/* Query one window, SHARE of the trace long.  Returns the time it took, ns. */
static int64_t ask(struct qry *q, const GArray *busy, GRand *random, double share)
{
	static struct qry_cell cells[ROWS * COLUMNS];
	int64_t begin, end, from, span, t;
	uint32_t rows[ROWS];

	begin = qry_host(q, 0)->from;
	end = qry_host(q, 0)->to;
	span = MAX((int64_t)((double)(end - begin) * share), COLUMNS);
	from = begin + (int64_t)((double)(end - begin - span) * g_rand_double(random));
	draw_rows(q, busy, random, from, from + span, rows);
	t = now();
	qry_window(q, rows, ROWS, from, from + span, COLUMNS, cells);
	t = now() - t;
	if (qry_damage(q))
		die(qry_damage(q)->message, NULL);
	return t;
}

static const struct {
	const char *name;
	double share;
} zooms[] = { { "whole", 1 }, { "1%", 0.01 }, { "1e-6", 1e-6 } };

static void run_windows(char *file, int n, bool cold, int part)
{
	static int64_t times[SAMPLES_MAX];
	GRand *random = g_rand_new_with_seed(1);
	struct qry *q = open_index(file);
	GArray *busy = busy_rows(q);

	printf("busy-rows %u\n", busy->len);
	for (size_t z = 0; z < G_N_ELEMENTS(zooms); z++) {
		ask(q, busy, random, zooms[z].share / part);
		for (int i = 0; i < n; i++) {
			if (cold) {
				qry_free(q);
				drop(file);
				q = open_index(file);
			}
			times[i] = ask(q, busy, random, zooms[z].share / part);
		}
		print_sample(zooms[z].name, times, n);
	}
	g_array_unref(busy);
	qry_free(q);
	g_rand_free(random);
}

/* Open the indexes of a guest and, if HOST is not NULL, of its host, with the clocks found. */
static struct qry *open_guest(char *guest, char *host)
{
	GPtrArray *paths = g_ptr_array_new(), *fingerprints = g_ptr_array_new();
	struct sync_hosts *clocks;
	GError *error = NULL;
	struct qry *q;

	g_ptr_array_add(paths, guest);
	if (host)
		g_ptr_array_add(paths, host);
	g_ptr_array_set_size(fingerprints, (gint)paths->len);
	q = qry_open(paths, fingerprints, &error);
	clocks = q && host ? qry_sync_open(q, false, NULL, &error) : NULL;
	if (!q || (host && !clocks))
		die(guest, error);
	qry_set_clocks(q, clocks);
	sync_hosts_unref(clocks);
	g_ptr_array_unref(paths);
	g_ptr_array_unref(fingerprints);
	return q;
}

/* Windows of a guest's threads: without its host, then with the time that the host took from them. */
static void run_guest(char *guest, char *host, int n)
{
	static int64_t times[SAMPLES_MAX];

	for (unsigned with = 0; with < 2; with++) {
		GRand *random = g_rand_new_with_seed(1);
		struct qry *alone = open_guest(guest, NULL);
		struct qry *q = with ? open_guest(guest, host) : alone;
		GArray *busy = busy_rows(alone);
		int64_t t = now();

		if (with && qry_vcpu_of(q, 0, 0) == MDL_NONE)
			die("whose guest it is is not known", NULL);
		for (guint i = 0; i < busy->len; i++) {
			struct qry_cell cell;

			qry_share(q, g_array_index(busy, uint32_t, i), INT64_MIN / 4, INT64_MAX / 4, &cell);
		}
		printf("%s-first %lld\n", with ? "guest" : "alone", (long long)(now() - t));
		for (size_t z = 0; z < G_N_ELEMENTS(zooms); z++) {
			char *name = g_strconcat(with ? "guest-" : "alone-", zooms[z].name, NULL);

			for (int i = 0; i < n; i++)
				times[i] = ask(q, busy, random, zooms[z].share);
			print_sample(name, times, n);
			g_free(name);
		}
		g_array_unref(busy);
		if (with)
			qry_free(q);
		qry_free(alone);
		g_rand_free(random);
	}
}

/* ---- events ---- */

/* Drop the files of FOLDER, not those of its subfolders, from memory. */
static void drop_all(const char *folder)
{
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	if (!dir)
		die(folder, NULL);
	while ((name = g_dir_read_name(dir))) {
		char *path = g_build_filename(folder, name, NULL);

		if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
			drop(path);
		g_free(path);
	}
	g_dir_close(dir);
}

/* List a screen around event number RANK, with all fields.  Returns the time it took, ns. */
static int64_t list(struct qry *q, uint64_t rank)
{
	int64_t t = now();
	GError *error = NULL;
	struct qry_events *e = qry_events_new(q, &QRY_EVENTS_ALL, &error);
	GArray *lines = e && qry_events_seek_rank(e, 0, rank, &error)
		? qry_events_list(e, LINES / 2, LINES / 2, NULL, &error)
		: NULL;

	if (!lines || lines->len < LINES / 2)
		die("cannot list events", error);
	g_array_unref(lines);
	qry_events_free(e);
	return now() - t;
}

static void run_events(char *file, int n, const char *trace, bool cold)
{
	static int64_t times[SAMPLES_MAX];
	GRand *random = g_rand_new_with_seed(1);
	struct qry *q = open_index(file);

	set_trace(q, trace);
	list(q, 1);
	for (int i = 0; i < n; i++) {
		uint64_t rank = 1 + (uint64_t)(g_rand_double(random) * (double)qry_host(q, 0)->meta->events);

		if (cold) {
			qry_free(q);
			drop(file);
			drop_all(trace);
			q = open_index(file);
			set_trace(q, trace);
		}
		times[i] = list(q, rank);
	}
	print_sample("events", times, n);
	qry_free(q);
	g_rand_free(random);
}

/* ---- paths ---- */

/* The number of segments of the path of ROW over the last SPAN ns of its life; *TOOK: the time it took,
 * ns. */
static uint32_t walk(struct qry *q, uint32_t row, int64_t span, int64_t *took)
{
	int64_t to = qry_row(q, row)->last, t = now();
	GError *error = NULL;
	struct ana_path *path = ana_path_new(q, row, to - span, to, NULL, &error);
	uint32_t n;

	*took = now() - t;
	if (!path)
		die("no path", error);
	n = path->segments->len;
	ana_path_free(path);
	return n;
}

/* The time from the begin of the trace to the end of ROW, ns. */
static int64_t whole_span(const struct qry *q, uint32_t row)
{
	int64_t begin, end;

	qry_span(q, &begin, &end);
	return qry_row(q, row)->last - begin;
}

/* A span (ns) before ROW's end in which its path has about WANTED segments; the whole span if it has
 * fewer. */
static int64_t find_span(struct qry *q, uint32_t row, uint32_t wanted)
{
	int64_t low = 0, high = whole_span(q, row), took;

	if (walk(q, row, high, &took) <= wanted)
		return high;
	for (int i = 0; i < STEPS && high - low > 1; i++) {
		int64_t middle = low + (high - low) / 2;
		uint32_t n = walk(q, row, middle, &took);

		if (n > wanted / 100 * 99 && n < wanted / 100 * 101)
			return middle;
		if (n < wanted)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* The thread with the longest path among those that live nearly as long as the trace, or have at least WANTED
 * segments. */
static uint32_t longest(struct qry *q, uint32_t wanted)
{
	uint32_t best = MDL_NONE, n_best = 0;
	int64_t begin, end, took;

	qry_span(q, &begin, &end);
	for (uint32_t i = 0; i < qry_row_count(q) && n_best < wanted; i++) {
		const struct qry_row *r = qry_row(q, i);
		uint32_t n;

		if (r->type != MDL_ROW_THREAD || r->nr == 0 || r->last - r->first < (end - begin) / 10 * 9)
			continue;
		n = walk(q, i, whole_span(q, i), &took);
		if (n >= n_best) {
			best = i;
			n_best = n;
		}
	}
	if (best == MDL_NONE)
		die("no thread lives as long as the trace", NULL);
	return best;
}

static void run_path(char *file, uint32_t wanted)
{
	struct qry *q = open_index(file);
	uint32_t row = longest(q, wanted), n = 0;
	int64_t span = find_span(q, row, wanted), times[REPEAT];

	for (int i = 0; i < REPEAT; i++)
		n = walk(q, row, span, &times[i]);
	qsort(times, REPEAT, sizeof(*times), compare);
	printf("segments %u\nspan %lld\npath %lld\n", n, (long long)span, (long long)times[REPEAT / 2]);
	qry_free(q);
}

/* ---- latencies ---- */

/* Open the experiment FILE and find its N longest times off the CPU and the figures of all.  Returns the time
 * it took, ns. */
static int64_t find_worst(char *file, uint32_t n, uint64_t *cases)
{
	struct ana_latency_options o = { .kind = "off-cpu",
		.row = MDL_NONE,
		.from = BASE_TIME_NONE,
		.to = BASE_TIME_NONE,
		.top = n };
	int64_t t = now();
	struct qry *q = open_index(file);
	GError *error = NULL;
	struct ana_latency *l = ana_latency_new(q, &o, NULL, &error);

	t = now() - t;
	if (!l)
		die("no latencies", error);
	*cases = l->all.count;
	ana_latency_free(l);
	qry_free(q);
	return t;
}

/* The first run makes the file of latencies; later runs read it. */
static void run_worst(char *file, uint32_t n)
{
	int64_t first, times[REPEAT];
	uint64_t cases;

	first = find_worst(file, n, &cases);
	for (int i = 0; i < REPEAT; i++)
		times[i] = find_worst(file, n, &cases);
	qsort(times, REPEAT, sizeof(*times), compare);
	printf("cases %llu\nfirst %lld\nworst %lld\n", (unsigned long long)cases, (long long)first,
		(long long)times[REPEAT / 2]);
}

int main(int argc, char **argv)
{
	int n, part;

	other_clock = argc > 1 && !strcmp(argv[1], "clock");
	argc -= other_clock;
	argv += other_clock;
	n = argc == 4 || argc == 5 ? atoi(argv[3]) : 0;
	part = argc == 5 ? atoi(argv[4]) : 1;
	if (argc > 2 && !strcmp(argv[1], "drop")) {
		for (int i = 2; i < argc; i++)
			drop(argv[i]);
		puts("dropped 1");
	} else if (n > 0 && n <= SAMPLES_MAX && !strcmp(argv[1], "windows")) {
		run_windows(argv[2], n, false, MAX(part, 1));
	} else if (n > 0 && n <= SAMPLES_MAX && !strcmp(argv[1], "cold")) {
		run_windows(argv[2], n, true, 1);
	} else if (n > 0 && n <= SAMPLES_MAX && argc == 5 && g_str_has_prefix(argv[1], "events")) {
		run_events(argv[2], n, argv[4], !strcmp(argv[1], "events-cold"));
	} else if (argc == 5 && !strcmp(argv[1], "guest")) {
		run_guest(argv[2], argv[3], CLAMP(part, 1, SAMPLES_MAX));
	} else if (n > 0 && !strcmp(argv[1], "path")) {
		run_path(argv[2], (uint32_t)n);
	} else if (n > 0 && !strcmp(argv[1], "worst")) {
		run_worst(argv[2], (uint32_t)n);
	} else {
		fprintf(stderr,
			"usage: bench_query [clock] windows|cold FILE SAMPLES (up to %d) [N], path FILE SEGMENTS, worst FILE N, events|events-cold FILE SAMPLES TRACE, guest GUEST HOST SAMPLES, drop FILE...\n",
			SAMPLES_MAX);
		return 2;
	}
	return 0;
}
