/* SPDX-License-Identifier: MIT */
/* libFuzzer target: any bytes as a trace.dat. */
#include "fuzz/whole.h"
#include "trace/ftrace/trc_ftrace.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	whole_init();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	whole_take(data, size, &trc_ftrace_input, &trc_ftrace_ops);
	return 0;
}
