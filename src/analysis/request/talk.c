/* SPDX-License-Identifier: MIT */
#include "analysis/request/talk.h"

#include "analysis/kind/chain.h"

#include <netinet/in.h>
#include <string.h>
#include <xxhash.h>

#define FIN 1u
#define SYN 2u
#define RST 4u
#define PACKETS_PER_LOOK 4096 /* between two checks for cancellation */
#define ENDED_MOST 8192       /* ended connections that are remembered, in case data is sent again */
/* UDP connections that are remembered: REPLIED_MOST with a reply, of which more may come, and ASKED_MOST that
 * still wait for one. A request is given up after so many others began after it. */
#define REPLIED_MOST 8192
#define ASKED_MOST 65536

enum direction { IN, OUT };

struct ana_listener {
	struct qry *q; /* weak */
	uint32_t host;
	struct qry_transfers *transfers;
	struct ana_connection only;
	bool all;
	bool from_start;   /* it listens from the start of the trace: there are no earlier packets */
	GHashTable *talks; /* &talk->connection → struct ana_talk *, owned */
	GQueue ended;      /* of struct ended *, owned; earliest end first */
	/* UDP connections, weak, by whether there is a reply; silent for longest first. */
	GQueue asked, replied;
	int64_t time; /* of the packet heard last */
};

/* A connection that ended with transfer NUMBER - 1.  It may have begun again since. */
struct ended {
	struct ana_connection connection;
	uint64_t number;
};

/* ---- connections ---- */

static unsigned hash_of(const void *connection)
{
	return (unsigned)XXH3_64bits(connection, sizeof(struct ana_connection));
}

static gboolean is_equal(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct ana_connection)) == 0;
}

bool ana_talk_connection(const struct mdl_transfer *t, struct ana_connection *c)
{
	const struct mdl_packet *p = &t->packet;
	size_t size = p->version == 4 ? 4 : 16;

	memset(c, 0, sizeof *c);
	if (p->version == 0 || !p->has_ports || (p->protocol != IPPROTO_TCP && p->protocol != IPPROTO_UDP))
		return false;
	memcpy(c->own, t->received ? p->destination : p->source, size);
	memcpy(c->peer, t->received ? p->source : p->destination, size);
	c->own_port = t->received ? p->destination_port : p->source_port;
	c->peer_port = t->received ? p->source_port : p->destination_port;
	c->version = p->version;
	c->protocol = p->protocol;
	return true;
}

/* True if L listens to C. */
static bool talk_is_wanted(const struct ana_listener *l, const struct ana_connection *c)
{
	struct ana_connection masked = *c;

	if (l->all)
		return true;
	if (l->only.own_port == 0)
		masked.own_port = 0;
	if (l->only.peer_port == 0)
		masked.peer_port = 0;
	return is_equal(&masked, &l->only);
}

/* ---- exchanges ---- */

static void close_exchange(struct ana_talk *talk, struct ana_heard *heard)
{
	if (talk->open) {
		heard->closed = true;
		heard->whole = talk->whole;
		heard->exchange = talk->now;
	}
	talk->open = false;
	talk->bounded = true;
}

static void open_exchange(struct ana_listener *l, struct ana_talk *talk, enum direction direction,
	int64_t time)
{
	const struct ana_connection *c = &talk->connection;

	talk->now = (struct ana_exchange){
		.host = l->host,
		.thread = MDL_NONE,
		.connection = *c,
		.from = time,
		.asked = c->own_port != c->peer_port ? c->own_port > c->peer_port : direction == OUT,
		.request = { .from = MDL_NEVER, .to = MDL_NEVER },
		.reply = { .from = MDL_NEVER, .to = MDL_NEVER },
		.peer_host = MDL_NONE,
		.peer = MDL_NONE,
		.peer_from = MDL_NEVER,
		.peer_to = MDL_NEVER,
		.first_in = { .time = MDL_NEVER },
	};
	talk->open = true;
	talk->replied = false;
	talk->whole = talk->bounded;
}

/* The number of new bytes of P; 0: it has no data, or all of it was sent before. */
static uint32_t take_bytes(struct ana_talk *talk, enum direction direction, const struct mdl_packet *p)
{
	uint32_t begin = p->sequence + (p->flags & SYN ? 1 : 0), end = begin + p->payload, bytes = p->payload;

	if (p->payload == MDL_NONE || p->payload == 0)
		return 0;
	if (p->protocol != IPPROTO_TCP)
		return bytes;
	if (talk->heard[direction]) {
		if ((int32_t)(end - talk->end[direction]) <= 0)
			return 0;
		bytes = MIN(bytes, end - talk->end[direction]);
	}
	talk->heard[direction] = true;
	talk->end[direction] = end;
	return bytes;
}

static void talk_add_packet(struct ana_listener *l, struct ana_talk *talk, const struct mdl_transfer *t,
	uint32_t bytes, struct ana_heard *heard)
{
	enum direction direction = t->received ? IN : OUT;
	struct ana_exchange *x = &talk->now;
	bool request = (direction == OUT) == x->asked;
	struct ana_exchange_part *part = request ? &x->request : &x->reply;

	if (part->packets++ == 0)
		part->from = t->by.time;
	part->to = x->to = t->by.time;
	part->bytes += bytes;
	talk->replied |= !request;
	if (direction == OUT) {
		x->out_end = talk->end[OUT];
		if (x->thread != MDL_NONE)
			return;
		x->thread = ana_sender_thread(l->q, &t->by);
		heard->named = x->thread != MDL_NONE;
	} else if (x->first_in.time == MDL_NEVER) {
		x->first_in = (struct mdl_received){
			.packet = t->packet,
			.device = t->device,
			.time = t->by.time,
			.sender = { .time = MDL_NEVER },
		};
	}
}

/* Note if T, with FLAGS, ends its connection. */
static void note_end(struct ana_listener *l, struct ana_talk *talk, const struct mdl_transfer *t,
	unsigned flags, uint64_t number)
{
	struct ended *e;

	for (unsigned i = IN; i <= OUT; i++)
		talk->over[i] = flags & RST || (!(flags & SYN) && talk->over[i]);
	talk->over[t->received ? IN : OUT] |= (flags & FIN) != 0;
	if (flags & SYN)
		talk->ended = 0;
	if (talk->open || talk->ended || !talk->over[IN] || !talk->over[OUT])
		return;
	talk->ended = number + 1;
	e = g_new(struct ended, 1);
	*e = (struct ended){ talk->connection, talk->ended };
	g_queue_push_tail(&l->ended, e);
}

static void forget_ended(struct ana_listener *l)
{
	while (l->ended.length > ENDED_MOST) {
		struct ended *e = g_queue_pop_head(&l->ended);
		const struct ana_talk *talk = g_hash_table_lookup(l->talks, &e->connection);

		if (talk && talk->ended == e->number && !talk->open)
			g_hash_table_remove(l->talks, &e->connection);
		g_free(e);
	}
}

static void hear(struct ana_listener *l, struct ana_talk *talk, const struct mdl_transfer *t,
	struct ana_heard *heard)
{
	unsigned flags = t->packet.protocol == IPPROTO_TCP ? t->packet.flags : 0;
	enum direction direction = t->received ? IN : OUT;
	uint32_t bytes;

	if (flags & SYN) {
		close_exchange(talk, heard);
		talk->heard[direction] = true;
		talk->end[direction] = t->packet.sequence + 1;
	}
	bytes = take_bytes(talk, direction, &t->packet);
	if (bytes > 0) {
		if (talk->open && talk->replied && (direction == OUT) == talk->now.asked)
			close_exchange(talk, heard);
		if (!talk->open)
			open_exchange(l, talk, direction, t->by.time);
		talk_add_packet(l, talk, t, bytes, heard);
	}
	/* The server sends nothing more; the client may have sent everything and still wait for the reply. */
	if (flags & RST || (flags & FIN && talk->open && (direction == OUT) != talk->now.asked))
		close_exchange(talk, heard);
	note_end(l, talk, t, flags, heard->number);
}

/* ---- listening ---- */

struct ana_listener *ana_listener_new(struct qry *q, uint32_t host, uint64_t number,
	const struct ana_connection *only)
{
	struct ana_listener *l = g_new0(struct ana_listener, 1);

	l->q = q;
	l->host = host;
	l->transfers = qry_transfers_new_at(q, host, number);
	l->all = !only;
	if (only)
		l->only = *only;
	l->from_start = number == 0;
	l->talks = g_hash_table_new_full(hash_of, is_equal, NULL, g_free);
	return l;
}

void ana_listener_free(struct ana_listener *l)
{
	qry_transfers_free(l->transfers);
	g_hash_table_unref(l->talks);
	g_queue_clear_full(&l->ended, g_free);
	g_free(l);
}

GHashTable *ana_listener_talks(const struct ana_listener *l)
{
	return l->talks;
}

static struct ana_talk *talk_of(struct ana_listener *l, const struct ana_connection *c)
{
	struct ana_talk *talk = g_hash_table_lookup(l->talks, c);

	if (talk)
		return talk;
	talk = g_new0(struct ana_talk, 1);
	talk->connection = *c;
	talk->bounded = l->from_start;
	g_hash_table_insert(l->talks, &talk->connection, talk);
	return talk;
}

bool ana_listener_next(struct ana_listener *l, struct base_progress *progress, struct ana_heard *heard)
{
	const GQueue *silent = l->replied.length > REPLIED_MOST ? &l->replied
		: l->asked.length > ASKED_MOST                  ? &l->asked
								: NULL;
	struct ana_connection c;
	struct mdl_transfer t;

	/* A connection that was silent for too long is forgotten; HEARD has its open exchange. */
	if (silent) {
		struct ana_talk *talk = silent->head->data;

		*heard = (struct ana_heard){ .number = qry_transfers_number(l->transfers), .time = l->time };
		close_exchange(talk, heard);
		g_queue_unlink(talk->list, &talk->link);
		g_hash_table_remove(l->talks, &talk->connection);
		return true;
	}
	heard->number = qry_transfers_number(l->transfers);
	if (heard->number % PACKETS_PER_LOOK == 0 && base_progress_cancelled(progress))
		return false;
	forget_ended(l);
	if (!qry_transfers_next(l->transfers, &t))
		return false;
	heard->time = l->time = t.by.time;
	heard->named = heard->closed = false;
	heard->talk = NULL;
	if (ana_talk_connection(&t, &c) && talk_is_wanted(l, &c)) {
		struct ana_talk *talk = heard->talk = talk_of(l, &c);

		hear(l, talk, &t, heard);
		if (talk->connection.protocol == IPPROTO_UDP) {
			if (talk->list)
				g_queue_unlink(talk->list, &talk->link);
			talk->link.data = talk;
			talk->list = talk->open && !talk->replied ? &l->asked : &l->replied;
			g_queue_push_tail_link(talk->list, &talk->link);
		}
	}
	return true;
}

uint64_t ana_talk_number(struct qry *q, uint32_t host, int64_t time)
{
	struct qry_transfers *t = qry_transfers_new(q, host, time);
	uint64_t number = qry_transfers_number(t);

	qry_transfers_free(t);
	return number;
}
