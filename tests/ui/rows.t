#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The rows that pass a filter, and their order, against babeltrace2's text of the same window; and the rows of a path.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

# ---- the raw events ----

# Of [FROM, TO) of the sample TRACE, ns since its first event: { ran => { CPU => { TID => 1 } }, preempted => { TID => 1 }, on_cpu => { TID => ns },
# late => { TID => ns }, waited => { TID => ns } }: the last is time off the CPU, without sleeps that the window cuts, unless they are uninterruptible.
sub count {
	my ($trace, $from, $to) = @_;
	my (%is, %on, %since, %preempted, %woken, %awake, %left, $first, $t);
	my $within = sub { my ($a, $b) = @_; ($a, $b) = ($a > $from ? $a : $from, $b < $to ? $b : $to); return $b > $a ? $b - $a : 0 };
	my $off = sub { # the thread on the CPU leaves it
		my ($cpu) = @_;
		my $tid = $on{$cpu} or return;
		my $part = $within->($since{$cpu}, $t) or return;
		$is{ran}{$cpu}{$tid} = 1;
		$is{on_cpu}{$tid} += $part;
	};
	my $waited = sub { # off the CPU from where it left until now
		my ($tid) = @_;
		my ($begin, $asleep, $state) = @{ delete $left{$tid} // [0, 1, 0] };	# it slept before the trace, in an unknown state
		my $woken = $asleep ? $woken{$tid} // $t : $begin;
		$is{waited}{$tid} += $within->($woken, $t);
		$is{waited}{$tid} += $within->($begin, $woken) if ($begin >= $from && $woken < $to) || $state & 0x102;
	};
	open my $f, '-|', 'babeltrace2', '--clock-seconds', sample($trace) or die "babeltrace2: $!";
	while (my $line = <$f>) {
		my ($s, $ns, $name, $cpu, $rest) = $line =~ /^\[(\d+)\.(\d{9})\] \(\S+\) \S+ ([\w:]+): \{ cpu_id = (\d+)(.*)/ or next;
		$first //= "$s$ns";
		$t = "$s$ns" - $first;
		if ($name eq 'sched_switch') {
			my ($prev, $state, $next) = $rest =~ /prev_tid = (\d+), .*prev_state = (\d+), .*next_tid = (\d+)/ or die $rest;
			$off->($cpu);
			($on{$cpu}, $since{$cpu}) = ($next, $t);
			$preempted{$prev} = $t if $prev && ($state == 0 || $state & 0x100);
			$left{$prev} = [$t, !($state == 0 || $state & 0x100), $state] if $prev;
			$waited->($next) if $next;
			delete $awake{$prev} if !($state == 0 || $state & 0x100);
			my $begin = delete $preempted{$next};
			$is{preempted}{$next} = 1 if defined $begin && $within->($begin, $t);
			my $woken = delete $woken{$next};
			$is{late}{$next} = $t - $woken if defined $woken && $woken >= $from && $woken < $to && $t - $woken > ($is{late}{$next} // 0);
			$awake{$next} = 1;
		} elsif ($name eq 'sched_waking' || $name eq 'sched_wakeup_new') {
			my ($tid) = $rest =~ /, tid = (\d+)/;
			$woken{$tid} = $t if !$awake{$tid}++;	# it slept, possibly since before the trace
		}
	}
	close $f;
	$off->($_) for keys %on;
	$waited->($_) for keys %left;
	$is{preempted}{$_} = 1 for grep { $within->($preempted{$_}, $t) } keys %preempted;
	return \%is;
}

# ---- the screen ----

# The screens after KEYS in TRACE, with all rows, in the window.
sub screens {
	my ($trace, $from, $to, @keys) = @_;
	return screens_selected($trace, $from, $to, ['--thread', 'wk-victim', '--show-tracer'], ['x', 'x', 'x'], 's', @keys);
}

# TIDs of the threads in the list on SCREEN, without idle ones.
sub tids { my ($screen) = @_; return grep { $_ } $screen =~ /^..[^│]*? (\d+)│/mg }
# The selected thread.
sub selected { my ($screen) = @_; return ($screen =~ /^ \S[^\n│]*?\[(\d+)\]  /m)[0] }

my ($trace, $from, $to) = ('preempt', 60_000_000, 460_000_000);
my $is = count($trace, $from, $to);

# ---- filters, by TID without a tree ----

my @filters = (
	['cpu:0' => [keys %{ $is->{ran}{0} }]],
	['cpu:1' => [keys %{ $is->{ran}{1} }]],
	['cpu:0 cpu:1' => [grep { $is->{ran}{0}{$_} } keys %{ $is->{ran}{1} }]],
	['cpu:0 !cpu:1' => [grep { !$is->{ran}{1}{$_} } keys %{ $is->{ran}{0} }]],
	['state:preempted' => [keys %{ $is->{preempted} }]],
	['state:preempted cpu:1' => [grep { $is->{preempted}{$_} } keys %{ $is->{ran}{1} }]],
);
my $letter = 'a';
my @got = screens($trace, $from, $to, 'O', map { ('&', qq("$_->[0] !^swapper/"), 'Enter', 'dump ' . $letter++ . '.txt') } @filters);
for my $i (0 .. $#filters) {
	my ($text, $want) = @{ $filters[$i] };
	my @want = sort { $a <=> $b } grep { $_ } @$want;
	ok(scalar @want, "$text: there are some");
	is_deeply([tids($got[$i])], \@want, $text);
}

# ---- orders ----

# One row after the other, from the first on.
my @walk = map { ("dump $_.txt", 'j') } 'a' .. 'h';
my %order = (cpu => [3, 'on_cpu'], wait => [4, 'waited'], latency => [5, 'late']);
for my $name (sort keys %order) {
	my ($times, $what) = @{ $order{$name} };
	my @said = map { selected($_) } screens($trace, $from, $to, ('O') x $times, @walk);
	my $of = $is->{$what};
	my @wrong = grep { ($of->{ $said[$_] } // 0) * 1.25 < ($of->{ $said[ $_ + 1 ] } // 0) } 0 .. $#said - 1;
	my ($most) = sort { $of->{$b} <=> $of->{$a} } grep { $_ } keys %$of;
	is($said[0], $most, "by $name: the first");
	is(scalar @said, 8, "by $name: as many as checked");
	is_deeply(\@wrong, [], "by $name: none before one that has a quarter more") or diag join ' ', map { "$_:" . ($of->{$_} // 0) } @said;
}
my @said = map { selected($_) } screens($trace, $from, $to, 'O', 'Home', @walk);
is_deeply(\@said, [sort { $a <=> $b } @said], 'by TID');

# ---- searches ----

# A row with exactly that name comes before one whose name contains it: the disk, not the thread of its journal.
{
	my @found = map { "dump $ENV{TMPDIR}/found.$_" } 0 .. 4;
	spew("$ENV{TMPDIR}/script", join "\n", 'size 100 30', '/', '"vdb"', 'Enter', $found[0], 'n', $found[1], 'Home', '/', '"VDB-8"', 'Enter', $found[2],
		'Home', '/', '"solo/vdb"', 'Enter', $found[3], 'Home', '/', '"405"', 'Enter', $found[4], 'quit', '');
	is(wakepath('view', sample('ioburst-ipi'), '--script', "$ENV{TMPDIR}/script")->{status}, 0, 'plays');
	my @rows = map { slurp("$ENV{TMPDIR}/found.$_") =~ /^ (vdb|jbd2\/vdb-8\[405\])  /m ? $1 : 'another' } 0 .. 4;
	is_deeply(\@rows, ['vdb', 'jbd2/vdb-8[405]', 'jbd2/vdb-8[405]', 'vdb', 'jbd2/vdb-8[405]'], 'vdb, the next one, VDB-8, solo/vdb, 405');
}

# With several hosts, the text that screens print before and after a name: the host, and the TID.
{
	my @typed = ('guest1/sh[541]', 'guest1/sh', 'GUEST1/', 'sh[542]', 'host/');
	my @keys = map { ('/', "\"$typed[$_]\"", 'Enter', "dump $ENV{TMPDIR}/host.$_") } 0 .. $#typed;
	spew("$ENV{TMPDIR}/script", join "\n", 'size 120 40', 'Esc', @keys, 'quit', '');
	is(wakepath('view', sample('vm-preempt'), '--script', "$ENV{TMPDIR}/script")->{status}, 0, 'plays');
	my @rows = map { slurp("$ENV{TMPDIR}/host.$_") =~ /^ ((?:guest1|host)\/\S.*?)  /m ? $1 : 'none' } 0 .. $#typed;
	is_deeply([@rows[0, 1, 3]], ['guest1/sh[541]', 'guest1/sh[541]', 'guest1/sh[542]'], "$typed[0]; $typed[1], where it is; $typed[3]");
	like($rows[2], qr/^guest1\//, $typed[2]);
	like($rows[4], qr/^host\//, $typed[4]);
}

# ---- the rows of a path ----

# Of a large SCREEN with a path: the names of the rows above it, each softirq of a host once; and of the path's own, without those that have no row:
# waits for the network, a timer, another CPU or RCU, and an interrupt of the CPU itself.
sub halves {
	my ($screen) = @_;
	my ($above, $below) = $screen =~ /\A(.*?)^\W+Critical path of (.*?)^─/ms or return;
	my (@above, %softirqs);
	for ($above =~ /^((?:[a-z] |  ) \S.*?) *│/mg) {
		my $name = s/^(.)  /$1 /r =~ s/ {2,}(\d+)$/[$1]/r;
		push @above, $name if $name !~ s{^(. softirq .*)/\d+$}{$1} || !$softirqs{$name}++;
	}
	my @below = map { /^\S / ? $_ : " $_" } $below =~ /^((?:[a-z] | )\S.*?) +<?[\d.]+%│/mg;
	return (\@above, [grep { !/^. (?:eth\d|hrtimer|RCU|ipi .*|IRQ 236 local_timer)$/ } @below]);
}

# After KEYS in TRACE with ARGS, both must be WANT.
sub agree {
	my ($what, $trace, $args, $keys, $want) = @_;
	my $file = "$ENV{TMPDIR}/halves";
	spew("$ENV{TMPDIR}/script", join "\n", 'size 200 200', @$keys, "dump $file", 'quit', '');
	is(wakepath('view', sample($trace), @$args, '--script', "$ENV{TMPDIR}/script")->{status}, 0, "$what: plays");
	my ($above, $below) = halves(slurp($file));
	is_deeply($above, $below, "$what: the rows above are those of the path, in its order");
	is(join(', ', @$above), $want, "$what: they are the expected ones");
}

my @client = ('rpc-chain', ['--thread', 'client/wk-client']);
my $of_client = 'c wk-client[572], c lttng-record.sh[561], c IRQ 30 virtio1-input.0, c softirq NET_RX, h softirq NET_RX, h wk-server[492], h jbd2/vda-8[153], ' .
	'h IRQ 31 virtio1-input.0, d softirq NET_RX, d wk-server[412], h IRQ 34 virtio2-input.0, d IRQ 30 virtio1-input.0';
agree('a disk and a softirq', 'ioburst-ipi', ['--thread', 'wk-ioburst'], [(']') x 6, ('+') x 4, 'p'],
	'  wk-ioburst[957],   vdb,   IRQ 28 virtio2-req.0,   softirq BLOCK,   jbd2/vdb-8[405]');
agree('three hosts', @client, ['p'], $of_client);
agree('a request', 'rpc-chain', [], ['J', '"slow requests"', 'Enter', ':', '"scope both ends"', 'Enter', 'Enter'],
	'c wk-client[572], h IRQ 31 virtio1-input.0, h softirq NET_RX, h wk-server[492], h IRQ 34 virtio2-input.0, d IRQ 30 virtio1-input.0, ' .
		'd softirq NET_RX, d wk-server[412], c IRQ 30 virtio1-input.0, c softirq NET_RX');
agree('a softirq is selected', @client, ['p', 'Tab', 'j', 'j'], $of_client);
my $of_server = 'h wk-server[492], h IRQ 31 virtio1-input.0, h softirq NET_RX, c wk-client[572], h jbd2/vda-8[153], c IRQ 30 virtio1-input.0, c softirq NET_RX, ' .
	'd softirq NET_RX, d wk-server[412], h IRQ 34 virtio2-input.0, d IRQ 30 virtio1-input.0';
agree('a thread is reached by moving', @client, ['p', 'Tab', ('j') x 7], $of_client);
agree('and its path asked for', @client, ['p', 'Tab', ('j') x 7, 'p'], $of_server);
agree('a thread is found by a search', @client, ['p', '/', '"httpd/wk-server"', 'Enter'], $of_server);
agree('p opens the path of the selected thread of the path', @client, ['p', ('j') x 5, 'Tab', 'p'], $of_server);
agree('one moves along the path', @client, ['p', ('l') x 12], $of_client);

# The thread of the open path, and the selected row, after KEYS.
sub whose {
	my @keys = @_;
	my $file = "$ENV{TMPDIR}/whose";
	spew("$ENV{TMPDIR}/script", join "\n", 'size 200 60', 'p', 'Tab', @keys, "dump $file", 'quit', '');
	is(wakepath('view', sample($client[0]), @{ $client[1] }, '--script', "$ENV{TMPDIR}/script")->{status}, 0, 'plays');
	my ($whose) = slurp($file) =~ /^\W+Critical path of (\S+)/m;
	my ($selected) = slurp($file) =~ /^ (\S[^│\n]*?)  .* since /m;
	return [$whose, $selected];
}

# As command lines, which are explicit.
sub typed { return map { (':', qq("$_"), 'Enter') } @_ }

my ($client_label, $server_label) = ('client/wk-client[572]', 'httpd/wk-server[492]');
is_deeply(whose(), [$client_label, $client_label], 'a path is opened');
is_deeply(whose(('j') x 7), [$client_label, $server_label], 'moving over its rows keeps it');
is_deeply(whose(('j') x 7, 'p'), [$server_label, $server_label], 'p on one of its rows opens that row\'s path');
is_deeply(whose(('j') x 7, 'p', 'p', 'p'), [$server_label, $server_label], 'closed and opened again');
is_deeply(whose(('j') x 7, typed('path off'), 'p'), [$server_label, $server_label], 'closed on a row of it');
is_deeply(whose(typed('rows active'), '/', '"client/sshd"', 'Enter'), ['client/sshd[320]', 'client/sshd[320]'], 'a thread outside of it is searched');
is_deeply(whose(('j') x 7, typed('sync auto')), [$client_label, $server_label], 'opened again');
is_deeply(whose(typed('rows active'), 'k'), ['client/lttng-record.sh[561]', 'client/lttng-record.sh[561]'], 'moving over all rows opens the path of each');
is_deeply(whose(('j') x 7, 'f', 'b'), [$server_label, $server_label], 'f follows, and b comes back');
# Choices of rows may remove the selected one, or select the first.
for my $choice ('filter sshd', 'filter host:db', 'filter !wk-', 'rows window', 'sort cpu', 'rows all') {
	for my $first ([], [typed('rows active')]) {
		my ($whose, $selected) = @{ whose(@$first, typed($choice)) };
		is($whose, $client_label, join ' ', 'the path stays that of its thread:', grep({ /"/ } @$first), $choice);
		isnt($selected, $client_label, "$choice: another row is selected") if @$first && $choice =~ /filter|sort/;
	}
}
done_testing;
