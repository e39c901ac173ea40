/* SPDX-License-Identifier: MIT */
/*
 * How it works: the reader of text. Each CPU is a stream; a block of the file that has events of the CPU is a
 * packet. Events at one time are ordered by their place in the file, because the text has times cut to µs,
 * and the program that printed it sorted by full times.
 */
#include "trace/text/trc_text.h"

#include "base/base_time.h"
#include "trace/tracefs/trc_format.h"
#include "trace/tracefs/trc_running.h"

#include <string.h>

#define LISTS 8          /* blocks kept for CPUs that reach them later */
#define STACK_MAX 1024   /* calls */
#define STACK_WITHIN 512 /* events */

typedef struct trc_text_part part;

/* ---- reading the whole text ---- */

struct stream {
	const struct trc_text_cpu *of;      /* weak */
	guint next;                         /* number of the next block */
	struct trc_text_list *list;         /* owned: the current block; NULL: none */
	const struct trc_text_entry *entry; /* weak: the next event of it */
	struct trc_running running;
};

struct reading {
	struct trc_text_survey *survey;     /* weak */
	GPtrArray *streams;                 /* of struct stream *, owned */
	struct trc_text_list *lists[LISTS]; /* owned: the last used ones, the latest first; NULL: none */
	guint untold;                       /* CPUs known to be not recorded, without a mark so far */
};

static void text_stream_free(void *data)
{
	struct stream *s = data;

	trc_text_list_unref(s->list);
	g_free(s);
}

static void *text_open(void *survey, const GPtrArray *streams, G_GNUC_UNUSED GPtrArray *rest,
	struct trc_info *info, GPtrArray *queues, G_GNUC_UNUSED GError **error)
{
	struct reading *r = g_new0(struct reading, 1);

	(void)streams; /* it reads all streams */
	r->survey = survey;
	r->streams = g_ptr_array_new_with_free_func(text_stream_free);
	r->untold = r->survey->absent->len;
	for (guint i = 0; i < r->survey->cpus->len; i++) {
		const struct trc_text_cpu *c = g_ptr_array_index(r->survey->cpus, i);
		g_autofree char *name = g_strdup_printf("cpu%" G_GUINT32_FORMAT, c->cpu);
		struct stream *s = g_new0(struct stream, 1);
		struct trc_queue *q = trc_queue_new(name, info);

		s->of = c;
		s->running = (struct trc_running)TRC_RUNNING_UNKNOWN;
		q->stream = s;
		q->ranked = true;
		g_ptr_array_add(r->streams, s);
		g_ptr_array_add(queues, q);
	}
	return r;
}

static void text_free(void *source)
{
	struct reading *r = source;

	g_ptr_array_unref(r->streams);
	for (unsigned i = 0; i < LISTS; i++)
		trc_text_list_unref(r->lists[i]);
	g_free(r);
}

/* Return the list of block B; the caller unrefs. */
static struct trc_text_list *list_of(struct reading *r, const struct trc_text_block *b)
{
	struct trc_text_list *list;
	unsigned i = 0;

	while (i < LISTS - 1 && (!r->lists[i] || r->lists[i]->offset != b->offset))
		i++;
	list = r->lists[i];
	if (!list || list->offset != b->offset) {
		trc_text_list_unref(list);
		list = trc_text_list_new(&r->survey->file, r->survey->ways.context, b->offset, b->size);
	}
	memmove(r->lists + 1, r->lists, i * sizeof r->lists[0]);
	r->lists[0] = list;
	list->users++;
	return list;
}

/* Mark that COUNT events (0: unknown) of the stream were lost before the one at TIME. */
static void tell_lost(const struct reading *r, struct trc_queue *q, struct stream *s, int64_t time,
	uint64_t count)
{
	/* No mark goes before the first event of all CPUs. */
	int64_t first = MIN(r->survey->first + 1, time);

	trc_queue_lost_inside(q, q->last == BASE_TIME_NONE ? first : q->last, time, count);
	trc_running_forget(&s->running);
}

static void add_entry(struct reading *r, struct trc_queue *q, struct stream *s,
	const struct trc_text_entry *e)
{
	const struct trc_text_class *class = trc_text_classes_get(r->survey->classes, &e->line);
	enum mdl_kind kind = class ? trc_text_class_kind(class) : MDL_EV_NONE;
	int64_t time = e->line.time, tid = e->line.tid;
	struct mdl_event *to;

	if (q->last != BASE_TIME_NONE && time < q->last) { /* within a CPU the order of the lines counts */
		time = q->last;
		q->info->stepped_back++;
	}
	if (e->lost)
		tell_lost(r, q, s, time, e->line.lost);
	if (tid >= 0 && class && !trc_text_class_is_part(class)) {
		/* perf enables events one by one: before a CPU's first switch there may be others. */
		if (r->survey->ways.tool == TRC_TEXT_PERF && !s->running.switched)
			trc_running_forget(&s->running);
		trc_running_before(&s->running, q, kind, tid, time, r->survey->first);
	}
	to = trc_queue_add(q, time);
	to->cpu = s->of->cpu;
	to->rank = s->list->offset + e->offset + 1;
	if (class) {
		trc_text_class_read(class, &r->survey->ways, q, to, &e->line);
		trc_running_note(&s->running, to);
	}
	for (; time == r->survey->first && r->untold > 0; r->untold--)
		trc_queue_unknown_from(q, g_array_index(r->survey->absent, uint32_t, r->untold - 1), time);
}

/* Continue with the next block. False at the end. */
static bool next_block(struct reading *r, struct trc_queue *q, struct stream *s)
{
	const struct trc_text_block *b;

	if (s->list)
		trc_queue_packet_end(q);
	g_clear_pointer(&s->list, trc_text_list_unref);
	if (s->next == s->of->blocks->len) {
		trc_running_end(&s->running, q);
		if (s->of->lost_rest)
			trc_queue_lost_rest(q, s->of->rest);
		trc_queue_end(q);
		return false;
	}
	b = &g_array_index(s->of->blocks, struct trc_text_block, s->next);
	s->next++;
	s->list = list_of(r, b);
	s->entry = trc_text_list_first(s->list, s->of->cpu);
	trc_queue_packet_begin(q, s->of->cpu, BASE_TIME_NONE);
	trc_queue_packet_place(q, b->offset, b->size);
	if (b->lost && s->entry)
		tell_lost(r, q, s, s->entry->line.time, b->count);
	return true;
}

static void text_fill(void *source, struct trc_queue *q)
{
	struct reading *r = source;
	struct stream *s = q->stream;

	while (trc_queue_has_room(q, 5 + r->untold)) {
		if (s->entry) {
			add_entry(r, q, s, s->entry);
			s->entry = trc_text_list_next(s->list, s->entry);
		} else if (q->count > 0 || !next_block(r, q, s)) {
			return;
		}
	}
}

/* ---- events of a block again ---- */

struct paged {
	struct trc_text_file file;
	struct trc_budget budget;
	struct trc_text_classes *classes; /* owned */
};

struct page {
	struct trc_text_list *list; /* owned */
	uint64_t size;              /* bytes of the block */
	GPtrArray *entries;         /* of struct trc_text_entry *, weak */
	GArray *times;              /* of int64_t: ns of each, as the reader of the whole text sets it */
	uint32_t cpu;
};

static void paged_free(void *trace)
{
	struct paged *t = trace;

	trc_text_file_close(&t->file);
	trc_text_classes_free(t->classes);
	g_free(t);
}

static void *paged_open(char *const *folders, G_GNUC_UNUSED bool all, GError **error)
{
	struct paged *t = g_new0(struct paged, 1);

	if (!trc_text_file_open(&t->file, folders[0], error)) {
		g_free(t);
		return NULL;
	}
	t->budget = trc_budget_of(t->file.text.n);
	t->classes = trc_text_classes_new(&t->budget);
	return t;
}

static void text_free_page(void *data)
{
	struct page *p = data;

	trc_text_list_unref(p->list);
	g_ptr_array_unref(p->entries);
	g_array_unref(p->times);
	g_free(p);
}

static void *text_read_page(void *trace, struct trc_paging_packet *packet, G_GNUC_UNUSED GError **error)
{
	struct paged *t = trace;
	struct page *p = g_new(struct page, 1);
	const struct trc_text_entry *e = NULL;
	int64_t latest = packet->latest;
	guint64 cpu = TRC_CPUS_MAX;

	*p = (struct page){ .list = trc_text_list_new(&t->file, TRC_TEXT_CONTEXT, packet->offset,
				    packet->size),
		.size = packet->size,
		.entries = g_ptr_array_new(),
		.times = g_array_new(FALSE, FALSE, sizeof(int64_t)) };
	if (g_str_has_prefix(packet->stream, "cpu") &&
		g_ascii_string_to_unsigned(packet->stream + 3, 10, 0, TRC_CPUS_MAX, &cpu, NULL))
		e = trc_text_list_first(p->list, (uint32_t)cpu);
	p->cpu = (uint32_t)cpu;
	for (; e; e = trc_text_list_next(p->list, e)) {
		latest = MAX(latest, e->line.time);
		g_ptr_array_add(p->entries, (gpointer)(uintptr_t)e);
		g_array_append_val(p->times, latest);
	}
	packet->events = p->entries->len;
	return p;
}

static const struct trc_text_entry *entry_at(const struct page *p, uint64_t i)
{
	return g_ptr_array_index(p->entries, i);
}

static const struct trc_text_class *text_class_of(struct paged *t, const struct trc_text_entry *e)
{
	return trc_text_classes_get(t->classes, &e->line);
}

static bool text_get_event(void *trace, void *page, uint64_t i, struct trc_paging_event *event,
	G_GNUC_UNUSED GError **error)
{
	const struct page *p = page;
	const struct trc_text_entry *e = entry_at(p, i);
	const struct trc_text_class *class = text_class_of(trace, e);

	*event = (struct trc_paging_event){ .time = g_array_index(p->times, int64_t, i),
		.cpu = p->cpu,
		.offset = e->offset,
		.name = class ? trc_text_class_name(class) : "unknown" };
	return true;
}

/* ---- call stacks ---- */

/* perf records this between the kernel's calls and those of the program (include/uapi/linux/perf_event.h). */
#define PERF_CONTEXT_USER ((uint64_t)-512)

static void append_call(GByteArray *calls, uint64_t address)
{
	address = GUINT64_TO_LE(address);
	g_byte_array_append(calls, (const guint8 *)&address, sizeof address);
}

/* Append the stack lines of E as field NAME. */
static void append_stack(const struct paged *t, const struct page *p, const struct trc_text_entry *e,
	const char *name, GString *to, const struct trc_taker *taker)
{
	const char *begin = t->file.text.at + p->list->offset + e->offset;
	part rest = { begin, e->stack }, line;
	g_autoptr(GByteArray) calls = g_byte_array_new();
	bool is_perf = e->line.tool == TRC_TEXT_PERF, is_user = false;
	struct trc_bytes bytes;

	trc_text_next(&rest, &line); /* skip the event itself */
	while (calls->len < STACK_MAX * sizeof(uint64_t) && trc_text_next(&rest, &line)) {
		uint64_t address;

		trc_text_stack_line(line, &address);
		if (!is_user && !(address >> 63) && is_perf)
			append_call(calls, PERF_CONTEXT_USER);
		is_user |= !(address >> 63);
		append_call(calls, address);
	}
	bytes = (struct trc_bytes){ .data = calls->data, .size = calls->len };
	trc_format_class_stack(name, bytes, sizeof(uint64_t), to, taker);
}

/* Return the event of KIND with the stack of event I of P (see stack_of(), trc_ftrace.c); NULL: none. */
static const struct trc_text_entry *stack_behind(struct paged *t, const struct page *p, uint64_t i,
	const char *kind)
{
	const struct trc_text_entry *of = entry_at(p, i);

	for (uint64_t end = MIN(p->entries->len, i + STACK_WITHIN); ++i < end;) {
		const struct trc_text_entry *e = entry_at(p, i);
		const struct trc_text_class *class;

		if (e->line.tid != of->line.tid || e->line.told != of->line.told)
			continue;
		class = text_class_of(t, e);
		if (!class || !trc_text_class_is_stack(class))
			return NULL;
		if (g_str_equal(trc_text_class_name(class), kind))
			return e;
	}
	return NULL;
}

static bool text_get_fields(void *trace, void *page, uint64_t i, GString *to, const struct trc_taker *taker,
	G_GNUC_UNUSED GError **error)
{
	static const char *const stacks[] = { "ftrace:kernel_stack", "ftrace:user_stack" };
	const struct trc_text_entry *e = entry_at(page, i);
	const struct trc_text_class *class = text_class_of(trace, e);
	const char *between = ", { ";

	if (!class)
		return true;
	trc_text_class_fields(class, &e->line, to, taker);
	if (e->stack > 0) {
		g_string_append(to, between);
		append_stack(trace, page, e, trc_text_class_is_stack(class) ? "caller" : "perf_callchain", to,
			taker);
		between = ", ";
	}
	for (size_t k = 0; k < G_N_ELEMENTS(stacks) && !trc_text_class_is_stack(class); k++) {
		const struct trc_text_entry *stack = stack_behind(trace, page, i, stacks[k]);

		if (!stack)
			continue;
		g_string_append(to, between);
		append_stack(trace, page, stack, stacks[k] + strlen("ftrace:"), to, taker);
		between = ", ";
	}
	if (between[2] == '\0')
		g_string_append(to, " }");
	return true;
}

static const struct trc_paging_ops paging = {
	.open = paged_open,
	.free = paged_free,
	.read = text_read_page,
	.free_page = text_free_page,
	.event = text_get_event,
	.fields = text_get_fields,
};

const struct trc_source_ops trc_text_ops = {
	.name = "text",
	.open = text_open,
	.fill = text_fill,
	.free = text_free,
	.paging = &paging,
};

const struct trc_source_ops trc_text_plain_ops = {
	.name = "text without contexts",
	.open = text_open,
	.fill = text_fill,
	.free = text_free,
	.paging = &paging,
};
