# SPDX-License-Identifier: MIT
# Shared by the tests of trace formats: compares events with another program's text, and wake-ups with those that LTTng recorded of the same run;
# damages files.
package Recorded;
use strict;
use warnings;
use Exporter 'import';
use Wake;
use Test::More;

our @EXPORT = qw(told event_differences lttng_ahead wakeup_differences window_differences harm);

my %number = ('sched:sched_switch' => [qw(prev_pid prev_prio prev_state next_pid next_prio)], 'sched:sched_waking' => [qw(pid prio)], 'irq:irq_handler_exit' => [qw(irq ret)]);

# The cells of a line of CSV.
sub cells {
	my ($line) = @_;
	my @cells;
	push @cells, defined $1 ? $1 =~ s/""/"/gr : $2 while $line =~ /\G(?:"((?:[^"]|"")*)"|([^",]*))(?:,|$)/g && @cells < 30;
	return @cells;
}

# CPU → { time, name, fields, tid }… of all events of FILE.
sub told {
	my ($file) = @_;
	my ($header, @lines) = split /\n/, wakepath('events', $file, '--top', 0, '--format', 'csv')->{out};
	my @names = split /,/, $header;
	my %cpus;
	for (grep { /^\d/ } @lines) {
		my %event;
		@event{@names} = cells($_);
		push @{$cpus{$event{cpu}}}, \%event;
	}
	return \%cpus;
}

# The differences of GOT, from told(), to another program's events IS, CPU → [time, name, its text, tid]…  AHEAD: ns by which times of GOT are later.
# VALUES: returns the differences between the values of an event of GOT and its counterpart in IS.
sub event_differences {
	my ($got, $is, $ahead, $values) = @_;
	my @wrong;
	for my $cpu (sort keys %$is) {
		push @wrong, "CPU $cpu: " . @{$got->{$cpu} // []} . ' events, ' . @{$is->{$cpu}} . ' are there' if @{$got->{$cpu} // []} != @{$is->{$cpu}};
		for my $i (0 .. $#{$is->{$cpu}}) {
			my ($e, $g) = ($is->{$cpu}[$i], $got->{$cpu}[$i] // last);
			push @wrong, "CPU $cpu, event $i: $g->{time} $g->{name}, is @$e[0, 1]" if $g->{time} - $ahead ne $e->[0] || $g->{name} !~ /(^|:)\Q$e->[1]\E$/;
			push @wrong, "CPU $cpu, event $i ($g->{name}): thread $g->{tid}, is $e->[3]" if defined $e->[3] && $g->{tid} ne '' && $g->{tid} ne $e->[3];
			push @wrong, map { "CPU $cpu, event $i ($g->{name}): $_" } $values->($g, $e);
		}
	}
	return @wrong;
}

# ns by which LTTng's times are ahead of CLOCK_MONOTONIC.
sub lttng_ahead { return slurp((grep { -e } "$_[0]/metadata", glob "$_[0]/*/metadata")[0]) =~ /offset = (\d+);/ ? $1 : die "$_[0]: no offset" }

sub working_threads { return map { $_->{tid} } grep { $_->{name} =~ /^wk-/ && $_->{wakeups} > 2 } @{json_of(wakepath('threads', $_[0], '--format', 'json'))->{threads}} }

sub waker { my ($w) = @_; return $w->{source}{kind} . ($w->{source}{kind} eq 'thread' ? ' ' . ($w->{source}{thread}{tid} // '?') : '') }

# The number of wake-ups of the run's own threads in FILE, whose times are AHEAD ns of CLOCK_MONOTONIC, and the differences to LTTng's wake-ups.
sub wakeup_differences {
	my ($file, $ahead, $lttng) = @_;
	my $between = lttng_ahead($lttng) - $ahead;
	my ($n, @wrong) = 0;
	for my $tid (working_threads($file)) {
		my @other = @{json_of(wakepath('wakeups', $lttng, '--thread', $tid, '--format', 'json'))->{wakeups} // []};
		for my $w (@{json_of(wakepath('wakeups', $file, '--thread', $tid, '--format', 'json'))->{wakeups}}) {
			my ($near) = sort { abs($a->{time} - $between - $w->{time}) <=> abs($b->{time} - $between - $w->{time}) } @other;
			$n++;
			my $off = $near ? $near->{time} - $between - $w->{time} : 'none';
			push @wrong, "$tid at $w->{time}: " . waker($w) . ', by LTTng ' . ($near ? waker($near) : 'none') . ", $off ns off" if !$near || abs($off) > 300_000 || waker($w) ne waker($near);
		}
	}
	return ($n, @wrong);
}

# [TID, from, to] of the windows that a run marked in its truth.log, by CLOCK_MONOTONIC: from "… begin …" to "… end …", or from one instant of a thread to
# its next.
sub windows {
	my ($log) = @_;
	my (%open, @windows);
	for (split /\n/, slurp($log)) {
		my ($time, $tid, $text) = /^(\d+) tid=(\d+) (.*)/ or next;
		my $word = $text =~ s/ (begin|end)\b// ? $1 : '';
		$text = '' if !$word;
		push @windows, [ $tid, $open{$tid, $text}, $time ] if $word ne 'begin' && $open{$tid, $text};
		$open{$tid, $text} = $time if $word ne 'end';
	}
	return @windows;
}

# The names of LIST, joined, and the time of each; neighbours with one name are one.
sub joined {
	my ($list, $name) = @_;
	my (@names, @times);
	for (@$list) {
		my $n = $name->($_);
		if (@names && $names[-1] eq $n) { $times[-1] += $_->{to} - $_->{from} } else { push @names, $n; push @times, $_->{to} - $_->{from} }
	}
	return (join(', ', @names), @times);
}

# Interrupts, system calls and user mode all count as running, because the tracers record different ones of them.
my %plain = map { $_ => 'running' } qw(interrupted syscall usermode);
sub segment { my ($s) = @_; return join ' ', $s->{actor_type}, $s->{tid} // $s->{name} // '-', $plain{$s->{kind}} // $s->{kind} }
sub state { my ($s) = @_; return ($plain{$s->{state}} // $s->{state}) . ($s->{state} eq 'blocked' ? " $s->{detail}" : '') }

# The number of windows that the run at LOG marked, and the differences of states and critical paths in FILE to LTTng's there; up to $LATER ns are none.
my $LATER = 60_000;
sub window_differences {
	my ($file, $ahead, $lttng, $log) = @_;
	my ($n, @wrong) = 0;
	for my $w (windows($log)) {
		my ($tid, $from, $to) = @$w;
		for (['path', 'segments', \&segment], ['states', 'intervals', \&state]) {
			my ($command, $list, $name) = @$_;
			my ($one, $other) = map {
				my ($trace, $shift) = @$_;
				[ joined(json_of(wakepath($command, $trace, '--thread', $tid, '--from', $from + $shift, '--to', $to + $shift, '--format', 'json'))->{$list}, $name) ]
			} [ $file, $ahead ], [ $lttng, lttng_ahead($lttng) ];
			$n++;
			push @wrong, "$command of $tid from $from: $one->[0], is $other->[0]" and next if $one->[0] ne $other->[0];
			push @wrong, map { "$command of $tid from $from: part $_ has $one->[$_] ns, is $other->[$_]" } grep { abs($one->[$_] - $other->[$_]) > $LATER } 1 .. $#$one;
		}
	}
	return ($n, @wrong);
}

# Damage TIMES copies of FILES and read each.  Returns how many crashed, were read, were refused.
sub harm {
	my ($times, @files) = @_;
	my ($crashed, $read, $refused) = (0, 0, 0);
	my %whole = map { $_ => slurp($_) } @files;
	for my $i (1 .. $times) {
		my $bytes = $whole{$files[$i % @files]};
		if ($i % 2) {
			substr($bytes, 20 + int rand(length($bytes) - 20)) = '';
		} else {
			my $size = length $bytes;
			substr($bytes, $i % 4 ? int rand($size < 4000 ? $size : 4000) : $size - 1 - int rand($size < 40000 ? $size : 40000), 1) = chr int rand 256 for 1 .. 1 + int rand 20;
		}
		spew("$ENV{TMPDIR}/harmed", $bytes);
		my $r = wakepath('threads', "$ENV{TMPDIR}/harmed");
		$r->{status} == 0 ? $read++ : $r->{status} == 3 ? $refused++ : $crashed++;
		diag("copy $i of $files[$i % @files]: status $r->{status}, signal $r->{signal}\n$r->{err}") if $r->{status} != 0 && $r->{status} != 3;
		is(() = ($r->{err} =~ /\n/g), 1, "copy $i: one line says why") if $r->{status} == 3;
	}
	return ($crashed, $read, $refused);
}

1;
