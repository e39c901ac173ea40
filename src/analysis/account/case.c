/* SPDX-License-Identifier: MIT */
/*
 * How it works: the row of a CPU shows its owner at each instant (ana_blame), so a handler has the spans of
 * its own context, and the innermost context shows its interrupts. The steps of requests are stored as spans
 * (MDL_SPAN_STEP). The request of a case has the same thread and CPU, begins with the case, and its steps end
 * with it or later. If several requests fit, the request is unknown.
 *
 * Under PREEMPT_RT a softirq runs in a thread: ksoftirqd, the thread of an interrupt, or a thread that lets
 * softirqs run again (__local_bh_enable_ip() in kernel/softirq.c). It is the thread on the CPU when the
 * softirq begins.
 */
#include "analysis/account/account.h"

#include "analysis/wait/steps.h"
#include "base/base_search.h"
#include "query/cases/spans.h"

struct teller {
	struct qry *q;
	const struct ana_account_of *of;
	ana_blame_span span;
	void *data;
};

static struct ana_blame_part case_part_of(const struct ana_account_of *of, enum ana_blame_what what)
{
	return ana_blame_part(what, what == ANA_BLAME_UNKNOWN ? ANA_PHASE_ABSENT : ANA_PHASE_BLOCKED,
		of->host, MDL_NONE);
}

static void case_tell(const struct teller *t, struct ana_blame_part part, int64_t from, int64_t to)
{
	part.from = MAX(from, t->of->from);
	part.to = MIN(to, t->of->to);
	part.time = part.to - part.from;
	if (part.from < part.to)
		t->span(t->data, &part);
}

/* ---- owners of a CPU, and waits for it ---- */

/* Pass SPAN, of the owner of the CPU, as a wait for that CPU. */
static void tell_occupant(void *data, const struct ana_blame_part *span)
{
	const struct teller *t = data;
	struct ana_blame_part part = *span;

	part.phase = part.what == ANA_BLAME_UNKNOWN ? ANA_PHASE_ABSENT
		: part.what == ANA_BLAME_VCPU       ? ANA_PHASE_STOLEN
		: t->of->what == ANA_ACCOUNT_DUE    ? ANA_PHASE_LATE
						    : ANA_PHASE_WAIT_CPU;
	t->span(t->data, &part);
}

uint32_t ana_account_case_thread(struct qry *q, const struct ana_account_of *of)
{
	uint32_t cpu = of->cpu == MDL_NONE ? MDL_NONE : qry_cpu_row(q, of->host, of->cpu);
	struct mdl_interval iv;

	if (of->what != ANA_ACCOUNT_HANDLER || cpu == MDL_NONE || of->row == MDL_NONE ||
		qry_row(q, of->row)->type != MDL_ROW_SOFTIRQ || !qry_kernel_state_at(q, cpu, of->from, &iv) ||
		!mdl_state_runs(iv.state) || iv.aux == MDL_NONE || qry_row(q, iv.aux)->nr == 0)
		return MDL_NONE;
	return iv.aux;
}

/* Pass SPAN, of the owner of the handler's CPU, perhaps the handler itself. */
static void tell_handler(void *data, const struct ana_blame_part *span)
{
	const struct teller *t = data;
	const struct ana_account_of *of = t->of;
	struct ana_blame_part part = *span, unknown = case_part_of(of, ANA_BLAME_UNKNOWN);

	if (part.what == ANA_BLAME_VCPU) {
		part.phase = ANA_PHASE_STOLEN;
	} else if (part.context != MDL_NONE && part.row == of->row) {
		part.what = ANA_BLAME_RUNNING;
		part.phase = ANA_PHASE_RUNNING;
		part.name = NULL;
		part.row = part.context = MDL_NONE;
	} else if (part.context != MDL_NONE) {
		part.phase = ANA_PHASE_INTERRUPTED;
	} else { /* a handler never gives up its CPU: its begin or end is unseen */
		case_tell(t, unknown, span->from, span->to);
		return;
	}
	t->span(t->data, &part);
}

/* ---- requests ---- */

/* The candidates: all steps with the thread and CPU of the case that overlap it. */
struct steps {
	const struct ana_account_of *of;
	GArray *all; /* of struct mdl_span */
};

static void take_step(void *data, const struct idx_spans_found *found)
{
	const struct steps *s = data;
	const struct mdl_span *span = &found->span;

	if (found->host == s->of->host && span->row == s->of->row && span->cpu == s->of->cpu &&
		span->fate == MDL_SPAN_DONE && span->end > s->of->from && span->start < s->of->to)
		g_array_append_val(s->all, *span);
}

static uint64_t request_of(const struct mdl_span *step)
{
	return step->key >> 8;
}

static int by_request(const void *a, const void *b)
{
	const struct mdl_span *x = a, *y = b;

	return BASE_ORDER(request_of(x), request_of(y)) ?: BASE_BY(x, y, start);
}

static const struct mdl_span *step_at(const struct steps *s, guint i)
{
	return &g_array_index(s->all, struct mdl_span, i);
}

/* The steps of the one request that begins with the case and ends with it or later: *FIRST up to, not
 * including, *END. Split requests begin together (bio_split(), block/bio.c): the one that ends with the case
 * counts, if there is one. Returns false if there is no request, or several. */
static bool find_request(const struct steps *s, guint *first, guint *end)
{
	unsigned exact = 0, longer = 0; /* those that end with the case, and after it */

	for (guint i = 0, next; i < s->all->len; i = next) {
		int64_t over;

		for (next = i + 1;
			next < s->all->len && request_of(step_at(s, next)) == request_of(step_at(s, i));
			next++)
			;
		over = step_at(s, next - 1)->end;
		if (step_at(s, i)->start != s->of->from || over < s->of->to)
			continue;
		exact += over == s->of->to;
		longer += over > s->of->to;
		if (over > s->of->to && exact > 0)
			continue;
		*first = i;
		*end = next;
	}
	return exact == 1 || (exact == 0 && longer == 1);
}

static void tell_request(const struct teller *t)
{
	const struct ana_account_of *of = t->of;
	const struct qry_spans_meeting near = { of->from, of->to, 0, 0, MDL_NONE };
	struct steps steps = { of, g_array_new(FALSE, FALSE, sizeof(struct mdl_span)) };
	struct ana_blame_part part;
	struct qry_spans spans;
	guint i = 0, end = 0;

	if (qry_spans_open(t->q, MDL_SPAN_STEP, &spans, NULL, NULL))
		qry_spans_meet(t->q, &spans, &near, take_step, &steps);
	g_array_sort(steps.all, by_request);
	if (!find_request(&steps, &i, &end)) {
		case_tell(t, case_part_of(of, ANA_BLAME_UNKNOWN), of->from, of->to);
		end = i;
	}
	for (; i < end; i++) {
		const struct mdl_span *step = step_at(&steps, i);

		part = case_part_of(of, ANA_BLAME_DEVICE);
		part.name = qry_device_name(t->q, of->host, of->device);
		part.step = ana_step_words((enum ana_step_what)(step->key >> 4 & 0xf));
		part.doubts = part.alone = (step->key & 0xf) == MDL_PROVED ? 0 : MDL_DOUBT(ALIKE);
		case_tell(t, part, step->start, step->end);
	}
	g_array_unref(steps.all);
}

/* ---- the whole ---- */

void ana_account_case_spans(struct qry *q, const struct ana_account_of *of, ana_blame_span span, void *data)
{
	struct teller t = { q, of, span, data };
	struct ana_blame_part part;
	const char *interface;

	switch (of->what) {
	case ANA_ACCOUNT_HANDLER:
		ana_blame_spans(q, of->host, of->cpu, of->from, of->to, tell_handler, &t);
		break;
	case ANA_ACCOUNT_PENDING:
	case ANA_ACCOUNT_DUE:
		ana_blame_spans(q, of->host, of->cpu, of->from, of->to, tell_occupant, &t);
		break;
	case ANA_ACCOUNT_REQUEST: tell_request(&t); break;
	case ANA_ACCOUNT_PACKET:
		part = case_part_of(of, ANA_BLAME_NETWORK);
		interface = qry_string(q, of->host, of->device);
		part.name = *interface ? interface : NULL;
		part.doubts = part.alone = MDL_DOUBT(WAY);
		case_tell(&t, part, of->from, of->to);
		break;
	default: case_tell(&t, case_part_of(of, ANA_BLAME_UNKNOWN), of->from, of->to); break;
	}
}
