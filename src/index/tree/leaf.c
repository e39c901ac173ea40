/* SPDX-License-Identifier: MIT */
/*
 * How it works: a tag has state and length code, so the most frequent question, the sum of each state up to
 * an instant, reads two short columns and neither details nor CPUs.
 *
 * The open leaf is stored interval by interval, not in columns, which would need their maximum size.
 *
 * A leaf ends early if an interval crosses a multiple of a large power of two of time. The node above knows
 * the last interval of each leaf, so columns on the screen that begin at these instants (base_time_column())
 * need no leaves.
 */
#include "index/tree/leaf.h"

#include "base/base_time.h"
#include "base/base_varint.h"

#define LEAF_LEAST 12 /* intervals of a leaf that ends early */
#define LEAF_HALF 64
#define VARINT32_MAX 5 /* bytes of a 32-bit number as varint */
#define RECORD_MAX (1 + 8 + 2 * VARINT32_MAX)
/* A length is stored with an 8-byte write. */
#define BLOCK_MAX (IDX_LEAF_HEAD + IDX_LEAF_INTERVALS * RECORD_MAX + 8)

/* The place of each state's detail in last_detail. States without a detail share place 0, which remains 0. */
static const uint8_t detail_place[16] = { [MDL_ST_SYSCALL] = 1,
	[MDL_ST_INTERRUPTED] = 2,
	[MDL_ST_BLOCKED] = 3,
	[MDL_ST_VCPU_EXIT] = 4,
	[MDL_ST_QUEUED] = 5,
	[MDL_ST_IN_FLIGHT] = 6,
	[MDL_ST_IDLE] = 7 };

static inline const uint8_t *move_varint(uint8_t **to, const uint8_t *p)
{
	do {
		*(*to)++ = *p;
	} while (*p++ & 0x80);
	return p;
}

static uint8_t *put_bytes(uint8_t *p, const uint8_t *bytes, const uint8_t *end)
{
	memcpy(p, bytes, (size_t)(end - bytes));
	return p + (end - bytes);
}

/* Write the open leaf in columns to BLOCK (room for BLOCK_MAX), and sum up its states in CHILD. Returns its
 * size. */
static size_t leaf_lay_out(const struct idx_leaf_writer *w, uint8_t *block, struct idx_child *child)
{
	uint8_t details[IDX_LEAF_INTERVALS * VARINT32_MAX], auxes[IDX_LEAF_INTERVALS * VARINT32_MAX],
		*detail = details, *aux = auxes;
	uint8_t *tags = block + IDX_LEAF_HEAD, *lengths = tags + w->count, *p = lengths;
	const uint8_t *record = w->records.data;
	uint64_t length = 0;

	for (uint32_t i = 0; i < w->count; i++) {
		unsigned tag = *record++, code = tag >> IDX_TAG_LENGTH_SHIFT & 3;

		tags[i] = (uint8_t)tag;
		length = idx_get64(record) & idx_length_mask[code];
		idx_put64(p, length); /* the next write replaces its zero bytes */
		p += idx_length_bytes[code];
		record += idx_length_bytes[code];
		child->sums[tag & IDX_TAG_STATE] += length;
		if (tag & IDX_TAG_DETAIL)
			record = move_varint(&detail, record);
		if (tag & IDX_TAG_AUX)
			record = move_varint(&aux, record);
	}
	child->tail = length >> 60 == 0 ? length << 4 | (tags[w->count - 1] & IDX_TAG_STATE) : 0;
	idx_tree_put_head(block, IDX_KIND_INTERVALS, 0, w->count, w->row);
	idx_put16(block + IDX_BLOCK_HEAD, (uint16_t)(p - lengths));
	idx_put16(block + IDX_BLOCK_HEAD + 2, (uint16_t)(detail - details));
	return (size_t)(put_bytes(put_bytes(p, details, detail), auxes, aux) - block);
}

static void leaf_write_leaf(struct idx_leaf_writer *w, struct idx_out *o)
{
	uint8_t block[BLOCK_MAX];
	struct idx_child child = { .count = w->count, .first = w->first, .end = w->to };
	size_t size = leaf_lay_out(w, block, &child);

	if (!w->tree)
		w->tree = idx_tree_new(w->row);
	idx_tree_add_leaf(w->tree, o, block, size, &child);
	w->count = 0;
}

/*
 * True if the leaf must end with I, in which a multiple of a large power of two lies. That is so if about
 * half a leaf or more lies between two such multiples. Then nearly all of them are ends of leaves, and no
 * leaf is small.
 */
static bool ends_at_grid(const struct idx_leaf_writer *w, const struct mdl_interval *i)
{
	unsigned level = 63 - (unsigned)__builtin_clzll((uint64_t)i->from ^ (uint64_t)i->to);
	uint64_t each = ((uint64_t)w->to - (uint64_t)w->first) / w->count;

	return w->count >= LEAF_LEAST && each < (UINT64_C(1) << level) / LEAF_HALF;
}

void idx_leaf_writer_add(struct idx_leaf_writer *w, struct idx_out *o, const struct mdl_interval *i)
{
	uint64_t length = (uint64_t)i->to - (uint64_t)i->from;
	/* The code by the highest byte that is not 0. It has no branch, because lengths are unpredictable. */
	static const uint8_t codes[8] = { 0, 0, 1, 2, 3, 3, 3, 3 };
	unsigned code = codes[(63 - (unsigned)__builtin_clzll(length | 1)) / 8],
		 tag = i->state | code << IDX_TAG_LENGTH_SHIFT;
	uint32_t *last_detail = &w->last_detail[detail_place[i->state]];
	uint8_t *record, *p;

	if (w->count == IDX_LEAF_INTERVALS)
		leaf_write_leaf(w, o);
	if (w->count == 0) {
		w->first = i->from;
		w->last_aux = MDL_NONE;
		memset(w->last_detail, 0, sizeof w->last_detail);
		w->records.size = 0;
	} else {
		g_assert(i->from == w->to);
	}
	record = p = idx_bytes_reserve(&w->records, RECORD_MAX);
	idx_put64(p + 1, length); /* the next write replaces its zero bytes */
	p += 1 + idx_length_bytes[code];
	if (i->detail != *last_detail) {
		tag |= IDX_TAG_DETAIL;
		p = base_varint_put(p, i->detail);
		*last_detail = i->detail;
	}
	if (i->aux != w->last_aux) {
		tag |= IDX_TAG_AUX;
		p = base_varint_put(p, i->aux + 1u);
		w->last_aux = i->aux;
	}
	*record = (uint8_t)tag;
	w->records.size += (uint32_t)(p - record);
	w->count++;
	w->to = i->to;
	if (((uint64_t)i->from ^ (uint64_t)i->to) >> BASE_TIME_COARSE != 0 && ends_at_grid(w, i))
		leaf_write_leaf(w, o);
}

void idx_leaf_writer_finish(struct idx_leaf_writer *w, struct idx_out *o, struct idx_child *top)
{
	if (w->count > 0)
		leaf_write_leaf(w, o);
	idx_tree_finish(w->tree, o, top);
}

bool idx_leaf_open(const uint8_t *block, uint32_t size, struct idx_leaf *leaf)
{
	uint32_t lengths, details;

	if (size < IDX_LEAF_HEAD)
		return false;
	leaf->count = idx_get16(block + 2);
	lengths = idx_get16(block + IDX_BLOCK_HEAD);
	details = idx_get16(block + IDX_BLOCK_HEAD + 2);
	if (leaf->count == 0 || leaf->count > IDX_LEAF_INTERVALS ||
		IDX_LEAF_HEAD + leaf->count + lengths + details > size)
		return false;
	leaf->tags = block + IDX_LEAF_HEAD;
	leaf->lengths = leaf->tags + leaf->count;
	leaf->details = leaf->lengths + lengths;
	leaf->auxes = leaf->details + details;
	leaf->end = block + size;
	return true;
}

/* The limits of the numbers in a leaf. */
struct bounds {
	uint64_t details[16]; /* by state; 0: not a valid state */
	uint64_t auxes;
};

static struct bounds bounds_of(enum mdl_row_type type, const struct idx_limits *limits)
{
	const uint64_t any = (uint64_t)UINT32_MAX + 1;
	struct bounds b = { .auxes = type == MDL_ROW_CPU ? (uint64_t)limits->rows + 1 : any };

	for (unsigned state = 0; state < MDL_ST_STORED; state++)
		b.details[state] = 1;
	b.details[MDL_ST_SYSCALL] = limits->strings;
	b.details[MDL_ST_INTERRUPTED] = limits->contexts;
	b.details[MDL_ST_BLOCKED] = MDL_BLOCK_N;
	b.details[MDL_ST_IDLE] = MDL_IDLE_N;
	b.details[MDL_ST_VCPU_EXIT] = b.details[MDL_ST_QUEUED] = b.details[MDL_ST_IN_FLIGHT] = any;
	return b;
}

/* Set *VALUE to the varint at *P, before END.  False if it is damaged or not below BOUND. */
static inline bool get_below(const uint8_t **p, const uint8_t *end, uint64_t bound, uint64_t *value)
{
	*p = base_varint_get(*p, end, value);
	return *p && *value < bound;
}

/* Read all intervals of LEAF into INTERVALS (NULL: only check them). False if anything in it is invalid. Each
 * reading checks again, because the file may be overwritten after a check. */
static inline bool leaf_read_all(const struct idx_leaf *leaf, const struct bounds *bounds, int64_t first,
	bool with_aux, struct mdl_interval *intervals)
{
	const uint8_t *lengths = leaf->lengths, *details = leaf->details, *auxes = leaf->auxes;
	uint64_t last_detail[16] = { 0 }, aux = 0, time = (uint64_t)first;

	for (unsigned i = 0; i < leaf->count; i++) {
		unsigned tag = leaf->tags[i], state = tag & IDX_TAG_STATE;
		unsigned code = tag >> IDX_TAG_LENGTH_SHIFT & 3;
		uint64_t length = idx_get64(lengths) & idx_length_mask[code];

		lengths += idx_length_bytes[code];
		if (tag & IDX_TAG_DETAIL &&
			!get_below(&details, leaf->auxes, bounds->details[state], &last_detail[state]))
			return false;
		if (with_aux && tag & IDX_TAG_AUX && !get_below(&auxes, leaf->end, bounds->auxes, &aux))
			return false;
		if (last_detail[state] >=
			bounds->details[state]) /* invalid state, or a state without details */
			return false;
		if (!intervals)
			continue;
		intervals[i].from = (int64_t)time;
		time += length;
		intervals[i].to = (int64_t)time;
		intervals[i].state = (uint8_t)state;
		intervals[i].detail = (uint32_t)last_detail[state];
		if (with_aux)
			intervals[i].aux = (uint32_t)aux - 1u;
	}
	return lengths == leaf->details && details == leaf->auxes && (!with_aux || auxes == leaf->end);
}

bool idx_leaf_read(const struct idx_leaf *leaf, enum mdl_row_type type, const struct idx_limits *limits,
	int64_t first, struct mdl_interval *intervals)
{
	struct bounds bounds = bounds_of(type, limits);

	return leaf_read_all(leaf, &bounds, first, true, intervals);
}

bool idx_leaf_read_states(const struct idx_leaf *leaf, enum mdl_row_type type,
	const struct idx_limits *limits, int64_t first, struct mdl_interval *intervals)
{
	struct bounds bounds = bounds_of(type, limits);

	return leaf_read_all(leaf, &bounds, first, false, intervals);
}
