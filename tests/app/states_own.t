#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# States of programs that a file declares: rows of their own, waits on a CPU, and the thread that each of these leads to.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my $dir = "$ENV{TMPDIR}/states_own.$$";
mkdir $dir;

my $machines = ($ENV{SHARED_TRACES} // '') . '/../recordings/machines';

# ---- barriers of two recordings, by the marks of the programs ----

spew("$dir/marks.conf", <<'FILE');
[state mpi]
enter = ftrace:print[$mark=begin]
leave = ftrace:print[$mark=end]
value = $mark_name
is = waiting for peers if barrier
FILE
spew("$dir/ust.conf", <<'FILE');
[state mpi]
enter = wx:req_begin
leave = wx:req_end
thread = vtid
value = what
is = waiting for peers if barrier
FILE

# Each barrier as [tid, begin, end], ns, in the order of the begins, from trace-cmd's text.
sub of_ftrace {
	my (%open, @all);
	for (split /\n/, `trace-cmd report -t $_[0] 2>/dev/null`) {
		my ($tid, $s, $ns, $what) = /-(\d+)\s+\[\d+\]\s+(\d+)\.(\d{9}): print: .*barrier (begin|end) / or next;
		$what eq 'begin' ? ($open{$tid} = "$s$ns") : push @all, [ $tid, $open{$tid}, "$s$ns" ];
	}
	return sort { $a->[1] <=> $b->[1] } @all;
}

# Like the above, from babeltrace2's text; each trace has its own reading of one clock.
sub of_ust {
	my ($folder) = @_;
	my ($kernel, $ust) = map { slurp("$folder/$_/metadata") =~ /offset = (\d+)/ } 'kernel', 'ust/uid/0/64-bit';
	my (%open, @all);
	for (split /\n/, `babeltrace2 --clock-seconds $folder/ust/uid/0/64-bit 2>/dev/null`) {
		my ($s, $ns, $what, $tid) = /^\[(\d+)\.(\d+)\] .* wx:req_(begin|end): \{ cpu_id = \d+ \}, \{ vtid = (\d+).*what = "barrier"/ or next;
		my $time = $s * 1_000_000_000 + $ns + $kernel - $ust;
		$what eq 'begin' ? ($open{$tid} = $time) : push @all, [ $tid, $open{$tid}, $time ];
	}
	return sort { $a->[1] <=> $b->[1] } @all;
}

# By hand, from the two texts: round, the last thread to come.  In round 1 of both a thread comes to round 2 before another one has left.
my %last_by_hand = (
	'x64-mpi-marks' => [ 588, 588, 586, 589, 588 ],
	'x64-lttng-mpi' => [ 548, 550, 548, 550, 550 ],
);

for ([ 'x64-mpi-marks', 'trace.dat', 'marks.conf', \&of_ftrace ], [ 'x64-lttng-mpi', 'trace', 'ust.conf', \&of_ust ]) {
	my ($name, $file, $conf, $read) = @$_;
	SKIP: {
		skip "$name is not at hand", 7 if !-e "$machines/$name/$file";
		my @trace = ("$machines/$name/$file", '--spans', "$dir/$conf");
		my @all = $read->("$machines/$name/$file");
		my (%n, %round, %sum);
		push @{ $round{ $n{ $_->[0] }++ } }, $_ for @all;	# the n-th of each thread
		is(scalar(@all), 20, "$name: 20 barriers are marked");
		is_deeply([ map { $round{$_}[-1][0] } sort keys %round ], $last_by_hand{$name}, '… the last of each round as found by hand');
		my (%leads, %wrong);
		for my $r (sort keys %round) {
			my ($last, $came) = @{ $round{$r}[-1] };
			for (@{ $round{$r} }) {
				my ($tid, $from, $to) = @$_;
				my $path = json_of(wakepath('path', @trace, '--thread', $tid, '--from', $from, '--to', $to, '--format', 'json'));
				my @links = grep { $_->{kind} eq 'declared' && $_->{to}{tid} == $tid } @{ $path->{links} };
				my $told = join ' ', map { "$_->{from}{tid} $_->{at} $_->{grade}" } @links;
				my $right = $tid == $last ? '' : "$last $came declared";
				$told eq $right ? $leads{$r}++ : diag("round $r, $tid: $told, not $right");
				my $own = 0;
				$own += $_->{to} - $_->{from} for grep { $_->{depth} == 0 } @{ $path->{segments} };
				$wrong{"$r $tid"} = $own if $own != $to - ($tid == $last ? $from : $came);
			}
		}
		is_deeply(\%leads, { map { $_ => 4 } 0 .. 4 }, '… each one leads to the last thread, from the time that came, 20 of 20');
		is_deeply(\%wrong, {}, '… and its own part is only the time it took to go on');
		$sum{ $_->[0] } += $_->[2] - $_->[1] for @all;
		my %states = map { $_->{tid} => $_->{states} } grep { $sum{ $_->{tid} } } @{ json_of(wakepath('threads', @trace, '--format', 'json'))->{threads} };
		my @off = grep { abs($states{$_}{waiting} - $sum{$_}) > 0.02 * $sum{$_} } sort keys %sum;
		is("@off", '', '… the share of waiting is that of the marks') or diag(join "\n", map { "$_: $states{$_}{waiting}, marks $sum{$_}" } sort keys %sum);
		for my $tid (sort keys %sum) {
			my $account = json_of(wakepath('account', @trace, '--thread', $tid, '--format', 'json'));
			my ($waits, $whole, %grades) = (0, 0);
			for (@{ $account->{blame} }) {
				$whole += $_->{time};
				next if $_->{phase} ne 'waiting';
				$waits += $_->{time};
				$grades{ $_->{grade} } = 1 if $_->{what} eq 'thread';
			}
			is("$waits $whole @{[ sort keys %grades ]}", "$states{$tid}{waiting} @{[ $account->{to} - $account->{from} ]} declared", "… account of $tid: waiting as in its states, under the name in the file, without a rest");
		}
		my %plain = map { $_->{tid} => $_->{states} } @{ json_of(wakepath('threads', $trace[0], '--format', 'json'))->{threads} };
		is(scalar(grep { $plain{$_}{waiting} != 0 } keys %plain), 0, '… no time is waiting without the file');
		my $causes = json_of(wakepath('causes', @trace, '--top', 0, '--format', 'json'))->{causes};
		my ($time, $declared) = (0, 0);
		for (grep { $_->{kind} eq 'waiting' } @$causes) { $time += $_->{time}; $declared += $_->{declared} == $_->{count} }
		my $all = 0;
		$all += $states{$_}{waiting} for keys %states;
		is($time, $all, '… causes have all of it');
		is($declared, scalar(grep { $_->{kind} eq 'waiting' } @$causes), '… declared');
		like(wakepath('info', @trace)->{out}, qr/waited on its CPU, (mostly|most|nearly all) for mpi-rank/, '… the overview shows it');
		my $rows = wakepath('sql', @trace, 'SELECT count(*), count(by_utid), count(DISTINCT released) FROM state WHERE waits', '--format', 'csv')->{out};
		is((split /\n/, $rows)[1], '20,15,5', '… the table has 20 waits, 15 of them for another one, 5 ends');
	}
}

# ---- made: a lock, states that follow each other, keys, a thread in a field ----

my @lines;
sub begin_made { @lines = ('# tracer: nop', '#'); for (0 .. 2) { event(0, $_, [ '<idle>', 0 ], "sched_switch: prev_comm=swapper/$_ prev_pid=0 prev_prio=120 prev_state=R ==> next_comm=t$_ next_pid=" . (50 + $_) . ' next_prio=120') } }
sub event { my ($ms, $cpu, $task, $text) = @_; push @lines, sprintf '%16s-%-7d [%03d] ..... %10.6f: %s', @$task, $cpu, 100 + $ms / 1000, $text }
sub mark { my ($ms, $n, $text) = @_; event($ms, $n, [ "t$n", 50 + $n ], "tracing_mark_write: $text") }
sub end_made { for (0 .. 2) { event($_[1], $_, [ "t$_", 50 + $_ ], "sched_switch: prev_comm=t$_ prev_pid=" . (50 + $_) . " prev_prio=120 prev_state=S ==> next_comm=swapper/$_ next_pid=0 next_prio=120") } spew("$dir/$_[0]", join "\n", @lines, '') }
# Rows of a query.
sub rows { my ($file, $conf, $query) = @_; my $r = wakepath('sql', "$dir/$file", '--spans', "$dir/$conf", $query, '--format', 'csv'); my (undef, @all) = split /\n/, $r->{out}; diag($r->{err}) if $r->{status}; return \@all }
my $told = q{SELECT (SELECT tid FROM thread t WHERE t.utid = s.utid), name, coalesce(key, 'no'), (ts - 100000000000) / 1000000, dur / 1000000, waits, coalesce((released - 100000000000) / 1000000, 'no'), coalesce((SELECT tid FROM thread t WHERE t.utid = s.by_utid), 'no') FROM state s ORDER BY ts, 1, 2};

begin_made();
mark(1, 0, 'held begin lock=1'); mark(2, 1, 'want begin lock=1'); mark(3, 2, 'want begin lock=1');
mark(4, 2, 'other begin lock=2');
mark(5, 0, 'held end lock=1'); mark(6, 1, 'want end lock=1'); mark(6.1, 1, 'held begin lock=1');
mark(9, 1, 'held end lock=1'); mark(10, 2, 'want end lock=1'); mark(10.1, 2, 'held begin lock=1'); mark(12, 2, 'held end lock=1');
end_made('lock.txt', 20);
spew("$dir/lock.conf", <<'FILE');
[state held]
enter = *print*[$mark=begin,$mark_name=held]
leave = *print*[$mark=end,$mark_name=held]
key = $mark_key
[state want]
enter = *print*[$mark=begin,$mark_name=want]
leave = *print*[$mark=end,$mark_name=want]
key = $mark_key
is = waiting for held
FILE
my ($name) = map { $_->{name} } @{ json_of(wakepath('events', "$dir/lock.txt", '--top', 0, '--format', 'json'))->{events} }[3];
diag("marks are called $name") if $name !~ /print|mark/;
for my $conf ('lock') { my $text = slurp("$dir/$conf.conf"); $text =~ s/\*print\*/$name/g; spew("$dir/$conf.conf", $text) }
is_deeply(rows('lock.txt', 'lock.conf', $told), [
	'50,held,lock=1,1,4,0,no,no',
	'51,want,lock=1,2,4,1,5,50',
	'52,want,lock=1,3,7,1,9,51',
	'51,held,lock=1,6,2,0,no,no',
	'52,held,lock=1,10,1,0,no,no',
], 'a lock: each thread waits for the last holder before it');
my $path = json_of(wakepath('path', "$dir/lock.txt", '--spans', "$dir/lock.conf", '--thread', 't2', '--from', 100_003_000_000, '--to', 100_010_000_000, '--format', 'json'));
is_deeply([ map { sprintf '%s %.1f %d', $_->{actor}{name}, ($_->{to} - $_->{from}) / 1e6, $_->{depth} } @{ $path->{segments} } ], [ 't0 2.0 2', 't1 1.0 1', 't1 3.0 1', 't2 1.0 0' ], '… and the path goes on to the holder, and to the thread that the holder waited for') or diag(join "\n", map { sprintf '%s %.1f %s %d', $_->{actor}{name}, ($_->{to} - $_->{from}) / 1e6, $_->{kind}, $_->{depth} } @{ $path->{segments} });

begin_made();
mark(1, 0, 'phase begin id=7'); mark(3, 1, 'phase begin id=7'); mark(4, 0, 'tune begin id=7'); mark(5, 0, 'phase begin id=8');
end_made('phase.txt', 20);
spew("$dir/phase.conf", "[state phase]\nenter = $name\[\$mark=begin]\nvalue = \$mark_name\nkey = \$mark_key\n[state on]\nenter = $name\[\$mark_name=tune]\nvalue = hot\n");
is_deeply(rows('phase.txt', 'phase.conf', $told), [
	'50,phase:phase,id=7,1,3,0,no,no',
	'51,phase:phase,id=7,3,17,0,no,no',
	'50,on:hot,no,4,16,0,no,no',
	'50,phase:tune,id=7,4,16,0,no,no',
	'50,phase:phase,id=8,5,15,0,no,no',
], 'a state lasts until the next one of its thread and key, the last one until the end; values by field or as written');
is(scalar @{ json_of(wakepath('spans', "$dir/phase.txt", '--spans', "$dir/phase.conf", '--name', 'phase:phase', '--format', 'json'))->{spans} }, 3, 'states are spans');
is(json_of(wakepath('latency', "$dir/phase.txt", '--spans', "$dir/phase.conf", '--kind', 'span:on:hot', '--format', 'json'))->{count}, 1, '… and kinds of latency');

spew("$dir/switch.conf", "[state cpu]\nenter = sched:sched_switch[next_pid>0]\nleave = sched:sched_switch\nthread = next_pid\nvalue = next_comm\n");
is_deeply([ map { (split /,/)[0, 1] } @{ rows('phase.txt', 'switch.conf', $told) } ], [ 50, 'cpu:t0', 51, 'cpu:t1', 52, 'cpu:t2' ], 'the thread is the one in a field');

# A barrier of two rounds without a key, in which one thread comes to the second round before all have left the first; one that never ends; one alone.
begin_made();
mark(1, 0, 'sync begin'); mark(2, 1, 'sync begin'); mark(4, 2, 'sync begin');
mark(4.5, 2, 'sync end'); mark(5, 2, 'sync begin'); mark(6, 0, 'sync end'); mark(7, 1, 'sync end'); mark(8, 1, 'sync begin'); mark(9, 0, 'sync begin');
mark(9.5, 0, 'sync end'); mark(10, 1, 'sync end'); mark(11, 2, 'sync end');
mark(12, 1, 'sync begin');
end_made('sync.txt', 20);
spew("$dir/sync.conf", "[state sync]\nenter = $name\[\$mark=begin]\nleave = $name\[\$mark=end]\nis = waiting for PEERS\n");
is_deeply(rows('sync.txt', 'sync.conf', $told), [
	'50,sync,no,1,5,1,4,52', '51,sync,no,2,5,1,4,52', '52,sync,no,4,0,1,no,no',
	'52,sync,no,5,6,1,9,50', '51,sync,no,8,2,1,9,50', '50,sync,no,9,0,1,no,no',
	'51,sync,no,12,8,1,no,no',
], 'rounds are distinguished: all threads of one have come before any has left it');

# ---- two hosts ----

begin_made();
mark(1, 0, 'sync begin'); mark(6, 0, 'sync end');
end_made('one.txt', 20);
begin_made();
mark(3, 1, 'sync begin'); mark(5, 1, 'sync end');
end_made('two.txt', 20);
for ([ '', 'no' ], [ "hosts = any\n", '3' ]) {
	my ($line, $released) = @$_;
	spew("$dir/hosts.conf", slurp("$dir/sync.conf") . $line);
	my $r = wakepath('sql', "$dir/one.txt", "$dir/two.txt", '--sync', 'none', '--spans', "$dir/hosts.conf", $told, '--format', 'csv');
	like($r->{out}, qr/^50,sync,no,1,5,1,$released,/m, $line ? 'hosts = any: peers on all hosts' : 'peers are those of the host') or diag($r->{err});
}

# ---- mistakes ----

for (
	[ "[state a]\nleave = x\n", qr/bad: line 1: state "a", enter: missing/ ],
	[ "[state a]\nenter = x\nbegin = y\n", qr/bad: line 3: state "a", begin: not known: a state has enter, leave, value, / ],
	[ "[state a]\nenter = x\nis = sleeping\n", qr/bad: line 3: state "a", is: "sleeping" is unknown: use waiting, / ],
	[ "[state a]\nenter = x\nis = waiting for\n", qr/bad: line 3: state "a", is: / ],
	[ "[state a]\nenter = x\n\nis = waiting for b\n[state c]\nenter = y\n", qr/bad: line 4: state "a", is: no other state is called "b": .*there are "c"/ ],
	[ "[state a]\nenter = x\nvalue =\n", qr/bad: line 3: state "a", value: empty/ ],
	[ "[state a]\nenter = x\nvalue = \$cpus\n", qr/bad: line 3: state "a", value: "\$cpus" is not known/ ],
	[ "[state a]\nenter = x\nthread = exit.tid\n", qr/bad: line 3: state "a", thread: a state belongs to the thread that enters it/ ],
) {
	spew("$dir/bad", $_->[0]);
	my $r = wakepath('spans', "$dir/sync.txt", '--spans', "$dir/bad");
	is($r->{status}, 2, 'a mistake in a state');
	like($r->{err}, $_->[1], '… gives a message with file and line');
}
spew("$dir/gone", "[state a]\nenter = nothing_like_it\nis = waiting\n");
like(wakepath('threads', "$dir/sync.txt", '--spans', "$dir/gone")->{err}, qr{warning: \Q$dir\E/gone: line \d+: rule "state:a": no trace here has an event "nothing_like_it"}, 'a state without events is a warning');

done_testing();
