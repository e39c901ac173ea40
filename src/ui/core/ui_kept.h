/* SPDX-License-Identifier: MIT */
/*
 * What of the looks of an experiment is kept from one run to the next, in a file beside its index: layout,
 * sizes, the tracer's threads, arrows, the clock.
 */
#ifndef UI_KEPT_H
#define UI_KEPT_H

#include "ui/core/ui_shell.h"

struct ui_kept;

/*
 * What the file PATH keeps becomes how SHELL looks, whatever the configuration said.  What of it cannot be is
 * left out, and noted.
 */
struct ui_kept *ui_kept_new(struct ui_shell *shell, const char *path);
/* Keep what is different now; what another explorer kept meanwhile stays, but for that.  False with an error.
 */
bool ui_kept_write(const struct ui_kept *kept, const struct ui_shell *shell, GError **error);
void ui_kept_free(struct ui_kept *kept);

#endif
