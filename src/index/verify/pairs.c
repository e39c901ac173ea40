/* SPDX-License-Identifier: MIT */
/* How it works: the packets of a receiver are in the order of its index, and those of each sender nearly so.
 * So a cursor in each index moves along. */
#include "index/verify/verify.h"

#include "index/pairs/pairs.h"
#include "index/verify/tree.h"

#define NEAR 64 /* transfers to skip by reading; a look-up skips more */

struct verify {
	struct idx_verify_tree tree; /* the series being walked */
	struct idx_pairs *pairs;
	struct idx_reader *const *readers; /* NULL: not available */
	struct idx_transfers **places;     /* by host: a cursor in its index; NULL until needed */
	/* in the current series */
	bool has_last;
	struct idx_pair last;
};

/* Set *T to transfer NUMBER of HOST. False if there is none. */
static bool transfer_of(struct verify *v, uint32_t host, uint64_t number, struct mdl_transfer *t)
{
	struct idx_transfers **c = &v->places[host];

	if (!*c)
		*c = idx_transfers_new(v->readers[host]);
	if (number < idx_transfers_number(*c) || number - idx_transfers_number(*c) > NEAR)
		idx_transfers_seek_number(*c, number);
	while (idx_transfers_number(*c) < number)
		if (!idx_transfers_next(*c, t))
			return false;
	return idx_transfers_next(*c, t);
}

static void check_in_indexes(struct verify *v, const struct idx_child *at, const struct idx_pair *pair)
{
	struct mdl_transfer t;

	if (!transfer_of(v, v->tree.series.row, pair->received_number, &t) || !t.received ||
		t.by.time != pair->received)
		idx_verify_found_at(&v->tree, at, "the receiver's index has no such packet at that time");
	if (!transfer_of(v, pair->sender, pair->sent_number, &t) || t.received || t.by.time != pair->sent)
		idx_verify_found_at(&v->tree, at, "the sender's index has no such packet at that time");
}

static void check_leaf(void *owner, const struct idx_child *at, const uint8_t *block, struct idx_child *real)
{
	struct verify *v = owner;
	struct idx_pair pairs[IDX_LEAF_PAIRS];
	unsigned n = idx_pairs_leaf_read(v->pairs, v->tree.series.row, block, at->size, (uint64_t)at->first,
		pairs);

	for (unsigned i = 0; i < n; i++) {
		if (v->has_last &&
			(pairs[i].received_number < v->last.received_number ||
				pairs[i].received < v->last.received))
			idx_verify_found_at(&v->tree, at, "numbers or times step back");
		v->last = pairs[i];
		v->has_last = true;
		if (v->readers)
			check_in_indexes(v, at, &pairs[i]);
	}
	real->count = n;
	v->tree.totals->pairs += n;
}

static void check_receivers(struct verify *v)
{
	v->places = g_new0(struct idx_transfers *, v->pairs->n);
	for (uint32_t i = 0; i < v->pairs->n; i++) {
		v->tree.series = idx_pairs_series(v->pairs, i);
		v->has_last = false;
		idx_verify_series(&v->tree);
	}
	for (uint32_t i = 0; i < v->pairs->n; i++)
		idx_transfers_free(v->places[i]);
	g_free(v->places);
	idx_verify_size(&v->tree, v->pairs->map);
}

static struct idx_pairs *open_pairs(const char *path, struct idx_reader *const *readers, uint32_t n,
	GError **error)
{
	struct idx_pairs_host *hosts = readers ? g_new(struct idx_pairs_host, n) : NULL;
	struct idx_pairs *p;

	for (uint32_t i = 0; hosts && i < n; i++)
		idx_pairs_host_set(&hosts[i], readers[i]);
	p = idx_pairs_open(path, hosts, n, error);
	g_free(hosts);
	return p;
}

bool idx_verify_pairs(const char *path, struct idx_reader *const *readers, uint32_t n,
	idx_verify_report report, void *data, struct idx_verify_totals *totals)
{
	struct verify v = { .tree = { .report = report, .data = data, .totals = totals, .leaf = check_leaf },
		.readers = readers };
	g_autoptr(GError) error = NULL;

	memset(totals, 0, sizeof *totals);
	v.tree.owner = &v;
	v.pairs = open_pairs(path, readers, n, &error);
	if (!v.pairs) {
		idx_verify_found(&v.tree, "%s", error->message);
		return false;
	}
	totals->bytes = idx_map_size(v.pairs->map);
	check_receivers(&v);
	idx_pairs_free(v.pairs);
	return totals->findings == 0;
}
