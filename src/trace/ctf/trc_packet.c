/* SPDX-License-Identifier: MIT */
#include "trace/ctf/trc_packet.h"

#include "base/base_io.h"
#include "base/base_time.h"
#include "trace/core/trc_queue.h"
#include "trace/ctf/trc_bits.h"
#include "trace/meta/trc_meta_type.h"

#define MAGIC 0xc1fc1fc1u

struct trc_packet_layout {
	const struct trc_meta *t; /* weak */
};

/* Bits of header and context, the place of the first event of STREAM.  TRC_VARIABLE if not fixed. */
static uint64_t head_bits(const struct trc_meta *t, const struct trc_stream_class *stream,
	uint64_t *context_at)
{
	uint64_t at = t->packet_header ? t->packet_header->bits : 0;

	if (at == TRC_VARIABLE || !stream->packet_context)
		return at;
	*context_at = trc_align(at, stream->packet_context->align);
	return stream->packet_context->bits == TRC_VARIABLE ? TRC_VARIABLE
							    : *context_at + stream->packet_context->bits;
}

struct trc_packet_layout *trc_packet_layout_new(const struct trc_meta *t)
{
	struct trc_packet_layout *layout;

	if (!t->streams->len || (t->packet_header && t->packet_header->bits > TRC_PACKET_HEAD_MAX * 8))
		return NULL;
	layout = g_new0(struct trc_packet_layout, 1);
	layout->t = t;
	return layout;
}

/* The last field with ROLE in the struct TYPE (may be NULL), of a fixed layout, or in a struct within; NULL if there is
 * none.  *AT grows by its offset. */
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

/* Read the number with ROLE in STRUCTURE, which starts at bit AT of HEAD; false when there is none. */
static bool packet_read_number(const struct trc_type *structure, enum trc_role role, const uint8_t *head,
	uint64_t at, uint64_t *value)
{
	const struct trc_type *type = packet_find(structure, role, &at);

	if (!type)
		return false;
	*value = trc_bits_read(head, at, (unsigned)type->bits, type->big_endian);
	if (type->reversed)
		*value = trc_bits_reverse(*value, (unsigned)type->bits);
	return true;
}

/* True unless the header at HEAD has an uuid that is not the trace's. */
static bool is_ours(const struct trc_meta *t, const uint8_t *head)
{
	uint64_t at = 0;
	const struct trc_type *type = packet_find(t->packet_header, TRC_ROLE_UUID, &at);

	if (!type || !t->has_uuid || type->bits != 128 || at % 8)
		return true;
	return memcmp(head + at / 8, t->uuid, 16) == 0;
}

/* Read the packet context at bit AT. */
static void read_context(const struct trc_type *context, const uint8_t *head, uint64_t at,
	struct trc_packet *packet)
{
	uint64_t cpu;

	packet->has_begin = packet_read_number(context, TRC_ROLE_TIME, head, at, &packet->begin);
	packet->has_end = packet_read_number(context, TRC_ROLE_END, head, at, &packet->end);
	packet->has_discarded = packet_read_number(context, TRC_ROLE_DISCARDED, head, at, &packet->discarded);
	packet->has_sequence = packet_read_number(context, TRC_ROLE_SEQUENCE, head, at, &packet->sequence);
	packet->cpu = TRC_CPU_UNKNOWN;
	if (packet_read_number(context, TRC_ROLE_CPU, head, at, &cpu) && cpu < TRC_CPUS_MAX)
		packet->cpu = (uint32_t)cpu;
}

/* Sizes of the packet, of which LEFT bytes are in the file. */
static enum trc_packet_status read_sizes(const struct trc_type *context, const uint8_t *head, uint64_t at,
	uint64_t left, struct trc_packet *packet)
{
	uint64_t size, content;
	bool has_size = packet_read_number(context, TRC_ROLE_SIZE, head, at, &size);

	if (!packet_read_number(context, TRC_ROLE_CONTENT, head, at, &content))
		content = has_size ? size : left * 8;
	if (!has_size)
		size = MIN(left, UINT64_MAX / 8) * 8;
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
	uint64_t magic, id, context_at = 0;

	memset(packet, 0, sizeof(*packet));
	packet->offset = offset;
	packet->cpu = TRC_CPU_UNKNOWN;
	if (t->packet_header && t->packet_header->bits > n * 8)
		return TRC_PACKET_BAD;
	if (packet_read_number(t->packet_header, TRC_ROLE_MAGIC, head, 0, &magic) && magic != MAGIC)
		return TRC_PACKET_BAD;
	if (!is_ours(t, head))
		return TRC_PACKET_BAD;
	found = packet_read_number(t->packet_header, TRC_ROLE_STREAM, head, 0, &id)
		? trc_meta_stream(t, id)
		: g_ptr_array_index(t->streams, 0);
	if (!found || (*stream && found != *stream))
		return TRC_PACKET_BAD;
	packet->has_instance = packet_read_number(t->packet_header, TRC_ROLE_INSTANCE, head, 0,
		&packet->instance);
	packet->events = head_bits(t, found, &context_at);
	if (packet->events > n * 8 && packet->events <= TRC_PACKET_HEAD_MAX * 8)
		return TRC_PACKET_BAD;
	*stream = found;
	if (packet->events > TRC_PACKET_HEAD_MAX * 8)
		return TRC_PACKET_FOREIGN;
	if (found->packet_context)
		read_context(found->packet_context, head, context_at, packet);
	return read_sizes(found->packet_context, head, context_at, file_size - offset, packet);
}

enum trc_packet_status trc_packet_read_at(const struct trc_packet_layout *layout, int fd, uint64_t offset,
	uint64_t file_size, struct trc_packet *packet, const struct trc_stream_class **stream)
{
	uint8_t head[TRC_PACKET_HEAD_MAX];
	ssize_t n = base_io_read(fd, head, sizeof(head), offset);

	return n < 0 ? TRC_PACKET_UNREAD
		     : trc_packet_read(layout, head, (size_t)n, offset, file_size, packet, stream);
}

const struct trc_type *trc_packet_field(const struct trc_packet_layout *layout,
	const struct trc_stream_class *stream, enum trc_role role, uint64_t *at)
{
	*at = 0;
	head_bits(layout->t, stream, at);
	return packet_find(stream->packet_context, role, at);
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
	bool told = packet->has_begin && packet->begin; /* perf gives events that have no time 0 */
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
