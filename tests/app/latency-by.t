#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Latencies by system call, device, disk and class of scheduling, against babeltrace2's text of each case.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools", "$ENV{TOP}/tests/oracle";
use Wake;
use Oracle;
use List::Util qw(sum0);
use Test::More;

# TRACE: a sample, or a path.
sub place { my ($trace) = @_; return $trace =~ m{^/} ? $trace : sample($trace) }
sub ask { my ($trace, $kind, @more) = @_; return json_of(wakepath('latency', place($trace), '--kind', $kind, '--format', 'json', '--top', 1, @more)) }

# Each event's time, name, CPU and text.
sub each_event {
	my ($trace, $do) = @_;
	open my $f, '-|', 'babeltrace2', '--clock-seconds', place($trace) or die "babeltrace2: $!";
	while (my $line = <$f>) {
		my ($s, $ns, $name, $cpu, $rest) = $line =~ /^\[(\d+)\.(\d{9})\] \(\S+\) \S+ ([\w:]+): \{ cpu_id = (\d+)(.*)/ or next;
		$do->("$s$ns", $name, $cpu, $rest);
	}
	close $f;
}

# { group => "count sum" } of those with cases.
sub said { my ($l, $what) = @_; return { map { $_->{name} => "$_->{count} $_->{sum}" } grep { $_->{count} } @{ $l->{ $what // 'groups' } } } }
sub counted { my ($cases) = @_; return { map { $_ => @{ $cases->{$_} } . ' ' . sum0(@{ $cases->{$_} }) } keys %$cases } }

# ---- by call ----

# { kind => { group => [lengths] } }: a thread is in the call that it entered last and did not leave; a new thread is in the call of its creator.
sub by_call {
	my ($trace) = @_;
	my (%call, %state, %open, %all, %on, %kernel, %creators, %shared);
	my $begin = sub { my ($kind, $tid, $t) = @_; $open{$kind}{$tid} = [$t, $call{$tid} // $creators{$tid} // ($kernel{$tid} ? 'no system call' : 'not known')] };
	my $end = sub { my ($kind, $tid, $t) = @_; my $o = delete $open{$kind}{$tid}; push @{ $all{$kind}{ $o->[1] } }, $t - $o->[0] if $o };
	each_event($trace, sub { $kernel{$1} = $1 == 2 || $2 == 2 if $_[1] eq 'lttng_statedump_process_state' && $_[3] =~ / tid = (\d+),.* ppid = (\d+)/ });
	each_event($trace, sub {
		my ($t, $name, $cpu, $rest) = @_;
		my $tid = $on{$cpu};
		if ($name eq 'sched_switch') {
			my ($prev, $state, $next) = $rest =~ /prev_tid = (\d+), .*prev_state = (\d+), .*next_tid = (\d+)/ or die $rest;
			my $runs = $state == 0 || $state & 0x100;
			if ($prev && !($state & 0x30)) {
				$begin->('off-cpu', $prev, $t);
				$begin->($runs ? 'preempted' : 'blocked', $prev, $t);
				$state{$prev} = $runs ? 'runs' : 'blocked';
			}
			$end->($_, $next, $t) for qw(off-cpu preempted wakeup blocked);
			$state{$next} = 'runs';
			delete $creators{$next};
			$on{$cpu} = $next;
		} elsif ($name eq 'sched_waking') {
			my ($of) = $rest =~ /, tid = (\d+)/;
			delete $open{futex}{$of} if $shared{$of} && ($call{ $tid // '' } // '') eq 'exit';	# pthread_join() waits for no lock
			return if ($state{$of} // 'blocked') ne 'blocked';	# the thread slept since before
			$end->('blocked', $of, $t);
			$begin->('wakeup', $of, $t);
			$state{$of} = 'woken';
		} elsif ($name eq 'sched_wakeup_new') {
			$begin->('wakeup', ($rest =~ /, tid = (\d+)/)[0], $t);
		} elsif ($name eq 'sched_process_fork') {
			my ($parent, $child) = $rest =~ /parent_tid = (\d+), .*child_tid = (\d+)/;
			$creators{$child} = $call{$parent} // ($kernel{$parent} ? 'no system call' : 'not known');
			$kernel{$child} = $parent == 2;
			delete $call{$child};
		} elsif (defined $tid && Oracle::is_sigreturn($name, $rest)) {
			$call{$tid} = 'no system call';
		} elsif (defined $tid && $name =~ /^(?:compat_)?syscall_entry_(.*)/) {
			$call{$tid} = $1;
			$shared{$tid} = $rest =~ / op = (\d+)/ && !($1 & 0x80);
			$begin->('futex', $tid, $t) if $call{$tid} eq 'futex' && $rest =~ / op = (\d+)/ && grep { ($1 & 0x7f) == $_ } 0, 6, 9, 11, 13;
		} elsif (defined $tid && $name =~ /^(?:compat_)?syscall_exit_/) {
			$call{$tid} = 'no system call';
			$end->('futex', $tid, $t);
		}
	});
	return \%all;
}
for my $trace (qw(lockfight)) {
	my $is = by_call($trace);
	for my $kind (sort keys %$is) {
		my $l = ask($trace, $kind, '--by', 'call');
		is_deeply(said($l), counted($is->{$kind}), "$trace: $kind by call") or diag explain [said($l), counted($is->{$kind})];
	}
	is_deeply(said(ask($trace, 'syscall', '--by', 'call')), said(ask($trace, 'syscall', '--by', 'key')), 'the key of a call is its group');
}

# ---- by device ----

# State that all walks below use: names of disks, how deep each CPU is in interrupts.  A completion in an interrupt is no cause of wake-ups after that
# interrupt, or after a work item was queued.
sub follow_interrupts {
	my ($s, $name, $cpu, $rest) = @_;
	if ($name eq 'lttng_statedump_block_device') { $s->{name}{$1} = $2 if $rest =~ /dev = (\d+), diskname = "(.*?)"/ }
	elsif ($name =~ /^(?:irq_handler|irq_softirq|x86_irq_vectors_\w+)_(entry|exit)$/) {
		$s->{depth}{$cpu} += $1 eq 'entry' ? 1 : -1;
		delete $s->{complete}{$cpu} if $s->{depth}{$cpu} <= 0;
	}
	elsif ($name =~ /^workqueue_/) { delete $s->{complete}{$cpu} }
}

# Waits that a request ended: the wake-up is sent in an interrupt or softirq after block_rq_complete, and no work was queued since; and handlers.
sub by_device {
	my ($trace) = @_;
	my (%s, %since, %entry, %irq, %wait);
	each_event($trace, sub {
		my ($t, $name, $cpu, $rest) = @_;
		follow_interrupts(\%s, $name, $cpu, $rest);
		if ($name eq 'irq_handler_entry') { $entry{$cpu} = [$t, $rest =~ /name = "(.*?)"/] }
		elsif ($name eq 'irq_handler_exit') { push @{ $irq{ $entry{$cpu}[1] } }, $t - $entry{$cpu}[0] if $entry{$cpu}; delete $entry{$cpu} }
		elsif ($name eq 'block_rq_complete') { ($s{complete}{$cpu}) = $rest =~ /dev = (\d+)/ if $s{depth}{$cpu} }
		elsif ($name eq 'sched_switch') {
			my ($prev, $state, $next) = $rest =~ /prev_tid = (\d+), .*prev_state = (\d+), .*next_tid = (\d+)/;
			$since{$prev} = $t if $prev && $state && !($state & 0x130);
			delete $since{$next};
		} elsif ($name eq 'sched_waking') {
			my ($tid) = $rest =~ /, tid = (\d+)/;
			my $begun = delete $since{$tid} // return;
			push @{ $wait{ defined $s{complete}{$cpu} ? $s{name}{ $s{complete}{$cpu} } : 'no device known' } }, $t - $begun;
		}
	});
	return (\%irq, \%wait);
}
for my $trace (qw(ioburst-ipi pipeline)) {
	my ($irq, $wait) = by_device($trace);
	is_deeply(said(ask($trace, 'irq', '--by', 'device')), counted($irq), "$trace: handlers by device");
	my $s = said(ask($trace, 'blocked', '--by', 'device'));
	my $is = counted($wait);
	is($s->{$_}, $is->{$_}, "$trace: waits for $_") for grep { $_ ne 'no device known' } keys %$is;
	cmp_ok(scalar(keys %$is), '>', 1, '… there are some');
}
my (%interface, $l);
each_event('rpc-chain/db', sub { my (undef, $name, undef, $rest) = @_; $interface{$1}++ if $name eq 'net_if_receive_skb' && $rest =~ / name = "(.*?)".* saddr = \[ \[0\] = 10, \[1\] = 10, / });
$l = ask('rpc-chain', 'network', '--by', 'device');
is(sum0(map { $_->{count} } @{ $l->{groups} }), $l->{count}, 'packets by interface: all of them');
ok(!(grep { !m{^(?:db|httpd|client)/eth\d$} } map { $_->{name} } @{ $l->{groups} }), '… each of one interface of a host');
like(wakepath('latency', sample('lockfight'), '--kind', 'softirq', '--by', 'device')->{err}, qr/softirq latencies have no device/, 'a softirq has none');
$l = wakepath('latency', sample('ioburst-ipi'), '--kind', 'blocked', '--by', 'call');
is($l->{status}, 1, 'without calls there is no answer');
like($l->{err}, qr/no syscall_entry_\* was recorded, .*; record it with: lttng enable-event -k --syscall --all/, '… but a hint how to record them');

# ---- by disk ----

# The completion before the wake-up, as above; and for a thread that waited uninterruptibly for a thread (not for an interrupt), the last completion
# before a wake-up of that thread since then.
sub by_disk {
	my ($trace) = @_;
	my (%s, %comm, %since, %running, %last, %wait);
	each_event($trace, sub {
		my ($t, $name, $cpu, $rest) = @_;
		follow_interrupts(\%s, $name, $cpu, $rest);
		if ($name eq 'block_rq_complete' && $s{depth}{$cpu}) {
			my ($dev, $sector, $sectors, $rwbs) = $rest =~ /dev = (\d+), sector = (\d+), nr_sector = (\d+), .*rwbs = (\d+)/;
			my $bare = !$sector && !$sectors;	# blkdev_issue_flush(): a write without data
			$s{complete}{$cpu} = ($rwbs & 1 && !$bare ? 'write' : $rwbs & 4 ? 'read' : $rwbs & 0x501 ? 'flush' : 'request') . " of $s{name}{$dev}";
		}
		elsif ($name eq 'sched_switch') {
			my ($prev, $state, $comm, $next) = $rest =~ /prev_tid = (\d+), .*prev_state = (\d+), next_comm = "(.*?)", next_tid = (\d+)/;
			$since{$prev} = [$t, $state & 2] if $prev && $state && !($state & 0x130);
			delete $since{$next};
			$running{$cpu} = $next;
			$comm{$next} = $comm;
		} elsif ($name eq 'sched_waking') {
			my ($tid) = $rest =~ /, tid = (\d+)/;
			my $begun = delete $since{$tid} // return;
			my $own = $s{complete}{$cpu};
			my $by = $running{$cpu};
			$last{$tid} = [$t, $own] if $own;
			$own = "$last{$by}[1] by $comm{$by}" if !$own && $begun->[1] && !$s{depth}{$cpu} && $last{$by} && $last{$by}[0] >= $begun->[0];
			push @{ $wait{ $own // 'no disk' } }, $t - $begun->[0];
		}
	});
	return \%wait;
}
for my $trace (grep { defined } 'ioburst-ipi', 'pipeline', ($ENV{SHARED_TRACES} ? "$ENV{SHARED_TRACES}/apt-install" : undef)) {
	my ($is, $s) = (counted(by_disk($trace)), said(ask($trace, 'blocked', '--by', 'disk')));
	delete $_->{'no disk'} for $is, $s;
	is_deeply($s, $is, "$trace: waits for disks") or diag explain [$s, $is];
}
is(said(ask('ioburst-ipi', 'blocked', '--by', 'disk'))->{'write of vdb by jbd2/vdb-8'}, '1 1959590', 'fsync() waited for the journal, which had vdb write');
like(wakepath('latency', sample('ioburst-ipi'), '--kind', 'wakeup', '--by', 'disk')->{err}, qr/wakeup latencies have no disk/, 'a wake-up has none');

# ---- by class ----

# wk-rt is SCHED_FIFO at the end; LTTng subtracts 100 from priorities. A thread switched in with one below 0 is real-time.
my (%woken, %state, %class);
each_event('preempt', sub {
	my ($t, $name, $cpu, $rest) = @_;
	if ($name eq 'sched_switch') {
		my ($prev, $state, $next, $prio) = $rest =~ /prev_tid = (\d+), .*prev_state = (\d+), .*next_tid = (\d+), next_prio = (-?\d+)/ or die $rest;
		$state{$prev} = $state & 0xcf ? 'blocked' : 'runs';
		my $since = delete $woken{$next};
		push @{ $class{ $prio < 0 ? 'real-time' : 'fair' } }, $t - $since if defined $since;
		$state{$next} = 'runs';
	} elsif ($name =~ /^sched_(?:waking|wakeup_new)$/) {
		my ($tid) = $rest =~ /, tid = (\d+)/;
		return if $name eq 'sched_waking' && ($state{$tid} // 'blocked') ne 'blocked';
		$woken{$tid} = $t;
		$state{$tid} = 'woken';
	}
});
is_deeply(said(ask('preempt', 'wakeup'), 'classes'), counted(\%class), 'real-time threads are apart from others');
is_deeply(said(ask('preempt', 'wakeup'), 'classes'), counted(\%class), '… also where the cases are stored');
is_deeply(said(ask('preempt', 'wakeup', '--by', 'class')), counted(\%class), '… as by class');
is_deeply(ask('preempt', 'wakeup', '--by', 'class')->{classes}, [], '… which is printed once');
is_deeply(ask('preempt', 'irq')->{classes}, [], 'interrupts have no class');
like(wakepath('latency', sample('preempt'), '--kind', 'wakeup')->{out}, qr/^max .*\noutliers +12\noutliers over .*\n\nBY .*\nfair +77 .*\nreal-time +12 /m, 'after the totals');
done_testing();
