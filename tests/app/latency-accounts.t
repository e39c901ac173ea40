#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Accounts of latencies that belong to no thread, computed from babeltrace2's text: the users of the CPU while a handler ran, a softirq was pending or
# a timer was due; the steps of a request.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use List::Util qw(sum0 max min);
use Test::More;

sub ask { my ($kind, $trace, @more) = @_; return json_of(wakepath('latency', sample($trace), '--kind', $kind, '--top', 0, '--format', 'json', @more)) }

# The users of each CPU: { cpu => [[from, to, who], ...] } with who one of "irq LINE", "softirq VECTOR", "timer", "ipi NAME", "irq NAME", "thread TID",
# "idle", "?".
sub spans_of {
	my ($events) = @_;
	my (%stack, %thread, %since, %spans);
	my $note = sub {
		my ($cpu, $now) = @_;
		my $who = @{ $stack{$cpu} // [] } ? $stack{$cpu}[-1] : $thread{$cpu} // '?';
		push @{ $spans{$cpu} }, [$since{$cpu}, $now, $who] if defined $since{$cpu} && $since{$cpu} < $now;
		$since{$cpu} = $now;
	};
	for my $e (@$events) {
		my ($name, $now, $cpu) = @$e{qw(name time cpu_id)};
		my ($who, $begins);
		if ($name eq 'sched_switch') {
			$note->($cpu, $now);
			$_->[2] =~ s/^\?$/$e->{prev_tid} ? "thread $e->{prev_tid}" : 'idle'/e for defined $thread{$cpu} ? () : @{ $spans{$cpu} };
			$thread{$cpu} = $e->{next_tid} ? "thread $e->{next_tid}" : 'idle';
			next;
		}
		if ($name =~ /^irq_handler_(entry|exit)$/) { ($who, $begins) = ("irq $e->{irq}", $1 eq 'entry') }
		elsif ($name =~ /^irq_softirq_(entry|exit)$/) { ($who, $begins) = ("softirq $e->{vec}", $1 eq 'entry') }
		elsif ($name =~ /^timer_hrtimer_expire_(entry|exit)$/) { ($who, $begins) = ('timer', $1 eq 'entry') }
		elsif ($name =~ /^x86_irq_vectors_(\w+)_(entry|exit)$/) {
			($who, $begins) = ("irq $1", $2 eq 'entry');
			$who =~ s/^irq (?=reschedule|call_function)/ipi /;
		}
		else { next }
		$note->($cpu, $now);
		if ($begins) { push @{ $stack{$cpu} }, $who }
		else { pop @{ $stack{$cpu} } }
	}
	return \%spans;
}

# "idle=12 irq=3 …" of the time [FROM, TO) of a CPU, by the words that NAME makes of its users.
sub sums {
	my ($spans, $from, $to, $name) = @_;
	my %sum;
	for my $s (@$spans) {
		my $part = min($s->[1], $to) - max($s->[0], $from);
		$sum{ $name->($s->[2]) } += $part if $part > 0;
	}
	return join ' ', map { "$_=$sum{$_}" } sort keys %sum;
}

sub told {
	my ($blame) = @_;
	my %sum;
	$sum{ join ':', $_->{phase}, $_->{what}, $_->{what} eq 'thread' ? $_->{tid} : () } += $_->{time} for @$blame;
	return join ' ', map { "$_=$sum{$_}" } sort keys %sum;
}

for my $trace (qw(preempt ioburst-ipi pipeline)) {
	my $spans = spans_of(trace_events($trace));
	for my $kind (qw(irq softirq softirq-raise timer)) {
		my (@wrong, $parts);
		my $worst = ask($kind, $trace)->{worst};
		for my $c (@$worst) {
			my ($line) = $kind eq 'irq' ? $c->{key} =~ /^(\d+)/ : ();
			my $phase = $kind eq 'timer' ? 'late' : 'wait-cpu';
			my $is = sums($spans->{ $c->{cpu} }, $c->{start}, $c->{end}, sub {
				my ($what, $which) = split / /, $_[0];
				my $word = $what eq 'thread' ? "$what:$which" : $what;
				return "$phase:$word" if $kind =~ /raise|timer/;
				return "running:running" if $what eq $kind && (!defined $line || $which eq $line);
				return "interrupted:$word";
			});
			my $said = told($c->{blame});
			push @wrong, "$c->{start}: $said, is $is" if $said ne $is || sum0(map { $_->{time} } @{ $c->{blame} }) != $c->{latency};
			$parts += @{ $c->{blame} };
		}
		is("@wrong[0 .. min($#wrong, 3)]", '', "$trace: accounts of all " . @$worst . " latencies $kind");
		cmp_ok($parts, '>=', @$worst, '… have parts');
	}
}

# A request that is queued, issued to the driver and completed, without a flush: in the queue until it is issued, in the device from then on.
my $events = trace_events('ioburst-ipi');
my (%bio, %rq, @done);
for my $e (grep { $_->{name} =~ /^block_/ && $_->{nr_sector} } @$events) {
	my $key = "$e->{dev} $e->{sector}";
	if ($e->{name} eq 'block_bio_queue') { $bio{$key} = $e->{time} }
	elsif ($e->{name} eq 'block_getrq') { $rq{$key} = { queued => delete $bio{$key} // $e->{time} } }
	elsif ($e->{name} eq 'block_rq_issue') { $rq{$key}{issued} = $e->{time} }
	elsif ($e->{name} eq 'block_rq_complete' && $rq{$key}{queued}) { push @done, { %{ delete $rq{$key} }, complete => $e->{time} } }
}
my %by = map { ("$_->{queued} $_->{complete}" => $_) } @done;
my ($plain, $flushed) = (0, 0);
for my $c (@{ ask('block', 'ioburst-ipi')->{worst} }) {
	my %steps = map { $_->{step} => $_->{time} } @{ $c->{blame} };
	my $r = $by{"$c->{start} $c->{end}"};
	is(sum0(values %steps), $c->{latency}, "$c->{key} of $c->{start}: the steps sum to it");
	if (!$r || grep { /flush/ } keys %steps) {
		$flushed++;
		next;
	}
	$plain++;
	is_deeply(\%steps, { 'in the queue' => $r->{issued} - $r->{queued}, 'in the device' => $r->{complete} - $r->{issued} }, '… and are those of the events');
}
cmp_ok($plain, '>', 40, 'requests without a flush');
cmp_ok($flushed, '<', 5, 'others');

# The write of sector 524624 (cli.md: FUA): queued at …829179110; the flush before it is issued at …829337… and its own data at …829511030, there at …829917580, flushed at …830085610.
my ($fua) = grep { $_->{end} =~ /829511030$/ } @{ ask('block-queue', 'ioburst-ipi')->{worst} };
is(join(' ', sort map { $_->{step} } @{ $fua->{blame} }), 'in the flush before in the queue', 'a write that waits for a flush');

# The thread that asked: the one on the CPU of block_bio_queue.
my (%on, %asked, %name);
for my $e (@$events) {
	if ($e->{name} eq 'sched_switch') {
		$on{ $e->{cpu_id} } = $e->{next_tid};
		$name{ $e->{next_tid} } = $e->{next_comm};
	}
	$asked{ $e->{time} } = $on{ $e->{cpu_id} } if $e->{name} eq 'block_bio_queue' && $on{ $e->{cpu_id} };
}
my $list = csv_of(wakepath('latency', sample('ioburst-ipi'), '--kind', 'block', '--top', 0, '--format', 'csv'));
my @heads = @{ shift @$list };
my @of = grep { $_->{subject} =~ / for / && $asked{ $_->{start} } } map { my $line = $_; +{ map { $heads[$_] => $line->[$_] } 0 .. $#heads } } @$list;
cmp_ok(@of, '>', 40, 'OF names a thread');
is_deeply([grep { $_->{subject} !~ /^vd[ab] for \Q$name{ $asked{ $_->{start} } }\E.*\[$asked{ $_->{start} }\]$/ } @of], [], '… the one that queued the request');

# Where the kernel runs softirqs in threads, their account is the thread's.
SKIP: {
	my $rt = ($ENV{SHARED_TRACES} // '') . '/inputs/rt-ioburst';
	skip 'no trace of PREEMPT_RT', 2 if !-d $rt;
	local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} // $ENV{WAKEPATH};
	my $l = json_of(wakepath('latency', $rt, '--kind', 'softirq', '--top', 500, '--format', 'json'));
	my @wrong = grep { sum0(map { $_->{time} } @{ $_->{blame} }) != $_->{latency} } @{ $l->{worst} };
	is(@wrong, 0, 'PREEMPT_RT: accounts sum up');
	my @itself = grep { grep { $_->{phase} eq 'running' } @{ $_->{blame} } } @{ $l->{worst} };
	is(@itself, @{ $l->{worst} }, '… and the thread that runs the softirq ran');
}

# ---- packets on their way: all of the time is the network's ----

{
	my @worst = @{ ask('network', 'rpc-chain')->{worst} };
	my @wrong = grep {
		my ($w, @parts) = ($_, @{ $_->{blame} });
		$w->{latency} > 0
			? @parts != 1 || $parts[0]{what} ne 'network' || $parts[0]{time} != $w->{latency} || $parts[0]{grade} ne 'inferred'
			: @parts > 0
	} @worst;
	cmp_ok(@worst, '>', 500, 'packets');
	is_deeply(\@wrong, [], 'each is accounted for by the network alone');
}

done_testing;
