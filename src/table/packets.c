/* SPDX-License-Identifier: MIT */
/* Packets that hosts passed to network interfaces, or received from them. */
#include "table/table.h"

#include "analysis/kind/chain.h"
#include "analysis/kind/kind.h"
#include "base/base_time.h"

#include <netinet/in.h>

struct packet {
	uint32_t host;
	struct mdl_transfer t;
};

struct packets {
	struct table_cursor of;
	struct qry_transfers *transfers; /* owned; NULL: none are open */
	uint32_t next;                   /* host after the current one */
	struct packet packet;
};

static bool open_packets(struct table_cursor *c, GError **error)
{
	return table_needs_packets(c->q, error);
}

static bool next_host(struct packets *c)
{
	const struct table_question *ask = &c->of.ask;

	while (c->next < qry_host_count(c->of.q) && ask->host != MDL_NONE && c->next != ask->host)
		c->next++;
	if (c->next >= qry_host_count(c->of.q))
		return false;
	c->packet.host = c->next++;
	c->transfers = qry_transfers_new(c->of.q, c->packet.host, ask->from);
	return true;
}

static int next_packet(struct table_cursor *cursor, const void **row, G_GNUC_UNUSED GError **error)
{
	struct packets *c = (struct packets *)cursor;

	while (!c->transfers || !qry_transfers_next(c->transfers, &c->packet.t) ||
		c->packet.t.by.time >= cursor->ask.to) {
		g_clear_pointer(&c->transfers, qry_transfers_free);
		if (!next_host(c))
			return 0;
	}
	*row = &c->packet;
	return 1;
}

static void close_packets(struct table_cursor *cursor)
{
	g_clear_pointer(&((struct packets *)cursor)->transfers, qry_transfers_free);
}

static const char *protocol_of(const struct mdl_packet *p)
{
	if (mdl_packet_is_numbers(p) || p->protocol == IPPROTO_TCP)
		return "tcp";
	return p->protocol == IPPROTO_UDP                                      ? "udp"
		: p->protocol == IPPROTO_ICMP || p->protocol == IPPROTO_ICMPV6 ? "icmp"
									       : NULL;
}

TABLE_COLUMNS(packet_columns)
{
	const struct packet *x = row;
	const struct mdl_packet *p = row ? &x->t.packet : NULL;
	bool tcp = p && (mdl_packet_is_numbers(p) || (p->protocol == IPPROTO_TCP && p->has_ports));

	TABLE_COLUMN("ts", NULL, TABLE_TIME, "", number = x->t.by.time);
	TABLE_COLUMN("host", NULL, TABLE_WORD, "", word = table_host(in->q, x->host));
	TABLE_COLUMN("cpu", NULL, TABLE_NUMBER, "", number = table_id(x->t.by.cpu));
	TABLE_COLUMN("utid", NULL, TABLE_NUMBER, "the thread that sent it; null for an interrupt",
		number = table_id(ana_sender_thread(in->q, &x->t.by)));
	TABLE_COLUMN("received", NULL, TABLE_YES, "1: the host got it; 0: it sent it",
		number = x->t.received);
	TABLE_COLUMN("device", NULL, TABLE_WORD, "the interface",
		word = qry_string(in->q, x->host, x->t.device));
	TABLE_COLUMN("length", NULL, TABLE_NUMBER, "bytes, as in the event", number = p->length);
	TABLE_COLUMN("payload", NULL, TABLE_NUMBER, "bytes of TCP or UDP data",
		number = table_id(p->payload));
	TABLE_COLUMN("protocol", NULL, TABLE_WORD, "`tcp`, `udp`, `icmp`", word = protocol_of(p));
	TABLE_COLUMN("source", NULL, TABLE_WORD, "address",
		taken = p->version ? ana_words_address(p->version, p->source) : NULL);
	TABLE_COLUMN("source_port", NULL, TABLE_NUMBER, "",
		number = p->version && p->has_ports ? p->source_port : BASE_TIME_NONE);
	TABLE_COLUMN("destination", NULL, TABLE_WORD, "address",
		taken = p->version ? ana_words_address(p->version, p->destination) : NULL);
	TABLE_COLUMN("destination_port", NULL, TABLE_NUMBER, "",
		number = p->version && p->has_ports ? p->destination_port : BASE_TIME_NONE);
	TABLE_COLUMN("sequence", NULL, TABLE_NUMBER, "of TCP", number = tcp ? p->sequence : BASE_TIME_NONE);
	TABLE_COLUMN("acknowledgement", NULL, TABLE_NUMBER, "of TCP",
		number = tcp ? p->acknowledgement : BASE_TIME_NONE);
	TABLE_COLUMN("flags", NULL, TABLE_NUMBER, "of TCP: FIN 1, SYN 2, RST 4, PSH 8, ACK 16",
		number = tcp ? p->flags : BASE_TIME_NONE);
}

const struct table table_packets = {
	.name = "packet",
	.list = "packets",
	.doc = "a network packet that a host sent or received; host by host",
	.columns = packet_columns,
	.size = sizeof(struct packets),
	.takes = TABLE_TAKES_HOST | TABLE_TAKES_WINDOW,
	.rows = table_count_rows,
	.open = open_packets,
	.next = next_packet,
	.close = close_packets,
};
