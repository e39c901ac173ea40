#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Every command on every sample trace, a trace.dat and a perf.data, in one of its formats by turns; every kind of latency and way to group; every
# option.  Other tests check the answers: this one runs every path once with the sanitizers (SANITIZED in the Makefile).  It uses everything that the
# program lists in its help.  Answers in formats for programs are read by a parser, those on odd traces in each of their formats.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Ftrace;
use Test::More;

my $scratch = $ENV{TMPDIR};
my $shared = $ENV{SHARED_TRACES} // '/none';
my @traces = (sort { $a cmp $b } grep { -d } glob "$ENV{SAMPLES}/*");
push @traces, grep { -e } "$shared/inputs/preempt/trace.dat", "$shared/inputs/pipeline/perf.data";
cmp_ok(scalar @traces, '>=', 12, 'traces');

# ---- all commands, their options, and the formats ----

my $help = wakepath('--help')->{out};
my @commands = grep { !/^(?:view|record|watch|index|verify|cut|export)$/ } $help =~ /^wakepath ([a-z]+) +[A-Z]\w*[ ,:]/mg;
cmp_ok(scalar @commands, '>=', 14, 'commands that answer');
my (%options, %formats);
for my $command (@commands, qw(view index verify cut export)) {
	my $text = wakepath($command, '--help')->{out};
	$options{$command} = { map { $_ => 0 } $text =~ /^  (?:-\w, )?(--[a-z-]+)/mg };
	delete $options{$command}{'--help'};
	my ($list) = $text =~ /--format=\S+ +(.*)/;
	$formats{$command} = [ map { s{ \(default\)}{}r } split /, | or /, $list ] if $list;
}
is(join(' ', grep { !$formats{$_} } @commands), '', 'each has formats');
my ($kinds) = wakepath('latency', $traces[0], '--kind', 'none-such')->{err} =~ /one of: (.*)/;
my ($groups) = wakepath('latency', $traces[0], '--kind', 'wakeup', '--by', 'none-such')->{err} =~ /one of (.*)/;
my @kinds = split /, /, $kinds // '';
my @groups = split /, /, $groups // '';
cmp_ok(scalar @kinds, '>=', 19, 'kinds of latency');
cmp_ok(scalar @groups, '>=', 10, 'groups of them');

# ---- asking ----

my $n = 0;
my @wrong;
# The errors in the text of an answer in FORMAT.
sub damage {
	my ($format, $text) = @_;
	return eval { perl_of($text); 1 } ? () : "no JSON: $@" if $format =~ /^(?:json|perfetto)$/;
	return if $format ne 'csv';
	my @lines = eval { lines_of($text) } or return "no CSV: $@";
	my @odd = grep { @$_ != @{$lines[0]} } @lines;
	return @odd ? 'lines of CSV with ' . @{$odd[0]} . " fields, the first has $#{$lines[0]} + 1" : ();
}

# An answer, or one line with the reason for none; a report of a sanitizer has more lines, a crash has none.
sub ask {
	my ($command, @args) = @_;
	$n++;
	$options{$command}{$_} = 1 for grep { exists $options{$command}{$_} } @args;
	my $r = wakepath($command, @args);
	my $said = length $r->{out} || grep { /^--(?:output|script|quiet)$/ } @args;
	my $none = $r->{status} == 1 || $r->{err} =~ /: choose another grouping/;
	my $ok = !$r->{signal} && ($r->{status} == 0 ? $said : $none && $r->{err} =~ /\A(?:wakepath: [^\n]+\n)+\z/);
	push @wrong, "@_: $r->{status} $r->{signal} " . substr $r->{err}, 0, 2000 if !$ok;
	my ($format) = "@args" =~ /--format (\w+)/;
	push @wrong, map { "@_: $_" } damage($format, $r->{out}) if $format && !$r->{status} && !grep { $_ eq '--output' } @args;
	return $r;
}

# Most of these must be answers.
my ($answered, $refused, $turn) = (0, 0, 0);
sub count { my ($r) = @_; $r->{status} ? $refused++ : $answered++; return $r }

# The thread that waited most often, in the form to type, and a window within TRACE.
sub about {
	my ($trace) = @_;
	my $info = json_of(wakepath('info', $trace, '--format', 'json'));
	my ($busy) = sort { $b->{wakeups} <=> $a->{wakeups} } grep { $_->{tid} } @{ json_of(wakepath('threads', $trace, '--format', 'json'))->{threads} };
	my $long = $info->{to} - $info->{from};
	return ("$busy->{host}/$busy->{tid}\@$busy->{first}", $info->{from} + int($long / 4), $info->{to} - int($long / 4));
}

my %needs = (
	states => sub { [ '--thread', $_[0] ] }, wakeups => sub { [ '--thread', $_[0] ] }, path => sub { [ '--thread', $_[0] ] }, why => sub { [ '--thread', $_[0] ] },
	sql => sub { [ 'SELECT "table", type, events FROM wakepath_tables' ] },
	latency => sub { [ '--kind', 'wakeup' ] }, compare => sub { [ '--set', "runs:$_[0]" ] },
);

# The items of LIST for trace number I: each gets two traces.
sub in_turn { my ($i, @list) = @_; return @list[grep { ($_ - $i) % @traces == 0 || ($_ - $i) % @traces == 5 } 0 .. $#list] }

for my $i (0 .. $#traces) {
	my $trace = $traces[$i];
	my ($name) = $trace =~ m{([^/]+/[^/]+)$};
	my ($thread, $from, $to) = about($trace);
	for my $command (grep { $_ ne 'fleet' || -d $trace } @commands) {	# fleet takes a folder, or a list of traces
		my @least = $needs{$command} ? @{ $needs{$command}->($thread) } : ();
		my @formats = @{ $formats{$command} };
		push @least, '--from', $from, '--to', $to if $i % 2 && exists $options{$command}{'--from'} && $command ne 'sync';
		count(ask($command, $trace, @least, '--format', $formats[($i + $turn++) % @formats]));
	}
	count(ask('latency', $trace, '--kind', $_, '--by', 'name', '--format', 'json')) for in_turn($i, @kinds);
	count(ask('latency', $trace, '--kind', 'syscall', '--by', $_, '--format', 'json')) for in_turn($i, @groups);
	is(join("\n", splice @wrong), '', "$name: every query has its answer, or one line with the reason");
}
cmp_ok($answered, '>', 3 * $refused, "$answered answers, $refused times none") or diag($n);

# ---- odd traces ----

# Two threads, a disk and calls, all called NAME, of which the tracer keeps 16 bytes; LONG: the name of a file.  UNKNOWN: events without formats.
sub odd_trace {
	my ($file, $name, $long, @unknown) = @_;
	my $switch = [ [ char => 'prev_comm[16]' ], [ pid_t => 'prev_pid' ], [ int => 'prev_prio' ], [ long => 'prev_state' ], [ char => 'next_comm[16]' ], [ pid_t => 'next_pid' ], [ int => 'next_prio' ] ];
	my $rq = [ [ dev_t => 'dev' ], [ sector_t => 'sector' ], [ 'unsigned int' => 'nr_sector' ], [ 'unsigned int' => 'bytes' ], [ char => 'rwbs[10]' ], [ char => 'comm[16]' ] ];
	my $states = '"%s", (REC->prev_state & 0xff) ? __print_flags(REC->prev_state & 0xff, "|", { 0x00000001, "S" }, { 0x00000002, "D" }) : "R"';
	my @formats = ([ sched => 'sched_switch', $switch, $states ], [ sched => 'sched_waking', [ [ char => 'comm[16]' ], [ pid_t => 'pid' ], [ int => 'prio' ], [ int => 'target_cpu' ] ] ],
		[ sched => 'sched_process_exec', [ [ '__data_loc char[]' => 'filename' ], [ pid_t => 'pid' ], [ pid_t => 'old_pid' ] ] ],
		[ irq => 'irq_handler_entry', [ [ int => 'irq' ], [ '__data_loc char[]' => 'name' ] ] ], [ irq => 'irq_handler_exit', [ [ int => 'irq' ], [ int => 'ret' ] ] ],
		(map { [ irq => $_, [ [ 'unsigned int' => 'vec' ] ] ] } qw(softirq_raise softirq_entry softirq_exit)), (map { [ block => $_, $rq ] } qw(block_rq_issue block_rq_insert)),
		[ block => 'block_rq_complete', [ [ dev_t => 'dev' ], [ sector_t => 'sector' ], [ 'unsigned int' => 'nr_sector' ], [ int => 'error' ], [ char => 'rwbs[10]' ] ] ],
		[ raw_syscalls => 'sys_enter', [ [ long => 'id' ], [ 'unsigned long' => 'args[6]' ] ] ], [ raw_syscalls => 'sys_exit', [ [ long => 'id' ], [ long => 'ret' ] ] ],
		[ own => 'bare', [] ], [ own => 'told', [ [ '__data_loc char[]' => 'text' ] ] ]);
	my ($now, @events) = (1_000_000);
	my $at = sub { my ($cpu, $event, $pid, @fields) = @_; push @events, [ $now += 1000, $cpu, $event, $pid, 0, @fields ] };
	my $to = sub { my ($from, $state, $next) = @_; $at->(0, 'sched_switch', $from, prev_comm => $from ? $name : 'swapper/0', prev_pid => $from, prev_state => $state, next_comm => $next ? $name : 'swapper/0', next_pid => $next) };
	my @request = (dev => 8 << 20, sector => 800, nr_sector => 8, rwbs => substr($name, 0, 3), comm => $name);
	for (1 .. 3) {
		$to->(0, 0, 10);
		$at->(0, $_, 10, filename => $long, pid => 10, old_pid => 10, text => $long) for qw(sched_process_exec bare told);
		$at->(0, 'sys_enter', 10, id => 0, args => [ 1 ]);
		$at->(0, $_, 10, @request, bytes => 4096) for qw(block_rq_insert block_rq_issue);
		$to->(10, 2, 0);
		$at->(0, 'irq_handler_entry', 0, irq => 28, name => $name);
		$at->(0, 'softirq_raise', 0, vec => 4);
		$at->(0, 'irq_handler_exit', 0, irq => 28, ret => 1);
		$at->(0, 'softirq_entry', 0, vec => 4);
		$at->(0, 'block_rq_complete', 0, @request, error => 0);
		$at->(0, 'sched_waking', 0, comm => $name, pid => 10, prio => 120);
		$at->(0, 'softirq_exit', 0, vec => 4);
		$to->(0, 0, 10);
		$at->(0, 'sys_exit', 10, id => 0, ret => 0);
		$at->(0, 'sched_waking', 10, comm => $name, pid => 11, prio => 120);
		$to->(10, 1, 11);
		$at->(0, 'sched_waking', 11, comm => $name, pid => 10, prio => 120);
		$to->(11, 1, 0);
	}
	my $bytes = trace_dat(formats => \@formats, events => \@events, cpus => 1);
	# Renumber an event: those recorded under its own number become unknown.
	for my $event (@unknown) { $bytes =~ s/(name: \Q$event\E\nID: )\d{3}/${1}999/ or die }
	spew($file, $bytes);
	return $file;
}

mkdir "$scratch/odd";
my $long = join '', map { chr } grep { $_ } 1 .. 255;
my %odd = (
	unknown => [ 'plain', '/bin/plain', qw(softirq_raise bare told irq_handler_exit) ],
	nameless => [ '', '' ],
	quotes => [ q("},\\'`<&>;=), qq(",\r\n\t"\\u0041;\\x{}) ],
	controls => [ "\e[31m\a\x7f\x01\x80\x9b", "\e]0;\a" . $long ],
	'no UTF-8' => [ "\xff\xc3(\xed\xa0\x80\xf5\xc0\x80", "\xed\xa0\x80\xed\xb0\x80\xfe" ],
	wide => [ "\xe2\x80\xae\xe2\x80\x8bx\xf0\x9f\x92\xa9", "\xe2\x80\xa8\xef\xbb\xbf" . 'x' x 3000 ],
);
my @odd = map { odd_trace("$scratch/odd/$_->[0].dat", @{$odd{$_->[1]}}) } [ 'unknown', 'unknown' ], [ 'nameless', 'nameless' ], [ "quote\"d\\\n,", 'quotes' ], [ "con\e\x01trols", 'controls' ], [ "\xff\xed\xa0\x80", 'no UTF-8' ], [ 'wide', 'wide' ];
# A file of one event alone, of unknown format.
push @odd, "$scratch/odd/empty.dat";
spew($odd[-1], trace_dat(formats => [ [ own => 'bare', [] ] ], events => [ [ 1_000_000, 0, 'bare', 7, 0 ] ], cpus => 1) =~ s/(name: bare\nID: )\d{3}/${1}999/r);
my %shown;	# events by their fields
for my $i (0 .. $#odd) {
	my $trace = $odd[$i];
	my ($thread) = map { "$_->{host}/$_->{tid}\@$_->{first}" } grep { $_->{tid} } @{ json_of(wakepath('threads', $trace, '--format', 'json'))->{threads} };
	for my $command (grep { $_ ne 'fleet' } @commands) {	# which takes a folder or a list
		my @least = $needs{$command} ? @{ $needs{$command}->($thread // 'none') } : ();
		push @least, '--top', 0 if $command eq 'events';
		ask($command, $trace, @least, '--format', $_) for grep { /^(?:json|csv|perfetto|markdown)$/ } @{ $formats{$command} };
	}
	ask('latency', $trace, '--kind', $_, '--format', 'json') for in_turn($i, @kinds);
	ask('states', $trace, @$_, '--format', 'json') for [ '--cpu', 0 ], [ '--irq', 28 ], [ '--device', '8:0' ];
	ask('info', $trace, '--top', '--format', 'json');
	ask('export', $trace, '--format', $_, '--output', "$scratch/odd.$i.$_") for qw(sqlite parquet);
	$shown{ ref $_->{fields} || $_->{fields} // 'unknown' }++ for @{ json_of(wakepath('events', $trace, '--top', 0, '--format', 'json'))->{events} };
	is(join("\n", splice @wrong), '', ($trace =~ s{.*/}{}sr =~ s/[^ -~]/?/gr) . ': every answer can be read, or one line says why there is none');
}
cmp_ok($shown{''}, '>', 10, 'events without fields were asked for');

# ---- every option once, on a trace that has data for it ----

my ($lock, $rpc, $vm, $stacks) = map { sample($_) } qw(lockfight rpc-chain vm-preempt offcpu-stacks);
my ($thread, $from, $to) = about($lock);
my @window = ('--from', $from, '--to', $to);
my @common = ('--index-dir', "$scratch/elsewhere", '--jobs', 1, '--sync', 'none');
my @declared = ('--spans', "$scratch/spans");
my $rules = "$scratch/rules";
spew($rules, "[held]\nentry = sched_waking\nexit = sched_switch\nkey = tid, next_tid\n");
spew("$scratch/spans", "[span woken]\nbegin = sched_waking\nend = sched_switch\nkey = tid = next_tid\n");
spew("$scratch/script", "j\nl\nEnter\nq\n");
spew("$scratch/query", "SELECT count(*) FROM wakeup WHERE utid = \$utid AND ts >= \$from AND ts < \$to AND cpu = \$cpu;\n");
spew("$scratch/hosts", "one $lock\ntwo $vm/host\n");
my @one = (
	(map { [ $_, $lock, $needs{$_} ? @{ $needs{$_}->($thread) } : (), $options{$_}{'--spans'} // 1 ? () : @declared, @common, '--format', 'text', '--output', "$scratch/out.$_" ] } grep { $_ ne 'flow' } @commands),
	[ 'flow', $lock, @common, @declared, @window, '--hide-tracer', '--format', 'svg', '--output', "$scratch/flow.svg" ], [ 'flow', $rpc, '--host', 'httpd', '--show-tracer', '--format', 'perfetto' ],
	[ 'info', $lock, '--top', '--bookmarks', '--hide-tracer' ], [ 'info', $lock, '--show-tracer' ],
	[ 'threads', $lock, '--hide-tracer' ], [ 'threads', $lock, '--show-tracer' ],
	[ 'states', $lock, '--cpu', 0, @window ], [ 'states', sample('ioburst-ipi'), '--device', 'vdb' ], [ 'states', sample('ioburst-ipi'), '--irq', 26 ], [ 'states', $vm, '--vcpu', 'host/CPU 0/KVM' ],
	[ 'wakeups', $vm, '--vcpu', 'host/CPU 0/KVM', ], [ 'wakeups', $lock, '--thread', $thread, @window ],
	[ 'why', $lock, '--thread', $thread, '--at', $from ], [ 'why', $stacks, '--thread', 'wk-ioburst', '--from', '+1ms', '--to', '-1ms', '--kallsyms', "$stacks/kallsyms.txt", '--symfs', $scratch ],
	[ 'why', $lock, '--thread', $thread, '--story' ],
	[ 'spans', $lock, @declared, '--name', 'woken', '--thread', $thread, @window, '--hide-tracer' ], [ 'spans', $lock, @declared, '--show-tracer' ],
	[ 'requests', $rpc, '--thread', 'client/wk-client', '--from', '+1ms' ], [ 'requests', $rpc, '--host', 'httpd', '--to', '-1ms', '--top', 3 ],
	[ 'causes', $lock, '--thread', $thread, @window, '--top', 3, '--by', 'thread', '--user-threads', '--hide-tracer' ], [ 'causes', $stacks, '--kallsyms', "$stacks/kallsyms.txt" ], [ 'causes', $lock, '--show-tracer', '--against', $lock, '--against-from', $from, '--against-to', $to ],
	[ 'latency', $lock, '--kind', 'wakeup', '--thread', $thread, @window, '--threshold', '1us', '--histogram', '--linear', '--unfinished', '--top', 3, '--hide-tracer' ],
	[ 'latency', $lock, '--rules', $rules, '--show-tracer' ], [ 'latency', $stacks, '--kind', 'blocked', '--kallsyms', "$stacks/kallsyms.txt" ], [ 'latency', $lock, '--kind', 'wakeup', '--fail-over', '100s' ],
	[ 'latency', $lock, '--kind', 'wakeup', '--against', $lock, '--against-from', $from, '--against-to', $to ],
	[ 'compare', $lock, '--set', 'runs:wk-fighter-0', @window, '--slow', 'top 20%', '--group', 'name', '--top', 3 ], [ 'compare', $rpc, '--set', 'requests', '--group', 'structure', '--at', 'p90' ],
	[ 'compare', $rpc, '--set', 'requests', '--against', $rpc, '--fail-over', '50%' ],
	[ 'stacks', $stacks, '--thread', 'wk-ioburst', '--of', 'sleeper', '--kallsyms', "$stacks/kallsyms.txt", '--symfs', $scratch, '--from', '+1ms', '--to', '-1ms', '--top', 0, '--hide-tracer' ], [ 'stacks', $stacks, '--of', 'waker', '--show-tracer' ], [ 'stacks', $stacks, '--on-cpu' ],
	[ 'machines', $vm, '--from', '+1ms', '--to', '-1ms', '--top', 3 ],
	[ 'events', $lock, '--thread', $thread, @window, '--cpu', 0, '--name', 'sched_*', '--match', 'tid', '--top', 5 ], [ 'events', $lock, '--at', '#100' ],
	[ 'sql', $lock, '--file', "$scratch/query", '--rules', $rules, '--thread', $thread, '--cpu', 0, @window, '--kallsyms', "$stacks/kallsyms.txt" ],
	[ 'export', $lock, '--format', 'sqlite', '--output', "$scratch/tables.db", '--tables', 'thread', '--rules', "$ENV{TOP}/docs/latency.rules", @declared, @common, '--kallsyms', "$stacks/kallsyms.txt" ],
	[ 'sync', $rpc, '--residuals', '--columns', 5, '--from', '+1ms', '--to', '-1ms', '--hide-tracer' ], [ 'sync', $rpc, '--residuals', '--show-tracer' ],
	[ 'index', $lock, '--force', '--reader', 'babeltrace2', '--index-dir', "$scratch/elsewhere", '--jobs', 2 ], [ 'index', $lock, '--force', '--quiet' ],
	[ 'index', $lock, '--summary', '--quiet' ], [ 'index', $lock, '--summary-as', "$scratch/one.wpm", '--host', 'other', '--quiet' ],
	[ 'fleet', "$scratch/hosts", 'latency', '--kind', 'wakeup', '--top', 3, '--force', '--quiet' ], [ 'sql', '--fleet', "$scratch/hosts", 'SELECT count(*) FROM wakeup' ],
	[ 'fleet', 'submit', '--slurm', "$scratch/hosts", '--dry-run', '--anywhere' ], [ 'fleet', 'submit', '--parallel', "$scratch/hosts", '--dry-run' ],
	[ 'verify', $lock, '--index-dir', "$scratch/elsewhere", '--jobs', 1 ],
	[ 'cut', $lock, @window, @declared, '--output', "$scratch/cut", '--anonymous', '--thread', $thread, '--index-dir', "$scratch/elsewhere", '--jobs', 1 ],
	[ 'view', '--print-config' ],
	[ 'view', $lock, @common, @declared, '--script', "$scratch/script", '--ascii', '--fresh', '--theme', 'light', '--goto', '#50', '--thread', $thread, '--hide-tracer', '--rules', $rules, '--config', '/dev/null', '--command', '/dev/null' ],
	[ 'view', $stacks, '--script', "$scratch/script", @window[0, 1], '--to', $to, '--kallsyms', "$stacks/kallsyms.txt", '--symfs', $scratch, '--show-tracer' ],
);
ask(@$_) for @one;
is(join("\n", splice @wrong), '', 'every option');

# Options for a growing recording, another terminal's clipboard and a stored view are tested elsewhere: follow.t, stories and copy.t of tests/ui.
my %elsewhere = map { $_ => 1 } 'view --follow', 'view --copy', 'view --view', 'index --follow', 'index --idle';
for my $command (sort keys %options) {
	my @never = grep { !$options{$command}{$_} && !$elsewhere{"$command $_"} } sort keys %{ $options{$command} };
	is("@never", '', "every option of $command was asked for");
}
done_testing;
