/* SPDX-License-Identifier: MIT */
/*
 * Files mapped in a program's memory, compared with the calls of sample-traces/lockfight as babeltrace2
 * prints them: the start of sleep[474], in CPU 1's events.
 *
 * 994.154653045 sched_process_exec filename = "/usr/bin/sleep"
 * 994.162166505 openat "/etc/ld.so.cache" = 3
 * 994.162476135 mmap(0, 23123, fd 3, offset 0) = 0x7F43EF70D000 at .162580505; close(3)
 * 994.163097995 openat "/lib/x86_64-linux-gnu/libc.so.6" = 3
 * 994.164310945 mmap(0, 1974096, fd 3, offset 0) = 0x7F43EF52B000 at .164370255
 * 994.164422785 mmap(0x7F43EF551000, 1400832, fd 3, offset 155648) = 0x7F43EF551000 at .164603035
 * 994.164618705 mmap(0x7F43EF6A7000, 339968, fd 3, offset 1556480) = 0x7F43EF6A7000 at .164670215
 * 994.164671855 mmap(0x7F43EF6FA000, 24576, fd 3, offset 1896448) = 0x7F43EF6FA000 at .164717765
 * 994.164869445 mmap(0x7F43EF700000, 53072, MAP_ANONYMOUS, fd -1) = 0x7F43EF700000 at .164910585; close(3)
 * 994.177383595 munmap(139929756684288 = 0x7F43EF70D000, 23123) = 0 at .177542315
 */
#include "query/symbols/symbols.h"
#include "query/qry_traces.h"

#include <inttypes.h>

#define SECOND INT64_C(1795168994000000000)

/* At NS of that second ADDRESS of sleep was in EXPECTED (NULL: unknown). */
struct place {
	int64_t ns;
	uint64_t address;
	const char *expected;
};

static const struct place places[] = {
	{ 162400000, 0x7F43EF70D010, NULL }, /* opened, not mapped */
	{ 162600000, 0x7F43EF70D010, "ld.so.cache+0x10" },
	{ 162600000, 0x7F43EF712A52, "ld.so.cache+0x5a52" }, /* the last page, behind the end of the file */
	{ 162600000, 0x7F43EF713000, NULL },                 /* anonymous */
	{ 164360000, 0x7F43EF551100, NULL },                 /* libc's first mmap() had not returned */
	{ 164400000, 0x7F43EF551100, "libc.so.6+0x26100" },
	{ 164700000, 0x7F43EF551100, "libc.so.6+0x26100" }, /* 155648 is 0x26000: the same place, mapped again
							     */
	{ 164800000, 0x7F43EF52B000, "libc.so.6+0x0" },
	{ 164800000, 0x7F43EF6A6FFF, "libc.so.6+0x17bfff" },
	{ 164800000, 0x7F43EF6A7000, "libc.so.6+0x17c000" },
	{ 164800000, 0x7F43EF6FA010, "libc.so.6+0x1cf010" }, /* its data */
	{ 164800000, 0x7F43EF700010, "libc.so.6+0x1d5010" }, /* still from the first mapping */
	{ 165000000, 0x7F43EF700010, NULL },                 /* anonymous now */
	{ 165000000, 0x7F43EF52AFFF, NULL },                 /* below all mappings */
	{ 177600000, 0x7F43EF70D010, NULL },                 /* unmapped */
	{ 177600000, 0x7F43EF551100, "libc.so.6+0x26100" },
};

static char *text_at(const struct qry_maps *maps, uint32_t row, int64_t time, uint64_t address)
{
	struct qry_mapped place;

	return qry_maps_find(maps, row, time, address, &place)
		? g_strdup_printf("%s+0x%" PRIx64, place.name, place.offset)
		: NULL;
}

static void test_real(void)
{
	GError *error = NULL;
	struct qry *q = qry_traces_open("lockfight");
	struct qry_maps *maps = qry_maps_new(q, NULL, &error);
	uint32_t row;

	g_assert_no_error(error);
	g_assert_true(qry_find_thread(q, "474", &row, &error));
	for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
		char *text = text_at(maps, row, SECOND + places[i].ns, places[i].address);

		g_assert_cmpstr(text, ==, places[i].expected);
		g_free(text);
	}
	/* The shell that forked it existed before the recording. */
	g_assert_null(text_at(maps, qry_row(q, row)->parent, SECOND + 164800000, 0x7F43EF551100));
	qry_maps_free(maps);
	qry_free(q);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/maps/real", test_real);
	return g_test_run();
}
