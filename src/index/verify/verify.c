/* SPDX-License-Identifier: MIT */
/*
 * How it works: opening proves header and tables.  Then each chunk walks the series that it refers to
 * (index/verify/tree.c), and what is in their leaves is held against what records of their kind can be.
 */
#include "index/verify/parts.h"

#include <string.h>

bool idx_verify(const char *path, const char *fingerprint, idx_verify_report report, void *data,
	struct idx_verify_totals *totals)
{
	struct idx_verify v = { .tree = { .report = report, .data = data, .totals = totals },
		.totals = totals };
	g_autoptr(GError) error = NULL;

	memset(totals, 0, sizeof *totals);
	v.tree.owner = &v;
	v.r = idx_reader_open(path, fingerprint, &error);
	if (!v.r) {
		idx_verify_found(&v.tree, "%s", error->message);
		return false;
	}
	totals->bytes = idx_reader_bytes(v.r);
	v.named = g_malloc0((size_t)v.r->causes.count + 1);
	idx_verify_chunks(&v);
	idx_verify_size(&v.tree, v.r->map);
	g_free(v.named);
	idx_reader_free(v.r);
	return totals->findings == 0;
}
