#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Several tracers recorded the same runs at the same time: their answers must agree.  Where they do not, one of the reasons in docs/tracers.md must
# explain it from raw events, the text of babeltrace2 and trace-cmd; a difference without a reason fails, and so does a reason without a difference.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Proved;
use Wake;
use List::Util qw(first);
use Test::More;

$ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST};	# long answers

my $inputs = ($ENV{SHARED_TRACES} // "$ENV{TOP}/../shared/traces") . '/inputs';
plan skip_all => 'the recordings are not there' if !-d "$inputs/typed";

# The recordings that are compared with LTTng's: a file in the folder of each run, and the program that prints it as text.
my @others = (
	[ 'trace.dat', \&by_trace_cmd ],
);
my @runs = @ARGV ? @ARGV : qw(pipeline lockfight preempt rpc-loopback ioburst-ipi nvme-ioburst threadirqs-ioburst threadirqs-rpc throttled rt-ioburst);
my $later = 2_000_000;	# ns by which the probe of one tracer may run after that of the other: CPUs are emulated

# ---- raw events: { CPU => [[time, name, key, thread]…] } by CLOCK_MONOTONIC, names as ftrace has them ----

my %key = (sched_switch => [qw(prev_tid|prev_pid next_tid|next_pid)], sched_waking => ['tid|pid'], sched_wakeup => ['tid|pid'], softirq_entry => ['vec'], softirq_raise => ['vec'], irq_handler_entry => ['irq']);
$_ = [ map { qr/\b(?:$_) ?= ?(\w+)/ } @$_ ] for values %key;

sub add {
	my ($cpus, $cpu, $time, $name, $text, $thread) = @_;
	my $key = $key{$name} ? join ',', map { $text =~ $_ ? $1 : '?' } @{$key{$name}} : '';
	push @{$cpus->{$cpu + 0}}, [ $time, $name, $key, $thread ];
}

my %disks;	# of the current run: number → name, from LTTng's state dump

sub by_babeltrace {
	my ($folder) = @_;
	my ($metadata) = glob "$folder/*/metadata";
	my ($ahead) = slurp($metadata) =~ /offset = (\d+);/ or die "$folder: no offset";
	my %cpus;
	%disks = ();
	open my $in, '-|', "babeltrace2 --clock-seconds '$folder' 2>/dev/null" or die;
	while (<$in>) {
		my ($s, $ns, $name, $cpu, $text) = /^\[(\d+)\.(\d{9})\] \(\S+\) \S+ (\S+): \{ cpu_id = (\d+) \}, (.*)/ or next;
		$name =~ s/^irq_(?=softirq)|^timer_(?=hrtimer)|^x86_irq_vectors_//;
		$disks{($1 >> 20) . ':' . ($1 & 0xfffff)} = $2 if $name eq 'lttng_statedump_block_device' && $text =~ /dev = (\d+), diskname = "(\w+)"/;
		add(\%cpus, $cpu, "$s$ns" - $ahead, $name, $text);
	}
	return (\%cpus, $ahead);
}

sub by_trace_cmd {
	my ($file) = @_;
	my (%cpus, @marks);
	open my $in, '-|', "trace-cmd report -t -R '$file' 2>/dev/null" or die;
	while (<$in>) {
		my ($thread, $cpu, $s, $ns, $name, $text) = /-(\d+)\s+\[(\d{3,})\]\s+(\d+)\.(\d{9}): (\S+):\s*(.*)/ or next;
		add(\%cpus, $cpu, "$s$ns", $name, $text, $thread);
		push @marks, [ "$s$ns", $thread, $1 ] if $name eq 'print' && $text =~ /buf=(.*)/;
	}
	return (\%cpus, \@marks);
}

# ---- pairs: the events of two tracers for one occurrence ----

my ($run, $file, $folder, $ahead, $from, $to);	# the current run, and when the other recorded

# For this run: { time of the other tracer's event => { time of LTTng's } }; LTTng's events that have such a counterpart; all of LTTng's: time → [CPU, name]…
my (%pair, %paired, %lttng, %names, %first_common, %last_common);

sub is_same { my ($was, $e) = @_; return $was->[2] eq $e->[2] && $was->[0] <= $e->[0] && $e->[0] - $was->[0] <= $later }

# True if OTHER goes on from its first event as BASE does from event I on.
sub goes_on {
	my ($base, $other, $i) = @_;
	for my $k (0 .. ($#$other < 9 ? $#$other : 9)) {
		my $was = $base->[$i + $k] or return 0;
		return 0 if !is_same($was, $other->[$k]);
	}
	return 1;
}

# Pairs the events of both tracers: on a CPU, events of one kind come in one order, and LTTng's probe, which was registered first, runs first.  Returns
# the contradictions.
sub find_pairs {
	my ($base, $other) = @_;
	my @wrong;
	(%pair, %paired, %lttng, %names, %first_common, %last_common) = ();
	for my $cpu (sort keys %$base) { push @{$lttng{$_->[0]}}, [ $cpu, $_->[1] ] for @{$base->{$cpu}} }
	for my $cpu (sort keys %$other) {
		my (%b, %o);
		push @{$b{$_->[1]}}, $_ for @{$base->{$cpu}};
		push @{$o{$_->[1]}}, $_ for @{$other->{$cpu}};
		$names{$_} = 1 for keys %o;
		for my $name (sort grep { $b{$_} } keys %o) {
			my $from = first { goes_on($b{$name}, $o{$name}, $_) } 0 .. $#{$b{$name}};
			push @wrong, "CPU $cpu: $name: no common begin" and next if !defined $from;
			for my $i (0 .. $#{$o{$name}}) {
				my $e = $o{$name}[$i];
				my $was = $b{$name}[$from + $i] or last;
				push @wrong, "CPU $cpu: $name at $e->[0]: $e->[2], is $was->[2] at $was->[0]" and last if !is_same($was, $e);
				$pair{$e->[0]}{$was->[0]} = 1;
				$paired{$was->[0]}{$cpu, $name} = $e->[0];
				$first_common{$cpu} = $was->[0] if $was->[0] < ($first_common{$cpu} // 9e18);
				$last_common{$cpu} = $was->[0] if $was->[0] > ($last_common{$cpu} // 0);
			}
		}
	}
	return @wrong;
}

# True if time O of the other tracer and time B of LTTng are of one event.
sub same { my ($o, $b) = @_; return defined $o && defined $b && ($o == $b || $pair{$o}{$b}) }

# The reason why the other tracer lacks an event that LTTng has at TIME; undef: it has the event, or LTTng has none.
sub missing {
	my ($time) = @_;
	return undef if !defined $time;
	for (@{$lttng{$time} // []}) {
		my ($cpu, $name) = @$_;
		my $at = $paired{$time}{$cpu, $name};
		return $at < $to ? undef : 'end' if $at;
		return 'begin' if $time < ($first_common{$cpu} // 9e18);
		return 'end' if $time > ($last_common{$cpu} // 0);
		return 'vector' if $name eq 'local_timer_entry' && !$names{$name};
	}
	return undef;
}

# ---- differences ----

my (%found, @unexplained);
my %seen;	# thread → its first event by the other, of the current run
sub differs {
	my ($what, $reason) = @_;
	if ($reason) { $found{$reason}++ } else { push @unexplained, $what }
}

sub ask {
	my ($command, $which, $tid, $begin, $end) = @_;
	my $shift = $which eq $folder ? $ahead : 0;
	return json_of(wakepath($command, $which, '--thread', $tid, '--from', $begin + $shift, '--to', $end + $shift, '--format', 'json'));
}
sub mono { return defined $_[0] ? $_[0] - $ahead : undef }

# [from, to, what] of LIST, with equal neighbours joined; mere interruptions are left out: the tracers record different ones.
sub joined {
	my ($list, $shift, $name) = @_;
	my @all;
	for (@$list) {
		my $what = $name->($_);
		if (@all && $all[-1][2] eq $what) { $all[-1][1] = $_->{to} - $shift } else { push @all, [ $_->{from} - $shift, $_->{to} - $shift, $what ] }
	}
	return \@all;
}

sub state_name { my ($i) = @_; return $i->{state} =~ /^(?:interrupted|usermode|syscall)$/ ? 'running' : $i->{state} . ($i->{state} eq 'blocked' ? ' ' . ($i->{detail} // '') : '') }

sub note_threads {
	my ($raw) = @_;
	%seen = ();
	for my $e (map { @$_ } values %$raw) {
		for my $tid ($e->[3], $e->[1] =~ /^sched/ ? split /,/, $e->[2] : ()) { $seen{$tid} = $e->[0] if $e->[0] < ($seen{$tid} // 9e18) }
	}
}

sub compare_states {
	my ($tid) = @_;
	my $o = joined(ask('states', $file, $tid, $from, $to)->{intervals}, 0, \&state_name);
	my $b = joined(ask('states', $folder, $tid, $from, $to)->{intervals}, $ahead, \&state_name);
	# Before its first event nothing is known: LTTng may know it from earlier ones.
	if (@$o && $o->[0][2] eq 'unknown') {
		my $begin = (shift @$o)->[1];
		my ($u) = (keys %{$pair{$begin} // {}}, $begin);
		differs("$tid: unknown before $begin, though there was an event at $seen{$tid}", $seen{$tid} < $begin ? undef : 'begin');
		@$b = grep { $_->[1] > $u } @$b;
		$b->[0][0] = $u if @$b;
	}
	while (@$b > @$o && missing($b->[-1][0])) { differs('', missing($b->[-1][0])); pop @$b }
	my ($x, $y) = map { join ', ', map { $_->[2] } @$_ } $o, $b;
	return differs("$tid: states $x, are $y", undef) if $x ne $y;
	for my $i (1 .. $#$o) { differs("$tid: $o->[$i][2] from $o->[$i][0], is from $b->[$i][0]", undef) if !same($o->[$i][0], $b->[$i][0]) }
}

sub hop { my ($h) = @_; return join ' ', $h->{type}, $h->{name} // $h->{nr} // '-', $h->{cpu} // '-', $h->{thread} ? $h->{thread}{tid} // '-' : '' }

# True if X is in doubt only because the thread that completed it may not have been at rest, as the state dump would show.
sub rests {
	my ($x) = @_;
	return 0 if "@{$x->{doubts}}" ne 'rt_lock';
	differs('', 'rest');
	return 1;
}

# Compares the steps to wake-up O of the other tracer with those to B, of LTTng.  Steps that only one tracer could know are removed, with the reason.
sub compare_chains {
	my ($what, $o, $b) = @_;
	my @o = @{$o->{source}{context}};
	my @b = @{$b->{source}{context}};
	my @without = grep { !(missing(mono($_->{entry})) // '' eq 'vector') } @b;
	differs('', 'vector') if @without < @b;
	my ($ipi) = grep { $o[$_]{type} eq 'ipi' } 0 .. $#o;
	if (defined $ipi && $ipi > 0 && $names{ipi_send_cpu}) {
		differs('', 'sender') if $without[0]{type} eq 'ipi' || $o[0]{grade} ne $without[0]{grade};
		shift @o while $o[0]{type} ne 'ipi';
		shift @without while @without && $without[0]{type} ne 'ipi';
	}
	my ($x, $y) = map { join ' > ', map { hop($_) } @$_ } \@o, \@without;
	return differs("$what: $x, is $y", undef) if $x ne $y;
	for my $i (0 .. $#o) {
		next if $o[$i]{grade} eq $without[$i]{grade};
		# It is woken on the way out of the vector that was not recorded.
		next if rests($o[$i]);
		my $way_out = @without < @b && $o[$i]{grade} eq 'inferred' && $o->{source}{kind} eq 'softirq';
		differs("$what: " . hop($o[$i]) . " $o[$i]{grade}, is $without[$i]{grade}", $way_out ? 'vector' : undef);
	}
	return if $o->{grade} ne $b->{grade} && rests($o);
	differs("$what: $o->{grade}, is $b->{grade}", @without < @b && $o->{kind} eq 'softirq' ? 'vector' : undef) if $o->{grade} ne $b->{grade};
}

sub compare_wakeup {
	my ($what, $o, $b) = @_;
	my ($x, $y) = map { join ' ', $_->{kind}, $_->{tid} // '-', $_->{target_cpu} // '-', ($_->{source}{request} // {})->{sector} // '-' } $o, $b;
	differs("$what: $x, is $y", undef) if $x ne $y;
	compare_chains($what, $o, $b);
	for my $k (qw(since ran_at)) {
		my ($t, $u) = ($o->{$k}, mono($b->{$k}));
		differs("$what: $k " . ($t // 'null') . ', is ' . ($u // 'null'), defined $t ? undef : missing($u)) if defined $t || defined $u and !same($t, $u);
	}
	my ($t, $u) = map { $_->{source}{timer} } $o, $b;
	if ($t && $u && defined $t->{due} && defined $u->{due}) {
		differs("$what: due at $t->{due}, was " . mono($u->{due}), undef) if $t->{due} != mono($u->{due});
	} elsif ($t && !$u) {
		differs("$what: timer", $names{timer_start} ? 'wheel' : undef);
	} elsif ($u && !$t) {
		differs("$what: no timer", undef);
	}
}

sub compare_wakeups {
	my ($tid) = @_;
	my %b = map { mono($_->{time}) => $_ } @{ask('wakeups', $folder, $tid, $from, $to)->{wakeups}};
	for my $o (@{ask('wakeups', $file, $tid, $from, $to)->{wakeups}}) {
		my ($at) = grep { $b{$_} } keys %{$pair{$o->{time}} // {}};
		my $b = defined $at ? delete $b{$at} : undef;
		if ($b) { compare_wakeup("$tid at $o->{time}", $o, $b) } else { differs("$tid at $o->{time}: a wake-up, is none", undef) }
	}
	differs("$tid at $_: no wake-up, is one", missing($_)) for keys %b;
}

# The interrupt of a disk and the IPI that it sends are one segment: only a tracer that records the sending knows the limit.
sub segment_name {
	my ($s) = @_;
	return 'on the way' if $s->{actor_type} eq 'irq' && $s->{kind} =~ /^(?:irq|ipi)$/ && $names{ipi_send_cpu};
	my $name = $s->{name} // '';
	if ($s->{actor_type} eq 'device' && $disks{$name}) {
		$name = $disks{$name};
		differs('', 'disk');
	}
	return join ' ', $s->{actor_type}, $s->{tid} // $name, $s->{kind} =~ /^(?:interrupted|syscall)$/ ? 'running' : $s->{kind};
}

# LTTng recorded an event before an event of another CPU, the other tracer recorded it after that one: LTTng's path B has a part between the two that
# path O of the other tracer cannot have.
sub leave_out_between {
	my ($o, $b) = @_;
	my $all = @$b;
	for my $t (map { $_->[0] } @$o[1 .. $#$o]) {
		my ($u) = keys %{$pair{$t} // {}} or next;
		my @between = grep { $b->[$_][0] >= $u && $b->[$_][1] <= $t } 1 .. $#$b - 1;
		next if !@between;
		$b->[$between[-1] + 1][0] = $u;
		splice @$b, $between[0], @between;
	}
	return @$b < $all;
}

sub compare_paths {
	my ($tid, $begin, $end) = @_;
	my $o = joined(ask('path', $file, $tid, $begin, $end)->{segments}, 0, \&segment_name);
	my $b = joined(ask('path', $folder, $tid, $begin, $end)->{segments}, $ahead, \&segment_name);
	my ($x, $y) = map { join ', ', map { $_->[2] } @$_ } $o, $b;
	if ($x ne $y) {
		differs('', 'probes') if leave_out_between($o, $b);
		$y = join ', ', map { $_->[2] } @$b;
	}
	return differs("path of $tid from $begin: $x, is $y", undef) if $x ne $y;
	for my $i (1 .. $#$o) { differs("path of $tid: $o->[$i][2] from $o->[$i][0], is from $b->[$i][0]", undef) if !same($o->[$i][0], $b->[$i][0]) }
}

# From "… begin …" to "… end …" of a thread; if it marks instants, from one to the next.
sub windows {
	my ($marks) = @_;
	my (%open, @windows);
	for (@$marks) {
		my ($time, $tid, $text) = @$_;
		my ($word) = $text =~ /\b(begin|end)\b/;
		my ($name, $is_end) = $word ? ($text =~ s/ $word\b//r, $word eq 'end') : ('', 1);
		push @windows, [ $tid, $open{$tid, $name}, $time ] if $is_end && defined $open{$tid, $name};
		$open{$tid, $name} = $time if !$is_end || $name eq '';
	}
	return @windows;
}

my $listed = join ' ', sort { $a cmp $b } slurp("$ENV{TOP}/docs/tracers.md") =~ /^\| (`\w+`) \|/mg;
sub compare_all {
	for (@runs) {
		$run = $_;
		$folder = "$inputs/$run/lttng";
		(my $base, $ahead) = by_babeltrace($folder);
		for my $other (@others) {
			$file = "$inputs/$run/$other->[0]";
			next if !-e $file;
			my ($raw, $marks) = $other->[1]->($file);
			my @wrong = find_pairs($base, $raw);
			cmp_ok(scalar keys %pair, '>', 300, "$run, $other->[0]: common events");
			is(join("\n", @wrong), '', '… in one order, LTTng\'s first');
			note_threads($raw);
			($from) = sort { $a <=> $b } map { $_->[0][0] } values %$raw;
			($to) = sort { $b <=> $a } map { $_->[-1][0] } values %$raw;
			@unexplained = ();
			my @tids = grep { $_ } map { $_->{tid} } @{json_of(wakepath('threads', $file, '--format', 'json'))->{threads}};
			cmp_ok(scalar @tids, '>', 5, "$run: threads");
			for my $tid (@tids) {
				compare_states($tid);
				compare_wakeups($tid);
			}
			my @windows = windows($marks);
			cmp_ok(scalar @windows, '>', 0, "$run: marked windows");
			compare_paths(@$_) for @windows;
			is(join("\n", splice @unexplained, 0, 20), '', "$run, $other->[0]: the same answers, or a reason");
		}
	}
	# The reasons are those of the document.
	diag(join ', ', map { "$_ $found{$_}" } sort keys %found) if $ENV{VERBOSE};
	is(join(' ', map { "`$_`" } sort keys %found), $listed, 'docs/tracers.md lists exactly these reasons') if !@ARGV;
}

Proved::holds('app/tracers', { map { $_ => "$inputs/$_" } @runs }, $listed, \&compare_all);
done_testing;
