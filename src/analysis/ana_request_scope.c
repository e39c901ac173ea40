/* SPDX-License-Identifier: MIT */
#include "analysis/ana_request.h"

#include "query/qry_tracer.h"

struct wanted {
	const struct qry *q;
	enum ana_request_scope scope;
	uint32_t process; /* of PROCESS */
	bool hide_tracer;
};

static bool is_tracer(const struct qry *q, uint32_t row)
{
	return row != MDL_NONE && qry_is_tracer(q, row);
}

static bool is_of(const struct qry *q, uint32_t row, uint32_t process)
{
	return row != MDL_NONE && qry_row(q, row)->process == process;
}

static bool is_wanted(const struct wanted *w, const struct ana_request *r)
{
	if (w->hide_tracer && (is_tracer(w->q, r->asker) || is_tracer(w->q, r->server)))
		return false;
	if (w->scope == ANA_REQUEST_INSIDE)
		return r->asker != MDL_NONE && r->server != MDL_NONE;
	return w->scope != ANA_REQUEST_PROCESS || is_of(w->q, r->asker, w->process) ||
		is_of(w->q, r->server, w->process);
}

GArray *ana_request_of_scope(struct qry *q, enum ana_request_scope scope, uint32_t row, int64_t from,
	int64_t to, bool hide_tracer, struct base_progress *progress)
{
	struct wanted w = { q, scope, row == MDL_NONE ? MDL_NONE : qry_row(q, row)->process, hide_tracer };
	GArray *found = ana_request_list(q, scope == ANA_REQUEST_THREAD ? row : MDL_NONE,
		row == MDL_NONE ? MDL_NONE : qry_row(q, row)->host, from, to, progress);
	guint n = 0;

	for (guint i = 0; found && i < found->len; i++) {
		struct ana_request r = g_array_index(found, struct ana_request, i);

		if (is_wanted(&w, &r))
			g_array_index(found, struct ana_request, n++) = r;
	}
	if (found)
		g_array_set_size(found, n);
	return found;
}
