/* SPDX-License-Identifier: MIT */
/*
 * How it works: fallocate() reserves the room of the file on the disk before the pages are mapped. So a full
 * disk shows there, and not as a SIGBUS at a later write.
 */
#include "base/base_many.h"

#include "base/base_io.h"
#include "base/base_memory.h"
#include "base/base_out.h"

#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#define IN_MEMORY ((size_t)8 << 20) /* bytes: more go into a file, */
#define STAYS (-2)                  /* unless that failed once */

struct base_many *base_many_new(size_t element)
{
	struct base_many *m = g_new0(struct base_many, 1);

	m->fd = -1;
	m->element = element;
	return m;
}

void base_many_free(struct base_many *m)
{
	if (!m)
		return;
	if (m->fd >= 0) {
		munmap(m->data, m->room);
		close(m->fd);
	} else {
		g_free(m->data);
	}
	g_free(m);
}

/* A file without a name; -1: not possible. /tmp may be memory, /var/tmp is not. */
static int nameless(void)
{
	const char *const folders[] = { g_getenv("TMPDIR") ?: "/var/tmp", g_get_tmp_dir() };
	int fd = -1;

	for (gsize i = 0; i < G_N_ELEMENTS(folders) && fd < 0; i++) {
		g_autofree char *path = g_build_filename(folders[i], "wakepath", NULL);

		fd = base_out_new(path, NULL);
	}
	return fd;
}

/* Reserve the bytes [FROM, ROOM) of FD on the disk. */
static bool take(int fd, size_t from, size_t room)
{
	return room <= INT64_MAX && BASE_IO_AGAIN(fallocate(fd, 0, (off_t)from, (off_t)(room - from))) == 0;
}

/* Move the array of USED bytes from memory to a file of ROOM bytes. False: there is no room for it. */
static bool move_out(struct base_many *m, size_t used, size_t room)
{
	int fd = nameless();
	void *data = fd >= 0 && take(fd, 0, room)
		? mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)
		: MAP_FAILED;

	if (data == MAP_FAILED) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	if (used > 0)
		memcpy(data, m->data, used);
	g_free(m->data);
	m->data = data;
	m->fd = fd;
	return true;
}

/* Extend the file to ROOM bytes. */
static bool extend(struct base_many *m, size_t room)
{
	void *data = take(m->fd, m->room, room) ? mremap(m->data, m->room, room, MREMAP_MAYMOVE) : MAP_FAILED;

	if (data == MAP_FAILED)
		return false;
	m->data = data;
	return true;
}

/* Move the array of USED bytes from its file to memory of ROOM bytes. */
static void move_back(struct base_many *m, size_t used, size_t room)
{
	char *data = g_malloc(room);

	if (used > 0)
		memcpy(data, m->data, used);
	munmap(m->data, m->room);
	close(m->fd);
	m->fd = STAYS;
	m->data = data;
}

void base_many_grow(struct base_many *m, size_t least)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), used = m->len * m->element,
	       room = (MAX(least, m->room + m->room / 2) + page - 1) / page * page;

	if (m->fd >= 0) {
		if (!extend(m, room))
			move_back(m, used, room);
	} else if (m->fd == STAYS || room <= IN_MEMORY) {
		m->data = g_realloc(m->data, room);
	} else if (!move_out(m, used, room)) {
		m->data = g_realloc(m->data, room);
		m->fd = STAYS;
	}
	m->room = room;
}

void base_many_set_size(struct base_many *m, guint n)
{
	size_t used = m->len * m->element, wanted = n * m->element;

	if (wanted > m->room)
		base_many_grow(m, wanted);
	if (wanted > used)
		memset(m->data + used, 0, wanted - used);
	m->len = n;
}

/* ---- a heap: element I comes before elements 2I + 1 and 2I + 2 ---- */

static char *at(const struct base_many *m, guint i)
{
	return m->data + i * m->element;
}

void base_many_push(struct base_many *m, const void *value, GCompareFunc order)
{
	guint i = m->len, above;

	base_many_add(m, value);
	while (i > 0 && order(value, at(m, above = (i - 1) / 2)) < 0) {
		memcpy(at(m, i), at(m, above), m->element);
		i = above;
	}
	memcpy(at(m, i), value, m->element);
}

void base_many_pop(struct base_many *m, GCompareFunc order)
{
	guint n = --m->len, i = 0, below;
	const char *last = at(m, n);

	while ((below = 2 * i + 1) < n) {
		below += below + 1 < n && order(at(m, below + 1), at(m, below)) < 0;
		if (order(last, at(m, below)) <= 0)
			break;
		memcpy(at(m, i), at(m, below), m->element);
		i = below;
	}
	memmove(at(m, i), last, m->element);
}

/* ---- sorting: natural merge sort (Knuth, TAOCP 3, 5.2.4), which reads and writes from front to back ---- */

/* The end of the sorted stretch of M that begins at I. */
static guint end_of(const struct base_many *m, guint i, GCompareFunc order)
{
	for (i++; i < m->len && order(at(m, i - 1), at(m, i)) <= 0; i++)
		;
	return MIN(i, m->len);
}

/* Merge the stretches [A, B) and [B, END) of FROM into one at the same place of TO. */
static void merge(const struct base_many *from, struct base_many *to, guint a, guint b, guint end,
	GCompareFunc order)
{
	guint middle = b, i = a;

	while (a < middle && b < end)
		memcpy(at(to, i++), order(at(from, a), at(from, b)) <= 0 ? at(from, a++) : at(from, b++),
			to->element);
	memcpy(at(to, i), at(from, a), (middle - a) * to->element);
	memcpy(at(to, i + middle - a), at(from, b), (end - b) * to->element);
}

void base_many_sort(struct base_many *m, GCompareFunc order)
{
	struct base_many *to, was;

	if (m->len == 0 || end_of(m, 0, order) == m->len)
		return;
	to = base_many_new(m->element);
	base_many_set_size(to, m->len);
	do {
		for (guint a = 0, end; a < m->len; a = end) {
			guint b = end_of(m, a, order);

			end = b < m->len ? end_of(m, b, order) : b;
			merge(m, to, a, b, end, order);
		}
		was = *m;
		*m = *to;
		*to = was;
	} while (end_of(m, 0, order) < m->len);
	base_many_free(to);
}
