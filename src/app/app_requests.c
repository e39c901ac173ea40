/* SPDX-License-Identifier: MIT */
#include "app/app_command.h"
#include "app/app_session.h"

/* The other ends; false when that was interrupted. */
static bool find_peers(struct app_session *s, GArray *exchanges, GError **error)
{
	for (guint i = 0; i < exchanges->len; i++) {
		if (!app_session_not_cancelled(s, error))
			return false;
		ana_exchange_peer(s->q, &g_array_index(exchanges, struct ana_exchange, i));
	}
	return true;
}

static bool answer(struct app_session *s, GString *out, GError **error)
{
	GArray *exchanges;
	struct exp_options *o = &s->options;
	bool whole;

	if (!app_session_thread(s, &o->row, error) ||
		!app_session_instants(s, o->row, &o->from, &o->to, error))
		return false;
	exchanges = ana_exchange_list(s->q, o->row, o->from, o->to, s->progress);
	if (!exchanges)
		return app_session_not_cancelled(s, error);
	app_session_warn(s->q);
	whole = find_peers(s, exchanges, error);
	whole = whole && app_session_write(s, exchanges, out, error);
	g_array_unref(exchanges);
	return whole;
}

static bool run(const struct app_args *args, GError **error)
{
	return app_session_needs_thread(args, error) && app_session_run(args, answer, error);
}

const struct app_command app_requests = {
	.name = "requests",
	.operands = "TRACE... --thread T",
	.summary =
		"What a thread asked of others over the net, or was asked: each request with its reply, and who was at the other end.",
	.options = APP_TAKES_THREAD | APP_TAKES_WINDOW | APP_TAKES_OUTPUT,
	.run = run,
};
