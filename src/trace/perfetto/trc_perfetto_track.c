/* SPDX-License-Identifier: MIT */
/*
 * How it works: names in track events. A name appears once with a number (interned_data), which then stands
 * for it in its sequence until that clears its state. After that the number may mean another name. Tracks are
 * valid for all sequences.
 */
#include "trace/perfetto/trc_perfetto_track.h"

#include <string.h>

#define NAME_COST 128  /* bytes of memory of a name or track, beside its text */
#define TEXT_MOST 1024 /* bytes of a name */
#define TOO_MANY "it tells of more names than its size has room for"

struct key {
	uint64_t number;
	uint32_t sequence, kind;
};

struct name {
	struct key key;
	const char *text;     /* weak, of the pool */
	struct name *older;   /* owned: its meaning in earlier generations; NULL: none */
	uint32_t first, last; /* generations */
};

struct trc_perfetto_names {
	GHashTable *names;  /* struct key, in its struct name *, owned */
	GHashTable *tracks; /* uuid, in its struct trc_perfetto_track *, owned */
	GStringChunk *pool;
	struct trc_budget *budget; /* weak */
};

static guint key_hash(gconstpointer data)
{
	const struct key *k = data;
	uint64_t all = k->number * UINT64_C(0x9e3779b97f4a7c15) ^ ((uint64_t)k->sequence << 32 | k->kind);

	return (guint)(all ^ all >> 32);
}

static gboolean key_equal(gconstpointer a, gconstpointer b)
{
	const struct key *x = a, *y = b;

	return x->number == y->number && x->sequence == y->sequence && x->kind == y->kind;
}

static void name_free(void *data)
{
	struct name *n = data;

	while (n) {
		struct name *older = n->older;

		g_free(n);
		n = older;
	}
}

struct trc_perfetto_names *trc_perfetto_names_new(struct trc_budget *budget)
{
	struct trc_perfetto_names *names = g_new0(struct trc_perfetto_names, 1);

	names->names = g_hash_table_new_full(key_hash, key_equal, NULL, name_free);
	names->tracks = g_hash_table_new_full(g_int64_hash, g_int64_equal, NULL, g_free);
	names->pool = g_string_chunk_new(4096);
	names->budget = budget;
	return names;
}

void trc_perfetto_names_free(struct trc_perfetto_names *names)
{
	if (!names)
		return;
	g_hash_table_unref(names->names);
	g_hash_table_unref(names->tracks);
	g_string_chunk_free(names->pool);
	g_free(names);
}

/* ---- reading packets ---- */

/* Return the text of F, stored once; NULL: it is none. */
static const char *keep_text(struct trc_perfetto_names *names, const struct trc_wire_field *f)
{
	size_t size = f->type == TRC_WIRE_BYTES ? MIN(trc_wire_size(&f->bytes), TEXT_MOST) : 0;
	g_autofree char *text = size > 0 ? g_strndup((const char *)f->bytes.at, size) : NULL;

	return text && trc_budget_spend(names->budget, strlen(text) + 1, TOO_MANY)
		? g_string_chunk_insert_const(names->pool, text)
		: NULL;
}

/* Read a name in InternedData: iid 1, name 2 (EventCategory, EventName, DebugAnnotationName,
 * InternedString). */
static void take_name(struct trc_perfetto_names *names, struct trc_wire w, struct key key,
	uint32_t generation)
{
	const char *text = NULL;
	struct trc_wire_field f;
	struct name *n, *before;

	while (trc_wire_next(&w, &f))
		if (f.number == 1 && f.type == TRC_WIRE_NUMBER)
			key.number = f.value;
		else if (f.number == 2)
			text = keep_text(names, &f);
	before = g_hash_table_lookup(names->names, &key);
	if (before && before->text == text &&
		generation - before->last <= 1) { /* equal texts have one address */
		before->last = generation;
		return;
	}
	if (key.number == 0 || !text || !trc_budget_spend(names->budget, NAME_COST, TOO_MANY))
		return;
	n = g_new0(struct name, 1);
	n->key = key;
	n->text = text;
	n->first = n->last = generation;
	if (before) {
		g_hash_table_steal(names->names, &key);
		n->older = before;
	}
	g_hash_table_insert(names->names, &n->key, n);
}

static void take_interned(struct trc_perfetto_names *names, const struct trc_perfetto_packet *p,
	uint32_t generation)
{
	struct trc_wire w = p->interned;
	struct trc_wire_field f;

	while (trc_wire_next(&w, &f))
		switch (f.number) {
		case TRC_PERFETTO_NAME_CATEGORY:
		case TRC_PERFETTO_NAME_EVENT:
		case TRC_PERFETTO_NAME_NOTE:
		case TRC_PERFETTO_NAME_TEXT:
		case TRC_PERFETTO_NAME_RELATED:
			if (f.type == TRC_WIRE_BYTES)
				take_name(names, f.bytes,
					(struct key){ .sequence = p->sequence, .kind = f.number },
					generation);
			break;
		default: break;
		}
}

/* Read ProcessDescriptor: pid 1, process_name 6. */
static void take_process(struct trc_perfetto_names *names, struct trc_perfetto_track *t, struct trc_wire w)
{
	struct trc_wire_field f;

	while (trc_wire_next(&w, &f))
		if (f.number == 1 && f.type == TRC_WIRE_NUMBER)
			t->pid = (int32_t)f.value;
		else if (f.number == 6)
			t->process = keep_text(names, &f);
}

/* Read ThreadDescriptor: pid 1, tid 2, thread_name 5. */
static void take_thread(struct trc_perfetto_names *names, struct trc_perfetto_track *t, struct trc_wire w)
{
	struct trc_wire_field f;

	while (trc_wire_next(&w, &f))
		if (f.number == 1 && f.type == TRC_WIRE_NUMBER)
			t->pid = (int32_t)f.value;
		else if (f.number == 2 && f.type == TRC_WIRE_NUMBER)
			t->tid = (int32_t)f.value;
		else if (f.number == 5)
			t->thread = keep_text(names, &f);
}

/* Read CounterDescriptor: type 1, unit 3, unit_multiplier 4, is_incremental 5, unit_name 6. */
static void take_counter(struct trc_perfetto_names *names, struct trc_perfetto_track *t, struct trc_wire w)
{
	static const char *const units[] = { NULL, "ns", NULL, "bytes" };
	struct trc_wire_field f;

	while (trc_wire_next(&w, &f)) {
		if (f.number == 6)
			t->unit = keep_text(names, &f);
		if (f.type != TRC_WIRE_NUMBER)
			continue;
		switch (f.number) {
		case 1:
			if (f.value == 1 || f.value == 2) {
				t->name = t->name      ? t->name
					: f.value == 1 ? "thread_time"
						       : "thread_instruction_count";
				t->unit = f.value == 1 ? "ns" : t->unit;
			}
			break;
		case 3: t->unit = f.value < G_N_ELEMENTS(units) ? units[f.value] : NULL; break;
		case 4: t->multiplier = (int64_t)f.value; break;
		case 5: t->is_counted = f.value != 0; break;
		default: break;
		}
	}
}

/* Read TrackDescriptor: uuid 1, name 2, process 3, thread 4, parent_uuid 5, counter 8, static_name 10,
 * atrace_name 13. */
static void take_track(struct trc_perfetto_names *names, struct trc_wire w)
{
	struct trc_perfetto_track *t = g_new0(struct trc_perfetto_track, 1);
	struct trc_wire_field f;

	*t = (struct trc_perfetto_track){ .pid = -1, .tid = -1, .multiplier = 1 };
	while (trc_wire_next(&w, &f))
		switch (f.number) {
		case 1: t->uuid = f.value; break;
		case 5: t->parent = f.value; break;
		case 2:
		case 10:
		case 13: t->name = keep_text(names, &f); break;
		case 3:
			if (f.type == TRC_WIRE_BYTES)
				take_process(names, t, f.bytes);
			break;
		case 4:
			if (f.type == TRC_WIRE_BYTES)
				take_thread(names, t, f.bytes);
			break;
		case 8:
			if (f.type == TRC_WIRE_BYTES)
				take_counter(names, t, f.bytes);
			break;
		default: break;
		}
	/* It is repeated many times. */
	if (g_hash_table_contains(names->tracks, &t->uuid) ||
		trc_budget_spend(names->budget, NAME_COST, TOO_MANY))
		g_hash_table_replace(names->tracks, &t->uuid, t);
	else
		g_free(t);
}

void trc_perfetto_names_take(struct trc_perfetto_names *names, const struct trc_perfetto_packet *p,
	uint32_t generation)
{
	if (p->interned.at)
		take_interned(names, p, generation);
	if (p->kind == TRC_PERFETTO_DESCRIPTOR)
		take_track(names, p->body);
}

const char *trc_perfetto_names_text(const struct trc_perfetto_names *names, uint32_t sequence,
	enum trc_perfetto_name kind, uint64_t number, uint32_t generation)
{
	const struct key key = { number, sequence, kind };
	const struct name *n = g_hash_table_lookup(names->names, &key);

	while (n && n->first > generation)
		n = n->older;
	return n && n->last >= generation ? n->text : NULL;
}

const struct trc_perfetto_track *trc_perfetto_names_track(const struct trc_perfetto_names *names,
	uint64_t uuid)
{
	return g_hash_table_lookup(names->tracks, &uuid);
}
