#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Every command on every sample trace, a trace.dat and a perf.data, in one of its formats, so that each has its turn; every kind of latency and way to
# group; every option.  What the answers are other tests know: this one has the sanitizers go all ways once (SANITIZED in the Makefile).  All
# that the program lists in its help is asked for.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my $scratch = $ENV{TMPDIR};
my $shared = $ENV{SHARED_TRACES} // '/none';
my @traces = (sort { $a cmp $b } grep { -d } glob "$ENV{SAMPLES}/*");
push @traces, grep { -e } "$shared/inputs/preempt/trace.dat", "$shared/inputs/pipeline/perf.data";
cmp_ok(scalar @traces, '>=', 12, 'traces');

# ---- what there is: commands, their options, and the formats ----

my $help = wakepath('--help')->{out};
my @commands = grep { !/^(?:view|record|index|verify)$/ } $help =~ /^wakepath ([a-z]+) +[A-Z]\w*[ ,:]/mg;
cmp_ok(scalar @commands, '>=', 14, 'commands that answer');
my (%options, %formats);
for my $command (@commands, qw(view index verify)) {
	my $text = wakepath($command, '--help')->{out};
	$options{$command} = { map { $_ => 0 } $text =~ /^  (?:-\w, )?(--[a-z-]+)/mg };
	delete $options{$command}{'--help'};
	my ($list) = $text =~ /--format=\S+ +(.*)/;
	$formats{$command} = [ map { s{ \(default\)}{}r } split /, | or /, $list ] if $list;
}
is(join(' ', grep { !$formats{$_} } @commands), '', 'each has formats');
my ($kinds) = wakepath('latency', $traces[0])->{err} =~ /one of: (.*)/;
my ($groups) = wakepath('latency', $traces[0], '--kind', 'wakeup', '--by', 'none-such')->{err} =~ /one of (.*)/;
my @kinds = split /, /, $kinds // '';
my @groups = split /, /, $groups // '';
cmp_ok(scalar @kinds, '>=', 19, 'kinds of latency');
cmp_ok(scalar @groups, '>=', 10, 'groups of them');

# ---- asking ----

my $n = 0;
my @wrong;
# An answer, or one line that says why there is none; a report of a sanitizer has more, as has a crash none.
sub ask {
	my ($command, @args) = @_;
	$n++;
	$options{$command}{$_} = 1 for grep { exists $options{$command}{$_} } @args;
	my $r = wakepath($command, @args);
	my $said = length $r->{out} || grep { /^--(?:output|script|quiet)$/ } @args;
	my $none = $r->{status} == 1 || $r->{err} =~ /: group them by another/;
	my $ok = !$r->{signal} && ($r->{status} == 0 ? $said : $none && $r->{err} =~ /\A(?:wakepath: [^\n]+\n)+\z/);
	push @wrong, "@_: $r->{status} $r->{signal} " . substr $r->{err}, 0, 2000 if !$ok;
	return $r;
}

# Most of these must be answers.
my ($answered, $refused, $turn) = (0, 0, 0);
sub count { my ($r) = @_; $r->{status} ? $refused++ : $answered++; return $r }

# The thread that waited most often, as it is to be typed, and a window within TRACE.
sub about {
	my ($trace) = @_;
	my $info = json_of(wakepath('info', $trace, '--format', 'json'));
	my ($busy) = sort { $b->{wakeups} <=> $a->{wakeups} } grep { $_->{tid} } @{ json_of(wakepath('threads', $trace, '--format', 'json'))->{threads} };
	my $long = $info->{to} - $info->{from};
	return ("$busy->{host}/$busy->{tid}\@$busy->{first}", $info->{from} + int($long / 4), $info->{to} - int($long / 4));
}

my %needs = (
	states => sub { [ '--thread', $_[0] ] }, wakeups => sub { [ '--thread', $_[0] ] }, path => sub { [ '--thread', $_[0] ] }, why => sub { [ '--thread', $_[0] ] },
	latency => sub { [ '--kind', 'wakeup' ] }, compare => sub { [ '--set', "runs:$_[0]" ] },
);

# Of LIST those whose turn it is on trace number I: each twice.
sub in_turn { my ($i, @list) = @_; return @list[grep { ($_ - $i) % @traces == 0 || ($_ - $i) % @traces == 5 } 0 .. $#list] }

for my $i (0 .. $#traces) {
	my $trace = $traces[$i];
	my ($name) = $trace =~ m{([^/]+/[^/]+)$};
	my ($thread, $from, $to) = about($trace);
	for my $command (@commands) {
		my @least = $needs{$command} ? @{ $needs{$command}->($thread) } : ();
		my @formats = @{ $formats{$command} };
		push @least, '--from', $from, '--to', $to if $i % 2 && exists $options{$command}{'--from'} && $command ne 'sync';
		count(ask($command, $trace, @least, '--format', $formats[($i + $turn++) % @formats]));
	}
	count(ask('latency', $trace, '--kind', $_, '--by', 'name', '--format', 'json')) for in_turn($i, @kinds);
	count(ask('latency', $trace, '--kind', 'syscall', '--by', $_, '--format', 'json')) for in_turn($i, @groups);
	is(join("\n", splice @wrong), '', "$name: every question has its answer, or one line says why not");
}
cmp_ok($answered, '>', 3 * $refused, "$answered answers, $refused times none") or diag($n);

# ---- every option once, where there is something for it ----

my ($lock, $rpc, $vm, $stacks) = map { sample($_) } qw(lockfight rpc-chain vm-preempt offcpu-stacks);
my ($thread, $from, $to) = about($lock);
my @window = ('--from', $from, '--to', $to);
my @common = ('--index-dir', "$scratch/elsewhere", '--jobs', 1, '--sync', 'none');
my $rules = "$scratch/rules";
spew($rules, "[held]\nentry = sched_waking\nexit = sched_switch\nkey = tid, next_tid\n");
spew("$scratch/script", "j\nl\nEnter\nq\n");
my @one = (
	(map { [ $_, $lock, $needs{$_} ? @{ $needs{$_}->($thread) } : (), @common, '--format', 'text', '--output', "$scratch/out.$_" ] } grep { $_ ne 'flow' } @commands),
	[ 'flow', $lock, @common, @window, '--hide-tracer', '--format', 'svg', '--output', "$scratch/flow.svg" ], [ 'flow', $rpc, '--host', 'httpd', '--show-tracer', '--format', 'perfetto' ],
	[ 'info', $lock, '--top', '--bookmarks', '--hide-tracer' ], [ 'info', $lock, '--show-tracer' ],
	[ 'threads', $lock, '--hide-tracer' ], [ 'threads', $lock, '--show-tracer' ],
	[ 'states', $lock, '--cpu', 0, @window ], [ 'states', sample('ioburst-ipi'), '--device', 'vdb' ], [ 'states', sample('ioburst-ipi'), '--irq', 26 ], [ 'states', $vm, '--vcpu', 'host/CPU 0/KVM' ],
	[ 'wakeups', $vm, '--vcpu', 'host/CPU 0/KVM', ], [ 'wakeups', $lock, '--thread', $thread, @window ],
	[ 'why', $lock, '--thread', $thread, '--at', $from ], [ 'why', $stacks, '--thread', 'wk-ioburst', '--from', '+1ms', '--to', '-1ms', '--kallsyms', "$stacks/kallsyms.txt", '--symfs', $scratch ],
	[ 'requests', $rpc, '--thread', 'client/wk-client', '--from', '+1ms' ], [ 'requests', $rpc, '--host', 'httpd', '--to', '-1ms' ],
	[ 'causes', $lock, '--thread', $thread, @window, '--top', 3, '--by', 'thread', '--user-threads', '--hide-tracer' ], [ 'causes', $lock, '--show-tracer', '--against', $lock, '--against-from', $from, '--against-to', $to ],
	[ 'latency', $lock, '--kind', 'wakeup', '--thread', $thread, @window, '--threshold', '1us', '--histogram', '--linear', '--unfinished', '--top', 3, '--hide-tracer' ],
	[ 'latency', $lock, '--rules', $rules, '--show-tracer' ], [ 'latency', $lock, '--kind', 'wakeup', '--fail-over', '100s' ],
	[ 'latency', $lock, '--kind', 'wakeup', '--against', $lock, '--against-from', $from, '--against-to', $to ],
	[ 'compare', $lock, '--set', 'runs:wk-fighter-0', @window, '--slow', 'top 20%', '--group', 'name', '--top', 3 ], [ 'compare', $rpc, '--set', 'requests', '--group', 'structure', '--at', 'p90' ],
	[ 'compare', $rpc, '--set', 'requests', '--against', $rpc, '--fail-over', '50%' ],
	[ 'stacks', $stacks, '--thread', 'wk-ioburst', '--of', 'sleeper', '--kallsyms', "$stacks/kallsyms.txt", '--symfs', $scratch, '--from', '+1ms', '--to', '-1ms', '--top', 0, '--hide-tracer' ], [ 'stacks', $stacks, '--of', 'waker', '--show-tracer' ],
	[ 'machines', $vm, '--from', '+1ms', '--to', '-1ms', '--top', 3 ],
	[ 'events', $lock, '--thread', $thread, @window, '--cpu', 0, '--name', 'sched_*', '--match', 'tid', '--top', 5 ], [ 'events', $lock, '--at', '#100' ],
	[ 'sync', $rpc, '--residuals', '--columns', 5, '--from', '+1ms', '--to', '-1ms', '--hide-tracer' ], [ 'sync', $rpc, '--residuals', '--show-tracer' ],
	[ 'index', $lock, '--force', '--reader', 'babeltrace2', '--index-dir', "$scratch/elsewhere", '--jobs', 2 ], [ 'index', $lock, '--force', '--quiet' ],
	[ 'verify', $lock, '--index-dir', "$scratch/elsewhere", '--jobs', 1 ],
	[ 'view', '--print-config' ],
	[ 'view', $lock, @common, '--script', "$scratch/script", '--ascii', '--fresh', '--theme', 'light', '--goto', '#50', '--thread', $thread, '--hide-tracer', '--rules', $rules, '--config', '/dev/null', '--command', '/dev/null' ],
	[ 'view', $stacks, '--script', "$scratch/script", @window[0, 1], '--to', $to, '--kallsyms', "$stacks/kallsyms.txt", '--symfs', $scratch, '--show-tracer' ],
);
ask(@$_) for @one;
is(join("\n", splice @wrong), '', 'every option');

# A recording that grows, another terminal's clipboard, a view that was kept: follow.t, stories and copy.t of tests/ui.
my %elsewhere = map { $_ => 1 } 'view --follow', 'view --copy', 'view --view', 'index --follow', 'index --idle';
for my $command (sort keys %options) {
	my @never = grep { !$options{$command}{$_} && !$elsewhere{"$command $_"} } sort keys %{ $options{$command} };
	is("@never", '', "every option of $command was asked for");
}
done_testing;
