# SPDX-License-Identifier: MIT
# Makes traces of Perfetto, field by field, and decodes them without code of src (protos/perfetto/trace of github.com/google/perfetto).
package Pftrace;
use strict;
use warnings;
no warnings qw(portable overflow);	# numbers of 64 bits
use Compress::Zlib ();

# ---- the wire format ----

# Signed numbers are written as 64 bits.
sub varint {
	my ($n) = @_;
	$n = unpack 'Q', pack 'q', $n if $n < 0;
	my $bytes = '';
	while ($n >= 128) { $bytes .= chr($n & 127 | 128); $n >>= 7 }
	return $bytes . chr $n;
}

sub number { my ($field, $n) = @_; return varint($field << 3) . varint($n) }
sub bytes { my ($field, $bytes) = @_; return varint($field << 3 | 2) . varint(length $bytes) . $bytes }
sub packed { my ($field, @n) = @_; return bytes($field, join '', map { varint($_) } @n) }

sub take_varint {
	my ($bytes, $at) = @_;
	my ($n, $shift) = (0, 0);
	while (1) {
		my $byte = ord substr $bytes, $$at++, 1;
		$n |= ($byte & 127) << $shift;
		return $n if $byte < 128;
		$shift += 7;
	}
}

# [field, value]… of a message; value: a number, or bytes.
sub fields {
	my ($bytes) = @_;
	my ($at, @all) = (0);
	while ($at < length $bytes) {
		my $key = take_varint($bytes, \$at);
		my $n = take_varint($bytes, \$at) if ($key & 7) == 0 || ($key & 7) == 2;
		if (($key & 7) == 2) { push @all, [ $key >> 3, substr $bytes, $at, $n ]; $at += $n }
		elsif (($key & 7) == 0) { push @all, [ $key >> 3, $n ] }
		else { push @all, [ $key >> 3, '' ]; $at += ($key & 7) == 1 ? 8 : 4 }
	}
	return @all;
}

sub signed { my ($n) = @_; return unpack 'q', pack 'Q', $n }
sub numbers { my ($bytes) = @_; my ($at, @all) = (0); push @all, take_varint($bytes, \$at) while $at < length $bytes; return @all }

# ---- decoding: names and fields of the events that the tests look at ----

our %events = (
	3 => [ 'ftrace:print', '', 'buf' ], 4 => [ 'sched:sched_switch', qw(prev_comm prev_pid prev_prio prev_state next_comm next_pid next_prio) ],
	17 => [ 'sched:sched_wakeup', qw(comm pid prio success target_cpu) ], 20 => [ 'sched:sched_waking', qw(comm pid prio success target_cpu) ],
	24 => [ 'irq:softirq_entry', 'vec' ], 25 => [ 'irq:softirq_exit', 'vec' ], 26 => [ 'irq:softirq_raise', 'vec' ],
	36 => [ 'irq:irq_handler_entry', qw(irq name handler) ], 37 => [ 'irq:irq_handler_exit', qw(irq ret) ],
	45 => [ 'block:block_rq_issue', qw(dev sector nr_sector bytes rwbs comm cmd) ], 125 => [ 'block:block_rq_complete', qw(dev sector nr_sector errors rwbs cmd error) ],
	114 => [ 'sched:sched_wakeup_new', qw(comm pid prio success target_cpu) ], 235 => [ 'task:task_newtask', qw(pid comm clone_flags oom_score_adj) ],
	236 => [ 'task:task_rename', qw(pid oldcomm newcomm oom_score_adj) ], 238 => [ 'sched:sched_process_exit', qw(comm pid tgid prio) ],
	240 => [ 'sched:sched_process_free', qw(comm pid prio) ], 329 => [ 'raw_syscalls:sys_enter', qw(id args) ], 330 => [ 'raw_syscalls:sys_exit', qw(id ret) ],
	239 => [ 'sched:sched_process_fork', qw(parent_comm parent_pid child_comm child_pid) ],
	551 => [ 'timer:hrtimer_start', qw(hrtimer function expires softexpires mode) ], 553 => [ 'timer:hrtimer_expire_entry', qw(hrtimer now function) ], 554 => [ 'timer:hrtimer_expire_exit', 'hrtimer' ],
);

sub inflate { my ($bytes) = @_; return Compress::Zlib::uncompress($bytes) // die 'deflate' }

sub packets { my ($bytes) = @_; return map { my @f = fields($_->[1]); my ($z) = map { $_->[0] == 50 ? $_->[1] : () } @f; defined $z ? packets(inflate($z)) : [@f] } fields($bytes) }

# CPU → [time, name, { fields }, tid or undef, bundle]… of all events, also those of CompactSched, by time.
sub decode {
	my ($bytes) = @_;
	my (%cpus, $n);
	for my $packet (packets($bytes)) {
		for my $bundle (map { $_->[0] == 1 ? [ fields($_->[1]) ] : () } @$packet) {
			my ($cpu) = map { $_->[0] == 1 ? $_->[1] : () } @$bundle;
			$n++;
			for (@$bundle) {
				push @{$cpus{$cpu}}, [ event($_->[1]), $n ] if $_->[0] == 2;
				push @{$cpus{$cpu}}, map { [ @$_, undef, $n ] } compact($_->[1]) if $_->[0] == 4;
			}
		}
	}
	$_ = [ sort { $a->[0] <=> $b->[0] } @$_ ] for values %cpus;
	return \%cpus;
}

sub event {
	my ($bytes) = @_;
	my ($time, $tid, $number, $payload);
	for (fields($bytes)) {
		my ($field, $value) = @$_;
		if ($field == 1) { $time = $value } elsif ($field == 2) { $tid = $value } elsif ($field != 5) { ($number, $payload) = ($field, $value) }
	}
	my ($name, @names) = @{$events{$number} // [ "perfetto:event_$number" ]};
	return ($time, $name, { map { ($names[$_->[0] - 1] // $_->[0], $_->[1]) } fields($payload) }, $tid);
}

sub compact {
	my ($bytes) = @_;
	my (%run, @names);
	for (fields($bytes)) { if ($_->[0] == 5) { push @names, $_->[1] } else { $run{$_->[0]} = [ numbers($_->[1]) ] } }
	my ($at, @all) = (0);
	for my $i (0 .. $#{$run{1} // []}) {
		$at += $run{1}[$i];
		push @all, [ $at, 'sched:sched_switch', { prev_state => $run{2}[$i], next_pid => $run{3}[$i], next_prio => signed($run{4}[$i]), next_comm => $names[$run{6}[$i]] } ];
	}
	$at = 0;
	for my $i (0 .. $#{$run{7} // []}) {
		$at += $run{7}[$i];
		push @all, [ $at, 'sched:sched_waking', { pid => $run{8}[$i], target_cpu => $run{9}[$i], prio => signed($run{10}[$i]), comm => $names[$run{11}[$i]] } ];
	}
	return @all;
}

# ---- making ----

# HOW: sequence (of the events), compact, uid.
sub new { my ($class, %how) = @_; return bless { sequence => 5, compact => 0, packets => [], open => {}, ends => {}, before => 1, %how }, $class }

# A packet of BODY (fields); OF: sequence, time, machine, dropped, first, clock, flags (1: cleared, 2: needs what came before), interned and defaults (fields).
sub packet {
	my ($s, $body, %of) = @_;
	$body .= number(8, $of{time}) if defined $of{time};
	$body .= number(58, $of{clock}) if defined $of{clock};
	$body .= number(13, $of{flags}) if $of{flags};
	$body .= bytes(12, $of{interned}) if defined $of{interned};
	$body .= bytes(59, $of{defaults}) if defined $of{defaults};
	$body .= number(3, 0) . number(10, $of{sequence} // 1);
	$body .= number(42, 1) if $of{dropped};
	$body .= number(87, 1) if $of{first};
	$body .= number(98, $of{machine}) if $of{machine};
	push @{$s->{packets}}, $body;
}

# The time of day is AHEAD of BOOTTIME at TIME.
sub clocks { my ($s, $time, $ahead) = @_; $s->packet(bytes(6, join '', map { bytes(1, number(1, $_->[0]) . number(2, $_->[1])) } [ 6, $time ], [ 1, $time + $ahead ], [ 3, $time ])) }

sub system_info { my ($s, %of) = @_; $s->packet(bytes(45, bytes(1, bytes(1, 'Linux') . bytes(2, $of{version} // '#1 SMP') . bytes(3, $of{release} // '6.12.0') . bytes(4, $of{machine} // 'x86_64')) . bytes(4, $of{service} // 'Perfetto v56.0 (N/A)') . ($of{cpus} ? number(8, $of{cpus}) : ''))) }

# The packet with which the SDK begins a sequence: it resets the sequence's state, counts times in UNIT ns from TIME on, and puts events on TRACK.
sub begin {
	my ($s, $sequence, $time, $unit, $track, %of) = @_;
	$s->packet(bytes(6, bytes(1, number(1, 64) . number(2, int($time / $unit)) . number(3, 1) . number(4, $unit)) . bytes(1, number(1, $of{with} // 6) . number(2, $of{beside} // $time))),
		sequence => $sequence, flags => 1, defaults => number(58, 64) . bytes(11, number(11, $track)), %of);
}

# A track; OF: name, pid, tid, thread, process, parent, counter (fields).
sub track { my ($s, $uuid, %of) = @_; $s->packet(bytes(60, number(1, $uuid) . (defined $of{name} ? bytes(2, $of{name}) : '') . (defined $of{process} ? bytes(3, number(1, $of{pid}) . bytes(6, $of{process})) : '') . (defined $of{tid} ? bytes(4, number(1, $of{pid}) . number(2, $of{tid}) . bytes(5, $of{thread} // '')) : '') . (defined $of{parent} ? number(5, $of{parent}) : '') . (defined $of{counter} ? bytes(8, $of{counter}) : '')), sequence => $of{sequence} // 9) }

# A track event of TYPE (1 begin, 2 end, 3 instant, 4 counter; 0: given by the fields) and BODY, more fields.
sub act { my ($s, $sequence, $time, $type, $body, %of) = @_; $s->packet(bytes(11, ($type ? number(9, $type) : '') . $body), sequence => $sequence, time => $time, flags => 2, %of) }
sub name { my ($number, $text) = @_; return bytes(2, number(1, $number) . bytes(2, $text)) }
sub fixed64 { my ($field, $n) = @_; return varint($field << 3 | 1) . pack 'Q<', $n }
sub double { my ($field, $x) = @_; return varint($field << 3 | 1) . pack 'd<', $x }

# Data sources of ftrace, each a list of patterns; more fields of FtraceConfig in MORE.
sub config { my ($s, $more, @sources) = @_; $s->packet(bytes(33, join '', map { bytes(2, bytes(1, bytes(1, 'linux.ftrace') . bytes(100, $more . join '', map { bytes(1, $_) } @$_))) } @sources)) }

# [pid, ppid, name or undef, command line], and threads: [tid, tgid].
sub tree { my ($s, $time, $processes, $threads) = @_; $s->packet(bytes(2, join('', map { number(1, 0) x 0 . bytes(1, number(1, $_->[0]) . number(2, $_->[1]) . bytes(3, $_->[2] // $_->[3]) . (defined $_->[2] ? number(9, 1) : '')) } @$processes) . join '', map { bytes(2, number(1, $_->[0]) . number(3, $_->[1])) } @$threads), time => $time) }

# The kernel's counts for the ring buffer of each CPU: [overrun, dropped]…; PHASE: 1 at the begin, 2 at the end.
sub stats { my ($s, $phase, $rings, @failed) = @_; $s->packet(bytes(34, number(1, $phase) . join('', map { bytes(2, number(1, $_) . number(3, $rings->[$_][0]) . number(8, $rings->[$_][1])) } 0 .. $#$rings) . join '', map { bytes(7, $_) } @failed), sequence => $s->{sequence}) }

# An event at TIME on CPU, while TID ran; NUMBER and PAYLOAD of its field.
sub raw_event { my ($s, $time, $cpu, $tid, $number, $payload) = @_; my $o = $s->{open}{$cpu} //= { events => '', sw => [], wk => [], last => 0 }; $o->{last} = $time if $time > $o->{last}; $o->{events} .= bytes(2, number(1, $time) . number(2, $tid) . bytes($number, $payload)) }

sub typed { my ($s, $time, $cpu, $tid, $number, @values) = @_; my $i = 0; $s->raw_event($time, $cpu, $tid, $number, join '', map { $i++; !defined $_ ? () : /^-?\d+$/ ? number($i, $_) : bytes($i, $_) } @values) }

# [name, tid]: PREV leaves CPU for NEXT.
sub switch {
	my ($s, $time, $cpu, $prev, $state, $next) = @_;
	return $s->typed($time, $cpu, $prev->[1], 4, $prev->[0], $prev->[1], 120, $state, $next->[0], $next->[1], 120) if !$s->{compact};
	my $o = $s->{open}{$cpu} //= { events => '', sw => [], wk => [], last => 0 };
	$o->{last} = $time if $time > $o->{last};
	push @{$o->{sw}}, [ $time, $state, $next->[1], 120, $next->[0] ];
}

# BY, on CPU, wakes WHO for TARGET.
sub waking {
	my ($s, $time, $cpu, $by, $who, $target, $flags) = @_;
	return $s->typed($time, $cpu, $by->[1], 20, $who->[0], $who->[1], 120, undef, $target) if !$s->{compact};
	my $o = $s->{open}{$cpu} //= { events => '', sw => [], wk => [], last => 0 };
	$o->{last} = $time if $time > $o->{last};
	push @{$o->{wk}}, [ $time, $who->[1], $target, 120, $who->[0], $flags // 0 ];
}

# A generic event as older versions write it: name, fields as name and value.
sub named_event { my ($s, $time, $cpu, $tid, $name, @fields) = @_; my $all = bytes(1, $name); while (@fields) { my ($key, $value) = splice @fields, 0, 2; $all .= bytes(2, bytes(1, $key) . ($value =~ /^-?\d+$/ ? number($value < 0 ? 4 : 5, $value) : bytes(3, $value))) } $s->raw_event($time, $cpu, $tid, 327, $all) }

# A description, for the next bundle: its number, group, name, and fields as name and type.
sub describe { my ($s, $number, $group, $name, @fields) = @_; my ($all, $i) = (bytes(1, $name), 1); while (@fields) { my ($key, $type) = splice @fields, 0, 2; $all .= bytes(2, bytes(1, $key) . number(3, $i++) . number(4, 1) . number(5, $type)) } $s->{described} .= bytes(11, number(1, $number) . bytes(2, $all) . bytes(3, $group)) }

sub runs {
	my ($o) = @_;
	my (%index, @names, @field);
	my $name = sub { my ($text) = @_; return $index{$text} //= do { push @names, $text; $#names } };
	for my $run ([ 1, 2, 3, 4, 6, $o->{sw} ], [ 7, 8, 9, 10, 11, 12, $o->{wk} ]) {
		my ($at, $all) = (0, pop @$run);
		for my $e (@$all) {
			my @of = @$e;
			push @{$field[$run->[0]]}, $of[0] - $at;
			$at = $of[0];
			$of[4] = $name->($of[4]);
			push @{$field[$run->[$_]]}, $of[$_] for 1 .. $#of;
		}
	}
	return join('', map { $field[$_] ? packed($_, @{$field[$_]}) : '' } 1 .. $#field) . join '', map { bytes(5, $_) } @names;
}

# Write the events of CPU so far as a bundle.  OF: as for packet(); lost; before (undef: the end of the bundle before, '': left out); more (fields).
sub bundle {
	my ($s, $cpu, %of) = @_;
	my $o = delete $s->{open}{$cpu} // { events => '', sw => [], wk => [], last => 0 };
	my $before = exists $of{before} ? $of{before} : $s->{before} ? $s->{ends}{$cpu} // 0 : '';
	my $body = number(1, $cpu) . ($of{lost} ? number(3, 1) : '') . ($before ne '' ? number(10, $before) : '') . ($of{more} // '') . $o->{events};
	$body .= bytes(4, runs($o)) if @{$o->{sw}} || @{$o->{wk}};
	$body .= delete $s->{described} // '';
	$s->{ends}{$cpu} = $o->{last};
	return if $of{swallow};	# as if traced had lost it
	$s->packet(bytes(1, $body), sequence => $s->{sequence}, %of);
}

# All bundles that are open, by CPU.
sub flush { my ($s, @of) = @_; $s->bundle($_, @of) for sort { $a <=> $b } keys %{$s->{open}} }

# The trace; PACKED: 50 (deflate) or 133 (zstd), in pieces of N packets.
sub trace {
	my ($s, $packed, $n) = @_;
	my @all = map { bytes(1, $_) } @{$s->{packets}};
	return join '', @all if !$packed;
	my $out = '';
	while (my @some = splice @all, 0, $n // 10) { $out .= bytes(1, bytes($packed, $packed == 50 ? Compress::Zlib::compress(join '', @some) : zstd(join '', @some)) . number(3, 0) . number(10, 1)) }
	return $out;
}

sub zstd {
	my ($bytes) = @_;
	my $file = "$ENV{TMPDIR}/zstd.$$";
	open my $f, '>:raw', $file or die;
	print $f $bytes;
	close $f;
	my $out = `zstd -q -c '$file'`;
	unlink $file;
	return $out;
}

1;
