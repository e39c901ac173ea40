/* SPDX-License-Identifier: MIT */
/* libFuzzer target: any bytes as a trace of Perfetto. */
#include "fuzz/whole.h"
#include "trace/perfetto/trc_perfetto.h"

WHOLE_TARGET(&trc_perfetto_input, &trc_perfetto_ops)
