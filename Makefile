# SPDX-License-Identifier: MIT
# make run | check | all | install | bench | clean; see README.md.

PREFIX ?= /usr/local
BUILD ?= build
CC ?= gcc
PKGS := glib-2.0 gio-2.0 ncursesw babeltrace2 json-glib-1.0 libxxhash

# The folders in the order in which data flows; each becomes a static library.
PARTS := base model trace index ingest query analysis export ui/term ui/core ui/pane app

WARN := -Wall -Wextra -Werror -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wpointer-arith -Wwrite-strings -Wundef -Wvla
OPT ?= -O2 -g
CFLAGS_ALL := -std=c11 -D_GNU_SOURCE -DG_LOG_DOMAIN='"wakepath"' $(WARN) $(OPT) -Isrc -I$(BUILD)/gen $(shell pkg-config --cflags $(PKGS) 2>/dev/null) $(CFLAGS)
LIBS_ALL := $(shell pkg-config --libs $(PKGS) 2>/dev/null) -lm $(LDFLAGS)

parts_src = $(wildcard src/$(1)/*.c)
OBJS := $(foreach p,$(PARTS),$(patsubst src/%.c,$(BUILD)/obj/%.o,$(call parts_src,$(p))))

all: $(BUILD)/wakepath

$(BUILD)/wakepath: $(OBJS)
	$(CC) $(CFLAGS_ALL) -o $@ $^ $(LIBS_ALL)

$(BUILD)/obj/%.o: src/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

-include $(OBJS:.o=.d)

clean:
	rm -rf $(BUILD)

.PHONY: all clean
