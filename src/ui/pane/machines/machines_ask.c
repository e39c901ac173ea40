/* SPDX-License-Identifier: MIT */
/*
 * One virtual CPU after the other is counted by the worker, and after the last one of a machine what its
 * guest lost; each is shown as soon as it is there.
 */
#include "ui/pane/machines/machines.h"

#include "base/base_error.h"

/* A virtual CPU; or, where VCPU is MDL_NONE, what the guest of a machine lost. */
struct question {
	uint32_t vcpu, host, process, guest;
	int64_t from, to;
};

struct answer {
	bool is_vcpu;
	struct ana_machine_vcpu vcpu;
	struct ana_machine machine;
};

static void answer_free(void *data)
{
	struct answer *answer = data;

	if (answer->is_vcpu)
		ana_machine_vcpu_clear(&answer->vcpu);
	else
		ana_machine_clear(&answer->machine);
	g_free(answer);
}

static void *make_answer(struct qry *q, const void *data, struct base_progress *progress, GError **error)
{
	const struct question *asked = data;
	struct answer *answer = g_new0(struct answer, 1);
	bool whole;

	answer->is_vcpu = asked->vcpu != MDL_NONE;
	if (answer->is_vcpu) {
		answer->vcpu = ana_machine_vcpu_make(q, asked->vcpu);
		whole = ana_machine_vcpu_count(q, &answer->vcpu, asked->from, asked->to, progress);
	} else {
		answer->machine = ana_machine_make(asked->host, asked->process, asked->guest);
		whole = ana_machine_losses(q, &answer->machine, asked->from, asked->to, progress);
	}
	if (whole)
		return answer;
	g_set_error_literal(error, BASE_ERROR, BASE_ERROR_CANCELLED, "the count was stopped");
	answer_free(answer);
	return NULL;
}

/* Ask for what is not counted yet, if there is any. */
static void ask_next(struct machines *m)
{
	struct question next = { .vcpu = MDL_NONE, .from = m->from, .to = m->to };

	for (; m->machine < m->machines->len; m->machine++, m->vcpu = 0) {
		const struct ana_machine *a = &g_array_index(m->machines, struct ana_machine, m->machine);

		if (m->vcpu > a->vcpus->len || (m->vcpu == a->vcpus->len && a->guest == MDL_NONE))
			continue;
		if (m->vcpu < a->vcpus->len)
			next.vcpu = g_array_index(a->vcpus, struct ana_machine_vcpu, m->vcpu).row;
		next.host = a->host;
		next.process = a->process;
		next.guest = a->guest;
		ask_worker_ask(m->ask.worker, &next);
		return;
	}
}

static void swap_vcpu(struct ana_machine_vcpu *to, struct ana_machine_vcpu *from)
{
	struct ana_machine_vcpu empty = *to;

	*to = *from;
	to->cpu = empty.cpu;
	*from = empty;
}

static void swap_losses(struct ana_machine *to, struct ana_machine *from)
{
	GArray *threads = to->threads, *cpus = to->cpus;

	to->threads = from->threads;
	to->cpus = from->cpus;
	to->loss = from->loss;
	from->threads = threads;
	from->cpus = cpus;
}

static void taken(struct ui_pane *pane, void *data, GError *error)
{
	struct machines *m = (struct machines *)pane;
	struct ana_machine *a = &g_array_index(m->machines, struct ana_machine, m->machine);
	struct answer *answer = data;

	ask_worker_problem(&m->ask.problem, error);
	if (!answer) { /* what comes of a damaged index may lack something */
		g_array_set_size(m->lines, 0);
		return;
	}
	if (answer->is_vcpu)
		swap_vcpu(&g_array_index(a->vcpus, struct ana_machine_vcpu, m->vcpu), &answer->vcpu);
	else
		swap_losses(a, &answer->machine);
	answer_free(answer);
	m->vcpu++;
	machines_lines_make(m);
	ask_next(m);
}

const struct ask_kind machines_ask_kind = { .size = sizeof(struct question),
	.answer = make_answer,
	.free = answer_free,
	.taken = taken };

/* Of what time the list should be. */
static void wanted(const struct machines *m, int64_t *from, int64_t *to)
{
	const struct ui_shell *shell = m->pane.shell;

	if (m->whole) {
		*from = shell->span_from;
		*to = shell->span_to;
	} else {
		*from = m->from;
		*to = m->to;
		asking_what(&m->ask, &m->pane, NULL, from, to);
	}
}

void machines_drop(struct machines *m)
{
	ask_worker_cancel(m->ask.worker);
	g_clear_pointer(&m->machines, g_array_unref);
	g_clear_pointer(&m->ask.problem, g_free);
	g_array_set_size(m->lines, 0);
}

/* Ask for [FROM, TO), unless it was. */
static void ask(struct machines *m, int64_t from, int64_t to)
{
	if (m->ask.has_asked && from == m->from && to == m->to)
		return;
	machines_drop(m);
	m->ask.has_asked = true;
	m->ask.gone = false;
	m->from = from;
	m->to = to;
	m->machine = m->vcpu = 0;
	m->machines = ana_machines_list(m->pane.shell->q, from, to);
	machines_lines_make(m);
	ask_next(m);
	ask_worker_wait(m->ask.worker, &m->pane, ASK_AT_ONCE);
}

void machines_ask(struct machines *m)
{
	int64_t from, to;

	wanted(m, &from, &to);
	ask(m, from, to);
}

void machines_ask_again(struct machines *m, int64_t from, int64_t to)
{
	ask(m, from, to);
	asking_stay(&m->ask, &m->pane);
}
