/* SPDX-License-Identifier: MIT */
/* The three lists of the pane: cases, each with its rank; groups; kinds with their figures. */
#include "ui/pane/latency/latency.h"

#include "base/base_time.h"

/* ---- rows ---- */

char *latency_list_label(const struct latency *l, const struct ana_latency_case *c)
{
	g_autofree char *row = c->row == MDL_NONE ? g_strdup("") : qry_row_label(l->pane.shell->q, c->row);

	if (c->key && l->list->of_device && *row)
		return g_strdup_printf("%s for %s", c->key, row);
	return c->key && (l->list->of_device || !*row) ? g_strdup(c->key) : g_steal_pointer(&row);
}

/* The cause of a case, without the prefix that most causes have. */
static const char *cause_of(const struct ana_latency_case *c)
{
	static const char prefix[] = "ran instead: ";

	return c->cause && g_str_has_prefix(c->cause, prefix) ? c->cause + sizeof prefix - 1 : c->cause;
}

/* A case with its rank, from 1.  The context is the struct latency.  Its costly columns are known once it is
 * explained. */
TABLE_COLUMNS(worst_columns)
{
	const struct ana_latency_case *c = row;

	TABLE_COLUMN("rank", ">#", TABLE_NUMBER, "", number = (int64_t)in->number + 1);
	TABLE_COLUMN("latency", ">LATENCY", TABLE_DURATION, "", number = c->latency);
	TABLE_COLUMN("start", "FROM", TABLE_TIME, "", number = c->start);
	TABLE_COLUMN("end", "TO", TABLE_TIME, "", number = c->end);
	TABLE_COLUMN("subject", "OF", TABLE_WORD | TABLE_COSTLY, "",
		taken = latency_list_label(in->context, c));
	TABLE_COLUMN("cpu", ">CPU", TABLE_NUMBER, "", number = table_id(c->cpu));
	TABLE_COLUMN("key", "KEY", TABLE_WORD | TABLE_COSTLY, "", word = c->key);
	TABLE_COLUMN("cause", "CAUSE", TABLE_LONG | TABLE_COSTLY, "", word = cause_of(c));
}

TABLE_COLUMNS(open_columns)
{
	const struct ana_latency_case *c = row;

	TABLE_COLUMN("rank", ">#", TABLE_NUMBER, "", number = (int64_t)in->number + 1);
	TABLE_COLUMN("open_for", ">OPEN FOR", TABLE_DURATION, "", number = c->latency);
	TABLE_COLUMN("start", "FROM", TABLE_TIME, "", number = c->start);
	TABLE_COLUMN("subject", "OF", TABLE_WORD | TABLE_COSTLY, "",
		taken = latency_list_label(in->context, c));
	TABLE_COLUMN("key", "KEY", TABLE_LONG | TABLE_COSTLY, "", word = c->key);
}

TABLE_COLUMNS(kind_columns)
{
	const struct latency_kind *k = row;
	bool counted = k && k->known && !k->problem, has = counted && k->f.count;

	TABLE_COLUMN("name", "KIND", TABLE_WORD, "", word = k->name);
	TABLE_COLUMN("count", ">CASES", TABLE_NUMBER, "",
		number = counted ? (int64_t)k->f.count : BASE_TIME_NONE);
	TABLE_COLUMN("p50", ">P50", TABLE_DURATION, "", number = has ? k->f.p50 : BASE_TIME_NONE);
	TABLE_COLUMN("p99", ">P99", TABLE_DURATION, "", number = has ? k->f.p99 : BASE_TIME_NONE);
	TABLE_COLUMN("max", ">MAX", TABLE_DURATION, "", number = has ? k->f.max : BASE_TIME_NONE);
	TABLE_COLUMN("outliers", ">OUTLIERS", TABLE_NUMBER, "",
		number = has && k->f.outliers ? (int64_t)k->f.outliers : BASE_TIME_NONE);
	TABLE_COLUMN("unfinished", ">OPEN", TABLE_NUMBER, "",
		number = counted && k->f.unfinished ? (int64_t)k->f.unfinished : BASE_TIME_NONE);
	TABLE_COLUMN("note", "", TABLE_LONG, "", word = k->known ? k->problem : "...");
}

static const struct table worst_table = { .list = "cases", .columns = worst_columns },
			  open_table = { .list = "cases", .columns = open_columns },
			  kind_table = { .list = "kinds", .columns = kind_columns };

static struct latency *of(const struct list *l)
{
	return (struct latency *)l->self;
}

static bool is_marked(const struct list *list, guint row)
{
	const struct latency *l = of(list);
	const struct ana_latency_case *c = row < l->lines->len ? &latency_line(l, row)->c : NULL;

	return c && compare_set_is_marked(l->marks, c->row, c->start, c->end);
}

/* True if ROW is the current kind. */
static bool is_present(const struct list *list, guint row)
{
	return row == of(list)->kind;
}

/* The list of the current table of PANE. */
static struct list *rows_of(struct ui_pane *pane)
{
	struct latency *l = (struct latency *)pane;

	return &l->lists[l->table];
}

const struct list_kind latency_rows_kind = {
	.table = &worst_table,
	.columns = "rank latency start subject cpu? cause",
	.sort = "latency",
	.none = "no case here",
	.is_marked = is_marked,
	.within = rows_of,
};

static const struct list_kind open_kind =
	{
		.table = &open_table,
		.columns = "rank open_for start subject key",
		.none = "looking for unfinished cases",
		.is_marked = is_marked,
	},
			      group_kind =
	{
		.table = &table_latency_groups,
		.columns = "count=>CASES sum p50=>P50 p99=>P99 max=>MAX outliers? unfinished=>OPEN name",
		.sort = "sum",
		.none = "no case here",
	},
			      kind_kind = {
				      .table = &kind_table,
				      .is_marked = is_present,
			      };

void latency_rows_init(struct latency *l)
{
	list_embed(&l->lists[LATENCY_CASES], &l->pane, &latency_rows_kind);
	list_embed(&l->lists[LATENCY_GROUPS], &l->pane, &group_kind);
	list_embed(&l->lists[LATENCY_KINDS], &l->pane, &kind_kind);
}

void latency_rows_clear(struct latency *l)
{
	for (unsigned i = 0; i < LATENCY_TABLES; i++)
		list_embed_clear(&l->lists[i]);
}

/* ---- filling ---- */

static guint count_explained(const struct latency *l)
{
	guint n = 0;

	for (guint rank = 0; l->lines && rank < l->lines->len; rank++)
		n += latency_line(l, rank)->explained;
	return n;
}

void latency_rows_fill(struct latency *l, enum latency_table table)
{
	struct list *list = &l->lists[table];
	const GArray *groups = latency_has_groups(l) ? l->list->groups : NULL;

	switch (table) {
	case LATENCY_CASES: /* struct latency_line starts with its struct ana_latency_case */
		list->kind = l->open ? &open_kind : &latency_rows_kind;
		list_fill(list, l, l->lines ? l->lines->data : NULL, l->lines ? l->lines->len : 0,
			sizeof(struct latency_line));
		list_know_rows(list, count_explained(l));
		break;
	case LATENCY_GROUPS:
		list_fill(list, l->list, groups ? groups->data : NULL, groups ? groups->len : 0,
			sizeof(struct ana_latency_group));
		break;
	default: list_fill(list, l, l->kinds, l->n_kinds, sizeof(struct latency_kind));
	}
}
