/* SPDX-License-Identifier: MIT */
/*
 * The list: machines; their virtual CPUs; for each, the time in each state, and below a state its first few
 * parts; then the time lost by the guest, by CPU and by thread.  A part leads to its worst case.
 *
 * A line has the time, the share, the count, the longest.  A virtual CPU has a bar of its states; the marks
 * of the bar are before the states' names.  Below the list are all details of the selected line.
 */
#include "ui/pane/machines/machines.h"

#include "analysis/kind/advice.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "model/kernel/exit.h"
#include "ui/widget/host_look.h"
#include "ui/widget/subject.h"
#include "ui/widget/looks.h"

#define FEW 3 /* parts shown of a section that is not open */

/* The sections of a row. */
enum section { ITSELF, INSIDE, HANDLED, INTERRUPTED, HALTED, BLOCKED, ASLEEP, PREEMPTED, UNKNOWN, LOST };

static uint64_t section_of(uint32_t row, enum section section)
{
	return (uint64_t)row << 8 | section;
}

static bool is_toggled(const struct machines *m, uint64_t section)
{
	return g_hash_table_contains(m->toggled, &section);
}

/* The ns that virtual CPU V existed in the window, at least 1. */
static int64_t machines_life(const struct ana_machine_vcpu *v)
{
	return MAX(v->inside + v->handled + v->interrupted + v->halted + v->blocked + v->preempted +
			v->unknown,
		1);
}

/* A line of SECTION that leads to ROW, without a time.  Takes ownership of TEXT. */
static struct machines_line machines_lines_line_of(enum machines_what what, uint64_t section, char *text,
	uint32_t row)
{
	return (struct machines_line){ .what = what,
		.section = section,
		.state = MDL_ST_N,
		.text = text,
		.row = row,
		.at = BASE_TIME_NONE,
		.wait_end = BASE_TIME_NONE,
		.account = MDL_NONE };
}

static void clear_line(void *line)
{
	g_free(((struct machines_line *)line)->text);
}

/* ---- parts ---- */

/* True if part I of N of a section is shown.  In place of the first hidden part, adds a line with the number
 * of hidden parts. */
static bool wants_part(struct machines *m, uint64_t section, guint i, guint n)
{
	struct machines_line more;

	if (i < FEW || n == FEW + 1 || is_toggled(m, section) != m->all)
		return true;
	if (i > FEW)
		return false;
	more = machines_lines_line_of(MACHINES_MORE, section, g_strdup_printf("and %u more", n - FEW),
		MDL_NONE);
	g_array_append_val(m->lines, more);
	return false;
}

/* Add LINE about V's thread: TIME ns in COUNT occurrences, the longest took WORST ns and began at AT. */
static void machines_lines_add_part(struct machines *m, const struct ana_machine_vcpu *v,
	struct machines_line *line, int64_t time, uint64_t count, int64_t worst, int64_t at)
{
	line->time = time;
	line->of = machines_life(v);
	line->count = count;
	line->worst = worst;
	line->at = at;
	line->account = v->thread;
	g_array_append_vals(m->lines, line, 1);
}

/* Add the exits, or interrupts, of V. */
static void add_parts(struct machines *m, const struct ana_machine_vcpu *v, enum section section,
	const GArray *parts)
{
	const struct qry *q = m->pane.shell->q;

	for (guint i = 0; i < parts->len; i++) {
		const struct ana_machine_part *p = &g_array_index(parts, struct ana_machine_part, i);
		struct machines_line line;

		if (!wants_part(m, section_of(v->row, section), i, parts->len))
			continue;
		line = machines_lines_line_of(MACHINES_PART, section_of(v->row, section),
			section == INTERRUPTED ? qry_context_text(q, qry_row(q, v->row)->host, p->what)
				: p->what == 0 ? g_strdup("reason unknown")
					       : mdl_exit_name(p->what),
			v->row);
		machines_lines_add_part(m, v, &line, p->time, p->count, p->worst, p->worst_at);
	}
}

/* Add the halts of V, by the interrupt that ended them. */
static void add_halts(struct machines *m, const struct ana_machine_vcpu *v)
{
	uint64_t section = section_of(v->row, HALTED);

	for (guint i = 0; i < v->halts->len; i++) {
		const struct ana_halt *h = &g_array_index(v->halts, struct ana_halt, i);
		struct machines_line line;

		if (!wants_part(m, section, i, v->halts->len))
			continue;
		line = machines_lines_line_of(MACHINES_PART, section, ana_halt_text(m->pane.shell->q, h),
			v->row);
		machines_lines_add_part(m, v, &line, h->time, h->count, h->worst, h->worst_at);
	}
}

/* Add the threads that had the CPU instead of V, or the causes of its sleeps. */
static void add_entries(struct machines *m, const struct ana_machine_vcpu *v, enum section section,
	const GArray *entries)
{
	for (guint i = 0; i < entries->len; i++) {
		const struct ana_causes_entry *e = &g_array_index(entries, struct ana_causes_entry, i);
		struct machines_line line;

		if (!wants_part(m, section_of(v->row, section), i, entries->len))
			continue;
		line = machines_lines_line_of(MACHINES_PART, section_of(v->row, section),
			g_strdup_printf("%s: %s", ana_kind_name(e->kind),
				host_look_without(m->pane.shell->q, e->host, e->label)),
			e->longest_row);
		line.time = e->total;
		line.of = machines_life(v);
		line.count = e->count;
		line.worst = e->longest;
		line.at = line.wait_end = e->longest_end;
		line.account = v->thread;
		g_array_append_val(m->lines, line);
	}
}

/* "wk-rank0[583]: preempted 78.5 ms, exits 11.2 ms". */
static char *loss_text(struct ui_shell *shell, const struct ana_machine_loss *loss)
{
	g_autofree char *preempted = ui_shell_duration_text(shell, loss->preempted),
			*exits = ui_shell_duration_text(shell, loss->exit),
			*label = qry_row_label(shell->q, loss->row);

	return g_strdup_printf("%s: preempted %s, exits %s",
		host_look_without(shell->q, qry_row(shell->q, loss->row)->host, label), preempted, exits);
}

static int64_t lost(const GArray *losses, guint i)
{
	const struct ana_machine_loss *loss = &g_array_index(losses, struct ana_machine_loss, i);

	return base_time_sum(loss->preempted, loss->exit);
}

/* Add the CPUs, or threads, of a guest that lost time. */
static void add_losses(struct machines *m, uint64_t section, const GArray *losses)
{
	struct ui_shell *shell = m->pane.shell;
	guint n = 0;

	while (n < losses->len && lost(losses, n) > 0)
		n++;
	for (guint i = 0; i < n; i++) {
		const struct ana_machine_loss *loss = &g_array_index(losses, struct ana_machine_loss, i);
		struct machines_line line;

		if (!wants_part(m, section, i, n))
			continue;
		line = machines_lines_line_of(MACHINES_PART, section, loss_text(shell, loss), loss->row);
		line.time = lost(losses, i);
		line.of = base_time_sum(line.time, loss->inside);
		line.worst = loss->worst;
		if (loss->worst > 0) {
			line.at = loss->worst_at;
			line.wait_end = loss->worst_at + loss->worst;
		}
		if (qry_row(shell->q, loss->row)->type == MDL_ROW_THREAD)
			line.account = loss->row;
		g_array_append_val(m->lines, line);
	}
}

/* ---- states, virtual CPUs, machines ---- */

/* The line before FIRST, a state, leads to where FIRST, its first part, leads. */
static void lead_to_first(struct machines *m, guint first)
{
	struct machines_line *line = &g_array_index(m->lines, struct machines_line, first - 1);

	if (first == m->lines->len)
		return;
	line->row = machines_line(m, first)->row;
	line->at = machines_line(m, first)->at;
	line->wait_end = machines_line(m, first)->wait_end;
}

static void add_states(struct machines *m, const struct ana_machine_vcpu *v)
{
	const struct {
		const char *word;
		int64_t time;
		const GArray *parts;
		enum section section;
		enum mdl_state state;
	} all[] = { { "inside", v->inside, NULL, INSIDE, MDL_ST_RUNNING },
		{ "handled", v->handled, v->exits, HANDLED, MDL_ST_VCPU_EXIT },
		{ "interrupted", v->interrupted, v->interrupts, INTERRUPTED, MDL_ST_INTERRUPTED },
		{ "preempted", v->preempted, v->by, PREEMPTED, MDL_ST_VCPU_PREEMPTED },
		{ "halted", v->halted, NULL, HALTED, MDL_ST_IDLE },
		{ "blocked", v->blocked, NULL, BLOCKED, MDL_ST_BLOCKED },
		{ "asleep, by cause", v->halted + v->blocked, v->waits, ASLEEP, MDL_ST_N },
		{ "unknown", v->unknown, NULL, UNKNOWN, MDL_ST_UNKNOWN } };

	for (unsigned i = 0; i < G_N_ELEMENTS(all); i++) {
		struct machines_line line;
		guint first;

		if (all[i].time == 0)
			continue;
		line = machines_lines_line_of(MACHINES_STATE, section_of(v->row, all[i].section),
			g_strdup(all[i].word), v->row);
		line.time = all[i].time;
		line.of = machines_life(v);
		line.state = all[i].state;
		line.account = v->thread;
		g_array_append_val(m->lines, line);
		first = m->lines->len;
		if (all[i].section == HANDLED || all[i].section == INTERRUPTED)
			add_parts(m, v, all[i].section, all[i].parts);
		else if (all[i].section == HALTED)
			add_halts(m, v);
		else if (all[i].parts)
			add_entries(m, v, all[i].section, all[i].parts);
		lead_to_first(m, first);
	}
}

static void add_vcpu(struct machines *m, const struct ana_machine_vcpu *v)
{
	const struct qry *q = m->pane.shell->q;
	g_autofree char *label = qry_row_label(q, v->thread),
			*cpu = v->cpu == MDL_NONE ? NULL : qry_row_label(q, v->cpu);
	const char *name = host_look_without(q, qry_row(q, v->thread)->host, label);
	struct machines_line line = machines_lines_line_of(MACHINES_VCPU, section_of(v->row, ITSELF),
		cpu ? g_strdup_printf("%s is %s", name, cpu) : g_strdup(name), v->row);

	line.vcpu = v;
	line.account = v->thread;
	g_array_append_val(m->lines, line);
	if (!is_toggled(m, line.section))
		add_states(m, v);
}

static void add_lost(struct machines *m, const struct ana_machine *a)
{
	uint64_t section = section_of(a->process, LOST);
	int64_t time = base_time_sum(a->loss.preempted, a->loss.exit);
	struct machines_line line;
	guint first;

	if (time == 0)
		return;
	line = machines_lines_line_of(MACHINES_STATE, section,
		g_strdup_printf("lost by %s", qry_host(m->pane.shell->q, a->guest)->name), a->process);
	line.time = time;
	line.of = base_time_sum(time, a->loss.inside);
	line.worst = a->loss.worst;
	g_array_append_val(m->lines, line);
	first = m->lines->len;
	if (a->cpus->len > 1)
		add_losses(m, section, a->cpus);
	add_losses(m, section, a->threads);
	lead_to_first(m, first);
}

static void add_machine(struct machines *m, const struct ana_machine *a)
{
	const struct qry *q = m->pane.shell->q;
	g_autofree char *label = qry_row_label(q, a->process);
	struct machines_line line = machines_lines_line_of(MACHINES_MACHINE, section_of(a->process, ITSELF),
		g_strdup_printf("%s%s%s: %u virtual CPU%s", label, a->guest == MDL_NONE ? "" : " runs ",
			a->guest == MDL_NONE ? "" : qry_host(q, a->guest)->name, a->vcpus->len,
			base_text_s(a->vcpus->len)),
		a->process);

	g_array_append_val(m->lines, line);
	if (is_toggled(m, line.section))
		return;
	for (guint i = 0; i < a->vcpus->len; i++)
		add_vcpu(m, &g_array_index(a->vcpus, struct ana_machine_vcpu, i));
	if (a->guest != MDL_NONE)
		add_lost(m, a);
}

void machines_lines_make(struct machines *m)
{
	if (!m->lines) {
		m->lines = g_array_new(FALSE, FALSE, sizeof(struct machines_line));
		g_array_set_clear_func(m->lines, clear_line);
	}
	g_array_set_size(m->lines, 0);
	for (guint i = 0; m->machines && i < m->machines->len; i++)
		add_machine(m, &g_array_index(m->machines, struct ana_machine, i));
	list_view_go(&m->view, 0, m->lines->len);
}

void machines_lines_toggle(struct machines *m)
{
	uint64_t section = machines_line(m, m->view.line)->section;
	unsigned head = m->view.line;

	while (head > 0 && machines_line(m, head - 1)->section == section)
		head--;
	m->view.line = head;
	if (!g_hash_table_remove(m->toggled, &section))
		g_hash_table_add(m->toggled, g_memdup2(&section, sizeof section));
	machines_lines_make(m);
}

/* ---- drawing ---- */

#define BAR_FROM 6 /* minimum lines for details of the selected line */
#define BAR_MIN 10 /* minimum columns of a virtual CPU's bar */
#define BAR_MAX 100

enum { TIME_END = 10, SHARE_END = 17, COUNT_END = 24, WORST_END = 34, TEXT = 35 };

/* The number of counted virtual CPUs; *ALL becomes the number of all. */
static guint counted(const struct machines *m, guint *all)
{
	guint done = 0;

	*all = 0;
	for (guint i = 0; i < m->machines->len; i++) {
		guint n = g_array_index(m->machines, struct ana_machine, i).vcpus->len;

		*all += n;
		done += i < m->machine ? n : i == m->machine ? MIN(m->vcpu, n) : 0;
	}
	return done;
}

void machines_draw_title(struct ui_pane *pane, GString *title)
{
	const struct machines *m = (const struct machines *)pane;
	guint done, all;

	if (!m->ask.has_asked)
		return;
	scope_title(m->pane.shell, title, "Virtual machines", NULL, m->from, m->to);
	if (!m->machines || (!ask_worker_busy(m->pane.worker) && !m->ask.problem))
		return;
	done = counted(m, &all);
	g_string_append_printf(title, "  %s%u of %u virtual CPUs counted", m->ask.problem ? "stopped: " : "",
		done, all);
}

/* ---- the bar ---- */

/* Draw the states of V in WIDTH columns, as if V had been in one after the other: each column has the state
 * at its middle. */
static void machines_draw_draw_bar(const struct term_area *area, unsigned x, unsigned y, unsigned width,
	const struct ana_machine_vcpu *v)
{
	const struct {
		enum mdl_state state;
		int64_t time;
	} parts[] = { { MDL_ST_RUNNING, v->inside }, { MDL_ST_VCPU_EXIT, v->handled },
		{ MDL_ST_INTERRUPTED, v->interrupted }, { MDL_ST_VCPU_PREEMPTED, v->preempted },
		{ MDL_ST_IDLE, v->halted }, { MDL_ST_BLOCKED, v->blocked }, { MDL_ST_UNKNOWN, v->unknown } };
	double share = (double)machines_life(v) / width, end = 0;
	unsigned column = 0;

	for (unsigned i = 0; i < G_N_ELEMENTS(parts); i++)
		for (end += (double)parts[i].time; column < width && (column + 0.5) * share < end; column++)
			term_area_char(area, x + column, y,
				TERM_ROLE_STATE_UNKNOWN + (unsigned)parts[i].state,
				state_look_pattern(area->grid, parts[i].state));
}

/* ---- lines ---- */

static void machines_draw_draw_line(const struct term_area *area, unsigned y,
	const struct machines_line *line)
{
	unsigned x = TEXT + 1 + 4 * (line->what >= MACHINES_PART);

	if (line->of > 0) {
		term_area_duration(area, TIME_END, y,
			line->what == MACHINES_STATE ? TERM_ROLE_STRONG : TERM_ROLE_TEXT, line->time);
		term_area_number(area, SHARE_END, y, TERM_ROLE_TEXT, "%.1f%%",
			100 * (double)line->time / (double)line->of);
	}
	if (line->count > 0)
		term_area_number(area, COUNT_END, y, TERM_ROLE_TEXT, "%" G_GUINT64_FORMAT, line->count);
	if (line->worst > 0)
		term_area_duration(area, WORST_END, y, TERM_ROLE_TEXT, line->worst);
	switch (line->what) {
	case MACHINES_MACHINE: term_area_fit(area, 1, y, area->w - 2, TERM_ROLE_STRONG, line->text); break;
	case MACHINES_VCPU:
		x = term_area_fit(area, 3, y, area->w - 4, TERM_ROLE_NAME_THREAD, line->text) + 2;
		if (x + BAR_MIN < area->w && machines_life(line->vcpu) > 1)
			machines_draw_draw_bar(area, x, y, MIN(area->w - x - 1, BAR_MAX), line->vcpu);
		break;
	case MACHINES_STATE:
		if (line->state < MDL_ST_N)
			term_area_char(area, x, y, TERM_ROLE_STATE_UNKNOWN + (unsigned)line->state,
				state_look_pattern(area->grid, line->state));
		term_area_fit(area, x + 2, y, area->w - MIN(area->w, x + 2), TERM_ROLE_TEXT, line->text);
		break;
	case MACHINES_PART:
	case MACHINES_MORE:
		term_area_fit(area, x, y, area->w - MIN(area->w, x),
			line->what == MACHINES_MORE ? TERM_ROLE_DIM : TERM_ROLE_TEXT, line->text);
		break;
	}
}

/* Draw all details of the selected line, and the time of its worst case. */
static void draw_selected(const struct machines *m, const struct term_area *area, unsigned y)
{
	const struct machines_line *line = machines_line(m, m->view.line);
	g_autofree char *at = line->at != BASE_TIME_NONE ? ui_shell_time_text(m->pane.shell, line->at) : NULL;
	g_autofree char *text = at ? g_strdup_printf("%s; the worst %s %s", line->text,
					     line->wait_end == line->at ? "until" : "at", at)
				   : g_strdup(line->text);

	term_area_fill(area, 0, y, area->w, 1, TERM_ROLE_TITLE, ' ');
	term_area_fit(area, 1, y, area->w - 1, TERM_ROLE_TITLE, text);
}

/* Draw the reason why no machine is known. */
static void draw_none(const struct machines *m, const struct term_area *area)
{
	const struct qry *q = m->pane.shell->q;
	bool recorded = false;

	for (uint32_t i = 0; i < qry_row_count(q) && !recorded; i++)
		recorded = qry_row(q, i)->type == MDL_ROW_VCPU;
	if (recorded) {
		term_area_text(area, 1, 0, TERM_ROLE_DIM, "no virtual machine ran here");
		return;
	}
	term_area_fit(area, 1, 0, area->w - 1, TERM_ROLE_DIM,
		"no virtual machine ran, or KVM was not recorded; to record it, on the host:");
	term_area_fit(area, 3, 1, area->w - 3, TERM_ROLE_TEXT, ana_advice_machines(q, 0));
}

void machines_draw(struct machines *m, const struct term_area *area)
{
	unsigned bar = area->h >= BAR_FROM && m->lines->len > 0;
	struct term_area list;

	if (m->lines->len == 0) {
		draw_none(m, area);
		return;
	}
	term_area_fill(area, 0, 0, area->w, 1, TERM_ROLE_TITLE, ' ');
	term_area_before(area, TIME_END, 0, TERM_ROLE_TITLE, "time");
	term_area_before(area, SHARE_END, 0, TERM_ROLE_TITLE, "share");
	term_area_before(area, COUNT_END, 0, TERM_ROLE_TITLE, "count");
	term_area_before(area, WORST_END, 0, TERM_ROLE_TITLE, "worst");
	term_area_text(area, TEXT + 1, 0, TERM_ROLE_TITLE, "virtual CPU, state, cause");
	list = list_view_area(&m->view, area, 1, bar, m->lines->len);
	for (unsigned y = 0; y < m->view.seen; y++)
		machines_draw_draw_line(&list, y, machines_line(m, m->view.top + y));
	list_view_mark(&m->view, &m->pane, &list);
	if (bar)
		draw_selected(m, area, area->h - 1);
}
