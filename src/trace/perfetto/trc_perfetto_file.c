/* SPDX-License-Identifier: MIT */
/*
 * How it works: a trace is a series of TracePackets; a packet may have others inside, packed. The file is
 * read in blocks of whole packets, so only a few blocks are in memory, however large the file is.
 */
#include "trace/perfetto/trc_perfetto.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "trace/core/trc_folders.h"
#include "trace/tracefs/trc_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define BEGIN_BYTES (64 * 1024)        /* bytes at the begin of a file that are examined */
#define BLOCK_SIZE (256 * 1024)        /* bytes of packets, or unpacked bytes */
#define PACKET_MOST (16 * 1024 * 1024) /* larger ones are left out; traced writes at most some 100 KB */
#define SYNCED_MOST 64                 /* snapshots of a RemoteClockSync; the relay sends two */
#define OTHERS_MOST 10000              /* counted machines at most */
#define HEAD_MOST 12                   /* bytes before a packet: a key and a length */

/* Names of parts: "machine-7". */
#define PART_HOST "host"
#define PART_OTHER "machine-"

/* Fields of TracePacket. */
enum {
	PACKET_UID = 3,
	PACKET_TIME = 8,
	PACKET_SEQUENCE = 10,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_CLEARED = 41,
	PACKET_DROPPED = 42,
	PACKET_CLOCK = 58,
	PACKET_DEFAULTS = 59,
	PACKET_FIRST = 87,
	PACKET_MACHINE = 98
};

#define TRACE_PACKET 1 /* field of Trace */

/* Fields of RemoteClockSync, and of a SyncedClocks in it. */
enum { SYNCED = 1, SYNCED_CLIENT = 2 };

/* Bits of sequence_flags. */
enum { SEQUENCE_CLEARED = 1, SEQUENCE_NEEDS = 2 };

/* ---- detection ---- */

/* True if W has fields of a TracePacket. WHOLE: W has all of it. */
static bool is_packet(struct trc_wire w, bool whole)
{
	struct trc_wire_field f;
	bool known = false;

	while (trc_wire_next(&w, &f)) {
		if (f.type == TRC_WIRE_NUMBER)
			known |= f.number == PACKET_UID || f.number == PACKET_TIME ||
				f.number == PACKET_SEQUENCE;
		else if (f.type == TRC_WIRE_BYTES)
			known |= f.number == TRC_PERFETTO_DEFLATE && f.value > 2 && f.bytes.at[0] == 0x78;
	}
	return known && !(whole && trc_wire_is_damaged(&w));
}

/* True if BYTES, the first SIZE of a file, are TracePackets. */
static bool is_trace(const uint8_t *bytes, size_t size)
{
	const uint8_t *p = bytes, *end = bytes + size;
	uint64_t key, length;
	unsigned n;

	for (n = 0; n < 3 && p < end; n++) {
		p = base_varint_get(p, end, &key);
		p = p ? base_varint_get(p, end, &length) : NULL;
		if (!p || key != (TRACE_PACKET << 3 | TRC_WIRE_BYTES) || length > UINT32_MAX)
			return false;
		if (length > (uint64_t)(end - p))
			return is_packet(trc_wire_of(p, (size_t)(end - p)), false) || n > 0;
		if (!is_packet(trc_wire_of(p, length), true))
			return false;
		p += length;
	}
	return n > 0;
}

bool trc_perfetto_file_detect(const char *path, bool *is)
{
	g_autofree uint8_t *bytes = g_malloc(BEGIN_BYTES);
	ssize_t size = base_io_begin(path, bytes, 1);

	*is = false;
	if (size == 1 && bytes[0] == (TRACE_PACKET << 3 | TRC_WIRE_BYTES))
		size = base_io_begin(path, bytes, BEGIN_BYTES);
	if (size < 0)
		return false;
	*is = is_trace(bytes, (size_t)size);
	return true;
}

char *trc_perfetto_part_name(uint32_t machine)
{
	return machine == 0 ? g_strdup(PART_HOST) : g_strdup_printf(PART_OTHER "%u", machine);
}

/* Set *MACHINE to that of the part NAME. False if no part has this name. */
static bool part_is_told(const char *name, uint32_t *machine)
{
	guint64 number = g_str_has_prefix(name, PART_OTHER)
		? g_ascii_strtoull(name + strlen(PART_OTHER), NULL, 10)
		: 0;
	g_autofree char *again = NULL;

	*machine = number <= UINT32_MAX ? (uint32_t)number : 0;
	again = trc_perfetto_part_name(*machine);
	return g_str_equal(again, name);
}

struct trc_perfetto_file *trc_perfetto_file_open(const char *path, GError **error)
{
	struct trc_perfetto_file *f;
	struct stat st;
	const char *part = trc_folders_part(path);
	g_autofree char *file = trc_folders_file(path);
	uint32_t machine = 0;
	bool is = !part || part_is_told(part, &machine);
	int fd = base_io_open(is ? file : path, O_RDONLY | O_NOCTTY);

	if (fd < 0 || fstat(fd, &st) != 0) {
		base_error_set_errno(error, errno, "cannot open", path);
		if (fd >= 0)
			close(fd);
		return NULL;
	}
	f = g_new0(struct trc_perfetto_file, 1);
	f->path = g_strdup(path);
	f->is_part = f->has_remote = part;
	f->machine = machine;
	f->others = part ? g_hash_table_new(NULL, NULL) : NULL;
	f->fd = fd;
	f->size = (uint64_t)st.st_size;
	f->budget = trc_budget_of(f->size);
	f->unpack = trc_budget_of_records(f->budget, f->size);
	f->budget.left /= part ? TRC_PERFETTO_MACHINES_MOST : 1;
	f->share = 1;
	return f;
}

void trc_perfetto_file_free(struct trc_perfetto_file *f)
{
	if (!f)
		return;
	close(f->fd);
	g_clear_pointer(&f->others, g_hash_table_unref);
	g_clear_error(&f->problem);
	g_free(f->path);
	g_free(f);
}

/* ---- blocks ---- */

struct trc_perfetto_block *trc_perfetto_block_new(void)
{
	struct trc_perfetto_block *b = g_new0(struct trc_perfetto_block, 1);

	b->packets = g_array_new(FALSE, FALSE, sizeof(struct trc_perfetto_packet));
	b->unpacked = g_ptr_array_new_with_free_func((GDestroyNotify)g_byte_array_unref);
	b->refs = 1;
	return b;
}

struct trc_perfetto_block *trc_perfetto_block_ref(struct trc_perfetto_block *b)
{
	b->refs++;
	return b;
}

void trc_perfetto_block_unref(struct trc_perfetto_block *b)
{
	if (!b || --b->refs > 0)
		return;
	g_array_unref(b->packets);
	g_ptr_array_unref(b->unpacked);
	g_free(b->bytes);
	g_free(b);
}

static bool is_of_use(const struct trc_perfetto_file *f, unsigned number)
{
	switch (number) {
	case TRC_PERFETTO_FTRACE:
	case TRC_PERFETTO_TREE:
	case TRC_PERFETTO_CLOCKS:
	case TRC_PERFETTO_TRACK:
	case TRC_PERFETTO_CONFIG:
	case TRC_PERFETTO_STATS:
	case TRC_PERFETTO_BUFFERS:
	case TRC_PERFETTO_PROCESS:
	case TRC_PERFETTO_THREAD:
	case TRC_PERFETTO_SYSTEM:
	case TRC_PERFETTO_DESCRIPTOR:
	case TRC_PERFETTO_DEFLATE:
	case TRC_PERFETTO_ZSTD: return true;
	case TRC_PERFETTO_REMOTE: return f->has_remote;
	default: return false;
	}
}

/* True if P moves a clock that its sequence may have for itself. */
static bool is_of_sequence(const struct trc_perfetto_packet *p)
{
	return p->has_time &&
		(p->clock == 0 || (p->clock >= TRC_PERFETTO_OWN && p->clock < TRC_PERFETTO_OWN_END));
}

/* True if P belongs to the part F, whose machine replaces the host. The service's packets belong to all
 * parts. */
static bool is_of_part(struct trc_perfetto_file *f, struct trc_perfetto_packet *p, uint64_t size)
{
	bool own = p->machine == f->machine,
	     packs = p->kind == TRC_PERFETTO_DEFLATE || p->kind == TRC_PERFETTO_ZSTD;

	f->all += packs ? 0 : size;
	f->own += packs || !own ? 0 : size;
	if (own || packs ||
		(p->machine == 0 && (p->kind == TRC_PERFETTO_CONFIG || p->kind == TRC_PERFETTO_BUFFERS))) {
		p->machine = 0;
		return true;
	}
	if ((p->kind == TRC_PERFETTO_FTRACE || p->kind == TRC_PERFETTO_TRACK) &&
		g_hash_table_size(f->others) < OTHERS_MOST)
		g_hash_table_add(f->others, GUINT_TO_POINTER(p->machine));
	return false;
}

static void packet_read(struct trc_perfetto_file *file, struct trc_perfetto_packet *p, struct trc_wire w)
{
	struct trc_perfetto_bundle bundle;
	struct trc_wire_field f;
	uint64_t size = trc_wire_size(&w);

	while (trc_wire_next(&w, &f)) {
		if (f.type == TRC_WIRE_BYTES && is_of_use(file, f.number)) {
			p->kind = f.number;
			p->body = f.bytes;
		}
		if (f.type == TRC_WIRE_BYTES && f.number == PACKET_INTERNED)
			p->interned = f.bytes;
		if (f.type == TRC_WIRE_BYTES && f.number == PACKET_DEFAULTS)
			p->defaults = f.bytes;
		if (f.type != TRC_WIRE_NUMBER)
			continue;
		switch (f.number) {
		case PACKET_TIME:
			p->time = f.value;
			p->has_time = true;
			break;
		case PACKET_FLAGS:
			p->cleared |= f.value & SEQUENCE_CLEARED;
			p->needs = f.value & SEQUENCE_NEEDS;
			break;
		case PACKET_CLEARED: p->cleared |= f.value != 0; break;
		case PACKET_CLOCK: p->clock = (uint32_t)MIN(f.value, UINT32_MAX); break;
		case PACKET_SEQUENCE: p->sequence = (uint32_t)MIN(f.value, UINT32_MAX); break;
		case PACKET_MACHINE: p->machine = (uint32_t)MIN(f.value, UINT32_MAX); break;
		case PACKET_DROPPED: p->dropped = f.value != 0; break;
		case PACKET_FIRST: p->first = f.value != 0; break;
		default: break;
		}
	}
	if (file->is_part && !is_of_part(file, p, size)) {
		p->kind = 0;
		return;
	}
	/* These packets have what later ones of the sequence need, or move its clock. */
	if (p->kind == 0 && p->sequence != 0 &&
		(p->cleared || p->interned.at || p->defaults.at || is_of_sequence(p)))
		p->kind = TRC_PERFETTO_OTHER;
	p->cpu = p->kind == TRC_PERFETTO_FTRACE && trc_perfetto_bundle_read(&bundle, p->body)
		? bundle.cpu
		: TRC_CPU_UNKNOWN;
}

/* Add P. A RemoteClockSync compares clocks of its machine with those of the host. Its snapshots of the
 * machine's clocks are used like snapshots that the machine sent. */
static void block_put(struct trc_perfetto_block *b, const struct trc_perfetto_packet *p)
{
	struct trc_wire all = p->body;
	struct trc_wire_field synced, clocks;
	unsigned n = 0;

	if (p->kind != TRC_PERFETTO_REMOTE) {
		g_array_append_vals(b->packets, p, 1);
		return;
	}
	while (n < SYNCED_MOST && trc_wire_next(&all, &synced)) {
		if (synced.number != SYNCED || synced.type != TRC_WIRE_BYTES)
			continue;
		for (n++; trc_wire_next(&synced.bytes, &clocks);) {
			struct trc_perfetto_packet snapshot = *p;

			if (clocks.number != SYNCED_CLIENT || clocks.type != TRC_WIRE_BYTES)
				continue;
			snapshot.kind = TRC_PERFETTO_CLOCKS;
			snapshot.body = clocks.bytes;
			g_array_append_val(b->packets, snapshot);
			break;
		}
	}
}

/* Add a packet without kind for the packet at OFFSET, all or part of which cannot be read. */
static void block_skip(struct trc_perfetto_block *b, uint64_t offset)
{
	struct trc_perfetto_packet p = { .offset = offset, .cpu = TRC_CPU_UNKNOWN, .dropped = true };

	b->skipped++;
	g_array_append_val(b->packets, p);
}

/* Add the packets in P. False if they unpack to more than the budget. */
static bool block_unpack(struct trc_perfetto_block *b, struct trc_perfetto_file *f,
	const struct trc_perfetto_packet *p)
{
	GByteArray *bytes = g_byte_array_new();
	uint64_t most = MIN(f->unpack.left * f->share, PACKET_MOST);
	struct trc_wire_field at;
	struct trc_wire w;
	bool whole = trc_unpack_all(p->kind == TRC_PERFETTO_ZSTD ? TRC_UNPACK_ZSTD : TRC_UNPACK_ZLIB,
		p->body.at, trc_wire_size(&p->body), bytes, most);

	g_ptr_array_add(b->unpacked, bytes);
	/* One byte more than MOST shows that there is more. */
	if (bytes->len > most && most < PACKET_MOST)
		return trc_budget_spend(&f->unpack, UINT64_MAX,
			"its packets unpack to more than its size has room for");
	trc_budget_spend(&f->unpack, bytes->len / f->share, NULL);
	w = trc_wire_of(bytes->data, bytes->len);
	while (trc_wire_next(&w, &at)) {
		struct trc_perfetto_packet in = { .offset = p->offset, .is_packed = true };

		if (at.number != TRACE_PACKET || at.type != TRC_WIRE_BYTES)
			continue;
		if (!trc_budget_spend(&f->unpack, TRC_BUDGET_RECORD / f->share,
			    "its packets unpack to more than its size has room for"))
			return false;
		packet_read(f, &in, at.bytes);
		if (in.kind != 0 && in.kind != TRC_PERFETTO_DEFLATE && in.kind != TRC_PERFETTO_ZSTD)
			block_put(b, &in);
	}
	if (!whole || trc_wire_is_damaged(&w))
		block_skip(b, p->offset);
	return true;
}

/* Return the bytes of the unpacked packets of B. */
static size_t unpacked_size(const struct trc_perfetto_block *b)
{
	size_t size = 0;

	for (guint i = 0; i < b->unpacked->len; i++)
		size += ((const GByteArray *)g_ptr_array_index(b->unpacked, i))->len;
	return size;
}

/* Load the SIZE bytes at OFFSET of F into B, or those that exist. False if they cannot be read. */
static bool block_load(struct trc_perfetto_block *b, struct trc_perfetto_file *f, uint64_t offset,
	size_t size, size_t *got)
{
	ssize_t n;

	if (size > b->room) {
		g_free(b->bytes);
		b->bytes = g_malloc(size);
		b->room = size;
	}
	n = base_io_read(f->fd, b->bytes, size, offset);
	if (n < 0) {
		base_error_set_errno(&f->problem, errno, "cannot read", f->path);
		return false;
	}
	*got = (size_t)n;
	return true;
}

/* Return the bytes of the packet at P, up to END, with its head; 0: damaged, or more bytes are needed. */
static uint64_t packet_size(const uint8_t *p, const uint8_t *end, const uint8_t **body)
{
	const uint8_t *begin = p;
	uint64_t key, length;

	p = base_varint_get(p, end, &key);
	if (!p || key != (TRACE_PACKET << 3 | TRC_WIRE_BYTES))
		return 0;
	*body = base_varint_get(p, end, &length);
	return *body && length < UINT64_MAX / 2 ? (uint64_t)(*body - begin) + length : 0;
}

/* Add the packet of SIZE bytes at AT of the block. Its fields begin at BODY. */
static bool block_add(struct trc_perfetto_block *b, struct trc_perfetto_file *f, size_t at, uint64_t size,
	const uint8_t *body)
{
	struct trc_perfetto_packet p = { .offset = b->offset + at };

	packet_read(f, &p, (struct trc_wire){ body, b->bytes + at + size });
	if (p.kind == TRC_PERFETTO_DEFLATE || p.kind == TRC_PERFETTO_ZSTD)
		return block_unpack(b, f, &p);
	if (p.kind != 0)
		block_put(b, &p);
	return true;
}

bool trc_perfetto_block_read(struct trc_perfetto_block *b, struct trc_perfetto_file *f, uint64_t offset,
	uint64_t end)
{
	size_t want = (size_t)MIN(end - offset, BLOCK_SIZE), got, at = 0;
	const uint8_t *body;
	uint64_t size = 0;

	b->offset = offset;
	b->size = 0;
	b->cut = false;
	b->skipped = 0;
	g_array_set_size(b->packets, 0);
	g_ptr_array_set_size(b->unpacked, 0);
	if (offset >= end || f->problem || !block_load(b, f, offset, want, &got))
		return false;
	size = packet_size(b->bytes, b->bytes + got, &body);
	if (size > PACKET_MOST && size <= f->size - offset) { /* it becomes a block without packets */
		block_skip(b, offset);
		b->size = size;
		return true;
	}
	if (size > got && size <= f->size - offset && !block_load(b, f, offset, (size_t)size, &got))
		return false;
	/* A packet that does not fit into the block begins the next one. */
	b->cut = got < want;
	while (at < got && unpacked_size(b) < BLOCK_SIZE) {
		size = packet_size(b->bytes + at, b->bytes + got, &body);
		b->cut |= size == 0 ? got - at >= HEAD_MOST || offset + got >= f->size
				    : size > f->size - offset - at;
		if (size == 0 || size > got - at)
			break;
		if (!block_add(b, f, at, size, body)) {
			if (!f->problem)
				trc_budget_set_error(&f->unpack, f->path, &f->problem);
			return false;
		}
		at += size;
	}
	b->size = at;
	return true;
}
