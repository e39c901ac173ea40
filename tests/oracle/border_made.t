#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Interrupts between virtual CPUs, and similar ones, in a guest and a host that are made here, so everything is known: the posting thread, when the interrupt
# was taken, what the guest did meanwhile. All times below are the host's, in us after a round of 10 ms begins; the guest's clock is two hours ahead.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools", "$ENV{TOP}/tests/oracle";
use Wake;
use Made;
use Test::More;
use List::Util qw(uniq);

my ($u8, $u16, $u32, $u64) = map { "integer { size = $_; align = 8; signed = false; }" } 8, 16, 32, 64;
my @accept = ("$u32 apicid; $u16 dm; $u16 tm; $u8 vec;", 'L<S<S<C');
Made::also(kvm_x86_apic_ipi => ["$u32 icr_low; $u32 dest_id;", 'L<L<'], kvm_msi_set_irq => ["$u64 address; $u64 data;", 'Q<Q<'],
	kvm_x86_apic_accept_irq => [@accept], kvm_x86_apicv_accept_irq => [@accept],
	kvm_x86_inj_virq => ["$u32 irq;", 'L<'], kvm_x86_eoi => ["$u32 apicid; $u32 vector;", 'L<L<'],
	map { ("x86_irq_vectors_call_function_single_$_" => ["$u32 vector;", 'L<']) } qw(entry exit));

my $second = 1000000000;
my $epoch = 1700000000;
my $ahead = 7200;
my (@host, @guest, @ticks);

# Thread TO gets CPU from FROM, which is left in STATE.
sub switch_of { my ($time, $cpu, $from, $state, $to) = @_; return [$time, $cpu, 'sched_switch', "t$from", $from, 20, $state, "t$to", $to, 20] }

# The state dump: thread TID of process PID is called NAME.
sub process { my ($time, $tid, $pid, $name) = @_; return [$time, 0, 'lttng_statedump_process_state', $tid, $pid, 1, $name, 0, 5, 0, 5, 0] }

# ROUNDS rounds: t112 (CPU 1 of the guest, virtual CPU of t12, host CPU 1) wakes t111 (CPU 0, virtual CPU of t11, host CPU 0) by an IPI.
#   0     11 enters its guest, idle there; 12 enters its, where t112 runs
#   100   11 leaves for HLT, 120 it sleeps
#   300 + jitter  t112 has a function called on CPU 0, which wakes t111: 12 leaves (305), kvm_apic_ipi 310, accept vec 251 for APIC 0 at 312, which wakes thread 11 at 313; 12 enters at 320
#   330   a tick of CPU 1, while 11 is not inside
#   350   11 has its CPU, inject 251 at 355, enters at 360, the guest handles call_function_single at 366 - 370, and t111 runs from 372 on
#   500   the monitor, thread 10 on CPU 2, posts vector 41 to APIC 1, which the processor gives to its guest: line 25 at 503 - 505 wakes t113, which runs from 506 to 600
#   800   t111 sleeps again; 900 both leave
my $rounds = 300;
srand(7);
for my $round (0 .. $rounds - 1) {
	my $t = $second + $round * 10000000 + int rand 3000000;
	my $at = sub { return $t + int($_[0] * 1000) };
	my $j = int rand 200;
	my $k = sub { return $t + int(($_[0] + $j) * 1000) };
	push @host, switch_of($at->(-10), 0, 0, 0, 11), [$at->(0), 0, 'kvm_x86_entry', 7], switch_of($at->(-10), 1, 0, 0, 12), [$at->(0), 1, 'kvm_x86_entry', 7];
	push @guest, switch_of($at->(6 + rand 3), 1, 0, 0, 112), [$at->(20), 1, 'x86_irq_vectors_local_timer_entry', 236], [$at->(24), 1, 'x86_irq_vectors_local_timer_exit', 236];
	push @guest, [$at->(6 + rand 3), 0, 'x86_irq_vectors_local_timer_entry', 236], [$at->(10), 0, 'x86_irq_vectors_local_timer_exit', 236];
	push @host, [$at->(100), 0, 'kvm_x86_eoi', 0, 236], [$at->(101), 0, 'kvm_x86_exit', 0x78, 2], switch_of($at->(120), 0, 11, 1, 0);
	push @host, [$k->(305), 1, 'kvm_x86_exit', 0x7c, 2], [$k->(310), 1, 'kvm_x86_apic_ipi', 251, 0], [$k->(312), 1, 'kvm_x86_apic_accept_irq', 0, 0, 0, 251],
		[$k->(313), 1, 'sched_waking', 't11', 11, 20, 0], [$k->(320), 1, 'kvm_x86_entry', 7];
	push @host, switch_of($k->(350), 0, 0, 0, 11), [$k->(355), 0, 'kvm_x86_inj_virq', 251], [$k->(360), 0, 'kvm_x86_entry', 7];
	push @guest, [$k->(366), 0, 'x86_irq_vectors_call_function_single_entry', 251], [$k->(368), 0, 'sched_waking', 't111', 111, 20, 0], [$k->(370), 0, 'x86_irq_vectors_call_function_single_exit', 251];
	push @host, switch_of($at->(-5), 2, 0, 0, 10), [$k->(499), 2, 'kvm_msi_set_irq', 0, 41], [$k->(500), 2, 'kvm_x86_apic_accept_irq', 1, 0, 0, 41],
		[$k->(501), 2, 'kvm_x86_apicv_accept_irq', 1, 0, 0, 41], switch_of($k->(700), 2, 10, 1, 0);
	push @ticks, [$k->(330), 1, 'x86_irq_vectors_local_timer_entry', 236], [$k->(332), 1, 'x86_irq_vectors_local_timer_exit', 236];
	push @guest, [$k->(503), 1, 'irq_handler_entry', 25, 'virtio0-req.0'], [$k->(504), 1, 'sched_waking', 't113', 113, 20, 1], [$k->(505), 1, 'irq_handler_exit', 25, 1],
		switch_of($k->(506), 1, 112, 0, 113), switch_of($k->(600), 1, 113, 1, 112);
	push @guest, switch_of($k->(372), 0, 0, 0, 111), switch_of($k->(800), 0, 111, 1, 0), switch_of($k->(880), 1, 112, 1, 0);
	push @host, [$k->(900), 0, 'kvm_x86_eoi', 0, 251], [$k->(901), 0, 'kvm_x86_exit', 0x78, 2], switch_of($k->(910), 0, 11, 1, 0);
	push @host, [$k->(900), 1, 'kvm_x86_eoi', 1, 236], [$k->(901), 1, 'kvm_x86_exit', 0x78, 2], switch_of($k->(910), 1, 12, 1, 0);
}
unshift @host, map { process($second - 1000000 + $_->[0], @$_) } [10, 10, 'qemu'], [11, 10, 't11'], [12, 10, 't12'];
my $host = Made::trace("$ENV{TMPDIR}/host", { host => 'host', epoch => $epoch }, @host);
my $guest = Made::trace("$ENV{TMPDIR}/guest", { host => 'guest', epoch => $epoch + $ahead }, @guest, @ticks);

my $posts = json_of(wakepath('wakeups', $host, '--vcpu', 11, '--format', 'json'))->{wakeups};
is(scalar @$posts, $rounds, 'the first virtual CPU gets an interrupt in each round');
is(scalar(grep { $_->{source}{virq}{vector} == 251 && $_->{source}{virq}{by} eq 'ipi' && $_->{tid} == 12 && $_->{ran_at} - $_->{time} == 48000 } @$posts), $rounds, '… an IPI of the other one');
is(scalar(grep { $_->{source}{virq}{grade} eq 'proved' } @$posts), $rounds, '… which is proved');
my ($machine) = @{ json_of(wakepath('machines', $host, $guest, '--format', 'json'))->{machines} };
is(join(', ', map { "$_->{tid}=" . ($_->{guest_cpu} // '-') } @{ $machine->{vcpus} }), '11=0, 12=1', 'each virtual CPU has its CPU of the guest');
my ($halt) = grep { ($_->{vector} // 0) == 251 } @{ $machine->{vcpus}[0]{halts} };
is("$halt->{kind} $halt->{grade} $halt->{count} $halt->{tid}", "ipi proved $rounds 12", 'the IPIs end halts');

# The path of the guest's thread over its waits.
my $path = json_of(wakepath('path', $host, $guest, '--thread', 'guest/111', '--format', 'json'));
my @s = @{ $path->{segments} };
my ($at, $holes) = ($path->{from}, 0);
for (@s) { $holes += $_->{from} != $at; $at = $_->{to} }
is($holes + ($at != $path->{to}), 0, 'the path has each nanosecond once');
my @vm = grep { $s[$_]{kind} eq 'vm-interrupt' } 0 .. $#s;
cmp_ok(scalar @vm, '>=', $rounds - 1, 'each wake-up by IPI comes through the host');
my (%before, $off);
$off = 0;
for (grep { $_ > 1 } @vm) {
	$before{ join ' < ', map { "$_->{host} $_->{tid} $_->{kind}" } @s[$_ - 1, $_ - 2] }++;
	$off++ if abs($s[$_]{to} - $s[$_]{from} - 54000) > $s[$_]{error};
}
is(join(', ', sort keys %before), 'host 12 running < guest 112 running', 'each is posted by the other virtual CPU, for the thread that it ran') or diag(explain(\%before));
is($off, 0, 'each is 54 us on its way, within the error of the clock');

# The processor delivers the monitor's posts: there is no injection, and the time of delivery is inferred.
my @direct = @{ json_of(wakepath('wakeups', $host, '--vcpu', 12, '--format', 'json'))->{wakeups} };
is(scalar(grep { $_->{source}{virq}{vector} == 41 && $_->{source}{virq}{by} eq 'msi' && $_->{tid} == 10 && $_->{ran_at} == $_->{time} && $_->{source}{virq}{grade} eq 'inferred' } @direct),
	$rounds - 1, 'interrupts without injection are taken while the guest runs, except the first: its APIC was not known yet');
@s = @{ json_of(wakepath('path', $host, $guest, '--thread', 'guest/113', '--format', 'json'))->{segments} };
@vm = grep { $_ > 0 && $s[$_]{kind} eq 'vm-interrupt' } 0 .. $#s;
cmp_ok(scalar @vm, '>=', $rounds - 2, 'they are on the path of the guest');
is(join(', ', uniq(map { "$s[$_ - 1]{host} $s[$_ - 1]{tid} $s[$_]{grade}" } @vm)), 'host 10 inferred', '… posted by the monitor');

# Without these ticks each CPU of the guest fits inside both virtual CPUs: wakepath assigns neither, and says so.
my $alike = Made::trace("$ENV{TMPDIR}/alike", { host => 'alike', epoch => $epoch + $ahead }, @guest);
my $r = wakepath('machines', $host, $alike, '--format', 'json');
is_deeply([map { $_->{guest_cpu} } map { @{$_->{vcpus}} } @{json_of($r)->{machines}}], [undef, undef], 'virtual CPUs that fit two CPUs get none');
like($r->{err}, qr/alike: has an unrelated clock/, '… and the guest stands apart');
done_testing;
