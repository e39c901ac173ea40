/* SPDX-License-Identifier: MIT */
/*
 * How it works: each event has a row with the forms in which programs print its fields. The first form that
 * fits is used.
 *
 *	tracefs, perf without plugins	TP_printk() of include/trace/events
 *	trace-cmd report, perf script	libtraceevent prints by the event's format, which is TP_printk() too,
 *					but has plugins for some (plugins/plugin_*.c)
 *	trace-cmd report -R		"field=value field=value", by the names of the record
 *
 * A thread's name may contain text that also follows it. It ends at the last place that fits within MDL_COMM
 * bytes. Other texts end at the first place that fits.
 */
#include "trace/text/trc_text.h"

#include <string.h>

#define STEPS_MAX 4096 /* places that are tried for one event */
#define WORDS_MAX 4096 /* bytes of a text */
#define FORMS_OF_ONE 4 /* forms of an event at most */

typedef struct trc_text_part part;
typedef struct trc_text_field field;

/* ---- the table ---- */

struct row {
	const char *event;
	const char *forms[FORMS_OF_ONE];
};

/* clang-format off */
#define COMM_PID "comm={comm:c} pid={pid}"
#define WAKE "comm={comm:c} pid={pid} prio={prio} success={success} target_cpu={target_cpu}", \
	"comm={comm:c} pid={pid} prio={prio} target_cpu={target_cpu}", \
	"{comm:c}:{pid} [{prio}] success={success} CPU:{target_cpu}", \
	"{comm:c}:{pid} [{prio}] CPU:{target_cpu}"
#define CGROUP "dst_root={dst_root} dst_id={dst_id} dst_level={dst_level} dst_path={dst_path:t} pid={pid} comm={comm:c}"
#define VEC "vec={vec}"
#define HRTIMER "hrtimer={hrtimer:x} function={function:f} expires={expires} softexpires={softexpires}"
#define WORK "work struct {work:x}: function {function:f}", "work struct {work:x}"
#define RQ "{dev:D} {rwbs:t} {bytes} ({cmd:t}) {sector} + {nr_sector}"
#define RQ_END "{dev:D} {rwbs:t} ({cmd:t}) {sector} + {nr_sector}"
#define BIO "{dev:D} {rwbs:t} {sector} + {nr_sector} [{comm:c}]", "{dev:D} {rwbs:t} {sector} + {nr_sector}"
#define SKB "dev={name:t} skbaddr={skbaddr:x} len={len}"
#define ACCEPT "apicid {apicid:x} vec {vec} ({dm:t}|{tm:t})"

static const struct row rows[] = {
	{ "sched_switch", {
		"prev_comm={prev_comm:c} prev_pid={prev_pid} prev_prio={prev_prio} prev_state={prev_state:s} ==> "
		"next_comm={next_comm:c} next_pid={next_pid} next_prio={next_prio}",
		"{prev_comm:c}:{prev_pid} [{prev_prio}] {prev_state:S} ==> {next_comm:c}:{next_pid} [{next_prio}]",
		"prev_comm={prev_comm:c} prev_pid={prev_pid} prev_prio={prev_prio} prev_state={prev_state:s} "
		"next_comm={next_comm:c} next_pid={next_pid} next_prio={next_prio}" } },
	{ "sched_waking", { WAKE } },
	{ "sched_wakeup", { WAKE } },
	{ "sched_wakeup_new", { WAKE } },
	{ "sched_migrate_task", { COMM_PID " prio={prio} orig_cpu={orig_cpu} dest_cpu={dest_cpu}" } },
	{ "sched_pi_setprio", { COMM_PID " oldprio={oldprio} newprio={newprio}" } },
	{ "task_rename", { "pid={pid} oldcomm={oldcomm:c} newcomm={newcomm:c} oom_score_adj={oom_score_adj}",
		"oldcomm={oldcomm:c} newcomm={newcomm:c} oom_score_adj={oom_score_adj}" } },
	{ "sched_process_fork", { "comm={parent_comm:c} pid={parent_pid} child_comm={child_comm:c} child_pid={child_pid}",
		"parent_comm={parent_comm:c} parent_pid={parent_pid} child_comm={child_comm:c} child_pid={child_pid}" } },
	{ "sched_process_exec", { "filename={filename:t} pid={pid} old_pid={old_pid}" } },
	{ "sched_process_exit", { COMM_PID " prio={prio}" } },
	{ "sched_process_free", { COMM_PID " prio={prio}" } },
	{ "cgroup_attach_task", { CGROUP } },
	{ "cgroup_transfer_tasks", { CGROUP } },
	{ "sched_stat_runtime", { COMM_PID " runtime={runtime}" } },

	{ "irq_handler_entry", { "irq={irq} name={name:t}", } },
	{ "irq_handler_exit", { "irq={irq} ret={ret:h}" } },
	{ "softirq_entry", { VEC } },
	{ "softirq_exit", { VEC } },
	{ "softirq_raise", { VEC } },
	{ "hrtimer_expire_entry", { "hrtimer={hrtimer:x} function={function:f} now={now}",
		"hrtimer={hrtimer:x} now={now} function={function:f}" } },
	{ "hrtimer_expire_exit", { "hrtimer={hrtimer:x}" } },
	{ "hrtimer_start", { HRTIMER } },
	{ "hrtimer_cancel", { "hrtimer={hrtimer:x}" } },
	{ "hrtimer_init", { "hrtimer={hrtimer:x}" } },
	{ "hrtimer_setup", { "hrtimer={hrtimer:x}" } },
	{ "timer_start", {
		"timer={timer:x} function={function:f} expires={expires} [timeout={now:n}] bucket_expiry={bucket_expiry} "
		"cpu={cpu} idx={idx} flags={flags:T}",
		"timer={timer:x} function={function:f} expires={expires} [timeout={now:n}] cpu={cpu} idx={idx} flags={flags:T}",
		"timer={timer:x} function={function:f} expires={expires} [timeout={now:n}] flags={flags:T}",
		"timer={timer:x} function={function:f} expires={expires} [timeout={now:n}]" } },
	{ "timer_expire_entry", { "timer={timer:x} function={function:f} now={now} baseclk={baseclk}",
		"timer={timer:x} function={function:f} now={now}" } },
	{ "timer_expire_exit", { "timer={timer:x}" } },
	{ "timer_cancel", { "timer={timer:x}" } },
	{ "timer_init", { "timer={timer:x}" } },

	{ "workqueue_queue_work", { "work struct={work:x} function={function:f} workqueue={workqueue:t} req_cpu={req_cpu} cpu={cpu}" } },
	{ "workqueue_execute_start", { WORK } },
	{ "workqueue_execute_end", { WORK } },
	{ "signal_generate", { "sig={sig} errno={errno} code={code} " COMM_PID " grp={group} res={result}" } },
	{ "net_dev_queue", { SKB } },
	{ "netif_receive_skb", { SKB } },

	{ "ipi_entry", { "({reason:t})" } },
	{ "ipi_exit", { "({reason:t})" } },
	{ "ipi_raise", { "target_mask={target_cpus:m} ({reason:t})" } },
	{ "ipi_send_cpu", { "cpu={cpu} callsite={callsite:f} callback={callback:f}" } },
	{ "ipi_send_cpumask", { "cpumask={cpumask:l} callsite={callsite:f} callback={callback:f}" } },
	{ "csd_queue_cpu", { "cpu={cpu} callsite={callsite:f} func={func:f} csd={csd:x}" } },
	{ "csd_function_entry", { "func={func:f} csd={csd:x}" } },
	{ "csd_function_exit", { "func={func:f} csd={csd:x}" } },

	{ "block_bio_queue", { BIO } },
	{ "block_bio_frontmerge", { BIO } },
	{ "block_bio_backmerge", { BIO } },
	{ "block_getrq", { BIO } },
	{ "block_bio_remap", { "{dev:D} {rwbs:t} {sector} + {nr_sector} <- ({old_dev:D}) {old_sector}" } },
	{ "block_rq_insert", { RQ } },
	{ "block_rq_issue", { RQ } },
	{ "block_rq_merge", { RQ } },
	{ "block_rq_requeue", { RQ_END } },
	{ "block_rq_complete", { RQ_END } },

	{ "kvm_entry", { "vcpu {vcpu_id}, rip {rip:x}", "vcpu {vcpu_id} rip {rip:x}", "vcpu {vcpu_id}" } },
	{ "kvm_exit", { "vcpu {vcpu_id} reason {exit_reason:r} rip {rip:x}", "reason {exit_reason:r} rip {rip:x}" } },
	{ "kvm_write_tsc_offset", { "vcpu={vcpu_id} prev={previous_tsc_offset} next={next_tsc_offset}" } },
	{ "kvm_msi_set_irq", { "dst {dst:x} vec {data} (" } },
	{ "kvm_ioapic_set_irq", { "pin {pin} dst {dst:x} vec {e} (" } },
	{ "kvm_set_irq", { "gsi {gsi} level {level} source {irq_source_id}" } },
	{ "kvm_apic_ipi", { "dst {dst:x} vec {icr_low} (" } },
	{ "kvm_apic_accept_irq", { ACCEPT } },
	{ "kvm_apicv_accept_irq", { ACCEPT } },
	{ "kvm_inj_virq", { "IRQ {vector:x} {reinjected:b}", "IRQ {vector:x}", "irq {irq}" } },
	{ "kvm_eoi", { "apicid {apicid:x} vector {vector}" } },
	{ "vgic_update_irq_pending", { "VCPU: {vcpu_id}, IRQ {irq}, level: {level}" } },

	{ "mm_filemap_fault", { "dev={s_dev:D} ino={i_ino:x} ofs={ofs}" } },
	{ "mm_filemap_add_to_page_cache", { "dev {s_dev:D} ino {i_ino:x} " } },
	{ "suspend_resume", { "{action:t}[{val}] {start:b}" } },
	{ "sys_enter", { "NR {id} ({args:a})" } },
	{ "sys_exit", { "NR {id} = {ret}" } },
	{ "sys_enter_futex", { "op={op:F} uaddr={uaddr:x} uaddr2={uaddr2:x}" , "op={op:F} uaddr={uaddr:x}" } },
	{ "tracing_mark_write", { "{buf:t}" } },
	{ "print", { "{ip:t}: {buf:t}" } },
	{ "bprint", { "{ip:t}: {buf:t}" } },
};
/* clang-format on */

const char *const *trc_text_forms(const char *name, unsigned *n)
{
	*n = 0;
	for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
		if (!g_str_equal(rows[i].event, name))
			continue;
		while (*n < FORMS_OF_ONE && rows[i].forms[*n])
			++*n;
		return rows[i].forms;
	}
	return NULL;
}

/* ---- reading by a form ---- */

struct reading {
	field *to;
	int n;
	unsigned steps; /* places that may still be tried */
};

/* Match the text of FORM up to its next brace with the begin of P, and pass both. False if P differs. */
static bool pass_text(const char **form, part *p)
{
	const char *f = *form;

	for (; *f && *f != '{'; f++) {
		if (*f == ' ') {
			if (p->n == 0 || *p->at != ' ')
				return false;
			while (p->n > 0 && *p->at == ' ')
				trc_text_skip(p, 1);
		} else {
			if (p->n == 0 || *p->at != *f)
				return false;
			trc_text_skip(p, 1);
		}
	}
	*form = f;
	return true;
}

static bool form_rest(struct reading *r, const char *form, part p);

/* True if the value of field number R->n can end after N bytes of P. */
static bool ends_at(struct reading *r, const char *form, part p, size_t n)
{
	part rest = { p.at + n, p.n - n };
	int at = r->n;

	if (r->steps == 0)
		return false;
	r->steps--;
	r->to[at].value = (part){ p.at, n };
	r->n++;
	if (form_rest(r, form, rest))
		return true;
	r->n = at;
	return false;
}

/* Return the bytes of the number of TYPE at the begin of P; 0: there is none. */
static size_t number_length(enum trc_text_type type, part p)
{
	size_t i = p.n > 0 && *p.at == '-';
	bool hex = p.n > i + 2 && p.at[i] == '0' && p.at[i + 1] == 'x', is_hex = hex || type == TRC_TEXT_HEX;
	size_t begin = i += hex ? 2 : 0;

	while (i < p.n && (is_hex ? g_ascii_isxdigit(p.at[i]) : g_ascii_isdigit(p.at[i])))
		i++;
	return i > begin ? i : 0;
}

/* Read a text that ends where the rest of FORM fits: at the first such place, or at the last. */
static bool read_words(struct reading *r, const char *form, part p, bool is_last)
{
	size_t most = MIN(p.n, is_last ? MDL_COMM - 1 : WORDS_MAX);

	if (*form == '\0') /* it reaches to the end */
		return ends_at(r, form, p, p.n);
	for (size_t i = 0; i <= most; i++) {
		size_t n = is_last ? most - i : i;

		if (n < p.n && p.at[n] == *form && ends_at(r, form, p, n))
			return true;
	}
	return false;
}

/* Read the field at whose brace FORM is. */
static bool form_field(struct reading *r, const char *form, part p)
{
	const char *close = strchr(form, '}'), *colon = memchr(form, ':', (size_t)(close - form));
	field *f = &r->to[r->n];
	size_t n = 0;

	f->name = (part){ form + 1, (size_t)((colon ? colon : close) - form) - 1 };
	f->type = colon ? (enum trc_text_type)colon[1] : TRC_TEXT_NUMBER;
	switch (f->type) {
	case TRC_TEXT_NUMBER:
	case TRC_TEXT_HEX:
	case TRC_TEXT_AGO: n = number_length(f->type, p); return n > 0 && ends_at(r, close + 1, p, n);
	case TRC_TEXT_COMM: return read_words(r, close + 1, p, true);
	case TRC_TEXT_WORDS:
	case TRC_TEXT_EXIT:
	case TRC_TEXT_ARGS: return read_words(r, close + 1, p, false);
	default:
		while (n < p.n && p.at[n] != ' ' && p.at[n] != ')')
			n++;
		return ends_at(r, close + 1, p, n);
	}
}

static bool form_rest(struct reading *r, const char *form, part p)
{
	if (!pass_text(&form, &p))
		return false;
	return *form == '\0' || form_field(r, form, p);
}

int trc_text_form_read(const char *form, part fields, field *to)
{
	struct reading r = { .to = to, .steps = STEPS_MAX };

	return form_rest(&r, form, fields) ? r.n : -1;
}

/* ---- events without a form ---- */

static bool in_key(char c)
{
	return g_ascii_isalnum(c) || c == '_';
}

static enum trc_text_type guess_type(part value, unsigned base)
{
	enum trc_text_type type = base == 16 ? TRC_TEXT_HEX : TRC_TEXT_NUMBER;
	size_t n = number_length(type, value);

	if (n > 0 && n == value.n)
		return type;
	/* the kernel prints %p with 16 digits */
	return value.n == 16 && number_length(TRC_TEXT_HEX, value) == 16 ? TRC_TEXT_HEX : TRC_TEXT_WORDS;
}

/* Return the place of the first key in P: it comes after a blank or at the begin, and MARK follows it. P.n:
 * none. *SIZE: bytes of the key. */
static size_t find_key(part p, char mark, size_t *size)
{
	const char *at = p.at;

	while ((at = memchr(at, mark, p.n - (size_t)(at - p.at)))) {
		size_t end = (size_t)(at - p.at), begin = end;

		while (begin > 0 && in_key(p.at[begin - 1]))
			begin--;
		*size = end - begin;
		at++;
		if (begin < end && (begin == 0 || strchr(" ,(", p.at[begin - 1])) &&
			(mark == '=' || (end + 1 < p.n && p.at[end + 1] == ' ')))
			return begin;
	}
	return p.n;
}

static void trim(part *p, const char *at_end)
{
	while (p->n > 0 && *p->at == ' ')
		trc_text_skip(p, 1);
	while (p->n > 0 && strchr(at_end, p->at[p->n - 1]) && p->at[p->n - 1] != '\0')
		p->n--;
}

int trc_text_form_guess(part fields, unsigned base, field *to)
{
	size_t size, other, equals = find_key(fields, '=', &size), colons = find_key(fields, ':', &other), at;
	char mark = equals <= colons && equals < fields.n ? '=' : ':';
	int n = 0;

	trim(&fields, " ");
	at = find_key(fields, mark, &size);
	if (at == fields.n && fields.n > 0)
		to[n++] = (field){ { "text", 4 }, fields, guess_type(fields, base) };
	while (at < fields.n && n < TRC_TEXT_FIELDS_MAX) {
		part name = { fields.at + at, size }, value;

		trc_text_skip(&fields, at + size + 1);
		at = find_key(fields, mark, &size);
		value = (part){ fields.at, at };
		trim(&value, ", ");
		if (mark == ':' && value.n > 0 && value.at[value.n - 1] == ')' &&
			!memchr(value.at, '(', value.n))
			value.n--; /* sys_read(fd: 3, …) */
		to[n++] = (field){ name, value, guess_type(value, base) };
	}
	return n;
}
