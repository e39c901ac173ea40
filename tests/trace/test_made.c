/* SPDX-License-Identifier: MIT */
/*
 * Traces of tracers that no sample covers: perf's conversion to CTF, LTTng 2.1 with packets that overlap in
 * time, a big-endian machine, and types that are rare in kernel traces.
 */
#include "base/base_error.h"
#include "base/base_time.h"
#include "trace/trc_reader.h"
#include "trace/trc_test_open.h"
#include "trc_made.h"
#include "trc_test.h"

#include <string.h>
#include <unistd.h>

#define SECOND G_GINT64_CONSTANT(1000000000)

static const char *word_of(uint32_t kind)
{
	static const char *const words[MDL_EV_N] = {
		[MDL_EV_SCHED_SWITCH] = "switch",
		[MDL_EV_SYSCALL_ENTRY] = "call",
		[MDL_EV_FORK] = "fork",
		[MDL_EV_VECTOR_ENTRY] = "vector",
		[MDL_EV_SYSCALL_EXIT] = "return",
		[MDL_EV_SOFTIRQ_ENTRY] = "softirq",
		[MDL_EV_SCHED_WAKEUP] = "wakeup",
		[MDL_EV_GAP_BEGIN] = "losing",
		[MDL_EV_GAP_END] = "lost",
		[MDL_EV_IRQ_ENTRY] = "irq",
		[MDL_EV_IRQ_EXIT] = "irqret",
	};

	return kind == MDL_EV_NONE ? "other" : words[kind] ? words[kind] : "?";
}

/* Read FOLDER by READER: a line per event, and the warnings. */
static char *read_all(const char *folder, const char *reader)
{
	GError *error = NULL;
	struct trc_reader *r = trc_test_open(folder, reader, &error);
	const struct trc_info *info;
	struct mdl_event e;
	GString *text = g_string_new(NULL);
	guint i;

	g_assert_no_error(error);
	while (trc_reader_read(r, &e, 1, &error) > 0) {
		g_string_append_printf(text, "%" G_GINT64_FORMAT " %u %s %s", e.time, e.cpu, word_of(e.kind),
			e.label ? e.label : "-");
		for (i = 0; i < MDL_ARGS; i++)
			if (e.arg[i] != MDL_ARG_ABSENT)
				g_string_append_printf(text, " %" G_GINT64_FORMAT, e.arg[i]);
		for (i = 0; i < MDL_TEXTS; i++)
			if (e.text[i])
				g_string_append_printf(text, " '%s'", e.text[i]);
		g_string_append_c(text, '\n');
	}
	info = trc_reader_info(r);
	g_string_append_printf(text, "%s|%s|%s%s %" G_GUINT64_FORMAT " events %" G_GUINT64_FORMAT " back\n",
		info->host, info->tracer, info->release, info->preempt_rt ? " PREEMPT_RT" : "", info->events,
		info->stepped_back);
	for (i = 0; i < info->warnings->len; i++)
		g_string_append_printf(text, "! %s\n", (char *)g_ptr_array_index(info->warnings, i));
	trc_reader_free(r);
	return g_string_free(text, FALSE);
}

/* Both readers read EXPECTED from FOLDER, which is removed. */
static void check(char *folder, const char *expected)
{
	static const char *const readers[] = { "ctf", "babeltrace2" };
	size_t i;

	for (i = 0; i < G_N_ELEMENTS(readers); i++) {
		char *text = read_all(folder, readers[i]);

		g_test_message("%s", readers[i]);
		g_assert_cmpstr(text, ==, expected);
		g_free(text);
	}
	trc_test_remove(folder);
	g_free(folder);
}

/* ---- perf data convert --to-ctf ---- */

#define INT(size, sign)                                          \
	"integer { size = " #size "; align = 8; signed = " #sign \
	"; encoding = none; base = decimal; byte_order = le; }"
#define PERF_GENERIC                                                                 \
	INT(64, false)                                                               \
	" perf_ip; " INT(32, true) " perf_tid; " INT(32, true) " perf_pid; " INT(16, \
		false) " common_type; " INT(32, true) " common_pid; "

static const char perf_metadata[] =
	"/* CTF 1.8 */\n\n"
	"trace {\n\tmajor = 1;\n\tminor = 8;\n\tbyte_order = le;\n"
	"\tpacket.header := struct {\n\t\t" INT(32, false) " magic;\n\t\t" INT(8,
		false) " uuid[16];\n\t\t" INT(32,
		false) " stream_id;\n\t} align(8);\n"
		       "\tuuid = \"01020304-0506-0708-090a-0b0c0d0e0f10\";\n};\n\n"
		       "env {\n\thost = \"elsewhere\";\n\tsysname = \"Linux\";\n\trelease = \"4.4.0\";\n\tversion = \"4.4.1\";\n"
		       "\tmachine = \"x86_64\";\n\tdomain = \"kernel\";\n\ttracer_name = \"perf\";\n\thostname = \"here\";\n};\n\n"
		       "clock {\n\tname = perf_clock;\n\tuuid = \"11020304-0506-0708-090a-0b0c0d0e0f10\";\n"
		       "\tdescription = \"perf clock\";\n\tfreq = 1000000000;\n\tprecision = 1;\n\toffset_s = 100;\n\toffset = 0;\n"
		       "\tabsolute = false;\n};\n\n"
		       "stream {\n\tid = 0;\n\tevent.header := struct {\n\t\t" INT(32,
			       false) " id;\n"
				      "\t\tinteger { size = 64; align = 8; signed = false; encoding = none; base = decimal; byte_order = le; "
				      "map = clock.perf_clock.value; } timestamp;\n\t} align(8);\n\n"
				      "\tpacket.context := struct {\n"
				      "\t\tinteger { size = 64; align = 8; signed = false; map = clock.perf_clock.value; byte_order = le; } timestamp_begin;\n"
				      "\t\tinteger { size = 64; align = 8; signed = false; map = clock.perf_clock.value; byte_order = le; } timestamp_end;\n\t\t" INT(
					      64, false) " content_size;\n\t\t" INT(64,
					      false) " packet_size;\n\t\t" INT(64,
					      false) " events_discarded;\n\t\t" INT(32,
					      false) " cpu_id;\n\t} align(8);\n};\n\n"
						     "event {\n\tname = \"sched:sched_switch\";\n\tid = 0;\n\tstream_id = 0;\n\tfields := struct {\n\t\t" PERF_GENERIC
						     "string prev_comm; " INT(32, true) " prev_pid; " INT(32,
							     true) " prev_prio; " INT(64,
							     true) " prev_state; "
								   "string next_comm; " INT(32,
									   true) " next_pid; " INT(32,
									   true) " next_prio;\n\t} align(8);\n};\n\n"
										 "event {\n\tname = \"sched:sched_process_fork\";\n\tid = 1;\n\tstream_id = 0;\n\tfields := struct {\n\t\t" PERF_GENERIC
										 "string parent_comm; " INT(
											 32,
											 true) " parent_pid; string child_comm; " INT(32,
											 true) " child_pid;\n\t} align(8);\n};\n\n"
											       "event {\n\tname = \"syscalls:sys_enter_read\";\n\tid = 2;\n\tstream_id = 0;\n\tfields := struct {\n\t\t" PERF_GENERIC INT(
												       64,
												       false) " perf_callchain_size; " INT(64,
												       false) " perf_callchain[ perf_callchain_size ]; " INT(64,
												       false) " fd;\n\t} align(8);\n};\n\n"
													      "event {\n\tname = \"raw_syscalls:sys_exit\";\n\tid = 3;\n\tstream_id = 0;\n\tfields := struct {\n\t\t" PERF_GENERIC
														      INT(64, true) " id; " INT(
															      64,
															      true) " ret;\n\t} align(8);\n};\n\n"
																    "event {\n\tname = \"irq_vectors:reschedule_entry\";\n\tid = 4;\n\tstream_id = 0;\n\tfields := struct {\n\t\t" PERF_GENERIC
																	    INT(32, true) " vector;\n\t} align(8);\n};\n\n"
																			  "event {\n\tname = \"cpu-clock\";\n\tid = 5;\n\tstream_id = 0;\n\tfields := struct {\n\t\t" PERF_GENERIC
																			  "\n\t} align(8);\n};\n";

static void perf_event(struct made *m, unsigned id, uint64_t time, int tid)
{
	made_number(m, id, 4);
	made_number(m, time, 8);
	made_number(m, 0xffffffff81000000, 8);
	made_number(m, (uint64_t)tid, 4);
	made_number(m, (uint64_t)tid, 4);
	made_number(m, 314, 2);
	made_number(m, (uint64_t)tid, 4);
}

static void perf_begin(struct made *m, unsigned cpu, uint64_t begin, uint64_t end)
{
	unsigned i;

	made_init(m, FALSE);
	made_number(m, 0xc1fc1fc1, 4);
	for (i = 1; i <= 16; i++)
		made_number(m, i, 1);
	made_number(m, 0, 4);
	made_number(m, begin, 8);
	made_number(m, end, 8);
	made_number(m, 0, 8);
	made_number(m, 0, 8);
	made_number(m, 0, 8);
	made_number(m, cpu, 4);
}

static void perf_end(struct made *m, const char *folder, const char *name)
{
	made_patch(m, 40, m->bytes->len * 8, 8);
	made_align(m, 4096);
	made_patch(m, 48, m->bytes->len * 8, 8);
	made_write(m, folder, name);
	made_clear(m);
}

static void test_perf(void)
{
	char *folder = made_folder(perf_metadata);
	struct made m;

	perf_begin(&m, 0, 1000, 9000);
	perf_event(&m, 0, 1000, 77);
	made_string(&m, "prev");
	made_number(&m, 77, 4);
	made_number(&m, 120, 4);
	made_number(&m, 0x400, 8);
	made_string(&m, "a name longer than a kernel's");
	made_number(&m, 78, 4);
	made_number(&m, (uint64_t)-1, 4);
	perf_event(&m, 1, 3000, 78);
	made_string(&m, "dad");
	made_number(&m, 78, 4);
	made_string(&m, "kid");
	made_number(&m, 79, 4);
	perf_event(&m, 3, 9000, 78);
	made_number(&m, 0, 8);
	made_number(&m, (uint64_t)-5, 8);
	perf_end(&m, folder, "perf_stream_0");
	perf_begin(&m, 1, 2000, 8000);
	perf_event(&m, 2, 2000, 5);
	made_number(&m, 3, 8);
	made_number(&m, 1, 8);
	made_number(&m, 2, 8);
	made_number(&m, 3, 8);
	made_number(&m, 42, 8);
	perf_event(&m, 5, 2500, 5);
	perf_event(&m, 4, 8000, 5);
	made_number(&m, 253, 4);
	perf_end(&m, folder, "perf_stream_1");
	check(folder,
		"100000001000 0 switch - 77 1024 78 120 -1 77 77 100000001000 'prev' 'a name longer than a kernel's'\n"
		"100000002000 1 call read\n"
		"100000003000 0 fork - 78 79 'dad' 'kid'\n"
		"100000008000 1 vector reschedule 253\n"
		"100000009000 0 return -\n"
		"here|perf 4.4.1|4.4.0 6 events 0 back\n");
}

/* ---- LTTng 2.1, either byte order ---- */

#define LTTNG_HEAD(order, hz)                                                                            \
	"/* CTF 1.8 */\n\n"                                                                              \
	"typealias integer { size = 8; align = 8; signed = false; } := uint8_t;\n"                       \
	"typealias integer { size = 16; align = 8; signed = false; } := uint16_t;\n"                     \
	"typealias integer { size = 32; align = 8; signed = false; } := uint32_t;\n"                     \
	"typealias integer { size = 64; align = 8; signed = false; } := uint64_t;\n"                     \
	"typealias integer { size = 64; align = 8; signed = false; } := unsigned long;\n"                \
	"typealias integer { size = 5; align = 1; signed = false; } := uint5_t;\n"                       \
	"typealias integer { size = 27; align = 1; signed = false; } := uint27_t;\n\n"                   \
	"trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = \"01020304-0506-0708-090a-0b0c0d0e0f10\";\n"      \
	"\tbyte_order = " order ";\n\tpacket.header := struct {\n\t\tuint32_t magic;\n"                  \
	"\t\tuint8_t  uuid[16];\n\t\tuint32_t stream_id;\n\t};\n};\n\n"                                  \
	"env {\n\thostname = \"old\";\n\tdomain = \"kernel\";\n\tsysname = \"Linux\";\n"                 \
	"\tkernel_release = \"3.8.0\";\n\tkernel_version = \"#1 SMP PREEMPT_RT\";\n"                     \
	"\ttracer_name = \"lttng-modules\";\n\ttracer_major = 2;\n"                                      \
	"\ttracer_minor = 1;\n\ttracer_patchlevel = 0;\n};\n\n"                                          \
	"clock {\n\tname = monotonic;\n\tfreq = " hz ";\n\toffset = 5000;\n};\n\n"                       \
	"typealias integer {\n\tsize = 27; align = 1; signed = false;\n\tmap = clock.monotonic.value;\n" \
	"} := uint27_clock_monotonic_t;\n\n"                                                             \
	"typealias integer {\n\tsize = 64; align = 8; signed = false;\n\tmap = clock.monotonic.value;\n" \
	"} := uint64_clock_monotonic_t;\n\n"                                                             \
	"struct packet_context {\n\tuint64_clock_monotonic_t timestamp_begin;\n"                         \
	"\tuint64_clock_monotonic_t timestamp_end;\n\tuint64_t content_size;\n\tuint64_t packet_size;\n" \
	"\tunsigned long events_discarded;\n\tuint32_t cpu_id;\n};\n\n"                                  \
	"struct event_header_compact {\n\tenum : uint5_t { compact = 0 ... 30, extended = 31 } id;\n"    \
	"\tvariant <id> {\n\t\tstruct {\n\t\t\tuint27_clock_monotonic_t timestamp;\n\t\t} compact;\n"    \
	"\t\tstruct {\n\t\t\tuint32_t id;\n\t\t\tuint64_clock_monotonic_t timestamp;\n\t\t} extended;\n" \
	"\t} v;\n} align(8);\n\n"                                                                        \
	"stream {\n\tid = 0;\n\tevent.header := struct event_header_compact;\n"                          \
	"\tpacket.context := struct packet_context;\n};\n\n"

#define LTTNG_EVENT(name, id, fields)                                                                       \
	"event {\n\tname = " name ";\n\tid = " #id ";\n\tstream_id = 0;\n\tfields := struct {\n\t\t" fields \
	"\n\t};\n};\n\n"

#define LTTNG_EVENTS                                                                                                      \
	LTTNG_EVENT("sched_wakeup", 2,                                                                                    \
		"integer { size = 8; align = 8; signed = 1; encoding = UTF8; base = 10; } _comm[16];"                     \
		" integer { size = 32; align = 8; signed = 1; encoding = none; base = 10; } _tid; uint32_t _target_cpu;") \
	LTTNG_EVENT("sys_open", 40, "string _filename; uint16_t _mode;")                                                  \
	LTTNG_EVENT("exit_syscall", 3, "integer { size = 64; align = 8; signed = 1; } _ret;")                             \
	LTTNG_EVENT("softirq_entry", 4, "enum : uint8_t { \"HI\" = 0, \"TIMER\" = 1 ... 3 } _vec;")                       \
	LTTNG_EVENT("irq_handler_entry", 5,                                                                               \
		"uint8_t __name_length; integer { size = 8; align = 8; encoding = ASCII; }"                               \
		" _name[ __name_length ]; integer { size = 12; align = 1; signed = 1; } _irq; uint8_t _pad;")

struct lttng {
	struct made m;
	guint start;
};

static void lttng_begin(struct lttng *l, unsigned cpu, uint64_t begin, uint64_t end, uint64_t discarded)
{
	unsigned i;

	l->start = l->m.bytes->len;
	made_number(&l->m, 0xc1fc1fc1, 4);
	for (i = 1; i <= 16; i++)
		made_number(&l->m, i, 1);
	made_number(&l->m, 0, 4);
	made_number(&l->m, begin, 8);
	made_number(&l->m, end, 8);
	made_number(&l->m, 0, 8);
	made_number(&l->m, 0, 8);
	made_number(&l->m, discarded, 8);
	made_number(&l->m, cpu, 4);
}

static void lttng_end(struct lttng *l)
{
	made_patch(&l->m, l->start + 40, (l->m.bytes->len - l->start) * 8, 8);
	made_align(&l->m, 512);
	made_patch(&l->m, l->start + 48, (l->m.bytes->len - l->start) * 8, 8);
}

/* A header of 5 bits id and 27 bits of time; or the extended one when the id has no room. */
static void lttng_event(struct lttng *l, unsigned id, uint64_t time)
{
	uint32_t low = (uint32_t)time & 0x7ffffff;

	if (id < 31) {
		made_number(&l->m, l->m.big_endian ? (uint64_t)id << 27 | low : (uint64_t)low << 5 | id, 4);
		return;
	}
	made_number(&l->m, l->m.big_endian ? 0xf8 : 0x1f, 1);
	made_number(&l->m, id, 4);
	made_number(&l->m, time, 8);
}

static void lttng_wakeup(struct lttng *l, uint64_t time, const char *name, int tid)
{
	lttng_event(l, 2, time);
	made_chars(&l->m, name, 16);
	made_number(&l->m, (uint64_t)tid, 4);
	made_number(&l->m, 1, 4);
}

/* The first packet ends (at 100) after the second begins (at 60) and has events up to 50. */
static void write_old(const char *folder, bool big_endian)
{
	struct lttng l;

	made_init(&l.m, big_endian);
	lttng_begin(&l, 0, 10, 100, 0);
	lttng_wakeup(&l, 20, "sixteen-letters!", 7);
	lttng_event(&l, 40, 50);
	made_string(&l.m, "/etc/x");
	made_number(&l.m, 0777, 2);
	lttng_end(&l);
	lttng_begin(&l, 0, 60, 300000200, 4);
	lttng_event(&l, 3, 70);
	made_number(&l.m, (uint64_t)-2, 8);
	lttng_event(&l, 4, 134217728 + 10); /* the 27 bits overflowed */
	made_number(&l.m, 2, 1);
	lttng_wakeup(&l, 134217728 + 60, "", -1);
	lttng_end(&l);
	lttng_begin(&l, 0, 300000100, 300000400, 4);
	lttng_event(&l, 5, 300000150);
	made_number(&l.m, 3, 1);
	made_chars(&l.m, "nic", 3);
	made_number(&l.m, big_endian ? 0xfff0 : 0x0fff, 2); /* 12 bits: -1 */
	made_number(&l.m, 9, 1);
	lttng_end(&l);
	made_write(&l.m, folder, "channel0_0");
	made_clear(&l.m);
	made_init(&l.m, big_endian);
	lttng_begin(&l, 1, 0, 400, 0);
	lttng_wakeup(&l, 65, "cpu one", 9);
	lttng_end(&l);
	made_write(&l.m, folder, "channel0_1");
	made_clear(&l.m);
}

#define OLD_EVENTS                                                   \
	"5020 0 wakeup - 7 1 'sixteen-letters!'\n"                   \
	"5050 0 call open\n"                                         \
	"5065 1 wakeup - 9 1 'cpu one'\n"                            \
	"5070 0 losing -\n"                                          \
	"5070 0 return -\n"                                          \
	"134222738 0 softirq - 2\n"                                  \
	"134222788 0 wakeup - -1 1 ''\n"                             \
	"300005150 0 lost - 134222788\n"                             \
	"300005150 0 irq - -1 'nic'\n"                               \
	"old|lttng-modules 2.1.0|3.8.0 PREEMPT_RT 7 events 0 back\n" \
	"! the tracer lost 4 events: states are unknown in those places; record with larger buffers\n"

static void test_old(gconstpointer order)
{
	bool big_endian = !strcmp(order, "be");
	char *folder = made_folder(big_endian ? LTTNG_HEAD("be", "1000000000") LTTNG_EVENTS
					      : LTTNG_HEAD("le", "1000000000") LTTNG_EVENTS);

	write_old(folder, big_endian);
	check(folder, OLD_EVENTS);
}

/* ---- rare types: the event behind them is found only if all are decoded ---- */

static void test_types(void)
{
	char *folder = made_folder(LTTNG_HEAD("le", "1000000000") LTTNG_EVENT("odd", 1,
		"enum : uint8_t { a = 0, b = 1, c = 2 ... 9 } _tag;"
		" variant <_tag> { string a; struct { uint16_t x; uint32_t y[2]; } b; uint8_t c; } _v;"
		" uint8_t _n; struct { string s; uint8_t m; uint16_t q[m]; } _list[_n];"
		" integer { size = 32; align = 32; } _aligned; string _names[2];"
		" floating_point { exp_dig = 11; mant_dig = 53; align = 64; } _f;"
		" integer { size = 3; align = 1; } _bits[7]; uint8_t _none[0];"
		" struct { uint8_t len; struct { uint8_t len; uint32_t d[len]; } in; } _nest;")
			LTTNG_EVENT("sched_wakeup", 2, "uint8_t _tid; string _comm;"));
	struct lttng l;
	unsigned tag;

	made_init(&l.m, FALSE);
	lttng_begin(&l, 0, 0, 1000, 0);
	for (tag = 0; tag < 3; tag++) {
		lttng_event(&l, 1, 10 * tag + 10);
		made_align(&l.m, 8); /* the struct has the alignment of _f */
		made_number(&l.m, tag == 2 ? 7 : tag, 1);
		if (tag == 0)
			made_string(&l.m, "text");
		else if (tag == 1)
			made_chars(&l.m, "0123456789", 10);
		else
			made_number(&l.m, 1, 1);
		made_number(&l.m, 2, 1); /* _list: two elements, of 3 and 0 numbers */
		made_string(&l.m, "abc");
		made_number(&l.m, 3, 1);
		made_chars(&l.m, "xxxxxx", 6);
		made_string(&l.m, "");
		made_number(&l.m, 0, 1);
		made_align(&l.m, 4);
		made_number(&l.m, 1, 4);
		made_string(&l.m, "one");
		made_string(&l.m, "two");
		made_align(&l.m, 8);
		made_number(&l.m, 0, 8);
		made_chars(&l.m, "\xff\xff\xff", 3); /* 21 bits */
		made_number(&l.m, 200, 1);           /* not the length of d */
		made_number(&l.m, 1, 1);
		made_number(&l.m, 0, 4);
		lttng_event(&l, 2, 10 * tag + 15);
		made_number(&l.m, tag + 50, 1);
		made_string(&l.m, "it");
		lttng_event(&l, 2, 10 * tag + 16);
		made_number(&l.m, 0, 1);
		made_string(&l.m, "at");
	}
	lttng_end(&l);
	made_write(&l.m, folder, "channel0_0");
	made_clear(&l.m);
	check(folder,
		"5010 0 other -\n"
		"5015 0 wakeup - 50 'it'\n5016 0 wakeup - 0 'at'\n"
		"5025 0 wakeup - 51 'it'\n5026 0 wakeup - 0 'at'\n"
		"5035 0 wakeup - 52 'it'\n5036 0 wakeup - 0 'at'\n"
		"old|lttng-modules 2.1.0|3.8.0 PREEMPT_RT 9 events 0 back\n");
}

/* ---- clocks that do not count ns ---- */

/* A trace by METADATA with an event at each of the N CYCLES reads as EXPECTED. */
static void check_clock(const char *metadata, const uint64_t *cycles, unsigned n, const char *expected)
{
	char *folder = made_folder(metadata);
	struct lttng l;
	unsigned i;

	made_init(&l.m, FALSE);
	lttng_begin(&l, 0, cycles[0], cycles[n - 1], 0);
	for (i = 0; i < n; i++) {
		lttng_event(&l, 40, cycles[i]);
		made_string(&l.m, "f");
		made_number(&l.m, 0, 2);
	}
	lttng_end(&l);
	made_write(&l.m, folder, "channel0_0");
	made_clear(&l.m);
	check(folder, expected);
}

/*
 * Offset and value are rounded down separately, in double precision: beyond 2^53 ns only every second value
 * is exact.
 */
static void test_clock(void)
{
	static const uint64_t cycles[] = { 0, 1, 7, 12345, 2400000001, 999999999999 };
	static const uint64_t late[] = { 864000000000000007, 864000000100000003 };

	check_clock(LTTNG_HEAD("le", "2400000000") LTTNG_EVENTS, cycles, G_N_ELEMENTS(cycles),
		"2083 0 call open\n"
		"2083 0 call open\n"
		"2085 0 call open\n"
		"7226 0 call open\n"
		"1000002083 0 call open\n"
		"416666668749 0 call open\n"
		"old|lttng-modules 2.1.0|3.8.0 PREEMPT_RT 6 events 0 back\n");
	check_clock(LTTNG_HEAD("le", "2400000000") LTTNG_EVENTS, late, G_N_ELEMENTS(late),
		"360000000000002083 0 call open\n"
		"360000000041668771 0 call open\n"
		"old|lttng-modules 2.1.0|3.8.0 PREEMPT_RT 2 events 0 back\n");
	check_clock(LTTNG_HEAD("le", "10000000") LTTNG_EVENTS, cycles, 6,
		"500000 0 call open\n"
		"500100 0 call open\n"
		"500700 0 call open\n"
		"1734500 0 call open\n"
		"240000500100 0 call open\n"
		"100000000499900 0 call open\n"
		"old|lttng-modules 2.1.0|3.8.0 PREEMPT_RT 6 events 0 back\n");
	check_clock(LTTNG_HEAD("le", "3") LTTNG_EVENTS, cycles, 4,
		"1666666666666 0 call open\n"
		"1666999999999 0 call open\n"
		"1668999999999 0 call open\n"
		"5781666666666 0 call open\n"
		"old|lttng-modules 2.1.0|3.8.0 PREEMPT_RT 4 events 0 back\n");
}

/* ---- streams unknown to the decoder, beside known ones ---- */

#define OTHER_STREAM(context)                                                                                                \
	"struct other_context {\n\tuint64_clock_monotonic_t timestamp_begin;\n\tuint64_clock_monotonic_t timestamp_end;\n"   \
	"\tuint64_t content_size;\n\tuint64_t packet_size;\n\tunsigned long events_discarded;\n\tuint32_t cpu_id;\n" context \
	"};\n\nstream {\n\tid = 1;\n\tevent.header := struct event_header_compact;\n"                                        \
	"\tpacket.context := struct other_context;\n};\n\n"

#define OTHER_EVENT(id, fields)                            \
	"event {\n\tname = irq_handler_exit;\n\tid = " #id \
	";\n\tstream_id = 1;\n\tfields := struct {\n\t\t" fields "\n\t};\n};\n\n"

/* A file of stream 1 for CPU, with an irq_handler_exit 5 cycles after each wakeup of write_known(). */
static void write_other(const char *folder, const char *name, unsigned cpu, unsigned id, const char *context)
{
	struct lttng l;
	int irq;

	made_init(&l.m, FALSE);
	lttng_begin(&l, cpu, 10, 1000, 0);
	made_patch(&l.m, 20, 1, 4);
	if (context)
		made_string(&l.m, context);
	for (irq = 1; irq <= 3; irq++) {
		lttng_event(&l, id, (unsigned)irq * 100 + 5 + cpu);
		made_number(&l.m, (uint64_t)irq, 4);
	}
	lttng_end(&l);
	made_write(&l.m, folder, name);
	made_clear(&l.m);
}

static void write_known(const char *folder)
{
	struct lttng l;
	int tid;

	made_init(&l.m, FALSE);
	lttng_begin(&l, 0, 10, 1000, 0);
	for (tid = 1; tid <= 3; tid++)
		lttng_wakeup(&l, (unsigned)tid * 100, "w", tid);
	lttng_end(&l);
	made_write(&l.m, folder, "channel0_0");
	made_clear(&l.m);
}

/* READER (NULL: any) reads FOLDER as EXPECTED; the reader in use is called NAME. */
static void check_name(const char *folder, const char *reader, const char *name, const char *expected)
{
	struct trc_reader *r = trc_test_open(folder, reader, NULL);
	char *text = read_all(folder, reader);

	g_assert_cmpstr(trc_reader_info(r)->reader, ==, name);
	g_assert_cmpstr(text, ==, expected);
	trc_reader_free(r);
	g_free(text);
}

/* Nothing is left in the folder for temporary files, which belongs to this test alone. */
static void check_clean(void)
{
	GDir *dir = g_dir_open(g_get_tmp_dir(), 0, NULL);
	const char *name;

	g_assert_nonnull(dir);
	while ((name = g_dir_read_name(dir)))
		if (g_getenv("TOP") && g_str_has_prefix(name, "wakepath-"))
			g_error("left behind: %s", name);
	g_dir_close(dir);
}

/* Like check_name() with every reader that can read a mixed trace; the reader "ctf" alone cannot. */
static void check_mixed(char *folder, const char *name, const char *expected)
{
	GError *error = NULL;

	g_assert_null(trc_test_open(folder, "ctf", &error));
	g_assert_error(error, BASE_ERROR, BASE_ERROR_DATA);
	g_assert_nonnull(
		strstr(error->message, "is not known to the reader \"ctf\": use the reader \"babeltrace2\""));
	g_error_free(error);
	check_name(folder, "babeltrace2", "babeltrace2", expected);
	check_name(folder, NULL, name, expected);
	check_clean();
	trc_test_remove(folder);
	g_free(folder);
}

#define MIXED_END "old|lttng-modules 2.1.0|3.8.0 PREEMPT_RT 6 events 0 back\n"
#define MIXED_EVENTS                                                                               \
	"5100 0 wakeup - 1 1 'w'\n5105 0 irqret - 1\n5200 0 wakeup - 2 1 'w'\n5205 0 irqret - 2\n" \
	"5300 0 wakeup - 3 1 'w'\n5305 0 irqret - 3\n"

/* Ids beyond what the decoder keeps in a table. */
static void test_mixed_class(void)
{
	static const char metadata[] = LTTNG_HEAD("le", "1000000000") OTHER_STREAM("")
		LTTNG_EVENTS OTHER_EVENT(2000000, "uint32_t irq;");
	char *folder = made_folder(metadata);

	write_known(folder);
	write_other(folder, "other_0", 0, 2000000, NULL);
	check_mixed(folder, "ctf, 1 stream by babeltrace2", MIXED_EVENTS MIXED_END);
	folder = made_folder(metadata);
	write_known(folder);
	write_other(folder, "other_0", 0, 2000000, NULL);
	write_other(folder, "other_1", 1, 2000000, NULL);
	check_mixed(folder, "ctf, 2 streams by babeltrace2",
		"5100 0 wakeup - 1 1 'w'\n5105 0 irqret - 1\n5106 1 irqret - 1\n5200 0 wakeup - 2 1 'w'\n5205 0 irqret - 2\n5206 1 irqret - 2\n"
		"5300 0 wakeup - 3 1 'w'\n5305 0 irqret - 3\n5306 1 irqret - 3\n"
		"old|lttng-modules 2.1.0|3.8.0 PREEMPT_RT 9 events 0 back\n");
	folder = made_folder(metadata);
	write_other(folder, "other_0", 0, 2000000, NULL);
	check_mixed(folder, "babeltrace2",
		"5105 0 irqret - 1\n5205 0 irqret - 2\n5305 0 irqret - 3\nold|lttng-modules 2.1.0|3.8.0 PREEMPT_RT 3 events 0 back\n");
}

/* Unused classes do no harm. */
static void test_mixed_unused(void)
{
	char *folder = made_folder(LTTNG_HEAD("le", "1000000000") OTHER_STREAM("string _v;")
			LTTNG_EVENTS OTHER_EVENT(2000000, "uint32_t irq;"));

	write_known(folder);
	check_name(folder, NULL, "ctf",
		"5100 0 wakeup - 1 1 'w'\n5200 0 wakeup - 2 1 'w'\n5300 0 wakeup - 3 1 'w'\n"
		"old|lttng-modules 2.1.0|3.8.0 PREEMPT_RT 3 events 0 back\n");
	trc_test_remove(folder);
	g_free(folder);
}

/* A packet context with a text, and one longer than what the survey reads, so the survey does not know where
 * its packets end. */
static void test_mixed_packets(void)
{
	static const char metadata[] = LTTNG_HEAD("le", "1000000000") OTHER_STREAM("string _v;")
		LTTNG_EVENTS OTHER_EVENT(7, "uint32_t irq;");
	char *folder = made_folder(metadata), *text = g_strnfill(600, 'v');

	write_known(folder);
	write_other(folder, "other_0", 0, 7, "version 1");
	check_name(folder, NULL, "ctf", MIXED_EVENTS MIXED_END);
	check_name(folder, "babeltrace2", "babeltrace2", MIXED_EVENTS MIXED_END);
	write_other(folder, "other_0", 0, 7, text);
	check_mixed(folder, "ctf, 1 stream by babeltrace2", MIXED_EVENTS MIXED_END);
	g_free(text);
}

static void cut_at(const char *folder, const char *name, goffset length)
{
	char *path = g_build_filename(folder, name, NULL);

	g_assert_cmpint(truncate(path, length), ==, 0);
	g_free(path);
}

/* Put what is in the file B of FOLDER at the end of A; B is removed. */
static void append(const char *folder, const char *a, const char *b)
{
	char *path_a = g_build_filename(folder, a, NULL), *path_b = g_build_filename(folder, b, NULL),
	     *data_a, *data_b;
	gsize size_a, size_b;

	g_assert_true(g_file_get_contents(path_a, &data_a, &size_a, NULL));
	g_assert_true(g_file_get_contents(path_b, &data_b, &size_b, NULL));
	data_a = g_realloc(data_a, size_a + size_b);
	memcpy(data_a + size_a, data_b, size_b);
	g_assert_true(g_file_set_contents(path_a, data_a, (gssize)(size_a + size_b), NULL));
	g_assert_cmpint(unlink(path_b), ==, 0);
	g_free(data_a);
	g_free(data_b);
	g_free(path_a);
	g_free(path_b);
}

#define CUT(name) \
	"! " name \
	": cut short within its last packet: read up to there; copy the trace again if the original is whole\n"
#define NO_PART(name) \
	"! " name     \
	": its last packet is left out: babeltrace2 cannot read parts of it; copy the trace again if the original is whole\n"

/*
 * A stream that only babeltrace2 can read, with its end missing. The tracer is old, so babeltrace2 refuses
 * the cut packet.
 */
static void test_mixed_cut(void)
{
	static const char metadata[] = LTTNG_HEAD("le", "1000000000") OTHER_STREAM("")
		LTTNG_EVENTS OTHER_EVENT(2000000, "uint32_t irq;");
	char *folder = made_folder(metadata);

	write_known(folder);
	write_other(folder, "other_0", 0, 2000000, NULL);
	write_other(folder, "more", 0, 2000000, NULL);
	append(folder, "other_0", "more");
	/* A packet; a header, two events, half of the third. */
	cut_at(folder, "other_0", 512 + 68 + 2 * 17 + 10);
	check_mixed(folder, "ctf, 1 stream by babeltrace2",
		"5100 0 wakeup - 1 1 'w'\n5105 0 irqret - 1\n5200 0 wakeup - 2 1 'w'\n5205 0 irqret - 2\n5300 0 wakeup - 3 1 'w'\n5305 0 irqret - 3\n"
		"5305 0 losing -\n"
		"old|lttng-modules 2.1.0|3.8.0 PREEMPT_RT 6 events 0 back\n" CUT("other_0")
			NO_PART("other_0"));
}

/* Like test_mixed_cut(), with nothing left of that stream: the others can still be read. */
static void test_mixed_lost(void)
{
	static const char metadata[] = LTTNG_HEAD("le", "1000000000") OTHER_STREAM("")
		LTTNG_EVENTS OTHER_EVENT(2000000, "uint32_t irq;");
	char *folder = made_folder(metadata), *text;

	write_known(folder);
	write_other(folder, "other_0", 0, 2000000, NULL);
	cut_at(folder, "other_0", 68 + 2 * 17 + 10);
	text = read_all(folder, NULL);
	g_assert_true(g_str_has_prefix(text,
		"5100 0 wakeup - 1 1 'w'\n5200 0 wakeup - 2 1 'w'\n5300 0 wakeup - 3 1 'w'\n"
		"old|lttng-modules 2.1.0|3.8.0 PREEMPT_RT 3 events 0 back\n" CUT("other_0")
			NO_PART("other_0") "! 1 of the streams left out: "));
	g_free(text);
	trc_test_remove(folder);
	g_free(folder);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/made/perf", test_perf);
	g_test_add_data_func("/made/lttng-2.1/le", "le", test_old);
	g_test_add_data_func("/made/lttng-2.1/be", "be", test_old);
	g_test_add_func("/made/types", test_types);
	g_test_add_func("/made/clock", test_clock);
	g_test_add_func("/made/mixed/class", test_mixed_class);
	g_test_add_func("/made/mixed/unused", test_mixed_unused);
	g_test_add_func("/made/mixed/packets", test_mixed_packets);
	g_test_add_func("/made/mixed/cut", test_mixed_cut);
	g_test_add_func("/made/mixed/lost", test_mixed_lost);
	return g_test_run();
}
