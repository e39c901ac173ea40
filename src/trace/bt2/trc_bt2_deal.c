/* SPDX-License-Identifier: MIT */
/*
 * How it works: the largest stream that is left goes to the graph that has least.
 * babeltrace2 names a stream "trace | class | number" or "trace | class | path",
 * and leaves out the class where there is only one; nothing but the balance hangs
 * on that being so.
 */
#include "trace/bt2/trc_bt2_open.h"

#include "base/base_search.h"
#include "trace/ctf/trc_survey.h"

struct deal {
	unsigned name; /* index */
	int64_t size;  /* bytes; 0: not known */
};

/* Add SIZE to what SIZES has for the stream that is number or file X of class CLASS. */
static void add_size(GHashTable *sizes, const char *class, const char *x, int64_t size)
{
	g_autofree char *key = g_strdup_printf("%s|%s", class, x);
	int64_t *sum = g_hash_table_lookup(sizes, key);

	if (!sum) {
		sum = g_new0(int64_t, 1);
		g_hash_table_insert(sizes, g_strdup(key), sum);
	}
	*sum += size;
}

/* Sizes of STREAMS in bytes (int64_t *), by what babeltrace2 will call them; see size_of(). */
static GHashTable *sizes_of(const GPtrArray *streams)
{
	GHashTable *sizes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	unsigned i;

	for (i = 0; i < streams->len; i++) {
		const struct trc_stream_file *f = g_ptr_array_index(streams, i);
		g_autofree char *class = g_strdup_printf("%" G_GUINT64_FORMAT, f->stream->id);
		g_autofree char *x = f->last.has_instance
			? g_strdup_printf("%" G_GUINT64_FORMAT, f->last.instance)
			: g_strdup(f->file->name);

		add_size(sizes, class, x, f->file->size);
		add_size(sizes, "", x, f->file->size);
	}
	return sizes;
}

/* The size of the stream "trace | class | number or path"; a lone class may be missing; 0: not known. */
static int64_t size_of(GHashTable *sizes, const char *name)
{
	g_auto(GStrv) parts = g_strsplit(name, " | ", -1);
	unsigned n = g_strv_length(parts);
	g_autofree char *x = g_path_get_basename(n ? parts[n - 1] : ""), *key = NULL;
	const int64_t *size;

	key = g_strdup_printf("%s|%s", n > 2 ? parts[n - 2] : "", x);
	size = g_hash_table_lookup(sizes, key);
	return size ? *size : 0;
}

static int compare_sizes(gconstpointer a, gconstpointer b)
{
	const struct deal *da = a, *db = b;

	return BASE_BY(db, da, size) ?: BASE_BY(da, db, name);
}

/* The names, the one with the largest stream first; the caller unrefs the array of struct deal. */
static GArray *sort_by_size(const GPtrArray *names, const GPtrArray *streams)
{
	GArray *deals = g_array_new(FALSE, FALSE, sizeof(struct deal));
	g_autoptr(GHashTable) sizes = sizes_of(streams);
	struct deal deal;

	for (deal.name = 0; deal.name < names->len; deal.name++) {
		deal.size = size_of(sizes, g_ptr_array_index(names, deal.name));
		g_array_append_val(deals, deal);
	}
	g_array_sort(deals, compare_sizes);
	return deals;
}

unsigned *trc_bt2_deal(const GPtrArray *names, const GPtrArray *streams, unsigned n_graphs)
{
	g_autoptr(GArray) deals = sort_by_size(names, streams);
	int64_t *loads = g_new0(int64_t, n_graphs);
	unsigned *graphs = g_new0(unsigned, names->len + 1), i, g;

	for (i = 0; i < deals->len; i++) {
		const struct deal *deal = &g_array_index(deals, struct deal, i);
		unsigned least = 0;

		for (g = 1; g < n_graphs; g++)
			if (loads[g] < loads[least])
				least = g;
		loads[least] += deal->size + 1;
		graphs[deal->name] = least;
	}
	g_free(loads);
	return graphs;
}
