/* SPDX-License-Identifier: MIT */
/*
 * The input of programs that draw flame graphs (B. Gregg, stackcollapse): a line for each stack. It has the
 * frames, outermost first, separated by ';', then a space and the time in ns.
 */
#include "export/exp.h"

#include <inttypes.h>
#include <string.h>

#define FRAMES_MAX 32 /* of a path; deeper segments are below the frame "[deeper]" */

/* Append FRAME, with '_' for the characters that separate frames and the number. */
static void append_frame(GString *out, const char *frame)
{
	if (out->len && out->str[out->len - 1] != '\n')
		g_string_append_c(out, ';');
	for (const char *p = frame; *p; p++)
		g_string_append_c(out, *p == ';' || *p == ' ' || *p == '\n' ? '_' : *p);
}

/* A line: "wk-ioburst;do_syscall_64;…;schedule 1234"; with several hosts "HOST;wk-ioburst;…". */
bool exp_stacks_folded(GString *out, G_GNUC_UNUSED struct qry *q, const void *result,
	G_GNUC_UNUSED const struct exp_options *o, G_GNUC_UNUSED GError **error)
{
	const struct ana_stacks *all = result;

	for (guint i = 0; i < all->all->len; i++) {
		const struct ana_stack *s = g_ptr_array_index(all->all, i);

		if (all->several)
			append_frame(out, s->host);
		append_frame(out, s->name);
		if (s->waker)
			append_frame(out, s->waker);
		for (guint k = 0; k < s->frames->len; k++)
			append_frame(out, g_ptr_array_index(s->frames, k));
		g_string_append_printf(out, " %" PRId64 "\n", s->time);
	}
	return true;
}

/* ---- stacks of a path ---- */

static void append_row(GString *out, const struct qry *q, uint32_t row)
{
	g_autofree char *label = row == MDL_NONE ? NULL : qry_row_label(q, row);

	if (label)
		append_frame(out, label);
}

/* The threads that wait for each other at segment S, the subject first (ABOVE has the waiting row of each
 * depth). The actor of the segment follows if it is another one: a disk, an interrupt. The caller frees. */
static char *stack_of(const struct qry *q, const struct ana_path *path, const struct ana_segment *s,
	const GArray *above)
{
	const struct ana_actor *actor = ana_path_actor(path, s->actor);
	GString *stack = g_string_new(NULL);

	for (uint32_t d = 0; d < MIN(s->depth, above->len); d++)
		append_row(stack, q, g_array_index(above, uint32_t, d));
	if (s->depth > FRAMES_MAX)
		append_frame(stack, "[deeper]");
	append_row(stack, q, s->row);
	if (actor->row != s->row)
		append_frame(stack, actor->label);
	append_frame(stack, ana_segment_kind_name(s->kind));
	return g_string_free(stack, FALSE);
}

struct folded {
	char *stack; /* owned by the table */
	int64_t time;
};

static int folded_by_time(const void *a, const void *b)
{
	const struct folded *x = a, *y = b;

	return x->time != y->time ? (x->time < y->time) - (x->time > y->time) : strcmp(x->stack, y->stack);
}

/* Update ABOVE for segment S in the walk backwards over the path. */
static void set_above(GArray *above, const struct ana_segment *s)
{
	uint32_t nobody = MDL_NONE; /* for depths that are left out: the window ends within those waits */

	if (s->depth == 0 || s->depth >= FRAMES_MAX)
		return;
	g_array_set_size(above, MIN(above->len, s->depth));
	while (above->len < s->depth)
		g_array_append_val(above, nobody);
	g_array_append_val(above, s->row);
}

/* The sums (struct folded) of all stacks; TABLE owns the stacks. The walk goes backwards, so a waiting row
 * comes before the rows that it waits for. */
static GArray *folded_fold(const struct qry *q, const struct ana_path *path, GHashTable *table)
{
	GArray *all = g_array_new(FALSE, FALSE, sizeof(struct folded));
	g_autoptr(GArray) above = g_array_new(FALSE, FALSE, sizeof(uint32_t));

	g_array_append_val(above, path->subject);
	for (guint i = path->segments->len; i-- > 0;) {
		const struct ana_segment *s = ana_path_segment(path, i);
		char *stack = stack_of(q, path, s, above);
		gpointer found;
		struct folded line = { stack, s->to - s->from };

		if (g_hash_table_lookup_extended(table, stack, NULL, &found)) {
			g_array_index(all, struct folded, GPOINTER_TO_UINT(found)).time += line.time;
			g_free(stack);
		} else {
			g_hash_table_insert(table, stack, GUINT_TO_POINTER(all->len));
			g_array_append_val(all, line);
		}
		set_above(above, s);
	}
	g_array_sort(all, folded_by_time);
	return all;
}

/* A line: "client/wk-client[541];httpd/wk-server[492];running 1234". The client waited as the server ran. */
bool exp_path_folded(GString *out, struct qry *q, const void *result,
	G_GNUC_UNUSED const struct exp_options *o, G_GNUC_UNUSED GError **error)
{
	g_autoptr(GHashTable) table = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GArray) all = folded_fold(q, result, table);

	for (guint i = 0; i < all->len; i++) {
		const struct folded *line = &g_array_index(all, struct folded, i);

		g_string_append_printf(out, "%s %" PRId64 "\n", line->stack, line->time);
	}
	return true;
}

/* ---- stacks of two sets of paths ---- */

static void append_actors(GString *out, const struct ana_fold *fold, uint32_t actor)
{
	g_autofree char *name = actor == MDL_NONE ? NULL : ana_fold_actor_text(fold, actor);

	if (!name)
		return;
	append_actors(out, fold, g_array_index(fold->actors, struct ana_fold_actor, actor).above);
	append_frame(out, name);
}

/* A line: "client/wk-client;httpd/wk-server;running 1000 1234". The numbers are the mean of the fast or older
 * paths, then that of the others, as difffolded.pl passes them to flamegraph.pl. */
bool exp_compare_folded(GString *out, G_GNUC_UNUSED struct qry *q, const void *result,
	G_GNUC_UNUSED const struct exp_options *o, G_GNUC_UNUSED GError **error)
{
	const struct ana_compare *c = result;

	for (guint i = 0; i < c->rows->len; i++) {
		const struct ana_compare_row *r = &g_array_index(c->rows, struct ana_compare_row, i);
		const struct ana_fold_step *s = &g_array_index(c->fold->steps, struct ana_fold_step, r->step);
		g_autofree char *doing = ana_fold_doing(s);

		append_actors(out, c->fold, s->actor);
		append_frame(out, doing);
		g_string_append_printf(out, " %" PRId64 " %" PRId64 "\n", r->in[ANA_COMPARE_FAST].mean,
			r->in[ANA_COMPARE_SLOW].mean);
	}
	return true;
}
