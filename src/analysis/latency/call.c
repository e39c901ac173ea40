/* SPDX-License-Identifier: MIT */
/*
 * In which system call the thread of a case was as that began, where calls are recorded.
 *
 * A thread that leaves its CPU, is interrupted or woken is still in the call in which it was (the exit event
 * is the last thing before it is back in user mode: syscall_exit_work(), kernel/entry/common.c).  One that
 * never ran yet is in none of its own: what it returns from is the call of its creator, copy_process() in
 * kernel/fork.c.  A page fault is no call, and the kernel's own threads make none.
 */
#include "analysis/latency/kind.h"

#define BIT(state) (1u << (state))
/* States in which it has not left the call that it was in before. */
#define STAYS                                                                                           \
	(BIT(MDL_ST_INTERRUPTED) | BIT(MDL_ST_BLOCKED) | BIT(MDL_ST_WAIT_CPU) | BIT(MDL_ST_PREEMPTED) | \
		BIT(MDL_ST_VCPU_PREEMPTED) | BIT(MDL_ST_VCPU_EXIT))

/* What thread ROW did at TIME, or last before, other than to stay where it was; false: not known. */
static bool doing_at(struct qry *q, uint32_t row, int64_t time, struct mdl_interval *iv)
{
	bool known = qry_state_at(q, row, time, iv) || qry_state_before(q, row, time, iv);

	while (known && BIT(iv->state) & STAYS)
		known = qry_state_before(q, row, iv->from, iv);
	return known;
}

char *ana_latency_call_of(struct qry *q, const struct ana_latency_case *c)
{
	const struct qry_row *r = c->row != MDL_NONE ? qry_row(q, c->row) : NULL;
	struct mdl_interval iv;
	bool known = r && r->type == MDL_ROW_THREAD && doing_at(q, c->row, c->start, &iv);

	if (known && iv.state == MDL_ST_NEW) {
		known = r->parent != MDL_NONE && doing_at(q, r->parent, r->first, &iv);
		r = known ? qry_row(q, r->parent) : r;
	}
	if (known && iv.state == MDL_ST_SYSCALL)
		return qry_detail_text(q, r->id, &iv);
	if (known && (iv.state == MDL_ST_USERMODE || qry_is_kernel_thread(q, r->id)))
		return g_strdup("no system call");
	return NULL;
}
