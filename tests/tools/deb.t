#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# The Debian package is made, installed into a clean root (unpacked if the user is not root), and run from there.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my $built = ($ENV{BUILD} // "$ENV{TOP}/build") . '/wakepath';
plan skip_all => 'no dpkg-shlibdeps here' if !grep { -x "$_/dpkg-shlibdeps" } split /:/, $ENV{PATH};
plan skip_all => 'the program is not built to be packed' if !-x $built;

# The package is made of the existing program, in a folder of this test, so that no test builds while others run.
my $build = "$ENV{TMPDIR}/build";
system("mkdir -p '$build' && cp '$built' '$build/'") == 0 or die;
my $said = qx(cd "$ENV{TOP}" && make -s -o "$build/wakepath" MAKEFLAGS= MAKE="make -o $build/wakepath BUILT=1" deb BUILT=1 BUILD="$build" 2>&1);
my ($deb) = glob "$build/*.deb";
ok(defined $deb, 'make deb makes a package') or diag($said);
$deb //= 'none';
my ($version) = qx("$built" --version) =~ /^wakepath (\S+)$/;
chomp(my $arch = qx(dpkg --print-architecture));
is($deb =~ s!.*/!!r, "wakepath_${version}_$arch.deb", 'the package has the file name that Debian expects');

sub field { chomp(my $value = qx(dpkg-deb -f "$deb" $_[0])); return $value }
is(field('Version'), $version, 'the package has the version of the program');
is(field('Architecture'), $arch, 'the package has the architecture of this machine');

# The libraries that the loader needs, each in the package that dpkg names.
my %loaded = map { $_ => 1 } qx(objdump -p "$built") =~ /NEEDED\s+(\S+)/g;
my $depends = field('Depends');
for my $library (sort keys %loaded) {
	my %owners = map { /^([^:\s]+)(?::\S+)?: / ? ($1 => 1) : () } qx(dpkg -S "*/$library" 2>/dev/null);
	ok(scalar(grep { $depends =~ /(?:^|, )\Q$_\E(?: |,|$)/ } keys %owners), "the package depends on a package with $library") or diag("$depends; @{[keys %owners]}");
}

my $root = "$ENV{TMPDIR}/root";
mkdir $root;
if ($> == 0) {
	system("mkdir -p '$root/var/lib/dpkg/info' '$root/var/lib/dpkg/updates' && touch '$root/var/lib/dpkg/status'");
	$said = qx(dpkg --root="$root" --force-depends --install "$deb" 2>&1);
	is($?, 0, 'dpkg installs the package') or diag($said);
	like(qx(dpkg-query --admindir="$root/var/lib/dpkg" -W -f '\${Status}' wakepath), qr/^install ok installed/, 'dpkg lists the package as installed');
} else {
	is(system('dpkg-deb', '-x', $deb, $root), 0, 'dpkg-deb unpacks the package');
}

my @files = map { chomp; s/^\Q$root\E//r } qx(find "$root/usr" -type f | LC_ALL=C sort);
is_deeply(\@files, [qw(/usr/bin/wakepath /usr/lib/systemd/system/wakepath-watch.service /usr/share/bash-completion/completions/wakepath /usr/share/doc/wakepath/changelog.gz
	/usr/share/doc/wakepath/copyright /usr/share/fish/vendor_completions.d/wakepath.fish /usr/share/man/man1/wakepath.1.gz
	/usr/share/man/man5/wakepath-index.5.gz /usr/share/zsh/vendor-completions/_wakepath)], 'the package has exactly these files');
like(qx(cat "$root/usr/lib/systemd/system/wakepath-watch.service"), qr{^ExecStart=/usr/bin/wakepath watch }m, 'the service runs the program');
ok(scalar(qx(zcat "$root/usr/share/man/man1/wakepath.1.gz") =~ /^\.TH "WAKEPATH" 1 /), 'the manual page is in troff');
my $changes = qx(zcat "$root/usr/share/doc/wakepath/changelog.gz");
like($changes, qr/^wakepath \(\Q$version\E\) /, 'the changelog is of this version');
my ($newest) = slurp("$ENV{TOP}/CHANGELOG.md") =~ /^## \Q$version\E\n(.*?)(?=^## |\z)/ms;
is(scalar(() = $changes =~ /^ +\* [^\n]*/mg), scalar(() = $newest =~ /^ *- /mg), 'the changelog has each change of this version');
SKIP: {
	skip 'no lintian here', 1 if !grep { -x "$_/lintian" } split /:/, $ENV{PATH};
	is(qx(lintian --allow-root --fail-on error "$deb" 2>&1), '', 'lintian finds nothing');
}
like(qx(cat "$root/usr/share/doc/wakepath/copyright"), qr/MIT/, 'the package has the licence');

$ENV{WAKEPATH} = "$root/usr/bin/wakepath";
is(wakepath('--version')->{out}, "wakepath $version\n", 'the installed program runs');
my $r = wakepath('info', sample('pipeline'));
is($r->{status}, 0, 'the installed program reads a trace');
like($r->{out}, qr/LTTng|lttng/i, 'the installed program names the tracer') or diag($r->{err});
done_testing;
