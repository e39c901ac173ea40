/* SPDX-License-Identifier: MIT */
/*
 * A summary is made when it is first asked for, not with the index: it needs the latencies and causes of the
 * whole trace, which take about as long as the index itself.
 */
#include "app/app_summary.h"

#include "app/app_open.h"
#include "base/base_error.h"
#include "fleet/flt_summary.h"

/* True if the file PATH is the summary with FINGERPRINT and the host name HOST (NULL: any). */
static bool is_fresh(const char *path, const char *fingerprint, const char *host)
{
	struct flt_summary *s = flt_summary_read(path, fingerprint, FLT_ALL, NULL);
	bool fresh = s && (!host || g_str_equal(s->host, host));

	flt_summary_free(s);
	return fresh;
}

static bool summary_write(struct qry *q, const struct app_summary *of, const char *path,
	const char *fingerprint, struct base_progress *progress, GError **error)
{
	struct flt_summary *s = flt_summary_make(q, progress, error);
	bool fine;

	if (!s)
		return false;
	if (of->host) {
		g_free(s->host);
		s->host = g_strdup(of->host);
	}
	fine = flt_summary_write(s, path, fingerprint, error);
	flt_summary_free(s);
	return fine;
}

bool app_summary_make(const struct ing_result *r, const struct app_summary *of, char **path, bool *made,
	struct base_progress *progress, GError **error)
{
	const struct ing_options options = { .force = false };
	const struct app_clocks clocks = { .sync = NULL };
	g_autoptr(GPtrArray) one = g_ptr_array_new();
	g_autofree char *fingerprint = NULL;
	struct qry *q;
	bool fine;

	g_ptr_array_add(one, (gpointer)(uintptr_t)r);
	q = app_open_prepared(one, &options, &clocks, progress, error);
	if (!q)
		return false;
	fingerprint = flt_summary_fingerprint(q);
	*path = of->as ? g_strdup(of->as) : flt_summary_path(r->index);
	*made = of->force || !is_fresh(*path, fingerprint, of->host);
	fine = !*made || summary_write(q, of, *path, fingerprint, progress, error);
	qry_free(q);
	if (!fine)
		g_clear_pointer(path, g_free);
	return fine;
}
