/* SPDX-License-Identifier: MIT */
/* All subcommands.  The list in app_main.c gives their order in the help. */
#ifndef APP_COMMAND_H
#define APP_COMMAND_H

#include "app/app_args.h"

extern const struct app_command app_view;
extern const struct app_command app_record;
extern const struct app_command app_index;
extern const struct app_command app_info;
extern const struct app_command app_threads;
extern const struct app_command app_states;
extern const struct app_command app_wakeups;
extern const struct app_command app_flow;
extern const struct app_command app_path;
extern const struct app_command app_why;
extern const struct app_command app_requests;
extern const struct app_command app_latency;
extern const struct app_command app_compare;
extern const struct app_command app_causes;
extern const struct app_command app_stacks;
extern const struct app_command app_machines;
extern const struct app_command app_events;
extern const struct app_command app_sync;
extern const struct app_command app_verify;

#endif
