# SPDX-License-Identifier: MIT
#
# make            build/wakepath, optimised
# make install    the program, its manual pages and completions, below $(DESTDIR)$(PREFIX)
# make deb        a Debian package, build/wakepath_VERSION_ARCHITECTURE.deb
# make dist       the source as build/wakepath-VERSION.tar.gz; it builds without git
# make run        install missing packages, build, open the explorer on a sample trace
# make check      install missing packages, build with the sanitizers, run the tests that find faults quickest: at most 8 minutes
# make check-all  check, with all builds, all tests and all proofs
# make sweep      check-all, with the sanitizers in every script and all proofs derived anew from raw events: for releases
# make test       build and run all tests except the long sweeps, optimised
# make tests      build the programs that the tests need, install nothing
# make asan       make tests with the sanitizers, below build/asan, as make check does
# make lint       check the form of all C, and run clang-tidy on changed files
# make screens    rewrite the expected screens of the tests, docs/keys.md and the signs of docs/cells.md
# make docs       rewrite the fields of docs/cli.md from the columns of src/table
# make pictures   rewrite the pictures of the documentation and the story to play (needs tmux)
# make bench      measure the index (docs/performance.md); FULL=1 also a trace of 99 million events
# make fuzz       run each fuzz target for FUZZ_SECONDS (600), and damage each chunk of an index ten thousand times
# make corpus     rewrite the first inputs of the fuzz targets
# make keys       press PRESSED random keys (100000) on the sample traces, with the sanitizers; SEED repeats a run
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
# A pane is a folder below src/ui/pane or, if small, a file there.  Each trace format may use those before it.
PANES := $(patsubst src/%/,%,$(sort $(wildcard src/ui/pane/*/)))
FORMATS := trace/core trace/meta trace/tsdl trace/ctf2 trace/ctf trace/bt2 trace/tracefs trace/ftrace trace/perf trace/perfetto trace/text
ANALYSIS := $(addprefix analysis/,kind cpu wait path stacks account request latency causes compare overview watched)
INDEX := $(addprefix index/,file tree table pairs spans verify)
QUERY := $(addprefix query/,host events symbols clock cases) query
MODEL := $(addprefix model/,event kernel core cause block net timer work guest sched power span) model
PARTS := base picture parquet watch $(MODEL) sync $(FORMATS) trace live $(INDEX) ingest $(QUERY) $(ANALYSIS) fleet table sql export ui/term ui/core ui/widget $(PANES) ui/pane record app

WARN := -Wall -Wextra -Werror -Wstrict-prototypes -Wmissing-prototypes -Wshadow -Wpointer-arith -Wwrite-strings -Wundef -Wvla
OPT ?= -O2 -g
# gcc optimises the code that builds and reads an index across files, in the program only: 10 % less time, for a link of some seconds.
# "make LTO=" turns that off.  clang would need another linker for it.
ACROSS := base $(MODEL) $(FORMATS) trace $(INDEX) ingest $(QUERY) $(ANALYSIS)
ifeq ($(notdir $(CC)) $(OPT),gcc -O2 -g)
LTO ?= -O3 -flto=auto -ffat-lto-objects
endif
# With the sanitizers gcc wrongly reports uninitialised variables.  Reports need lines, not variables: -g1.  Undefined behaviour traps, and
# AddressSanitizer reports the place (handle_sigill, tests/tools/run_one).  Messages would be 7 MB of data that LeakSanitizer scans at the
# end of each of thousands of runs; -fno-sanitize-recover=undefined instead of the trap brings them back.
SANITIZE := -O1 -g1 -Wno-maybe-uninitialized -fno-omit-frame-pointer -fsanitize=address,undefined -fsanitize-undefined-trap-on-error
CPPFLAGS_ALL := -D_GNU_SOURCE -DG_LOG_DOMAIN='"wakepath"' -Isrc -I$(BUILD)/gen $(shell pkg-config --cflags $(PKGS) 2>/dev/null) $(CPPFLAGS)
CFLAGS_ALL := -std=c11 $(WARN) $(OPT) $(CFLAGS)
# Other libraries are loaded when they are needed (base_library.h).
LIBS_ALL := $(shell pkg-config --libs $(filter-out cairo,$(PKGS)) 2>/dev/null) -lm

# Not in TEST_SHARED: each of these is linked or loaded only where a rule names it.
TEST_TOOLS := tests/tools/asan.c tests/tools/faults.c tests/tools/starter.c tests/tools/tsan_glib.c tests/tools/tests_all.c
ifneq ($(findstring -fsanitize=address,$(OPT)),)
KEEP_OBJ := $(BUILD)/obj/tests/tools/asan.o
LDFLAGS += -Wl,--export-dynamic-symbol=dlclose
# Tests start the program thousands of times, and code at a fixed address needs no relocation.  clang's runtimes are static anyway.
LDFLAGS += -no-pie $(if $(findstring clang,$(CC)),,-static-libasan -static-libubsan)
endif
ifneq ($(findstring -fsanitize=thread,$(OPT)),)
KEEP_OBJ := $(BUILD)/obj/tests/tools/tsan_glib.o
endif

# All objects below $(BUILD) have the same flags; when the flags change, all are built again.  BUILT=1, for tests that install, takes the
# objects as they are.
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

# Libraries that run the program for scripts and make its system calls fail.  For every build, without sanitizers, because they are loaded
# before the sanitizers' libraries.
PRELOADED := $(BUILD)/tests/starter.so $(BUILD)/tests/faults.so

# Themes and keys are text files that become part of the program (ui_config.h).
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

# There are a hundred programs to link, and gold takes half of the time of ld.
GOLD := $(if $(shell command -v ld.gold 2>/dev/null),-fuse-ld=gold)
ifeq ($(TOGETHER),)
$(BUILD)/tests/%: $(BUILD)/obj/tests/%.o $(patsubst %.c,$(BUILD)/obj/%.o,$(TEST_SHARED)) $(KEEP_OBJ) $(LIBS)
	@mkdir -p $(@D)
	@rm -f $@
	$(call say,link)
	$(Q)$(CC) $(CFLAGS_ALL) -fno-lto $(LDFLAGS) $(GOLD) -o $@ $^ $(LIBS_ALL)
else
# TOGETHER: all test programs are one, tests/all, which links as fast as one of them; their names are links to it.
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

# tests.list changes when a test is added or removed.
ifneq ($(TEST_SRC),$(strip $(file <$(BUILD)/tests.list)))
$(file >$(BUILD)/tests.list,$(TEST_SRC))
endif
$(BUILD)/gen/tests_all.h: $(BUILD)/tests.list
	@mkdir -p $(@D)
	@for t in $(TEST_SRC:tests/%.c=%); do echo "TEST($${t%/*}, $${t#*/})"; done > $@

$(BUILD)/obj/tests/tools/tests_all.o: $(BUILD)/gen/tests_all.h
endif

# Turns each line of a file into a C string.
builtin = echo "const struct ui_builtin $(1)[] = {"; for f in $(2); do echo "{ \"$$(basename $$f)\","; sed 's/[\\"]/\\&/g; s/.*/"&\\n"/' $$f; echo '},'; done; echo '{ 0, 0 } };'
$(BUILD)/gen/ui_builtin.c: $(THEMES) $(KEYS) Makefile
	@mkdir -p $(@D)
	@{ echo '#include "ui/core/ui_config.h"'; $(call builtin,ui_builtin_themes,$(THEMES)); $(call builtin,ui_builtin_keys,$(KEYS)); } > $@

$(BUILD)/obj/gen/ui_builtin.o: $(BUILD)/gen/ui_builtin.c $(BUILD)/flags
	@mkdir -p $(@D)
	$(call say,cc)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<

# Manual pages come from the documentation, completions from the program's own help.
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

# With large pages clang takes a seventh less time.
LARGE_PAGES := GLIBC_TUNABLES=glibc.malloc.hugetlb=1

# One build, with the sanitizers: all test programs, the scripts for behaviour that no change intends, the scripts that the change can
# affect (tests/tools/reach), and lint of the changed files.  Two more tests than cores run at once, because many wait.
ALWAYS := $(addprefix tests/,ui/screens.t tools/layering.t tools/docs.t app/usage.t app/questions.t) $(wildcard tests/oracle/*_made.t)
CHANGED = $(shell tests/tools/reach changed)
CHECKED = $(sort $(ALWAYS) $(filter-out $(SLOW),$(shell tests/tools/reach affected 30 $(CHANGED))))
CHECK_BUILD = $(MAKE) --no-print-directory -s BUILD=$(BUILD)/asan OPT="$(SANITIZE)" TOGETHER=1
check:
	@tests/tools/packages.sh check
	@$(CHECK_BUILD) -j$(JOBS) tests lint-changed
	@$(CHECK_BUILD) JOBS=$$(($(JOBS) + 2)) prove-checked

# Everything: optimised and with the sanitizers by gcc, and all warnings by clang, for src those of clang-tidy.
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

# Update the map of the sources that each script reaches, for scripts without an entry or newer than it.  "make check" uses the map, if any.
COVERAGE := -O1 -g0 --coverage -fprofile-update=atomic
reach:
	@$(MAKE) --no-print-directory -s -j$(JOBS) BUILD=$(BUILD)/reach OPT="$(COVERAGE)" all $(BUILD)/reach/tests/starter.so
	@echo $(filter-out $(SLOW) tests/tools/% tests/recipes/% tests/fuzz/%,$(TEST_SCRIPTS)) | tr ' ' '\n' | \
		WAKEPATH=$(abspath $(BUILD)/reach/wakepath) BUILD=$(abspath $(BUILD)/reach) xargs -P $(JOBS) -n 1 tests/tools/reach make || :

# A stamp for each file, as new as its object, because it depends on the same headers.  One call for several files would be faster, but the
# analyzer then keeps its state of va_list from one file to the next and reports faults that are none.  ccache, if installed, keeps stamps as
# it keeps objects: by the exact text of the file, all that it includes, .clang-tidy, and clang-tidy itself.
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
# The longest first, and those that mostly wait, so that no core idles at the end; programs are the shortest.
LONG := $(sort $(wildcard tests/oracle/each_*.t))
LONG := $(LONG) $(call reverse,$(filter-out $(LONG),$(filter tests/oracle/%,$(TEST_SCRIPTS))))
WAITING := tests/recipes/recipes.t tests/record/record.t tests/ui/terminal.t tests/ui/every_key.t tests/app/questions.t tests/app/changing.t tests/app/huge-metadata.t
# Programs that compare every event of every trace: the sample traces with the sanitizers; the sample traces and the shared traces optimised.
WIDE := $(addprefix tests/,trace/test_page trace/test_reader trace/test_net analysis/test_account analysis/test_path_rules)

# A start with the sanitizers takes five times as long, and most scripts have thousands.  So scripts run optimised, except those that reach
# code that nothing else reaches; every test_* program has the sanitizers.
SANITIZED := $(addprefix tests/, \
	app/questions.t \
	$(addprefix app/,bad-traces.t changing.t far-times.t hostile.t huge-metadata.t stray-times.t no-switch.t) \
	$(addprefix app/,accounts_made.t ftrace_made.t limits.t perf.t perf_data.t perf_made.t perfetto.t stacks_made.t) \
	$(addprefix oracle/,border_made.t guests_odd.t) $(addprefix app/,rules.t sync_file.t usage.t verified.t) ui/start.t \
	$(addprefix app/,follow.t full-disk.t interrupt.t live.t) ui/odd_terminals.t ui/overwritten.t ui/signals.t ui/random_keys.t record/clients.t)
# By line of SANITIZED: every command, format, kind and option on every kind of trace; damaged, hostile and changing traces; made traces with
# everything that a format allows; impossible guests and packets, and files that people write; traces that end early, grow, fill the disk or
# come over the network, and keys, terminals and tracers that misbehave.

# Not in "make check": scripts that need the optimised program because they measure or limit its memory or drop rights, that build recipes,
# or that take minutes with the sanitizers.
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

# The long sweeps, for make check-all only: whole traces counted by other means, floods of packets, all examples, fuzzing, building recipes.
# make test runs all other tests.
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

# Programs with libFuzzer, which comes with clang: tests/fuzz/fuzz.sh runs them, tests/fuzz/fuzz.t briefly.
FUZZ_SECONDS ?= 600
FUZZ_SANITIZE := -O1 -g1 -fno-omit-frame-pointer -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
FUZZ_PROGRAMS := $(patsubst %.c,$(BUILD)/fuzz/%,$(FUZZ_SRC))
BUILD_FUZZERS = $(LARGE_PAGES) $(MAKE) --no-print-directory -s -j$(JOBS) BUILD=$(BUILD)/fuzz CC=clang OPT="$(FUZZ_SANITIZE)" $(FUZZ_PROGRAMS)

# Fuzz targets for code that reads or writes hostile data; the explorer's code is left out.
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

# Each trace gets an equal number of keys, rounded up to a multiple of 250; after each 250 the view is compared with a fresh start.
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
