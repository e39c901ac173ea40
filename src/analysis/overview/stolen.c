/* SPDX-License-Identifier: MIT */
/*
 * The time that threads of a guest had a virtual CPU that was not inside the guest, by owner of the host's
 * CPU, as the account of the thread shows it.
 */
#include "analysis/overview/parts.h"

#include "analysis/account/account.h"
#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_time.h"

#include <string.h>

/* An owner of the host's CPU, and its time in the current gap. */
struct thief {
	struct ana_causes_entry entry; /* must be the first member */
	int64_t ns;
};

struct stolen {
	struct qry *q;
	uint32_t row;
	GHashTable *thieves; /* text, owned → struct thief, owned */
	int64_t to;          /* end of the last part */
};

static void stolen_end(struct stolen *s)
{
	GHashTableIter iter;
	gpointer value;

	g_hash_table_iter_init(&iter, s->thieves);
	while (g_hash_table_iter_next(&iter, NULL, &value)) {
		struct thief *t = value;

		if (t->ns == 0)
			continue;
		t->entry.count++;
		t->entry.total = base_time_sum(t->entry.total, t->ns);
		if (t->ns > t->entry.longest) {
			t->entry.longest = t->ns;
			t->entry.longest_end = s->to;
		}
		t->ns = 0;
	}
}

static void stolen_part(void *data, const struct ana_blame_part *part)
{
	struct stolen *s = data;
	struct thief *t;
	char *text;

	if (part->phase != ANA_PHASE_STOLEN)
		return;
	if (part->from != s->to)
		stolen_end(s);
	s->to = part->to;
	text = ana_blame_part_text(s->q, part);
	t = g_hash_table_lookup(s->thieves, text);
	if (!t) {
		t = g_new0(struct thief, 1);
		t->entry = (struct ana_causes_entry){ .kind = ANA_KIND_PREEMPTED,
			.host = part->host,
			.name = text,
			.label = text,
			.row = ana_blame_is_thread(part) ? part->row : MDL_NONE,
			.guest = MDL_NONE,
			.longest_row = s->row };
		g_hash_table_insert(s->thieves, text, t);
	} else {
		g_free(text);
	}
	t->ns += part->to - part->from;
}

static int most_first(const void *a, const void *b)
{
	const struct ana_causes_entry *x = a, *y = b;

	return BASE_BY(y, x, total) ?: strcmp(x->label, y->label);
}

static void stolen_clear(gpointer entry)
{
	g_free(((struct ana_causes_entry *)entry)->label);
}

bool ana_overview_lost_cpu(const struct qry_cell *life)
{
	return life->ns[MDL_ST_VCPU_PREEMPTED] > 0;
}

GArray *ana_overview_stolen(struct qry *q, uint32_t row, struct base_progress *progress, GError **error)
{
	int64_t from = qry_row(q, row)->first, to = qry_life_end(q, row);
	g_autoptr(GArray) states = qry_states(q, row, from, to);
	g_autoptr(GHashTable) thieves = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);
	struct stolen s = { q, row, thieves, MDL_NEVER };
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct ana_causes_entry));
	GHashTableIter iter;
	gpointer value;

	g_array_set_clear_func(all, stolen_clear);
	for (guint i = 0; i < states->len && !base_progress_cancelled(progress); i++) {
		const struct mdl_interval *iv = &g_array_index(states, struct mdl_interval, i);

		if (iv->state == MDL_ST_VCPU_PREEMPTED || iv->state == MDL_ST_VCPU_EXIT)
			ana_account_spans(q, row, MAX(iv->from, from), MIN(iv->to, to), progress, stolen_part,
				&s);
	}
	stolen_end(&s);
	g_hash_table_iter_init(&iter, thieves);
	while (g_hash_table_iter_next(&iter, NULL, &value))
		g_array_append_vals(all, value, 1); /* the entry is its first member */
	g_array_sort(all, most_first);
	if (!base_progress_cancelled(progress))
		return all;
	g_array_unref(all);
	g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
	return NULL;
}
