#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Interrupts that the host posts into a guest: `wakeups --vcpu` compared with what Virq.pm reads from the raw events,
# each with its vector, the posting thread, the way, and when the guest took it.
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
cmp_ok(scalar @is, '>', 1000, 'many interrupts were posted');
is_deeply(\@said, \@is, 'the program has each of them, to the nanosecond');
is(scalar(grep { $_->{source}{virq}{grade} eq 'proved' } @{$answer->{wakeups}}), $#is, 'all are proved except the one before its APIC was known');
is($answer->{wakeups}[0]{source}{virq}{grade}, 'inferred', 'that one is the first');
is($answer->{wakeups}[0]{source}{evidence}[0]{event}, 'kvm_x86_apic_accept_irq', 'its evidence is the accepting event');
# Halts, by the interrupt injected at the next entry: the one posted with the wake-up of its thread, else the first.
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
is_deeply(\%said, \%halts, 'the halts have the interrupts that ended them') or diag(explain([\%said, \%halts]));
my $all = 0;
$all += $_->{time} for @{$said->{halts}};
is($all, $said->{halted}, 'they add up to the halted time');
my %kind = map { n($_->{vector}) => n($_->{kind}) . ' ' . n($_->{grade}) } @{$said->{halts}};
# 236 is posted by the virtual CPU's own thread, 212 times after its hrtimer had woken it. The host's events (no requests, no packets) do not
# show what 41 and 44 are for.
is($kind{236}, 'timer inferred', 'interrupt 236 is its timer');
is($kind{41}, '- unknown', 'an interrupt without evidence is unknown');
done_testing;
