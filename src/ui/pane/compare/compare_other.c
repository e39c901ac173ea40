/* SPDX-License-Identifier: MIT */
/*
 * Another recording, against which is compared.  It is opened by the worker that compares, at the first
 * question about it, and stays open for the next ones.  From the first answer on the screen asks it, too, and
 * everybody else asks a copy (qry_open_again()).
 */
#include "ui/pane/compare/compare.h"

#include "base/base_error.h"
#include "ui/widget/subject.h"

struct compare_other *compare_other_new(const struct ui_options *options, const char *what)
{
	struct compare_other *other = g_atomic_rc_box_new0(struct compare_other);

	other->options = options;
	other->what = what;
	other->is_set = ana_set_is_spec(what);
	return other;
}

struct compare_other *compare_other_ref(struct compare_other *other)
{
	return g_atomic_rc_box_acquire(other);
}

static void compare_other_clear(void *data)
{
	qry_free(((struct compare_other *)data)->q);
}

void compare_other_unref(struct compare_other *other)
{
	g_atomic_rc_box_release_full(other, compare_other_clear);
}

char *compare_other_name(const char *what, const struct qry *q)
{
	if (q)
		return trace_name_text(q);
	return ana_set_is_spec(what) ? g_strdup(what) : g_path_get_basename(what);
}

/* ---- in the worker ---- */

/* The thread of OTHER that has the name of ROW of Q. */
static bool compare_other_find_row(const struct qry *other, const struct qry *q, uint32_t *row,
	GError **error)
{
	const struct qry_row *r = *row == MDL_NONE ? NULL : qry_row(q, *row);
	g_autofree char *on_host = r ? g_strconcat(qry_host(q, r->host)->name, "/", r->name, NULL) : NULL,
			*name = NULL;
	g_autoptr(GError) why = NULL;

	if (!r || qry_find_thread(other, on_host, row, NULL) || qry_find_thread(other, r->name, row, &why))
		return true;
	name = trace_name_text(other);
	return base_error_false(error, BASE_ERROR_NO_ANSWER,
		g_error_matches(why, BASE_ERROR, BASE_ERROR_USAGE)
			? "%s: several threads are called %s: say which with :compare requests:T or latency:KIND:T"
			: "%s: no thread is called %s",
		name, r->name);
}

/* What SET of Q is in the whole of OTHER. */
static struct ana_set *find_there(struct qry *other, const struct qry *q, const struct compare_set *set,
	struct base_progress *progress, GError **error)
{
	struct compare_set there = *set;

	qry_span(other, &there.from, &there.to);
	there.to++; /* what begins at its last instant, too */
	there.marked = NULL;
	return compare_other_find_row(other, q, &there.row, error)
		? compare_set_find(other, &there, progress, error)
		: NULL;
}

struct ana_set *compare_other_find(struct compare_other *other, struct qry *q, const struct compare_set *set,
	struct qry **asked, struct base_progress *progress, GError **error)
{
	*asked = NULL;
	if (other->is_set)
		return ana_set_find(q, other->what, set->from, set->to, progress, error);
	if (!other->q)
		other->q = other->options->open_other(other->options->context, other->what, progress, error);
	if (!other->q)
		return NULL;
	*asked = qry_open_again(other->q, error);
	return *asked ? find_there(*asked, q, set, progress, error) : NULL;
}
