/* SPDX-License-Identifier: MIT */
/*
 * How it works: format 6 has all parts in a fixed order, each with its size; in format 7 options give the
 * offsets of the sections. All sizes are checked against the file, and what does not fit is left out (CUT).
 * trace-cmd's own library does not check: truncated or damaged files crash it.
 *
 * Everything made from the file costs its budget (trc_budget.h), even what is unpacked for a moment. A file
 * that exceeds it is refused; so is one whose parts overlap.
 */
#include "trace/ftrace/trc_ftrace.h"

#include "base/base_error.h"
#include "base/base_io.h"
#include "trace/core/trc_folders.h"

#include <unistd.h>

#define MAGIC "\x17\x08\x44tracing"
#define MAGIC_SIZE 10
#define PACKED 1 /* flag of a section */
#define PAGE_MAX (1024 * 1024)

/* Approximate costs in bytes of memory. */
enum {
	OPTION_COST = 16,
	GUEST_COST = 128,
	SYMBOL_COST = 32,
	ROOM_SHARE = 4 /* a byte unpacked for a moment costs a fourth of one that stays */
};

typedef struct trc_bytes bytes;

static bool ftrace_head_spend(struct trc_ftrace_head *h, uint64_t n, const char *what)
{
	return trc_budget_spend(&h->budget, n, what);
}

static void ftrace_head_set(char **slot, char *text)
{
	g_free(*slot);
	*slot = g_strstrip(text);
}

/* The kernel lists all clocks and marks the one in use with brackets: "[local] global mono". */
static char *clock_of(const char *text, uint64_t length)
{
	const char *open = memchr(text, '[', length);
	const char *close = open ? memchr(open, ']', length - (uint64_t)(open - text)) : NULL;

	return close ? g_strndup(open + 1, (gsize)(close - open - 1)) : g_strndup(text, length);
}

/* ---- parts that both formats have ---- */

static void read_page_header(struct trc_ftrace_head *h, bytes *b)
{
	trc_format_read_pages(b, &h->long_size);
}

static void read_systems(struct trc_ftrace_head *h, bytes *b)
{
	h->cut |= !trc_format_read_systems(&h->formats, b);
}

static bool is_page_size(uint64_t size)
{
	return size >= 64 && size <= PAGE_MAX;
}

/* Add S, which has no name yet, to the buffer called BUFFER ("": the top one). */
static void ftrace_head_add_stream(struct trc_ftrace_head *h, const char *buffer, struct trc_ftrace_stream s)
{
	if (s.size == 0)
		return;
	if (s.cpu >= TRC_CPUS_MAX || s.offset > h->bytes.size) {
		h->cut = true;
		return;
	}
	if (s.size > h->bytes.size - s.offset) {
		h->cut = true;
		s.size = h->bytes.size - s.offset;
	}
	if (!trc_places_add(&h->places, s.offset, s.size, &h->budget) ||
		!ftrace_head_spend(h, TRC_BUDGET_STREAM + strlen(buffer),
			"it has more buffers of CPUs than its size has room for"))
		return;
	s.name = g_strdup_printf("%s%scpu%" G_GUINT32_FORMAT, buffer, *buffer ? "/" : "", s.cpu);
	g_array_append_val(h->streams, s);
}

/* ---- options ---- */

/* Pass the section at the offset in O to READ. */
static void read_section(struct trc_ftrace_head *h, bytes *o,
	void (*read)(struct trc_ftrace_head *h, bytes *b))
{
	uint8_t *unpacked = NULL;
	bytes b = trc_ftrace_head_section(h, trc_bytes_take_number(o, 8), &unpacked);

	if (b.data) {
		read(h, &b);
		h->cut |= b.at > b.size;
	}
	g_free(unpacked);
}

static void read_ftrace_formats(struct trc_ftrace_head *h, bytes *b)
{
	h->cut |= !trc_format_read_events(&h->formats, b, "ftrace");
}

/*
 * The option TRACECLOCK has the clock of the buffer that was recorded first (get_trace_clock(),
 * tracecmd/trace-record.c). Older trace-cmd leave it empty and write the clock after the places of the CPUs.
 */
static void read_clock(struct trc_ftrace_head *h, const bytes *o)
{
	g_autofree char *clock = g_strstrip(clock_of((const char *)o->data, o->size));

	h->clock_behind = *clock == '\0';
	if (*clock)
		ftrace_head_set(&h->clock.name, g_steal_pointer(&clock));
}

/* Format 7: read a buffer, with a place for each CPU. */
static void read_buffer(struct trc_ftrace_head *h, bytes *o)
{
	uint64_t at = trc_bytes_take_number(o, 8);
	const char *name = trc_bytes_take_text(o), *clock = trc_bytes_take_text(o);
	uint64_t page = trc_bytes_take_number(o, 4), cpus = trc_bytes_take_number(o, 4);
	guint before = h->streams->len;
	bytes head = h->bytes;

	head.at = at;
	trc_bytes_take_number(&head, 2);
	if (!name || !clock || !is_page_size(page)) {
		h->cut = true;
		return;
	}
	for (bool packed = trc_bytes_take_number(&head, 2) & PACKED;
		cpus > 0 && o->at <= o->size && !h->budget.refused; cpus--) {
		struct trc_ftrace_stream s = { .page_size = (uint32_t)page, .packed = packed };

		s.cpu = (uint32_t)trc_bytes_take_number(o, 4);
		s.offset = trc_bytes_take_number(o, 8);
		s.size = trc_bytes_take_number(o, 8);
		if (o->at <= o->size)
			ftrace_head_add_stream(h, name, s);
	}
	/* Each buffer has a CLOCK, but trace-cmd writes that of the top instance, recorded or not
	 * (get_clock(), lib/trace-cmd/trace-output.c). So it counts only without the option TRACECLOCK. */
	if (h->streams->len == before || !*clock)
		return;
	h->clocks_differ |= h->buffer_clock && !g_str_equal(h->buffer_clock, clock);
	if (!h->buffer_clock)
		h->buffer_clock = g_strdup(clock);
}

static void read_flyrecord(struct trc_ftrace_head *h, bytes *b, uint64_t cpus, const char *buffer);

/* Format 6: read an instance, whose data have the layout of the top one's. */
static void read_instance(struct trc_ftrace_head *h, bytes *o)
{
	bytes b = h->bytes;
	const char *name;

	b.at = trc_bytes_take_number(o, 8);
	name = trc_bytes_take_text(o);
	if (name)
		read_flyrecord(h, &b, UINT32_MAX, name);
}

/* Add the number in the text O, in UNIT ns, to all times. */
static void add_ahead(struct trc_ftrace_head *h, const bytes *o, int64_t unit)
{
	g_autofree char *text = g_strndup((const char *)o->data, o->size);
	int64_t ahead;

	if (__builtin_mul_overflow(g_ascii_strtoll(text, NULL, 0), unit, &ahead) ||
		__builtin_add_overflow(h->clock.ahead, ahead, &h->clock.ahead))
		h->cut = true;
}

/* Return the number after NAME in TEXT; 0 if NAME is absent. */
static uint64_t number_behind(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? g_ascii_strtoull(at + strlen(name), NULL, 10) : 0;
}

/* Read the option CPUSTAT: the kernel's counters of a CPU from per_cpu/cpuN/stats (tracing_stats_read(),
 * kernel/trace/trace.c). */
static void read_stats(struct trc_ftrace_head *h, const bytes *o)
{
	g_autofree char *text = g_strndup((const char *)o->data, o->size);
	uint32_t cpu = (uint32_t)number_behind(text, "CPU: ");
	uint64_t n = number_behind(text, "\ndropped events: ") + number_behind(text, "\ncommit overrun: ");

	if (n == 0 || cpu >= TRC_CPUS_MAX)
		return;
	n += trc_ftrace_head_refused(h, cpu);
	g_hash_table_insert(h->refused, GUINT_TO_POINTER(cpu), g_memdup2(&n, sizeof n));
}

uint64_t trc_ftrace_head_refused(const struct trc_ftrace_head *h, uint32_t cpu)
{
	const uint64_t *n = g_hash_table_lookup(h->refused, GUINT_TO_POINTER(cpu));

	return n ? *n : 0;
}

/* Read the CPUs of a guest, and the host thread that runs each. */
static void read_guest(struct trc_ftrace_head *h, bytes *o)
{
	struct trc_guest_cpu c = { 0 };

	trc_bytes_take_text(o);
	c.guest = trc_bytes_take_number(o, 8);
	for (uint64_t n = trc_bytes_take_number(o, 4); n > 0 && o->at < o->size && !h->budget.refused; n--) {
		c.cpu = (uint32_t)trc_bytes_take_number(o, 4);
		c.tid = (int64_t)trc_bytes_take_number(o, 4);
		if (o->at <= o->size &&
			ftrace_head_spend(h, GUEST_COST,
				"it has more CPUs of guests than its size has room for"))
			g_array_append_val(h->guests.cpus, c);
	}
}

/* Keep the option O for a copy of the file, unless it gives a place in this file. */
static void keep_option(struct trc_ftrace_head *h, uint64_t id, const bytes *o)
{
	uint8_t head[2 + 4];

	if (id == TRC_OPTION_BUFFER || id == TRC_OPTION_VERSION || id >= TRC_OPTION_HEADER_INFO ||
		id == TRC_OPTION_CLOCK || !ftrace_head_spend(h, o->size, "its options are too large"))
		return;
	trc_bytes_set_number(head, id, 2, h->bytes.big);
	trc_bytes_set_number(head + 2, o->size, 4, h->bytes.big);
	g_byte_array_append(h->options, head, sizeof head);
	g_byte_array_append(h->options, o->data, (guint)o->size);
}

/* Read the version of the program that wrote the file. A cut has its mark after it. */
static void read_version(struct trc_ftrace_head *h, const bytes *o)
{
	g_autofree char *text = g_strndup((const char *)o->data, o->size);
	const char *mark = strstr(text, TRC_CUT_NAME " ");

	h->exact = g_str_has_prefix(text, "wakepath") && !g_str_has_prefix(text, TRC_CUT_NAME);
	if (mark)
		trc_cut_mark_read(&h->mark, mark + strlen(TRC_CUT_NAME " "));
}

static void read_option(struct trc_ftrace_head *h, uint64_t id, bytes *o, bool is_7)
{
	keep_option(h, id, o);
	if (id >= TRC_OPTION_HEADER_INFO && id < TRC_OPTION_HEADER_INFO + G_N_ELEMENTS(h->parts)) {
		bytes place = *o;

		h->parts[id - TRC_OPTION_HEADER_INFO] = trc_bytes_take_number(&place, 8);
	}
	switch (id) {
	case TRC_OPTION_STATS: read_stats(h, o); break;
	case TRC_OPTION_BUFFER: (is_7 ? read_buffer : read_instance)(h, o); break;
	case TRC_OPTION_CLOCK: read_clock(h, o); break;
	case TRC_OPTION_UNAME: ftrace_head_set(&h->uname, g_strndup((const char *)o->data, o->size)); break;
	case TRC_OPTION_TSC2NSEC:
		h->clock.mult = (uint32_t)trc_bytes_take_number(o, 4);
		h->clock.shift = (uint32_t)trc_bytes_take_number(o, 4);
		break;
	case TRC_OPTION_HEADER_INFO: read_section(h, o, read_page_header); break;
	case TRC_OPTION_FTRACE_EVENTS: read_section(h, o, read_ftrace_formats); break;
	case TRC_OPTION_EVENT_FORMATS: read_section(h, o, read_systems); break;
	case TRC_OPTION_DATE: add_ahead(h, o, 1000); break; /* it is in µs */
	case TRC_OPTION_VERSION: read_version(h, o); break;
	case TRC_OPTION_TRACEID: h->guests.id = trc_bytes_take_number(o, 8); break;
	case TRC_OPTION_GUEST: read_guest(h, o); break;
	case TRC_OPTION_OFFSET: add_ahead(h, o, 1); break;
	case TRC_OPTION_TIME_SHIFT: h->cut |= !trc_ftrace_clock_read_shifts(&h->clock, o, &h->budget); break;
	case TRC_OPTION_CPUCOUNT:
		if (o->size > 8)
			ftrace_head_set(&h->tgids, g_strndup((const char *)o->data, o->size));
		else if (is_7)
			h->cpus = trc_bytes_take_number(o, 4);
		break;
	case TRC_OPTION_CMDLINES: h->cmdlines = trc_bytes_take_number(o, 8); break;
	case TRC_OPTION_PRINTK: h->printk = trc_bytes_take_number(o, 8); break;
	case TRC_OPTION_KALLSYMS: h->kallsyms = trc_bytes_take_number(o, 8); break;
	default: break;
	}
}

/* Read options up to the last. Returns the offset of the next section of options; 0: none. */
static uint64_t read_options(struct trc_ftrace_head *h, bytes *b, bool is_7)
{
	while (b->at < b->size &&
		ftrace_head_spend(h, OPTION_COST, "it has more options than its size has room for")) {
		uint64_t id = trc_bytes_take_number(b, 2);
		bytes o;

		if (id == TRC_OPTION_DONE && !is_7)
			return 0;
		o = trc_bytes_take_bytes(b, trc_bytes_take_number(b, 4));
		if (id == TRC_OPTION_DONE)
			return trc_bytes_take_number(&o, 8);
		if (o.data)
			read_option(h, id, &o, is_7);
	}
	h->cut = true;
	return 0;
}

/* ---- format 7 ---- */

bytes trc_ftrace_head_section(struct trc_ftrace_head *h, uint64_t offset, uint8_t **unpacked)
{
	bytes b = h->bytes, inside;
	uint64_t flags, size, room = 0;

	b.at = offset;
	trc_bytes_take_number(&b, 2);
	flags = trc_bytes_take_number(&b, 2);
	trc_bytes_take_number(&b, 4);
	size = trc_bytes_take_number(&b, 8);
	if (flags & PACKED) {
		size = trc_bytes_take_number(&b, 4);
		room = trc_bytes_take_number(&b, 4);
	}
	inside = trc_bytes_take_bytes(&b, size);
	if (inside.data && !trc_places_add(&h->places, offset, b.at - offset, &h->budget))
		inside.data = NULL;
	if (inside.data && flags & PACKED) {
		if (room > 0 &&
			ftrace_head_spend(h, room, "its parts unpack to more than its size has room for"))
			*unpacked = g_try_malloc(room);
		if (*unpacked && !trc_unpack(h->packing, inside.data, size, *unpacked, room))
			g_clear_pointer(unpacked, g_free);
		inside.data = *unpacked;
		inside.size = room;
	}
	h->cut |= !inside.data;
	if (!inside.data)
		inside.size = 0;
	return inside;
}

static void read_7(struct trc_ftrace_head *h, bytes *b)
{
	const char *packing = trc_bytes_take_text(b);
	uint64_t next;

	trc_bytes_take_text(b);
	h->packing = trc_unpack_kind_of(packing ? packing : "");
	next = trc_bytes_take_number(b, 8);
	while (next != 0) {
		uint8_t *unpacked = NULL;
		bytes options = trc_ftrace_head_section(h, next, &unpacked);

		next = options.data ? read_options(h, &options, true) : 0;
		g_free(unpacked);
	}
	if (*h->clock.name == '\0' && h->buffer_clock)
		ftrace_head_set(&h->clock.name, g_strdup(h->buffer_clock));
}

/* ---- format 6 ---- */

/* Read "flyrecord" and a place for each of CPUS; UINT32_MAX: use the number of CPUs read before. */
static void read_flyrecord(struct trc_ftrace_head *h, bytes *b, uint64_t cpus, const char *buffer)
{
	uint64_t begin = b->at;
	const uint8_t *what = trc_bytes_take(b, 10);

	if (!what || memcmp(what, "flyrecord", 10) != 0) {
		h->cut = true;
		return;
	}
	if (cpus == UINT32_MAX)
		cpus = h->cpus;
	for (uint32_t cpu = 0; cpu < cpus && b->at <= b->size && !h->budget.refused; cpu++) {
		struct trc_ftrace_stream s = { .cpu = cpu, .page_size = h->page_size };

		s.offset = trc_bytes_take_number(b, 8);
		s.size = trc_bytes_take_number(b, 8);
		if (b->at <= b->size)
			ftrace_head_add_stream(h, buffer, s);
	}
	if (b->at <= b->size)
		trc_places_add(&h->places, begin, b->at - begin, &h->budget);
}

static void read_6(struct trc_ftrace_head *h, bytes *b)
{
	const uint8_t *what;
	guint instances;

	read_page_header(h, b);
	read_ftrace_formats(h, b);
	read_systems(h, b);
	h->kallsyms = b->at;
	trc_bytes_take(b, trc_bytes_take_number(b, 4));
	h->printk = b->at;
	trc_bytes_take(b, trc_bytes_take_number(b, 4));
	h->cmdlines = b->at;
	trc_bytes_take(b, trc_bytes_take_number(b, 8));
	h->cpus = trc_bytes_take_number(b, 4);
	what = trc_bytes_take(b, 10);
	if (what && memcmp(what, "options  ", 10) == 0) {
		read_options(h, b, false);
		instances = h->streams->len;
		read_flyrecord(h, b, h->cpus, "");
		if (h->clock_behind && h->streams->len > instances) {
			/* The clock of the top instance follows the places of its CPUs. */
			bytes text = trc_bytes_take_bytes(b, trc_bytes_take_number(b, 8));

			if (text.data)
				ftrace_head_set(&h->clock.name, clock_of((const char *)text.data, text.size));
		}
	} else if (what) {
		b->at -= 10;
		read_flyrecord(h, b, h->cpus, "");
	}
	h->cut |= b->at > b->size;
}

/* ---- life ---- */

static void clear_stream(void *stream)
{
	g_free(((struct trc_ftrace_stream *)stream)->name);
}

bool trc_ftrace_head_detect(const char *path, bool *is)
{
	char begin[MAGIC_SIZE + 1];
	ssize_t got = base_io_begin(path, begin, sizeof begin);

	*is = got == sizeof begin && memcmp(begin, MAGIC, MAGIC_SIZE) == 0;
	return got >= 0;
}

static void ftrace_head_read_all(struct trc_ftrace_head *h)
{
	bytes b = h->bytes;
	const char *version;

	b.at = MAGIC_SIZE;
	version = trc_bytes_take_text(&b);
	h->bytes.big = b.big = trc_bytes_take_number(&b, 1) != 0;
	trc_bytes_take_number(&b, 1); /* size of long in user space */
	h->page_size = (uint32_t)trc_bytes_take_number(&b, 4);
	h->is_7 = version && g_str_equal(version, "7");
	if (h->is_7)
		read_7(h, &b);
	else if (version && g_str_equal(version, "6") && is_page_size(h->page_size))
		read_6(h, &b);
}

/* Return the text at byte AT of the file, after its length in WIDTH bytes; no data: there is none. The caller
 * frees *UNPACKED after use. */
static bytes text_at(struct trc_ftrace_head *h, uint64_t at, unsigned width, uint8_t **unpacked)
{
	bytes b = h->bytes;

	*unpacked = NULL;
	b.at = at;
	if (at != 0 && h->is_7)
		b = trc_ftrace_head_section(h, at, unpacked);
	return at != 0 && b.data ? trc_bytes_take_bytes(&b, trc_bytes_take_number(&b, width))
				 : (bytes){ .data = NULL };
}

char *trc_ftrace_head_kallsyms(struct trc_ftrace_head *h, gsize *length)
{
	g_autofree uint8_t *unpacked = NULL;
	bytes text = text_at(h, h->kallsyms, 4, &unpacked);
	uint64_t lines = 0;

	if (!text.data || text.size == 0)
		return NULL;
	for (uint64_t i = 0; i < text.size; i++)
		lines += text.data[i] == '\n';
	if (!ftrace_head_spend(h, text.size + lines * SYMBOL_COST,
		    "it has more symbols than its size has room for"))
		return NULL;
	*length = strnlen((const char *)text.data, text.size);
	return g_strndup((const char *)text.data, *length);
}

bytes trc_ftrace_head_cmdlines(struct trc_ftrace_head *h, uint8_t **unpacked)
{
	return text_at(h, h->cmdlines, 8, unpacked);
}

/* Read the kernel's printk_formats: lines 0xffffffff81234567 : "text\n". */
static void read_printk(struct trc_ftrace_head *h)
{
	g_autofree uint8_t *unpacked = NULL;
	bytes text = text_at(h, h->printk, 4, &unpacked);
	g_autoptr(GString) line = g_string_new(NULL);

	while (trc_lines_next(&text, line, &h->budget)) {
		char *begin = strchr(line->str, '"'), *end = strrchr(line->str, '"');
		g_autofree char *plain = NULL;

		if (!begin || end == begin)
			continue;
		*end = '\0';
		plain = g_strcompress(begin + 1); /* t_show(), kernel/trace/trace_printk.c, escapes it */
		if (g_str_has_suffix(plain, "\n"))
			plain[strlen(plain) - 1] = '\0';
		trc_formats_add_text(&h->formats, g_ascii_strtoull(line->str, NULL, 0), plain);
	}
}

/* Charge the pages of packed streams to the budget. */
static void spend_on_pages(struct trc_ftrace_head *h)
{
	for (guint i = 0; i < h->streams->len; i++) {
		struct trc_ftrace_pages *pages = trc_ftrace_pages_new(h,
			&g_array_index(h->streams, struct trc_ftrace_stream, i));
		uint64_t all, most;

		trc_ftrace_pages_room(pages, &all, &most);
		trc_ftrace_pages_free(pages);
		ftrace_head_spend(h, most + all / ROOM_SHARE,
			"its events unpack to more than its size has room for");
	}
}

/* Return why H cannot be used; NULL: it can. */
static const char *problem_of(const struct trc_ftrace_head *h)
{
	if (h->packing == TRC_UNPACK_OTHER)
		return "it is compressed by something other than zstd or zlib; convert it with trace-cmd convert";
	if (h->streams->len == 0)
		return "it has no events of any CPU, or its format is neither 6 nor 7; copy it again";
	return NULL;
}

struct trc_ftrace_head *trc_ftrace_head_open(const char *path, GError **error)
{
	struct trc_ftrace_head *h;
	GMappedFile *file = trc_files_map(path, error);

	if (!file)
		return NULL;
	h = g_new(struct trc_ftrace_head, 1);
	*h = (struct trc_ftrace_head){ .file = file,
		.bytes = { .data = (const uint8_t *)g_mapped_file_get_contents(file),
			.size = g_mapped_file_get_length(file) },
		.budget = trc_budget_of(g_mapped_file_get_length(file)),
		.places = trc_places_new(g_mapped_file_get_length(file)),
		.long_size = 8,
		.uname = g_strdup(""),
		.formats = trc_formats_new(&h->budget),
		.streams = g_array_new(FALSE, FALSE, sizeof(struct trc_ftrace_stream)),
		.refused = g_hash_table_new_full(NULL, NULL, NULL, g_free) };
	h->options = g_byte_array_new();
	trc_cut_mark_init(&h->mark);
	trc_ftrace_clock_init(&h->clock);
	h->guests.cpus = g_array_new(FALSE, FALSE, sizeof(struct trc_guest_cpu));
	g_array_set_clear_func(h->streams, clear_stream);
	ftrace_head_read_all(h);
	read_printk(h);
	spend_on_pages(h);
	trc_places_check(&h->places, &h->budget);
	if (!problem_of(h) && !h->budget.refused)
		return h;
	if (h->budget.refused)
		trc_budget_set_error(&h->budget, path, error);
	else
		g_set_error(error, BASE_ERROR, BASE_ERROR_DATA, "cannot read the trace %s: %s", path,
			problem_of(h));
	trc_ftrace_head_free(h);
	return NULL;
}

void trc_ftrace_head_free(struct trc_ftrace_head *h)
{
	g_byte_array_unref(h->options);
	trc_cut_mark_clear(&h->mark);
	trc_ftrace_clock_clear(&h->clock);
	g_array_unref(h->guests.cpus);
	g_free(h->tgids);
	g_free(h->buffer_clock);
	g_free(h->uname);
	trc_formats_free(&h->formats);
	trc_places_free(&h->places);
	g_array_unref(h->streams);
	g_hash_table_unref(h->refused);
	trc_ftrace_absent_free(h->absent);
	g_mapped_file_unref(h->file);
	g_free(h);
}
