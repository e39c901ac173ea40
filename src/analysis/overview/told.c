/* SPDX-License-Identifier: MIT */
/*
 * The story of a time of a thread: its account, by owner.  Parts of one owner in one phase are summed up,
 * over all steps; the three largest that are neither the thread's own time nor unknown are its causes.
 */
#include "analysis/overview/parts.h"

#include "analysis/account/account.h"
#include "analysis/kind/advice.h"
#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_time.h"

#include <string.h>

#define CAUSES 3
#define ADVICE 3 /* at most */

/* The words for what the thread did in a phase, before the owner's name; NULL: its own time. */
static const char *const did[ANA_PHASE_N] = {
	[ANA_PHASE_INTERRUPTED] = "was interrupted by",
	[ANA_PHASE_IPI_WAIT] = "waited for",
	[ANA_PHASE_WAITING] = "spun for",
	[ANA_PHASE_LATE] = "had a late timer while there was",
	[ANA_PHASE_BLOCKED] = "waited for",
	[ANA_PHASE_WAKE_UP] = "was being woken by",
	[ANA_PHASE_WAIT_CPU] = "waited for the CPU of",
	[ANA_PHASE_PREEMPTED] = "was preempted by",
	[ANA_PHASE_STOLEN] = "had its virtual CPU stolen by",
	[ANA_PHASE_THROTTLED] = "was throttled by",
};

/* All parts of one owner in one phase. */
struct owner {
	struct ana_blame_part first; /* the largest part */
	char *text;                  /* owned */
	int64_t time;
	mdl_doubts doubts;
};

static int owner_by_time(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	return BASE_BY(y, x, time) ?: strcmp(x->text, y->text);
}

static void owner_clear(gpointer data)
{
	g_free(((struct owner *)data)->text);
}

/* Sum up the parts of BLAME that are neither the thread's own time nor unknown: of struct owner, longest
 * first. */
static GArray *told_owners(const struct qry *q, const struct ana_blame *blame)
{
	g_autoptr(GHashTable) places = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GArray *owners = g_array_new(FALSE, FALSE, sizeof(struct owner));

	g_array_set_clear_func(owners, owner_clear);
	for (guint i = 0; i < blame->parts->len; i++) {
		const struct ana_blame_part *part = &g_array_index(blame->parts, struct ana_blame_part, i);
		struct owner own = { .first = *part, .time = part->time, .doubts = part->doubts };
		gpointer place;
		char *key;

		if (part->what == ANA_BLAME_UNKNOWN || !did[part->phase])
			continue;
		own.text = ana_blame_part_text(q, part);
		key = g_strdup_printf("%d %s", (int)part->phase, own.text);
		place = g_hash_table_lookup(places, key);
		if (place) {
			struct owner *known = &g_array_index(owners, struct owner,
				GPOINTER_TO_UINT(place) - 1);

			known->time = base_time_sum(known->time, part->time);
			known->doubts |= part->doubts;
			g_free(own.text);
			g_free(key);
			continue;
		}
		g_array_append_val(owners, own);
		g_hash_table_insert(places, key, GUINT_TO_POINTER(owners->len));
	}
	g_array_sort(owners, owner_by_time);
	return owners;
}

static void add_part(struct ana_story *s, const char *what, char *take_text, int64_t time, mdl_doubts doubts,
	bool is_cause)
{
	struct ana_story_part part = { take_text, what, doubts, time, is_cause };

	if (time > 0)
		g_array_append_val(s->parts, part);
	else
		g_free(take_text);
}

/* "wk-rt[547] (real-time)". */
static char *told_name(const struct owner *own)
{
	const struct ana_blame_part *p = &own->first;

	if (p->what != ANA_BLAME_THREAD || p->priority == MDL_PRIORITY_NONE ||
		p->priority >= MDL_PRIORITY_FAIR)
		return g_strdup(own->text);
	return g_strdup_printf("%s (%s)", own->text, mdl_class_name(p->priority));
}

/* Add the parts of BLAME to S.  Returns the ns that the thread ran. */
static int64_t add_parts(struct ana_story *s, const struct qry *q, const struct ana_blame *blame)
{
	g_autoptr(GArray) owners = told_owners(q, blame);
	int64_t ran = 0, slept = 0, absent = 0, unknown = 0, rest = 0;
	mdl_doubts doubts = 0;

	for (guint i = 0; i < blame->parts->len; i++) {
		const struct ana_blame_part *part = &g_array_index(blame->parts, struct ana_blame_part, i);

		if (part->phase == ANA_PHASE_ABSENT)
			absent += part->time;
		else if (part->what == ANA_BLAME_UNKNOWN)
			unknown += part->time;
		else if (part->phase == ANA_PHASE_RUNNING)
			ran += part->time;
		else if (!did[part->phase])
			slept += part->time;
	}
	add_part(s, "", g_strdup("ran itself"), ran, 0, false);
	for (guint i = 0; i < owners->len; i++) {
		const struct owner *own = &g_array_index(owners, struct owner, i);

		if (i < CAUSES) {
			add_part(s, did[own->first.phase], told_name(own), own->time, own->doubts, true);
		} else {
			rest = base_time_sum(rest, own->time);
			doubts |= own->doubts;
		}
	}
	add_part(s, "", g_strdup("slept until its own timer"), slept, 0, false);
	add_part(s, "", g_strdup_printf("%u other causes", owners->len > CAUSES ? owners->len - CAUSES : 0),
		rest, doubts, false);
	add_part(s, "", g_strdup("not known"), unknown, MDL_DOUBT(UNKNOWN), false);
	add_part(s, "", g_strdup("did not exist, or nothing of it is recorded"), absent, MDL_DOUBT(UNKNOWN),
		false);
	return ran;
}

/* "wk-victim[546]: 156 ms, of which 61 % ran; it was preempted by wk-rt[547] (real-time) for 30.0 ms". */
static char *told_sentence(const struct qry *q, const struct ana_story *s, int64_t ran)
{
	g_autofree char *label = qry_row_label(q, s->row),
			*length = base_time_format_duration(s->to - s->from, false);
	GString *text = g_string_new(NULL);
	bool any = false;

	g_string_printf(text, "%s: %s, of which ", label, length);
	ana_overview_put_share(text, ran, s->to - s->from);
	g_string_append(text, " ran");
	for (guint i = 0; i < s->parts->len && !any; i++) {
		const struct ana_story_part *part = &g_array_index(s->parts, struct ana_story_part, i);
		g_autofree char *time = base_time_format_duration(part->time, false);

		any = part->is_cause;
		if (any)
			g_string_append_printf(text, "; it %s %s for %s", part->what, part->text, time);
	}
	return g_string_free(text, FALSE);
}

static void clear_part(gpointer data)
{
	g_free(((struct ana_story_part *)data)->text);
}

struct ana_story *ana_story_new(struct qry *q, uint32_t row, int64_t from, int64_t to,
	struct base_progress *progress, GError **error)
{
	struct ana_story *s = g_new0(struct ana_story, 1);
	struct ana_blame *blame = ana_account_new(q, row, from, to, 0, NULL, progress);
	g_autoptr(GError) problem = NULL;

	s->row = row;
	s->from = from;
	s->to = to;
	s->parts = g_array_new(FALSE, FALSE, sizeof(struct ana_story_part));
	g_array_set_clear_func(s->parts, clear_part);
	s->text = told_sentence(q, s, add_parts(s, q, blame));
	ana_blame_free(blame);
	s->advice = ana_advice_new(q, qry_row(q, row)->host);
	if (s->advice->len > ADVICE)
		g_array_set_size(s->advice, ADVICE);
	s->path = ana_path_new(q, row, from, to, progress, &problem);
	if (base_progress_cancelled(progress) ||
		(problem && !g_error_matches(problem, BASE_ERROR, BASE_ERROR_NO_ANSWER))) {
		if (problem)
			g_propagate_error(error, g_steal_pointer(&problem));
		else
			g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "interrupted");
		ana_story_free(s);
		return NULL;
	}
	return s;
}

void ana_story_free(struct ana_story *s)
{
	if (!s)
		return;
	g_free(s->text);
	g_array_unref(s->parts);
	g_array_unref(s->advice);
	ana_path_free(s->path);
	g_free(s);
}

GPtrArray *ana_story_unknown(const struct ana_story *s)
{
	GPtrArray *lines = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < s->parts->len; i++) {
		const struct ana_story_part *p = &g_array_index(s->parts, struct ana_story_part, i);
		g_autofree char *why = p->is_cause ? ana_doubts_text(p->doubts & ~MDL_DOUBT(UNKNOWN), true)
						   : NULL;

		if (why)
			g_ptr_array_add(lines, g_strdup_printf("%s: %s", p->text, why));
	}
	for (guint i = 0; i < s->advice->len; i++) {
		const struct ana_advice *a = &g_array_index(s->advice, struct ana_advice, i);

		g_ptr_array_add(lines, g_strdup_printf("%s: %s", a->why, a->command));
	}
	return lines;
}
