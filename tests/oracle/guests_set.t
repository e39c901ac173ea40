#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Guests whose host sets the TSC of their virtual CPUs while they run (kvm_write_tsc_offset): if their clock jumps there, it has a line before and one
# after, right on both sides; if it goes on, it is one line.
use strict;
use warnings;
use FindBin;
use lib "$ENV{TOP}/tests/tools", $FindBin::Bin;
use Made;
use Wake;
use Math::BigFloat;
use Test::More;

my $second = 1_000_000_000;
my $epoch = 1_700_000_000;
my ($u32, $u64) = map { "integer { size = $_; align = 8; signed = false; }" } 32, 64;
Made::also(kvm_x86_write_tsc_offset => [ "$u32 vcpu_id; $u64 previous_tsc_offset; $u64 next_tsc_offset;", 'L<Q<Q<' ]);

sub n { return $_[0] // '-' }

sub between { my ($least, $most) = @_; return $least + int rand($most - $least) }

sub switch_of { my ($time, $cpu, $from, $state, $to) = @_; return [ $time, $cpu, 'sched_switch', "t$from", $from, 20, $state, "t$to", $to, 20 ] }

# Thread TID runs CPU of a guest on host CPU CPU from FROM to TO: stays of 50 us to 2 ms, each with one or two events of the guest near its ends.
sub busy {
    my ($host, $guest, $from, $to, $cpu, $tid) = @_;
    my $t = $from;
    while ($t < $to - 50_000_000) {
        push @$host, switch_of($t, $cpu, 0, 0, $tid);
        my ($stays, $next) = (between(1, 6), 1000 + $cpu);
        for my $stay (1 .. $stays) {
            my ($in, $out) = ($t + between(1000, 20_000), $t + between(50_000, 2_000_000));
            push @$host, [ $in, $cpu, 'kvm_x86_entry', $cpu ], [ $out, $cpu, 'kvm_x86_exit', $stay < $stays ? 0x60 : 0x78, 2 ];
            push @$guest, [ $in + between(2000, 9000), $cpu, 'x86_irq_vectors_local_timer_entry', 236 ], [ $in + 9500, $cpu, 'x86_irq_vectors_local_timer_exit', 236 ];
            push @$guest, switch_of($in + 10_000, $cpu, 0, 0, $next) if $stay == 1;
            push @$guest, switch_of($out - between(2000, 9000), $cpu, $next, 1, 0) if $stay == $stays;
            $t = $out + between(3000, 40_000);
        }
        push @$host, switch_of($t, $cpu, $tid, 1, 0);
        $t += between(50_000, 3_000_000);
    }
}

# Host and guest, with two virtual CPUs that run from second to second of TIMES. Before each but the first the TSC of both is set (unless !SET), and the guest's
# clock, which is 7200 s ahead and runs 40 ppm faster, is JUMPS[n] ns further ahead from then on. Returns [host, guest, the guest's clock's lead by stretch].
sub traces {
    my ($name, $times, $jumps, $set) = @_;
    my (@host, @guest, @ahead);
    push @host, map { my ($tid, $pid, $what) = @$_; [ $second - 1000 + $tid, 0, 'lttng_statedump_process_state', $tid, $pid, 1, $what, 0, 5, 0, 5, 0 ] }
        [ 10, 10, 'qemu' ], [ 11, 10, 't11' ], [ 12, 10, 't12' ];
    my $more = 12_345;
    for my $i (0 .. $#$times - 1) {
        my ($from, $to) = @$times[$i, $i + 1];
        $more += $jumps->[$i - 1] if $i;
        push @ahead, [ $from * $second, $more ];
        my @of_guest;
        for my $cpu (0, 1) {
            my $at = $from * $second - 1_000_000 + $cpu * 1000;
            push @host, switch_of($at, $cpu, 0, 0, 11 + $cpu), [ $at + 100, $cpu, 'kvm_x86_write_tsc_offset', $cpu, 18_446_744_073_709_000_000 + $i, 18_446_744_073_709_500_000 - $i ],
                switch_of($at + 900, $cpu, 11 + $cpu, 1, 0) if $i && $set;
            busy(\@host, \@of_guest, $from * $second, $to * $second, $cpu, 11 + $cpu);
        }
        push @guest, Made::by_clock($second, $more, 40, @of_guest);
    }
    return (Made::trace("$ENV{TMPDIR}/$name/host", { host => 'host', epoch => $epoch }, @host), Made::trace("$ENV{TMPDIR}/$name/guest", { host => 'guest', epoch => $epoch + 7200 }, @guest), \@ahead);
}

# The error of CLOCK at T of the host (ns).
sub off_at {
    my ($clock, $t, $ahead) = @_;
    my ($more) = map { $_->[1] } grep { $_->[0] <= $t } reverse @$ahead;
    my $guest = ($epoch + 7200) * $second + $t + $more + int(($t - $second) * 40 / 1e6);
    my ($line) = grep { !defined $_->{from} || $_->{from} <= $guest } reverse @{$clock->{lines}};
    local $Math::BigFloat::accuracy = 60;
    return abs(Math::BigFloat->new($line->{slope})->bmul($guest)->badd($line->{offset_ns})->bsub($epoch * $second + $t)->numify);
}

srand($ENV{ORACLE_SEED} // 11);
for my $case (
    # name, runs from … to …, jumps, the TSC is set, lines
    [ 'forward', [ 1, 2.5, 4 ], [ 3.7 * $second ], 1, 2 ],
    [ 'far', [ 1, 2.5, 4 ], [ 86_400 * $second ], 1, 2 ],
    [ 'little', [ 1, 2.5, 4 ], [ 300_000 ], 1, 2 ],
    [ 'back', [ 1, 2.5, 4 ], [ -20_000_000 ], 1, 2 ],
    [ 'kept', [ 1, 2.5, 4 ], [ 0 ], 1, 1 ],
    [ 'twice', [ 1, 2, 3, 4 ], [ 5_000_000, 1_000_000 ], 1, 3 ],
    [ 'once', [ 1, 2, 3, 4 ], [ 0, 5_000_000 ], 1, 2 ],
    [ 'not said', [ 1, 2.5, 4 ], [ 300_000 ], 0, 0 ])
{
    my ($name, $times, $jumps, $set, $lines) = @$case;
    my ($host, $guest, $ahead) = traces($name, $times, $jumps, $set);
    my ($clock) = grep { $_->{host} eq 'guest' } @{json_of(wakepath('sync', $host, $guest, '--format', 'json'))->{hosts}};
    my $back = wakepath('sync', $guest, $host)->{out};
    my ($machine) = @{json_of(wakepath('machines', $host, $guest, '--format', 'json'))->{machines}};
    my $whose = join ' ', map { "$_->{tid}=" . ($_->{guest_cpu} // '-') } sort { $a->{tid} <=> $b->{tid} } @{$machine->{vcpus}};
    my $text = wakepath('sync', $host, $guest)->{out};
    my @warned = map { grep { /kvm_write_tsc_offset/ } @{$_->{warnings}} } @{json_of(wakepath('info', $host, $guest, '--format', 'json'))->{traces}};
    is(scalar @warned, ($set ? 1 : 0) + ($lines > 1), "$name: info warns of the set TSC, and of a clock that jumped");
    my @set = grep { n($_->{detail}) eq 'TSC set' } @{json_of(wakepath('states', $host, '--vcpu', 12, '--format', 'json'))->{intervals}};
    is(join(' ', map { $_->{from} } @set), $set ? join(' ', map { $epoch * $second + $_ * $second - 998_900 } @$times[1 .. $#$times - 1]) : '', '… the row of the virtual CPU has the times');
    if (!$lines) {
        is("$clock->{quality} $whose", 'absent 11=- 12=-', "$name: a clock that jumps without a known reason is not determined");
        next;
    }
    is("$clock->{quality} $clock->{pieces} $whose", "accurate $lines 11=0 12=1", "$name: the clock has $lines lines, and each virtual CPU its CPU");
    is($machine->{clock}{events_outside}, 0, '… no event is outside');
    for my $i (0 .. $#$times - 1) {
        cmp_ok(off_at($clock, int($_ * $second), $ahead), '<', 20_000, "… the clock is right at $_ s, to 20 us") for $times->[$i] + 0.02, ($times->[$i] + $times->[$i + 1]) / 2, $times->[$i + 1] - 0.06;
    }
    is(scalar(() = $text =~ /^guest.*(?:while both were recorded|kvm_write_tsc_offset)/mg), 2, '… sync reports each thing about a guest once');
    like($_, $lines > 1 ? qr/^guest: its clock jumped where the TSC of its virtual CPUs was set .*: what comes before and after lies on $lines lines$/m : qr/^guest: the TSC of its virtual CPUs was set .* its clock did not jump$/m, '… sync reports the set TSC') for $text, $back;
}
done_testing;
