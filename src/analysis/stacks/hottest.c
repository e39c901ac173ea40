/* SPDX-License-Identifier: MIT */
/* Counts the stacks of the samples (stacks.c) by their innermost frames. A stack of an interrupt does not
 * show the work of the thread itself: the names in it identify it (ana_frames_interrupt()). */
#include "analysis/stacks/hottest.h"

#include "analysis/stacks/frames.h"

#include "base/base_search.h"
#include "base/base_time.h"

#include <inttypes.h>
#include <string.h>

#define MOST 3

static int most_first(const void *a, const void *b)
{
	const struct ana_hot *x = a, *y = b;

	return BASE_BY(y, x, samples) ?: strcmp(x->frame, y->frame);
}

/* Add the samples of stack S. Equal frames have one text pointer. PLACES: frame → its place in H + 1. */
static void count(struct ana_hottest *h, GHashTable *places, const struct ana_stack *s)
{
	struct ana_hot hot = { .samples = s->count };
	guint first, place;

	if (ana_frames_interrupt(s->frames, &first))
		return;
	h->samples += s->count;
	if (s->frames->len == 0 || s->count == 0)
		return;
	hot.frame = g_ptr_array_index(s->frames, s->frames->len - 1);
	place = GPOINTER_TO_UINT(g_hash_table_lookup(places, hot.frame));
	if (place > 0) {
		g_array_index(h->frames, struct ana_hot, place - 1).samples += hot.samples;
		return;
	}
	g_array_append_val(h->frames, hot);
	g_hash_table_insert(places, (gpointer)(uintptr_t)hot.frame, GUINT_TO_POINTER(h->frames->len));
}

struct ana_hottest *ana_hottest_new(struct qry *q, uint32_t row, int64_t from, int64_t to,
	struct base_progress *progress, GError **error)
{
	const struct ana_stacks_options options = { .row = row,
		.from = from,
		.to = to,
		.of = ANA_STACKS_CPU };
	struct ana_hottest *h = g_new0(struct ana_hottest, 1);
	g_autoptr(GHashTable) places = g_hash_table_new(NULL, NULL);

	h->frames = g_array_new(FALSE, FALSE, sizeof(struct ana_hot));
	if (!ana_stacks_has_samples(q, qry_row(q, row)->host))
		return h;
	h->stacks = ana_stacks_new(q, &options, progress, error);
	if (!h->stacks) {
		ana_hottest_free(h);
		return NULL;
	}
	for (guint i = 0; i < h->stacks->all->len; i++)
		count(h, places, g_ptr_array_index(h->stacks->all, i));
	g_array_sort(h->frames, most_first);
	g_array_set_size(h->frames, MIN(h->frames->len, MOST));
	for (guint i = 0; i < h->frames->len; i++) {
		struct ana_hot *hot = &g_array_index(h->frames, struct ana_hot, i);

		hot->share = (double)hot->samples / (double)h->samples;
	}
	return h;
}

void ana_hottest_free(struct ana_hottest *h)
{
	if (!h)
		return;
	g_array_unref(h->frames);
	ana_stacks_free(h->stacks);
	g_free(h);
}

/* True if FRAME is the name of a function, not an address, and not a file with an offset. */
static bool is_function(const char *frame)
{
	return (g_ascii_isalpha(*frame) || *frame == '_') &&
		!frame[strspn(frame, G_CSET_a_2_z G_CSET_A_2_Z G_CSET_DIGITS "_.")];
}

char *ana_hottest_text(const struct ana_hottest *h, int64_t time)
{
	g_autofree char *length = base_time_format_duration(time, !g_get_charset(NULL));
	GString *text;

	if (h->frames->len == 0)
		return NULL;
	text = g_string_new(NULL);
	g_string_append_printf(text, "ran %s", length);
	for (guint i = 0; i < h->frames->len; i++) {
		const struct ana_hot *hot = &g_array_index(h->frames, struct ana_hot, i);

		g_string_append_printf(text, "%s %.0f %% %s%s", i > 0 ? "," : ":", 100 * hot->share,
			hot->frame, is_function(hot->frame) ? "()" : "");
	}
	g_string_append_printf(text, ", by %" PRIu64 " sample%s", h->samples, h->samples == 1 ? "" : "s");
	return g_string_free(text, FALSE);
}
