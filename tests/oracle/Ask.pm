package Ask;

# Runs wakepath on the traces and hands back what it answers.
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

# JSON::PP comes with Perl; its fast sisters are used where installed.
my ($json) = grep { eval "require $_" } qw(Cpanel::JSON::XS JSON::XS JSON::PP);
my ($reader, $writer) = ($json->new->utf8, $json->new->canonical->allow_nonref);

our $index_dir = File::Temp->newdir(TEMPLATE => 'wakepath-index-XXXXXX', TMPDIR => 1);
our $errors = '';       # what the last run said on standard error
our $listener;          # if set, is told of each run: its arguments, exit status, standard output and standard error

sub program { return $ENV{WAKEPATH} // 'build/wakepath' }

# Folders that hold a `metadata`, each host's once: a sample that was copied
# from the shared traces is not asked about twice.
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

# The folder NAME of several hosts: shared, else among the samples; undef: there is none.
sub experiment {
    my ($name) = @_;
    my ($root) = grep { -d "$_/$name" } $ENV{SHARED_TRACES} // '../shared/traces', $ENV{SAMPLES} // 'sample-traces';
    return $root && "$root/$name";
}

# What makes a trace this trace: its uuid, and how long its streams are.
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

# Exit status, standard output and standard error of the run with ARGS, which was begun first of those not over.
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

# Many questions: the answers in order, undef where there was none, and then why in @why.
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

# The wake-ups of each of LIVES, which must have some: answers as of ask_all().
sub wakeups_of {
    my ($trace, @lives) = @_;
    return ask_all(map { [ 'wakeups', $trace, '--thread', "$_->{tid}\@" . ($_->{strict_from} // $_->{wakeups}[0]{ended}) ] } @lives);
}

sub decoded { return $reader->decode($_[0]) }

# Data as text, the same for the same data.
sub text { return $writer->encode($_[0]) }

1;
