# SPDX-License-Identifier: MIT
package Ask;

# Runs wakepath on the traces and returns its answers.
#
#   WAKEPATH       the program           (default build/wakepath)
#   SAMPLES        folder of traces      (default sample-traces)
#   SHARED_TRACES  more of them          (default ../shared/traces, where present)
#   ORACLE_TRACE   only those whose name matches this regular expression

use strict;
use warnings;
use File::Temp;
use File::Basename qw(dirname);
use File::Find;
use lib dirname(__FILE__) . '/../tools';
use Starter;

# JSON::PP comes with Perl; faster modules are used if installed.
my ($json) = grep { eval "require $_" } qw(Cpanel::JSON::XS JSON::XS JSON::PP);
my ($reader, $writer) = ($json->new->utf8, $json->new->canonical->allow_nonref);

our $index_dir = File::Temp->newdir(TEMPLATE => 'wakepath-index-XXXXXX', TMPDIR => 1);
our $errors = '';       # standard error of the last run
our $listener;          # if set, is called after each run with its arguments, exit status, standard output and standard error

sub program { return $ENV{WAKEPATH} // 'build/wakepath' }

# Folders that hold a `metadata`, each host's once: a sample that is a copy of a shared trace is not tested
# twice.
sub traces {
    my @roots = ($ENV{SAMPLES} // 'sample-traces');
    push @roots, $ENV{SHARED_TRACES} // '../shared/traces';
    my (@found, %seen);
    for my $root (grep { defined && -d } @roots) {
        my @here;
        find({ no_chdir => 1, follow => 1, wanted => sub {
            push @here, $File::Find::dir if m{/metadata$} && -f;
        } }, $root);
        for my $path (sort @here) {
            my $uuid = _uuid($path);
            next if $seen{$uuid}++;
            (my $name = $path) =~ s{^\Q$root\E/*}{};
            $name =~ s{/kernel$}{};
            next if $ENV{ORACLE_TRACE} && $name !~ $ENV{ORACLE_TRACE};
            push @found, { path => $path, name => $name };
        }
    }
    return @found;
}

# The folder NAME of several hosts, shared or else among the samples; undef if there is none.
sub experiment {
    my ($name) = @_;
    my ($root) = grep { -d "$_/$name" } $ENV{SHARED_TRACES} // '../shared/traces', $ENV{SAMPLES} // 'sample-traces';
    return $root && "$root/$name";
}

# The identity of a trace: its uuid, and the lengths of its streams.
sub _uuid {
    my ($path) = @_;
    open my $fh, '<:raw', "$path/metadata" or return $path;
    local $/;
    my $uuid = <$fh> =~ /trace \{.*?uuid = "([^"]+)"/s ? $1 : $path;
    return join ' ', $uuid, map { -s } sort grep { -f } glob("$path/*");
}

sub _begin {
    my (@args) = @_;
    Starter::begin(program(), @args, '--index-dir', "$index_dir");
}

# Exit status, standard output and standard error of the run with ARGS, which began before the other pending
# ones.
sub _over {
    my (@args) = @_;
    my @said = Starter::over();
    $listener->(\@args, @said) if $listener;
    return @said;
}

# Exit status and standard output of one run.
sub run {
    my (@args) = @_;
    _begin(@args);
    (my ($status, $out), $errors) = _over(@args);
    return ($status, $out);
}

# The answer as data, or undef with the reason in $errors.
sub ask {
    my (@args) = @_;
    my ($status, $out) = run(@args, '--format', 'json');
    if ($status ne '0') {
        $errors = "wakepath @args: exit $status: $errors";
        return undef;
    }
    my $data = eval { $reader->decode($out) };
    $errors = "wakepath @args: no JSON: $@" unless defined $data;
    return $data;
}

# Many questions: the answers in order; undef for a failed one, with its reason in @why.
our @why;
sub ask_all {
    my (@questions) = @_;
    @why = ();
    _begin(@$_, '--format', 'json') for @questions;
    return map { _answer($_, $questions[$_]) } 0 .. $#questions;
}

sub _answer {
    my ($i, $question) = @_;
    my ($status, $out, $err) = _over(@$question, '--format', 'json');
    my $data = $status eq '0' ? eval { $reader->decode($out) } : undef;
    $why[$i] = "wakepath @$question: exit $status $err" if !defined $data;
    return $data;
}

# The wake-ups of each of LIVES, each of which must have some: answers like those of ask_all().
sub wakeups_of {
    my ($trace, @lives) = @_;
    return ask_all(map { [ 'wakeups', $trace, '--thread', "$_->{tid}\@" . ($_->{strict_from} // $_->{wakeups}[0]{ended}) ] } @lives);
}

sub decoded { return $reader->decode($_[0]) }

# Data as text; equal data gives equal text.
sub text { return $writer->encode($_[0]) }

1;
