/* SPDX-License-Identifier: MIT */
/* Kinds whose cases are spans, from one event to another that belongs to it (rules: model/span/span.c). */
#include "analysis/latency/kind.h"
#include "analysis/cpu/cpuwait.h"

#include "base/base_time.h"

#define STATES_TOLD 3

/* ---- what the thread did meanwhile ---- */

/* "blocked 3.20 ms, syscall 104 µs". */
void ana_latency_explain_thread(struct qry *q, struct ana_latency_case *c)
{
	GString *text = g_string_new(NULL);
	struct qry_cell cell;

	if (c->row != MDL_NONE && qry_row(q, c->row)->type == MDL_ROW_THREAD) {
		qry_share(q, c->row, c->start, c->end, &cell);
		for (unsigned i = 0; i < STATES_TOLD; i++) {
			unsigned state = 0;
			char *time;

			for (unsigned s = 1; s < MDL_ST_N; s++)
				if (cell.ns[s] > cell.ns[state])
					state = s;
			if (cell.ns[state] == 0)
				break;
			time = base_time_format_duration(cell.ns[state], false);
			g_string_append_printf(text, "%s%s %s", i > 0 ? ", " : "", mdl_state_name(state),
				time);
			cell.ns[state] = 0;
			g_free(time);
		}
	}
	c->cause = g_string_free(text, text->len == 0);
}

/* Explain a wait for a futex: its holders, then what the thread did. */
static void explain_futex(struct qry *q, struct ana_latency_case *c)
{
	g_autofree char *holders = ana_latency_holders(q, c), *did = NULL;

	ana_latency_explain_thread(q, c);
	if (!holders)
		return;
	did = c->cause;
	c->cause = did ? g_strdup_printf("%s; %s", holders, did) : g_steal_pointer(&holders);
}

/* ---- owners of the CPU meanwhile ---- */

static void explain_cpu(struct qry *q, struct ana_latency_case *c)
{
	if (c->cpu != MDL_NONE)
		c->cause = ana_occupants_text(q, c->host, c->cpu, c->start, c->end, true);
}

#define KEY(of, kind)                                                             \
	static char *key_of_##of(struct qry *q, const struct ana_latency_case *c) \
	{                                                                         \
		return qry_span_key(q, c->host, kind, c->number);                 \
	}
KEY(syscall, MDL_SPAN_SYSCALL)
KEY(irq, MDL_SPAN_IRQ)
KEY(softirq, MDL_SPAN_SOFTIRQ)
KEY(address, MDL_SPAN_FUTEX)
KEY(request, MDL_SPAN_BLOCK)
KEY(return, MDL_SPAN_RETURN)

/* Any kind of key with an IRQ line works as MDL_SPAN_IRQ; any with a request, as MDL_SPAN_BLOCK. */
static char *device_of_line(struct qry *q, const struct ana_latency_case *c)
{
	return qry_span_device(q, c->host, MDL_SPAN_IRQ, c->number);
}

static char *device_of_request(struct qry *q, const struct ana_latency_case *c)
{
	return qry_span_device(q, c->host, MDL_SPAN_BLOCK, c->number);
}

/* Needs of several kinds. */
#define ONE(GROUP) (UINT64_C(1) << MDL_GROUP_##GROUP)
#define CALL_ENTRIES                                  \
	{                                             \
		ONE(SYSCALL), "syscall_entry_*", NULL \
	}
#define CALL_EXITS                                                     \
	{                                                              \
		ONE(SYSCALL_EXIT), "syscall_entry_*", "syscall_exit_*" \
	}
#define REQUESTS                                                    \
	{ ONE(REQUEST), "block_rq_*", NULL },                       \
	{                                                           \
		ONE(REQUEST_END), "block_rq_*", "block_rq_complete" \
	}

const struct ana_latency_kind ana_latency_syscall = { .name = "syscall",
	.from = ANA_LATENCY_FROM_THREADS,
	.needs = { CALL_ENTRIES, CALL_EXITS },
	.span = MDL_SPAN_SYSCALL,
	.explain = ana_latency_explain_thread,
	.key = key_of_syscall,
	.call = key_of_syscall };
const struct ana_latency_kind ana_latency_futex = { .name = "futex",
	.from = ANA_LATENCY_FROM_THREADS,
	.needs = { CALL_ENTRIES, { 0, "syscall_entry_futex", NULL }, CALL_EXITS },
	.span = MDL_SPAN_FUTEX,
	.explain = explain_futex,
	.key = key_of_address,
	.call = ana_latency_call_of };
const struct ana_latency_kind ana_latency_irq = { .name = "irq",
	.from = ANA_LATENCY_FROM_EVENTS,
	.needs = { { ONE(IRQ), "irq_handler_*", NULL } },
	.of_lines = true,
	.span = MDL_SPAN_IRQ,
	.account = ANA_ACCOUNT_HANDLER,
	.key = key_of_irq,
	.device = device_of_line };
const struct ana_latency_kind ana_latency_softirq = { .name = "softirq",
	.from = ANA_LATENCY_FROM_EVENTS,
	.needs = { { ONE(SOFTIRQ), "irq_softirq_*", NULL } },
	.of_lines = true,
	.span = MDL_SPAN_SOFTIRQ,
	.account = ANA_ACCOUNT_HANDLER,
	.key = key_of_softirq };
const struct ana_latency_kind ana_latency_raise = { .name = "softirq-raise",
	.from = ANA_LATENCY_FROM_EVENTS,
	.needs = { { ONE(RAISE), "irq_softirq_raise", NULL }, { ONE(SOFTIRQ), "irq_softirq_*", NULL } },
	.of_lines = true,
	.span = MDL_SPAN_RAISE,
	.account = ANA_ACCOUNT_PENDING,
	.explain = explain_cpu,
	.key = key_of_softirq };
const struct ana_latency_kind ana_latency_timer = { .name = "timer",
	.from = ANA_LATENCY_FROM_EVENTS,
	.needs = { { ONE(HRTIMER_START), "timer_hrtimer_start", NULL },
		{ ONE(HRTIMER), "timer_hrtimer_expire_*", NULL } },
	.of_lines = true,
	.span = MDL_SPAN_TIMER,
	.account = ANA_ACCOUNT_DUE,
	.explain = explain_cpu,
	.key = key_of_address };
const struct ana_latency_kind ana_latency_queue = { .name = "work-queue",
	.from = ANA_LATENCY_FROM_EVENTS,
	.needs = { { ONE(WORK_QUEUE), "workqueue_queue_work", NULL },
		{ ONE(WORK), "workqueue_execute_*", NULL } },
	.span = MDL_SPAN_QUEUE,
	.explain = ana_latency_explain_thread,
	.key = key_of_address };
const struct ana_latency_kind ana_latency_work = { .name = "work",
	.from = ANA_LATENCY_FROM_EVENTS,
	.needs = { { ONE(WORK), "workqueue_execute_*", NULL },
		{ ONE(WORK_END), "workqueue_execute_*", "workqueue_execute_end" } },
	.span = MDL_SPAN_WORK,
	.explain = ana_latency_explain_thread,
	.key = key_of_address };
const struct ana_latency_kind ana_latency_block = { .name = "block",
	.from = ANA_LATENCY_FROM_EVENTS,
	.needs = { REQUESTS },
	.of_device = true,
	.span = MDL_SPAN_BLOCK,
	.account = ANA_ACCOUNT_REQUEST,
	.key = key_of_request,
	.call = ana_latency_call_of,
	.device = device_of_request };
const struct ana_latency_kind ana_latency_block_queue = { .name = "block-queue",
	.from = ANA_LATENCY_FROM_EVENTS,
	.needs = { REQUESTS },
	.of_device = true,
	.span = MDL_SPAN_BLOCK_QUEUE,
	.account = ANA_ACCOUNT_REQUEST,
	.key = key_of_request,
	.call = ana_latency_call_of,
	.device = device_of_request };
const struct ana_latency_kind ana_latency_block_device = { .name = "block-device",
	.from = ANA_LATENCY_FROM_EVENTS,
	.needs = { REQUESTS },
	.of_device = true,
	.span = MDL_SPAN_BLOCK_DEVICE,
	.account = ANA_ACCOUNT_REQUEST,
	.key = key_of_request,
	.device = device_of_request };
const struct ana_latency_kind ana_latency_return = { .name = "irq-to-user",
	.needs = { ANA_LATENCY_WAKES, CALL_ENTRIES, CALL_EXITS },
	.span = MDL_SPAN_RETURN,
	.explain = ana_latency_explain_thread,
	.key = key_of_return,
	.call = ana_latency_call_of,
	.device = device_of_line };
