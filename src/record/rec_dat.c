/* SPDX-License-Identifier: MIT */
/*
 * How it works: the parts of a fixed size are written before the recording begins, and space is reserved for
 * the rest, so a disk that fills up only cuts the events short.  At the end come thread names, options, the
 * table of CPUs, and their pages.  libtracecmd has no public writer.
 */
#include "record/rec_dat.h"

#include "base/base_out.h"
#include "record/rec_tracefs.h"

#include <fcntl.h>
#include <string.h>
#include <sys/utsname.h>
#include <tracefs.h>
#include <unistd.h>
#include <stdlib.h>
#include <glib.h>

#define RESERVE (2 << 20) /* bytes: thread names, and data that base_out_move() has twice for a moment */

enum {
	OPTION_DONE = 0,
	OPTION_CPUSTAT = 2,
	OPTION_CLOCK = 4,
	OPTION_UNAME = 5,
	OPTION_CPUCOUNT = 8,
	OPTION_VERSION = 9
};

struct rec_dat {
	char *path;
	int fd;
	uint64_t size;     /* bytes written */
	GHashTable *names; /* of threads: TID → char *, owned */
};

/* ---- bytes, in the byte order of this machine, which the head records ---- */

static void dat_put(GByteArray *b, const void *bytes, gsize size)
{
	g_byte_array_append(b, bytes, (guint)size);
}

static void put16(GByteArray *b, uint16_t n)
{
	dat_put(b, &n, sizeof n);
}

static void put32(GByteArray *b, uint32_t n)
{
	dat_put(b, &n, sizeof n);
}

static void put64(GByteArray *b, uint64_t n)
{
	dat_put(b, &n, sizeof n);
}

/* Return the text of NAME, an absolute path or a file of tracefs; "" if there is none.  The caller frees. */
static char *dat_text_of(const char *name)
{
	g_autofree char *path = g_path_is_absolute(name)
		? g_strdup(name)
		: g_build_filename(tracefs_tracing_dir(), name, NULL);
	char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) ? text : g_strdup("");
}

static void put_text64(GByteArray *b, const char *text)
{
	put64(b, strlen(text));
	dat_put(b, text, strlen(text));
}

static void put_text32(GByteArray *b, const char *text)
{
	put32(b, (uint32_t)strlen(text));
	dat_put(b, text, strlen(text));
}

/* ---- the names of all threads that existed before, during and after the recording ---- */

static void add_threads(GHashTable *names, const char *process)
{
	g_autofree char *folder = g_build_filename("/proc", process, "task", NULL);
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *thread;

	while (dir && (thread = g_dir_read_name(dir))) {
		g_autofree char *file = g_build_filename(folder, thread, "comm", NULL);
		char *name;

		if (!g_file_get_contents(file, &name, NULL, NULL)) /* it has ended */
			continue;
		g_hash_table_replace(names, GINT_TO_POINTER(atoi(thread)), g_strchomp(name));
	}
	if (dir)
		g_dir_close(dir);
}

static void dat_add_all(GHashTable *names)
{
	GDir *dir = g_dir_open("/proc", 0, NULL);
	const char *process;

	while (dir && (process = g_dir_read_name(dir)))
		if (g_ascii_isdigit(*process))
			add_threads(names, process);
	if (dir)
		g_dir_close(dir);
}

/* Add the kernel's saved_cmdlines, some hundred lines "TID NAME". */
static void add_saved(GHashTable *names)
{
	g_autofree char *text = dat_text_of("saved_cmdlines");
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (char **line = lines; *line; line++) {
		const char *space = strchr(*line, ' ');

		if (space && !g_str_equal(space + 1, "<...>"))
			g_hash_table_replace(names, GINT_TO_POINTER(atoi(*line)), g_strdup(space + 1));
	}
}

/* Add to NAMES those that the kernel has saved since, and those of the threads that exist now.  Return all
 * names in the format of saved_cmdlines, lines "TID NAME".  The caller frees. */
static char *names_text(GHashTable *names)
{
	GString *text = g_string_new(NULL);
	GHashTableIter iter;
	gpointer tid, name;

	add_saved(names);
	dat_add_all(names);
	g_hash_table_iter_init(&iter, names);
	while (g_hash_table_iter_next(&iter, &tid, &name)) {
		g_strdelimit(name, "\n", ' ');
		g_string_append_printf(text, "%d %s\n", GPOINTER_TO_INT(tid), (char *)name);
	}
	return g_string_free(text, FALSE);
}

/* ---- formats of events ---- */

static void put_header(GByteArray *b, const char *name)
{
	g_autofree char *file = g_strconcat("events/", name, NULL), *text = dat_text_of(file);

	dat_put(b, name, strlen(name) + 1);
	put_text64(b, text);
}

/* Append the number of EVENTS of SYSTEM, and their formats. */
static void put_formats(GByteArray *b, const GPtrArray *events, const char *system)
{
	guint at = b->len;
	uint32_t count = 0;

	put32(b, 0);
	for (guint i = 0; i < events->len; i++) {
		const char *event = g_ptr_array_index(events, i);
		g_autofree char *file = NULL, *text = NULL;

		if (!g_str_has_prefix(event, system) || event[strlen(system)] != ':')
			continue;
		file = g_build_filename("events", system, strchr(event, ':') + 1, "format", NULL);
		text = dat_text_of(file);
		put_text64(b, text);
		count++;
	}
	memcpy(b->data + at, &count, sizeof count);
}

static void put_systems(GByteArray *b, const GPtrArray *events)
{
	g_autoptr(GPtrArray) systems = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < events->len; i++) {
		const char *event = g_ptr_array_index(events, i);
		char *system = g_strndup(event, (gsize)(strchr(event, ':') - event));

		if (g_ptr_array_find_with_equal_func(systems, system, g_str_equal, NULL))
			g_free(system);
		else
			g_ptr_array_add(systems, system);
	}
	put32(b, systems->len);
	for (guint i = 0; i < systems->len; i++) {
		const char *system = g_ptr_array_index(systems, i);

		dat_put(b, system, strlen(system) + 1);
		put_formats(b, events, system);
	}
}

/* Return the functions of /proc/kallsyms, half of its lines, without data symbols; "" if addresses are
 * hidden.  The caller frees. */
static char *functions(void)
{
	g_autofree char *all = dat_text_of("/proc/kallsyms");
	GString *kept = g_string_new(NULL);
	bool any = false;

	for (const char *line = all, *end; *line; line = end) {
		const char *type = strchr(line, ' ');

		end = strchr(line, '\n');
		end = end ? end + 1 : line + strlen(line);
		if (!type || type > end || !strchr("tTwW", type[1]))
			continue;
		any = any || strspn(line, "0") < (size_t)(type - line);
		g_string_append_len(kept, line, end - line);
	}
	if (!any)
		g_string_truncate(kept, 0);
	return g_string_free(kept, FALSE);
}

GByteArray *rec_dat_head(const GPtrArray *events)
{
	static const uint8_t magic[] = { 0x17, 0x08, 0x44, 't', 'r', 'a', 'c', 'i', 'n', 'g', '6', 0 };
	GByteArray *b = g_byte_array_new();
	g_autoptr(GPtrArray) internal = rec_tracefs_events("ftrace:*"); /* prints, marks, stacks */
	g_autofree char *symbols = functions(), *prints = dat_text_of("printk_formats");
	const uint8_t order_and_long[] = { G_BYTE_ORDER == G_BIG_ENDIAN, sizeof(long) };

	dat_put(b, magic, sizeof magic);
	dat_put(b, order_and_long, sizeof order_and_long);
	put32(b, (uint32_t)sysconf(_SC_PAGESIZE));
	put_header(b, "header_page");
	put_header(b, "header_event");
	put_formats(b, internal, "ftrace");
	put_systems(b, events);
	put_text32(b, symbols);
	put_text32(b, prints);
	return b;
}

/* ---- the rest ---- */

static bool write_out(struct rec_dat *d, const GByteArray *b, GError **error)
{
	d->size += b->len;
	return base_out_write(d->fd, b->data, b->len, d->path, error);
}

struct rec_dat *rec_dat_new(const char *path, const GByteArray *head, GError **error)
{
	int fd = base_out_new(path, error);
	struct rec_dat *d;

	if (fd < 0)
		return NULL;
	d = g_new0(struct rec_dat, 1);
	*d = (struct rec_dat){ .path = g_strdup(path),
		.fd = fd,
		.names = g_hash_table_new_full(NULL, NULL, NULL, g_free) };
	dat_add_all(d->names);
	if (!write_out(d, head, error)) {
		rec_dat_free(d);
		return NULL;
	}
	/* If this fails, a full disk becomes an error at the end. */
	(void)!fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)d->size, RESERVE);
	return d;
}

void rec_dat_free(struct rec_dat *d)
{
	g_hash_table_unref(d->names);
	close(d->fd);
	g_free(d->path);
	g_free(d);
}

static void put_option(GByteArray *b, unsigned id, const void *bytes, size_t size)
{
	put16(b, (uint16_t)id);
	put32(b, (uint32_t)size);
	dat_put(b, bytes, size);
}

static void put_text_option(GByteArray *b, unsigned id, const char *text)
{
	put_option(b, id, text, strlen(text) + 1);
}

static void put_options(GByteArray *b, const struct rec_dat_cpu *cpus, unsigned count, const char *clock)
{
	struct utsname u;
	int32_t number = (int32_t)count;

	dat_put(b, "options  ", 10);
	for (unsigned i = 0; i < count; i++) {
		g_autofree char *text = g_strdup_printf("CPU: %u\n%s", i, cpus[i].stats ? cpus[i].stats : "");

		put_text_option(b, OPTION_CPUSTAT, text);
	}
	put_text_option(b, OPTION_CLOCK, clock);
	/* Readers recognise that this file has only the formats of recorded events (trc_ftrace_head.c). */
	put_text_option(b, OPTION_VERSION, "wakepath");
	if (uname(&u) == 0) {
		g_autofree char *text = g_strdup_printf("%s %s %s %s", u.sysname, u.nodename, u.release,
			u.machine);

		put_text_option(b, OPTION_UNAME, text);
	}
	put_option(b, OPTION_CPUCOUNT, &number, sizeof number);
	put16(b, OPTION_DONE);
}

static uint64_t to_page(uint64_t at)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (at + page - 1) / page * page;
}

/* Append the table of CPUs.  Their pages follow it, those of each CPU aligned to a page. */
static void put_table(GByteArray *b, uint64_t before, const struct rec_dat_cpu *cpus, unsigned count)
{
	uint64_t at;

	dat_put(b, "flyrecord", 10);
	at = to_page(before + b->len + (uint64_t)count * 16);
	for (unsigned i = 0; i < count; i++) {
		put64(b, at);
		put64(b, cpus[i].size);
		at = to_page(at + cpus[i].size);
	}
	while (to_page(before + b->len) != before + b->len)
		dat_put(b, "", 1);
}

bool rec_dat_finish(struct rec_dat *d, const struct rec_dat_cpu *cpus, unsigned count, const char *clock,
	bool replace, GError **error)
{
	g_autoptr(GByteArray) b = g_byte_array_new();
	g_autofree char *names = names_text(d->names);

	put_text64(b, names);
	put32(b, count);
	put_options(b, cpus, count, clock);
	put_table(b, d->size, cpus, count);
	if (!write_out(d, b, error))
		return false;
	for (unsigned i = 0; i < count; i++) {
		if (!base_out_move(d->fd, cpus[i].fd, cpus[i].offset, cpus[i].size, d->path, error))
			return false;
		lseek(d->fd, (off_t)to_page((uint64_t)lseek(d->fd, 0, SEEK_CUR)), SEEK_SET);
	}
	/* Give back the reserved space that was not needed. */
	(void)!ftruncate(d->fd, lseek(d->fd, 0, SEEK_CUR));
	return base_out_publish(d->fd, d->path, replace, error);
}
