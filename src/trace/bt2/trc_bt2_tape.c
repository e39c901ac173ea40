/* SPDX-License-Identifier: MIT */
#include "trace/bt2/trc_bt2.h"

#include "base/base_error.h"
#include "base/base_search.h"
#include "base/base_text.h"
#include "trace/bt2/trc_bt2_open.h"
#include "trace/ctf/trc_ctf_class.h"
#include "trace/ctf/trc_ctf.h"

#include <inttypes.h>
#include <string.h>

G_STATIC_ASSERT(TRC_BT2_TAPE_KEPT > TRC_QUEUE_SIZE); /* one fill may read that many events too far */

struct kept {
	const bt_message *message; /* owned; NULL: none */
	int64_t time;
};

/* One stream. */
struct reel {
	struct trc_queue *queue;             /* weak: of the open trace */
	uint64_t read;                       /* events so far */
	uint64_t first;                      /* events from this number up to READ are kept */
	uint64_t wanted;                     /* events long before this one need not be kept */
	struct kept kept[TRC_BT2_TAPE_KEPT]; /* by number modulo TRC_BT2_TAPE_KEPT */
};

struct tape {
	struct trc_survey *survey; /* owned */
	struct trc_info *info;     /* owned */
	struct trc_bt2_open *open; /* owned */
	GHashTable *reels;         /* name (char *) → struct reel *, both owned; reels used so far */
	struct reel *turning;      /* weak: the one that is being read; NULL: none */
	uint64_t rewound;
};

/* ---- opening ---- */

static void reel_free(gpointer data)
{
	struct reel *r = data;

	for (unsigned i = 0; i < TRC_BT2_TAPE_KEPT; i++)
		if (r->kept[i].message)
			bt_message_put_ref(r->kept[i].message);
	g_free(r);
}

/* Return the stream files to read, of struct trc_stream_file *; the caller unrefs. NULL with ERROR. */
static GPtrArray *choose_streams(const struct trc_survey *survey, bool all, GError **error)
{
	GPtrArray *streams = g_ptr_array_new(),
		  *classes = g_ptr_array_new_with_free_func(trc_ctf_stream_free);

	if (survey->layout && !all && !trc_ctf_compile(survey->meta, false, classes, error))
		g_clear_pointer(&streams, g_ptr_array_unref);
	for (unsigned i = 0; streams && i < survey->streams->len; i++) {
		struct trc_stream_file *f = g_ptr_array_index(survey->streams, i);

		if (f->state != TRC_FILE_UNUSABLE && (all || trc_ctf_unknown(classes, f)))
			g_ptr_array_add(streams, f);
	}
	g_ptr_array_unref(classes);
	return streams;
}

static void bt2_tape_see(void *data, const struct trc_queue *q, const bt_message *message)
{
	const struct tape *t = data;
	struct reel *r = t->turning;
	struct kept *kept = &r->kept[r->read % TRC_BT2_TAPE_KEPT];
	uint64_t number = r->read++;

	if (number + TRC_BT2_TAPE_KEPT <= r->wanted) {
		r->first = r->read;
		return;
	}
	if (kept->message)
		bt_message_put_ref(kept->message);
	bt_message_get_ref(message);
	kept->message = message;
	kept->time = q->newest;
	if (r->read - r->first > TRC_BT2_TAPE_KEPT)
		r->first = r->read - TRC_BT2_TAPE_KEPT;
}

static bool open_streams(struct tape *t, char *const *folders, bool all, GError **error)
{
	g_autofree char *root = trc_folders_root(folders);
	g_autoptr(GPtrArray) streams = NULL;

	t->info = trc_info_new(root);
	t->survey = trc_survey_new(folders, NULL, t->info, error);
	if (!t->survey)
		return false;
	streams = choose_streams(t->survey, all, error);
	if (!streams)
		return false;
	t->open = trc_bt2_open_new(t->survey, streams, t->info, 1, error);
	return t->open;
}

static void free_tape(void *trace)
{
	struct tape *t = trace;

	if (t->open)
		trc_bt2_guard_enter(t->open->guard);
	g_hash_table_unref(t->reels); /* its messages belong to the graph */
	if (t->open)
		trc_bt2_guard_leave();
	trc_bt2_open_free(t->open);
	trc_survey_free(t->survey);
	trc_info_free(t->info);
	g_free(t);
}

static void *open_tape(char *const *folders, bool all, GError **error)
{
	struct tape *t = g_new0(struct tape, 1);
	struct trc_bt2_trace *trace;

	t->reels = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, reel_free);
	if (!open_streams(t, folders, all, error)) {
		free_tape(t);
		return NULL;
	}
	trc_bt2_open_begin(t->open);
	trace = trc_bt2_graph_trace(t->open->graphs[0]);
	trace->see = bt2_tape_see;
	trace->data = t;
	return t;
}

/* ---- winding ---- */

static void fill(struct tape *t, struct reel *r)
{
	t->turning = r;
	trc_queue_reset(r->queue);
	g_array_set_size(r->queue->packets, 0);
	trc_bt2_open_fill(t->open, r->queue);
	t->turning = NULL;
}

static void rewind_reel(struct tape *t, struct reel *r)
{
	r->read = r->first = 0;
	t->rewound++;
	trc_bt2_open_rewind(t->open, r->queue);
	if (!r->queue->ended)
		fill(t, r);
	/* A pending error from after the last messages comes first, although the stream begins again. */
	if (r->queue->ended && !r->read) {
		trc_bt2_open_rewind(t->open, r->queue);
		fill(t, r);
	}
}

/* Return the reel of the stream NAME; NULL: there is none. */
static struct reel *find_reel(struct tape *t, const char *name)
{
	struct reel *r = g_hash_table_lookup(t->reels, name);

	for (unsigned i = 0; !r && i < t->open->backs->len; i++) {
		struct trc_queue *q = g_ptr_array_index(t->open->backs, i);

		if (strcmp(q->name, name) != 0)
			continue;
		r = g_new0(struct reel, 1);
		r->queue = q;
		g_hash_table_insert(t->reels, g_strdup(name), r);
	}
	return r;
}

static const struct kept *kept_at(const struct reel *r, uint64_t number)
{
	return &r->kept[number % TRC_BT2_TAPE_KEPT];
}

/* Return event NUMBER of the stream NAME. NULL with ERROR if there is none. */
static const struct kept *wind(struct tape *t, const char *name, uint64_t number, GError **error)
{
	struct reel *r = find_reel(t, name);
	g_autofree char *shown = NULL;

	if (r && number >= r->first && number < r->read)
		return kept_at(r, number);
	if (r) {
		r->wanted = number;
		if (number < r->read || !r->read)
			rewind_reel(t, r);
		while (r->read <= number && !r->queue->ended)
			fill(t, r);
		if (number < r->read)
			return kept_at(r, number);
	}
	shown = base_text_clean(name, -1);
	return base_error_null(error, BASE_ERROR_DATA,
		"%s/%s: babeltrace2 finds no event %" G_GUINT64_FORMAT " in it any more",
		t->survey->directory, shown, number + 1);
}

static const bt_event *bt2_tape_event_of(const struct kept *kept)
{
	return bt_message_event_borrow_event_const(kept->message);
}

/* ---- events: a page is only the place of a packet ---- */

static void *bt2_tape_read_page(G_GNUC_UNUSED void *trace, struct trc_paging_packet *packet,
	G_GNUC_UNUSED GError **error)
{
	return g_memdup2(packet, sizeof *packet);
}

static bool bt2_tape_get_event(void *trace, void *page, uint64_t i, struct trc_paging_event *event,
	GError **error)
{
	const struct trc_paging_packet *p = page;
	const struct kept *kept = wind(trace, p->stream, p->before + i, error);
	const char *name;

	if (!kept)
		return false;
	name = bt_event_class_get_name(bt_event_borrow_class_const(bt2_tape_event_of(kept)));
	*event = (struct trc_paging_event){ .time = kept->time,
		.cpu = MDL_NONE,
		.offset = -1,
		.name = name ? name : "" };
	return true;
}

struct sought {
	const struct reel *reel;
	int64_t time;
};

static bool bt2_tape_is_before(const void *data, uint64_t i)
{
	const struct sought *s = data;

	return kept_at(s->reel, i)->time < s->time;
}

static bool find_event(void *trace, void *page, int64_t time, uint64_t *found, GError **error)
{
	const struct trc_paging_packet *p = page;
	const struct reel *r = find_reel(trace, p->stream);
	uint64_t at = p->before, to = at + p->events, begin = r ? MAX(at, r->first) : at,
		 end = r ? MIN(to, r->read) : at;

	/* Begin with the kept events, unless they are all after TIME. */
	if (begin < end && (begin == at || kept_at(r, begin)->time < time))
		at = base_search(begin, end, bt2_tape_is_before, &(struct sought){ r, time });
	for (; at < to; at++) {
		const struct kept *kept = wind(trace, p->stream, at, error);

		if (!kept)
			return false;
		if (kept->time >= time)
			break;
	}
	*found = at - p->before;
	return true;
}

/* ---- fields as text, like trc_text.c ---- */

static void render(GString *to, const bt_field *field, gsize end);

static void render_integer(GString *to, const bt_field *field, bool is_signed)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	uint64_t value = is_signed ? (uint64_t)bt_field_integer_signed_get_value(field)
				   : bt_field_integer_unsigned_get_value(field);

	trc_text_value_integer(to, is_signed, (unsigned)bt_field_class_integer_get_field_value_range(class),
		(unsigned)bt_field_class_integer_get_preferred_display_base(class), value);
}

static void render_enum(GString *to, const bt_field *field, bool is_signed, gsize end)
{
	bt_field_class_enumeration_mapping_label_array labels;
	uint64_t i, n = 0;

	if (is_signed)
		bt_field_enumeration_signed_get_mapping_labels(field, &labels, &n);
	else
		bt_field_enumeration_unsigned_get_mapping_labels(field, &labels, &n);
	g_string_append(to, n ? "( " : "( <unknown>");
	for (i = 0; i < n && to->len < end; i++) {
		g_string_append(to, i ? ", " : "");
		trc_text_value_string(to, labels[i], UINT64_MAX, end);
	}
	g_string_append(to, " : container = ");
	render_integer(to, field, is_signed);
	g_string_append(to, " )");
}

static void render_float(GString *to, const bt_field *field, bool is_double)
{
	uint64_t bits = 0;
	double d;
	float f;

	if (is_double) {
		d = bt_field_real_double_precision_get_value(field);
		memcpy(&bits, &d, sizeof(d));
	} else {
		uint32_t low;

		f = bt_field_real_single_precision_get_value(field);
		memcpy(&low, &f, sizeof(f));
		bits = low;
	}
	trc_text_value_float(to, is_double ? 64 : 32, bits);
}

/* Return the value of FIELD, whose text begins at BEGIN of TO. */
static struct trc_value bt2_tape_value_of(const bt_field *field, const GString *to, gsize begin)
{
	bt_field_class_type type = bt_field_get_class_type(field);
	struct trc_value v = { .type = TRC_VALUE_TEXT, .text = to->str + begin, .length = to->len - begin };

	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER)) {
		v.type = TRC_VALUE_SIGNED;
		v.number = (uint64_t)bt_field_integer_signed_get_value(field);
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_INTEGER)) {
		v.type = TRC_VALUE_UNSIGNED;
		v.number = bt_field_integer_unsigned_get_value(field);
	} else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_REAL)) {
		v.type = TRC_VALUE_REAL;
		v.real = bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL)
			? bt_field_real_double_precision_get_value(field)
			: (double)bt_field_real_single_precision_get_value(field);
	} else if (type == BT_FIELD_CLASS_TYPE_STRING) {
		v.text = bt_field_string_get_value(field);
		v.length = bt_field_string_get_length(field);
	}
	return v;
}

/* TAKER: NULL if FIELD is a member of another field. */
static void render_struct(GString *to, const bt_field *field, gsize end, const struct trc_taker *taker)
{
	const bt_field_class *class = bt_field_borrow_class_const(field);
	uint64_t i, n = bt_field_class_structure_get_member_count(class);

	g_string_append_c(to, '{');
	for (i = 0; i < n && to->len < end; i++) {
		const bt_field_class_structure_member *member =
			bt_field_class_structure_borrow_member_by_index_const(class, i);

		const bt_field *part = bt_field_structure_borrow_member_field_by_index_const(field, i);
		const char *name = bt_field_class_structure_member_get_name(member);
		struct trc_value value;
		gsize begin;

		g_string_append_printf(to, "%s%s = ", i ? ", " : " ", name);
		begin = to->len;
		render(to, part, end);
		if (!taker)
			continue;
		value = bt2_tape_value_of(part, to, begin);
		taker->take(taker->data, name, &value);
	}
	g_string_append(to, " }");
}

static void render_array(GString *to, const bt_field *field, gsize end)
{
	uint64_t i, n = bt_field_array_get_length(field);

	g_string_append_c(to, '[');
	for (i = 0; i < n && to->len < end; i++) {
		g_string_append_printf(to, "%s[%" PRIu64 "] = ", i ? ", " : " ", i);
		render(to, bt_field_array_borrow_element_field_by_index_const(field, i), end);
	}
	g_string_append(to, " ]");
}

static void render(GString *to, const bt_field *field, gsize end)
{
	bt_field_class_type type = bt_field_get_class_type(field);

	if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ENUMERATION))
		render_enum(to, field, bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER), end);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_INTEGER))
		render_integer(to, field, bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_SIGNED_INTEGER));
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_REAL))
		render_float(to, field,
			bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_DOUBLE_PRECISION_REAL));
	else if (type == BT_FIELD_CLASS_TYPE_STRING)
		/* If it is empty, its value is the one before. */
		trc_text_value_string(to, bt_field_string_get_value(field), bt_field_string_get_length(field),
			end);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_STRUCTURE))
		render_struct(to, field, end, NULL);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_ARRAY))
		render_array(to, field, end);
	else if (bt_field_class_type_is(type, BT_FIELD_CLASS_TYPE_VARIANT)) {
		g_string_append(to, "{ ");
		render(to, bt_field_variant_borrow_selected_option_field_const(field), end);
		g_string_append(to, " }");
	} else
		g_string_append(to, "(not known)"); /* no type of CTF 1.8 */
}

/* Append the existing contexts and fields of EVENT to TO, separated by ", ", at most TRC_TEXT_EVENT_MAX
 * bytes. TAKER (NULL: none) gets each field, too. The text is hostile. */
static void render_event(const bt_event *event, GString *to, const struct trc_taker *taker)
{
	const bt_field *roots[] = {
		bt_event_borrow_common_context_field_const(event),
		bt_event_borrow_specific_context_field_const(event),
		bt_event_borrow_payload_field_const(event),
	};
	gsize start = to->len, end = start + TRC_TEXT_EVENT_MAX;

	for (unsigned i = 0; i < G_N_ELEMENTS(roots) && to->len < end; i++) {
		if (!roots[i])
			continue;
		if (to->len > start)
			g_string_append(to, ", ");
		render_struct(to, roots[i], end, taker); /* a root is always a struct */
	}
	if (to->len >= end) {
		g_string_truncate(to, end);
		g_string_append(to, "…");
	}
}

static bool bt2_tape_get_fields(void *trace, void *page, uint64_t i, GString *to,
	const struct trc_taker *taker, GError **error)
{
	const struct trc_paging_packet *p = page;
	const struct kept *kept = wind(trace, p->stream, p->before + i, error);

	if (!kept)
		return false;
	trc_bt2_guard_enter(((const struct tape *)trace)->open->guard);
	render_event(bt2_tape_event_of(kept), to, taker);
	trc_bt2_guard_leave();
	return true;
}

static uint64_t rewound(const void *trace)
{
	return ((const struct tape *)trace)->rewound;
}

const struct trc_paging_ops trc_bt2_paging = {
	.open = open_tape,
	.free = free_tape,
	.read = bt2_tape_read_page,
	.free_page = g_free,
	.event = bt2_tape_get_event,
	.find = find_event,
	.fields = bt2_tape_get_fields,
	.rewound = rewound,
};
