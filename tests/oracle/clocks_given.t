#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Clocks given by the user: none, from a file, from an edited file, typed. The program's answers by them are
# compared with the hosts' own answers and the walk over the raw events.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use File::Temp;
use Ask;
use Hosts;
use Hosts::Clock;
use Hosts::Compare;
use Hosts::Musts;
use Verdict;

my @names = qw(client httpd db);
my $scratch = File::Temp->newdir(TEMPLATE => 'wakepath-clocks-XXXXXX', TMPDIR => 1);
my ($ms, $s) = (1_000_000, 1_000_000_000);


# Like ask_paths(), as lists of segments.
sub paths {
    return map { $_ && Hosts::Musts::of_answer($_) } Hosts::Compare::ask_paths(@_);
}

# The text of an answer with all times since the Epoch moved.
sub moved {
    my ($text, $by) = @_;
    return $text =~ s/\b(1[67]\d{17})\b/$1 + $by/ger;
}

# Questions about a thread of httpd that only its own host answers: while it computes, and around its wait for a
# timer.
sub questions {
    my ($hosts, $move) = @_;
    my @phases = reverse Hosts::Musts::phases($hosts, 'httpd', 'serve begin', 'serve end');
    my ($spins, $sleeps) = map { my $what = $_; (grep { $_->{name} =~ /^$what/ } @phases)[0] } qw(h s);
    return map {
        my ($command, $phase, @more) = @$_;
        [ $command, $phase->{life}{tid}, '--from', $phase->{from} + 100_000 + $move, '--to', $phase->{to} - 100_000 + $move, @more ]
    } [ 'states', $spins ], [ 'states', $sleeps ], [ 'wakeups', $sleeps ], [ 'path', $spins ], [ 'path', $sleeps ], [ 'events', $spins, '--top', '0' ];
}

# The result of GIVE without the sanitizers: answers to compare with, which other tests request with the
# sanitizers.
sub plainly {
    my ($give) = @_;
    local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST};
    return $give->();
}

sub answer {
    my ($folder, $prefix, $question, @more) = @_;
    my ($command, $thread, @rest) = @$question;
    my ($status, $out) = Ask::run($command, $folder, '--thread', "$prefix$thread", @rest, '--format', 'json', @more);
    return $status eq '0' ? $out : "exit $status: $Ask::errors";
}

sub spew {
    my ($path, $text) = @_;
    open my $out, '>', $path or die "$path: $!";
    print $out $text;
    close $out or die;
    return $path;
}

# The clocks' text with one host's times moved.
sub edited {
    my ($text, $host, $by) = @_;
    my @lines = split /^/m, $text;
    for (grep { /"host":"\Q$host\E"/ } @lines) {
        s{"offset_ns":"(-?)(\d+)(\.\d+)?"}{'"offset_ns":"' . plus("$1$2" . ($3 // ''), $by) . '"'}ge;
    }
    return join '', @lines;
}

sub plus {
    my ($decimal, $by) = @_;
    require Math::BigFloat;
    return Math::BigFloat->new($decimal)->badd($by)->bstr;
}

sub check_none {
    my ($folder, $hosts, $requests) = @_;
    # The program shows each host's own times, as if that host was alone.
    verdict('each host keeps its own time', map {
        my ($all, $alone) = (answer($folder, 'httpd/', $_, '--sync', 'none'), answer("$folder/httpd", '', $_));
        times_of($all) eq times_of($alone) && $alone !~ /^exit/ ? () : "$_->[0]: " . first_difference(times_of($alone), times_of($all));
    } questions($hosts, 0));
    verdict('no path leaves its host', map {
        my $path = $_ or return fail("@Ask::why");
        my @away = grep { $_->{host} ne 'client' } @$path;
        my @sure = grep { $_->{kind} eq 'network' && (defined $_->{is}{error} || n($_->{is}{grade}) eq 'proved') } @$path;
        map { "$_->{kind} of $_->{host}/" . n($_->{name}) . " at $_->{from}" } @away, @sure;
    } paths($folder, $requests, '--sync', 'none'));
}

# TEXT: the clocks in use; KEPT: a file with them.
sub check_file {
    my ($folder, $requests, $text, $kept) = @_;
    my (undef, $again) = Ask::run('sync', $folder, '--format', 'json', '--sync', $kept);
    verdict('a kept file gives the clocks it was made from', $again eq $text ? () : first_difference($text, $again));
    my ($request) = grep { $_->{name} =~ /^c/ } @$requests;
    my @ask = ([ 'path', '--thread', "client/$request->{life}{tid}", '--from', $request->{from}, '--to', $request->{to} ], [ 'threads' ], [ 'info' ],
        [ 'wakeups', '--thread', 'db/wk-server' ], [ 'states', '--thread', 'httpd/wk-server' ], [ 'latency', '--kind', 'wakeup' ], [ 'causes' ],
        [ 'events', '--name', 'net_*', '--top', '0' ]);
    verdict('a kept file does not change answers', map {
        my ($command, @rest) = @$_;
        map {
            my $format = $_;
            my ($a, $b) = map { my @run = ($command, $folder, @rest, '--format', $format, @$_); @$_ ? (Ask::run(@run))[1] : plainly(sub { (Ask::run(@run))[1] }) } [], [ '--sync', $kept ];
            $a eq $b && length $a > 50 ? () : "$command $format: " . first_difference($a, $b);
        } qw(text json csv)
    } @ask);
}

sub check_edited {
    my ($folder, $hosts, $text) = @_;
    my @own = questions($hosts, 0);
    my $shift = Hosts::Clock->new(Ask::decoded($text))->shown('httpd', $own[0][3]) - $own[0][3];
    my @before = plainly(sub { map { answer($folder, 'httpd/', $_) } questions($hosts, $shift) });
    my $edited = spew("$scratch/edited.json", edited($text, 'httpd', $ms));
    my @after = map { answer($folder, 'httpd/', $_, '--sync', $edited) } questions($hosts, $shift + $ms);
    verdict('the host of the changed clock is moved by 1 ms', map {
        $before[$_] !~ /^exit/ && moved($before[$_], $ms) eq $after[$_] ? () : "$own[$_][0]: " . first_difference(moved($before[$_], $ms), $after[$_])
    } 0 .. $#own);
}

# By wrong clocks packets arrive before they left, and a sender seems to be in a wait that it had left: the path takes the same steps.
sub check_wrong {
    my ($folder, $hosts, $text, $host, $by) = @_;
    my $wrong = edited($text, $host, $by);
    my $clock = Hosts::Clock->new(Ask::decoded($wrong))->as_sub;
    my @requests = Hosts::Musts::requests($hosts);
    my @said = paths($folder, \@requests, '--sync', spew("$scratch/wrong.json", $wrong));
    verdict("paths with $host ahead by $by ns", map {
        my $r = $requests[$_];
        my $walk = $hosts->path($clock, $r->{life}, @$r{qw(from to)});
        map { "$r->{name}: $_" } $said[$_] ? Hosts::Compare::differs(Hosts::Musts::of_walk($walk), $said[$_], $clock) : $Ask::why[$_]
    } 0 .. $#requests);
}

sub check_typed {
    my ($folder, $hosts) = @_;
    my @own = questions($hosts, 0);
    my @typed = map { answer($folder, 'httpd/', $_, '--sync', 'httpd=-325s') } questions($hosts, -325 * $s);
    my @alone = plainly(sub { map { answer("$folder/httpd", '', $_) } @own });
    verdict('the host of the typed clock is moved by as much', map {
        my ($is, $said) = (times_of(moved($alone[$_], -325 * $s)), times_of($typed[$_]));
        $is eq $said ? () : "$own[$_][0]: " . first_difference($is, $said);
    } 0 .. $#own);
}

# All times of an answer, in order: an answer about one host alone neither names that host nor knows others.
sub times_of { return join ' ', $_[0] =~ /\b(1[67]\d{17}|exit.*)\b/g }

sub first_difference {
    my ($a, $b) = @_;
    my $i = 0;
    $i++ while $i < length $a && $i < length $b && substr($a, $i, 1) eq substr($b, $i, 1);
    my $at = max(0, $i - 60);
    return 'is ...' . substr($a, $at, 160) . '..., said ...' . substr($b, $at, 160) . '...';
}

# The clocks in use, as text to keep.
sub clocks_of {
    my ($folder) = @_;
    my ($status, $text) = Ask::run('sync', $folder, '--format', 'json');
    is($status, '0', 'sync prints the clocks') or diag($Ask::errors);
    return $text;
}

my $folder = Ask::experiment('rpc-chain') or BAIL_OUT('no sample of several hosts');
my $hosts = Hosts->load($folder, @names);
my @requests = Hosts::Musts::requests($hosts);
my $text = clocks_of($folder);

subtest 'none' => sub { check_none($folder, $hosts, \@requests); done_testing };
subtest 'a file' => sub { check_file($folder, \@requests, $text, spew("$scratch/clocks.json", $text)); done_testing };
subtest 'a file with 1 ms more' => sub { check_edited($folder, $hosts, $text); done_testing };
subtest 'typed' => sub { check_typed($folder, $hosts); done_testing };
subtest 'wrong clocks' => sub {
    check_wrong($folder, $hosts, $text, @$_) for [ httpd => $ms ], [ httpd => -50 * $ms ];
    if (my $django = Ask::experiment('django')) {
        local $ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST};
        my $three = Hosts->load($django, @names);
        my $said = clocks_of($django);
        check_wrong($django, $three, $said, @$_) for [ httpd => 5 * $ms ], [ db => 2 * $s ];
    }
    done_testing;
};

done_testing;
