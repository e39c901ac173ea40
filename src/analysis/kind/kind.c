/* SPDX-License-Identifier: MIT */
#include "analysis/kind/kind.h"

#include "analysis/kind/chain.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "query/symbols/symbols.h"

#include <arpa/inet.h>
#include <fnmatch.h>
#include <glib.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <string.h>

#define LOOK(NAME, name, letter, role, words, segment, actor, link, kept)                                 \
	[ANA_KIND_##NAME] = { name, words, letter, ANA_SEG_##segment, ANA_ACTOR_##actor, ANA_LINK_##link, \
		kept },
static const struct ana_kind_look looks[ANA_KIND_N] = { ANA_KINDS(LOOK) };

const struct ana_kind_look *ana_kind_look(enum ana_kind kind)
{
	return &looks[kind];
}

const char *ana_kind_name(enum ana_kind kind)
{
	return looks[kind].name;
}

const char *ana_grade_name(mdl_doubts doubts)
{
	static const char *const names[MDL_GRADES] = { [MDL_PROVED] = "proved",
		[MDL_INFERRED] = "inferred",
		[MDL_UNSURE] = "unknown",
		[MDL_DECLARED] = "declared" };

	return names[mdl_grade_of(doubts)];
}

const char *ana_grade_mark(mdl_doubts doubts)
{
	static const char *const marks[MDL_GRADES] = { [MDL_PROVED] = "",
		[MDL_INFERRED] = " (inferred)",
		[MDL_UNSURE] = "",
		[MDL_DECLARED] = " (declared)" };

	return marks[mdl_grade_of(doubts)];
}

GPtrArray *ana_doubts_list(mdl_doubts doubts, bool sentences)
{
	GPtrArray *list = g_ptr_array_new();

	for (unsigned i = 0; i < MDL_DOUBTS_N; i++) {
		const struct mdl_doubt_text *text = &mdl_doubt_texts[i];

		if (doubts >> i & 1)
			g_ptr_array_add(list, (char *)(uintptr_t)(sentences ? text->sentence : text->word));
	}
	return list;
}

char *ana_doubts_text(mdl_doubts doubts, bool sentences)
{
	g_autoptr(GPtrArray) list = doubts ? ana_doubts_list(doubts, sentences) : NULL;

	return list ? base_text_join(list, sentences ? "; " : " ") : NULL;
}

const char *ana_segment_kind_name(enum ana_segment_kind kind)
{
	static const char *const names[ANA_SEG_N] = { [ANA_SEG_RUNNING] = "running",
		[ANA_SEG_SYSCALL] = "syscall",
		[ANA_SEG_INTERRUPTED] = "interrupted",
		[ANA_SEG_WAIT_CPU] = "wait-cpu",
		[ANA_SEG_PREEMPTED] = "preempted",
		[ANA_SEG_THROTTLED] = "throttled",
		[ANA_SEG_BLOCK] = "block",
		[ANA_SEG_FLUSH] = "flush",
		[ANA_SEG_NETWORK] = "network",
		[ANA_SEG_TIMER] = "timer",
		[ANA_SEG_TIMER_LATE] = "timer-late",
		[ANA_SEG_IPI] = "ipi",
		[ANA_SEG_IPI_WAIT] = "ipi-wait",
		[ANA_SEG_WAITING] = "waiting",
		[ANA_SEG_IRQ] = "irq",
		[ANA_SEG_USER_INPUT] = "user-input",
		[ANA_SEG_VCPU_PREEMPTED] = "vcpu-preempted",
		[ANA_SEG_VCPU_EXIT] = "vcpu-exit",
		[ANA_SEG_VM_INTERRUPT] = "vm-interrupt",
		[ANA_SEG_SUSPEND] = "suspended",
		[ANA_SEG_BLOCKED] = "blocked",
		[ANA_SEG_UNKNOWN] = "unknown" };

	return names[kind];
}

const char *ana_actor_type_name(enum ana_actor_type type)
{
	static const char *const names[] = { [ANA_ACTOR_THREAD] = "thread",
		[ANA_ACTOR_IRQ] = "irq",
		[ANA_ACTOR_DEVICE] = "device",
		[ANA_ACTOR_NETWORK] = "network",
		[ANA_ACTOR_VCPU] = "vcpu",
		[ANA_ACTOR_UNKNOWN] = "unknown" };

	return names[type];
}

const char *ana_link_kind_name(enum ana_link_kind kind)
{
	static const char *const names[] = { [ANA_LINK_WAKEUP] = "wakeup",
		[ANA_LINK_FORK] = "fork",
		[ANA_LINK_NETWORK] = "network",
		[ANA_LINK_IPI] = "ipi",
		[ANA_LINK_VM] = "vm",
		[ANA_LINK_DECLARED] = "declared" };

	return names[kind];
}

/* ---- words ---- */

/* Names of virtqueues, which are also names of interrupts: drivers/block/virtio_blk.c,
 * drivers/net/virtio_net.c, … */
const char *ana_words_virtio(const char *device)
{
	static const struct {
		const char *glob, *what;
	} known[] = {
		{ "vd[a-z]*", "virtio block" },
		{ "virtio*-req.*", "virtio block" },
		{ "virtio*-request*", "virtio scsi" },
		{ "virtio*-input.*", "virtio net" },
		{ "virtio*-output.*", "virtio net" },
		{ "virtio*-input", "virtio console" },
		{ "virtio*-output", "virtio console" },
		{ "virtio*-control-?", "virtio console" },
		{ "virtio*-inflate", "virtio balloon" },
		{ "virtio*-deflate", "virtio balloon" },
		{ "virtio*-stats", "virtio balloon" },
		{ "virtio*-events", "virtio input" },
		{ "virtio[0-9]*", "virtio" },
	};

	for (size_t i = 0; device && i < G_N_ELEMENTS(known); i++)
		if (fnmatch(known[i].glob, device, 0) == 0)
			return known[i].what;
	return NULL;
}

char *ana_words_act(const struct qry *q, uint32_t host, const struct mdl_act *act)
{
	g_autofree char *label = NULL;

	if (act->context != MDL_NONE)
		return qry_context_text(q, host, act->context);
	if (!ana_chain_is_worker(q, act->thread))
		return g_strdup(act->thread == MDL_NONE ? "an unknown thread" : "an idle CPU");
	label = qry_row_label(q, act->thread);
	return g_strdup_printf("thread %s", label);
}

/* ---- block ---- */

const char *ana_words_operation(enum mdl_block_op op)
{
	const char *name = op == MDL_OP_OTHER ? NULL : mdl_op_name(op);

	return name ? name : "request";
}

char *ana_words_chain(const struct qry *q, uint32_t host, const struct mdl_chain *chain)
{
	GString *text = g_string_new(NULL);

	for (unsigned i = 0; i < chain->n; i++) {
		g_autofree char *who = ana_words_act(q, host, &chain->hops[i].act);

		g_string_append_printf(text, "%s%s", i > 0 ? " > " : "", who);
	}
	return g_string_free(text, FALSE);
}

/* ---- network ---- */

char *ana_words_address(unsigned version, const uint8_t address[16])
{
	char text[INET6_ADDRSTRLEN];

	if (version == 0 || !inet_ntop(version == 6 ? AF_INET6 : AF_INET, address, text, sizeof text))
		return g_strdup("?");
	return g_strdup(text);
}

char *ana_words_endpoint(unsigned version, const uint8_t address[16], uint16_t port)
{
	g_autofree char *plain = ana_words_address(version, address);

	if (version == 0)
		return g_steal_pointer(&plain);
	return g_strdup_printf(version == 6 ? "[%s]:%u" : "%s:%u", plain, port);
}

/* An address, with its port if P has ports. The caller frees. */
static char *words_end_of(const struct mdl_packet *p, const uint8_t address[16], uint16_t port)
{
	return p->has_ports ? ana_words_endpoint(p->version, address, port)
			    : ana_words_address(p->version, address);
}

char *ana_words_packet(const struct mdl_packet *p)
{
	g_autofree char *from = NULL, *to = NULL;

	if (mdl_packet_is_numbers(p))
		return g_strdup_printf("seq %" PRIu32, p->sequence);
	if (p->version == 0)
		return NULL;
	from = words_end_of(p, p->source, p->source_port);
	to = words_end_of(p, p->destination, p->destination_port);
	if (p->protocol == IPPROTO_TCP && p->has_ports)
		return g_strdup_printf("%s > %s seq %" PRIu32, from, to, p->sequence);
	return g_strdup_printf("%s > %s", from, to);
}

char *ana_words_carried(struct qry *q, uint32_t host, const struct mdl_received *r)
{
	GString *text = g_string_new(NULL);
	const char *device = qry_string(q, host, r->device);
	g_autofree char *label = NULL;
	struct ana_sender sender = { .remote = false };

	g_string_append_printf(text, "%" PRIu32 " bytes", r->packet.length);
	if (*device != '\0')
		g_string_append_printf(text, " on %s", device);
	if (ana_sender_of(q, host, r, &sender) && sender.thread != MDL_NONE)
		label = qry_row_label(q, sender.thread);
	else if (sender.remote)
		label = g_strdup(qry_host(q, sender.host)->name);
	if (label)
		g_string_append_printf(text, ", from %s", label);
	return g_string_free(text, FALSE);
}

/* ---- functions, signals, flights ---- */

char *ana_words_function(struct qry *q, uint32_t host, uint64_t address)
{
	const char *name = address != 0 ? qry_symbol(q, host, address) : NULL;

	return name ? g_strdup(name) : g_strdup_printf("0x%" PRIx64, address);
}

/* include/uapi/asm-generic/signal.h: all architectures except alpha, mips, parisc and sparc. */
const char *ana_words_signal_name(uint32_t number)
{
	static const char *const names[] = { NULL, "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE",
		"KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP",
		"TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR",
		"SYS" };

	return number < G_N_ELEMENTS(names) ? names[number] : NULL;
}

/* ---- names of threads ---- */

#define DIGITS "0123456789"

/* The kind of a worker with a name like "kworker/u4:1H", with a star for its numbers. NULL if NAME is not
 * such a name. The caller frees. */
static char *worker_name(const char *name)
{
	static const char prefix[] = "kworker/";
	const char *at = name + strlen(prefix), *unbound;
	size_t cpu, number;

	if (!g_str_has_prefix(name, prefix))
		return NULL;
	unbound = *at == 'u' ? "u" : "";
	at += strlen(unbound);
	cpu = strspn(at, DIGITS);
	if (cpu == 0 || at[cpu] != ':')
		return NULL;
	number = strspn(at + cpu + 1, DIGITS);
	return number > 0 ? g_strconcat(prefix, unbound, "*", at + cpu + 1 + number, NULL) : NULL;
}

char *ana_group_name(const char *name)
{
	const char *slash = strrchr(name, '/');
	char *worker = worker_name(name);

	if (worker)
		return worker;
	if (slash && slash > name && slash[1] != '\0' && slash[1 + strspn(slash + 1, DIGITS)] == '\0')
		return g_strdup_printf("%.*s/*", (int)(slash - name), name);
	return g_strdup(name);
}
