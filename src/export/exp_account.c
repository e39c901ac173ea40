/* SPDX-License-Identifier: MIT */
/* The time of a thread split by what used it (BLAME of cli.md), and the steps of its longest wait. */
#include "export/exp.h"

#include "export/exp_rows.h"
#include "table/rows.h"

#include "analysis/account/account.h"
#include "analysis/account/resched.h"
#include "analysis/cpu/frequency.h"
#include "analysis/latency/program.h"
#include "analysis/stacks/hottest.h"
#include "analysis/stacks/moment.h"
#include "analysis/wait/blocked.h"
#include "base/base_time.h"
#include "query/symbols/symbols.h"

#include <inttypes.h>

/* ---- a wait: its steps ---- */

/* Add a step, with its time from the end of the wait: "-43.7 ms IRQ 28 virtio2-req.0 sent the IPI inferred:
 * REASONS; ipi_send_cpu would prove it". */
static void put_hop(struct exp_table *t, const struct ana_why *why, const struct ana_why_hop *hop)
{
	int64_t after = hop->from - why->to;
	g_autofree char *length = table_duration_text(ABS(after)),
			*reasons = ana_doubts_text(hop->doubts & ~MDL_DOUBT(UNKNOWN), true);

	exp_table_take(t, g_strdup_printf("%s%s", after < 0 ? "-" : after > 0 ? "+" : "", length));
	exp_table_take(t, g_strdup_printf("%*s%s", (int)(2 * hop->level), "", hop->label));
	exp_table_add(t, hop->text);
	exp_table_take(t,
		g_strconcat(ana_grade_name(hop->doubts), reasons ? ": " : "", reasons ? reasons : "",
			hop->missing ? "; " : "", hop->missing ? hop->missing : "",
			hop->missing ? " would prove it" : "", NULL));
}

void exp_why(GString *out, const struct qry *q, const struct ana_why *why)
{
	static const char *const headers[] = { ">AT", "STEP", "WHAT", "GRADE", NULL };
	g_autofree char *label = qry_row_label(q, why->row),
			*length = table_duration_text(why->to - why->from), *end = table_time_text(why->to);
	struct exp_table *t = exp_table_new(headers, NULL);

	exp_table_append_clean(out, label);
	g_string_append_printf(out, " waited %s until %s\n", length, end);
	exp_table_append_clean(out, why->headline);
	g_string_append_c(out, '\n');
	for (guint i = 0; i < why->hops->len; i++)
		put_hop(t, why, &g_array_index(why->hops, struct ana_why_hop, i));
	exp_table_finish(t, out);
}

#define COLUMNS 72 /* of the line of letters */

/* ---- parts, with their call stacks and need-resched ---- */

#define WIDTH 110 /* columns of a line of calls */

/* A line for each part, or more: "B  jbd2/vdb-8[405] at sched_switch: __schedule < schedule < …". */
static void put_moments_text(GString *out, struct qry *q, const struct ana_moments *moments)
{
	bool any = false;

	for (guint i = 0; i < moments->all->len; i++) {
		const struct ana_moment *moment = ana_moments_of(moments, i);
		GPtrArray *lines = moment ? ana_moment_lines(q, moment, WIDTH - 3) : NULL;

		if (lines && !any)
			g_string_append(out, "\nCall stacks:\n");
		any = any || lines;
		for (guint k = 0; lines && k < lines->len; k++) {
			g_string_append_printf(out, "%c  ", k > 0 ? ' ' : ana_blame_letter(i));
			exp_table_append_clean(out, g_ptr_array_index(lines, k));
			g_string_append_c(out, '\n');
		}
		g_clear_pointer(&lines, g_ptr_array_unref);
	}
}

/* The sum over all waits for a CPU, and a line for each part that had to leave its CPU: "A  wk-victim[1173]:
 * a switch was due for 1.19 ms, first at 00:06:59.457488729, hrtimer_expire_exit on CPU 0". */
static void put_resched_text(GString *out, struct qry *q, const struct table_account *account)
{
	struct ana_resched sum = ana_resched_sum(account->resched);
	g_autofree char *text = ana_resched_text(&sum);

	if (*text == '\0')
		return;
	g_string_append_printf(out, "\nNeed-resched while it waited for a CPU: %s\n", text);
	for (guint i = 0; i < account->resched->len; i++) {
		const struct ana_resched *resched = ana_resched_of(account->resched, i);
		g_autofree char *who = NULL, *due = NULL, *time = NULL;

		if (!resched || !resched->event)
			continue;
		who = ana_blame_part_text(q, &g_array_index(account->blame.parts, struct ana_blame_part, i));
		due = ana_resched_text(resched);
		time = base_time_format_clock(resched->time, 9);
		g_string_append_printf(out, "%c  ", ana_blame_letter(i));
		exp_table_append_clean(out, who);
		g_string_append_printf(out, ": %s, first at %s, ", due, time);
		exp_table_append_clean(out, resched->event);
		g_string_append_printf(out, " on CPU %" PRIu32 "\n", resched->cpu);
	}
}

/* ---- the whole ---- */

static GString *wait_json(const struct ana_why *why, const struct ana_blocked *blocked)
{
	GString *o;

	if (!why)
		return NULL;
	o = base_json_object();
	base_json_time(o, "from", why->from);
	base_json_time(o, "to", why->to);
	base_json_text(o, "kind", ana_kind_name(why->source.kind));
	base_json_text(o, "text", why->headline);
	base_json_text(o, "function", blocked->function);
	base_json_text(o, "memory", blocked->memory);
	if (blocked->memory)
		table_json_grade(o, "memory_", blocked->doubts);
	else
		table_json_no_grade(o, "memory_");
	return o;
}

static void put_memory_text(GString *out, const struct ana_blocked *blocked)
{
	g_autofree char *doubts = ana_doubts_text(blocked->doubts, true);

	g_string_append_printf(out, "it waited in %s (%s: %s)\n", blocked->memory,
		ana_grade_name(blocked->doubts), doubts);
}

/* The counts of the thread in the window: "of 18.2 ms on CPUs: 61.0 M cycles, …", "of 11.1 ms (57.0
 * %) of 19.5 ms on CPUs: …". */
static void put_counts_text(GString *out, struct qry *q, const struct qry_counts *counts,
	const struct exp_options *o)
{
	g_autofree char *text = table_counts_text(q, counts), *time = table_duration_text(counts->time),
			*all = NULL;
	struct qry_cell cell;
	double percent;

	if (!text)
		return;
	qry_share(q, o->row, o->from, o->to, &cell);
	all = table_duration_text(qry_cell_on_cpu(&cell));
	percent = 100 * (double)counts->time / (double)MAX(qry_cell_on_cpu(&cell), 1);
	if (g_str_equal(all, time) || percent >= 100)
		g_string_append_printf(out, "of %s on CPUs: ", time);
	else
		g_string_append_printf(out, "of %s (%.1f %%) of %s on CPUs: ", time, percent, all);
	exp_table_append_clean(out, text);
	g_string_append_c(out, '\n');
}

static void put_counts_json(GString *out, const struct qry *q, const struct qry_counts *counts)
{
	if (!qry_has_counters(q))
		return;
	base_json_put(out, "counters", table_counts_json(q, counts));
	base_json_time(out, "counters_time", table_counts_time(counts));
}

/* The parts of an answer; each is weak. */
struct account {
	const struct ana_blame *blame;
	const guint *most;
	const struct table_account *table;
	const GArray *memory;
	const struct ana_hottest *hottest;
	const struct ana_speed *speed;
};

/* The frequency of the CPUs while the thread ran. */
static void put_speed_text(GString *out, const struct ana_speed *speed)
{
	g_autofree char *text = ana_speed_text(speed);

	if (text)
		g_string_append_printf(out, "%s\n", text);
}

static GString *speed_json(const struct ana_speed *speed)
{
	GString *o;

	if (speed->time <= 0)
		return NULL;
	o = base_json_object();
	base_json_int(o, "mean", (int64_t)(speed->mean + 0.5));
	base_json_int(o, "lowest", (int64_t)speed->lowest);
	base_json_int(o, "highest", (int64_t)speed->highest);
	base_json_int(o, "time", speed->time);
	return o;
}

/* Where the thread ran itself: "ran 20.0 ms: 61 % compute(), …". */
static void put_hottest_text(GString *out, const struct account *a)
{
	g_autofree char *text = ana_hottest_text(a->hottest,
		ana_blame_phase_time(a->blame, ANA_PHASE_RUNNING));

	if (!text)
		return;
	exp_table_append_clean(out, text);
	g_string_append(out, " (inferred)\n");
}

/* The window; its phases, "preempted 160 s (88.0 %), blocked 18.0 s (9.9 %)"; and a line with the letter of
 * the largest part in each column. */
static void put_head_text(GString *out, struct qry *q, const struct account *a, const GArray *phases,
	const struct qry_counts *counts, const struct exp_options *o)
{
	g_autofree char *label = qry_row_label(q, o->row), *from = base_time_format_clock(o->from, 9),
			*length = table_duration_text(o->to - o->from);

	exp_table_append_clean(out, label);
	g_string_append_printf(out, ": %s from %s on\n", length, from);
	for (guint i = 0; i < phases->len; i++) {
		const struct ana_blame_phase *p = &g_array_index(phases, struct ana_blame_phase, i);
		g_autofree char *time = table_duration_text(p->time);

		g_string_append_printf(out, "%s%s %s (%.1f %%)", i > 0 ? ", " : "", ana_phase_name(p->phase),
			time, 100 * (double)p->time / (double)(a->blame->to - a->blame->from));
	}
	g_string_append_c(out, '\n');
	put_counts_text(out, q, counts, o);
	put_hottest_text(out, a);
	put_speed_text(out, a->speed);
	g_string_append_c(out, '|');
	for (unsigned c = 0; c < COLUMNS; c++)
		g_string_append_c(out, a->most[c] == UINT_MAX ? ' ' : ana_blame_letter(a->most[c]));
	g_string_append(out, "|\n");
}

static bool put_account(GString *out, struct qry *q, const struct account *a, const struct exp_options *o,
	GError **error)
{
	g_autoptr(GArray) phases = ana_blame_phases(a->blame);
	struct ana_why *why = ana_account_why(q, o->row, o->from, o->to);
	struct ana_blocked blocked = { 0 };
	bool fine = !why || ana_blocked_find(q, o->row, why->from, &why->source.wakeup, &blocked, error);
	struct qry_counts counts;

	if (!fine) {
		ana_why_free(why);
		return false;
	}
	qry_counts(q, o->row, o->from, o->to, &counts);
	if (o->format == TABLE_JSON) {
		base_json_put(out, "subject", table_json_subject(q, o->row));
		exp_json_window(out, o);
		base_json_text(out, "program_names", qry_has_symfs(q) ? "inferred" : NULL);
		base_json_put(out, "wait", wait_json(why, &blocked));
		put_counts_json(out, q, &counts);
		base_json_put(out, "frequency", speed_json(a->speed));
		fine = exp_rows_all(out, &table_account_phases, o, q, a->blame, error);
	} else if (o->format == TABLE_TEXT) {
		put_head_text(out, q, a, phases, &counts, o);
	}
	fine = fine && exp_rows_all(out, &table_account, o, q, a->table, error);
	if (fine && o->format == TABLE_TEXT && a->memory->len > 0)
		g_string_append_c(out, '\n');
	if (o->format == TABLE_JSON || (o->format == TABLE_TEXT && a->memory->len > 0))
		fine = fine && exp_rows_all(out, &table_account_memory, o, q, a->memory, error);
	if (o->format == TABLE_JSON) {
		fine = fine && exp_rows_all(out, &table_account_hottest, o, q, a->hottest, error);
		fine = fine && exp_rows_all(out, &table_account_chain, o, q, why, error);
	} else if (o->format == TABLE_TEXT) {
		put_moments_text(out, q, a->table->moments);
		put_resched_text(out, q, a->table);
		if (why) {
			g_string_append(out, "\nLongest wait for others:\n");
			exp_why(out, q, why);
			if (blocked.memory)
				put_memory_text(out, &blocked);
			if (blocked.function) {
				g_string_append(out, "the kernel's function in which it waited: ");
				exp_table_append_clean(out, blocked.function);
				g_string_append(out, blocked.io ? ", for I/O\n" : "\n");
			}
		}
	}
	g_free(blocked.function);
	ana_why_free(why);
	return fine;
}

EXP_WRITER(exp_account)
{
	guint most[COLUMNS];
	struct ana_blame *blame = ana_account_new(q, o->row, o->from, o->to, COLUMNS, most, o->progress);
	struct ana_moments *moments = ana_moments_new(q, o->row, blame, o->progress, error);
	GArray *resched = moments ? ana_resched_new(q, o->row, blame, o->progress, error) : NULL;
	struct table_account account = { *blame, moments, resched };
	g_autoptr(GArray) memory = resched ? ana_program_memory(q, o->row, o->from, o->to, o->progress, error)
					   : NULL;
	struct ana_hottest *hottest = memory ? ana_hottest_new(q, o->row, o->from, o->to, o->progress, error)
					     : NULL;
	struct ana_speed speed;
	const struct account all = { blame, most, &account, memory, hottest, &speed };
	bool fine = hottest && ana_speed_find(q, o->row, o->from, o->to, &speed, o->progress, error) &&
		put_account(out, q, &all, o, error);

	ana_hottest_free(hottest);
	g_clear_pointer(&resched, g_array_unref);
	ana_moments_free(moments);
	ana_blame_free(blame);
	return fine;
}
