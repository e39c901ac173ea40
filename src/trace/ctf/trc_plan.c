/* SPDX-License-Identifier: MIT */
/*
 * How it works: the compiler of plans. Within a "segment" all sizes are fixed, so nothing is computed at run
 * time: each wanted number is read at an offset that is known here, after one check that all bits of the
 * segment are there. A string, a sequence, a variant or an unknown alignment ends a segment.
 *
 * Of the alignment this is known: the current place is a multiple of BASE bits, plus OFFSET bits. Lengths and
 * tags go into registers.
 */
#include "trace/ctf/trc_plan.h"

#include "trace/ctf/trc_plan_ops.h"
#include "trace/meta/trc_meta_type.h"

#include <string.h>

#define PATH_STEP 64 /* bytes of a path that cost as much as a step */

struct compiler {
	struct trc_plan *plan; /* weak */
	uint32_t base;         /* bits; see the head of this file */
	uint64_t offset;
	int need;           /* index of the segment's check; -1: no segment yet */
	GString *path;      /* owned: of the current field */
	const char *option; /* weak: name of the struct or variant option around the field; "": the payload */
	bool in_header;     /* of events */
	unsigned heads;     /* of enum trc_role: what the packet heads compiled now can have */
	bool in_field;      /* the compiled type is of a field, not of an element of an array */
	GHashTable *wanted; /* set of last parts of references (const char *), owned */
	GHashTable *known;  /* path → struct trc_known *, owned */
	unsigned n_registers, depth;
	const struct mdl_mapping *mapping;                         /* weak; NULL: fetch nothing */
	const struct trc_type *fields;                             /* weak: the struct of MAPPING */
	const struct trc_field *args[MDL_ARGS], *texts[MDL_TEXTS]; /* weak: in FIELDS; NULL: none */
	const struct trc_plan_field *wanted_fields;                /* weak: N_WANTED of them */
	unsigned n_wanted;
	const struct trc_type *root; /* weak: the context or payload that is compiled */
	struct trc_budget *costs;    /* weak */
	bool failed;
};

static void compile(struct compiler *c, const struct trc_type *type);

/* ---- steps ---- */

static void plan_spend(struct compiler *c, uint64_t n)
{
	if (!trc_budget_spend(c->costs, n, "its events have too many fields, or choices of them, in all"))
		c->failed = true;
}

static struct trc_op *plan_add(struct compiler *c, enum trc_op_code code)
{
	struct trc_op op = { .code = (uint8_t)code, .slot = TRC_NO_SLOT, .count = TRC_NO_SLOT };

	plan_spend(c, 1);
	if (!c->failed || !c->plan->ops->len)
		g_array_append_val(c->plan->ops, op);
	return &g_array_index(c->plan->ops, struct trc_op, c->plan->ops->len - 1);
}

/* Let the check of the current segment cover SIZE more bits at the offset. */
static void need(struct compiler *c, uint64_t size)
{
	if (c->need < 0) {
		plan_add(c, TRC_OP_NEED);
		c->need = (int)c->plan->ops->len - 1;
	}
	g_array_index(c->plan->ops, struct trc_op, c->need).n = c->offset + size;
}

/* End the segment. The next place has offset 0. */
static void flush(struct compiler *c)
{
	if (c->offset) {
		need(c, 0);
		plan_add(c, TRC_OP_SKIP)->n = c->offset;
		c->base = MIN(c->base, (uint32_t)MIN(c->offset & -c->offset, TRC_ALIGN_MAX));
	}
	c->offset = 0;
	c->need = -1;
}

static void align(struct compiler *c, uint32_t to)
{
	if (to <= c->base) {
		c->offset = trc_align(c->offset, to);
		return;
	}
	flush(c);
	if (to <= c->base)
		return;
	plan_add(c, TRC_OP_ALIGN)->n = to;
	c->base = to;
}

/* Return the faster step for the usual types of arguments, else CODE. */
static enum trc_op_code quicker(const struct compiler *c, enum trc_op_code code, const struct trc_type *type)
{
	if (code != TRC_OP_ARG || type->big_endian || type->reversed || c->base < 8 || c->offset % 8)
		return code;
	if (type->bits == 32 && type->is_signed)
		return TRC_OP_ARG_S32;
	return type->bits == 64 ? TRC_OP_ARG_64 : code;
}

static void add_number(struct compiler *c, enum trc_op_code code, const struct trc_type *type, unsigned slot)
{
	struct trc_op *op;

	if (trc_type_is_leb(type)) {
		op = plan_add(c, code);
		op->from = TRC_FROM_LEB;
	} else {
		need(c, type->bits);
		op = plan_add(c, quicker(c, code, type));
		op->from = type->reversed ? TRC_FROM_REVERSED : TRC_FROM_BITS;
		op->bits = (uint8_t)type->bits;
	}
	op->is_signed = type->is_signed;
	op->big_endian = type->big_endian;
	op->slot = (uint16_t)slot;
	op->offset = c->offset;
}

/* ---- names ---- */

/* Resolve the reference of TYPE, the current field's; NULL with a failure. */
static const struct trc_known *resolve(struct compiler *c, const struct trc_type *type)
{
	const struct trc_known *found = NULL;

	plan_spend(c, 1 + c->path->len * TRC_DEPTH_MAX / PATH_STEP); /* a path per struct around */
	if (!c->failed)
		found = trc_reference_find(c->known, c->path->str, type);
	if (!found)
		c->failed = true;
	return found;
}

/* Return the name of the field at the current path. */
static const char *plan_name(const struct compiler *c)
{
	const char *dot = strrchr(c->path->str, '.');

	return dot ? dot + 1 : c->path->str;
}

/* Put the number TYPE at the current place into a register, for the field at the current path. Options of a
 * variant with one path share a register. */
static void plan_remember(struct compiler *c, const struct trc_type *type)
{
	struct trc_known *known = g_hash_table_lookup(c->known, c->path->str);

	if ((known && known->type->is_signed != type->is_signed) ||
		(!known && c->n_registers == TRC_REGISTERS)) {
		c->failed = true;
		return;
	}
	if (!known) {
		known = g_new(struct trc_known, 1);
		known->slot = (uint16_t)c->n_registers++;
		g_hash_table_insert(c->known, g_strdup(c->path->str), known);
	}
	known->type = type;
	add_number(c, TRC_OP_REGISTER, type, known->slot);
}

/* ---- what the mapping wants ---- */

/* True for a string, or bytes that are read as one. */
static bool plan_is_text(const struct trc_type *type)
{
	const struct trc_type *element = type->element;

	return type->kind == TRC_TYPE_STRING ||
		(element && element->kind == TRC_TYPE_INTEGER && element->bits == 8 && element->align == 8);
}

/* Return the first field of the payload that LIST (NULL: none) names and that has the right type. */
static const struct trc_field *plan_choose(const struct compiler *c, const char *list, bool text)
{
	g_auto(GStrv) names = list ? g_strsplit(list, "|", -1) : NULL;
	const struct trc_field *found = NULL;

	for (unsigned i = 0; names && names[i] && !found; i++) {
		found = trc_type_find(c->fields, names[i]);
		if (found && !(text ? plan_is_text(found->type) : trc_type_is_number(found->type)))
			found = NULL;
	}
	return found;
}

/*
 * Fetch FIELD of a context if it is a counter: lttng add-context names perf:cpu:NAME and perf:thread:NAME as
 * perf_cpu_NAME and perf_thread_NAME.
 */
static void fetch_counter(struct compiler *c, const struct trc_field *field)
{
	static const char cpu[] = "perf_cpu_", thread[] = "perf_thread_";
	const char *name = trc_type_bare(field->name);
	struct trc_plan *plan = c->plan;
	bool own = g_str_has_prefix(name, thread);

	if ((!own && !g_str_has_prefix(name, cpu)) || !trc_type_is_number(field->type) ||
		plan->n_counters == MDL_COUNTERS || (plan->n_counters > 0 && plan->own != own))
		return;
	plan->own = own;
	add_number(c, TRC_OP_COUNT, field->type, plan->n_counters);
	plan->counters[plan->n_counters++] = g_intern_string(name + (own ? sizeof thread : sizeof cpu) - 1);
}

/* Fetch FIELD of the struct TYPE, unless it is a string or sequence, if it is wanted, or if the mapping wants
 * it and TYPE is the payload. Returns the slot of a text; TRC_NO_SLOT: none is wanted. */
static uint16_t fetch(struct compiler *c, const struct trc_type *type, const struct trc_field *field)
{
	uint16_t text = TRC_NO_SLOT;

	for (unsigned i = 0; type == c->root && i < c->n_wanted; i++) {
		if (c->wanted_fields[i].root != type || c->wanted_fields[i].field != field)
			continue;
		if (trc_type_is_number(field->type) || field->type->kind == TRC_TYPE_FLOAT)
			add_number(c, TRC_OP_TAKE, field->type, i);
		else
			text = (uint16_t)i;
	}
	if (c->mapping && type != c->fields)
		fetch_counter(c, field);
	if (!c->mapping || type != c->fields)
		return text;
	for (unsigned i = 0; i < MDL_ARGS; i++)
		if (c->args[i] == field)
			add_number(c, TRC_OP_ARG, field->type, i);
	for (unsigned i = 0; i < MDL_TEXTS; i++)
		if (c->texts[i] == field)
			text = (uint16_t)i;
	return text;
}

/* True for an array of numbers of whole bytes. */
static bool is_address(const struct trc_type *type)
{
	const struct trc_type *element = type->element;

	return type->kind == TRC_TYPE_ARRAY && element->kind == TRC_TYPE_INTEGER && element->bits % 8 == 0 &&
		element->align <= 64;
}

/* Fetch FIELD, at the current path, if it belongs to a packet's headers. */
static void fetch_net(struct compiler *c, const struct trc_field *field)
{
	enum trc_net_field net = trc_net_field_of(c->option, field->name);
	struct trc_op *op;

	if (net == TRC_NET_FIELDS)
		return;
	if (net > TRC_NET_DESTINATION && trc_type_is_number(field->type)) {
		add_number(c, TRC_OP_NET, field->type, net);
	} else if (net <= TRC_NET_DESTINATION && is_address(field->type)) {
		const struct trc_type *element = field->type->element;

		need(c, field->type->bits);
		op = plan_add(c, TRC_OP_NET_ADDRESS);
		op->slot = (uint16_t)net;
		op->bits = (uint8_t)element->bits;
		op->big_endian = element->big_endian;
		op->count = (uint16_t)trc_align(element->bits, element->align);
		op->offset = c->offset;
		op->n = field->type->length;
	}
}

/* ---- types ---- */

/* Compile a number. FIELD of the struct IN has it; NULL: an element has it. */
static void compile_number(struct compiler *c, const struct trc_type *type, const struct trc_field *field,
	const struct trc_type *in)
{
	bool is_leb = trc_type_is_leb(type);

	if (is_leb) {
		flush(c);
		plan_add(c, TRC_OP_LEB)->is_signed = type->is_signed;
		c->base = 8;
	}
	if (c->in_field && g_hash_table_contains(c->wanted, plan_name(c)))
		plan_remember(c, type);
	if (c->in_header && type->roles & TRC_ROLE_EVENT)
		add_number(c, TRC_OP_ID, type, 0);
	for (unsigned i = 0; i < TRC_ROLES; i++)
		if (c->heads & type->roles & 1u << i)
			add_number(c, TRC_OP_HEAD, type, i);
	if (field && in == c->fields && !strcmp(trc_type_bare(field->name), TRC_PLAN_CPU))
		add_number(c, TRC_OP_CPU, type, 0);
	if (field)
		fetch(c, in, field);
	if (field && c->mapping && trc_net_has(c->mapping->kind))
		fetch_net(c, field);
	if (!c->heads && (type->clock || (c->in_header && type->roles & TRC_ROLE_TIME)))
		add_number(c, TRC_OP_CLOCK, type, 0);
	if (!is_leb)
		c->offset += type->bits;
}

static void compile_string(struct compiler *c, const struct trc_type *type, uint16_t text)
{
	struct trc_op *op;

	flush(c);
	op = plan_add(c, TRC_OP_STRING);
	op->slot = text;
	op->is_taken = c->n_wanted > 0;
	op->encoding = type->encoding;
	c->base = 8;
}

/* Compile an array or sequence whose elements have no fixed size. */
static void compile_loop(struct compiler *c, const struct trc_type *type, uint16_t count)
{
	bool in_field = c->in_field;
	struct trc_op *op;
	uint32_t start;

	flush(c);
	if (++c->depth > TRC_LOOPS)
		c->failed = true;
	op = plan_add(c, TRC_OP_LOOP);
	op->count = count;
	op->n = type->length;
	start = c->plan->ops->len - 1;
	c->base = 1;
	c->in_field = false;
	compile(c, type->element);
	c->in_field = in_field;
	flush(c);
	plan_add(c, TRC_OP_NEXT)->jump = start + 1;
	c->base = 1;
	g_array_index(c->plan->ops, struct trc_op, start).jump = c->plan->ops->len;
	c->depth--;
}

static void compile_array(struct compiler *c, const struct trc_type *type, uint16_t text)
{
	struct trc_op *op;

	if (type->bits == TRC_VARIABLE) {
		compile_loop(c, type, TRC_NO_SLOT);
		return;
	}
	if (text != TRC_NO_SLOT) {
		need(c, type->bits);
		op = plan_add(c, TRC_OP_CHARS);
		op->slot = text;
		op->is_taken = c->n_wanted > 0;
		op->encoding = type->element->encoding;
		op->offset = c->offset;
		op->n = type->length;
	}
	c->offset += type->bits;
}

static void compile_sequence(struct compiler *c, const struct trc_type *type, uint16_t text)
{
	const struct trc_known *length = resolve(c, type);
	struct trc_op *op;

	if (!length || length->type->is_signed) {
		c->failed = true;
		return;
	}
	if (type->element->bits == TRC_VARIABLE) {
		compile_loop(c, type, length->slot);
		return;
	}
	flush(c);
	op = plan_add(c, TRC_OP_SEQUENCE);
	op->count = length->slot;
	op->slot = text;
	op->is_taken = c->n_wanted > 0;
	op->encoding = type->element->encoding;
	op->offset = trc_align(type->element->bits, type->element->align);
	op->n = type->element->bits;
	c->base = type->element->bits % type->element->align ? 1 : type->element->align;
}

/* ---- the option that a tag's value chooses ---- */

/* Return the fields of the variant TYPE by names without "_"; of equal names the first. The caller unrefs. */
static GHashTable *options_of(const struct trc_type *type)
{
	GHashTable *options = g_hash_table_new(g_str_hash, g_str_equal);

	for (unsigned i = type->n_fields; i-- > 0;)
		g_hash_table_insert(options, (gpointer)trc_type_bare(type->fields[i].name), &type->fields[i]);
	return options;
}

static int compare_cases(gconstpointer a, gconstpointer b)
{
	const struct trc_case *x = a, *y = b;

	return x->low < y->low ? -1 : x->low > y->low;
}

static bool are_apart(const GArray *cases)
{
	for (unsigned i = 1; i < cases->len; i++)
		if (g_array_index(cases, struct trc_case, i).low <=
			g_array_index(cases, struct trc_case, i - 1).high)
			return false;
	return true;
}

/* Add the case LOW to HIGH of a tag with IS_SIGNED, which leads to START. */
static void add_case(GArray *cases, bool is_signed, uint64_t low, uint64_t high, uint32_t start)
{
	struct trc_case one = { .low = trc_case_value(is_signed, low),
		.high = trc_case_value(is_signed, high),
		.jump = start };

	if (one.low <= one.high)
		g_array_append_val(cases, one);
}

/*
 * Return the cases of TYPE, a variant or optional, for the values of TAG: its choices, or the labels that
 * name a field. A case leads to the entry of STARTS for its option. They are struct trc_case in ascending
 * order; the caller unrefs. NULL if two overlap.
 */
static GArray *cases_new(const struct trc_type *tag, const struct trc_type *type, const uint32_t *starts)
{
	GArray *cases = g_array_new(FALSE, FALSE, sizeof(struct trc_case));
	g_autoptr(GHashTable) options = options_of(type);
	uint64_t low, high;

	for (unsigned i = 0; i < type->n_choices; i++)
		if (trc_choice_bounds(&type->choices[i], tag->is_signed, &low, &high))
			add_case(cases, tag->is_signed, low, high, starts[type->choices[i].option]);
	for (unsigned i = 0; !type->n_choices && i < tag->n_labels; i++) {
		const struct trc_label *label = &tag->labels[i];
		const struct trc_field *option = g_hash_table_lookup(options, trc_type_bare(label->name));

		if (option)
			add_case(cases, tag->is_signed, label->low, label->high,
				starts[option - type->fields]);
	}
	if (!type->n_choices && type->kind == TRC_TYPE_OPTIONAL)
		add_case(cases, false, 1, UINT64_MAX, *starts);
	g_array_sort(cases, compare_cases);
	if (!are_apart(cases))
		g_clear_pointer(&cases, g_array_unref);
	return cases;
}

/* Add the cases of OP, a switch on TAG. STARTS: where the options of TYPE begin. */
static void add_cases(struct compiler *c, struct trc_op *op, const struct trc_type *tag,
	const struct trc_type *type, const uint32_t *starts)
{
	g_autoptr(GArray) cases = cases_new(tag, type, starts);

	plan_spend(c, tag->n_labels + type->n_choices);
	if (!cases) { /* babeltrace2 aborts on such cases */
		c->costs->refused = "a variant has several options for one value of its tag";
		c->failed = true;
	}
	if (c->failed)
		return;
	op->is_signed = tag->is_signed;
	op->jump = c->plan->cases->len;
	op->n = cases->len;
	g_array_append_vals(c->plan->cases, cases->data, cases->len);
}

/*
 * Compile the options one after the other; each ends with a jump to the end of all. Variants within options
 * add their cases first, so these cases are added last.
 */
static void compile_variant(struct compiler *c, const struct trc_type *type)
{
	const struct trc_known *tag = resolve(c, type);
	const char *around = c->option;
	uint32_t base, at, *starts, *ends;

	if (!tag || (tag->type->kind != TRC_TYPE_ENUM && !type->n_choices) || !type->n_fields) {
		c->failed = true;
		return;
	}
	flush(c);
	base = c->base;
	plan_add(c, TRC_OP_SWITCH)->count = tag->slot;
	at = c->plan->ops->len - 1;
	starts = g_new(uint32_t, type->n_fields);
	ends = g_new(uint32_t, type->n_fields);
	for (unsigned i = 0; i < type->n_fields && !c->failed; i++) {
		gsize length = c->path->len;

		starts[i] = c->plan->ops->len;
		c->base = base;
		c->option = type->fields[i].name;
		if (type->up == TRC_SEARCH) /* in CTF 2 paths do not have options */
			trc_path_add(c->path, type->fields[i].name);
		compile(c, type->fields[i].type);
		g_string_truncate(c->path, length);
		flush(c);
		plan_add(c, TRC_OP_JUMP);
		ends[i] = c->plan->ops->len - 1;
	}
	for (unsigned i = 0; i < type->n_fields && !c->failed; i++)
		g_array_index(c->plan->ops, struct trc_op, ends[i]).jump = c->plan->ops->len;
	if (!c->failed)
		add_cases(c, &g_array_index(c->plan->ops, struct trc_op, at), tag->type, type, starts);
	c->base = 1;
	c->option = around;
	g_free(starts);
	g_free(ends);
}

static void compile_optional(struct compiler *c, const struct trc_type *type)
{
	const struct trc_known *tag = resolve(c, type);
	uint32_t at, start;

	if (!tag || (tag->type->is_signed && !type->n_choices)) {
		c->failed = true;
		return;
	}
	flush(c);
	plan_add(c, TRC_OP_SWITCH)->count = tag->slot;
	at = c->plan->ops->len - 1;
	start = at + 1;
	compile(c, type->element);
	flush(c);
	if (!c->failed) {
		struct trc_op *op = &g_array_index(c->plan->ops, struct trc_op, at);

		op->offset = c->plan->ops->len;
		add_cases(c, op, tag->type, type, &start);
	}
	c->base = 1;
}

/* Compile FIELD of the struct IN, at the current path. */
static void compile_field(struct compiler *c, const struct trc_field *field, const struct trc_type *in)
{
	const char *around = c->option;
	uint16_t text;

	align(c, field->type->align);
	if (trc_type_is_number(field->type)) {
		compile_number(c, field->type, field, in);
		return;
	}
	if (c->heads & field->type->roles & TRC_ROLE_UUID && field->type->bits == 128) {
		struct trc_op *op;

		need(c, 128);
		op = plan_add(c, TRC_OP_PLACE);
		op->slot = (uint16_t)__builtin_ctz(TRC_ROLE_UUID);
		op->offset = c->offset;
	}
	text = fetch(c, in, field);
	if (c->mapping && trc_net_has(c->mapping->kind))
		fetch_net(c, field);
	c->option = field->name;
	if (field->type->kind == TRC_TYPE_STRING)
		compile_string(c, field->type, text);
	else if (field->type->kind == TRC_TYPE_ARRAY)
		compile_array(c, field->type, text);
	else if (field->type->kind == TRC_TYPE_SEQUENCE)
		compile_sequence(c, field->type, text);
	else
		compile(c, field->type);
	c->option = around;
}

static void compile_fields(struct compiler *c, const struct trc_type *type)
{
	gsize length = c->path->len;
	bool in_field = c->in_field;

	c->in_field = true;
	for (unsigned i = 0; i < type->n_fields && !c->failed; i++) {
		plan_spend(c, 1 + c->path->len / PATH_STEP);
		trc_path_add(c->path, type->fields[i].name);
		compile_field(c, &type->fields[i], type);
		g_string_truncate(c->path, length);
	}
	c->in_field = in_field;
}

/* Compile TYPE at the current path. */
static void compile(struct compiler *c, const struct trc_type *type)
{
	if (c->failed)
		return;
	align(c, type->align);
	switch (type->kind) {
	case TRC_TYPE_INTEGER:
	case TRC_TYPE_ENUM: compile_number(c, type, NULL, NULL); break;
	case TRC_TYPE_FLOAT: c->offset += type->bits; break;
	case TRC_TYPE_STRING: compile_string(c, type, TRC_NO_SLOT); break;
	case TRC_TYPE_OPTIONAL: compile_optional(c, type); break;
	case TRC_TYPE_STRUCT: compile_fields(c, type); break;
	case TRC_TYPE_VARIANT: compile_variant(c, type); break;
	case TRC_TYPE_ARRAY: compile_array(c, type, TRC_NO_SLOT); break;
	case TRC_TYPE_SEQUENCE: compile_sequence(c, type, TRC_NO_SLOT); break;
	}
}

/* ---- whole plans ---- */

static void plan_start(struct compiler *c, const struct mdl_mapping *mapping, struct trc_budget *costs)
{
	memset(c, 0, sizeof(*c));
	c->plan = g_new0(struct trc_plan, 1);
	c->plan->ops = g_array_new(FALSE, FALSE, sizeof(struct trc_op));
	c->plan->cases = g_array_new(FALSE, FALSE, sizeof(struct trc_case));
	c->base = 1;
	c->need = -1;
	c->path = g_string_new(NULL);
	c->wanted = g_hash_table_new(g_str_hash, g_str_equal);
	c->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	c->mapping = mapping;
	c->costs = costs;
}

/* Compile TYPE (NULL: nothing), whose path from outside is PATH. */
static void compile_root(struct compiler *c, const struct trc_type *type, const char *path)
{
	if (!type)
		return;
	g_string_assign(c->path, path);
	c->option = type == c->fields ? "" : path;
	c->root = type;
	c->in_header = !strcmp(path, TRC_PATH_HEADER);
	compile(c, type);
}

static struct trc_plan *plan_finish(struct compiler *c)
{
	struct trc_plan *plan = c->plan;

	flush(c);
	plan_add(c, TRC_OP_END);
	if (c->failed) {
		trc_plan_free(plan);
		plan = NULL;
	}
	g_string_free(c->path, TRUE);
	g_hash_table_unref(c->wanted);
	g_hash_table_unref(c->known);
	return plan;
}

/* ---- fields around events ---- */

/* Want the names of AROUND (may be NULL), and those to which the heads of T's packets and of STREAM's (may be
 * NULL) refer. All plans want the same names, so a value has one register in all of them. */
static void want_around(struct compiler *c, const struct trc_meta *t, const struct trc_stream_class *stream,
	const struct trc_around *around)
{
	GHashTableIter iter;
	gpointer name;

	trc_reference_collect(t->packet_header, c->wanted);
	if (!stream)
		return;
	trc_reference_collect(stream->packet_context, c->wanted);
	if (!around)
		return;
	trc_reference_collect(stream->event_header, c->wanted);
	g_hash_table_iter_init(&iter, around->names);
	while (g_hash_table_iter_next(&iter, &name, NULL))
		g_hash_table_add(c->wanted, name);
}

static void compile_packet(struct compiler *c, const struct trc_meta *t,
	const struct trc_stream_class *stream)
{
	c->heads = TRC_ROLE_MAGIC | TRC_ROLE_UUID | TRC_ROLE_STREAM | TRC_ROLE_INSTANCE;
	compile_root(c, t->packet_header, TRC_PATH_PACKET_HEADER);
	c->heads = TRC_ROLE_SIZE | TRC_ROLE_CONTENT | TRC_ROLE_TIME | TRC_ROLE_END | TRC_ROLE_DISCARDED |
		TRC_ROLE_SEQUENCE | TRC_ROLE_CPU;
	compile_root(c, stream ? stream->packet_context : NULL, TRC_PATH_PACKET_CONTEXT);
	c->heads = 0;
}

/* Give registers to the fields around events; HEADER false: to those around event headers. Other plans have
 * the steps that fill them. */
static void pass_around(struct compiler *c, const struct trc_around *around, bool header)
{
	want_around(c, around->t, around->stream, around);
	compile_packet(c, around->t, around->stream);
	if (header)
		compile_root(c, around->stream->event_header, TRC_PATH_HEADER);
	flush(c);
	g_array_set_size(c->plan->ops, 0);
	g_array_set_size(c->plan->cases, 0);
	c->base = 1;
	if (header)
		g_hash_table_remove_all(c->wanted);
	c->failed |= c->n_registers > TRC_AROUND_MAX;
}

struct trc_plan *trc_plan_new_packet(const struct trc_meta *t, const struct trc_stream_class *stream,
	struct trc_around *around, struct trc_budget *costs)
{
	struct compiler c;

	plan_start(&c, NULL, costs);
	c.base = TRC_ALIGN_MAX;
	want_around(&c, t, stream, around);
	compile_packet(&c, t, stream);
	c.failed |= around && c.n_registers > TRC_AROUND_MAX;
	return plan_finish(&c);
}

struct trc_plan *trc_plan_new_header(const struct trc_stream_class *stream, struct trc_around *around,
	struct trc_budget *costs)
{
	struct compiler c;

	plan_start(&c, NULL, costs);
	if (around)
		pass_around(&c, around, false);
	else
		trc_reference_collect(stream->event_header, c.wanted);
	compile_root(&c, stream->event_header, TRC_PATH_HEADER);
	return plan_finish(&c);
}

/* Copy the registers that C has so far to AROUND. */
static void keep_around(const struct compiler *c, struct trc_around *around)
{
	GHashTableIter iter;
	gpointer path, known;

	g_hash_table_iter_init(&iter, c->known);
	while (g_hash_table_iter_next(&iter, &path, &known))
		g_hash_table_insert(around->known, g_strdup(path),
			g_memdup2(known, sizeof(struct trc_known)));
}

/* Compile contexts and fields of EVENT, with what C fetches. */
static struct trc_plan *plan_event(struct compiler *c, const struct trc_stream_class *stream,
	const struct trc_event_class *event, uint32_t aligned, struct trc_around *around)
{
	bool net = c->mapping && trc_net_has(c->mapping->kind);

	if (around) {
		const struct mdl_mapping *mapping = c->mapping;

		c->mapping = NULL;
		pass_around(c, around, true);
		keep_around(c, around);
		c->mapping = mapping;
	}
	c->base = aligned;
	c->fields = event->fields;
	for (unsigned i = 0; c->mapping && i < MDL_ARGS; i++)
		c->args[i] = plan_choose(c, c->mapping->arg_fields[i], false);
	for (unsigned i = 0; c->mapping && i < MDL_TEXTS; i++)
		c->texts[i] = plan_choose(c, c->mapping->text_fields[i], true);
	/* This comes before the compilation, because a field may refer to one of a context. */
	trc_reference_collect(stream->event_context, c->wanted);
	trc_reference_collect(event->context, c->wanted);
	trc_reference_collect(event->fields, c->wanted);
	compile_root(c, stream->event_context, TRC_PATH_STREAM_CONTEXT);
	compile_root(c, event->context, TRC_PATH_CONTEXT);
	if (net)
		plan_add(c, TRC_OP_NET_BEGIN);
	compile_root(c, event->fields, TRC_PATH_FIELDS);
	flush(c);
	if (net)
		plan_add(c, TRC_OP_NET_END);
	return plan_finish(c);
}

struct trc_plan *trc_plan_new_event(const struct trc_stream_class *stream,
	const struct trc_event_class *event, const struct mdl_mapping *mapping, uint32_t aligned,
	struct trc_around *around, struct trc_budget *costs)
{
	struct compiler c;

	plan_start(&c, mapping->kind == MDL_EV_NONE ? NULL : mapping, costs);
	return plan_event(&c, stream, event, aligned, around);
}

struct trc_plan *trc_plan_new_fields(const struct trc_stream_class *stream,
	const struct trc_event_class *event, const struct trc_plan_field *fields, unsigned n,
	uint32_t aligned, struct trc_around *around, struct trc_budget *costs)
{
	struct compiler c;

	plan_start(&c, NULL, costs);
	c.wanted_fields = fields;
	c.n_wanted = n;
	return plan_event(&c, stream, event, aligned, around);
}

void trc_plan_free(struct trc_plan *plan)
{
	if (!plan)
		return;
	g_array_unref(plan->ops);
	g_array_unref(plan->cases);
	g_free(plan);
}
