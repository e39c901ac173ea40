#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# changelog.pl MAINTAINER DATE <CHANGELOG.md: the newest version as Debian's changelog (deb-changelog(5)).  The older ones have no dates, which
# that would need.
use strict;
use warnings;
use Text::Wrap qw(wrap);

my ($maintainer, $date) = @ARGV;
local $/;
my (undef, $version, $text) = split /^## (\S+)\n/m, <STDIN>;
$Text::Wrap::columns = 80;
print "wakepath ($version) unstable; urgency=medium\n\n";
while ($text =~ /^(?:### (.*)|( *)- (.*(?:\n *[^\s#-].*)*))/mg) {
	print defined $1 ? "  [ $1 ]\n" : wrap("  $2* ", "    $2", $3 =~ s/\s+/ /gr) . "\n";
}
print "\n -- $maintainer  $date\n";
