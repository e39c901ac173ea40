/* SPDX-License-Identifier: MIT */
#include "index/table/parts.h"

#include <stdbool.h>
#include <stddef.h>

/* The plain members, in one table for both directions. */
enum field_type { FIELD_TEXT, FIELD_INT64, FIELD_UINT32 };

static const struct {
	const char *name;
	enum field_type type;
	size_t offset;
} fields[] = {
	{ "path", FIELD_TEXT, offsetof(struct idx_meta, path) },
	{ "host", FIELD_TEXT, offsetof(struct idx_meta, host) },
	{ "uuid", FIELD_TEXT, offsetof(struct idx_meta, uuid) },
	{ "clock_uuid", FIELD_TEXT, offsetof(struct idx_meta, clock_uuid) },
	{ "clock_frequency", FIELD_INT64, offsetof(struct idx_meta, clock_frequency) },
	{ "clock_zero", FIELD_INT64, offsetof(struct idx_meta, clock_zero) },
	{ "domain", FIELD_TEXT, offsetof(struct idx_meta, domain) },
	{ "tracer", FIELD_TEXT, offsetof(struct idx_meta, tracer) },
	{ "release", FIELD_TEXT, offsetof(struct idx_meta, release) },
	{ "format", FIELD_TEXT, offsetof(struct idx_meta, format) },
	{ "reader", FIELD_TEXT, offsetof(struct idx_meta, reader) },
	{ "from", FIELD_INT64, offsetof(struct idx_meta, from) },
	{ "to", FIELD_INT64, offsetof(struct idx_meta, to) },
	{ "events", FIELD_INT64, offsetof(struct idx_meta, events) },
	{ "discarded", FIELD_INT64, offsetof(struct idx_meta, discarded) },
	{ "discarded_packets", FIELD_INT64, offsetof(struct idx_meta, discarded_packets) },
	{ "stepped_back", FIELD_INT64, offsetof(struct idx_meta, stepped_back) },
	{ "recorded", FIELD_INT64, offsetof(struct idx_meta, recorded) },
	{ "cpus", FIELD_UINT32, offsetof(struct idx_meta, n_cpus) },
	{ "built_in_ns", FIELD_INT64, offsetof(struct idx_meta, built_in_ns) },
};

#define FIELD(meta, i, type) ((type *)((char *)(meta) + fields[i].offset))
#define CONST_FIELD(meta, i, type) ((const type *)((const char *)(meta) + fields[i].offset))

static void chunk_clear(gpointer data)
{
	g_free(((struct idx_chunk *)data)->path);
}

struct idx_meta *idx_meta_new(void)
{
	struct idx_meta *meta = g_new0(struct idx_meta, 1);

	meta->cut_whole = INT64_MIN;
	meta->missing_events = g_ptr_array_new_with_free_func(g_free);
	meta->counters = g_ptr_array_new_with_free_func(g_free);
	meta->event_names = g_ptr_array_new_with_free_func(g_free);
	meta->warnings = g_ptr_array_new_with_free_func(g_free);
	meta->notes = g_ptr_array_new_with_free_func(g_free);
	meta->common = g_array_new(FALSE, FALSE, sizeof(struct idx_piece));
	meta->gaps = g_array_new(FALSE, FALSE, sizeof(struct idx_gap));
	meta->hides = g_array_new(FALSE, FALSE, sizeof(struct mdl_hides));
	meta->chunks = g_array_new(FALSE, FALSE, sizeof(struct idx_chunk));
	g_array_set_clear_func(meta->chunks, chunk_clear);
	return meta;
}

void idx_meta_free(struct idx_meta *meta)
{
	if (!meta)
		return;
	for (size_t i = 0; i < G_N_ELEMENTS(fields); i++)
		if (fields[i].type == FIELD_TEXT)
			g_free(*FIELD(meta, i, char *));
	g_free(meta->fingerprint);
	g_ptr_array_unref(meta->missing_events);
	g_ptr_array_unref(meta->counters);
	g_ptr_array_unref(meta->event_names);
	g_ptr_array_unref(meta->warnings);
	g_ptr_array_unref(meta->notes);
	g_array_unref(meta->gaps);
	g_array_unref(meta->common);
	g_array_unref(meta->hides);
	g_array_unref(meta->chunks);
	g_free(meta);
}

/* ---- as bytes: a dictionary in the serialised form of GVariant, little-endian, which is read in place ----
 */

/* Convert ALL from the byte order of this machine to that of the file, or back. Takes ownership of ALL. */
static GVariant *in_order(GVariant *all)
{
#if G_BYTE_ORDER == G_BIG_ENDIAN
	GVariant *swapped = g_variant_byteswap(all);

	g_variant_unref(all);
	return swapped;
#else
	return all;
#endif
}

static void put_texts(GVariantBuilder *b, const char *name, const GPtrArray *texts)
{
	g_variant_builder_add(b, "{sv}", name,
		g_variant_new_strv((const char *const *)texts->pdata, (gssize)texts->len));
}

/* (CPU, from, to, count) */
static void put_gaps(GVariantBuilder *b, const GArray *gaps)
{
	GVariantBuilder list;

	g_variant_builder_init(&list, G_VARIANT_TYPE("a(uxxt)"));
	for (guint i = 0; i < gaps->len; i++) {
		const struct idx_gap *g = &g_array_index(gaps, struct idx_gap, i);

		g_variant_builder_add(&list, "(uxxt)", g->cpu, g->from, g->to, g->count);
	}
	g_variant_builder_add(b, "{sv}", "gaps", g_variant_builder_end(&list));
}

/* (offset, size) */
static void put_common(GVariantBuilder *b, const GArray *common)
{
	GVariantBuilder list;

	g_variant_builder_init(&list, G_VARIANT_TYPE("a(tt)"));
	for (guint i = 0; i < common->len; i++) {
		const struct idx_piece *p = &g_array_index(common, struct idx_piece, i);

		g_variant_builder_add(&list, "(tt)", p->offset, p->size);
	}
	g_variant_builder_add(b, "{sv}", "common", g_variant_builder_end(&list));
}

/* (from, doubts) */
static void put_hides(GVariantBuilder *b, const GArray *hides)
{
	GVariantBuilder list;

	g_variant_builder_init(&list, G_VARIANT_TYPE("a(xu)"));
	for (guint i = 0; i < hides->len; i++) {
		const struct mdl_hides *h = &g_array_index(hides, struct mdl_hides, i);

		g_variant_builder_add(&list, "(xu)", h->from, h->doubts);
	}
	g_variant_builder_add(b, "{sv}", "hides", g_variant_builder_end(&list));
}

/* (path, from, to) */
static void put_chunks(GVariantBuilder *b, const GArray *chunks)
{
	GVariantBuilder list;

	g_variant_builder_init(&list, G_VARIANT_TYPE("a(sxx)"));
	for (guint i = 0; i < chunks->len; i++) {
		const struct idx_chunk *c = &g_array_index(chunks, struct idx_chunk, i);

		g_variant_builder_add(&list, "(sxx)", c->path, c->from, c->to);
	}
	g_variant_builder_add(b, "{sv}", "chunks", g_variant_builder_end(&list));
}

static GVariant *field_value(const struct idx_meta *meta, size_t i)
{
	switch (fields[i].type) {
	case FIELD_INT64: return g_variant_new_int64(*CONST_FIELD(meta, i, int64_t));
	case FIELD_UINT32: return g_variant_new_uint32(*CONST_FIELD(meta, i, uint32_t));
	default: return g_variant_new_string(*CONST_FIELD(meta, i, char *const));
	}
}

GBytes *idx_meta_to_bytes(const struct idx_meta *meta)
{
	GVariantBuilder b;
	g_autoptr(GVariant) all = NULL;

	g_variant_builder_init(&b, G_VARIANT_TYPE_VARDICT);
	for (size_t i = 0; i < G_N_ELEMENTS(fields); i++)
		g_variant_builder_add(&b, "{sv}", fields[i].name, field_value(meta, i));
	if (meta->cut_whole != INT64_MIN)
		g_variant_builder_add(&b, "{sv}", "cut_whole", g_variant_new_int64(meta->cut_whole));
	if (meta->common->len > 0)
		put_common(&b, meta->common);
	if (meta->counters->len > 0)
		put_texts(&b, "counters", meta->counters);
	put_texts(&b, "missing_events", meta->missing_events);
	put_texts(&b, "event_names", meta->event_names);
	put_texts(&b, "warnings", meta->warnings);
	put_texts(&b, "notes", meta->notes);
	put_gaps(&b, meta->gaps);
	put_hides(&b, meta->hides);
	put_chunks(&b, meta->chunks);
	all = in_order(g_variant_ref_sink(g_variant_builder_end(&b)));
	return g_variant_get_data_as_bytes(all);
}

static bool get_field(GVariant *all, struct idx_meta *meta, size_t i)
{
	switch (fields[i].type) {
	case FIELD_TEXT: return g_variant_lookup(all, fields[i].name, "s", FIELD(meta, i, char *));
	case FIELD_INT64: return g_variant_lookup(all, fields[i].name, "x", FIELD(meta, i, int64_t));
	default: return g_variant_lookup(all, fields[i].name, "u", FIELD(meta, i, uint32_t));
	}
}

static bool get_texts(GVariant *all, const char *name, GPtrArray *texts)
{
	GVariantIter *list;
	char *text;

	if (!g_variant_lookup(all, name, "as", &list))
		return false;
	while (g_variant_iter_next(list, "s", &text))
		g_ptr_array_add(texts, text);
	g_variant_iter_free(list);
	return true;
}

static bool get_gaps(GVariant *all, GArray *gaps)
{
	GVariantIter *list;
	struct idx_gap g;

	if (!g_variant_lookup(all, "gaps", "a(uxxt)", &list))
		return false;
	while (g_variant_iter_next(list, "(uxxt)", &g.cpu, &g.from, &g.to, &g.count))
		g_array_append_val(gaps, g);
	g_variant_iter_free(list);
	return true;
}

/* Most traces have none. False if the pieces are not ascending. */
static bool get_common(GVariant *all, GArray *common)
{
	GVariantIter *list;
	struct idx_piece p;
	uint64_t end = 0;
	bool fine = true;

	if (!g_variant_lookup(all, "common", "a(tt)", &list))
		return true;
	while (g_variant_iter_next(list, "(tt)", &p.offset, &p.size)) {
		fine &= p.offset >= end && p.size <= UINT64_MAX - p.offset;
		end = p.offset + p.size;
		g_array_append_val(common, p);
	}
	g_variant_iter_free(list);
	return fine;
}

static bool get_hides(GVariant *all, GArray *hides)
{
	GVariantIter *list;
	struct mdl_hides h;

	if (!g_variant_lookup(all, "hides", "a(xu)", &list))
		return false;
	while (g_variant_iter_next(list, "(xu)", &h.from, &h.doubts))
		g_array_append_val(hides, h);
	g_variant_iter_free(list);
	for (guint i = 1; i < hides->len; i++)
		if (g_array_index(hides, struct mdl_hides, i - 1).from >
			g_array_index(hides, struct mdl_hides, i).from)
			return false;
	return hides->len > 0;
}

static bool get_chunks(GVariant *all, GArray *chunks)
{
	GVariantIter *list;
	struct idx_chunk c;

	if (!g_variant_lookup(all, "chunks", "a(sxx)", &list))
		return false;
	while (g_variant_iter_next(list, "(sxx)", &c.path, &c.from, &c.to))
		g_array_append_val(chunks, c);
	g_variant_iter_free(list);
	return true;
}

static bool get_all(GVariant *all, struct idx_meta *meta)
{
	for (size_t i = 0; i < G_N_ELEMENTS(fields); i++)
		if (!get_field(all, meta, i))
			return false;
	get_texts(all, "counters", meta->counters);
	g_variant_lookup(all, "cut_whole", "x", &meta->cut_whole); /* most traces have none */
	return meta->counters->len <= MDL_COUNTERS &&
		get_texts(all, "missing_events", meta->missing_events) &&
		get_texts(all, "event_names", meta->event_names) && meta->event_names->len % 2 == 0 &&
		get_texts(all, "warnings", meta->warnings) && get_texts(all, "notes", meta->notes) &&
		get_common(all, meta->common) && get_gaps(all, meta->gaps) && get_hides(all, meta->hides) &&
		get_chunks(all, meta->chunks);
}

/* Read SIZE bytes. NULL if they are not META. */
static struct idx_meta *from_bytes(const uint8_t *data, uint64_t size)
{
	struct idx_meta *meta = idx_meta_new();
	g_autoptr(GVariant) all = in_order(g_variant_ref_sink(
		g_variant_new_from_data(G_VARIANT_TYPE_VARDICT, data, size, FALSE, NULL, NULL)));

	if (!g_variant_is_normal_form(all) || !get_all(all, meta))
		g_clear_pointer(&meta, idx_meta_free);
	return meta;
}

struct idx_meta *idx_meta_load(const struct idx_map *m, GError **error)
{
	uint64_t size;
	const uint8_t *data = idx_map_chunk(m, "META", &size, error);
	struct idx_meta *meta;

	if (!data)
		return NULL;
	meta = from_bytes(data, size);
	if (!meta || meta->from > meta->to) {
		idx_map_bad_chunk(m, "META", error);
		idx_meta_free(meta);
		return NULL;
	}
	meta->fingerprint = idx_map_fingerprint(m);
	return meta;
}
