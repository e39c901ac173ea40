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
use Ask;

my $folder = Ask::experiment('vm-preempt');
plan skip_all => 'no trace of a host with virtual machines' if !$folder;

my $is = Virq->load("$folder/host")->{posts};
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
done_testing;
