/* SPDX-License-Identifier: MIT */
/*
 * How the cause of a wake-up is told from its edge.
 *
 * An edge says what was going on on the CPU that sent the wake-up.  Without
 * interrupt context, the thread that ran there did it.  With contexts, the
 * thread below was interrupted by chance and is no cause; the innermost
 * context is the code that sent the wake-up.  The contexts around it were
 * themselves interrupted by chance: a timer that comes upon a running RCU
 * softirq is still a timer.  The one exception is a hard interrupt right
 * around a softirq: softirqs run at its end, so it names the device.
 *
 * The kernel wakes ksoftirqd at the end of an interrupt, when the softirq's exit
 * has been traced already: with no context left, the thread that was
 * interrupted would look like its waker.
 *
 * One table says what a context means.  Softirqs, timers and vectors speak for
 * themselves; a hard interrupt only has a name chosen by its driver, so what
 * is read from that is inferred.
 */
#include "analysis/ana_source.h"

#define TYPE(t) (1u << MDL_CTX_##t)

struct pattern {
	unsigned types;		/* TYPE() bits */
	const char *glob;	/* of the context's name */
	enum ana_kind kind;
	enum ana_grade grade;
};

/* The first match counts; the last line of each type catches the rest. */
static const struct pattern patterns[] = {
	{ TYPE(SOFTIRQ), "BLOCK", ANA_KIND_BLOCK, ANA_PROVED },
	{ TYPE(SOFTIRQ), "NET_?X", ANA_KIND_NETWORK, ANA_PROVED },
	{ TYPE(SOFTIRQ), "TIMER", ANA_KIND_TIMER, ANA_PROVED },
	{ TYPE(SOFTIRQ), "HRTIMER", ANA_KIND_TIMER, ANA_PROVED },
	{ TYPE(SOFTIRQ), "*", ANA_KIND_SOFTIRQ, ANA_PROVED },

	{ TYPE(HRTIMER), "*", ANA_KIND_TIMER, ANA_PROVED },

	{ TYPE(VECTOR) | TYPE(IPI), "*imer*", ANA_KIND_TIMER, ANA_PROVED },
	{ TYPE(IPI), "*", ANA_KIND_IPI, ANA_PROVED },
	{ TYPE(VECTOR), "call_function*", ANA_KIND_IPI, ANA_PROVED },
	{ TYPE(VECTOR), "reschedule*", ANA_KIND_IPI, ANA_PROVED },
	{ TYPE(VECTOR), "irq_work*", ANA_KIND_IPI, ANA_PROVED },
	{ TYPE(VECTOR), "*", ANA_KIND_IRQ, ANA_PROVED },

	{ TYPE(IRQ), "*-req.*", ANA_KIND_BLOCK, ANA_INFERRED },		/* virtio-blk */
	{ TYPE(IRQ), "*-request", ANA_KIND_BLOCK, ANA_INFERRED },	/* virtio-scsi */
	{ TYPE(IRQ), "nvme*", ANA_KIND_BLOCK, ANA_INFERRED },
	{ TYPE(IRQ), "ahci*", ANA_KIND_BLOCK, ANA_INFERRED },
	{ TYPE(IRQ), "ata_*", ANA_KIND_BLOCK, ANA_INFERRED },
	{ TYPE(IRQ), "?ata_*", ANA_KIND_BLOCK, ANA_INFERRED },
	{ TYPE(IRQ), "sd*", ANA_KIND_BLOCK, ANA_INFERRED },
	{ TYPE(IRQ), "mmc*", ANA_KIND_BLOCK, ANA_INFERRED },
	{ TYPE(IRQ), "*scsi*", ANA_KIND_BLOCK, ANA_INFERRED },
	{ TYPE(IRQ), "*sas*", ANA_KIND_BLOCK, ANA_INFERRED },
	{ TYPE(IRQ), "blkif*", ANA_KIND_BLOCK, ANA_INFERRED },
	{ TYPE(IRQ), "*-input.*", ANA_KIND_NETWORK, ANA_INFERRED },	/* virtio-net */
	{ TYPE(IRQ), "*-output.*", ANA_KIND_NETWORK, ANA_INFERRED },
	{ TYPE(IRQ), "eth*", ANA_KIND_NETWORK, ANA_INFERRED },
	{ TYPE(IRQ), "eno*", ANA_KIND_NETWORK, ANA_INFERRED },
	{ TYPE(IRQ), "enp*", ANA_KIND_NETWORK, ANA_INFERRED },
	{ TYPE(IRQ), "ens*", ANA_KIND_NETWORK, ANA_INFERRED },
	{ TYPE(IRQ), "enx*", ANA_KIND_NETWORK, ANA_INFERRED },
	{ TYPE(IRQ), "wl*", ANA_KIND_NETWORK, ANA_INFERRED },
	{ TYPE(IRQ), "iwl*", ANA_KIND_NETWORK, ANA_INFERRED },
	{ TYPE(IRQ), "mlx*", ANA_KIND_NETWORK, ANA_INFERRED },
	{ TYPE(IRQ), "*timer*", ANA_KIND_TIMER, ANA_INFERRED },
	{ TYPE(IRQ), "hpet*", ANA_KIND_TIMER, ANA_INFERRED },
	{ TYPE(IRQ), "rtc*", ANA_KIND_TIMER, ANA_INFERRED },
	{ TYPE(IRQ), "i8042", ANA_KIND_USER_INPUT, ANA_INFERRED },
	{ TYPE(IRQ), "atkbd*", ANA_KIND_USER_INPUT, ANA_INFERRED },
	{ TYPE(IRQ), "*keyboard*", ANA_KIND_USER_INPUT, ANA_INFERRED },
	{ TYPE(IRQ), "*serial*", ANA_KIND_USER_INPUT, ANA_INFERRED },
	{ TYPE(IRQ), "tty*", ANA_KIND_USER_INPUT, ANA_INFERRED },
	{ TYPE(IRQ), "*usb*", ANA_KIND_USER_INPUT, ANA_INFERRED },
	{ TYPE(IRQ), "?hci_hcd*", ANA_KIND_USER_INPUT, ANA_INFERRED },
	{ TYPE(IRQ), "?hci-hcd*", ANA_KIND_USER_INPUT, ANA_INFERRED },
	{ TYPE(IRQ), "*", ANA_KIND_IRQ, ANA_PROVED },
};

static const struct pattern *pattern_of(const struct qry_context *ctx)
{
	for (size_t i = 0; i < G_N_ELEMENTS(patterns); i++) {
		if ((patterns[i].types & (1u << ctx->type)) && g_pattern_match_simple(patterns[i].glob, ctx->name))
			return &patterns[i];
	}
	return NULL;
}

/* The idle thread does nothing for anybody: what comes from it came from an interrupt that was not recorded. */
static bool is_worker(const struct qry *q, uint32_t row)
{
	const struct qry_row *r;

	if (row == MDL_NONE)
		return false;
	r = qry_row(q, row);
	return r->type == MDL_ROW_THREAD && r->nr != 0;
}

static const char *event_of(enum mdl_via via)
{
	static const char *const names[MDL_VIA_N] = {
		[MDL_VIA_WAKING] = "sched_waking", [MDL_VIA_WAKEUP] = "sched_wakeup", [MDL_VIA_NEW] = "sched_wakeup_new",
	};

	return via < MDL_VIA_N ? names[via] : NULL;
}

/*
 * A fork's wake-up is the parent's own.  Otherwise an interrupt that was not
 * recorded may have come upon the thread; and sched_wakeup may be written on
 * the woken thread's CPU, after an IPI: who runs there did not send it.
 */
static bool thread_is_proved(const struct qry *q, const struct ana_source *s)
{
	if (s->wakeup.via == MDL_VIA_NEW)
		return true;
	return s->wakeup.via == MDL_VIA_WAKING && qry_host(q, s->host)->interrupts_recorded;
}

static void source_from_thread(const struct qry *q, struct ana_source *s)
{
	bool worker = is_worker(q, s->wakeup.waker);

	if (s->wakeup.via == MDL_VIA_NONE || (!worker && s->wakeup.via != MDL_VIA_NEW))
		return;
	s->kind = s->wakeup.via == MDL_VIA_NEW ? ANA_KIND_FORK : ANA_KIND_THREAD;
	s->thread = worker ? s->wakeup.waker : MDL_NONE;
	s->grade = worker && thread_is_proved(q, s) ? ANA_PROVED : ANA_INFERRED;
}

static const char *device_of(const struct qry *q, const struct ana_source *s)
{
	unsigned i = s->wakeup.n_contexts;
	struct qry_context ctx = qry_context(q, s->host, s->wakeup.contexts[--i].context);

	if (ctx.type == MDL_CTX_SOFTIRQ && i > 0)
		ctx = qry_context(q, s->host, s->wakeup.contexts[--i].context);
	return ctx.type == MDL_CTX_IRQ && *ctx.name ? ctx.name : NULL;
}

static void source_from_context(const struct qry *q, struct ana_source *s)
{
	struct qry_context innermost = qry_context(q, s->host, s->wakeup.contexts[s->wakeup.n_contexts - 1].context);
	const struct pattern *p = pattern_of(&innermost);

	s->interrupted = s->wakeup.waker;
	if (!p)
		return;
	s->kind = p->kind;
	s->grade = p->grade;
	s->device = device_of(q, s);
}

/* Woken by wakeup_softirqd() of kernel/softirq.c alone. */
static bool is_softirq_daemon(const struct qry *q, uint32_t row)
{
	return g_str_has_prefix(qry_row(q, row)->name, "ksoftirqd/");
}

struct ana_source ana_source_of(const struct qry *q, uint32_t row, const struct mdl_wakeup *wakeup)
{
	struct ana_source s = {
		.host = qry_row(q, row)->host,
		.kind = ANA_KIND_UNKNOWN, .grade = ANA_UNKNOWN, .thread = MDL_NONE, .interrupted = MDL_NONE,
		.wakeup = *wakeup, .event = event_of(wakeup->via),
	};

	if (wakeup->n_contexts > 0 && wakeup->via != MDL_VIA_NEW) {
		source_from_context(q, &s);
	} else if (wakeup->via != MDL_VIA_NONE && is_softirq_daemon(q, row)) {
		s.kind = ANA_KIND_SOFTIRQ;
		s.grade = ANA_INFERRED;
		s.interrupted = wakeup->waker;
	} else {
		source_from_thread(q, &s);
	}
	return s;
}

const char *ana_kind_name(enum ana_kind kind)
{
	static const char *const names[ANA_KIND_N] = {
		[ANA_KIND_THREAD] = "thread", [ANA_KIND_BLOCK] = "block", [ANA_KIND_NETWORK] = "network",
		[ANA_KIND_TIMER] = "timer", [ANA_KIND_IPI] = "ipi", [ANA_KIND_IRQ] = "irq",
		[ANA_KIND_SOFTIRQ] = "softirq", [ANA_KIND_USER_INPUT] = "user-input", [ANA_KIND_FORK] = "fork",
		[ANA_KIND_UNKNOWN] = "unknown",
	};

	return names[kind];
}

const char *ana_grade_name(enum ana_grade grade)
{
	static const char *const names[] = {
		[ANA_PROVED] = "proved", [ANA_INFERRED] = "inferred", [ANA_UNKNOWN] = "unknown",
	};

	return names[grade];
}

static char *text_of_thread(const struct qry *q, const struct ana_source *s)
{
	char *who = s->thread == MDL_NONE ? g_strdup("an unknown thread") : qry_row_label(q, s->thread);
	char *text = g_strdup_printf("%s %s%s", s->kind == ANA_KIND_FORK ? "created by" : "woken by", who,
				     s->grade == ANA_INFERRED ? " (inferred)" : "");

	g_free(who);
	return text;
}

static char *text_of_contexts(const struct qry *q, const struct ana_source *s)
{
	GString *text = g_string_new(ana_kind_name(s->kind));

	for (unsigned i = 0; i < s->wakeup.n_contexts; i++) {
		char *ctx = qry_context_text(q, s->host, s->wakeup.contexts[i].context);

		g_string_append_printf(text, "%s%s", i == 0 ? ": " : " > ", ctx);
		g_free(ctx);
	}
	return g_string_free(text, FALSE);
}

char *ana_source_text(const struct qry *q, const struct ana_source *source)
{
	if (source->kind == ANA_KIND_THREAD || source->kind == ANA_KIND_FORK)
		return text_of_thread(q, source);
	if (source->wakeup.n_contexts == 0)
		return g_strdup(ana_kind_name(source->kind));
	return text_of_contexts(q, source);
}
