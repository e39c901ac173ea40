/* SPDX-License-Identifier: MIT */
/* Damaged indexes: wakepath names the damage, never trusts it and never crashes. */
#include "base/base_error.h"
#include "index/idx_ask.h"
#include "index/file/format.h"
#include "index/idx_mutate.h"
#include "index/idx_repair.h"
#include "index/idx_sample.h"
#include "index/verify/verify.h"

#include <glib/gstdio.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/*
 * Row 0: one leaf of each kind; its leaf of intervals has too few to end early. Row 1: a node of leaves. Row
 * 2: nothing. Row 3: a node of leaves of wake-ups.
 */
static const struct idx_sample_row plan[] = {
	{ MDL_ROW_THREAD, 12, 20 },
	{ MDL_ROW_CPU, 600, 0 },
	{ MDL_ROW_IRQ, 0, 0 },
	{ MDL_ROW_THREAD, 1, 200 },
};

static struct idx_sample *sample;
static uint8_t *whole;
static gsize whole_size;
static char *file;

/* The result of opening and reading FILE. */
struct outcome {
	char *message;          /* failure to open, or damage met; else NULL */
	const char *difference; /* the first wrong thing read, or NULL */
};

static struct outcome look(const char *fingerprint)
{
	struct outcome o = { NULL, NULL };
	GError *error = NULL;
	struct idx_reader *r = idx_reader_open(file, fingerprint, &error);

	if (!r) {
		g_assert_error(error, BASE_ERROR, BASE_ERROR_STALE);
		o.message = g_strdup(error->message);
		g_error_free(error);
		return o;
	}
	g_assert_null(error);
	o.difference = idx_sample_compare(sample, r);
	if (idx_reader_damage(r)) {
		g_assert_error(idx_reader_damage(r), BASE_ERROR, BASE_ERROR_DATA);
		o.message = g_strdup(idx_reader_damage(r)->message);
	}
	idx_reader_free(r);
	return o;
}

static void put_file(const uint8_t *bytes, gsize size)
{
	/* O_TRUNC would make ext4 write the file to the disk each time. */
	int fd = g_open(file, O_WRONLY | O_CREAT, 0600);

	g_assert_cmpint(fd, >=, 0);
	g_assert_cmpint(write(fd, bytes, size), ==, (gssize)size);
	g_assert_cmpint(ftruncate(fd, (off_t)size), ==, 0);
	close(fd);
}

static void on_finding(void *data, const char *finding)
{
	unsigned *told = data;

	g_assert_null(strchr(finding, '\n'));
	++*told;
}

/* Findings of verify in FILE. */
static uint64_t findings(void)
{
	struct idx_verify_totals totals;
	unsigned told = 0;
	bool clean = idx_verify(file, IDX_SAMPLE_FINGERPRINT, on_finding, &told, &totals);

	g_assert_cmpuint(told, ==, totals.findings);
	g_assert_cmpint(clean, ==, told == 0);
	return told;
}

/* ---- named damages ---- */

enum place {
	HEAD,
	TOC,
	CHUNK,
	ROW_1,
	ROW_3,
	LEAF,
	WAKE,
	NODE,
	WAKE_NODE,
	TIMES,
	PACKETS,
	PACKETS_NODE,
	CAUSES,
	CAUSES_NODE,
	TRANSFERS,
	TRANSFERS_NODE
};

static const struct damage {
	const char *name;
	enum place place;
	const char *chunk; /* of CHUNK, and of TOC: its entry */
	int offset;        /* within the place; negative: from its end (CHUNK only) */
	unsigned n;
	const char *bytes;
	bool repair;          /* make the checksums right again */
	const char *expected; /* part of the message */
} damages[] = {
	{ "foreign magic", HEAD, "", 0, 1, "X", false, "not a wakepath index" },
	{ "another version", HEAD, "", 8, 1, "\x63", false,
		"format version 99, this program writes version " G_STRINGIFY(IDX_FORMAT_VERSION) },
	{ "header size", HEAD, "", 12, 1, "\x40", false, "checksum of the header" },
	{ "file size", HEAD, "", 17, 1, "\xff", false, "checksum of the header" },
	{ "place of the table of contents", HEAD, "", 24, 1, "\xff", false, "checksum of the header" },
	{ "fingerprint", HEAD, "", 48, 1, "f", false, "checksum of the header" },
	{ "reserved bytes of the header", HEAD, "", 100, 1, "\x01", false, "checksum of the header" },
	{ "checksum of the header", HEAD, "", 120, 2, "\0\0", false, "checksum of the header" },
	{ "table of contents beyond the file", HEAD, "", 24, 8, "\xff\xff\xff\xff\xff\xff\xff\x7f", true,
		"table of contents" },
	{ "table of contents at the very end", HEAD, "", 32, 4, "\x0e\0\0\0", true, "table of contents" },
	{ "endless table of contents", HEAD, "", 32, 4, "\xff\xff\xff\xff", true, "table of contents" },
	{ "empty table of contents", HEAD, "", 32, 4, "\0\0\0\0", true, "chunk STRG is missing" },

	{ "entry of a chunk", TOC, "STRG", 8, 1, "\x01", false, "table of contents" },
	{ "unknown chunk instead", TOC, "NAME", 0, 4, "NAMX", true, "chunk NAME is missing" },
	{ "chunk beyond the file", TOC, "ROWS", 8, 8, "\xff\xff\xff\xff\xff\xff\xff\x7f", true,
		"chunk ROWS" },
	{ "chunk longer than the file", TOC, "CTXS", 16, 8, "\xff\xff\xff\xff\xff\xff\xff\xff", true,
		"chunk CTXS" },
	{ "half a record at the end of a chunk", TOC, "CTXS", 16, 1, "\x0f", true,
		"invalid content of chunk CTXS" },
	{ "two references to event times", TOC, "EVNT", 16, 1, "\x40", true,
		"invalid content of chunk EVNT" },

	{ "bytes of META", CHUNK, "META", 3, 1, "\0", false, "chunk META" },
	{ "bytes of STRG", CHUNK, "STRG", -2, 1, "x", false, "chunk STRG" },
	{ "bytes of CTXS", CHUNK, "CTXS", 8, 1, "\x77", false, "chunk CTXS" },
	{ "bytes of ROWS", CHUNK, "ROWS", 40, 1, "\x77", false, "chunk ROWS" },
	{ "bytes of NAME", CHUNK, "NAME", 8, 1, "\x77", false, "chunk NAME" },
	{ "bytes of EVNT", CHUNK, "EVNT", 8, 1, "\x77", false, "chunk EVNT" },
	{ "bytes of PKTS", CHUNK, "PKTS", 16, 1, "\x77", false, "chunk PKTS" },

	{ "META is no dictionary", CHUNK, "META", -1, 1, "\xff", true, "invalid content of chunk META" },
	{ "META without path", CHUNK, "META", 0, 4, "xxxx", true, "invalid content of chunk META" },
	{ "no strings", CHUNK, "STRG", 0, 4, "\0\0\0\0", true, "invalid content of chunk STRG" },
	{ "endless strings", CHUNK, "STRG", 0, 4, "\xff\xff\xff\xff", true, "invalid content of chunk STRG" },
	{ "a string before the first", CHUNK, "STRG", 4, 1, "\x01", true, "invalid content of chunk STRG" },
	{ "strings that step back", CHUNK, "STRG", 12, 1, "\0", true, "invalid content of chunk STRG" },
	{ "a string beyond the chunk", CHUNK, "STRG", 8, 4, "\xff\xff\xff\x7f", true,
		"invalid content of chunk STRG" },
	{ "a string without end", CHUNK, "STRG", -1, 1, "x", true, "invalid content of chunk STRG" },
	{ "a string that is no UTF-8", CHUNK, "STRG", -2, 1, "\xff", true, "invalid content of chunk STRG" },
	{ "an unknown type of context", CHUNK, "CTXS", 0, 1, "\x05", true, "invalid content of chunk CTXS" },
	{ "the name of a context", CHUNK, "CTXS", 4, 1, "\x07", true, "invalid content of chunk CTXS" },
	{ "an unknown type of row", CHUNK, "ROWS", 0, 1, "\x06", true, "invalid content of chunk ROWS" },
	{ "the parent of a row", CHUNK, "ROWS", 32, 4, "\x04\0\0\0", true, "invalid content of chunk ROWS" },
	{ "the name of a row", CHUNK, "ROWS", 36, 1, "\x07", true, "invalid content of chunk ROWS" },
	{ "the cgroup of a row", CHUNK, "ROWS", 128, 1, "\x07", true, "invalid content of chunk ROWS" },
	{ "a life that ends before it begins", CHUNK, "ROWS", 47, 1, "\x7f", true,
		"invalid content of chunk ROWS" },
	{ "more records than bytes", CHUNK, "ROWS", 76, 1, "\x01", true, "invalid content of chunk ROWS" },
	{ "no records in a series", CHUNK, "ROWS", 72, 1, "\0", true, "invalid content of chunk ROWS" },
	{ "a series beyond the file", CHUNK, "ROWS", 62, 1, "\x01", true, "reference out of bounds" },
	{ "a series in the header", CHUNK, "ROWS", 56, 8, "\x40\0\0\0\0\0\0\0", true,
		"reference out of bounds" },
	{ "a series of no size", CHUNK, "ROWS", 64, 4, "\x04\0\0\0", true, "reference out of bounds" },
	{ "a series of endless size", CHUNK, "ROWS", 64, 4, "\xff\xff\xff\xff", true,
		"reference out of bounds" },
	{ "checksum of a series", CHUNK, "ROWS", 68, 1, "\x5a", false, "chunk ROWS" },
	{ "another number of records", CHUNK, "ROWS", 72, 1, "\x63", true, "invalid leaf" },
	{ "another number of records in a node", ROW_1, "", 72, 1, "\x57", true, "invalid node" },
	{ "one record more in a node", ROW_1, "", 72, 1, "\x59", true, "invalid node" },
	{ "a row beyond the last", CHUNK, "ROWS", 120, 1, "\x04", true, "invalid content of chunk ROWS" },
	{ "a row twice", ROW_1, "", 120, 1, "\x03", true, "invalid content of chunk ROWS" },
	{ "more names than there are", CHUNK, "ROWS", 124, 4, "\xff\xff\xff\xff", true,
		"invalid content of chunk NAME" },
	{ "fewer names than there are", ROW_3, "", 124, 1, "\0", true, "invalid content of chunk NAME" },
	{ "the row of a name", CHUNK, "NAME", 0, 4, "\x04\0\0\0", true, "invalid content of chunk NAME" },
	{ "a name of another row", CHUNK, "NAME", 0, 4, "\0\0\0\0", true, "invalid content of chunk NAME" },
	{ "names out of order", CHUNK, "NAME", 15, 1, "\x7f", true, "invalid content of chunk NAME" },
	{ "the row of a priority", CHUNK, "PRIO", 0, 4, "\x77\0\0\0", true, "invalid content of chunk PRIO" },
	{ "a priority that is none", CHUNK, "PRIO", 4, 1, "\x8c", true, "invalid content of chunk PRIO" },
	{ "priorities out of order", CHUNK, "PRIO", 15, 1, "\x7f", true, "invalid content of chunk PRIO" },
	{ "the row of a wait for an IPI", CHUNK, "IPIW", 0, 4, "\x77\0\0\0", true,
		"invalid content of chunk IPIW" },
	{ "a wait for an IPI that begins behind its end", CHUNK, "IPIW", 15, 1, "\x7f", true,
		"invalid content of chunk IPIW" },
	{ "a wait for an IPI that ends in the next one", CHUNK, "IPIW", 22, 1, "\x7f", true,
		"invalid content of chunk IPIW" },
	{ "an IPI that was taken before it was sent", CHUNK, "IPIW", 31, 1, "\x80", true,
		"invalid content of chunk IPIW" },
	{ "an IPI that went to another CPU", CHUNK, "IPIW", 48, 1, "\x3d", true,
		"invalid content of chunk IPIW" },
	{ "an IPI to CPU 255", CHUNK, "IPIW", 48, 1, "\xff", true, "invalid content of chunk IPIW" },
	{ "the row of counts", CHUNK, "CNTD", 0, 4, "\x77\0\0\0", true, "invalid content of chunk CNTD" },
	{ "unused bytes of counts", CHUNK, "CNTD", 4, 1, "\1", true, "invalid content of chunk CNTD" },
	{ "a row with counts twice", CHUNK, "CNTD", 40, 4, "\0\0\0\0", true,
		"invalid content of chunk CNTD" },
	{ "no counts in a series", CHUNK, "CNTD", 24, 8, "\0\0\0\0\0\0\0\0", true,
		"invalid content of chunk CNTD" },
	{ "more counts than bytes", CHUNK, "CNTD", 28, 1, "\1", true, "invalid content of chunk CNTD" },
	{ "counts beyond the file", CHUNK, "CNTD", 14, 1, "\1", true, "reference out of bounds" },
	{ "checksum of counts", CHUNK, "CNTD", 20, 1, "\x5a", true, "wrong checksum of a block" },
	{ "the string of a name", CHUNK, "NAME", 4, 1, "\x07", true, "invalid content of chunk NAME" },
	{ "no event times", CHUNK, "EVNT", 0, 8, "\0\0\0\0\0\0\0\0", true, "invalid content of chunk EVNT" },

	{ "bytes of a leaf", LEAF, "", 20, 1, "\x77", false, "wrong checksum of a block" },
	{ "kind of a leaf", LEAF, "", 0, 1, "W", true, "a block of another row or kind" },
	{ "row of a leaf", LEAF, "", 4, 1, "\x01", true, "a block of another row or kind" },
	{ "an empty leaf", LEAF, "", 2, 2, "\0\0", true, "invalid leaf" },
	{ "too many in a leaf", LEAF, "", 2, 2, "\xff\xff", true, "invalid leaf" },
	{ "lengths beyond the leaf", LEAF, "", 8, 2, "\xff\xff", true, "invalid leaf" },
	{ "lengths too short", LEAF, "", 8, 2, "\x01\0", true, "invalid leaf" },
	{ "details beyond the leaf", LEAF, "", 10, 2, "\xff\xff", true, "invalid leaf" },
	{ "an unknown state", LEAF, "", 12, 1, "\x0f", true, "invalid leaf" },
	{ "kind of a leaf of wake-ups", WAKE, "", 0, 1, "I", true, "a block of another row or kind" },
	{ "bytes of a leaf of wake-ups", WAKE, "", 9, 1, "\x77", false, "wrong checksum of a block" },
	{ "too many wake-ups", WAKE, "", 2, 2, "\x15\0", true, "invalid leaf" },
	{ "more contexts than nest", WAKE, "", 8, 1, "\x3c", true, "invalid leaf" },

	{ "bytes of a node", NODE, "", 20, 1, "\x77", false, "wrong checksum of a block" },
	{ "level of a node", NODE, "", 1, 1, "\0", true, "invalid node" },
	{ "a level no file needs", NODE, "", 1, 1, "\x0d", true, "invalid node" },
	{ "no children", NODE, "", 2, 2, "\0\0", true, "invalid node" },
	{ "too many children", NODE, "", 2, 2, "\x41\0", true, "invalid node" },
	{ "one child more", NODE, "", 2, 2, "\x06\0", true, "invalid node" },
	{ "a column wider than a number", NODE, "", IDX_NODE_TIME_WIDTH, 1, "\x09", true, "invalid node" },
	{ "a column narrower than it is", NODE, "", IDX_NODE_SUM_WIDTH, 1, "\0", true, "invalid node" },
	{ "an implied sum of nothing", NODE, "", IDX_NODE_FLAGS, 3, "\1\0\0", true, "invalid node" },
	{ "no states", NODE, "", IDX_NODE_STATES, 2, "\0\0", true, "invalid node" },
	{ "children beyond the file", NODE, "", IDX_NODE_BASE + 6, 1, "\x01", true,
		"reference out of bounds" },
	{ "a first child that begins late", NODE, "", IDX_NODE_COLUMNS, 1, "\x01", true, "invalid node" },
	{ "children out of order", NODE, "", IDX_NODE_COLUMNS + 9, 1, "\xff", true, "invalid node" },
	{ "row of a node", WAKE_NODE, "", 4, 1, "\x01", true, "a block of another row or kind" },
	{ "kind of a node", WAKE_NODE, "", 0, 1, "W", true, "invalid leaf" },
	{ "more streams than bytes", CHUNK, "PKTS", 0, 8, "\xff\xff\xff\xff\xff\xff\xff\xff", true,
		"invalid content of chunk PKTS" },
	{ "a stream less", CHUNK, "PKTS", 0, 1, "\x03", true, "invalid content of chunk PKTS" },
	{ "a name beyond the chunk", CHUNK, "PKTS", 8, 4, "\xff\xff\xff\x7f", true,
		"invalid content of chunk PKTS" },
	{ "a reader beyond the chunk", CHUNK, "PKTS", 12, 4, "\xff\xff\xff\x7f", true,
		"invalid content of chunk PKTS" },
	{ "an empty name", CHUNK, "PKTS", 8 + 4 * 48, 1, "\0", true, "invalid content of chunk PKTS" },
	{ "a name in another folder", CHUNK, "PKTS", 8 + 4 * 48, 3, "../", true,
		"invalid content of chunk PKTS" },
	{ "a last name without end", CHUNK, "PKTS", -1, 1, "x", true, "invalid content of chunk PKTS" },
	{ "more events in a stream than in the trace", CHUNK, "PKTS", 16, 8,
		"\xff\xff\xff\xff\xff\xff\xff\xff", true, "invalid content of chunk PKTS" },
	{ "fewer events in a stream", CHUNK, "PKTS", 16, 1, "\0", true, "invalid content of chunk PKTS" },
	{ "packets without a block", CHUNK, "PKTS", 24, 8, "\0\0\0\0\0\0\0\0", true,
		"invalid content of chunk PKTS" },
	{ "more packets than bytes", CHUNK, "PKTS", 40, 8, "\xff\xff\xff\xff\xff\xff\xff\x7f", true,
		"invalid content of chunk PKTS" },
	{ "bytes of a leaf of packets", PACKETS, "", 9, 1, "\x77", false, "wrong checksum of a block" },
	{ "kind of a leaf of packets", PACKETS, "", 0, 1, "W", true, "a block of another row or kind" },
	{ "stream of a leaf of packets", PACKETS, "", 4, 1, "\x01", true, "a block of another row or kind" },
	{ "too many packets", PACKETS, "", 2, 2, "\x41\0", true, "invalid leaf" },
	{ "a packet that never ends", PACKETS, "", -10, 10, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", true,
		"invalid leaf of packets" },
	{ "too many children in a node of packets", PACKETS_NODE, "", 2, 2, "\x41\0", true, "invalid node" },
	{ "bytes of CAUS", CHUNK, "CAUS", 8, 1, "\x77", false, "chunk CAUS" },
	{ "bytes of BDEV", CHUNK, "BDEV", 4, 1, "\x77", false, "chunk BDEV" },
	{ "no causes", CHUNK, "CAUS", 0, 8, "\0\0\0\0\0\0\0\0", true, "invalid content of chunk CAUS" },
	{ "two references to causes", TOC, "CAUS", 16, 1, "\x40", true, "invalid content of chunk CAUS" },
	{ "more causes than numbers", CHUNK, "CAUS", 20, 4, "\xff\xff\xff\xff", true,
		"invalid content of chunk CAUS" },
	{ "fewer causes than wake-ups name", CHUNK, "CAUS", 16, 2, "\x01\0", true, "invalid leaf" },
	{ "the name of a device", CHUNK, "BDEV", 4, 1, "\x07", true, "invalid content of chunk BDEV" },
	{ "a device twice", CHUNK, "BDEV", 8, 1, "\0", true, "invalid content of chunk BDEV" },
	{ "bytes of a leaf of causes", CAUSES, "", 40, 1, "\x77", false, "wrong checksum of a block" },
	{ "kind of a leaf of causes", CAUSES, "", 0, 1, "W", true, "a block of another row or kind" },
	{ "row of a leaf of causes", CAUSES, "", 4, 1, "\0", true, "a block of another row or kind" },
	{ "too many causes", CAUSES, "", 2, 2, "\x21\0", true, "invalid leaf" },
	{ "a cause beyond its leaf", CAUSES, "", 16, 2, "\xff\xff", true, "invalid leaf of causes" },
	{ "an empty cause", CAUSES, "", 16, 2, "\0\0", true, "invalid leaf of causes" },
	{ "more hops than a cause has", CAUSES, "", 16 + 64 + 1, 1, "\x07", true, "invalid leaf of causes" },
	{ "an unknown fact", CAUSES, "", 16 + 64 + 2, 1, "\xff", true, "invalid leaf of causes" },
	{ "too many children in a node of causes", CAUSES_NODE, "", 2, 2, "\x41\0", true, "invalid node" },
	{ "bytes of PCKT", CHUNK, "PCKT", 8, 1, "\x77", false, "chunk PCKT" },
	{ "no transfers", CHUNK, "PCKT", 0, 8, "\0\0\0\0\0\0\0\0", true, "invalid content of chunk PCKT" },
	{ "two references to transfers", TOC, "PCKT", 16, 1, "\x40", true, "invalid content of chunk PCKT" },
	{ "more transfers than bytes", CHUNK, "PCKT", 16, 8, "\xff\xff\xff\xff\xff\xff\xff\x7f", true,
		"invalid content of chunk PCKT" },
	{ "bytes of a leaf of transfers", TRANSFERS, "", 40, 1, "\x77", false, "wrong checksum of a block" },
	{ "kind of a leaf of transfers", TRANSFERS, "", 0, 1, "W", true, "a block of another row or kind" },
	{ "row of a leaf of transfers", TRANSFERS, "", 4, 1, "\0", true, "a block of another row or kind" },
	{ "too many transfers", TRANSFERS, "", 2, 2, "\x41\0", true, "invalid leaf" },
	{ "a transfer less in its leaf", TRANSFERS, "", 2, 2, "\x3f\0", true, "invalid leaf" },
	{ "neither sent nor received", TRANSFERS, "", 8, 1, "\x02", true, "invalid leaf of transfers" },
	{ "a transfer that never was", TRANSFERS, "", 9, 1, "\0", true, "invalid leaf of transfers" },
	{ "a graded transfer", TRANSFERS, "", 9, 1, "\x07", true, "invalid leaf of transfers" },
	{ "too many children in a node of transfers", TRANSFERS_NODE, "", 2, 2, "\x41\0", true,
		"invalid node" },
	{ "a leaf of event times", TIMES, "", 30, 1, "\x77", false, "wrong checksum of a block" },
};

static size_t row_ref(uint32_t row, size_t ref)
{
	size_t size, at = idx_repair_chunk(whole, whole_size, "ROWS", &size);

	while (idx_get32(whole + at + 120) != row)
		at += IDX_ROW_SIZE;
	return at + ref;
}

static size_t stream_ref(uint32_t stream)
{
	size_t size;

	return idx_repair_chunk(whole, whole_size, "PKTS", &size) + 8 + stream * IDX_STREAM_SIZE + 16;
}

static size_t toc_entry(const char *id)
{
	size_t at = (size_t)idx_get64(whole + 24);

	while (memcmp(whole + at, id, 4) != 0)
		at += IDX_TOC_ENTRY;
	return at;
}

/* The first leaf below the node at OFFSET. */
static size_t first_leaf(size_t offset)
{
	g_assert_cmpint(whole[offset], ==, IDX_KIND_NODE);
	return (size_t)idx_get64(whole + offset + IDX_NODE_BASE);
}

static size_t offset_of(const struct damage *d)
{
	size_t size, at, ref;

	switch (d->place) {
	case HEAD: return (size_t)d->offset;
	case TOC: return toc_entry(d->chunk) + (size_t)d->offset;
	case CHUNK:
		at = idx_repair_chunk(whole, whole_size, d->chunk, &size);
		return d->offset < 0 ? at + size - (size_t)-d->offset : at + (size_t)d->offset;
	case ROW_1: return row_ref(1, (size_t)d->offset);
	case ROW_3: return row_ref(3, (size_t)d->offset);
	case LEAF: return (size_t)idx_get64(whole + row_ref(0, 56)) + (size_t)d->offset;
	case WAKE: return (size_t)idx_get64(whole + row_ref(0, 88)) + (size_t)d->offset;
	case NODE: return (size_t)idx_get64(whole + row_ref(1, 56)) + (size_t)d->offset;
	case WAKE_NODE: return (size_t)idx_get64(whole + row_ref(3, 88)) + (size_t)d->offset;
	case PACKETS:
		ref = stream_ref(2);
		return (size_t)idx_get64(whole + ref) +
			(d->offset < 0 ? idx_get32(whole + ref + 8) - (size_t)-d->offset : (size_t)d->offset);
	case PACKETS_NODE: return (size_t)idx_get64(whole + stream_ref(0)) + (size_t)d->offset;
	case CAUSES_NODE:
		at = idx_repair_chunk(whole, whole_size, "CAUS", &size);
		return (size_t)idx_get64(whole + at) + (size_t)d->offset;
	case CAUSES:
		at = idx_repair_chunk(whole, whole_size, "CAUS", &size);
		return first_leaf((size_t)idx_get64(whole + at)) + (size_t)d->offset;
	case TRANSFERS_NODE:
		at = idx_repair_chunk(whole, whole_size, "PCKT", &size);
		return (size_t)idx_get64(whole + at) + (size_t)d->offset;
	case TRANSFERS:
		at = idx_repair_chunk(whole, whole_size, "PCKT", &size);
		return first_leaf((size_t)idx_get64(whole + at)) + (size_t)d->offset;
	case TIMES:
		at = idx_repair_chunk(whole, whole_size, "EVNT", &size);
		return (size_t)idx_get64(whole + at) + (size_t)d->offset;
	}
	g_assert_not_reached();
}

static void check_damage(const struct damage *d)
{
	uint8_t *bytes = g_memdup2(whole, whole_size);
	struct outcome o;

	g_test_message("%s", d->name);
	g_assert_cmpint(memcmp(bytes + offset_of(d), d->bytes, d->n), !=, 0);
	memcpy(bytes + offset_of(d), d->bytes, d->n);
	if (d->repair)
		idx_repair_checksums(bytes, whole_size, &idx_map_index);
	put_file(bytes, whole_size);
	o = look(IDX_SAMPLE_FINGERPRINT);
	if (!o.message || !strstr(o.message, d->expected))
		g_error("expected \"%s\", got \"%s\"", d->expected, o.message);
	g_assert_null(strchr(o.message, '\n'));
	g_assert_nonnull(strstr(o.message, file));
	g_assert_cmpuint(findings(), >, 0);
	g_free(o.message);
	g_free(bytes);
}

static void test_named(void)
{
	for (size_t i = 0; i < G_N_ELEMENTS(damages); i++)
		check_damage(&damages[i]);
}

/* Data that is consistent enough to be read but contradicts itself: verify finds it. */
static void test_contradictions(void)
{
	size_t node = (size_t)idx_get64(whole + row_ref(1, 56)),
	       node_size = idx_get32(whole + row_ref(1, 56) + 8);
	size_t leaf = (size_t)idx_get64(whole + row_ref(0, 56));
	size_t packets = (size_t)idx_get64(whole + stream_ref(2)),
	       packets_size = idx_get32(whole + stream_ref(2) + 8);
	size_t entries = idx_get16(whole + node + 2) *
		(4u + whole[node + IDX_NODE_OFFSET_WIDTH] + whole[node + IDX_NODE_SIZE_WIDTH] +
			(whole[node + IDX_NODE_FLAGS] >> IDX_NODE_TAIL_SHIFT));
	const size_t places[] = {
		node + node_size - entries - 1, /* the last sum of all children */
		/* The end of the last child. */
		node + IDX_NODE_COLUMNS + whole[node + IDX_NODE_TIME_WIDTH] * idx_get16(whole + node + 2),
		/* The first length in a leaf, so that the row ends elsewhere; the end of a life. */
		leaf + IDX_BLOCK_HEAD + 4 + idx_get16(whole + leaf + 2), row_ref(0, 48),
		row_ref(0, 40),             /* the begin of that life */
		row_ref(2, 48),             /* a life without states */
		packets + packets_size - 2, /* the last packet's count of events */
	};

	g_assert_cmpint(whole[leaf], ==, IDX_KIND_INTERVALS);
	for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
		uint8_t *bytes = g_memdup2(whole, whole_size);

		bytes[places[i]] ^= 1;
		idx_repair_checksums(bytes, whole_size, &idx_map_index);
		put_file(bytes, whole_size);
		g_test_message("place %zu of %zu", i, G_N_ELEMENTS(places));
		g_assert_cmpuint(findings(), >, 0);
		g_free(bytes);
	}
}

/* Data that no reader looks at: one record less in a table, bytes without a meaning. */
static void test_left_over(void)
{
	const struct {
		const char *chunk; /* "": the header */
		size_t at;         /* in its entry of the table of contents */
		int less;
	} places[] = { { "PRIO", 16, IDX_PRIORITY_SIZE }, { "BDEV", 16, IDX_DEVICE_SIZE }, { "PRIO", 4, 1 },
		{ "", 12, 1 }, { "", 36, 1 }, { "", 100, 1 } };

	for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
		uint8_t *bytes = g_memdup2(whole, whole_size);
		size_t at = (*places[i].chunk ? toc_entry(places[i].chunk) : 0) + places[i].at;

		idx_put32(bytes + at, idx_get32(bytes + at) - (uint32_t)places[i].less);
		idx_repair_checksums(bytes, whole_size, &idx_map_index);
		put_file(bytes, whole_size);
		g_test_message("place %zu", i);
		g_assert_cmpuint(findings(), >, 0);
		g_free(bytes);
	}
}

/* A reference claims a block one byte longer or shorter than it is, with the matching checksum. */
static void test_sizes_of_blocks(void)
{
	const size_t refs[] = { row_ref(0, 56), row_ref(0, 88), row_ref(1, 56), row_ref(3, 88), stream_ref(0),
		stream_ref(2) };

	for (size_t i = 0; i < 2 * G_N_ELEMENTS(refs); i++) {
		uint8_t *bytes = g_memdup2(whole, whole_size);
		size_t ref = refs[i / 2];
		struct outcome o;

		idx_put32(bytes + ref + 8, idx_get32(bytes + ref + 8) + (i % 2 ? 1u : -1u));
		idx_repair_checksums(bytes, whole_size, &idx_map_index);
		put_file(bytes, whole_size);
		o = look(NULL);
		g_assert_nonnull(o.message);
		g_assert_nonnull(strstr(o.message, "damaged: invalid "));
		g_assert_cmpuint(findings(), >, 0);
		g_free(o.message);
		g_free(bytes);
	}
}

static void expect_stale(const char *fingerprint, const char *expected)
{
	struct outcome o = look(fingerprint);

	if (!o.message || !strstr(o.message, expected))
		g_error("expected \"%s\", got \"%s\"", expected, o.message);
	g_free(o.message);
}

/* Point row 0 at a block of intervals of BLOCK_SIZE bytes at OFFSET of BYTES (SIZE bytes): opening and
 * reading fails with EXPECTED. */
static void expect_block(const uint8_t *bytes, gsize size, uint64_t offset, uint32_t block_size,
	const char *expected)
{
	uint8_t *copy = g_memdup2(bytes, size);
	size_t ref = row_ref(0, 56);
	struct outcome o;

	idx_put64(copy + ref, offset);
	idx_put32(copy + ref + 8, block_size);
	idx_repair_checksums(copy, size, &idx_map_index);
	put_file(copy, size);
	o = look(NULL);
	g_assert_nonnull(o.message);
	g_assert_nonnull(strstr(o.message, expected));
	g_assert_cmpuint(findings(), >, 0);
	g_free(o.message);
	g_free(copy);
}

#define OUTSIDE "a reference out of bounds"
#define INSIDE "a block of another row or kind"

/* A block that ends behind the end of the file, or one byte before it; a block one byte too large. */
static void test_ends_of_blocks(void)
{
	gsize size = whole_size + 2 * IDX_MAX_BLOCK;
	uint8_t *longer = g_malloc0(size);

	expect_block(whole, whole_size, whole_size - 48, 40, INSIDE);
	expect_block(whole, whole_size, whole_size - 48, 41, OUTSIDE);
	expect_block(whole, whole_size, whole_size - 48, 1000, OUTSIDE);
	expect_block(whole, whole_size, whole_size + 1, 8, OUTSIDE);
	memcpy(longer, whole, whole_size);
	expect_block(longer, size, whole_size, IDX_MAX_BLOCK, INSIDE);
	expect_block(longer, size, whole_size, IDX_MAX_BLOCK + 1, OUTSIDE);
	g_free(longer);
}

/* A leaf that is overwritten after it was checked may end earlier than its row or node says. A walk from
 * interval to interval still terminates. */
static void test_short_leaf(void)
{
	uint8_t *bytes = g_memdup2(whole, whole_size);
	uint8_t *leaf = bytes + idx_get64(bytes + row_ref(0, 56));
	GPtrArray *paths = g_ptr_array_new(), *fingerprints = g_ptr_array_new();
	struct mdl_interval iv;
	struct qry *q;
	const struct qry_row *row;

	memset(leaf + IDX_LEAF_HEAD + idx_get16(leaf + 2), 0, idx_get16(leaf + IDX_BLOCK_HEAD));
	idx_repair_checksums(bytes, whole_size, &idx_map_index);
	put_file(bytes, whole_size);
	g_ptr_array_add(paths, file);
	g_ptr_array_add(fingerprints, NULL);
	q = qry_open(paths, fingerprints, NULL);
	g_assert_nonnull(q);
	row = qry_row(q, 0);
	for (int64_t time = row->first; time < row->last && qry_state_at(q, 0, time, &iv); time = iv.to)
		g_assert_cmpint(iv.to, >, time);
	g_assert_false(qry_state_before(q, 0, row->last, &iv));
	g_assert_nonnull(qry_index_damage(q));
	g_assert_nonnull(strstr(qry_index_damage(q)->message, "invalid leaf"));
	qry_free(q);
	g_ptr_array_unref(paths);
	g_ptr_array_unref(fingerprints);
	g_free(bytes);
}

/* Two chunks may not share bytes: their sizes together would exceed the file. */
static void test_chunks_overlap(void)
{
	uint8_t *bytes = g_memdup2(whole, whole_size);
	size_t entry = toc_entry("BDEV");
	struct outcome o;

	/* All up to the table of contents, in whole records. */
	idx_put64(bytes + entry + 8, IDX_HEADER_SIZE);
	idx_put64(bytes + entry + 16, (idx_get64(whole + 24) - IDX_HEADER_SIZE) / 8 * 8);
	idx_repair_checksums(bytes, whole_size, &idx_map_index);
	put_file(bytes, whole_size);
	o = look(NULL);
	g_assert_nonnull(o.message);
	g_assert_nonnull(strstr(o.message, "damaged: chunk BDEV at offset"));
	g_free(o.message);
	g_free(bytes);
}

/* Two series claim more records together than the bytes of the file can hold; each alone would fit. */
static void test_budget(void)
{
	uint64_t half = whole_size / 2 / 3 + 1; /* intervals of half of the file */
	uint8_t *bytes = g_memdup2(whole, whole_size);
	struct outcome o;

	idx_put64(bytes + row_ref(0, 56) + 16, half);
	idx_repair_checksums(bytes, whole_size, &idx_map_index);
	put_file(bytes, whole_size);
	o = look(NULL);
	g_assert_null(strstr(o.message, "invalid content of chunk ROWS")); /* (The error is about the
	                                                                    * leaf.) */
	g_free(o.message);
	idx_put64(bytes + row_ref(1, 56) + 16, half);
	idx_repair_checksums(bytes, whole_size, &idx_map_index);
	put_file(bytes, whole_size);
	expect_stale(NULL, "invalid content of chunk ROWS");
	g_free(bytes);
}

/* ---- the tail of a growing index ---- */

/* Make FILE the second file of a growing index, whose first file is NAME beside it: LEAD and FROM are those of its
 * header (docs/index-format.md). */
static void write_growing(const char *name, size_t lead, uint64_t from)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), size = whole_size; /* in front of the tail, for the part
	                                                                 * left out */
	uint8_t *bytes = g_malloc0(size + page);

	memcpy(bytes, whole, IDX_HEADER_SIZE);
	idx_put64(bytes + IDX_HEADER_LEAD, lead);
	idx_put64(bytes + IDX_HEADER_FROM, from);
	idx_put64(bytes + IDX_HEADER_HASHED, XXH3_64bits(bytes, IDX_HEADER_HASHED));
	memcpy(bytes + IDX_HEADER_SIZE, name, strlen(name));
	memcpy(bytes + page, whole + page, whole_size - page);
	put_file(bytes, size);
	g_free(bytes);
}

static void test_growing(void)
{
	g_autofree char *folder = g_path_get_dirname(file),
			*first = g_build_filename(folder, "first.wpi", NULL),
			*link = g_build_filename(folder, "link.wpi", NULL),
			*sub = g_build_filename(folder, "sub", NULL),
			*moved = g_build_filename(sub, "first.wpi", NULL);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct outcome o;

	g_assert_cmpuint(whole_size, >, 2 * page);
	g_assert_true(g_file_set_contents_full(first, (const char *)whole, (gssize)page,
		G_FILE_SET_CONTENTS_NONE, 0600, NULL));
	write_growing("first.wpi", page, page);
	o = look(IDX_SAMPLE_FINGERPRINT);
	g_assert_null(o.message);
	g_assert_cmpstr(o.difference, ==, NULL);
	write_growing("first.wpi", page / 2, page);
	expect_stale(NULL, "damaged: the name of the file that it continues");
	write_growing("first.wpi", page, page / 2);
	expect_stale(NULL, "damaged: the name of the file that it continues");
	write_growing("first.wpi", page, 2 * page);
	expect_stale(NULL, "too short: first.wpi");
	g_assert_cmpint(g_mkdir(sub, 0700), ==, 0);
	g_assert_cmpint(g_rename(first, moved), ==, 0);
	write_growing("sub/first.wpi", page, page);
	expect_stale(IDX_SAMPLE_FINGERPRINT, "damaged: the name of the file that it continues");
	g_assert_cmpint(symlink("sub/first.wpi", link), ==, 0);
	write_growing("link.wpi", page, page);
	expect_stale(IDX_SAMPLE_FINGERPRINT, "a symbolic link");
	g_unlink(link);
	g_unlink(moved);
	g_rmdir(sub);
}

/* Repairing an intact file changes nothing, so the named damages above are reached with right checksums. */
static void test_repair(void)
{
	uint8_t *bytes = g_memdup2(whole, whole_size);

	idx_repair_checksums(bytes, whole_size, &idx_map_index);
	g_assert_cmpmem(bytes, whole_size, whole, whole_size);
	put_file(bytes, whole_size);
	g_assert_cmpuint(findings(), ==, 0);
	g_free(bytes);
}

/* ---- another file, another trace ---- */

static void test_foreign(void)
{
	static const char text[] =
		"This is a letter to somebody who keeps letters where others keep indexes, and it is long enough "
		"to have the size of a header, so that nobody can say it is too short to be an index of a trace.";

	put_file(whole, whole_size);
	expect_stale("00000000000000000000000000000000", "the trace has changed since it was built");
	put_file((const uint8_t *)text, sizeof text);
	expect_stale(NULL, "not a wakepath index");
	put_file((const uint8_t *)text, 0);
	expect_stale(NULL, "too short (0 bytes)");
	g_unlink(file);
	expect_stale(NULL, "no index yet");
	g_assert_cmpint(g_mkdir(file, 0700), ==, 0);
	expect_stale(NULL, "not a regular file");
	g_rmdir(file);
	g_assert_cmpint(mkfifo(file, 0600), ==, 0);
	expect_stale(NULL, "not a regular file"); /* opening does not wait for a writer */
	g_unlink(file);
}

/* ---- every length, many bytes ---- */

static void expect_unharmed_or_told(void)
{
	struct outcome o = look(IDX_SAMPLE_FINGERPRINT);

	if (!o.message)
		g_assert_cmpstr(o.difference, ==, NULL);
	g_free(o.message);
}

static void test_lengths(void)
{
	uint8_t *longer = g_malloc0(whole_size + 100);

	for (gsize size = 0; size < whole_size; size++) {
		struct outcome o;

		put_file(whole, size);
		o = look(IDX_SAMPLE_FINGERPRINT);
		g_assert_nonnull(o.message);
		g_free(o.message);
	}
	memcpy(longer, whole, whole_size);
	for (gsize more = 1; more < 100; more += 9) {
		put_file(longer, whole_size + more);
		expect_stale(NULL, "bytes long, should be");
	}
	g_free(longer);
}

/* A file is cut, and its header adjusted to that: everything behind the header is still checked. */
static void test_lengths_that_agree(void)
{
	for (gsize size = IDX_HEADER_SIZE; size < whole_size; size += 13) {
		uint8_t *bytes = g_memdup2(whole, size);
		struct outcome o;

		idx_repair_checksums(bytes, size, &idx_map_index);
		put_file(bytes, size);
		o = look(IDX_SAMPLE_FINGERPRINT);
		g_assert_nonnull(o.message);
		g_free(o.message);
		g_free(bytes);
	}
}

/* ---- one change, with right checksums ---- */

/* An index that was changed, with right checksums, can be read. If an answer differs from the sample, verify
 * finds it, unless the changed fact has no second place in the file. */
static void expect_named(const char *what)
{
	GPtrArray *paths = g_ptr_array_new(), *fingerprints = g_ptr_array_new();
	struct idx_reader *r = idx_reader_open(file, NULL, NULL);
	const char *wrong = NULL;
	uint64_t found = findings();
	struct qry *q;

	g_ptr_array_add(paths, file);
	g_ptr_array_add(fingerprints, NULL);
	q = qry_open(paths, fingerprints, NULL);
	g_assert_cmpint(!q, ==, !r);
	if (r) {
		wrong = idx_sample_contradict(sample, r);
		idx_ask_reader(r);
		idx_ask_experiment(q);
	}
	if (wrong && !idx_reader_damage(r) && found == 0)
		g_error("%s: wrong %s, and verify finds nothing", what, wrong);
	if (r && found == 0 && (idx_reader_damage(r) || qry_damage(q)))
		g_error("%s: verify finds nothing, but: %s", what,
			(idx_reader_damage(r) ? idx_reader_damage(r) : qry_damage(q))->message);
	qry_free(q);
	idx_reader_free(r);
	g_ptr_array_unref(paths);
	g_ptr_array_unref(fingerprints);
}

static void test_mutants(void)
{
	struct idx_mutate *m = idx_mutate_new(whole, whole_size, &idx_map_index, 3);
	const char *what;

	put_file(whole, whole_size);
	g_assert_cmpuint(findings(), ==, 0);
	for (unsigned i = 0; i < idx_mutate_count(300); i++) {
		uint8_t *bytes = idx_mutate_next(m, true, &what);

		put_file(bytes, whole_size);
		expect_named(what);
		g_free(bytes);
	}
	idx_mutate_free(m);
}

/* ---- overwritten while open ---- */

/* Set the file's time of writing back, as that clock advances in steps. */
static void make_old(void)
{
	const struct timespec times[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };

	g_assert_cmpint(utimensat(AT_FDCWD, file, times, 0), ==, 0);
}

/* Reading a file that is overwritten meanwhile always returns, and reports the damage. */
static void test_overwritten(void)
{
	struct idx_mutate *m = idx_mutate_new(whole, whole_size, &idx_map_index, 4);
	const char *what;

	for (unsigned i = 0; i < idx_mutate_count(200); i++) {
		GPtrArray *paths = g_ptr_array_new(), *fingerprints = g_ptr_array_new();
		uint8_t *bytes = idx_mutate_next(m, i % 2 == 0, &what);
		struct qry *q;

		g_ptr_array_add(paths, file);
		g_ptr_array_add(fingerprints, NULL);
		put_file(whole, whole_size);
		make_old();
		q = qry_open(paths, fingerprints, NULL);
		g_assert_nonnull(q);
		if (i % 3 == 0) /* blocks were checked before */
			idx_ask_experiment(q);
		g_assert_null(qry_damage(q));
		for (gsize k = 0; i % 5 == 0 && k < whole_size; k++)
			bytes[k] = (uint8_t)g_random_int();
		put_file(bytes, whole_size);
		idx_ask_experiment(q);
		g_assert_nonnull(qry_damage(q));
		g_assert_nonnull(
			strstr(qry_damage(q)->message, "it was overwritten or cut short while it was open"));
		qry_free(q);
		g_assert_false(g_file_test(file, G_FILE_TEST_EXISTS));
		g_free(bytes);
		g_ptr_array_unref(paths);
		g_ptr_array_unref(fingerprints);
	}
	idx_mutate_free(m);
}

/* A node is overwritten after it was checked: its references to children lead nowhere else. */
static void test_overwritten_nodes(void)
{
	size_t node = (size_t)idx_get64(whole + row_ref(1, 56)), size = idx_get32(whole + row_ref(1, 56) + 8);
	GPtrArray *paths = g_ptr_array_new(), *fingerprints = g_ptr_array_new();
	GRand *rand = g_rand_new_with_seed(9);

	g_ptr_array_add(paths, file);
	g_ptr_array_add(fingerprints, NULL);
	for (unsigned i = 0; i < idx_mutate_count(200); i++) {
		uint8_t *bytes = g_memdup2(whole, whole_size);
		struct qry *q;

		put_file(whole, whole_size);
		make_old();
		q = qry_open(paths, fingerprints, NULL);
		g_assert_nonnull(q);
		idx_ask_experiment(q);
		if (i % 2 == 0) /* its head: how many, how wide */
			bytes[node + 1 + (size_t)g_rand_int_range(rand, 0, 23)] = (uint8_t)g_rand_int(rand);
		else
			for (size_t k = IDX_NODE_BASE; k < size; k++)
				bytes[node + k] = (uint8_t)g_rand_int(rand);
		put_file(bytes, whole_size);
		idx_ask_experiment(q);
		g_assert_nonnull(qry_damage(q));
		qry_free(q);
		g_free(bytes);
	}
	g_rand_free(rand);
	g_ptr_array_unref(paths);
	g_ptr_array_unref(fingerprints);
}

static gint is_over;

/* Write random bytes, here and there, until the other thread is done. */
static gpointer overwrite(gpointer data)
{
	int fd = GPOINTER_TO_INT(data);
	GRand *rand = g_rand_new_with_seed(6);
	uint8_t bytes[64];

	while (!g_atomic_int_get(&is_over)) {
		size_t n = (size_t)g_rand_int_range(rand, 1, sizeof bytes);
		off_t at = g_rand_int_range(rand, 0, (gint32)(whole_size - n));

		for (size_t i = 0; i < n; i++)
			bytes[i] = (uint8_t)g_rand_int(rand);
		if (g_rand_int_range(rand, 0, 3) > 0) /* most of the file is soon whole again */
			memcpy(bytes, whole + at, n);
		g_assert_cmpint(pwrite(fd, bytes, n, at), ==, (ssize_t)n);
	}
	g_rand_free(rand);
	return NULL;
}

/* Reading returns while another thread overwrites the file. */
static void test_overwriting(void)
{
	GPtrArray *paths = g_ptr_array_new(), *fingerprints = g_ptr_array_new();
	unsigned opened = 0, rounds = idx_mutate_count(60);
	GThread *thread;
	int fd;

	g_ptr_array_add(paths, file);
	g_ptr_array_add(fingerprints, NULL);
	for (unsigned i = 0; i < rounds; i++) {
		struct qry *q;

		put_file(whole, whole_size);
		fd = g_open(file, O_WRONLY, 0);
		q = qry_open(paths, fingerprints, NULL);
		g_assert_nonnull(q);
		g_atomic_int_set(&is_over, 0);
		thread = g_thread_new("overwrite", overwrite, GINT_TO_POINTER(fd));
		for (unsigned k = 0; k < 3; k++)
			idx_ask_experiment(q);
		qry_free(q);
		q = qry_open(paths, fingerprints, NULL); /* opening, too, while it is overwritten */
		opened += !!q;
		if (q)
			idx_ask_experiment(q);
		qry_free(q);
		g_atomic_int_set(&is_over, 1);
		g_thread_join(thread);
		close(fd);
	}
	g_test_message("%u of %u could be opened", opened, rounds);
	g_ptr_array_unref(paths);
	g_ptr_array_unref(fingerprints);
}

/* Change up to four bytes between FROM and TO. */
static void harm(GRand *rand, uint8_t *bytes, gsize from, gsize to)
{
	for (int n = g_rand_int_range(rand, 1, 5); n > 0; n--)
		bytes[g_rand_int_range(rand, (gint32)from, (gint32)to)] ^= (uint8_t)(1
			<< g_rand_int_range(rand, 0, 8));
}

static void check_harm(GRand *rand, gsize from, gsize to, unsigned times, bool repair)
{
	for (unsigned i = 0; i < times; i++) {
		uint8_t *bytes = g_memdup2(whole, whole_size);

		harm(rand, bytes, from, to);
		if (repair)
			idx_repair_checksums(bytes, whole_size, &idx_map_index);
		put_file(bytes, whole_size);
		if (repair) {
			struct outcome o = look(NULL);

			g_free(o.message);
			findings();
		} else {
			expect_unharmed_or_told();
		}
		g_free(bytes);
	}
}

static const char *const chunks[] = { "META", "STRG", "CTXS", "ROWS", "NAME", "PRIO", "IPIW", "EVNT", "PKTS",
	"CAUS", "PCKT", "BDEV" };

static void harm_all(bool repair, unsigned times)
{
	GRand *rand = g_rand_new_with_seed(11);
	size_t size, blocks = whole_size, toc = (size_t)idx_get64(whole + 24);

	for (size_t i = 0; i < G_N_ELEMENTS(chunks); i++) {
		size_t at = idx_repair_chunk(whole, whole_size, chunks[i], &size);

		check_harm(rand, at, at + size, times, repair);
		blocks = MIN(blocks, at);
	}
	check_harm(rand, 0, IDX_HEADER_SIZE, times, repair);
	check_harm(rand, toc, whole_size, times, repair);
	check_harm(rand, IDX_HEADER_SIZE, blocks, 4 * times, repair);
	check_harm(rand, 0, whole_size, times, repair);
	g_rand_free(rand);
}

/* The answer is right, or the damage is reported. */
static void test_bytes(void)
{
	harm_all(false, g_test_slow() ? 10000 : 300);
}

/* With right checksums the answer may be wrong, but reading returns and nothing else happens. */
static void test_bytes_that_agree(void)
{
	harm_all(true, g_test_slow() ? 10000 : 300);
}

int main(int argc, char **argv)
{
	GError *error = NULL;
	int status;

	g_test_init(&argc, &argv, NULL);
	file = idx_sample_path("damaged.wpi");
	sample = idx_sample_new(42, plan, G_N_ELEMENTS(plan), 300 * IDX_EVENT_STEP);
	idx_sample_write(sample, file);
	g_assert_true(g_file_get_contents(file, (char **)&whole, &whole_size, &error));
	g_test_add_func("/damage/repair", test_repair);
	g_test_add_func("/damage/named", test_named);
	g_test_add_func("/damage/sizes-of-blocks", test_sizes_of_blocks);
	g_test_add_func("/damage/left-over", test_left_over);
	g_test_add_func("/damage/short-leaf", test_short_leaf);
	g_test_add_func("/damage/ends-of-blocks", test_ends_of_blocks);
	g_test_add_func("/damage/chunks-overlap", test_chunks_overlap);
	g_test_add_func("/damage/budget", test_budget);
	g_test_add_func("/damage/growing", test_growing);
	g_test_add_func("/damage/contradictions", test_contradictions);
	g_test_add_func("/damage/foreign", test_foreign);
	g_test_add_func("/damage/lengths", test_lengths);
	g_test_add_func("/damage/lengths-that-agree", test_lengths_that_agree);
	g_test_add_func("/damage/bytes", test_bytes);
	g_test_add_func("/damage/bytes-that-agree", test_bytes_that_agree);
	g_test_add_func("/damage/mutants", test_mutants);
	g_test_add_func("/damage/overwritten", test_overwritten);
	g_test_add_func("/damage/overwritten-nodes", test_overwritten_nodes);
	g_test_add_func("/damage/overwriting", test_overwriting);
	status = g_test_run();
	idx_sample_free(sample);
	g_free(whole);
	g_free(file);
	return status;
}
