#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Interrupts that the host posts into a guest: `wakeups --vcpu` against what Virq.pm reads from the raw events, each with
# its vector, who posted it, how, and when the guest took it.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Virq;
use Vcpu;
use Kept;
use Ask;

my $folder = Ask::experiment('vm-preempt');
plan skip_all => 'no trace of a host with virtual machines' if !$folder;

my $is = Virq->load("$folder/host", 453)->{posts};
my $answer = Ask::ask('wakeups', "$folder/host", '--vcpu', 453) or BAIL_OUT($Ask::errors);

sub n { return $_[0] // '-' }

my @is = map { join ' ', $_->{time}, $_->{vector}, n($_->{by}), $_->{cpu}, n($_->{tid}), n($_->{entry}) } @$is;
my @said = map { join ' ', $_->{time}, $_->{source}{virq}{vector}, n($_->{source}{virq}{by}), $_->{cpu}, n($_->{tid}), n($_->{ran_at}) }
    @{$answer->{wakeups}};
cmp_ok(scalar @is, '>', 1000, 'interrupts were posted');
is_deeply(\@said, \@is, 'each of them, to the nanosecond');
is(scalar(grep { $_->{source}{virq}{grade} eq 'proved' } @{$answer->{wakeups}}), $#is, 'all but the one before its APIC was named are sure');
is($answer->{wakeups}[0]{source}{virq}{grade}, 'inferred', 'which is the first');
is($answer->{wakeups}[0]{source}{evidence}[0]{event}, 'kvm_x86_apic_accept_irq', 'evidence');
# Halts, by the interrupt with which the guest was entered next: the one that was posted with the wake-up of its thread, else the first.
my ($vcpu) = grep { $_->{tid} == 453 } (my $o = Kept::load('Vcpu', "$folder/host"))->vcpus;
my (%halts, @open);
for my $v (@{$o->states_of($vcpu)}) {
    if ($v->{what} eq 'halted' || $v->{what} eq 'inside') {
        for my $halt (@open) {
            my @taken = $v->{what} eq 'inside' ? grep { defined $_->{entry} && $_->{entry} == $v->{from} } @$is : ();
            my ($ended) = ((grep { $_->{wakes} && $_->{time} <= $halt->{to} } reverse @taken), @taken);
            my $sum = $halts{$ended ? $ended->{vector} : '-'} //= [0, 0];
            $sum->[0]++;
            $sum->[1] += $halt->{to} - $halt->{from};
        }
        @open = $v->{what} eq 'halted' ? $v : ();
    }
}
my $machine = Ask::ask('machines', "$folder/host") or BAIL_OUT($Ask::errors);
my $said = $machine->{machines}[0]{vcpus}[0];
my %said = map { n($_->{vector}) => [$_->{count}, $_->{time}] } @{$said->{halts}};
is_deeply(\%said, \%halts, 'halts by what ended them') or diag(explain([\%said, \%halts]));
my $all = 0;
$all += $_->{time} for @{$said->{halts}};
is($all, $said->{halted}, 'they are all that it was halted');
my %kind = map { n($_->{vector}) => n($_->{kind}) . ' ' . n($_->{grade}) } @{$said->{halts}};
# 236 is posted by the virtual CPU's own thread, 212 times after its hrtimer had woken it; what 41 and 44 are for the host's events (no requests,
# no packets) do not tell.
is($kind{236}, 'timer inferred', 'its timer');
is($kind{41}, '- unknown', 'what nothing tells is not guessed');
done_testing;
