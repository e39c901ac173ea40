/* SPDX-License-Identifier: MIT */
/*
 * How it works: reads any event of a Perfetto trace with all fields. A page is the part of one CPU in a block
 * of the file. When the trace opens only the clock is read. Descriptions of events are read when an event
 * first needs one that is in another block.
 *
 * Track events depend on earlier packets (trc_perfetto_programs.c).
 */
#include "trace/perfetto/trc_perfetto_track.h"

#include "base/base_error.h"
#include "base/base_search.h"

/* Name of an event without a description. */
#define UNDESCRIBED "perfetto:event"

/* A trace whose blocks are read in any order. */
struct paging {
	struct trc_perfetto_file *file;         /* owned */
	struct trc_perfetto_classes *classes;   /* owned */
	struct trc_perfetto_facts facts;        /* only the clock is used */
	bool has_all;                           /* CLASSES has all descriptions */
	struct trc_perfetto_programs *programs; /* owned; NULL: not needed yet */
};

struct page_event {
	int64_t time;                           /* ns */
	const struct trc_perfetto_class *class; /* weak; NULL: nothing describes it */
	struct trc_perfetto_event event;
};

struct page {
	struct trc_perfetto_block *block; /* owned */
	GArray *events;                   /* of struct page_event, owned … */
	GArray *marks; /* … or of struct trc_perfetto_mark, owned; NULL: the events have a CPU */
	bool is_packed;
	uint32_t cpu;
};

static void paging_free(void *data)
{
	struct paging *p = data;

	trc_perfetto_programs_free(p->programs);
	trc_perfetto_facts_clear(&p->facts);
	trc_perfetto_classes_free(p->classes);
	trc_perfetto_file_free(p->file);
	g_free(p);
}

/* Renew the budget for unpacked packets. The survey has shown that it is enough. */
static void paging_has_room(struct paging *p)
{
	p->file->unpack = trc_budget_of_records(trc_budget_of(p->file->size), p->file->size);
}

/* Read blocks from the first on until the clock is known; ALL: read all of them, for descriptions. */
static void paging_look(struct paging *p, bool all)
{
	struct trc_perfetto_block *b = trc_perfetto_block_new();
	uint64_t at = 0;
	bool cut = false;

	paging_has_room(p);
	for (guint n = 0; !cut && (all || !trc_perfetto_zero_is_settled(&p->facts.zero, n)) &&
		trc_perfetto_block_read(b, p->file, at, p->file->size) && b->size > 0;
		n++) {
		cut = b->cut;
		at += b->size;
		for (guint i = 0; i < b->packets->len; i++) {
			const struct trc_perfetto_packet *packet = &g_array_index(b->packets,
				struct trc_perfetto_packet, i);

			if (all && packet->kind == TRC_PERFETTO_FTRACE)
				trc_perfetto_classes_describe(p->classes, packet->body);
			else if (!all && packet->kind == TRC_PERFETTO_CLOCKS && packet->machine == 0)
				trc_perfetto_facts_take(&p->facts, packet, n);
		}
	}
	trc_perfetto_block_unref(b);
}

static void *paging_open(char *const *folders, G_GNUC_UNUSED bool all, GError **error)
{
	struct trc_perfetto_file *f = trc_perfetto_file_open(folders[0], error);
	struct paging *p = f ? g_new0(struct paging, 1) : NULL;

	if (!p)
		return NULL;
	p->file = f;
	p->classes = trc_perfetto_classes_new(&f->budget);
	trc_perfetto_facts_init(&p->facts, &f->budget);
	paging_look(p, false);
	if (!f->problem)
		return p;
	g_propagate_error(error, g_error_copy(f->problem));
	paging_free(p);
	return NULL;
}

static void page_free(void *data)
{
	struct page *p = data;

	trc_perfetto_block_unref(p->block);
	g_array_unref(p->events);
	g_clear_pointer(&p->marks, g_array_unref);
	g_free(p);
}

/* Set OF to the stream NAME: "cpu0", "cpu0.7", "program7". *ANY: of any sequence. False: no such stream. */
static bool stream_called(const char *name, struct trc_perfetto_stream *of, bool *any)
{
	guint64 cpu, sequence = 0;
	g_auto(GStrv) parts = g_str_has_prefix(name, "cpu") ? g_strsplit(name + 3, ".", 2) : NULL;

	if (g_str_has_prefix(name, "program")) {
		of->is_marks = g_ascii_string_to_unsigned(name + strlen("program"), 10, 0, UINT32_MAX,
			&sequence, NULL);
		of->sequence = (uint32_t)sequence;
		return of->is_marks;
	}
	if (!parts || !parts[0] || !g_ascii_string_to_unsigned(parts[0], 10, 0, TRC_CPUS_MAX, &cpu, NULL) ||
		(parts[1] && !g_ascii_string_to_unsigned(parts[1], 10, 0, UINT32_MAX, &sequence, NULL)))
		return false;
	*any = !parts[1];
	of->cpu = (uint32_t)cpu;
	of->sequence = (uint32_t)sequence;
	return true;
}

/* Add the events of BUNDLE, at LATEST or later. */
static void page_add(struct paging *p, struct page *page, const struct trc_perfetto_bundle *bundle,
	int64_t *latest)
{
	struct trc_perfetto_walk walk;
	struct page_event e;

	trc_perfetto_walk_init(&walk);
	trc_perfetto_walk_begin(&walk, bundle);
	while (trc_perfetto_walk_next(&walk, &e.event)) {
		e.class = trc_perfetto_class_for(p->classes, &e.event);
		if (!e.class && !p->has_all) {
			p->has_all = true;
			paging_look(p, true);
			e.class = trc_perfetto_class_for(p->classes, &e.event);
		}
		e.time = MAX(*latest, trc_perfetto_time(&p->facts.zero, e.event.time));
		*latest = e.time;
		g_array_append_val(page->events, e);
	}
	trc_perfetto_walk_clear(&walk);
}

/* Add the events of the sequence OF that the index counts to PAGE: all from the first to the last. */
static void page_add_marks(struct paging *p, struct page *page, const struct trc_perfetto_stream *of,
	const struct trc_paging_packet *packet)
{
	guint from = 0, to;

	page->marks = g_array_new(FALSE, FALSE, sizeof(struct trc_perfetto_mark));
	/* If there are none, the caller reports that the file has changed. */
	trc_perfetto_programs_read(p->programs, page->marks, &p->facts.zero, page->block, of->sequence,
		packet->before == 0 ? INT64_MIN : packet->latest);
	to = page->marks->len;
	while (from < to && g_array_index(page->marks, struct trc_perfetto_mark, from).time < packet->first)
		from++;
	while (to > from && g_array_index(page->marks, struct trc_perfetto_mark, to - 1).time > packet->last)
		to--;
	g_array_set_size(page->marks, to);
	if (from > 0)
		g_array_remove_range(page->marks, 0, from);
}

static void *page_read(void *trace, struct trc_paging_packet *packet, GError **error)
{
	struct paging *p = trace;
	struct page *page = g_new0(struct page, 1);
	struct trc_perfetto_stream of = { 0 };
	int64_t latest = packet->latest;
	bool any = false, known_name = stream_called(packet->stream, &of, &any);

	page->block = trc_perfetto_block_new();
	page->events = g_array_new(FALSE, FALSE, sizeof(struct page_event));
	page->cpu = of.cpu;
	paging_has_room(p);
	if (of.is_marks && !p->programs) {
		p->programs = trc_perfetto_programs_new(p->file);
		paging_has_room(p);
	}
	if (known_name && !p->file->problem)
		trc_perfetto_block_read(page->block, p->file, packet->offset, packet->offset + packet->size);
	if (p->file->problem) {
		g_propagate_error(error, g_steal_pointer(&p->file->problem));
		page_free(page);
		return NULL;
	}
	if (of.is_marks) {
		page_add_marks(p, page, &of, packet);
		if (p->file->problem) {
			g_propagate_error(error, g_steal_pointer(&p->file->problem));
			page_free(page);
			return NULL;
		}
		packet->events = page->marks->len;
		return page;
	}
	for (guint i = 0; i < page->block->packets->len; i++) {
		const struct trc_perfetto_packet *at = &g_array_index(page->block->packets,
			struct trc_perfetto_packet, i);
		struct trc_perfetto_bundle bundle;

		if (at->cpu != of.cpu || (!any && at->sequence != of.sequence) ||
			!trc_perfetto_bundle_read(&bundle, at->body))
			continue;
		page->is_packed |= at->is_packed;
		page_add(p, page, &bundle, &latest);
	}
	packet->events = page->events->len;
	return page;
}

static const struct page_event *page_at(const struct page *page, uint64_t i)
{
	return &g_array_index(page->events, struct page_event, i);
}

static const struct trc_perfetto_mark *mark_at(const struct page *page, uint64_t i)
{
	return &g_array_index(page->marks, struct trc_perfetto_mark, i);
}

static const struct trc_perfetto_packet *packet_of(const struct page *page,
	const struct trc_perfetto_mark *mark)
{
	return &g_array_index(page->block->packets, struct trc_perfetto_packet, mark->packet);
}

static void get_mark(const struct page *page, uint64_t i, struct trc_paging_event *event)
{
	const struct trc_perfetto_mark *mark = mark_at(page, i);
	const struct trc_perfetto_packet *packet = packet_of(page, mark);

	*event = (struct trc_paging_event){ .time = mark->time,
		.cpu = MDL_NONE,
		.offset = packet->is_packed ? -1 : (int64_t)(packet->offset - page->block->offset),
		.name = trc_perfetto_act_name(trc_perfetto_act_of(packet->body)) };
}

static bool page_get(G_GNUC_UNUSED void *trace, void *data, uint64_t i, struct trc_paging_event *event,
	G_GNUC_UNUSED GError **error)
{
	const struct page *page = data;
	const struct page_event *e;

	if (page->marks) {
		get_mark(page, i, event);
		return true;
	}
	e = page_at(page, i);
	*event = (struct trc_paging_event){ .time = e->time,
		.cpu = page->cpu,
		.offset = page->is_packed ? -1 : e->event.place - page->block->bytes,
		.name = e->class ? trc_perfetto_class_name(e->class) : UNDESCRIBED };
	return true;
}

static bool page_find(G_GNUC_UNUSED void *trace, void *data, int64_t time, uint64_t *found,
	G_GNUC_UNUSED GError **error)
{
	const struct page *page = data;
	const GArray *events = page->events;

	if (page->marks) {
		*found = page->marks->len == 0 ? 0
					       : base_search_below(&mark_at(page, 0)->time, page->marks->len,
							 sizeof(struct trc_perfetto_mark), time);
		return true;
	}
	*found = events->len == 0
		? 0
		: base_search_below(&page_at(data, 0)->time, events->len, sizeof(struct page_event), time);
	return true;
}

static void append_compact(const struct trc_perfetto_event *e, GString *to, const struct trc_taker *taker)
{
	bool is_switch = e->number == TRC_PERFETTO_SWITCH;
	const struct {
		const char *name;
		int64_t number;
	} numbers[] = { { "prev_state", e->state }, { is_switch ? "next_pid" : "pid", e->thread },
		{ is_switch ? "next_prio" : "prio", e->priority }, { "target_cpu", e->target } };

	if (e->comm.at)
		trc_perfetto_text_bytes(to, is_switch ? "next_comm" : "comm", &e->comm, taker);
	for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++)
		if (numbers[i].number != INT64_MIN)
			trc_perfetto_text_number(to, numbers[i].name, 'i', (uint64_t)numbers[i].number,
				taker);
}

static bool page_fields(void *trace, void *data, uint64_t i, GString *to, const struct trc_taker *taker,
	G_GNUC_UNUSED GError **error)
{
	const struct paging *p = trace;
	const struct page *page = data;
	const struct page_event *e;

	if (page->marks) {
		const struct trc_perfetto_mark *mark = mark_at(page, i);

		g_string_append(to, "{ ");
		trc_perfetto_mark_fields(trc_perfetto_programs_names(p->programs), mark,
			packet_of(page, mark), to, taker);
		g_string_append(to, " }");
		return true;
	}
	e = page_at(page, i);
	if (e->event.flags >= 0 || e->event.tid >= 0) {
		g_string_append(to, "{ ");
		if (e->event.flags >= 0)
			trc_perfetto_text_number(to, "common_flags", 'u', (uint64_t)e->event.flags, taker);
		if (e->event.tid >= 0)
			trc_perfetto_text_number(to, "common_pid", 'i', (uint64_t)e->event.tid, taker);
		g_string_append(to, " }, ");
	}
	g_string_append(to, "{ ");
	if (e->event.compact)
		append_compact(&e->event, to, taker);
	else if (e->class)
		trc_perfetto_class_fields(e->class, e->event.payload, to, taker);
	g_string_append(to, " }");
	return true;
}

const struct trc_paging_ops trc_perfetto_paging = {
	.open = paging_open,
	.free = paging_free,
	.read = page_read,
	.free_page = page_free,
	.event = page_get,
	.find = page_find,
	.fields = page_fields,
};
