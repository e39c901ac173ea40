/* SPDX-License-Identifier: MIT */
#include "trace/text/trc_text.h"

#include "base/base_memory.h"
#include "trace/core/trc_folders.h"

typedef struct trc_text_part part;

#define NONE UINT32_MAX

bool trc_text_file_open(struct trc_text_file *f, const char *path, GError **error)
{
	*f = (struct trc_text_file){ .map = trc_files_map(path, error) };
	if (f->map) /* an empty file is not mapped */
		f->text = (part){ g_mapped_file_get_contents(f->map), g_mapped_file_get_length(f->map) };
	return f->map;
}

void trc_text_file_close(struct trc_text_file *f)
{
	g_clear_pointer(&f->map, g_mapped_file_unref);
}

void trc_text_file_use(struct trc_text_file *f, size_t size)
{
	f->used += size;
	if (f->used < TRC_TEXT_IN_MEMORY)
		return;
	base_pages_advise(f->text.at, f->text.n, MADV_DONTNEED);
	f->used = 0;
}

/* The last event of a CPU and the losses since, while a list is made. */
struct last {
	uint32_t entry; /* number of the entry; NONE */
	bool lost;
	uint64_t count;
};

static struct last *last_of(GHashTable *lasts, uint32_t cpu)
{
	struct last *l = g_hash_table_lookup(lasts, GUINT_TO_POINTER(cpu));

	if (!l) {
		l = g_new0(struct last, 1);
		l->entry = NONE;
		g_hash_table_insert(lasts, GUINT_TO_POINTER(cpu), l);
	}
	return l;
}

static void add_entry(struct trc_text_list *list, struct last *l, struct trc_text_entry *e)
{
	uint32_t at = list->entries->len;

	e->next = NONE;
	e->lost = l->lost;
	e->line.lost = l->count;
	g_array_append_val(list->entries, *e);
	if (l->entry == NONE)
		g_hash_table_insert(list->first, GUINT_TO_POINTER(e->line.cpu), GUINT_TO_POINTER(at));
	else
		g_array_index(list->entries, struct trc_text_entry, l->entry).next = at;
	*l = (struct last){ .entry = at };
}

struct trc_text_list *trc_text_list_new(struct trc_text_file *f, unsigned context, uint64_t offset,
	uint64_t size)
{
	struct trc_text_list *list = g_new(struct trc_text_list, 1);
	g_autoptr(GHashTable) lasts = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	part rest = { f->text.at + MIN(offset, f->text.n), 0 }, line;
	const char *begin = rest.at;
	bool is_stack = false; /* lines of a stack belong to the last entry */

	rest.n = MIN(size, f->text.n - (size_t)(begin - f->text.at));
	*list = (struct trc_text_list){ .users = 1,
		.offset = offset,
		.entries = g_array_new(FALSE, FALSE, sizeof(struct trc_text_entry)),
		.first = g_hash_table_new(NULL, NULL) };
	trc_text_file_use(f, rest.n);
	while (trc_text_next(&rest, &line)) {
		struct trc_text_entry e = { .offset = (uint32_t)(line.at - begin) };

		switch (trc_text_line_read(line, context, &e.line)) {
		case TRC_TEXT_EVENT:
			is_stack = e.line.cpu < TRC_CPUS_MAX;
			if (is_stack)
				add_entry(list, last_of(lasts, e.line.cpu), &e);
			break;
		case TRC_TEXT_LOST:
			is_stack = false;
			if (e.line.cpu < TRC_CPUS_MAX) {
				struct last *l = last_of(lasts, e.line.cpu);

				l->lost = true;
				l->count += e.line.lost;
			}
			break;
		case TRC_TEXT_STACK:
			if (is_stack) {
				struct trc_text_entry *last = &g_array_index(list->entries,
					struct trc_text_entry, list->entries->len - 1);

				last->stack = (uint32_t)(rest.at - begin) - last->offset;
			}
			break;
		default: is_stack = false; break;
		}
	}
	return list;
}

void trc_text_list_unref(struct trc_text_list *list)
{
	if (!list || --list->users > 0)
		return;
	g_array_unref(list->entries);
	g_hash_table_unref(list->first);
	g_free(list);
}

const struct trc_text_entry *trc_text_list_first(const struct trc_text_list *list, uint32_t cpu)
{
	gpointer at;

	return g_hash_table_lookup_extended(list->first, GUINT_TO_POINTER(cpu), NULL, &at)
		? &g_array_index(list->entries, struct trc_text_entry, GPOINTER_TO_UINT(at))
		: NULL;
}

const struct trc_text_entry *trc_text_list_next(const struct trc_text_list *list,
	const struct trc_text_entry *e)
{
	return e->next == NONE ? NULL : &g_array_index(list->entries, struct trc_text_entry, e->next);
}
