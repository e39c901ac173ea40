# SPDX-License-Identifier: MIT
#
# make            build/wakepath, optimised
# make install    the program, its manual pages and completions, below $(DESTDIR)$(PREFIX)
# make deb        a Debian package, build/wakepath_VERSION_ARCHITECTURE.deb
# make dist       the source as build/wakepath-VERSION.tar.gz; it builds without git
# make run        install missing packages, build, open the explorer on a sample trace
# make check      install missing packages, build with the sanitizers, run what tells soon that a change is wrong: at most 8 minutes
# make check-all  the same with everything: all builds, all tests, all proofs
# make sweep      the same with the sanitizers in every script, and with everything derived anew from raw events: for releases
# make test       build and run all tests but the long sweeps, optimised
# make tests      build what the tests need, install nothing
# make asan       the same with the sanitizers, below build/asan, as make check does
# make lint       is the C of one form, and do clang-tidy's checks find nothing?  (Only what changed is looked at again.)
# make screens    write the expected screens of the tests, docs/keys.md and the signs of docs/cells.md anew
# make docs       write the fields of docs/cli.md anew, as the columns of src/table describe them
# make pictures   write the pictures of the documentation, and the story to play, anew (needs tmux)
# make bench      measure the index, as docs/performance.md tells; FULL=1 also a trace of 99 million events
# make fuzz       feed the fuzz targets for FUZZ_SECONDS each (600), and harm each chunk of an index ten thousand times
# make corpus     write the first inputs of the fuzz targets anew
# make keys       press PRESSED random keys (100000) on the sample traces, with the sanitizers; with SEED those of that run
# make tsan       run the tests of threads under ThreadSanitizer
# make clean

PREFIX ?= /usr/local
BUILD ?= build
CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
PKGS := glib-2.0 ncursesw babeltrace2 libxxhash libelf zlib libzstd libtracefs cairo sqlite3

# The folders in the order in which data flows.  Each becomes a static library that may use only those before it.
# A pane is a folder below src/ui/pane or, small, a file there; of formats of traces each may use those before it.
PANES := $(patsubst src/%/,%,$(sort $(wildcard src/ui/pane/*/)))
FORMATS := trace/core trace/meta trace/tsdl trace/ctf2 trace/ctf trace/bt2 trace/tracefs trace/ftrace trace/perf trace/perfetto trace/text
ANALYSIS := $(addprefix analysis/,kind cpu wait path stacks account request latency causes compare overview watched)
INDEX := $(addprefix index/,file tree table pairs spans verify)
QUERY := $(addprefix query/,host events symbols clock cases) query
MODEL := $(addprefix model/,event kernel core cause block net timer work guest sched power span) model
PARTS := base picture parquet watch $(MODEL) sync $(FORMATS) trace live $(INDEX) ingest $(QUERY) $(ANALYSIS) fleet table sql export ui/term ui/core ui/widget $(PANES) ui/pane record app

WARN := -Wall -Wextra -Werror -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wpointer-arith -Wwrite-strings -Wundef -Wvla
OPT ?= -O2 -g
# gcc optimises what builds and reads an index across files, in the program alone: a tenth less time, for a link of some seconds ("make LTO="
# leaves it out; clang needs a linker of its own for it).
ACROSS := base $(MODEL) $(FORMATS) trace $(INDEX) ingest $(QUERY) $(ANALYSIS)
ifeq ($(notdir $(CC)) $(OPT),gcc -O2 -g)
LTO ?= -O3 -flto=auto -ffat-lto-objects
endif
# (The sanitizers make gcc see uses of unset variables that are none.  Their reports need lines, not variables: -g1.  What is undefined
# traps, and AddressSanitizer says where (handle_sigill, tests/tools/run_one): the texts that say what are 7 MB, looked through for
# pointers at the end of each of thousands of runs.  With -fno-sanitize-recover=undefined instead they are there.)
SANITIZE := -O1 -g1 -Wno-maybe-uninitialized -fno-omit-frame-pointer -fsanitize=address,undefined -fsanitize-undefined-trap-on-error
CPPFLAGS_ALL := -D_GNU_SOURCE -DG_LOG_DOMAIN='"wakepath"' -Isrc -I$(BUILD)/gen $(shell pkg-config --cflags $(PKGS) 2>/dev/null) $(CPPFLAGS)
CFLAGS_ALL := -std=c11 $(WARN) $(OPT) $(CFLAGS)
# Some are loaded when they are needed (base_library.h).
LIBS_ALL := $(shell pkg-config --libs $(filter-out cairo,$(PKGS)) 2>/dev/null) -lm

# Each only where it is wanted, see there.
TEST_TOOLS := tests/tools/asan.c tests/tools/faults.c tests/tools/starter.c tests/tools/tsan_glib.c tests/tools/tests_all.c
ifneq ($(findstring -fsanitize=address,$(OPT)),)
KEEP_OBJ := $(BUILD)/obj/tests/tools/asan.o
LDFLAGS += -Wl,--export-dynamic-symbol=dlclose
# The program is started thousands of times: what is at a fixed place need not be moved first.  (clang's are static anyway.)
LDFLAGS += -no-pie $(if $(findstring clang,$(CC)),,-static-libasan -static-libubsan)
endif
ifneq ($(findstring -fsanitize=thread,$(OPT)),)
KEEP_OBJ := $(BUILD)/obj/tests/tools/tsan_glib.o
endif

# Objects of one folder are all built with the same flags: when these change, all are built again.  (BUILT=1, for tests that install: what is
# built is taken as it is.)
FLAGS := $(strip $(CC) $(subst -I$(BUILD)/gen,,$(CPPFLAGS_ALL)) $(CFLAGS_ALL) $(LTO) $(LDFLAGS))
ifneq ($(if $(BUILT),,$(FLAGS)),$(if $(BUILT),,$(strip $(file <$(BUILD)/flags))))
$(shell mkdir -p $(BUILD))$(file >$(BUILD)/flags,$(FLAGS))
endif

reverse = $(if $(1),$(call reverse,$(wordlist 2,$(words $(1)),$(1))) $(firstword $(1)))
objects = $(patsubst src/%.c,$(BUILD)/obj/%.o,$(sort $(wildcard src/$(1)/*.c)))
PARTS_HERE := $(foreach p,$(PARTS),$(if $(wildcard src/$(p)/*.c),$(p)))
LIBS := $(patsubst %,$(BUILD)/lib/%.a,$(call reverse,$(PARTS_HERE)))
OBJS := $(foreach p,$(PARTS_HERE),$(call objects,$(p)))

# Tests: one program for each test_*.c; all other .c files below tests/ are shared by them.
TEST_SRC := $(sort $(shell find tests -name 'test_*.c'))
BENCH_SRC := $(sort $(wildcard tests/bench/*.c))
FUZZ_SRC := $(sort $(wildcard tests/fuzz/fuzz_*.c))
TEST_SHARED := $(filter-out $(TEST_SRC) $(BENCH_SRC) $(FUZZ_SRC) $(TEST_TOOLS),$(sort $(shell find tests -name '*.c')))
TEST_PROGRAMS := $(patsubst %.c,$(BUILD)/%,$(TEST_SRC))
TEST_OBJS := $(patsubst %.c,$(BUILD)/obj/%.o,$(TEST_SRC) $(TEST_SHARED))
TEST_SCRIPTS := $(sort $(shell find tests -name '*.t'))

# Runs the program for scripts, and makes its system calls fail.  For all ways to build it, without sanitizers: these are loaded before theirs.
PRELOADED := $(BUILD)/tests/starter.so $(BUILD)/tests/faults.so

# Themes and keys are text, which becomes part of the program (ui_config.h).
THEMES := $(sort $(wildcard themes/*))
KEYS := $(sort $(wildcard src/ui/core/*.keys))

# Short lines; V=1 shows the commands.
ifeq ($(V),)
Q = @
say = @echo "$(1) $@"
endif

all: $(BUILD)/wakepath

$(BUILD)/wakepath: $(KEEP_OBJ) $(LIBS)
	$(call say,link)
	$(Q)$(CC) $(CFLAGS_ALL) $(LTO) $(LDFLAGS) -o $@ $(BUILD)/obj/app/app_main.o $(KEEP_OBJ) $(LIBS) $(LIBS_ALL)

define part_rule
$(BUILD)/lib/$(1).a: $(call objects,$(1)) $(if $(filter ui/core,$(1)),$(BUILD)/obj/gen/ui_builtin.o)
	@mkdir -p $$(@D)
	@rm -f $$@
	$(Q)ar rcs $$@ $$^
endef
$(foreach p,$(PARTS_HERE),$(eval $(call part_rule,$(p))))

$(BUILD)/obj/%.o: src/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,cc)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(if $(filter $(ACROSS),$(*D)),$(LTO)) -MMD -MP -c -o $@ $<

$(BUILD)/obj/tests/%.o: tests/%.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,cc)
	$(Q)$(CC) $(CPPFLAGS_ALL) -Itests $(CFLAGS_ALL) -MMD -MP -c -o $@ $<

$(PRELOADED): $(BUILD)/tests/%.so: tests/tools/%.c
	@mkdir -p $(@D)
	$(call say,cc)
	$(Q)$(CC) -std=c11 -D_GNU_SOURCE $(WARN) -O2 -shared -fPIC -o $@ $< -ldl

# A hundred programs, for which gold takes half of the time of ld.
GOLD := $(if $(shell command -v ld.gold 2>/dev/null),-fuse-ld=gold)
ifeq ($(TOGETHER),)
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(patsubst %.c,$(BUILD)/obj/%.o,$(TEST_SHARED)) $(KEEP_OBJ) $(LIBS)
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,link)
	$(Q)$(CC) $(CFLAGS_ALL) -fno-lto $(LDFLAGS) $(GOLD) -o $@ $^ $(LIBS_ALL)
else
# Where all are wanted they are one, tests/all, which is linked in the time that each of them takes; their names are links to it.
$(TEST_PROGRAMS): $(BUILD)/tests/all
	@mkdir -p $(@D)
	@ln -sf ../all $@

TEST_MAINS := $(TEST_SRC:%.c=$(BUILD)/obj/%.main)
$(BUILD)/tests/all: $(TEST_MAINS) $(patsubst %.c,$(BUILD)/obj/%.o,tests/tools/tests_all.c $(TEST_SHARED)) $(KEEP_OBJ) $(LIBS)
	@mkdir -p $(@D)
	$(call say,link)
	$(Q)$(CC) $(CFLAGS_ALL) -fno-lto $(LDFLAGS) $(GOLD) -o $@ $^ $(LIBS_ALL)

$(TEST_MAINS): $(BUILD)/obj/tests/%.main: $(BUILD)/obj/tests/%.o
	$(Q)objcopy --redefine-sym main=$(subst /,_,$*) $< $@

# (tests.list changes when there is another test.)
ifneq ($(TEST_SRC),$(strip $(file <$(BUILD)/tests.list)))
$(file >$(BUILD)/tests.list,$(TEST_SRC))
endif
$(BUILD)/gen/tests_all.h: $(BUILD)/tests.list
	@mkdir -p $(@D)
	@for t in $(TEST_SRC:tests/%.c=%); do echo "TEST($${t%/*}, $${t#*/})"; done > $@

$(BUILD)/obj/tests/tools/tests_all.o: $(BUILD)/gen/tests_all.h
endif

# (Lines of C strings, for what they are is the file's.)
builtin = echo "const struct ui_builtin $(1)[] = {"; for f in $(2); do echo "{ \"$$(basename $$f)\","; sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' $$f; echo '},'; done; echo '{ 0, 0 } };'
$(BUILD)/gen/ui_builtin.c: $(THEMES) $(KEYS) Makefile
	@mkdir -p $(@D)
	@{ echo '#include "ui/core/ui_config.h"'; $(call builtin,ui_builtin_themes,$(THEMES)); $(call builtin,ui_builtin_keys,$(KEYS)); } > $@

$(BUILD)/obj/gen/ui_builtin.o: $(BUILD)/gen/ui_builtin.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,cc)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<

# Manual pages from the documentation, completions from what the program says of its options.
VERSION = $(shell $(BUILD)/wakepath --version)
SHARE := $(DESTDIR)$(PREFIX)/share
UNIT := $(DESTDIR)$(PREFIX)/lib/systemd/system/wakepath-watch.service
COMPLETIONS := bash-completion/completions/wakepath zsh/site-functions/_wakepath fish/vendor_completions.d/wakepath.fish

$(BUILD)/man/wakepath.1: docs/cli.md docs/man.pl $(BUILD)/wakepath
	@mkdir -p $(@D)
	$(Q)perl docs/man.pl wakepath 1 "what the threads of a machine really waited for" "$(VERSION)" < $< > $@

$(BUILD)/man/wakepath-index.5: docs/index-format.md docs/man.pl $(BUILD)/wakepath
	@mkdir -p $(@D)
	$(Q)perl docs/man.pl wakepath-index 5 "the index file of wakepath" "$(VERSION)" < $< > $@

$(BUILD)/completions/%: docs/completions.pl $(BUILD)/wakepath
	@mkdir -p $(@D)
	$(Q)perl docs/completions.pl $(firstword $(subst -, ,$(subst /, ,$*))) $(BUILD)/wakepath > $@

install: $(if $(BUILT),,all) $(BUILD)/man/wakepath.1 $(BUILD)/man/wakepath-index.5 $(COMPLETIONS:%=$(BUILD)/completions/%)
	install -D -m 755 $(BUILD)/wakepath $(DESTDIR)$(PREFIX)/bin/wakepath
	install -D -m 644 $(BUILD)/man/wakepath.1 $(SHARE)/man/man1/wakepath.1
	install -D -m 644 $(BUILD)/man/wakepath-index.5 $(SHARE)/man/man5/wakepath-index.5
	@for f in $(COMPLETIONS); do install -D -m 644 $(BUILD)/completions/$$f $(SHARE)/$$f || exit; done
	@install -D -m 644 packaging/wakepath-watch.service $(UNIT)
	@sed -i 's|@PREFIX@|$(PREFIX)|' $(UNIT)

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/wakepath $(SHARE)/man/man1/wakepath.1 $(SHARE)/man/man5/wakepath-index.5 $(COMPLETIONS:%=$(SHARE)/%) $(UNIT)

deb:
	@rm -rf $(BUILD)/deb
	@$(MAKE) --no-print-directory -s install DESTDIR=$(abspath $(BUILD)/deb) PREFIX=/usr >/dev/null
	$(Q)packaging/deb.sh $(BUILD)/deb $(BUILD)/$(subst $(eval) ,_,$(VERSION))_$(shell dpkg --print-architecture).deb

dist:
	@mkdir -p $(BUILD)
	$(Q)v=wakepath-$$(sed -n 's/.*BASE_VERSION "\(.*\)"/\1/p' src/base/base_version.h) && \
		git archive --format=tar.gz --prefix=$$v/ -o $(BUILD)/$$v.tar.gz HEAD

run:
	@tests/tools/packages.sh run
	@$(MAKE) --no-print-directory -s -j$(JOBS) all
	@$(BUILD)/wakepath sample-traces/pipeline

tests: all $(TEST_PROGRAMS) $(PRELOADED)

objects: $(TEST_OBJS)

asan:
	@$(MAKE) --no-print-directory -s -j$(JOBS) BUILD=$(BUILD)/asan OPT="$(SANITIZE)" TOGETHER=1 tests

# With these clang takes a seventh less.
LARGE_PAGES := GLIBC_TUNABLES=glibc.malloc.hugetlb=1

# One build, with the sanitizers: all programs that test, the scripts that test what nobody changes on purpose, those that the change can
# affect (tests/tools/reach), and the lint of what changed.  Two tests more at once than there are cores, as many wait.
ALWAYS := $(addprefix tests/,ui/screens.t tools/layering.t tools/docs.t app/usage.t app/questions.t) $(wildcard tests/oracle/*_made.t)
CHANGED = $(shell tests/tools/reach changed)
CHECKED = $(sort $(ALWAYS) $(filter-out $(SLOW),$(shell tests/tools/reach affected 30 $(CHANGED))))
CHECK_BUILD = $(MAKE) --no-print-directory -s BUILD=$(BUILD)/asan OPT="$(SANITIZE)" TOGETHER=1
check:
	@tests/tools/packages.sh check
	@$(CHECK_BUILD) -j$(JOBS) tests lint-changed
	@$(CHECK_BUILD) JOBS=$$(($(JOBS) + 2)) prove-checked

# Everything.  Optimised and with every sanitizer by gcc, and all warnings by clang: those of src as clang-tidy tells them.
check-all: built
	@$(MAKE) --no-print-directory -s prove JOBS=$$(($(JOBS) + 2))
	@$(MAKE) --no-print-directory -s reach
sweep: built
	@$(MAKE) --no-print-directory -s prove JOBS=$$(($(JOBS) + 1)) SANITIZED="$(TEST_SCRIPTS)" PROOFS=none TEST_SECONDS=3600 ROUNDS=20
built:
	@tests/tools/packages.sh check
	@$(MAKE) --no-print-directory -s -j$(JOBS) all $(WIDE:%=$(BUILD)/%) lint
	@$(LARGE_PAGES) $(MAKE) --no-print-directory -s -j$(JOBS) BUILD=$(BUILD)/clang CC=clang OPT=-O0 objects
	@$(MAKE) --no-print-directory asan
	@$(BUILD_FUZZERS)

# The map of what each script reaches, as far as it is missing or older than the script: for "make check", which does without, too.
COVERAGE := -O1 -g0 --coverage -fprofile-update=atomic
reach:
	@$(MAKE) --no-print-directory -s -j$(JOBS) BUILD=$(BUILD)/reach OPT="$(COVERAGE)" all $(BUILD)/reach/tests/starter.so
	@echo $(filter-out $(SLOW) tests/tools/% tests/recipes/% tests/fuzz/%,$(TEST_SCRIPTS)) | tr ' ' '\n' | \
		WAKEPATH=$(abspath $(BUILD)/reach/wakepath) BUILD=$(abspath $(BUILD)/reach) xargs -P $(JOBS) -n 1 tests/tools/reach make || :

# A stamp for each file, as new as its object: it depends on the same headers.  (One call for several files is faster, but the analyzer keeps
# what it knows of va_list from one to the next, and then finds faults that are none.)  Where there is ccache it has the stamps of what it knows
# to the last letter, as it has objects: of the file, all that it includes, .clang-tidy, and clang-tidy itself.
TIDY_IS = $(shell stat -L -c '%s-%Y' "$$(command -v clang-tidy)" 2>/dev/null)
TIDY := $(if $(shell command -v ccache 2>/dev/null),env CCACHE_DEPEND=1 CCACHE_COMPILERTYPE=gcc CCACHE_COMPILERCHECK=string:$(TIDY_IS) \
	CCACHE_EXTRAFILES=.clang-tidy:tests/tools/tidy ccache) tests/tools/tidy
LINTED := $(OBJS:$(BUILD)/obj/%.o=$(BUILD)/lint/%)
lint: form $(LINTED)
lint-changed: form
	@$(MAKE) --no-print-directory -s -j$(JOBS) $(or $(filter $(LINTED),$(patsubst src/%.c,$(BUILD)/lint/%,$(CHANGED))),form)
form:
	@tests/tools/form.sh
$(LINTED): $(BUILD)/lint/%: $(BUILD)/obj/%.o .clang-tidy tests/tools/tidy
	@mkdir -p $(@D)
	$(call say,lint)
	$(Q)$(TIDY) -std=c11 $(CPPFLAGS_ALL) $(WARN) -MD -MF $@.d -c src/$*.c -o $@ >$@.said 2>&1 || { rm -f $@; cat $@.said; exit 1; }

# Run the tests as they were built; T="tests/x/test_y tests/z.t" runs only these.
# The longest first, also those that mostly wait, so that no core waits for them at the end: programs are the shortest.
LONG := $(sort $(wildcard tests/oracle/each_*.t))
LONG := $(LONG) $(call reverse,$(filter-out $(LONG),$(filter tests/oracle/%,$(TEST_SCRIPTS))))
WAITING := tests/recipes/recipes.t tests/record/record.t tests/ui/terminal.t tests/ui/every_key.t tests/app/questions.t tests/app/changing.t tests/app/huge-metadata.t
# Programs that compare all of every trace at hand: the sample traces with the sanitizers, and with those that are shared as well optimised.
WIDE := $(addprefix tests/,trace/test_page trace/test_reader trace/test_net analysis/test_account analysis/test_path_rules)

# A start with the sanitizers takes five times as long, and most tests have thousands.  So scripts run optimised, but for those in which they
# find something that nothing else goes through; every test_* program has them.
SANITIZED := $(addprefix tests/, \
	app/questions.t \
	$(addprefix app/,bad-traces.t changing.t far-times.t hostile.t huge-metadata.t stray-times.t no-switch.t) \
	$(addprefix app/,accounts_made.t ftrace_made.t limits.t perf.t perf_data.t perf_made.t perfetto.t stacks_made.t) \
	$(addprefix oracle/,border_made.t guests_odd.t) $(addprefix app/,rules.t sync_file.t usage.t verified.t) ui/start.t \
	$(addprefix app/,follow.t full-disk.t interrupt.t live.t) ui/odd_terminals.t ui/overwritten.t ui/signals.t ui/random_keys.t record/clients.t)
# Line by line: every command, format, kind and option on every sort of trace; traces that are damaged, hostile or change while they are read; made
# ones, with all that a format may have; guests and packets that cannot be, files that people write; what ends early, grows, has no room or comes by
# the net, and keys, terminals and tracers that do what nobody expects.

# Not in "make check": scripts that need the program as users have it (they measure or limit its memory, or take rights away), build recipes, or
# take minutes with the sanitizers.
SLOW := $(addprefix tests/,$(addprefix app/,bombs.t compare_memory.t confine.t faults.t fleet_slurm.t fleet_thousand.t files.t huge-metadata.t memory.t memory_out.t spans_memory.t tracers.t words.t) \
	fuzz/fuzz.t oracle/clocks.t oracle/clocks_given.t record/folder.t record/probes.t record/watch_stalls.t record/watch_kills.t recipes/recipes.t tools/deb.t tools/dist.t ui/every_key.t) $(wildcard tests/oracle/each_*.t)

T ?= $(LONG) $(WIDE:%=$(BUILD)/%) $(WAITING) $(filter-out $(LONG) $(WAITING),$(TEST_SCRIPTS)) $(patsubst $(BUILD)/%,$(BUILD)/asan/%,$(TEST_PROGRAMS))
PROVE = WAKEPATH=$(abspath $(BUILD)/wakepath) WAKEPATH_FAST=$(abspath $(BUILD)/wakepath) BUILD=$(abspath $(BUILD)) prove -j$(JOBS) --timer --exec tests/tools/run_one
prove: $(PRELOADED)
	@SANITIZED="$(SANITIZED)" WAKEPATH_SANITIZED=$(abspath $(BUILD)/asan/wakepath) SAMPLES_ONLY="$(WIDE:%=$(BUILD)/asan/%)" \
		$(if $(PROOFS),PROOFS=$(PROOFS)) $(if $(TEST_SECONDS),TEST_SECONDS=$(TEST_SECONDS)) $(if $(ROUNDS),ROUNDS=$(ROUNDS)) $(PROVE) $(strip $(T))
prove-checked:
	$(eval CHECKED := $(CHECKED))
	@SAMPLES_ONLY="$(WIDE:%=$(BUILD)/%)" $(PROVE) $(filter $(WAITING),$(CHECKED)) $(filter-out $(WAITING),$(CHECKED)) $(TEST_PROGRAMS)

# The long sweeps, for make check-all only: whole traces counted by other means, floods of packets, all examples, fuzzing, recipes built.  What is not here, make test runs.
SWEEPS := $(filter-out %/cause.t %/latency_rules.t %/oracle.t,$(LONG)) tests/sync/test_flood tests/fuzz/fuzz.t tests/app/changing.t \
	tests/app/fleet_thousand.t tests/app/hostile.t tests/app/huge-metadata.t tests/app/words.t tests/recipes/recipes.t tests/tools/docs.t
test:
	@$(MAKE) --no-print-directory -s -j$(JOBS) TOGETHER=1 tests
	@$(MAKE) --no-print-directory -s prove-fast
prove-fast: $(PRELOADED)
	@$(PROVE) $(filter-out $(SWEEPS:%=$(BUILD)/%) $(SWEEPS),$(TEST_PROGRAMS) $(TEST_SCRIPTS))

# Threads under ThreadSanitizer: readers, builds of several hosts at once, and the worker of the explorer.
TSAN := -O1 -g -Wno-maybe-uninitialized -fno-omit-frame-pointer -fsanitize=thread
TSAN_TESTS := trace/test_lanes trace/test_rotated ui/test_ask_worker
tsan: $(PRELOADED)
	@$(MAKE) --no-print-directory -s -j$(JOBS) BUILD=$(BUILD)/tsan OPT="$(TSAN)" all $(TSAN_TESTS:%=$(BUILD)/tsan/tests/%)
	@WAKEPATH=$(abspath $(BUILD)/tsan/wakepath) BUILD=$(abspath $(BUILD)) TSAN_OPTIONS=exitcode=66:history_size=4:ignore_noninstrumented_modules=1 \
		prove -j$(JOBS) --timer --exec tests/tools/run_one $(TSAN_TESTS:%=$(BUILD)/tsan/tests/%) \
		tests/app/at-once.t tests/app/reader.t

# Programs for libFuzzer, which comes with clang; each feeds itself, see tests/fuzz/fuzz.sh.  tests/fuzz/fuzz.t runs them briefly.
FUZZ_SECONDS ?= 600
FUZZ_SANITIZE := -O1 -g1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
FUZZ_PROGRAMS := $(patsubst %.c,$(BUILD)/fuzz/%,$(FUZZ_SRC))
BUILD_FUZZERS = $(LARGE_PAGES) $(MAKE) --no-print-directory -s -j$(JOBS) BUILD=$(BUILD)/fuzz CC=clang OPT="$(FUZZ_SANITIZE)" $(FUZZ_PROGRAMS)

# They read what is hostile, or may write it: nothing that is shown.
FUZZED := $(patsubst %,$(BUILD)/lib/%.a,base $(MODEL) sync $(FORMATS) trace $(INDEX) ingest $(QUERY) $(ANALYSIS) fleet table sql)
$(BUILD)/tests/fuzz/%: $(BUILD)/obj/tests/fuzz/%.o $(patsubst %.c,$(BUILD)/obj/%.o,$(filter tests/index/% tests/fuzz/% tests/query/qry_traces.c,$(TEST_SHARED))) $(filter $(FUZZED),$(LIBS))
	@mkdir -p $(@D)
	$(call say,link)
	$(Q)$(CC) $(CFLAGS_ALL) -fsanitize=fuzzer -o $@ $^ $(LIBS_ALL)

fuzz:
	@$(BUILD_FUZZERS)
	@FUZZ_DIR=$(BUILD)/fuzz/work tests/fuzz/fuzz.sh $(FUZZ_SECONDS) $(FUZZ_PROGRAMS)
	@$(MAKE) --no-print-directory -s -j$(JOBS) BUILD=$(BUILD)/asan OPT="$(SANITIZE)" $(BUILD)/asan/tests/index/test_damage
	@tests/tools/run_one $(BUILD)/asan/tests/index/test_damage -m slow

# As many on each trace, rounded up to 250, after each of which the view is compared with a fresh start.
PRESSED ?= 100000
keys:
	@$(MAKE) --no-print-directory -s -j$(JOBS) BUILD=$(BUILD)/asan OPT="$(SANITIZE)" $(BUILD)/asan/wakepath
	@seed=$(or $(SEED),$$(date +%s)); set -- sample-traces/*/; echo "make keys PRESSED=$(PRESSED) SEED=$$seed"; \
		WAKEPATH=$(abspath $(BUILD)/asan/wakepath) TEST_SECONDS=0 RANDOM_SEED=$$seed RANDOM_VIEWS=250 \
		RANDOM_KEYS=$$((($(PRESSED) + 250 * $$# - 1) / (250 * $$#) * 250)) tests/tools/run_one tests/ui/random_keys.t

corpus: all
	perl tests/fuzz/make_corpus.pl $(abspath $(BUILD)/wakepath)

$(BUILD)/tests/bench/%: $(BUILD)/obj/tests/bench/%.o $(LIBS)
	@mkdir -p $(@D)
	$(call say,link)
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LIBS_ALL)

bench: all $(patsubst %.c,$(BUILD)/%,$(BENCH_SRC))
	BUILD=$(abspath $(BUILD)) perl tests/bench/bench.pl $(if $(FULL),--full)

screens: $(addprefix $(BUILD)/,wakepath tests/ui/test_keys tests/ui/test_state_look)
	WAKEPATH=$(abspath $(BUILD)/wakepath) REWRITE_SCREENS=1 prove --exec tests/tools/run_one tests/ui/screens.t $(filter $(BUILD)/tests/%,$^)

docs: $(BUILD)/tests/table/test_columns
	perl docs/fields.pl $< < docs/cli.md > $(BUILD)/cli.md
	cp $(BUILD)/cli.md docs/cli.md

pictures: all
	WAKEPATH=$(abspath $(BUILD)/wakepath) docs/pictures/make.sh

clean:
	rm -rf $(BUILD)

-include $(OBJS:.o=.d) $(TEST_OBJS:.o=.d) $(patsubst %.c,$(BUILD)/obj/%.d,$(BENCH_SRC) $(FUZZ_SRC))

.SECONDARY:
.DELETE_ON_ERROR:
.PHONY: all install uninstall deb run tests objects asan lint lint-changed form check check-all sweep built reach test prove prove-checked prove-fast tsan bench fuzz keys corpus screens docs pictures clean
