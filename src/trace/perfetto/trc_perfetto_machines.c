/* SPDX-License-Identifier: MIT */
/*
 * How it works: in a trace of several machines, the service is on the host, and traced_relay sends it what
 * others record. Each packet has the number of its machine; the host's packets have none. Each machine is
 * read as a recording of its own, a part of the file.
 *
 * In a short file all packets are examined, and machines with events count. The service announces the other
 * machines before it writes any buffer (TracingServiceImpl::ReadBuffers()), so the begin of a long file shows
 * which exist. This happens before the index is found, so each opening waits for it.
 */
#include "trace/perfetto/trc_perfetto.h"

#include "base/base_search.h"

#define WHOLE_BYTES (UINT64_C(64) << 20) /* a longer file is examined … */
#define BEGIN_BYTES (UINT64_C(8) << 20)  /* … only up to here */
#define UNPACK_TIMES 4                   /* an unpacked byte costs as much time as these */

/* Add the machine of P to TOLD, and to EVENTS if P has events. */
static void look_at(GHashTable *events, GHashTable *told, const struct trc_perfetto_packet *p)
{
	gpointer machine = GUINT_TO_POINTER(p->machine);

	if ((p->kind == TRC_PERFETTO_FTRACE || p->kind == TRC_PERFETTO_TRACK) &&
		(p->machine == 0 || g_hash_table_size(events) <= TRC_PERFETTO_MACHINES_MOST))
		g_hash_table_add(events, machine);
	if (p->machine == 0 || g_hash_table_size(told) <= TRC_PERFETTO_MACHINES_MOST)
		g_hash_table_add(told, machine);
}

/* Examine the begin of F. False if it has more. */
static bool look(struct trc_perfetto_file *f, GHashTable *events, GHashTable *told)
{
	struct trc_perfetto_block *b = trc_perfetto_block_new();
	uint64_t most = f->size > WHOLE_BYTES ? BEGIN_BYTES : WHOLE_BYTES, at = 0, work = 0;

	f->has_remote = true;
	while (work < most && trc_perfetto_block_read(b, f, at, f->size) && b->size > 0) {
		for (guint i = 0; i < b->packets->len; i++)
			look_at(events, told, &g_array_index(b->packets, struct trc_perfetto_packet, i));
		for (guint i = 0; i < b->unpacked->len; i++)
			work += ((const GByteArray *)g_ptr_array_index(b->unpacked, i))->len * UNPACK_TIMES;
		at += b->size;
		work += b->size;
		if (b->cut)
			at = f->size;
	}
	trc_perfetto_block_unref(b);
	return at >= f->size;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return BASE_ORDER(*x, *y);
}

GArray *trc_perfetto_machines_in(const char *path)
{
	struct trc_perfetto_file *f = trc_perfetto_file_open(path, NULL);
	g_autoptr(GHashTable) events = g_hash_table_new(NULL, NULL), told = g_hash_table_new(NULL, NULL);
	GArray *machines = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	GHashTableIter iter;
	gpointer machine;

	if (!f)
		return machines;
	g_hash_table_iter_init(&iter, look(f, events, told) ? events : told);
	while (g_hash_table_iter_next(&iter, &machine, NULL)) {
		uint32_t number = GPOINTER_TO_UINT(machine);

		g_array_append_val(machines, number);
	}
	g_array_sort(machines, by_number);
	if (machines->len < 2 || f->problem)
		g_array_set_size(machines, 0);
	if (machines->len > TRC_PERFETTO_MACHINES_MOST)
		g_array_set_size(machines, 1);
	trc_perfetto_file_free(f);
	return machines;
}

void trc_perfetto_machines_parts(const char *path, GPtrArray *parts)
{
	g_autoptr(GArray) machines = trc_perfetto_machines_in(path);

	for (guint i = 0; i < machines->len; i++)
		g_ptr_array_add(parts, trc_perfetto_part_name(g_array_index(machines, uint32_t, i)));
}
