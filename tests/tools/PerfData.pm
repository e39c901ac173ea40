# SPDX-License-Identifier: MIT
# Makes files of perf record (tools/perf/Documentation/perf.data-file-format.txt, include/uapi/linux/perf_event.h).
package PerfData;
use strict;
use warnings;
no warnings qw(portable overflow);	# numbers of 64 bits

use constant { MMAP => 1, LOST => 2, COMM => 3, EXIT => 4, FORK => 7, SAMPLE => 9, CGROUP => 19, LOST_SAMPLES => 13, SWITCH => 14, SWITCH_CPU_WIDE => 15, ATTR => 64, TRACING_DATA => 66, ROUND => 68, ID_INDEX => 69, AUXTRACE => 71, FEATURE => 80,
	COMPRESSED => 81, COMPRESSED2 => 83 };
my %bit = (ip => 1, tid => 2, time => 4, addr => 8, read => 16, chain => 32, id => 64, cpu => 128, period => 256, stream => 512, raw => 1024, identifier => 65536,
	cgroup => 1 << 21, data_page => 1 << 22, code_page => 1 << 23);

# Fields of tracepoints: [name, declaration, bytes, signed]; all events begin with these four.
my @common = (['common_type', 'unsigned short common_type', 2, 0], ['common_flags', 'unsigned char common_flags', 1, 0],
	['common_preempt_count', 'unsigned char common_preempt_count', 1, 0], ['common_pid', 'int common_pid', 4, 1]);
our %events = (
	'sched:sched_switch' => [316, ['prev_comm', 'char prev_comm[16]', 16, 0], ['prev_pid', 'pid_t prev_pid', 4, 1], ['prev_prio', 'int prev_prio', 4, 1], ['prev_state', 'long prev_state', 8, 1],
		['next_comm', 'char next_comm[16]', 16, 0], ['next_pid', 'pid_t next_pid', 4, 1], ['next_prio', 'int next_prio', 4, 1]],
	'timer:hrtimer_expire_entry' => [330, ['hrtimer', 'void *hrtimer', 8, 0], ['now', 's64 now', 8, 1], ['function', 'void *function', 8, 0]],
	'timer:hrtimer_expire_exit' => [331, ['hrtimer', 'void *hrtimer', 8, 0]],
	'raw_syscalls:sys_enter' => [443, ['id', 'long id', 8, 1], ['args', 'unsigned long args[6]', 48, 0]],
	'raw_syscalls:sys_exit' => [442, ['id', 'long id', 8, 1], ['ret', 'long ret', 8, 1]],
	'sched:sched_waking' => [318, ['comm', 'char comm[16]', 16, 0], ['pid', 'pid_t pid', 4, 1], ['prio', 'int prio', 4, 1], ['target_cpu', 'int target_cpu', 4, 1]],
);

# Events that are no tracepoints: [type, number].
our %counters = ('cpu-clock' => [1, 0], 'page-faults' => [1, 2], dummy => [1, 9], cycles => [0, 0], instructions => [0, 1]);

# HOW: switches (the file has records of switches), release; big (big-endian), pipe, sample (parts of a sample: names of %bit), clock (id), period, all (records other than samples have times),
# wall [ns of the day, of the clock], names (of events, may repeat), group (events that are read together), online (CPUs), index ([cpu, tid]…), packed (type of the compressed records), piece (bytes in each of them), attr_size.
sub new {
	my ($class, %how) = @_;
	my $self = bless { sample => [qw(identifier ip tid time cpu period raw)], period => 1, all => 1, attr_size => 136, names => [qw(sched:sched_switch sched:sched_waking)], %how, records => '' }, $class;
	return $self;
}

sub u16 { my ($s, $n) = @_; return pack $s->{big} ? 'S>' : 'S<', $n }
sub u32 { my ($s, @n) = @_; return pack $s->{big} ? 'L>*' : 'L<*', map { $_ & 0xffffffff } @n }
sub u64 { my ($s, @n) = @_; return pack $s->{big} ? 'Q>*' : 'Q<*', @n }
sub has { my ($s, $part) = @_; return grep { $_ eq $part } @{$s->{sample}} }

sub record { my ($s, $type, $body, $misc) = @_; $body .= "\0" x (-length($body) % 8) if $type < 64; return $s->u32($type) . $s->u16($misc // 0) . $s->u16(8 + length $body) . $body }
sub add { my ($s, @rest) = @_; $s->{records} .= $s->record(@rest) }

# The parts of a sample before those of variable size, and the parts at the end of other records, in order.
my @before = qw(identifier ip tid time addr id stream cpu period);
my @behind = qw(tid time id stream cpu identifier);
sub part {
	my ($s, $part, $of) = @_;
	return $s->u32($of->{pid} // 0, $of->{tid} // 0) if $part eq 'tid';
	return $s->u32($of->{cpu} // 0, 0) if $part eq 'cpu';
	my %number = (identifier => $of->{id}, id => $of->{id}, ip => 0xffffffff81234567, time => $of->{time}, period => 1, addr => 0, stream => 9);
	return $s->u64($number{$part} // 0);
}

# The event NAME with FIELDS, in thread TID of process PID on CPU at TIME; ids are 10 × the number of the event, and the CPU.
sub event {
	my ($s, $name, $time, $cpu, $pid, $tid, $fields, @chain) = @_;
	my @is = grep { $s->{names}[$_] eq $name } 0 .. $#{$s->{names}};
	for my $i (@is) { $s->sample($i, $name, $time++, $cpu, $pid, $tid, $fields, @chain) }
}

sub sample {
	my ($s, $i, $name, $time, $cpu, $pid, $tid, $fields, @chain) = @_;
	my %of = (id => 10 * ($i + 1) + $cpu, time => $time, cpu => $cpu, pid => $pid, tid => $tid);
	my $raw = $s->u16($events{$name}[0]) . "\1\2" . $s->u32($tid);
	for my $f (@{$events{$name}}[1 .. $#{$events{$name}}]) {
		my $value = $fields->{$f->[0]};
		$raw .= $f->[2] == 48 ? $s->u64(@$value) : $f->[2] == 16 ? pack 'a16', $value : $f->[2] == 8 ? $s->u64($value) : $s->u32($value);
	}
	my $body = join '', map { $s->part($_, \%of) } grep { $s->has($_) } @before;
	$body .= $s->{group} ? $s->group($cpu) : $s->u64(1, 2, 3) if $s->has('read');	# value, id, lost
	$body .= $s->u64(scalar @chain, @chain) if $s->has('chain');
	$raw .= "\0" x ((4 - length $raw) % 8);
	$body .= $s->u32(length $raw) . $raw;
	$body .= $s->u64($s->{cgroups}{$tid} // 1) if $s->has('cgroup');
	$body .= $s->u64(4096) for grep { $s->has($_) } qw(data_page code_page);
	$s->add(SAMPLE, $body);
}

# The values of the events {group}, read together on CPU: {values}, NAME → value; {times}: [enabled, running] before them.
sub group {
	my ($s, $cpu) = @_;
	my %i = map { $s->{names}[$_] => $_ } 0 .. $#{$s->{names}};
	return $s->u64(scalar @{$s->{group}}, @{$s->{times} // []}, map { ($s->{values}{$_} // 1, $s->{ids}{$_} // 10 * ($i{$_} + 1) + $cpu) } @{$s->{group}});
}

# The control group ID has PATH.  $s->{cgroups} has the groups of threads: TID → ID.
sub cgroup { my ($s, $id, $path) = @_; $path .= "\0"; $s->other(CGROUP, $s->u64($id) . $path . "\0" x (-length($path) % 8), 0, time => 0) }

# A sample of the counter NAME; VALUES: of the group that it leads, name and value.
sub count {
	my ($s, $name, $time, $cpu, $pid, $tid, @values) = @_;
	my %i = map { $s->{names}[$_] => $_ } 0 .. $#{$s->{names}};
	my %of = (id => 10 * ($i{$name} + 1) + $cpu, time => $time, cpu => $cpu, pid => $pid, tid => $tid);
	my $body = join '', map { $s->part($_, \%of) } grep { $s->has($_) } @before;
	$body .= $s->u64(@values / 2, map { ($values[2 * $_ + 1], 10 * ($i{$values[2 * $_]} + 1) + $cpu) } 0 .. @values / 2 - 1) if $s->has('read');
	$s->add(SAMPLE, $body);
}

# A thread is switched in or out (WAY: in, out, preempt); OTHER: [process, thread] before or after it, if the whole CPU is recorded.
sub switch {
	my ($s, $time, $cpu, $pid, $tid, $way, $other) = @_;
	my %misc = (in => 0, out => 1 << 13, preempt => 3 << 13);
	$s->other($other ? SWITCH_CPU_WIDE : SWITCH, $other ? $s->u32(@$other) : '', $misc{$way}, id => 10 + $cpu, time => $time, cpu => $cpu, pid => $pid, tid => $tid);
}
sub exit { my ($s, $time, $cpu, $pid, $tid) = @_; $s->other(EXIT, $s->u32($pid, $pid, $tid, $tid) . $s->u64($time), 0, id => 10 + $cpu, time => $time, cpu => $cpu, pid => $pid, tid => $tid) }

# A record other than a sample.
sub other { my ($s, $type, $body, $misc, %of) = @_; $body .= "\0" x (-length($body) % 8); $s->add($type, $body . ($s->{all} ? join '', map { $s->part($_, \%of) } grep { $s->has($_) } @behind : ''), $misc) }
sub lost { my ($s, $n, $time, $cpu) = @_; $s->other(LOST, $s->u64(0, $n), 0, id => 10 + $cpu, time => $time, cpu => $cpu) }
sub told { my ($s, $n, $cpu) = @_; $s->other(LOST_SAMPLES, $s->u64($n), 0, id => 10 + $cpu, time => 0, cpu => $cpu) }
sub comm { my ($s, $time, $cpu, $pid, $tid, $name, $misc) = @_; $s->other(COMM, $s->u32($pid, $tid) . "$name\0", $misc, id => $time ? 10 + $cpu : 0, time => $time, cpu => $cpu, pid => $pid, tid => $tid) }
sub fork { my ($s, $time, $cpu, $pid, $ppid, $tid, $ptid) = @_; $s->other(FORK, $s->u32($pid, $ppid, $tid, $ptid) . $s->u64($time), 0, id => $time ? 10 + $cpu : 0, time => $time, cpu => $cpu, pid => $ppid, tid => $ptid) }
sub round { my ($s) = @_; $s->add(ROUND, '') }
# AUX data of a hardware trace, this many zero bytes, outside compressed records.  spew_with_holes() writes the file.
sub aux { my ($s, $bytes) = @_; $s->add(AUXTRACE, $s->u64($bytes, 0, 0) . $s->u32(0, 0, 0, 0)); push @{$s->{holes}}, [length $s->{records}, $bytes]; $s->{zeros} += $bytes }
sub spew_with_holes {
	my ($s, $file) = @_;
	my $bytes = $s->bytes;
	my ($begin, $at) = (index($bytes, $s->{records}), 0);
	open my $out, '>:raw', $file or die;
	for my $hole (@{$s->{holes}}) {
		print $out substr $bytes, $at, $begin + $hole->[0] - $at or die;
		seek $out, $hole->[1], 1 or die;
		$at = $begin + $hole->[0];
	}
	print $out substr $bytes, $at or die;
	close $out or die;
}

sub format_of {
	my ($name) = @_;
	my ($id, @fields) = @{$events{$name}};
	my $at = 0;
	my $text = 'name: ' . ($name =~ s/.*://r) . "\nID: $id\nformat:\n";
	for my $f (@common, @fields) {
		$at += -$at % $f->[2] if $f->[2] <= 8;
		$at += -$at % 8 if $f->[2] == 48;
		$text .= "\tfield:$f->[1];\toffset:$at;\tsize:$f->[2];\tsigned:$f->[3];\n" . ($f->[0] eq 'common_pid' ? "\n" : '');
		$at += $f->[2];
	}
	return "$text\nprint fmt: \"\"\n";
}

sub tracing_data {
	my ($s) = @_;
	my (%texts, %once);
	push @{$texts{(split /:/)[0]}}, format_of($_) for grep { $events{$_} && !$once{$_}++ } @{$s->{names}};
	return "\x17\x08\x44tracing0.6\0" . ($s->{big} ? "\1" : "\0") . "\x08" . $s->u32(4096) . "header_page\0" . $s->u64(0) . "header_event\0" . $s->u64(0) . $s->u32(0) .
		$s->u32(scalar keys %texts) . join('', map { "$_\0" . $s->u32(scalar @{$texts{$_}}) . join '', map { $s->u64(length) . $_ } @{$texts{$_}} } sort keys %texts) .
		$s->u32(0) . $s->u32(0) . $s->u64(0);
}

sub attr {
	my ($s, $i) = @_;
	my $type = 0;
	$type |= $bit{$_} for @{$s->{sample}};
	my $flags = 0;
	my $counter = $counters{$s->{names}[$i]};
	$type &= ~$bit{raw} if $counter;
	$flags |= 1 << ($s->{big} ? 63 - $_ : $_) for ($s->{all} ? 18 : ()), ($s->{switches} && $i == 0 ? 26 : ()), (defined $s->{clock} ? 25 : ()), ($s->{overwrites} ? 27 : ());
	my $attr = $s->u32($counter ? $counter->[0] : 2, $s->{attr_size}) . $s->u64($counter ? $counter->[1] : $events{$s->{names}[$i]}[0], $s->{period}, $type, $s->{group} ? 12 | ($s->{times} ? 3 : 0) : $counter ? 4 | 8 : 4 | 16, $flags) . $s->u32(0, 0) . $s->u64((0) x 3) . $s->u64(0) . $s->u32(0, $s->{clock} // 0);
	return substr $attr . "\0" x 200, 0, $s->{attr_size};
}
sub ids { my ($s, $i) = @_; return $s->u64(map { 10 * ($i + 1) + $_ } 0 .. 7) }

sub text { my ($s, $text) = @_; return $s->u32(64) . pack 'a64', $text }

# The other features of the file: number → bytes.
sub features {
	my ($s) = @_;
	return {
		1 => $s->tracing_data, 3 => $s->text('box'), 4 => $s->text($s->{release} // '6.1.0'), 5 => $s->text('6.1.187'), 6 => $s->text($s->{machine} // 'x86_64'), 7 => $s->u32(8, $s->{online} // 2),
		11 => $s->u32(2) . $s->text('perf') . $s->text($s->{option} // 'record'),
		($s->{packed} ? (27 => $s->u32(1, 1, 1, 5, 4096)) : ()),
		($s->{wall} ? (29 => $s->u32(1, $s->{clock} // 0) . $s->u64(@{$s->{wall}})) : ()),
	};
}

# All records in compressed records of EACH bytes, as one zstd stream.
sub packed {
	my ($s, $records, $each) = @_;
	open my $out, '>:raw', "$ENV{TMPDIR}/records" or die;
	print $out $records;
	close $out;
	my $bytes = `zstd -q -c '$ENV{TMPDIR}/records'`;
	my $all = '';
	while (length $bytes) {
		my $some = substr $bytes, 0, $each, '';
		if ($s->{packed} == COMPRESSED2) {
			my $body = $s->u64(length $some) . $some;
			$all .= $s->record(COMPRESSED2, $body . "\0" x (-length($body) % 8));
		} else {
			$all .= $s->record(COMPRESSED, $some);
		}
		$all .= $s->record(ROUND, '');
	}
	return $all;
}

sub bytes {
	my ($s) = @_;
	my $records = '';
	$records .= $s->record(ID_INDEX, $s->u64(scalar @{$s->{index}}) . join '', map { $s->u64(1, 0, $_->[0] & 0xffffffffffffffff, $_->[1] & 0xffffffffffffffff) } @{$s->{index}}) if $s->{index};
	$records .= $s->{packed} ? $s->packed($s->{records}, $s->{piece} // 100) : $s->{records};
	my $features = $s->features;
	my $n = @{$s->{names}};
	if ($s->{pipe}) {
		my $head = $s->u64(0x32454c4946524550, 16) . join '', map { $s->record(ATTR, $s->attr($_) . $s->ids($_)) } 0 .. $n - 1;
		for my $f (sort { $a <=> $b } grep { $_ != 1 } keys %$features) { $head .= $s->record(FEATURE, $s->u64($f) . $features->{$f}) }
		my $tracing = $features->{1} . "\0" x (-length($features->{1}) % 8);
		return $head . $s->record(TRACING_DATA, $s->u32(length $tracing)) . $tracing . $records;
	}
	my $each = $s->{attr_size} + 16;
	my $ids = 104;
	my $attrs = $ids + 64 * $n;
	my $data = $attrs + $each * $n;
	my ($bits, $table, $parts) = (0, '', '');
	my $size = length($records) + ($s->{zeros} // 0);
	my $at = $data + $size + 16 * keys %$features;
	for my $f (sort { $a <=> $b } keys %$features) {
		$bits |= 1 << $f;
		$table .= $s->u64($at + length $parts, length $features->{$f});
		$parts .= $features->{$f};
	}
	return $s->u64(0x32454c4946524550, 104, $each, $attrs, $each * $n, $data, $size, 0, 0, $bits, 0, 0, 0) . join('', map { $s->ids($_) } 0 .. $n - 1) .
		join('', map { $s->attr($_) . $s->u64($ids + 64 * $_, 64) } 0 .. $n - 1) . $records . $table . $parts;
}

1;
