#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Latencies of every kind, of every trace: the program's counts compared with those of Latency.pm from the raw events: number, sum,
# minimum and maximum, unfinished and dropped, and, for kinds with a key, number and sum of each key.
#
# The numbers of the raw events are in the table latency.txt; for a few small traces they are derived again each time.
#
#   ORACLE_TABLE=write   writes the table again, from the raw events
#   ORACLE_DERIVE=1      derives all of them again
#   ORACLE_SHOW=N        report N differences of each trace (default 5)

use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin, "$FindBin::Bin/../tools";
use Test::More;
use List::Util qw(sum0);
use Digest::MD5 qw(md5_hex);
use Math::BigFloat;
use Latency;
use Pairs;
use Ask;
use Proved;
use Verdict;

# More than a thousand runs.
$ENV{WAKEPATH} = $ENV{WAKEPATH_FAST} if $ENV{WAKEPATH_FAST};

my $table = "$FindBin::Bin/latency.txt";
my $writes = ($ENV{ORACLE_TABLE} // '') eq 'write';
my %derived = map { $_ => 1 } qw(ioburst-ipi lost-events preempt pipeline-nowaking);

my @fields = qw(count sum min max unfinished dropped);
my $not_recorded = qr{ was recorded, so \S+ latencies are unknown};

# ------------------------------------------------------------ the table

# A line: trace, kind, the fields, number of keys, and a digest of the keys. Kinds without cases are left out. ~ before
# dropped: events were lost there, and the number of starts within a gap is not well defined.
sub read_table {
    my %known;
    open my $fh, '<', $table or return {};
    while (my $line = <$fh>) {
        next if $line =~ /^#/;
        my ($trace, $kind, @values) = split " ", $line;
        $known{$trace}{$kind} = "@values";
    }
    return \%known;
}

sub write_table {
    my ($all) = @_;
    my $known = read_table();
    $known->{$_} = $all->{$_} for keys %$all;
    open my $fh, '>', $table or die "$table: $!";
    print $fh "# Latencies counted by Latency.pm from the raw events (ORACLE_TABLE=write):\n# trace kind @fields keys digest of their counts and sums\n";
    for my $trace (sort keys %$known) {
        print $fh map { "$trace $_ $known->{$trace}{$_}\n" } grep { $known->{$trace}{$_} } @Latency::kinds;
    }
    close $fh or die "$table: $!";
}

# The compared fields and keys as text.
sub line {
    my ($n, $keys) = @_;
    my $text = join '', map { "$_ $keys->{$_}{count} $keys->{$_}{sum}\n" } sort keys %$keys;
    return join ' ', (map { n($n->{$_}) } @fields), scalar keys %$keys, substr md5_hex($text), 0, 8;
}

my $none = line({ map { $_ => 0 } qw(count sum unfinished dropped) }, {});
my $none_at_all = join ' ', (split ' ', $none)[0 .. $#fields];

sub derive {
    my ($trace) = @_;
    my $o = Latency->load($trace->{path});
    my (%lines, %keys);
    for my $kind (@Latency::kinds) {
        my ($n, $keys) = $o->numbers($kind);
        next if !grep { $n->{$_} } qw(count unfinished dropped);
        @{$n}{qw(min max)} = () if !$n->{count};
        $n->{dropped} = "~$n->{dropped}" if $n->{dropped} && @{$o->{gaps}};
        $lines{$kind} = line($n, $keys);
        $keys{$kind} = $keys;
    }
    return (\%lines, \%keys, $o);
}

# ------------------------------------------------------------ the program

# Its answer in that form.
sub said {
    my ($kind, $answer, $why) = @_;
    if (!$answer) {
        return ($none, {}) if $why =~ $not_recorded;
        return ("no answer: $why", {});
    }
    my %keys = map { $_->{name} => $_ } grep { $_->{count} } @{$answer->{groups} // []};
    return (line($answer, \%keys), \%keys);
}

# The program's line, with its own count of dropped cases accepted.
sub lenient {
    my ($is, $says) = @_;
    my ($about, $n) = $is =~ / (~(\d+))/ or return $says;
    my $dropped = $n > 3 ? qr/[1-9]\d*/ : qr/\d+/;	# few cases may all begin inside a gap, where nothing is known
    return $says =~ s/^((?:\S+ ){5})$dropped/$1$about/r;
}

# The fields and keys in which the program's line and keys, SAYS and SAID, differ from the counts, IS and KEYS.
sub differences {
    my ($kind, $is, $says, $keys, $said) = @_;
    my @is = split ' ', $is;
    my @says = split ' ', $says;
    return "$kind: $says" if @says != @is;
    my @wrong = map { $is[$_] eq $says[$_] ? () : "$fields[$_] $says[$_], counted $is[$_]" } 0 .. $#fields;
    for my $key ($keys ? sort keys %{{ %$keys, %$said }} : ()) {
        my ($one, $other) = map { $_->{$key} ? "$_->{$key}{count} of $_->{$key}{sum} ns" : 'none' } $said, $keys;
        push @wrong, "key $key $one, counted $other" if $one ne $other;
    }
    push @wrong, 'keys' if !@wrong;
    return map { "$kind: $_" } @wrong;
}

sub compare {
    my ($trace, $table, $keys) = @_;
    my @answers = Ask::ask_all(map { [ 'latency', $trace->{path}, '--kind', $_, '--top', 1, '--by', $Latency::by{$_} ] } @Latency::kinds);
    my @why = @Ask::why;
    for my $i (0 .. $#Latency::kinds) {
        my $kind = $Latency::kinds[$i];
        my ($says, $said) = said($kind, $answers[$i], $why[$i]);
        my $is = $table->{$kind} // $none;
        $says = lenient($is, $says);
        if ($says ne $is && !$keys) {
            (undef, $keys) = derive($trace);
        }
        verdict("$kind: " . (split ' ', $is)[0], $says eq $is ? () : differences($kind, $is, $says, $keys && ($keys->{$kind} // {}), $said));
    }
}

# From a quarter to three fifths of the trace: the cases that begin there.
sub window {
    my ($trace, $o) = @_;
    my ($from, $to) = map { $o->{from} + int(($o->{to} - $o->{from}) * $_) } 0.25, 0.6;
    my @answers = Ask::ask_all(map { [ 'latency', $trace->{path}, '--kind', $_, '--top', 1, '--from', $from, '--to', $to ] } @Latency::kinds);
    my @wrong;
    for my $i (0 .. $#Latency::kinds) {
        my @cases = grep { $_->{start} >= $from && $_->{start} < $to } $o->cases($Latency::kinds[$i]);
        my $is = @cases . ' of ' . sum0(map { $_->{end} - $_->{start} } @cases) . ' ns';
        my $says = $answers[$i] ? "$answers[$i]{count} of $answers[$i]{sum} ns" : $Ask::why[$i] =~ $not_recorded ? '0 of 0 ns' : $Ask::why[$i];
        push @wrong, "$Latency::kinds[$i]: $says, counted $is" if $says ne $is;
    }
    verdict('latencies that begin in a window are right', @wrong);
}

# All hosts at once, each by its own clock, give the answers of each alone.
sub hosts {
    my ($folder, %known) = @_;
    my @answers = Ask::ask_all(map { [ 'latency', $folder, '--kind', $_, '--top', 1, '--by', 'host', '--sync', 'none' ] } @Latency::kinds);
    for my $i (0 .. $#Latency::kinds) {
        my $kind = $Latency::kinds[$i];
        my %is = map { $_ => join ' ', (split ' ', $known{$_}{$kind} // $none)[0 .. $#fields] } keys %known;
        if (!$answers[$i]) {
            verdict("$kind by host", $Ask::why[$i] =~ $not_recorded ? grep { $is{$_} ne $none_at_all } sort keys %is : $Ask::why[$i]);
            next;
        }
        my %said = map { $_->{name} => join ' ', map { n($_) } @$_{@fields} } @{$answers[$i]{groups}};
        verdict("$kind by host", map { ($said{$_} // $none_at_all) eq $is{$_} ? () : "$_: " . ($said{$_} // 'not said') . ", counted $is{$_}" } sort keys %is);
    }
}

# ------------------------------------------------------------ packets

# Pairs.pm matches packets. Times are by the clock of the first host: t_reference = slope · t_host + offset.
sub network {
    my ($folder, @hosts) = @_;
    my $said = Ask::ask('latency', $folder, '--kind', 'network', '--by', 'key', '--top', 1) or return fail($Ask::errors);
    my ($sure, $open) = Pairs::of({ map { $_ => Pairs::packets_of("$folder/$_") } @hosts });
    my %lines = map { $_->{host} => $_ } @{Ask::ask('sync', $folder)->{hosts}};
    my ($status, $csv) = Ask::run('latency', $folder, '--kind', 'network', '--top', 1_000_000, '--format', 'csv');
    my %listed;
    push @{$listed{$_->[2]}}, $_ for sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } map { /^(\d+),(\d+),.*,(\w+ > \w+),/ ? [ $1, $2, $3 ] : () } split /\n/, $csv;
    my %is;
    for my $pair (keys %$sure) {
        my ($from, $sent, $to, $received) = split ' ', $pair;
        push @{$is{"$from > $to"}}, [ _by_reference($lines{$from}, $sent), _by_reference($lines{$to}, $received) ];
    }
    is_deeply({ map { $_->{name} => $_->{count} } @{$said->{groups}} }, { map { $_ => scalar @{$is{$_}} } keys %is }, 'the number of packets between each two hosts is right') if !%$open;
    my $sum = 0;
    for my $way (sort keys %is) {
        my @is = sort { $a->[0] <=> $b->[0] || $a->[1] <=> $b->[1] } @{$is{$way}};
        my @all = @{$listed{$way} // []};
        $sum += $_->[1] - $_->[0] for @all;
        verdict(@is . " packets $way", map { _differ($all[$_], $is[$_]) } 0 .. max($#is, $#all));
    }
    is($said->{sum}, $sum, 'the sum of all is right');
}

# To the nanosecond, except for rounding.
sub _differ {
    my ($one, $is) = map { $_ // [ 0, 0 ] } @_;
    return abs($one->[0] - $is->[0]) <= 1 && abs($one->[1] - $is->[1]) <= 1 ? () : "sent $is->[0], received $is->[1], said are $one->[0], $one->[1]";
}

# The addend is small enough for a float; the slope's distance from 1 is taken from its digits.
sub _by_reference {
    my ($clock, $t) = @_;
    $clock->{gain} //= Math::BigFloat->new($clock->{slope})->bsub(1)->numify;
    return $t + sprintf '%.0f', $clock->{gain} * $t + $clock->{offset_ns};
}

# ------------------------------------------------------------ statistics

# All cases of some distributions are listed; R computes their mean, deviation and quantiles (type 1: the nearest
# rank).
my @distributions = ([ 'rpc-chain/httpd', 'off-cpu' ], [ 'lockfight', 'syscall' ], [ 'lockfight', 'wakeup' ]);

sub statistics {
    my ($trace, $kind) = @_;
    my $o = Latency->load($trace->{path});
    my @cases = sort map { "$_->{start} $_->{end}" } $o->cases($kind);
    my @question = ('latency', $trace->{path}, '--kind', $kind);
    my $said = Ask::ask(@question, '--top', 1) or return fail($Ask::errors);
    my ($status, $csv) = Ask::run(@question, '--top', @cases + 1, '--format', 'csv');
    my @listed = sort map { /^(\d+),(\d+),(\d+),/ && $3 == $2 - $1 ? "$1 $2" : () } split /\n/, $csv;
    verdict("$kind: each of " . @cases . ' cases is listed', grep { ($listed[$_] // '') ne ($cases[$_] // '') } 0 .. max($#cases, $#listed));
    my @is = _r(map { my ($from, $to) = split; $to - $from } @cases);
    for my $field (qw(mean stddev p50 p90 p99 p999 outliers outliers_over)) {
        my $is = shift @is;
        cmp_ok(abs($said->{$field} - $is), '<=', $field =~ /^[po]/ ? 0 : 1e-9 * $is, "$kind: $field equals that of R: $is");
    }
}

sub _r {
    my (@numbers) = @_;
    my $file = File::Temp->new(TEMPLATE => 'oracle-XXXXXX', TMPDIR => 1);
    print $file map { "$_\n" } @numbers;
    close $file;
    open my $r, '-|', 'Rscript', '-e', "x <- scan('$file', quiet = TRUE); m <- mean(x);"
        . ' q <- quantile(x, c(.25, .75), type = 1); fence <- q[2] + 3 * (q[2] - q[1]);'
        . ' cat(sprintf("%.9f", c(m, sqrt(mean((x - m)^2)), quantile(x, c(.5, .9, .99, .999), type = 1), sum(x > fence), fence)))' or die "Rscript: $!";
    my $said = <$r> // '';
    close $r or die "Rscript failed (Debian: r-base-core)";
    return split ' ', $said;
}

# ------------------------------------------------------------ all traces

my @traces = Ask::traces();
plan skip_all => 'no traces' if !@traces;

if ($writes) {
    my %all;
    for my $trace (@traces) {
        ($all{$trace->{name}}) = derive($trace);
    }
    write_table(\%all);
    pass('the table is written');
    done_testing;
    exit;
}

Ask::ask('latency', $traces[0]{path}, '--kind', 'none-such');
my ($all_kinds) = $Ask::errors =~ /one of: (.*)/;
is(join(' ', sort split /[, ]+/, $all_kinds // ''), join(' ', sort @Latency::kinds, 'network'), 'every kind that the program knows is compared');

my $known = read_table();

# The table's lines for TRACES, by their names.
sub told { return join "\n", map { my $of = $known->{$_} // {}; map { "$_ $of->{$_}" } sort keys %$of } @_ }

sub check {
    my ($trace) = @_;
    subtest $trace->{name} => sub {
        my $table = $known->{$trace->{name}};
        my ($lines, $keys, $o);
        if ($ENV{ORACLE_DERIVE} || $derived{$trace->{name}} || !$table) {
            ($lines, $keys, $o) = derive($trace);
            is_deeply($lines, $table, 'the table of latency.txt is right') if $table;
        }
        compare($trace, $table // $lines, $keys);
        window($trace, $o) if $o;
        done_testing;
    };
}

for my $trace (@traces) {
    Proved::holds("oracle/latency/$trace->{name}", { $trace->{name} => $trace->{path} }, told($trace->{name}), sub { check($trace) });
}
for my $experiment (qw(rpc-chain django)) {
    my $folder = Ask::experiment($experiment) // next;
    next if 3 != grep { $_->{name} =~ m{^$experiment/} } @traces;
    Proved::holds("oracle/latency/packets-$experiment", { $experiment => $folder }, '', sub {
        subtest "packets of $experiment" => sub { network($folder, qw(client httpd db)); done_testing };
    });
}
for my $experiment (qw(rpc-chain django vm-preempt)) {
    my $folder = Ask::experiment($experiment) // next;
    my @hosts = grep { $_->{name} =~ m{^$experiment/} } @traces or next;
    Proved::holds("oracle/latency/hosts-$experiment", { $experiment => $folder }, told(map { $_->{name} } @hosts), sub {
        subtest "hosts of $experiment" => sub { hosts($folder, map { Oracle::_env($_->{path}, "hostname") => $known->{$_->{name}} } @hosts); done_testing };
    });
}
for my $each (@distributions) {
    my ($name, $kind) = @$each;
    my ($trace) = grep { $_->{name} =~ m{^\Q$name\E(/kernel)?$} } @traces;
    Proved::holds("oracle/latency/statistics-$name-$kind", { $name => $trace->{path} }, '', sub {
        subtest "statistics of $name" => sub { statistics($trace, $kind); done_testing };
    }) if $trace;
}
done_testing;
