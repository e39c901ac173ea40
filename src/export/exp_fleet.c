/* SPDX-License-Identifier: MIT */
/* The answers about a fleet: a line about all hosts, then the rows of its tables. */
#include "export/exp_rows.h"

#include "base/base_text.h"
#include "fleet/flt_fleet.h"

#include <inttypes.h>

#define TOLD 20 /* rows shown in text without --top */

/* The number of rows to write for O. */
static uint64_t most_of(const struct exp_options *o)
{
	return o->top > 0 ? o->top : table_told(o->format) ? TOLD : UINT64_MAX;
}

static void put_head(GString *out, const struct flt_fleet *f)
{
	g_string_append_printf(out, "%u of %u hosts stand out", f->standing, f->hosts->len);
	if (f->judged < f->hosts->len)
		g_string_append_printf(out, "; %u could not be compared%s", f->hosts->len - f->judged,
			f->hosts->len < FLT_FEWEST
				? ": a role needs at least " G_STRINGIFY(FLT_FEWEST) " hosts"
				: "");
	g_string_append_c(out, '\n');
}

static bool put_rows(GString *out, const struct table *table, const struct exp_options *o, struct qry *q,
	const struct flt_fleet *f, GError **error)
{
	uint64_t left = 0;

	if (!exp_rows_table(out, table, o, q, f, most_of(o), &left, error))
		return false;
	if (o->format == TABLE_TEXT && left > 0)
		g_string_append_printf(out, "and %" PRIu64 " more; --top N lists N of them\n", left);
	return true;
}

/* Write the rows of TABLE after the first list of a result. CSV has only one list. */
static bool put_more(GString *out, const struct table *table, const char *title, const struct exp_options *o,
	struct qry *q, const struct flt_fleet *f, GError **error)
{
	if (o->format == TABLE_CSV)
		return true;
	if (table_told(o->format))
		g_string_append_printf(out, "\n%s\n%s", title, o->format == TABLE_MARKDOWN ? "\n" : "");
	return put_rows(out, table, o, q, f, error);
}

static bool put_latency(GString *out, const struct exp_options *o, struct qry *q,
	const struct exp_fleet_of *of, GError **error)
{
	const struct flt_fleet *f = of->fleet;

	if (!of->kind)
		return put_rows(out, &table_fleet_kinds, o, q, f, error);
	if (o->format == TABLE_JSON)
		base_json_text(out, "kind", of->kind);
	return put_rows(out, &table_fleet_groups, o, q, f, error) &&
		put_more(out, &table_fleet_worst, "The worst:", o, q, f, error);
}

EXP_WRITER(exp_fleet)
{
	const struct exp_fleet_of *of = result;
	const struct flt_fleet *f = of->fleet;
	bool fine;

	if (o->format == TABLE_JSON) {
		base_json_int(out, "hosts_all", f->hosts->len);
		base_json_int(out, "hosts_compared", f->judged);
		base_json_int(out, "hosts_standing_out", f->standing);
	} else if (table_told(o->format)) {
		put_head(out, f);
		if (o->format == TABLE_MARKDOWN)
			g_string_append_c(out, '\n');
	}
	switch (of->what) {
	case EXP_FLEET_LATENCY: fine = put_latency(out, o, q, of, error); break;
	case EXP_FLEET_CAUSES: fine = put_rows(out, &table_fleet_causes, o, q, f, error); break;
	case EXP_FLEET_COMPARE: fine = put_rows(out, &table_fleet_differences, o, q, f, error); break;
	default: fine = put_rows(out, &table_fleet_hosts, o, q, f, error); break;
	}
	return fine && (f->left->len == 0 || put_more(out, &table_fleet_left, "Left out:", o, q, f, error));
}
