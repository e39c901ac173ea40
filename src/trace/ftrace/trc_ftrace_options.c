/* SPDX-License-Identifier: MIT */
/*
 * How it works: as trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5) tell.  In format 6 the options stand behind
 * all that describes events, each part with its size; in format 7 the head says where they are, and each
 * section of them where the next one is.
 */
#include "trace/ftrace/trc_ftrace_options.h"

#include <glib.h>
#include <string.h>

#define MAGIC "\x17\x08\x44tracing"
#define MAGIC_SIZE 10
#define SECTION_HEAD 16
#define SECTIONS_MAX 1000 /* more than any recording has; a ring of them ends there */

enum { OPTION_DONE = 0, OPTION_CLOCK = 4, OPTION_UNAME = 5 };

/* The bytes of a file, read from front to back. */
struct bytes {
	const uint8_t *data;
	uint64_t size, at; /* AT > SIZE: something did not fit */
	bool swap;         /* the file's order of bytes is not ours */
};

static const uint8_t *take(struct bytes *b, uint64_t n)
{
	uint64_t at = b->at;

	if (at > b->size || n > b->size - at) {
		b->at = b->size + 1;
		return NULL;
	}
	b->at += n;
	return b->data + at;
}

static uint64_t take_number(struct bytes *b, unsigned n)
{
	const uint8_t *p = take(b, n);
	bool little = (G_BYTE_ORDER == G_LITTLE_ENDIAN) != b->swap;
	uint64_t number = 0;

	for (unsigned i = 0; p && i < n; i++)
		number = number << 8 | p[little ? n - 1 - i : i];
	return number;
}

/* Step over a text and its NUL. */
static void skip_text(struct bytes *b)
{
	const uint8_t *end = b->at < b->size ? memchr(b->data + b->at, 0, b->size - b->at) : NULL;

	b->at = end ? (uint64_t)(end - b->data) + 1 : b->size + 1;
}

/* Step over N parts, each behind its size in WIDTH bytes. */
static void skip_parts(struct bytes *b, uint64_t n, unsigned width)
{
	for (uint64_t i = 0; i < n && b->at <= b->size; i++)
		take(b, take_number(b, width));
}

/* The clock in use stands in brackets among all there are: "[local] global mono". */
static char *clock_of(const char *text, size_t length)
{
	const char *open = memchr(text, '[', length),
		   *close = open ? memchr(open, ']', length - (size_t)(open - text)) : NULL;

	return close ? g_strndup(open + 1, (gsize)(close - open - 1)) : g_strndup(text, length);
}

static void set(char **slot, char *text)
{
	g_free(*slot);
	*slot = g_strstrip(text);
}

/* Read options up to the last; where the next section of them is, 0 none. */
static uint64_t read_options(struct bytes *b, struct trc_ftrace_options *o)
{
	while (b->at < b->size) {
		uint64_t id = take_number(b, 2),
			 size = id == OPTION_DONE && b->size - b->at < 4 ? 0 : take_number(b, 4);
		const char *data;

		if (id == OPTION_DONE)
			return size == 8 ? take_number(b, 8) : 0;
		data = (const char *)take(b, size);
		if (data && id == OPTION_CLOCK)
			set(&o->clock, clock_of(data, size));
		else if (data && id == OPTION_UNAME)
			set(&o->uname, g_strndup(data, size));
	}
	return 0;
}

static void read_sections(struct bytes *b, struct trc_ftrace_options *o)
{
	uint64_t next = take_number(b, 8);

	for (unsigned i = 0; i < SECTIONS_MAX && next != 0 && b->at <= b->size; i++) {
		b->at = next;
		take(b, SECTION_HEAD);
		next = read_options(b, o);
	}
}

/* Step over all that stands before the options in format 6. */
static void skip_formats(struct bytes *b)
{
	for (unsigned i = 0; i < 2; i++) { /* header_page, header_event */
		skip_text(b);
		skip_parts(b, 1, 8);
	}
	skip_parts(b, take_number(b, 4), 8);
	for (uint64_t systems = take_number(b, 4); systems > 0 && b->at <= b->size; systems--) {
		skip_text(b);
		skip_parts(b, take_number(b, 4), 8);
	}
	skip_parts(b, 2, 4); /* kallsyms, printk formats */
	skip_parts(b, 1, 8); /* names of threads */
	take_number(b, 4);   /* CPUs */
}

static void read_all(struct bytes *b, struct trc_ftrace_options *o)
{
	const uint8_t *version = take(b, 2), *order = take(b, 2);
	const uint8_t *what;

	if (!version || !order || version[1] != '\0')
		return;
	b->swap = (*order != 0) != (G_BYTE_ORDER == G_BIG_ENDIAN);
	take(b, 4); /* size of a page */
	if (*version == '7') {
		skip_text(b); /* who compressed it, and its version */
		skip_text(b);
		read_sections(b, o);
	} else if (*version == '6') {
		skip_formats(b);
		what = take(b, 10);
		if (what && memcmp(what, "options  ", 10) == 0)
			read_options(b, o);
	}
}

static bool is_magic(GMappedFile *file)
{
	return g_mapped_file_get_length(file) > MAGIC_SIZE &&
		memcmp(g_mapped_file_get_contents(file), MAGIC, MAGIC_SIZE) == 0;
}

bool trc_ftrace_options_detect(const char *path)
{
	GMappedFile *file = g_file_test(path, G_FILE_TEST_IS_REGULAR) ? g_mapped_file_new(path, FALSE, NULL)
								      : NULL;
	bool is = file && is_magic(file);

	if (file)
		g_mapped_file_unref(file);
	return is;
}

struct trc_ftrace_options trc_ftrace_options_read(const char *path)
{
	struct trc_ftrace_options o = { g_strdup(""), g_strdup("") };
	GMappedFile *file = g_mapped_file_new(path, FALSE, NULL);
	struct bytes b;

	if (file && is_magic(file)) {
		b = (struct bytes){ .data = (const uint8_t *)g_mapped_file_get_contents(file),
			.size = g_mapped_file_get_length(file),
			.at = MAGIC_SIZE };
		read_all(&b, &o);
	}
	if (file)
		g_mapped_file_unref(file);
	return o;
}

void trc_ftrace_options_clear(struct trc_ftrace_options *o)
{
	g_clear_pointer(&o->clock, g_free);
	g_clear_pointer(&o->uname, g_free);
}
