#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The sums of causes, by name and by thread, against the raw events.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools", "$ENV{TOP}/tests/oracle";
use Oracle;
use Wake;
use Test::More;

sub ask { return json_of(wakepath(@_, '--format', 'json')) }

# The name that threads share, as the text of --by prints it: here by patterns of this test.
sub shared_name {
	my ($name) = @_;
	return "kworker/$1*$2" if $name =~ m{^kworker/(u?)\d+:\d+(.*)$};
	return $name =~ m{^(.+)/\d+$} ? "$1/*" : $name;
}

# The causes of a wait, counted from the raw events.  LIFE is that of the waker: the time in which it was not blocked is its own; while it was blocked,
# the time belongs to the thread that ended that wait, and so on; a wait that no thread ended has no owner.  Adds the ns of [FROM, TO) to SUM by TID
# ("-": no owner).
sub put_down {
	my ($o, $life, $from, $to, $sum) = @_;
	for my $i (reverse @{ $life->{intervals} }) {
		my ($a, $b) = ($i->{from} < $from ? $from : $i->{from}, $i->{to} > $to ? $to : $i->{to});
		next if $a >= $b;
		if ($i->{state} eq 'blocked') {
			put_down_wait($o, (grep { $_->{ended} == $i->{to} } @{ $life->{wakeups} })[0], $a, $b, $sum);
		} else {
			$sum->{ $life->{tid} } += $b - $a;
		}
	}
}

sub put_down_wait {
	my ($o, $w, $from, $to, $sum) = @_;
	my $thread = $w && $w->{waker} && !@{ $w->{context} };
	return put_down($o, ($o->lives_of_tid($w->{waker}))[0], $from, $to, $sum) if $thread;
	$sum->{'-'} += $to - $from;
}

for my $name ('lockfight', 'pipeline', 'imbalance') {
	my ($trace, $o) = (sample($name), Oracle->load(sample($name)));
	my $looked = 0;
	for my $life (grep { $_->{tid} && grep { /^wk-/ } keys %{ $_->{names} } } @{ $o->{lives} }) {
		my (%raw, %said);
		for my $w (grep { $_->{blocked_at} && $_->{event} ne 'sched_wakeup_new' } @{ $life->{wakeups} }) {
			put_down_wait($o, $w, $w->{blocked_at}, $w->{ended}, \%raw);
		}
		for my $c (grep { $_->{kind} !~ /^(preempted|wait-cpu)$/ } @{ ask('causes', $trace, '--thread', $life->{tid}, '--by', 'thread', '--top', 1000)->{causes} }) {
			$said{ $c->{kind} eq 'thread' ? $c->{subject}{tid} : $c->{kind} eq 'fork' ? 'fork' : '-' } += $c->{time};
		}
		# A new thread waits for its creator until that wakes it by sched_wakeup_new.
		my ($woken) = grep { $_->{event} eq 'sched_wakeup_new' } @{ $life->{wakeups} };
		$raw{fork} = $woken->{ended} - $life->{birth} if $woken && defined $life->{birth};
		is_deeply(\%said, \%raw, "$name $life->{tid}: the threads that its waits were for") or diag explain [\%said, \%raw];
		$looked += grep { $_ ne '-' } keys %raw;
	}
	cmp_ok($looked, '>=', 3, "$name: threads waited for threads");
}

# The holders of the CPU while a thread was preempted or waited for one, counted from the raw events: by TID, "-" for interrupts and the idle CPU.
sub had_cpu {
	my ($o, $life, $from, $to) = @_;
	my %sum;
	for my $i (grep { $_->{state} =~ /^(preempted|wait-cpu)$/ } @{ $life->{intervals} }) {
		for my $on (@{ $o->{cpu}{ $i->{cpu} }{intervals} }) {
			my ($begin, $end) = ((sort { $b <=> $a } $on->{from}, $i->{from}, $from // ())[0], (sort { $a <=> $b } $on->{to}, $i->{to}, $to // ())[0]);
			$sum{"$i->{state} " . ($on->{state} eq 'running' ? $on->{tid} : '-')} += $end - $begin if $begin < $end;
		}
	}
	return \%sum;
}

sub who_had_cpu {
	my %said;
	$said{"$_->{kind} " . ($_->{threads} ? $_->{subject}{tid} : '-')} += $_->{time}
		for grep { $_->{kind} =~ /^(preempted|wait-cpu)$/ && $_->{time} } @{ ask(@_)->{causes} };
	return \%said;
}

for my $name ('preempt', 'lockfight', 'imbalance') {
	my ($trace, $o) = (sample($name), Oracle->load(sample($name)));
	for my $life (grep { $_->{tid} && grep { /^wk-/ } keys %{ $_->{names} } } @{ $o->{lives} }) {
		my @of = ('causes', $trace, '--thread', $life->{tid}, '--by', 'thread', '--top', 1000);
		is_deeply(who_had_cpu(@of), had_cpu($o, $life), "$name $life->{tid}: the holders of the CPU");
		# Windows that begin and end within waits.
		my @waits = grep { $_->{state} =~ /^(preempted|wait-cpu)$/ && $_->{to} - $_->{from} > 1000 } @{ $life->{intervals} };
		for my $k (grep { @waits > 3 } 0 .. 2) {
			my @times = map { $_->{from} + int(($_->{to} - $_->{from}) / 2) } @waits[$k, -1 - $k];
			is_deeply(who_had_cpu(@of, '--from', $times[0], '--to', $times[1]), had_cpu($o, $life, @times), '… in a window') if $times[0] < $times[1];
		}
	}
}

# The sum over all threads, in windows and in the whole time.
for my $name ('pipeline', 'preempt') {
	my $trace = sample($name);
	my ($whole, @parts) = map { ask('causes', $trace, '--by', 'thread', '--top', 0, @$_) } [], ['--to', '+30ms'], ['--from', '+30ms', '--to', '+41ms'], ['--from', '+41ms'];
	my (%whole, %sum, %threads);
	$whole{"$_->{kind} $_->{cause}"} = $_->{time} for grep { $_->{time} } @{ $whole->{causes} };
	$sum{"$_->{kind} $_->{cause}"} += $_->{time} for grep { $_->{time} } map { @{ $_->{causes} } } @parts;
	is_deeply(\%sum, \%whole, "$name: the windows sum to the whole time");
	for my $tid (grep { $_ > 0 } map { $_->{tid} } @{ json_of(wakepath('threads', $trace, '--format', 'json'))->{threads} }) {
		$threads{"$_->{kind} $_->{cause}"} += $_->{time}
			for grep { $_->{time} } @{ ask('causes', $trace, '--thread', $tid, '--by', 'thread', '--top', 0)->{causes} };
	}
	is_deeply(\%threads, \%whole, '… and so do its threads');
}

# wk-fighter1 waits 12.0 ms for a lock: until 37.947 wk-fighter2 has it and wk-fighter0 waits too, then that has it until 46.159:
#   [10:03:14.034186495] sched_switch: prev_comm = "wk-fighter1", prev_state = 1
#   [10:03:14.037947225] sched_waking: { cpu_id = 1 }, { comm = "wk-fighter0", tid = 471 }	in wk-fighter2's futex
#   [10:03:14.046158905] sched_waking: { cpu_id = 1 }, { comm = "wk-fighter1", tid = 472 }	in wk-fighter0's futex
my @lock = ('--thread', 'wk-fighter1', '--from', '10:03:14.034186495', '--to', '10:03:14.046158905');
my %holders = map { ($_->{name} => [@$_{qw(kind time count proved longest)}]) }
	grep { $_->{kind} ne 'wait-cpu' } @{ ask('causes', sample('lockfight'), @lock)->{causes} };
is_deeply(\%holders, { 'wk-fighter2' => ['thread', 3760730, 1, 1, 3760730], 'wk-fighter0' => ['thread', 8211680, 1, 1, 8211680] },
	'a lock: each holder has its share');

# By name: the sum over the threads of a name.
for my $name ('pipeline', 'rpc-chain/httpd') {
	my $trace = sample($name);
	my ($by_name, $by_thread) = map { [grep { $_->{threads} } @{ ask('causes', $trace, '--top', 100000, '--by', $_)->{causes} }] } qw(name thread);
	my (%sum, %said);
	for my $c (@$by_thread) {
		my $sum = $sum{"$c->{kind} " . shared_name($c->{subject}{name})} //= [0, {}];
		$sum->[0] += $c->{time};
		$sum->[1]{ $c->{subject}{tid} } = 1;
	}
	is_deeply({ map { ("$_->{kind} $_->{name}" => [@$_{qw(time threads)}]) } @$by_name },
		{ map { ($_ => [$sum{$_}[0], scalar keys %{ $sum{$_}[1] }]) } keys %sum }, "$name: by name");
}

# Over the network, by what the servers are known to do (sample-traces/README.md): h is 10 ms of work on httpd, s a sleep of 10 ms there, c twice 10 ms
# of work there and between them 20 ms on db.  Windows are the client's own marks, and its clock is the one shown.
my %marks = map { /^\[([\d:.]+)\].*msg = "request (begin|end) (\w) (\d)"/ ? ("$2 $3 $4" => $1) : () }
	split /\n/, `TZ=UTC babeltrace2 '${\sample('rpc-chain')}/client'`;
for my $r (map { my $k = $_; map { "$_ $k" } qw(h s c) } 0 .. 3) {
	my @t = (sample('rpc-chain'), '--thread', 'client/wk-client', '--from', $marks{"begin $r"}, '--to', $marks{"end $r"});
	my %ms;
	$ms{"$_->{host} " . ($_->{kind} eq 'timer' ? 'sleep' : 'work') . ' ' . ($_->{threads} ? $_->{name} : '-')} += $_->{time} / 1e6
		for grep { $_->{kind} !~ /^(preempted|wait-cpu)$/ } @{ ask('causes', @t, '--by', 'thread', '--top', 1000)->{causes} };
	my ($work, $sleep, $db) = map { $_ // 0 } @ms{'httpd work wk-server', 'httpd sleep wk-server', 'db work wk-server'};
	my ($kind) = $r =~ /^(\w)/;
	my $right = $kind eq 's' ? $sleep >= 9.9 && $work < 8 && $db == 0 :
		$kind eq 'h' ? $work >= 9.5 && $sleep < 1 && $db == 0 : $work >= 19 && $db >= 19 && $db < 25 && $sleep < 1;
	ok($right, "request $r: the threads that its time was spent in") or diag explain \%ms;
}

my $trace = sample('rpc-chain/httpd');
my ($sshd) = grep { ($_->{name} // '') eq 'sshd' && $_->{kind} eq 'thread' } @{ ask('causes', $trace, '--top', 1000)->{causes} };
is($sshd->{cause}, "sshd ($sshd->{threads} threads)", 'several threads: the text gives their number');
cmp_ok($sshd->{threads}, '>', 1, '… and there are several');
is($sshd->{subject}, undef, 'several threads: none of them is the subject');
like(wakepath('causes', $trace, '--top', 1000)->{out}, qr/ thread +sshd \($sshd->{threads} threads\) /, 'text');
# The name of a CPU time that a host took from a guest already holds the host's name.
my $guests = wakepath('causes', sample('vm-preempt'), '--top', 0)->{out};
unlike($guests, qr{ (?:host|guest1)/(?:host|guest1)[/:]}, 'text: no cause has its host twice');
like($guests, qr{ preempted +host/wk-pulse\[679\] .*\n(?:.*\n)* *\d.* preempted +host: interrupt }, '… but once');
like(wakepath('causes', sample('rpc-chain'), '--top', 100)->{out}, qr{ network +httpd/eth0 .* httpd/}, 'text: with several hosts a device has its host');
is_deeply(ask('causes', $trace, '--top', 0), ask('causes', $trace, '--top', 1000), '--top 0 lists all of them');
like(wakepath('causes', $trace, '--top', 2)->{out}, qr/^and \d+ more; all with --top 0$/m, 'which the text says where there are more');
says(wakepath('causes', $trace, '--by', 'process'), 2, qr/cannot be grouped by "process": type --by name, --by thread or --by cgroup/, 'by unknown causes');

# A group with 10 ms of every 50: cpu.stat says nr_throttled 6, and the thread was off its CPU in each of these periods from when it was switched out
# although it could go on (sched_switch, prev_state 0) until sched_cfs_period_timer expired: 8.0 + 38.7 + 46.0 + 38.6 + 29.8 + 28.7 ms.
SKIP: {
	my $throttled = ($ENV{SHARED_TRACES} // '') . '/inputs/throttled/lttng';
	skip 'inputs/throttled is not there', 3 if !-d $throttled;
	my ($quota) = grep { $_->{kind} eq 'throttled' } @{ json_of(wakepath('causes', $throttled, '--thread', 608, '--format', 'json'))->{causes} };
	is($quota->{count}, 6, 'throttled in six periods');
	cmp_ok(abs($quota->{time} - 189.8e6), '<', 0.5e6, 'for that long');
	is($quota->{proved}, 0, 'which the events do not prove');
}

done_testing();
