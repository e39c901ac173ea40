/* SPDX-License-Identifier: MIT */
#include "analysis/kind/words.h"

#include "analysis/kind/chain.h"
#include "analysis/kind/sender.h"
#include "base/base_text.h"
#include "base/base_time.h"
#include "query/symbols/symbols.h"

#include <arpa/inet.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <netinet/in.h>

/* Names of virtqueues, and so of interrupts: drivers/block/virtio_blk.c, drivers/net/virtio_net.c, … */
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

	if (!inet_ntop(version == 6 ? AF_INET6 : AF_INET, address, text, sizeof text))
		return g_strdup("?");
	return g_strdup(text);
}

char *ana_words_endpoint(unsigned version, const uint8_t address[16], uint16_t port)
{
	g_autofree char *plain = ana_words_address(version, address);

	return g_strdup_printf(version == 6 ? "[%s]:%u" : "%s:%u", plain, port);
}

/* With its port, where P has ports. */
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

/* ", from wk-client[595]", ", from httpd": what is known of who sent it. */
static void append_sender(GString *text, const struct qry *q, const struct ana_sender *s)
{
	g_autofree char *label = s->thread != MDL_NONE ? qry_row_label(q, s->thread) : NULL;

	if (label || s->remote)
		g_string_append_printf(text, ", from %s", label ? label : qry_host(q, s->host)->name);
}

char *ana_words_carried(struct qry *q, uint32_t host, const struct mdl_received *r)
{
	GString *text = g_string_new(NULL);
	const char *device = qry_string(q, host, r->device);
	struct ana_sender sender;

	g_string_append_printf(text, "%" PRIu32 " bytes", r->packet.length);
	if (*device != '\0')
		g_string_append_printf(text, " on %s", device);
	if (ana_sender_of(q, host, r, &sender))
		append_sender(text, q, &sender);
	return g_string_free(text, FALSE);
}

/* ---- functions, signals, flights ---- */

char *ana_words_function(struct qry *q, uint32_t host, uint64_t address)
{
	const char *name = address != 0 ? qry_symbol(q, host, address) : NULL;

	return name ? g_strdup(name) : g_strdup_printf("0x%" PRIx64, address);
}

/* include/uapi/asm-generic/signal.h: all but alpha, mips, parisc and sparc. */
const char *ana_words_signal_name(uint32_t number)
{
	static const char *const names[] = { NULL, "HUP", "INT", "QUIT", "ILL", "TRAP", "ABRT", "BUS", "FPE",
		"KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD", "CONT", "STOP",
		"TSTP", "TTIN", "TTOU", "URG", "XCPU", "XFSZ", "VTALRM", "PROF", "WINCH", "IO", "PWR",
		"SYS" };

	return number < G_N_ELEMENTS(names) ? names[number] : NULL;
}

char *ana_words_flight(const struct qry *q, uint32_t host, const struct mdl_arrival *a, int64_t flight)
{
	g_autofree char *duration = base_time_format_duration(flight, false);
	g_autofree char *by = a->context != MDL_NONE ? qry_context_text(q, host, a->context) : NULL;

	return g_strdup_printf("the wake-up took %s to CPU %" PRIu32 "%s%s", duration, a->cpu,
		by ? ", by " : "", by ? by : "");
}
