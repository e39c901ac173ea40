# SPDX-License-Identifier: MIT
package Kept;

# What Vcpu.pm, or a class like it, finds in a trace, which takes longer than all questions about it: found once, kept below
# $BUILD/oracle for the other tests that want the same of that trace, or of a copy of it, as long as the oracle's files are the ones that it was found by.
# (What every trace is asked about is asked at once: Each.pm.)

use strict;
use warnings;
use Cwd qw(abs_path);
use Digest::MD5 qw(md5_hex);
use Fcntl qw(LOCK_EX);
use File::Basename qw(basename dirname);
use File::Path qw(make_path);
use Storable qw(store retrieve);

my $here = dirname(abs_path(__FILE__));
my $oracle = md5_hex(map { _text($_) } _files($here, '/*.pm'), _files($here, '/*/*.pm'));

sub _files { return glob(quotemeta($_[0]) . $_[1]) }

sub _text {
    my ($file) = @_;
    open my $in, '<:raw', $file or die "$file: $!";
    local $/;
    return <$in>;
}

# The trace at PATH as CLASS, which the caller uses, loads it.  Who wants it while another test finds it waits for that.
sub load {
    my ($class, $path) = @_;
    return $class->load($path) if !$ENV{BUILD};
    my $at = "$ENV{BUILD}/oracle/" . md5_hex(join "\n", $class, map { (basename($_), _text($_)) } grep { -f } _files($path, '/*'));
    my $file = "$at-$oracle";
    make_path(dirname($file));
    open my $lock, '>', "$at.lock" or die "$at.lock: $!";
    flock $lock, LOCK_EX if !-e $file;
    return retrieve($file) if -e $file;
    my $o = $class->load($path);
    unlink grep { $_ ne $file } _files($at, '-*');
    store($o, "$at.$$");
    rename "$at.$$", $file or die "$file: $!";
    return $o;
}

1;
