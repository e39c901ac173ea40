#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The interrupts of a guest's devices, from the guest's handler back across the border (Border.pm). Each one within the host's record was posted once;
# `wakeups --vcpu` has the posting thread, the state of the virtual CPU, and when it was taken.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Border;
use Ask;
use Kept;
use Verdict;

my $folder = Ask::experiment('vm-preempt');
plan skip_all => 'no trace of a guest and its host' if !$folder;
my @traces = map { "$folder/$_" } qw(host guest);

my ($clock) = grep { $_->{host} eq 'guest1' } @{Ask::ask('sync', @traces)->{hosts}};
my $g = Guests->new(name => 'guest1', host => Kept::load('Vcpu', $traces[0]), guest => Oracle->load($traces[1]), of => { 0 => 453 }, clock => $clock);
my @rows = Border::table(@traces, $g, 453);
my ($life) = $g->{host}->lives_of_tid(453);

# Known by hand, from the text of both traces: [handler in the guest, line, vector, posted, by which thread, when the virtual CPU was, injected, taken, first request issued in the guest, its kick].
#  - disk: block_rq_issue, mmio write to 0xFE000000 (4261425152), QEMU's main thread posts 41 by MSI while the virtual CPU is inside;
#  - network, preempted: 44 is posted, the thread of the virtual CPU waits for a CPU, and takes it 964 us later.
my @known = (
    [ 25, 41, 1795169602653695015, 449, 'inside', 1795169602653791615, 1795169602653812075 ],
    [ 27, 44, 1795169602474638525, 449, 'preempted', 1795169602475593535, 1795169602475602975 ],
    [ 27, 44, 1795169602472799745, 449, 'halted', 1795169602473144185, 1795169602473186055 ],
    [ 15, 40, 1795169603647732685, 453, 'handled', 1795169603648290725, 1795169603648296725 ],
);
my %at = map { $_->{posted} => $_ } grep { $_->{posted} } @rows;
for my $is (@known) {
    my $row = $at{$is->[2]} // {};
    is(join(' ', map { n($row->{$_}) } qw(irq vector posted by vcpu injected taken)), "@$is", "line $is->[0], $is->[4]");
}

my @inside = grep { $_->{told} > $life->{vcpu_from} } @rows;
cmp_ok(scalar @inside, '>', 80, 'both records have many device interrupts');
verdict('each interrupt was posted', map { $_->{posted} ? () : "line $_->{irq} at $_->{entry}" } @inside);
is(scalar keys %at, scalar @inside, '… by its own posting');
verdict('… and taken before its handler ran, after it was posted', map { $_->{posted} < $_->{injected} && $_->{injected} < $_->{taken} && $_->{taken} < $_->{told} + $clock->{error_ns_max} ? () : "line $_->{irq} at $_->{entry}" } @inside);
my @disk = grep { $_->{issued_at} } @inside;
cmp_ok(scalar @disk, '>', 20, 'such interrupts complete many requests to the disk');
verdict('… and their kick left the guest after their issue', map { $_->{kick} && $_->{gpa} == 4261425152 && $_->{kick} < $_->{posted} ? () : "$_->{entry}" } @disk);

my %said = map { ("$_->{time} $_->{source}{virq}{vector}" => $_) } @{Ask::ask('wakeups', $traces[0], '--vcpu', 453)->{wakeups}};
my @wrong;
for my $row (@inside) {
    my $w = $said{"$row->{posted} $row->{vector}"};
    my ($got, $want) = ($w ? join ' ', n($w->{ran_at}), n($w->{tid}), n($w->{cpu}), $row->{how} eq 'msi' ? n($w->{source}{virq}{by}) : () : 'nothing', join ' ', map { n($_) } @$row{qw(taken by post_cpu)}, $row->{how} eq 'msi' ? 'msi' : ());
    push @wrong, "line $row->{irq}, vector $row->{vector} posted $row->{posted}: said $got, is $want" if $got ne $want;
}
verdict('the program has the time, posting thread and way of each', @wrong);

# Waits that a handler ended, itself or by the softirqs at its end: the path comes from the host, from the posting on.
my %of = map { $_->{entry} => $_ } @inside;
my (@ways, $ended, $last);
for my $e (Border::events($traces[1], qr/^(?:irq_handler_entry|irq_handler_exit|irq_softirq_exit|sched_waking|sched_switch)$/)) {
    $last = $e->{time} if $e->{name} eq 'irq_handler_entry';
    $last = undef if $e->{name} =~ /^(?:irq_handler_exit|sched_switch)$/;
    my ($tid) = $e->{rest} =~ /\btid = (\d+)/;
    push @ways, { row => $of{$last}, tid => $tid, woken => $e->{time} } if $e->{name} eq 'sched_waking' && $last && $of{$last};
}
cmp_ok(scalar @ways, '>', 5, 'such handlers ended several waits');
my @wrong_way;
for my $way (@ways) {
    my ($row, $tid) = @$way{qw(row tid)};
    my ($thread) = grep { grep { ($_->{ended} // 0) == $way->{woken} } @{$_->{wakeups}} } $g->{guest}->lives_of_tid($tid) or next;
    my ($wait) = grep { ($_->{ended} // 0) == $way->{woken} } @{$thread->{wakeups}};
    next if !$wait->{blocked_at};
    my ($from, $to) = map { $g->told($_) } $wait->{blocked_at}, $way->{woken};
    my $what = "$tid woken $way->{woken} by line $row->{irq}";
    my $path = Ask::ask('path', @traces, '--thread', "guest1/$tid", '--from', $from, '--to', $to) or push(@wrong_way, "$what: $Ask::errors"), next;
    my ($s) = grep { $_->{kind} eq 'vm-interrupt' } reverse @{$path->{segments}} or push(@wrong_way, "$what: no vm-interrupt"), next;
    push @wrong_way, "$what: posted $s->{from}, is $row->{posted}" if $s->{from} != max($row->{posted}, $from);
    push @wrong_way, "$what: until $s->{to}, is $row->{told}" if $s->{to} != $row->{told};
    my %as = (inside => 'while the guest ran', interrupted => 'interrupt', handled => 'handled|in the host');
    my $vcpu = $as{$row->{vcpu}} // $row->{vcpu};
    push @wrong_way, "$what: $s->{detail}, is $row->{vector}, $row->{vcpu}" if $s->{detail} !~ /^interrupt $row->{vector}\b/ || $s->{detail} !~ /$vcpu/;
    $ended++;
}
cmp_ok($ended, '>', 5, '... of threads that had slept');
verdict('... their path comes from the host, from the posting on', @wrong_way);
done_testing;
