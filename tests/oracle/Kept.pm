# SPDX-License-Identifier: MIT
package Kept;

# The result of Vcpu.pm, or of a class like it, for a trace, which takes longer to find than to query. It is found once and kept below $BUILD/oracle for
# other tests that need it, for that trace or a copy of it, until a file of the oracle changes. (Checks of every trace are made together: Each.pm.)

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

# The trace at PATH as CLASS, already loaded by the caller. A second test waits while another one finds the result.
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
