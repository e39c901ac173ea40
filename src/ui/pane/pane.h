/* SPDX-License-Identifier: MIT */
/* The panes of the explorer.  Each is a const struct in its own file; pane.c lists them. */
#ifndef PANE_H
#define PANE_H

#include "ui/core/ui_shell.h"

/* All panes, NULL-terminated, in their order on the screen and for commands.  The second MAIN pane belongs to
 * the second window. */
extern const struct ui_pane_ops *const pane_all[];

extern const struct ui_pane_ops pane_header;
extern const struct ui_pane_ops pane_flow;
extern const struct ui_pane_ops pane_path;
extern const struct ui_pane_ops pane_latency;
extern const struct ui_pane_ops pane_causes;
extern const struct ui_pane_ops pane_overview;
extern const struct ui_pane_ops pane_stacks;
extern const struct ui_pane_ops pane_machines;
extern const struct ui_pane_ops pane_wait;
extern const struct ui_pane_ops pane_account;
extern const struct ui_pane_ops pane_story;
extern const struct ui_pane_ops pane_events;
extern const struct ui_pane_ops pane_clocks;
extern const struct ui_pane_ops pane_notes;
extern const struct ui_pane_ops pane_hits;
extern const struct ui_pane_ops pane_bookmarks;
extern const struct ui_pane_ops pane_detail;
extern const struct ui_pane_ops pane_navigate;
extern const struct ui_pane_ops pane_request;
extern const struct ui_pane_ops pane_requests;
extern const struct ui_pane_ops pane_spans;
extern const struct ui_pane_ops pane_compare;
extern const struct ui_pane_ops pane_export;
extern const struct ui_pane_ops pane_legend;
extern const struct ui_pane_ops pane_menu;
extern const struct ui_pane_ops pane_copy;
extern const struct ui_pane_ops pane_line;
extern const struct ui_pane_ops pane_sums;
extern const struct ui_pane_ops pane_names;
extern const struct ui_pane_ops pane_table;
extern const struct ui_pane_ops pane_sql;
extern const struct ui_pane_ops pane_fleet;

#endif
