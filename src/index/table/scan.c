/* SPDX-License-Identifier: MIT */
/*
 * How it works: a look-up goes down the tree to the leaf that holds the instant, and sums the leaf's
 * intervals up to it, from the begin or the end of the leaf, whichever is nearer. Neighbouring instants often
 * lie in one leaf; then only the intervals between them are added. Otherwise memory latency dominates. So the
 * leaves of some instants ahead are located first and prefetched while earlier ones are summed. While reads
 * wait for the disk, all leaves of the row that were never read are requested at once.
 */
#include "index/table/parts.h"

#define AHEAD 16

/* A place in a leaf. */
struct place {
	const struct idx_found *found; /* NULL: none yet */
	struct idx_leaf leaf;
	unsigned at;           /* the interval before which SUMS end */
	const uint8_t *length; /* the bytes of its length */
	int64_t time;          /* its begin */
	uint64_t sums[16];
};

static bool enter_leaf(struct place *scan, const struct idx_series *series, struct idx_found *found)
{
	scan->found = NULL;
	if (!idx_node_arrive(series, found))
		return false;
	if (!idx_leaf_open(found->block, found->leaf.size, &scan->leaf)) {
		idx_map_note_damage(series->map, found->leaf.offset, "invalid leaf");
		return false;
	}
	scan->found = found;
	scan->at = found->from_end ? scan->leaf.count : 0;
	scan->length = found->from_end ? scan->leaf.details : scan->leaf.lengths;
	scan->time = found->from_end ? found->leaf.end : found->leaf.first;
	memcpy(scan->sums, found->sums_before, sizeof scan->sums);
	return true;
}

/* Step back over all intervals of the leaf that begin after TIME. */
static void retreat(struct place *scan, int64_t time)
{
	const uint8_t *tags = scan->leaf.tags, *p = scan->length;
	uint64_t left = scan->time > time ? (uint64_t)scan->time - (uint64_t)time : 0, start = left, over = 0;
	unsigned i = scan->at;

	while (i > 0 && left > 0) {
		unsigned tag = tags[--i], code = tag >> IDX_TAG_LENGTH_SHIFT & 3;
		uint64_t length;

		p -= idx_length_bytes[code];
		length = idx_get64(p) & idx_length_mask[code];
		scan->sums[tag & IDX_TAG_STATE] -= length;
		over = length > left ? length - left : 0;
		left -= length - over;
	}
	scan->time = (int64_t)((uint64_t)scan->time - (start - left + over)); /* one may exceed 2^63 ns */
	scan->length = p;
	scan->at = i;
}

/* Step over all intervals of the leaf that end at or before TIME. */
static void advance(struct place *scan, int64_t time)
{
	const uint8_t *tags = scan->leaf.tags, *p = scan->length;
	uint64_t left = time > scan->time ? (uint64_t)time - (uint64_t)scan->time : 0, start = left;
	unsigned i = scan->at;

	while (i < scan->leaf.count) {
		unsigned tag = tags[i], code = tag >> IDX_TAG_LENGTH_SHIFT & 3;
		uint64_t length = idx_get64(p) & idx_length_mask[code];

		if (length > left)
			break;
		scan->sums[tag & IDX_TAG_STATE] += length;
		left -= length;
		p += idx_length_bytes[code];
		i++;
	}
	scan->time = (int64_t)((uint64_t)scan->time + (start - left));
	scan->length = p;
	scan->at = i;
}

static void scan_tell(const struct place *scan, int64_t time, struct idx_sums *sums)
{
	memcpy(sums->ns, scan->sums, sizeof sums->ns);
	sums->intervals = scan->found->count_before + scan->at;
	sums->cut = scan->at < scan->leaf.count && time > scan->time;
	if (!sums->cut)
		return;
	sums->ns[scan->leaf.tags[scan->at] & IDX_TAG_STATE] += (uint64_t)time - (uint64_t)scan->time;
	sums->intervals++;
}

/* Prefetch the bytes of a leaf that will be read: its tags, and the nearer half of its lengths. */
static void prefetch(const struct idx_map *map, const struct idx_found *found)
{
	uint32_t tags = (uint32_t)found->leaf.count,
		 middle = IDX_LEAF_HEAD + tags + (found->leaf.size - tags) / 2;

	idx_map_prefetch(map, &found->leaf, 0, IDX_LEAF_HEAD + tags);
	if (found->from_end)
		idx_map_prefetch(map, &found->leaf, middle, found->leaf.size);
	else
		idx_map_prefetch(map, &found->leaf, IDX_LEAF_HEAD + tags, middle);
}

/* Request from the disk the leaves of N instants from the place of WALK, except those already read. */
static void fetch(const struct idx_walk *walk, const int64_t *times, uint32_t n)
{
	struct idx_walk ahead = *walk;
	struct idx_found found;

	for (uint32_t i = 0; i < n && idx_walk_seek(&ahead, times[i], &found); i++)
		if (!found.known && idx_walk_is_new(&found))
			idx_map_fetch(ahead.series->map, &found.leaf);
}

/* Find the leaves of N instants: instant i lies in FOUND[LEAF_OF[i]]. Offset 0 there means no leaf. */
static void locate_some(struct idx_walk *walk, const int64_t *times, uint32_t n, uint32_t left,
	struct idx_found *found, uint8_t *leaf_of, bool *fetched)
{
	for (uint32_t i = 0; i < n; i++) {
		leaf_of[i] = (uint8_t)i;
		if (i > 0 && !found[leaf_of[i - 1]].known && times[i] < found[leaf_of[i - 1]].next) {
			leaf_of[i] = leaf_of[i - 1];
			continue;
		}
		if (!idx_walk_seek(walk, times[i], &found[i]))
			found[i].leaf.offset = 0;
		else if (!found[i].known && !*fetched && idx_walk_is_new(&found[i])) {
			if (idx_map_waits(walk->series->map))
				fetch(walk, times + i, left - i);
			*fetched = true;
		} else if (!found[i].known)
			prefetch(walk->series->map, &found[i]);
	}
}

void idx_scan_sums(const struct idx_series *series, const int64_t *times, uint32_t n, struct idx_sums *sums)
{
	struct idx_found found[AHEAD];
	uint8_t leaf_of[AHEAD];
	struct idx_walk walk;
	struct place scan;
	bool fetched = false;

	idx_map_expect(series->map, true);
	idx_walk_init(&walk, series, n > 0 ? times[n - 1] : 0);
	memset(sums, 0, n * sizeof *sums);
	for (uint32_t i = 0; i < n; i++) {
		struct idx_found *f;

		if (i % AHEAD == 0) {
			locate_some(&walk, times + i, MIN(n - i, AHEAD), n - i, found, leaf_of, &fetched);
			scan.found = NULL;
		}
		f = &found[leaf_of[i % AHEAD]];
		if (f->leaf.offset != 0 && f->known) {
			memcpy(sums[i].ns, f->sums_before, sizeof sums[i].ns);
			sums[i].intervals = f->count_before;
			sums[i].cut = f->cut;
			continue;
		}
		if (f->leaf.offset == 0 || (scan.found != f && !enter_leaf(&scan, series, f)))
			continue;
		retreat(&scan, times[i]);
		advance(&scan, times[i]);
		scan_tell(&scan, times[i], &sums[i]);
	}
}
