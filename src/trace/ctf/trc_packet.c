/* SPDX-License-Identifier: MIT */
#include "trace/ctf/trc_packet.h"

#include "base/base_io.h"
#include "base/base_time.h"
#include "trace/core/trc_queue.h"
#include "trace/ctf/trc_plan.h"
#include "trace/meta/trc_meta_type.h"

#define MAGIC 0xc1fc1fc1u

struct trc_packet_layout {
	const struct trc_meta *t; /* weak */
	GHashTable *around;       /* owned: struct trc_stream_class *, weak → struct trc_around *, owned */
	struct trc_plan *header;  /* owned: of all packets */
	GHashTable *plans; /* owned: struct trc_stream_class *, weak → struct trc_plan * or NULL, owned */
};

struct trc_packet_layout *trc_packet_layout_new(const struct trc_meta *t)
{
	struct trc_budget costs = { .left = TRC_PLAN_COSTS };
	struct trc_packet_layout *layout;

	if (!t->streams->len ||
		(t->packet_header && t->packet_header->bits != TRC_VARIABLE &&
			t->packet_header->bits > TRC_PACKET_HEAD_MAX * 8))
		return NULL;
	layout = g_new0(struct trc_packet_layout, 1);
	layout->t = t;
	layout->header = trc_plan_new_packet(t, NULL, NULL, &costs);
	layout->around = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)trc_around_free);
	layout->plans = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)trc_plan_free);
	if (!layout->header) {
		trc_packet_layout_free(layout);
		return NULL;
	}
	for (unsigned i = 0; i < t->streams->len; i++) {
		struct trc_stream_class *stream = g_ptr_array_index(t->streams, i);
		struct trc_around *around = trc_around_new(t, stream);

		if (around)
			g_hash_table_insert(layout->around, stream, around);
		g_hash_table_insert(layout->plans, stream, trc_plan_new_packet(t, stream, around, &costs));
	}
	return layout;
}

void trc_packet_layout_free(struct trc_packet_layout *layout)
{
	if (!layout)
		return;
	trc_plan_free(layout->header);
	g_hash_table_unref(layout->around);
	g_hash_table_unref(layout->plans);
	g_free(layout);
}

/* ---- one packet ---- */

/* Run PLAN over the N bytes at HEAD. */
static bool packet_run(const struct trc_plan *plan, struct trc_walk *w, const uint8_t *head, size_t n)
{
	w->data = head;
	w->at = 0;
	w->limit = n * 8;
	w->heads = w->known = 0;
	return trc_plan_run(plan, w);
}

/* Set *VALUE to the number with ROLE, if the head has it. True if so. */
static bool packet_get(const struct trc_walk *w, enum trc_role role, uint64_t *value)
{
	if (w->heads & role)
		*value = w->head[__builtin_ctz(role)];
	return w->heads & role;
}

/* True unless the header at HEAD has a UUID other than the trace's. */
static bool is_ours(const struct trc_meta *t, const struct trc_walk *w, const uint8_t *head)
{
	uint64_t at = 0;

	return !packet_get(w, TRC_ROLE_UUID, &at) || !t->has_uuid || at % 8 ||
		memcmp(head + at / 8, t->uuid, sizeof t->uuid) == 0;
}

/* Copy what W read of the packet context into PACKET. */
static void read_context(const struct trc_walk *w, struct trc_packet *packet)
{
	uint64_t cpu = TRC_CPUS_MAX;

	packet->has_begin = packet_get(w, TRC_ROLE_TIME, &packet->begin);
	packet->has_end = packet_get(w, TRC_ROLE_END, &packet->end);
	packet->has_discarded = packet_get(w, TRC_ROLE_DISCARDED, &packet->discarded);
	packet->has_sequence = packet_get(w, TRC_ROLE_SEQUENCE, &packet->sequence);
	packet->has_instance = packet_get(w, TRC_ROLE_INSTANCE, &packet->instance);
	packet_get(w, TRC_ROLE_CPU, &cpu);
	packet->cpu = cpu < TRC_CPUS_MAX ? (uint32_t)cpu : TRC_CPU_UNKNOWN;
}

/* Set the sizes of the packet; LEFT bytes of the file remain. ALONE: a content size is the packet size,
 * too. */
static enum trc_packet_status read_sizes(const struct trc_walk *w, bool alone, uint64_t left,
	struct trc_packet *packet)
{
	uint64_t size = MIN(left, UINT64_MAX / 8) * 8, content = size;
	bool has_size = packet_get(w, TRC_ROLE_SIZE, &size);

	if (!packet_get(w, TRC_ROLE_CONTENT, &content))
		content = size;
	else if (!has_size && alone)
		size = content;
	if (size % 8 || content > size || content < packet->events)
		return TRC_PACKET_BAD;
	packet->size = MIN(size / 8, left);
	packet->content = MIN(content, packet->size * 8);
	return size / 8 > left ? TRC_PACKET_CUT : TRC_PACKET_FINE;
}

enum trc_packet_status trc_packet_read(const struct trc_packet_layout *layout, const uint8_t *head, size_t n,
	uint64_t offset, uint64_t file_size, struct trc_packet *packet,
	const struct trc_stream_class **stream)
{
	const struct trc_meta *t = layout->t;
	const struct trc_stream_class *found;
	const struct trc_plan *plan;
	uint64_t magic = MAGIC, id;
	struct trc_walk w;

	memset(packet, 0, sizeof(*packet));
	packet->offset = offset;
	packet->cpu = TRC_CPU_UNKNOWN;
	if (!packet_run(layout->header, &w, head, n))
		return TRC_PACKET_BAD;
	packet_get(&w, TRC_ROLE_MAGIC, &magic);
	if (magic != MAGIC || !is_ours(t, &w, head))
		return TRC_PACKET_BAD;
	found = packet_get(&w, TRC_ROLE_STREAM, &id) ? trc_meta_stream(t, id)
						     : g_ptr_array_index(t->streams, 0);
	if (!found || (*stream && found != *stream))
		return TRC_PACKET_BAD;
	plan = g_hash_table_lookup(layout->plans, found);
	if (plan && !packet_run(plan, &w, head, n)) {
		if (n < TRC_PACKET_HEAD_MAX)
			return TRC_PACKET_BAD;
		plan = NULL; /* it is longer than the part that wakepath reads */
	}
	*stream = found;
	if (!plan)
		return TRC_PACKET_FOREIGN;
	packet->events = w.at;
	if (g_hash_table_contains(layout->around, found)) {
		packet->known = w.known;
		memcpy(packet->registers, w.registers, sizeof packet->registers);
	}
	read_context(&w, packet);
	return read_sizes(&w, !strcmp(t->format, "ctf 2"), file_size - offset, packet);
}

enum trc_packet_status trc_packet_read_at(const struct trc_packet_layout *layout, int fd, uint64_t offset,
	uint64_t file_size, struct trc_packet *packet, const struct trc_stream_class **stream)
{
	uint8_t head[TRC_PACKET_HEAD_MAX];
	ssize_t n = base_io_read(fd, head, sizeof(head), offset);

	return n < 0 ? TRC_PACKET_UNREAD
		     : trc_packet_read(layout, head, (size_t)n, offset, file_size, packet, stream);
}

/* Return the last field with ROLE in the struct TYPE (may be NULL) of a fixed layout, or in a struct within
 * it. Add its offset to *AT. NULL if there is none. */
static const struct trc_type *packet_find(const struct trc_type *type, enum trc_role role, uint64_t *at)
{
	const struct trc_type *found = NULL;
	uint64_t offset = 0;

	for (unsigned i = 0; type && i < type->n_fields; i++) {
		const struct trc_field *field = &type->fields[i];
		uint64_t within = field->offset;
		const struct trc_type *next = field->type->roles & role ? field->type : NULL;

		if (!next && field->type->kind == TRC_TYPE_STRUCT)
			next = packet_find(field->type, role, &within);
		if (next) {
			found = next;
			offset = within;
		}
	}
	*at += offset;
	return found;
}

const struct trc_type *trc_packet_field(const struct trc_packet_layout *layout,
	const struct trc_stream_class *stream, enum trc_role role, uint64_t *at)
{
	const struct trc_type *header = layout->t->packet_header, *context = stream->packet_context;

	*at = header ? header->bits : 0;
	if (!context || context->bits == TRC_VARIABLE || *at == TRC_VARIABLE)
		return NULL;
	*at = trc_align(*at, context->align);
	return packet_find(context, role, at);
}

/* ---- limits for times ---- */

static bool is_near(int64_t time)
{
	return time > -BASE_TIME_FARTHEST && time < BASE_TIME_FARTHEST;
}

static struct trc_bounds within(int64_t from, int64_t to)
{
	return (struct trc_bounds){ .from = MAX(from, -BASE_TIME_FARTHEST + 1),
		.to = MIN(to, BASE_TIME_FARTHEST - 1) };
}

bool trc_bounds_of_packet(struct trc_packet *packet, const struct trc_clock *clock, struct trc_bounds *bounds)
{
	bool told = packet->has_begin && packet->begin; /* perf writes 0 if events have no time */
	int64_t begin = told ? trc_clock_ns(clock, packet->begin) : 0;
	int64_t end = packet->has_end && packet->end ? trc_clock_ns(clock, packet->end) : INT64_MAX;

	if (!is_near(begin) || (told && end < begin))
		return false;
	packet->has_end = is_near(end) && (!told || end <= begin + TRC_BOUNDS_LONGEST);
	if (told)
		*bounds = within(begin - TRC_BOUNDS_SLACK, begin + TRC_BOUNDS_LONGEST);
	else
		*bounds = within(INT64_MIN, INT64_MAX);
	if (packet->has_end)
		bounds->to = within(0, end + TRC_BOUNDS_SLACK).to;
	return true;
}

bool trc_bounds_follow(const struct trc_packet *packet, const struct trc_clock *clock, int64_t *newest)
{
	int64_t begin = packet->has_begin ? trc_clock_ns(clock, packet->begin) : *newest;

	if (begin < *newest - TRC_BOUNDS_SLACK)
		return false;
	*newest = MAX(*newest, begin);
	return true;
}

bool trc_bounds_of_begin(bool known, int64_t begin, int64_t first, int64_t last, struct trc_bounds *bounds)
{
	bool all_known = first != BASE_TIME_NONE && last != BASE_TIME_NONE;

	if (all_known)
		*bounds = within(first - TRC_BOUNDS_SLACK, last + TRC_BOUNDS_SLACK);
	else
		*bounds = within(INT64_MIN, INT64_MAX);
	if (!known)
		return true;
	if (!is_near(begin) || !trc_bounds_hold(bounds, begin))
		return false;
	if (!all_known)
		*bounds = within(begin - TRC_BOUNDS_SLACK, begin + TRC_BOUNDS_LONGEST);
	return true;
}

static int compare_times(gconstpointer a, gconstpointer b)
{
	const int64_t *ta = a, *tb = b;

	return *ta < *tb ? -1 : *ta > *tb;
}

struct trc_bounds trc_bounds_of_all(GArray *times)
{
	int64_t middle;

	if (!times->len)
		return within(INT64_MIN, INT64_MAX);
	g_array_sort(times, compare_times);
	middle = g_array_index(times, int64_t, (times->len - 1) / 2);
	return within(middle - TRC_BOUNDS_LONGEST, middle + TRC_BOUNDS_LONGEST);
}
