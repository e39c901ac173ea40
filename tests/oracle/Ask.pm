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
use File::Find;
use Cwd qw(abs_path);

# JSON::PP comes with Perl; its fast sisters are used where installed.
my ($json) = grep { eval "require $_" } qw(Cpanel::JSON::XS JSON::XS JSON::PP);

our $index_dir = File::Temp->newdir(TEMPLATE => 'wakepath-index-XXXXXX', TMPDIR => 1);
our $errors = '';       # what the last run said on standard error

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

# Exit status and standard output of one run.
sub run {
    my (@args) = @_;
    my $err = File::Temp->new(TEMPLATE => 'wakepath-err-XXXXXX', TMPDIR => 1);
    my $pid = open(my $fh, '-|') // die "fork: $!";
    if (!$pid) {
        open STDERR, '>', $err->filename or die;
        exec program(), @args, '--index-dir', "$index_dir" or die program() . ": $!";
    }
    local $/;
    my $out = <$fh> // '';
    close $fh;
    my $status = $? & 127 ? 'signal ' . ($? & 127) : $? >> 8;
    open my $in, '<', $err->filename or die;
    $errors = <$in> // '';
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
    my $data = eval { $json->new->utf8->decode($out) };
    $errors = "wakepath @args: no JSON: $@" unless defined $data;
    return $data;
}

# Many questions at once: the answers in order, undef where there was none, and
# then why in @why.  One shell asks them all: this process, with a trace in
# memory, is slow to fork.
our @why;
sub ask_all {
    my (@questions) = @_;
    @why = ();
    return if !@questions;
    my $folder = File::Temp->newdir(TEMPLATE => 'wakepath-ask-XXXXXX', TMPDIR => 1);
    open my $script, '>', "$folder/script" or die;
    for my $i (0 .. $#questions) {
        my $command = join ' ', map { "'" . s/'/'\\''/gr . "'" } program(), @{$questions[$i]}, '--format', 'json', '--index-dir', "$index_dir";
        print $script "$command >$folder/$i.out 2>$folder/$i.err; echo \$? >$folder/$i.rc\n";
    }
    close $script or die;
    system('sh', "$folder/script");
    return map { _answer($folder, $_, $questions[$_]) } 0 .. $#questions;
}

sub _answer {
    my ($folder, $i, $question) = @_;
    my %is = map { $_ => _slurp("$folder/$i.$_") } qw(rc out err);
    my $data = $is{rc} =~ /^0$/ ? eval { $json->new->utf8->decode($is{out}) } : undef;
    $why[$i] = "wakepath @$question: exit $is{rc} $is{err}" if !defined $data;
    unlink map { "$folder/$i.$_" } qw(rc out err);
    return $data;
}

sub _slurp {
    my ($path) = @_;
    open my $in, '<:raw', $path or return '';
    local $/;
    return <$in> // '';
}

# The wake-ups of each of LIVES, which must have some: answers as of ask_all().
sub wakeups_of {
    my ($trace, @lives) = @_;
    return ask_all(map { [ 'wakeups', $trace, '--thread', "$_->{tid}\@" . ($_->{strict_from} // $_->{wakeups}[0]{ended}) ] } @lives);
}

sub decoded { return $json->new->utf8->decode($_[0]) }

# Data as text, the same for the same data.
sub text { return $json->new->canonical->allow_nonref->encode($_[0]) }

1;
