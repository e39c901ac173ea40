/* SPDX-License-Identifier: MIT */
#include "sync/sync_hosts.h"

#include "sync/sync_hosts_parts.h"

/* The messages of a virtual CPU. */
struct guest_feed {
	const struct sync_vcpu *vcpu;
	struct sync_guest *guest; /* owned */
	struct sync_message next;
	bool has_next;
};

struct finding {
	struct sync_hosts *h;
	const struct sync_source *sources;
	struct sync_guests *guests;       /* NULL none */
	struct sync_edges *edges, *stays; /* all messages; those of guests alone */
	GArray *feeds;                    /* of struct guest_feed */
	/* take each packet, and each message of a guest */
	void (*add)(struct finding *f, const struct sync_pair *pair);
	void (*add_stay)(struct finding *f, const struct sync_pair *pair);
	struct sync_recount *recount;
	sync_pair_func *pair; /* called for each packet, too; or NULL */
	void *data;
	bool odd; /* a packet that a host sent to itself came too early */
};

/* Add PAIR to EDGES, by the clocks of the hosts that represent sender and receiver. */
static void hosts_put(struct finding *f, struct sync_edges *edges, const struct sync_pair *pair)
{
	struct sync_pair p = sync_twins_pair(f->sources, pair);

	if (p.sender != p.receiver)
		sync_edges_add(edges, p.sender, p.sent, p.receiver, p.received);
	else
		f->odd |= p.received < p.sent;
}

static void add_to_edges(struct finding *f, const struct sync_pair *p)
{
	hosts_put(f, f->edges, p);
}

static void add_stay_to_edges(struct finding *f, const struct sync_pair *pair)
{
	struct sync_pair p = sync_twins_pair(f->sources, pair);

	sync_edges_of(f->edges, p.sender, p.receiver)->guest = true;
	sync_edges_of(f->edges, p.receiver, p.sender)->guest = true;
	hosts_put(f, f->edges, pair);
	hosts_put(f, f->stays, pair);
}

static void add_to_recount(struct finding *f, const struct sync_pair *p)
{
	sync_recount_pair(f->recount, p);
}

/* ---- guests ---- */

/* Add the messages of guest HOST up to TIME, because all messages must come in order. */
static void add_feeds(struct finding *f, unsigned host, int64_t time)
{
	for (guint i = 0; i < f->feeds->len; i++) {
		struct guest_feed *t = &g_array_index(f->feeds, struct guest_feed, i);
		unsigned guest = t->vcpu->cpu.host, by = t->vcpu->self.host;

		for (; guest == host && t->has_next && t->next.host <= time;
			t->has_next = sync_guest_next(t->guest, &t->next)) {
			const struct sync_message *m = &t->next;

			f->add_stay(f,
				m->from_host ? &(struct sync_pair){ guest, by, m->host, m->other, 0, 0 }
					     : &(struct sync_pair){ by, guest, m->other, m->host, 0, 0 });
		}
	}
}

/* ---- packets ---- */

static void hosts_add_packet(void *data, const struct sync_pair *p)
{
	struct finding *f = data;

	add_feeds(f, p->sender, p->sent);
	add_feeds(f, p->receiver, p->received);
	f->add(f, p);
}

static void on_pair(void *data, const struct sync_pair *p)
{
	struct finding *f = data;
	struct sync_host *sender = &f->h->hosts[p->sender], *receiver = &f->h->hosts[p->receiver];

	if (f->pair)
		f->pair(f->data, p);
	sender->exchanged++;
	receiver->exchanged++;
	sender->violations_before += p->received < p->sent;
	receiver->violations_before += p->received < p->sent;
	hosts_add_packet(f, p);
}

/* ---- all ---- */

/* Walk over all packets and the messages of all guests. */
static void match(struct finding *f, const struct sync_rough *rough, sync_pair_func *pair,
	struct sync_counts *counts)
{
	f->feeds = g_array_new(FALSE, FALSE, sizeof(struct guest_feed));
	for (guint i = 0; i < f->h->vcpus->len; i++) {
		struct guest_feed t = { .vcpu = &g_array_index(f->h->vcpus, struct sync_vcpu, i) };

		t.guest = sync_guest_new(&f->guests->rows, t.vcpu, true);
		t.has_next = sync_guest_next(t.guest, &t.next);
		g_array_append_val(f->feeds, t);
	}
	sync_match(f->sources, f->h->n, rough, pair, f, counts);
	for (unsigned i = 0; i < f->h->n; i++)
		add_feeds(f, i, INT64_MAX);
	for (guint i = 0; i < f->feeds->len; i++)
		sync_guest_free(g_array_index(f->feeds, struct guest_feed, i).guest);
	g_array_unref(f->feeds);
}

struct sync_hosts *sync_hosts_new_empty(unsigned n)
{
	struct sync_hosts *h = g_new(struct sync_hosts, 1);

	g_atomic_ref_count_init(&h->references);
	h->n = n;
	h->hosts = g_new0(struct sync_host, n);
	h->vcpus = g_array_new(FALSE, FALSE, sizeof(struct sync_vcpu));
	return h;
}

struct sync_hosts *sync_hosts_new(const struct sync_source *sources, struct sync_guests *guests,
	const struct sync_span *spans, unsigned n, sync_pair_func *pair, void *data)
{
	struct sync_hosts *h = sync_hosts_new_empty(n);
	struct finding finding = { .h = h,
		.sources = sources,
		.guests = guests,
		.edges = sync_edges_new(),
		.stays = sync_edges_new(),
		.add = add_to_edges,
		.add_stay = add_stay_to_edges,
		.pair = pair,
		.data = data };
	g_autofree struct sync_span *joined = sync_twins_spans(sources, spans, n);
	struct sync_counts *counts = g_new0(struct sync_counts, n);
	struct sync_rough *rough = sync_rough_new(sources, n);
	bool against; /* packets contradict the stays of guests */

	if (guests)
		sync_guests_find(guests);
	for (guint i = 0; guests && i < guests->vcpus->len; i++)
		if (g_array_index(guests->vcpus, struct sync_vcpu, i).found)
			g_array_append_vals(h->vcpus, &g_array_index(guests->vcpus, struct sync_vcpu, i), 1);
	match(&finding, rough, on_pair, counts);
	sync_edges_finish(finding.edges);
	sync_edges_finish(finding.stays);
	against = sync_edges_prefer(finding.edges, finding.stays);
	sync_reach(h, sources, joined, finding.edges);
	for (unsigned i = 0; i < n; i++) {
		h->hosts[i].counts = counts[i];
		if (sources[i].has_twin)
			sync_twins_set(h, sources, i, &joined[i]);
	}
	if (finding.odd || against || !sync_recount_is_settled(h, finding.edges)) {
		/* once more, by the clocks that were found */
		finding.recount = sync_recount_new(h, sources, finding.edges);
		finding.add = finding.add_stay = add_to_recount;
		match(&finding, rough, hosts_add_packet, counts);
		sync_recount_finish(finding.recount, joined);
	}
	for (guint i = 0; i < h->vcpus->len; i++)
		g_array_index(h->vcpus, struct sync_vcpu, i).bounds = NULL; /* GUESTS owns them */
	sync_edges_free(finding.edges);
	sync_edges_free(finding.stays);
	sync_rough_free(rough, n);
	g_free(counts);
	return h;
}

struct sync_hosts *sync_hosts_ref(struct sync_hosts *h)
{
	if (h)
		g_atomic_ref_count_inc(&h->references);
	return h;
}

void sync_hosts_unref(struct sync_hosts *h)
{
	if (!h || !g_atomic_ref_count_dec(&h->references))
		return;
	for (unsigned i = 0; i < h->n; i++) {
		sync_clock_free(h->hosts[i].clock);
		sync_clock_free(h->hosts[i].placed);
		g_clear_pointer(&h->hosts[i].errors, g_array_unref);
		g_clear_pointer(&h->hosts[i].bounds, g_array_unref);
	}
	g_free(h->hosts);
	g_array_unref(h->vcpus);
	g_free(h);
}
