#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Guests whose clocks are known, made here: two machines on one host, one of two virtual CPUs, one that takes turns with it on a CPU; clocks that are
# hours apart and drift; a stranger that is the guest of another host. Which is whose, and each clock, follow from the stays inside alone.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Math::BigFloat;
use Test::More;

my $second = 1000000000;
my ($u32, $i32, $i64) = map { "integer { size = $_->[0]; align = 8; signed = $_->[1]; }" } [32, 'false'], [32, 'true'], [64, 'true'];
my $comm = 'integer { size = 8; align = 8; signed = false; encoding = UTF8; }';
my @classes = (
	['sched_switch', "$comm prev_comm[16]; $i32 prev_tid; $i32 prev_prio; $i64 prev_state; $comm next_comm[16]; $i32 next_tid; $i32 next_prio;", 'a16l<l<q<a16l<l<'],
	['sched_waking', "$comm comm[16]; $i32 tid; $i32 prio; $i32 target_cpu;", 'a16l<l<l<'],
	['x86_irq_vectors_local_timer_entry', "$i32 vector;", 'l<'], ['x86_irq_vectors_local_timer_exit', "$i32 vector;", 'l<'],
	['kvm_x86_entry', "$u32 vcpu_id;", 'L<'], ['kvm_x86_exit', "$u32 exit_reason; $u32 isa;", 'L<L<'],
	['lttng_statedump_process_state', "$i32 tid; $i32 pid; $i32 ppid; $comm name[16]; $i32 type; $i32 mode; $i32 submode; $i32 status; $u32 cpu;", 'l<l<l<a16l<l<l<l<L<'],
);
my %class = map { $classes[$_][0] => [$_, $classes[$_][2]] } 0 .. $#classes;

# A trace of HOST, whose clock began at 1970 plus OFFSET seconds; events [time, cpu, name, fields…] in any order. Its folder.
sub trace {
	my ($host, $offset, @events) = @_;
	my $folder = "$ENV{TMPDIR}/$host";
	my %bytes;
	my ($first, $last);
	for (sort { $a->[0] <=> $b->[0] } @events) {
		my ($time, $cpu, $name, @fields) = @$_;
		$first //= $time;
		$last = $time;
		$bytes{$cpu} .= pack('L<Q<', $class{$name}[0], $time) . pack($class{$name}[1], @fields);
	}
	system('mkdir', '-p', $folder) == 0 or die;
	spew("$folder/metadata", <<END . join '', map { "event { id = $_; name = \"$classes[$_][0]\"; stream_id = 0; fields := struct { $classes[$_][1] }; };\n" } 0 .. $#classes);
/* CTF 1.8 */
trace { major = 1; minor = 8; byte_order = le; packet.header := struct { $u32 magic; $u32 stream_id; }; };
env { hostname = "$host"; domain = "kernel"; kernel_release = "6.1.0"; tracer_name = "lttng-modules"; };
clock { name = mono; freq = $second; offset_s = $offset; };
typealias integer { size = 64; align = 8; map = clock.mono.value; } := ts_t;
stream { id = 0; packet.context := struct { ts_t timestamp_begin; ts_t timestamp_end; integer { size = 64; align = 8; } content_size; integer { size = 64; align = 8; } packet_size; $u32 cpu_id; };
	event.header := struct { $u32 id; ts_t timestamp; }; };
END
	for my $cpu (keys %bytes) {
		my $size = (8 + 36 + length $bytes{$cpu}) * 8;
		spew("$folder/k_$cpu", pack('L<L<Q<Q<Q<Q<L<', 0xc1fc1fc1, 0, $first, $last + 10, $size, $size, $cpu) . $bytes{$cpu});
	}
	return $folder;
}

sub between { my ($least, $most) = @_; return $least + int rand($most - $least) }

sub switch_of { my ($time, $cpu, $from, $state, $to) = @_; return [$time, $cpu, 'sched_switch', "t$from", $from, 20, $state, "t$to", $to, 20] }

# What happens from FROM on when the thread TID runs CPU of a guest for some stays on host CPU ON: into HOST and GUEST (by the host's clock). When it halts.
sub burst {
	my ($host, $guest, $from, $on, $tid, $cpu) = @_;
	my $t = $from + between(2000, 20000);
	my $stays = between(1, 12);
	push @$host, switch_of($from, $on, 0, 0, $tid);
	for my $stay (1 .. $stays) {
		my $ends = $t + between(20000, rand() < 0.3 ? 2000000 : 200000);
		push @$host, [$t, $on, 'kvm_x86_entry', 7];
		# Some 2 to 15 us pass on the way into the guest and back to what records there.
		my ($a, $b) = ($t + between(2000, 15000) / 2, $ends - between(2000, 15000) / 2);
		push @$guest, [int $a, $cpu, 'x86_irq_vectors_local_timer_entry', 236], [int($a) + 500, $cpu, 'x86_irq_vectors_local_timer_exit', 236];
		push @$guest, switch_of(int($a) + 900, $cpu, 0, 0, 100 + $cpu) if $stay == 1;
		push @$guest, switch_of(int($b), $cpu, 100 + $cpu, 1, 0) if $stay == $stays;
		push @$host, [$ends - 300, $on, 'x86_irq_vectors_local_timer_entry', 236], [$ends - 100, $on, 'x86_irq_vectors_local_timer_exit', 236] if $stay < $stays;
		push @$host, [$ends, $on, 'kvm_x86_exit', $stay < $stays ? 0x60 : 0x78, 2];
		$t = $ends + between(3000, 40000);
	}
	push @$host, switch_of($t, $on, $tid, 1, 0);
	return $t;
}

# Bursts of the virtual CPUs [TID, guest's CPU, list of the guest's events] in turn on host CPU ON, for some seconds.
sub busy {
	my ($host, $on, $seconds, @vcpus) = @_;
	my ($t, $i) = ($second, 0);
	while ($t < (1 + $seconds) * $second) {
		my ($tid, $cpu, $guest) = @{ $vcpus[$i++ % @vcpus] };
		push @$host, [$t, $on, 'sched_waking', "t$tid", $tid, 20, $on];
		$t = burst($host, $guest, $t + 1000, $on, $tid, $cpu) + between(50000, rand() < 0.2 ? 20000000 : 1500000);
	}
}

# The guest's events by its own clock, which shows SHIFT ns more at the first second and runs faster by PPM; those in [FROM, TO) of the host.
sub own_clock {
	my ($shift, $ppm, $from, $to, @events) = @_;
	return map { my ($t, @rest) = @$_; [$t + $shift + int(($t - $second) * $ppm / 1e6), @rest] } grep { $_->[0] >= $from && $_->[0] < $to } @events;
}

# How far CLOCK is from the truth at the host's time T (ns since 1970), where the guest's clock shows SHIFT more at 1970 + OFFSET + 1 s, and runs faster by PPM.
sub off {
	my ($clock, $offset, $t, $shift, $ppm) = @_;
	local $Math::BigFloat::accuracy = 60;
	my $guest = $offset * $second + $t + $shift + int(($t - $second) * $ppm / 1e6);
	return abs(Math::BigFloat->new($clock->{slope})->bmul($guest)->badd($clock->{offset_ns})->bsub($offset * $second + $t)->numify);
}

srand(20);
my (@host, @one, @two, @elsewhere, @stranger);
push @host, map { my ($tid, $pid, $name) = @$_; [$second - 1000 + $tid, 0, 'lttng_statedump_process_state', $tid, $pid, 1, $name, 0, 5, 0, 5, 0] }
	[10, 10, 'qemu-one'], [11, 10, 't11'], [12, 10, 't12'], [20, 20, 'qemu-two'], [21, 20, 't21'];
busy(\@host, 0, 4, [11, 0, \@one], [21, 0, \@two]);
busy(\@host, 1, 4, [12, 1, \@one]);
busy(\@elsewhere, 0, 4, [31, 0, \@stranger]);

my $epoch = 1700000000;
my %truth = (one => [7200, 12345, 40, 1.5, 4.5], two => [-86400, -777, -25, 1, 5]);	# seconds, ns and ppm ahead; recorded from, to
my $host = trace('host', $epoch, @host);
my %guest = map { my ($hours, $shift, $ppm, $from, $to) = @{ $truth{$_} };
	($_ => trace($_, $epoch + $hours, own_clock($shift, $ppm, $from * $second, $to * $second, @{ { one => \@one, two => \@two }->{$_} }))) } keys %truth;
my $stranger = trace('stranger', $epoch, own_clock(3600, 5, $second, 5 * $second, @stranger));

my $r = wakepath('machines', $host, $guest{two}, $stranger, $guest{one}, '--format', 'json');
is($r->{status}, 0, 'machines answers') or diag($r->{err});
my @machines = sort { $a->{pid} <=> $b->{pid} } @{ json_of($r)->{machines} };
is(join(', ', map { "$_->{pid} $_->{name}" } @machines), '10 qemu-one, 20 qemu-two', 'two machines');
is(join(', ', map { $_->{guest} // '-' } @machines), 'one, two', 'and which guest is whose');
is(join(', ', map { my $m = $_; map { "$_->{tid}=" . ($_->{guest_cpu} // '-') } sort { $a->{tid} <=> $b->{tid} } @{ $m->{vcpus} } } @machines), '11=0, 12=1, 21=0', 'and which CPU of it');
for my $m (@machines) {
	my $clock = $m->{clock};
	ok($clock, "$m->{name}: its clock is found") or next;
	my ($hours, $shift, $ppm, $from, $to) = @{ $truth{ $m->{guest} } };
	is($clock->{events_outside}, 0, "$m->{guest}: nothing outside");
	cmp_ok($clock->{error_ns_max}, '<', 20000, "$m->{guest}: within 20 us");
	cmp_ok(off($clock, $epoch, int($_ * $second), $hours * $second + $shift, $ppm), '<=', $clock->{error_ns_max}, "$m->{guest}: right at $_ s") for $from, ($from + $to) / 2, $to;
}
my %quality = map { $_->{host} => $_->{quality} } @{ json_of(wakepath('sync', $host, $guest{two}, $stranger, $guest{one}, '--format', 'json'))->{hosts} };
is($quality{stranger}, 'absent', 'the stranger is nobody\'s guest');

# A host of which KVM was not recorded: threads called as monitors call those of virtual CPUs tell that there are some.
my $advice = sub { return map { $_->{command} } grep { $_->{event} eq 'kvm_*' } map { @{ $_->{advice} } } @{ json_of(wakepath('info', $_[0], '--format', 'json'))->{traces} } };
my $silent = trace('silent', $epoch, [$second, 0, 'sched_switch', 'swapper/0', 0, 20, 0, 'CPU 0/KVM', 30, 20], [2 * $second, 0, 'sched_switch', 'CPU 0/KVM', 30, 20, 1, 'swapper/0', 0, 20]);
is(join(', ', $advice->($silent)), "lttng enable-event -k 'kvm_*'", 'info says how to record it');
is(join(', ', $advice->($host)), '', 'but not where it was recorded');
is(join(', ', $advice->($stranger)), '', 'nor where no machine runs');
done_testing;
