/* SPDX-License-Identifier: MIT */
#include "trace/trc_reader.h"

#include "base/base_error.h"
#include "base/base_text.h"
#include "trace/trc_inputs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The streams of one kind of reader. */
struct part {
	const struct trc_source_ops *ops;
	void *source;      /* owned, by ops->free */
	GPtrArray *queues; /* owned, of owned struct trc_queue * */
};

struct trc_reader {
	const struct trc_input *input;
	void *survey;          /* owned, by input->ops->survey_free */
	struct trc_info *info; /* owned */
	struct part parts[TRC_INPUTS_READERS + 1];
	unsigned n_parts, n_own; /* the first N_OWN read the trace; one more may read the traces beside it */
	GPtrArray *queues;       /* owned, of weak struct trc_queue *: of all parts, by index */
	struct part **part_of;   /* owned array of weak pointers: by index of the queue */
	struct trc_merge *merge; /* owned */
	bool ended;
};

static void fill(void *data, struct trc_queue *queue)
{
	const struct trc_reader *r = data;
	const struct part *part = r->part_of[queue->index];

	part->ops->fill(part->source, queue);
}

static int compare_queues(gconstpointer a, gconstpointer b)
{
	const struct trc_queue *const *qa = a, *const *qb = b;

	return g_strcmp0((*qa)->name, (*qb)->name);
}

/* Sort QUEUES by name and set their order. */
static void order_queues(GPtrArray *queues)
{
	g_ptr_array_sort(queues, compare_queues);
	for (unsigned i = 0; i < queues->len; i++)
		((struct trc_queue *)g_ptr_array_index(queues, i))->order = i;
}

/* Number the streams by name, so that events of one time have one order with every reader. */
static void number_queues(struct trc_reader *r)
{
	r->queues = g_ptr_array_new();
	for (unsigned p = 0; p < r->n_parts; p++)
		for (unsigned i = 0; i < r->parts[p].queues->len; i++)
			g_ptr_array_add(r->queues, g_ptr_array_index(r->parts[p].queues, i));
	order_queues(r->queues);
	for (unsigned i = 0; i < r->queues->len; i++)
		((struct trc_queue *)g_ptr_array_index(r->queues, i))->index = i;
	r->part_of = g_new(struct part *, r->queues->len);
	for (unsigned p = 0; p < r->n_parts; p++)
		for (unsigned i = 0; i < r->parts[p].queues->len; i++)
			r->part_of[((struct trc_queue *)g_ptr_array_index(r->parts[p].queues, i))->index] =
				&r->parts[p];
}

/* Let OPS read STREAMS, as its open() does. */
static bool reader_add_part(struct trc_reader *r, const struct trc_source_ops *ops, const GPtrArray *streams,
	GPtrArray *rest, GError **error)
{
	struct part *part = &r->parts[r->n_parts];

	part->ops = ops;
	part->queues = g_ptr_array_new_with_free_func((GDestroyNotify)trc_queue_free);
	part->source = ops->open(r->survey, streams, rest, r->info, part->queues, error);
	if (part->source && part->queues->len) {
		r->n_parts++;
		return true;
	}
	if (part->source)
		ops->free(part->source);
	g_ptr_array_unref(part->queues);
	return part->source;
}

/* Let all kinds read STREAMS in their order, each the rest of those before. KNOWN: streams are known. */
static bool add_parts(struct trc_reader *r, GPtrArray *streams, bool known, GError **error)
{
	const struct trc_input *input = r->input;
	GPtrArray *left = g_ptr_array_ref(streams);
	bool fine = true;
	unsigned i = known ? 0 : input->n_readers - 1;

	for (; fine && i < input->n_readers && (left->len || !known); i++) {
		GPtrArray *rest = g_ptr_array_new();
		GError *problem = NULL;

		if (!reader_add_part(r, input->readers[i], left, i + 1 < input->n_readers ? rest : NULL,
			    &problem)) {
			/* No kind can read these. Other streams may be readable. */
			fine = r->n_parts && g_error_matches(problem, BASE_ERROR, BASE_ERROR_DATA);
			if (fine)
				trc_info_warn(r->info, "%u of the streams left out: %s", left->len,
					problem->message);
			else
				g_propagate_error(error, g_steal_pointer(&problem));
			g_clear_error(&problem);
		}
		g_ptr_array_unref(left);
		left = rest;
	}
	g_ptr_array_unref(left);
	return fine;
}

/* Open the streams of the survey by KIND; NULL: by the first kind that understands them. */
static bool open_streams(struct trc_reader *r, const struct trc_source_ops *kind, GError **error)
{
	bool fine, known = false;
	GPtrArray *streams = r->input->ops->streams ? r->input->ops->streams(r->survey, &known, error)
						    : g_ptr_array_new();

	if (!streams)
		return false;
	fine = kind ? reader_add_part(r, kind, streams, NULL, error) : add_parts(r, streams, known, error);
	r->n_own = r->n_parts;
	if (fine && r->n_parts && r->info->beside)
		fine = reader_add_part(r, r->input->beside, streams, NULL, error);
	g_ptr_array_unref(streams);
	if (fine && !r->n_parts && r->info->warnings->len) /* the reason for the first one left out */
		return base_error_false(error, BASE_ERROR_DATA, "cannot read the trace %s: %s", r->info->path,
			(const char *)g_ptr_array_index(r->info->warnings, 0));
	if (fine && !r->n_parts)
		return base_error_false(error, BASE_ERROR_DATA,
			"cannot read the trace %s: no stream file in it can be "
			"read; copy the trace again",
			r->info->path);
	return fine;
}

/* Return FOLDERS as canonical paths; the caller frees. NULL with an error if one does not exist. */
static char **canonical_folders(char *const *folders, GError **error)
{
	GPtrArray *all = g_ptr_array_new_with_free_func(g_free);

	for (unsigned i = 0; folders[i]; i++) {
		char *canonical = trc_folders_canonical(folders[i]);

		if (!canonical) {
			base_error_set_errno(error, errno, "cannot open the trace", folders[i]);
			g_ptr_array_unref(all);
			return NULL;
		}
		g_ptr_array_add(all, canonical);
	}
	g_ptr_array_add(all, NULL);
	return (char **)g_ptr_array_free(all, FALSE);
}

/* Open RECORDING; unless it GROWS, with the traces beside it. */
static struct trc_reader *open_recording(const struct trc_recording *recording,
	const struct trc_source_ops *kind, bool grows, GError **error)
{
	bool has_beside = recording->beside && !grows;
	g_auto(GStrv) folders = canonical_folders(recording->folders, error);
	g_auto(GStrv) beside = folders && has_beside ? canonical_folders(recording->beside, error) : NULL;
	g_autofree char *root = NULL;
	struct trc_reader *r;
	GString *reader;

	if (!folders || (has_beside && !beside))
		return NULL;
	root = trc_folders_root(folders);
	r = g_new0(struct trc_reader, 1);
	r->input = recording->input;
	r->info = trc_info_new(root);
	r->info->grows = grows;
	r->info->beside = g_steal_pointer(&beside);
	trc_info_set_text(&r->info->format, r->input->ops->format);
	r->survey = r->input->ops->survey(folders, r->info, error);
	if (!r->survey || !open_streams(r, kind, error)) {
		trc_reader_free(r);
		return NULL;
	}
	reader = g_string_new(r->parts[0].ops->name); /* "ctf", or "ctf, 2 streams by babeltrace2" */
	for (unsigned i = 1; i < r->n_own; i++)
		g_string_append_printf(reader, ", %u stream%s by %s", r->parts[i].queues->len,
			base_text_s(r->parts[i].queues->len), r->parts[i].ops->name);
	g_free(r->info->reader);
	r->info->reader = g_string_free(reader, FALSE);
	number_queues(r);
	r->merge = trc_merge_new(r->queues, r->info, fill, r);
	return r;
}

struct trc_reader *trc_reader_open(const struct trc_recording *recording, const char *reader, GError **error)
{
	const struct trc_input *input = recording->input;
	unsigned kind = reader ? trc_inputs_reader(input, reader) : 0;

	if (kind == input->n_readers)
		return base_error_null(error, BASE_ERROR_USAGE, "no reader \"%s\" for this trace: use %s%s%s",
			reader, input->readers[0]->name, input->n_readers > 1 ? " or " : "",
			input->n_readers > 1 ? input->readers[1]->name : "");
	return open_recording(recording, reader ? input->readers[kind] : NULL, false, error);
}

/* ---- traces that are read in this thread alone, also while they grow ---- */

struct trc_reader *trc_reader_open_alone(const struct trc_recording *recording, bool grows, GError **error)
{
	const struct trc_input *input = recording->input;
	const struct trc_source_ops *first = input->readers[0];

	g_assert(first);
	if (grows && (!input->ops->grow || !first->grow))
		return base_error_null(error, BASE_ERROR_NO_ANSWER,
			"%s: only CTF is read while it is written: wait until the recording has ended",
			recording->folders[0]);
	return open_recording(recording, first, grows, error);
}

/* Number the new queues after the others. */
static void number_more(struct trc_reader *r, unsigned from)
{
	const GPtrArray *queues = r->parts[0].queues;
	g_autoptr(GPtrArray) all = g_ptr_array_new();

	r->part_of = g_renew(struct part *, r->part_of, queues->len);
	for (unsigned i = from; i < queues->len; i++) {
		struct trc_queue *q = g_ptr_array_index(queues, i);

		q->index = i;
		r->part_of[i] = &r->parts[0];
		g_ptr_array_add(r->queues, q);
	}
	for (unsigned i = 0; i < queues->len; i++)
		g_ptr_array_add(all, g_ptr_array_index(queues, i));
	order_queues(all);
}

enum trc_growth trc_reader_grow(struct trc_reader *r, char *const *folders, GError **error)
{
	g_autoptr(GPtrArray) added = g_ptr_array_new();
	enum trc_growth growth = r->info->late
		? TRC_GROWTH_OTHER
		: r->input->ops->grow(r->survey, folders, r->info, added, error);
	struct part *part = &r->parts[0];
	unsigned before = part->queues->len;

	if (growth != TRC_GROWTH_OTHER) {
		part->ops->grow(part->source, added, part->queues);
		number_more(r, before);
		trc_merge_more(r->merge);
	}
	return growth;
}

bool trc_reader_settle(struct trc_reader *r, GError **error)
{
	r->info->grows = false;
	if (!r->input->ops->settle(r->survey, r->info, error))
		return false;
	trc_merge_more(r->merge);
	return true;
}

int trc_reader_cut(struct trc_reader *r, struct mdl_event *events, int max)
{
	trc_info_summarise(r->info);
	return trc_merge_cut(r->merge, events, max);
}

const char *trc_reader_waits_for(const struct trc_reader *r)
{
	const struct trc_queue *queue = trc_merge_waits_for(r->merge);

	return queue ? queue->name : NULL;
}

char *trc_fingerprint(const struct trc_recording *recording, GError **error)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new();

	for (unsigned i = 0; recording->folders[i]; i++)
		g_ptr_array_add(all, recording->folders[i]);
	for (unsigned i = 0; recording->beside && recording->beside[i]; i++)
		g_ptr_array_add(all, recording->beside[i]);
	g_ptr_array_add(all, NULL);
	return recording->input->ops->fingerprint((char *const *)all->pdata, error);
}

char *trc_kallsyms(const struct trc_recording *recording, gsize *length, GError **error)
{
	const struct trc_input_ops *ops = recording->input->ops;

	return ops->kallsyms ? ops->kallsyms(recording->folders, length, error) : NULL;
}

bool trc_guests(const struct trc_recording *recording, struct trc_guests *guests, GError **error)
{
	const struct trc_input_ops *ops = recording->input->ops;

	*guests = (struct trc_guests){ .cpus = g_array_new(FALSE, FALSE, sizeof(struct trc_guest_cpu)) };
	if (!ops->guests || ops->guests(recording->folders, guests, error))
		return true;
	g_clear_pointer(&guests->cpus, g_array_unref);
	return false;
}

bool trc_recording_may_cut(const struct trc_recording *recording, GError **error)
{
	const struct trc_input_ops *ops = recording->input->ops;

	if (ops->cut)
		return true;
	return base_error_false(error, BASE_ERROR_USAGE, "%s: wakepath does not write this format: %s",
		recording->folders[0], ops->instead);
}

bool trc_recording_cut(const struct trc_recording *recording, struct trc_cut *cut, GError **error)
{
	return trc_recording_may_cut(recording, error) &&
		recording->input->ops->cut(recording->folders, cut, error);
}

bool trc_tells_first(const struct trc_recording *recording)
{
	return recording->input->ops->tells_first;
}

/* Return the format that READER reads; NULL: several readers read the trace. */
static const struct trc_input_ops *input_of(const char *reader)
{
	for (unsigned i = 0; i < TRC_INPUTS; i++)
		if (trc_inputs_reader(&trc_inputs[i], reader) < trc_inputs[i].n_readers)
			return trc_inputs[i].ops;
	return NULL;
}

bool trc_tells_contexts(const char *reader)
{
	const struct trc_input_ops *ops = input_of(reader);

	return ops && ops->tells_contexts;
}

bool trc_orders_by_place(const char *reader)
{
	const struct trc_input_ops *ops = input_of(reader);

	return ops && ops->by_place;
}

void trc_reader_free(struct trc_reader *r)
{
	if (!r)
		return;
	trc_merge_free(r->merge);
	for (unsigned i = 0; i < r->n_parts; i++) {
		r->parts[i].ops->free(r->parts[i].source);
		g_ptr_array_unref(r->parts[i].queues);
	}
	g_clear_pointer(&r->queues, g_ptr_array_unref);
	g_free(r->part_of);
	if (r->survey)
		r->input->ops->survey_free(r->survey);
	trc_info_free(r->info);
	g_free(r);
}

const struct trc_info *trc_reader_info(const struct trc_reader *r)
{
	return r->info;
}

int trc_reader_read(struct trc_reader *r, struct mdl_event *events, int max, GError **error)
{
	int n = trc_merge_read(r->merge, events, max);

	/* Only other problems come here: damage ends a stream with a warning. */
	if (r->info->problem) {
		g_propagate_error(error, g_error_copy(r->info->problem));
		return -1;
	}
	if (!n && max > 0 && !r->ended && !r->info->grows) {
		r->ended = true;
		if (r->input->ops->read_to_end)
			r->input->ops->read_to_end(r->survey, r->info);
		trc_info_summarise(r->info);
	}
	return n;
}

GHashTable *trc_reader_cpus(const struct trc_reader *r)
{
	GHashTable *cpus = g_hash_table_new(NULL, NULL);
	bool all = g_str_has_prefix(r->info->tracer, "lttng") && !r->info->grows;

	for (unsigned i = 0; all && i < r->queues->len; i++) {
		const struct trc_queue *queue = g_ptr_array_index(r->queues, i);

		if (queue->beside)
			continue;
		if (queue->cpu != TRC_CPU_UNKNOWN)
			g_hash_table_add(cpus, GUINT_TO_POINTER(queue->cpu));
		else
			all = queue->ended || queue->is_later;
	}
	if (!all)
		g_clear_pointer(&cpus, g_hash_table_unref);
	return cpus;
}

unsigned trc_reader_cpu_count(const struct trc_reader *r)
{
	g_autoptr(GHashTable) cpus = g_hash_table_new(NULL, NULL);

	for (unsigned i = 0; i < r->queues->len; i++) {
		const struct trc_queue *queue = g_ptr_array_index(r->queues, i);

		if (queue->cpu != TRC_CPU_UNKNOWN && !queue->beside)
			g_hash_table_add(cpus, GUINT_TO_POINTER(queue->cpu));
	}
	return g_hash_table_size(cpus);
}

unsigned trc_reader_stream_count(const struct trc_reader *r)
{
	return r->queues->len;
}

struct trc_stream trc_reader_stream(const struct trc_reader *r, unsigned stream)
{
	const struct trc_queue *queue = g_ptr_array_index(r->queues, stream);

	return (struct trc_stream){ .name = queue->name, .reader = r->part_of[stream]->ops->name };
}

static void take_packets(struct trc_reader *r, struct trc_queue *queue, GArray *packets)
{
	for (unsigned i = 0; i < queue->packets->len; i++) {
		struct trc_packet_seen *packet = &g_array_index(queue->packets, struct trc_packet_seen, i);

		packet->stream = queue->index;
		if (!packet->size && r->input->ops->place && !r->info->problem)
			r->input->ops->place(r->survey, queue->name, packet, &r->info->problem);
		g_array_append_val(packets, *packet);
	}
	g_array_set_size(queue->packets, 0);
}

void trc_reader_take_packets(struct trc_reader *r, GArray *packets)
{
	for (unsigned i = 0; i < r->queues->len; i++)
		take_packets(r, g_ptr_array_index(r->queues, i), packets);
}

static void take_given(struct trc_queue *queue, bool parts, GArray *packets)
{
	const struct trc_packet_seen *ended = (const struct trc_packet_seen *)(const void *)
						      queue->packets->data;
	unsigned n = 0;

	for (; n < queue->packets->len && ended[n].events <= queue->n_delivered; n++) {
		struct trc_packet_seen packet = ended[n];

		packet.stream = queue->index;
		queue->n_delivered -= packet.events;
		g_array_append_val(packets, packet);
	}
	if (parts && queue->n_delivered > 0) {
		struct trc_packet_seen packet = n < queue->packets->len ? ended[n] : queue->packet;

		packet.stream = queue->index;
		packet.events = queue->n_delivered;
		packet.last = MAX(packet.first, queue->delivered);
		g_array_append_val(packets, packet);
	}
	g_array_remove_range(queue->packets, 0, n);
}

void trc_reader_take_given(struct trc_reader *r, bool parts, GArray *packets)
{
	for (unsigned i = 0; i < r->queues->len; i++)
		take_given(g_ptr_array_index(r->queues, i), parts, packets);
}
