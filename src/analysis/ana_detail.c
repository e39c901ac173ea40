/* SPDX-License-Identifier: MIT */
/* The words for what a segment of a path is about, made when they are asked for. */
#include "analysis/ana_instead.h"
#include "analysis/ana_path.h"

static char *state_text(const struct qry *q, const struct ana_detail *d)
{
	struct mdl_interval iv = { .state = (uint8_t)d->state, .detail = d->value, .aux = d->cpu };

	return qry_detail_text(q, d->row, &iv);
}

static char *waiter_text(const struct qry *q, const struct ana_detail *d)
{
	char *who = qry_row_label(q, d->row), *how = state_text(q, d);
	char *text = g_strdup_printf("wait of %s%s%s", who, how ? ", " : "", how ? how : "");

	g_free(who);
	g_free(how);
	return text;
}

char *ana_path_detail(struct qry *q, const struct ana_segment *segment)
{
	const struct ana_detail *d = &segment->detail;

	switch (d->kind) {
	case ANA_DETAIL_TEXT:
		return g_strdup(d->text);
	case ANA_DETAIL_STATE:
		return state_text(q, d);
	case ANA_DETAIL_INSTEAD:
		return ana_instead_text(q, qry_row(q, d->row)->host, d->cpu, segment->from, segment->to, false);
	case ANA_DETAIL_WAITER:
		return waiter_text(q, d);
	case ANA_DETAIL_NONE:
		break;
	}
	return NULL;
}
