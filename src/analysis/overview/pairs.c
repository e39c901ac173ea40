/* SPDX-License-Identifier: MIT */
/* Requests by the names of both ends, for sentences and for the list of requests. */
#include "analysis/overview/parts.h"

#include "analysis/request/request.h"
#include "base/base_error.h"
#include "base/base_search.h"
#include "query/host/tracer.h"

int64_t ana_overview_took(const struct ana_request *r)
{
	return r->x.to - r->x.from;
}

static int by_duration(const void *a, const void *b)
{
	const struct ana_request *x = a, *y = b;
	int64_t one = ana_overview_took(x), other = ana_overview_took(y);

	return BASE_ORDER(one, other) ?: BASE_BY(x, y, from);
}

static const struct ana_request *slowest(const GArray *pair)
{
	return &g_array_index(pair, struct ana_request, pair->len - 1);
}

/* Slowest first; of equally slow pairs, the one with the smaller median first: it has the wider spread. */
static int by_slowest(const void *a, const void *b)
{
	const GArray *x = *(GArray *const *)a, *y = *(GArray *const *)b;
	const struct ana_request *half[] = { &g_array_index(x, struct ana_request, (x->len - 1) / 2),
		&g_array_index(y, struct ana_request, (y->len - 1) / 2) };

	return by_duration(slowest(y), slowest(x)) ?: by_duration(half[0], half[1]);
}

/* True if R is complete, has a known end, and none of its ends is left out. */
static bool pairs_count(const struct qry *q, const struct ana_request *r, bool hide_tracer)
{
	const uint32_t ends[] = { r->asker, r->server };

	if (r->x.request.packets == 0 || r->x.reply.packets == 0 || r->from >= r->to ||
		(r->asker == MDL_NONE && r->server == MDL_NONE))
		return false;
	for (size_t i = 0; i < G_N_ELEMENTS(ends); i++)
		if (ends[i] != MDL_NONE &&
			(ana_overview_is_remote_shell(qry_row(q, ends[i])->name) ||
				(hide_tracer && qry_is_tracer(q, ends[i]))))
			return false;
	return true;
}

/* The name that THREAD shares with others that do the same work. */
static char *end_group(const struct qry *q, uint32_t thread)
{
	return thread == MDL_NONE ? g_strdup("") : ana_group_name(qry_row(q, thread)->name);
}

/* The pair of R in PAIRS; a new one is added to ALL, too. */
static GArray *pair_of(const struct qry *q, GHashTable *pairs, GPtrArray *all, const struct ana_request *r)
{
	g_autofree char *client = end_group(q, r->asker), *server = end_group(q, r->server);
	char *key = g_strdup_printf("%u/%s %u/%s", r->asker_host, client, r->server_host, server);
	GArray *pair = g_hash_table_lookup(pairs, key);

	if (pair) {
		g_free(key);
		return pair;
	}
	pair = g_array_new(FALSE, FALSE, sizeof(struct ana_request));
	g_hash_table_insert(pairs, key, pair);
	g_ptr_array_add(all, pair);
	return pair;
}

GPtrArray *ana_overview_pairs(struct qry *q, bool hide_tracer, struct base_progress *progress, GError **error)
{
	g_autoptr(GArray) requests = ana_request_list(q, MDL_NONE, MDL_NONE, INT64_MIN, INT64_MAX, progress);
	g_autoptr(GHashTable) pairs = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GPtrArray *all;

	if (!requests) {
		g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
		return NULL;
	}
	all = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	for (guint i = 0; i < requests->len; i++) {
		const struct ana_request *r = &g_array_index(requests, struct ana_request, i);

		if (pairs_count(q, r, hide_tracer))
			g_array_append_vals(pair_of(q, pairs, all, r), r, 1);
	}
	for (guint i = 0; i < all->len; i++)
		g_array_sort(g_ptr_array_index(all, i), by_duration);
	g_ptr_array_sort(all, by_slowest);
	return all;
}
