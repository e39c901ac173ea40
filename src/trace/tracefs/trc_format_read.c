/* SPDX-License-Identifier: MIT */
#include "trace/tracefs/trc_format_read.h"

void trc_format_read_pages(struct trc_bytes *b, unsigned *long_size)
{
	g_autofree char *text = NULL;
	const char *commit, *size;
	struct trc_bytes page;

	trc_bytes_take_text(b);
	page = trc_bytes_take_bytes(b, trc_bytes_take_number(b, 8));
	text = page.data ? g_strndup((const char *)page.data, page.size) : g_strdup("");
	commit = strstr(text, "local_t commit;");
	size = commit ? strstr(commit, "size:") : NULL;
	if (size)
		*long_size = g_ascii_strtoull(size + 5, NULL, 10) == 4 ? 4 : 8;
	trc_bytes_take_text(b);
	trc_bytes_take(b, trc_bytes_take_number(b, 8));
}

bool trc_format_read_events(struct trc_formats *formats, struct trc_bytes *b, const char *system)
{
	bool fine = true;

	for (uint64_t n = trc_bytes_take_number(b, 4); n > 0 && b->at <= b->size; n--) {
		struct trc_bytes text = trc_bytes_take_bytes(b, trc_bytes_take_number(b, 8));

		if (text.data && !trc_formats_add(formats, system, (const char *)text.data, text.size))
			fine = false;
	}
	return fine;
}

bool trc_format_read_systems(struct trc_formats *formats, struct trc_bytes *b)
{
	bool fine = true;

	for (uint64_t n = trc_bytes_take_number(b, 4); n > 0 && b->at <= b->size; n--) {
		const char *system = trc_bytes_take_text(b);

		if (system)
			fine &= trc_format_read_events(formats, b, system);
	}
	return fine;
}
