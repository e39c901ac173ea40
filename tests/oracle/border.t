#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A guest's waits continue in its host: for each interrupt of a guest's device that ended a wait, which thread posted it, when,
# and what the host was busy with before, from the raw events of both traces (Virq.pm), compared with `path`.
#
# The guest's clock: any offset in [-3317070548416, -3317070518575] puts all that it did inside the stays of its virtual CPU
# (Inside.pm), so the middle is right to 15 us.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Virq;
use Ask;

my $folder = Ask::experiment('vm-preempt');
plan skip_all => 'no traces of a guest and its host' if !$folder;
my ($offset, $error) = (-3317070533495, 14921);

my $host = Virq->load("$folder/host", 453);
my @posts = grep { defined $_->{entry} } @{$host->{posts}};
my $begin = $host->{events}[0][0];

# The thread on each CPU of the host: [from, to, cpu, tid].
my (@turns, %on);
for my $e (@{$host->{events}}) {
    my ($t, $cpu, $name, $f) = @$e;
    next if $name ne 'sched_switch';
    my ($tid) = $f =~ /next_tid = (\d+)/;
    push @turns, [$on{$cpu}[0], $t, $cpu, $on{$cpu}[1]] if $on{$cpu};
    $on{$cpu} = [$t, $tid];
}

sub runs { my ($tid, $from, $to) = @_; return grep { $_->[3] == $tid && $_->[0] <= $from && $to <= $_->[1] } @turns }

# Waits of guest threads that an interrupt of a device ended, or the softirqs at its end: [since, end, tid, entry].
my (@waits, %slept, $irq);
for my $e (@{Virq::events("$folder/guest")}) {
    my ($t, undef, $name, $f) = @$e;
    if ($name eq 'irq_handler_entry') {
        $irq = [$t, $f =~ /name = "([^"]*)"/];
    } elsif ($name eq 'irq_handler_exit') {
        $irq = undef;
    } elsif ($name eq 'sched_switch') {
        my ($prev, $state) = $f =~ /prev_tid = (\d+).*prev_state = (\d+)/;
        $slept{$prev} = $t if $state & 0xff;
    } elsif ($name eq 'sched_waking' || $name eq 'sched_wakeup') {
        my ($tid) = $f =~ /tid = (\d+)/;
        my $since = delete $slept{$tid};
        push @waits, { since => $since, end => $t, tid => $tid, entry => $irq->[0], line => $irq->[1] }
            if $since && $irq && $since + $offset > $begin;
    }
}
cmp_ok(scalar @waits, '>', 20, 'devices of the guest ended many waits');

my (%vectors, $proved);
for my $w (@waits) {
    my $entry = $w->{entry} + $offset;
    # The last interrupt taken before the guest's handler ran, by the earliest and by the latest time that the clock's error allows: either is
    # right, and it is proved only if both are one interrupt.
    my ($sure, $may) = map { my $by = $_; (grep { $_->{entry} <= $by && $_->{vector} < 236 } sort { $a->{entry} <=> $b->{entry} } @posts)[-1] }
        $entry - $error, $entry + $error;
    my $path = Ask::ask('path', "$folder/host", "$folder/guest", '--thread', "guest1/$w->{tid}",
        '--from', $w->{since} + $offset + $error, '--to', $w->{end} + $offset - $error) or do { fail($Ask::errors); next };
    my $what = "$w->{line} for $w->{tid} at $w->{end}";
    my @segments = @{$path->{segments}};
    my ($vm) = grep { $segments[$_]{kind} eq 'vm-interrupt' } reverse 0 .. $#segments;
    ok(defined $vm, "$what: comes from the host") or next;
    my $s = $segments[$vm];
    $vectors{$w->{line}}{$1}++ if $s->{detail} =~ /interrupt (\d+)/;
    @{$w}{qw(kept post taken)} = ($entry - $sure->{time}, $sure->{time}, $entry);
    my @fits = grep { $s->{from} == ($_->{time} > $path->{from} ? $_->{time} : $path->{from}) } $sure, $may;
    ok(@fits > 0, "$what: it is the last one taken, $sure->{time}") or diag("said $s->{from}");
    cmp_ok(abs($s->{to} - $entry), '<=', $error + 20000, "$what: it lasts until the guest's handler began");
    ok($s->{grade} ne 'proved' || $sure == $may, "$what: it is proved only if the clock allows no other");
    $proved++ if $s->{grade} eq 'proved';
    next if $vm == 0;
    is($segments[$vm - 1]{tid}, $fits[0]{tid}, "$what: the posting thread comes before it");
    # All of the host's segments before it are right.
    my @wrong = grep { $_->{host} eq 'host' && $_->{kind} eq 'running' && !runs($_->{tid}, $_->{from}, $_->{to}) } @segments[0 .. $vm - 1];
    is(scalar @wrong, 0, "$what: the threads named in the host did run") or diag(join "\n", map { "$_->{from} $_->{tid}" } @wrong);
    my $at = $path->{from};
    my @holes = grep { my $hole = $_->{from} != $at; $at = $_->{to}; $hole } @segments;
    is(scalar @holes + ($at != $path->{to}), 0, "$what: the path has each nanosecond once");
}
is(scalar(keys %{$vectors{$_}}), 1, "$_ has one vector") for sort keys %vectors;
cmp_ok($proved, '>', 20, 'many are proved');
note("$proved proved, vectors ", join ', ', map { "$_ " . join '/', %{$vectors{$_}} } sort keys %vectors);

# The virtual CPU may have the interrupt but no CPU: then the holder of that CPU is to blame for the wait in the guest. Here it enters with
# the interrupt at ….017807105, and exits at ….017844, before the guest's handler has recorded anything; wk-pulse has the CPU from
# ….017927065 to ….030713945.
my ($kept) = sort { $b->{kept} <=> $a->{kept} } @waits;
my $why = Ask::ask('why', "$folder/host", "$folder/guest", '--thread', "guest1/$kept->{tid}", '--from', $kept->{since} + $offset + $error, '--to', $kept->{end} + $offset)
    or BAIL_OUT($Ask::errors);
my %had;
for my $turn (@turns) {
    my ($from, $to) = (($turn->[0], $kept->{post})[$turn->[0] < $kept->{post}], ($turn->[1], $kept->{taken})[$turn->[1] > $kept->{taken}]);
    $had{$turn->[3]} += $to - $from if $turn->[2] == 1 && $from < $to;
}
my ($most) = sort { $had{$b} <=> $had{$a} } grep { $_ != 453 } keys %had;
my ($blame) = grep { $_->{what} eq 'vcpu' && ($_->{tid} // 0) == $most } @{$why->{blame}};
cmp_ok($kept->{kept}, '>', 5000000, 'one interrupt was posted long before it was taken');
ok($blame, "the holder of the CPU meanwhile is to blame, $most") && cmp_ok(abs($blame->{time} - $had{$most}), '<', 0.1 * $had{$most}, 'its blame is its time on the CPU, without interrupts');

# One by hand, times of the host.  wk-ioburst[585] sleeps from ….008653 to ….010490:
#   [….008368355] (CPU 1) sched_waking 449, in kvm_mmio of 453: the kick, before it sleeps
#   [….009066605] (CPU 0, 449) sched_waking 672 -> [….009217765] (CPU 1) sched_switch -> 672; [….009325015] (CPU 0) 449 sleeps
#   [….009950195] (CPU 1, 672) sched_waking 449 -> [….010025675] (CPU 0) sched_switch -> 449
#   [….010145285] (CPU 0, 449) kvm_msi_set_irq data 41, [….010160735] kvm_x86_apic_accept_irq vec 41
#   [….010288485] (CPU 1, 453) kvm_x86_inj_virq 41, [….010305505] kvm_x86_entry; guest irq_handler_entry 25 at ….010373507
my $t = 1795169605_000000000;
my $path = Ask::ask('path', "$folder/host", "$folder/guest", '--thread', 'guest1/585', '--from', $t + 8800000, '--to', $t + 10480000)
    or BAIL_OUT($Ask::errors);
my @is = map { [$_->{kind}, $_->{tid}, $_->{from} - $t] } @{$path->{segments}};
is_deeply([@is[0 .. 3]], [['running', 449, 8800000], ['running', 672, 9325015], ['wait-cpu', 449, 9950195], ['running', 449, 10025675]], 'the first segments are those worked out by hand')
    or diag(explain(\@is));
is($path->{segments}[4]{kind}, 'vm-interrupt', 'then the interrupt is on its way');
is($path->{segments}[4]{from} - $t, 10160735, '… from its posting on');
like($path->{segments}[4]{detail}, qr/^interrupt 41, posted while the virtual CPU was halted; on the way /, '… as the detail says');
done_testing;
