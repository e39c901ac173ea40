#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Recordings that wakepath cannot read are reported by the name of their format, with a hint; "copy it again" is only for missing bytes.
use strict;
use warnings;
use lib "$ENV{TOP}/tests/tools";
use Wake;
use Test::More;

my $dir = "$ENV{TMPDIR}/foreign";
mkdir $dir;

# `info` of PATH fails with PATTERN, and does not call it damaged.
sub named {
	my ($path, $pattern, $name) = @_;
	my $r = wakepath('info', $path);
	says($r, 3, $pattern, $name);
	unlike($r->{err}, qr/damaged|copy/, "$name: nothing is missing");
}

sub metadata {
	my ($name, $text) = @_;
	mkdir "$dir/$name";
	spew("$dir/$name/metadata", $text);
	spew("$dir/$name/stream0", "\xc1\x1f\xfc\xc1" . "\0" x 60);
	return "$dir/$name";
}

# ---- CTF ----

named(metadata('ctf2-extension', qq(\x1e{"type":"preamble","version":2,"extensions":{"my.tracer":{"piano":{"keys":88}}}}\n)),
	qr/metadata fragment 1, line 1: a trace of CTF 2 with the extension "piano" of "my\.tracer", which wakepath does not know: record it without/, 'an extension of CTF 2');
named(metadata('ctf3', qq(\x1e{"type":"preamble","version":3}\n)), qr/a trace of CTF 3, and wakepath reads CTF 1\.8 and 2: record or convert it in one of these/, 'a future version');
named(metadata('ctf19', "/* CTF 1.9 */\ntrace {\n\tmajor = 1;\n\tminor = 9;\n\tbyte_order = le;\n};\n"), qr/a trace of CTF 1\.9, and wakepath reads CTF 1\.8/, 'another minor version');
named(metadata('ctf20', "/* CTF 2.0 */\ntrace {\n\tmajor = 2;\n\tminor = 0;\n\tbyte_order = le;\n};\n"), qr/a trace of CTF 2, and wakepath reads CTF 1\.8/, 'another major version');
named(metadata('other', "name: backup\nversion: 3\n"), qr/not a description of a CTF trace/, 'a file called metadata of another kind');
says(wakepath('info', metadata('cut', "/* CTF 1.8 */\ntrace {\n\tmajor = 1;\n\tmin")), 3, qr/copy the trace again/, 'metadata cut short: bytes are missing');

my $here = $0 =~ s{\.t\z}{}r;
named("$here/no-cpu", qr/is not a Linux kernel trace: its packets have no CPU \(no field cpu_id\)/, 'CTF that is not of Linux');
named_by_babeltrace2() if grep { -x "$_/babeltrace2" } split /:/, $ENV{PATH};
sub named_by_babeltrace2 {
	says(wakepath('index', "$here/no-cpu", '--reader', 'babeltrace2'), 3, qr/is not a Linux kernel trace/, '… also by babeltrace2');
}

# ---- files ----

my %files = (
	'perf.data' => [ 'PERFFILE' . pack('Q5', 0x68, 0x58, 0x70, 0x58, 0x110) . "\0" x 200, qr/is a perf\.data of version 1/ ],
);
for my $name (sort keys %files) {
	my ($bytes, $pattern) = @{ $files{$name} };
	mkdir "$dir/$name.d";
	spew("$dir/$name.d/$name", $bytes);
	named("$dir/$name.d/$name", $pattern, $name);
	named("$dir/$name.d", qr/no trace in .*\Q$name.d\E: .*\Q$name\E $pattern/, "the folder of $name");
}
spew("$dir/lines", "\x0a\x0a\x0aan empty line begins as a packet of Perfetto does\n" x 100);
says(wakepath('info', "$dir/lines"), 3, qr/is text: give the recording/, 'text that begins with empty lines is no Perfetto trace');
spew("$dir/noise", "\x0a\x05\xff\xff\xff\xff\xff\x0a\x03\1\2\3" x 100);
says(wakepath('info', "$dir/noise"), 3, qr/is not a recording that wakepath can read/, 'nor is text that only begins like one');

# ---- user space alone ----

my $t = copy_trace('pipeline', 'user');
patch("$t/kernel/metadata", sub { s/domain = "kernel";/domain = "ust";   /; s/sched_/shed_x/g });
my $r = wakepath('info', $t);
is($r->{status}, 0, 'a trace of user space is read');
like($r->{out}, qr/^\S.*\n  warning   a user-space trace \(.*\n  host /, '… and the first warning says so');
is(() = $r->{out} =~ /lttng enable-event/g, 2, '… with one advice: the kernel');
$r = json_of(wakepath('info', $t, '--format', 'json'))->{traces}[0];
like($r->{warnings}[0], qr/^a user-space trace .*record the kernel in the same session/, '… in JSON too');
is(scalar @{ $r->{advice} }, 1, '… with one advice');

done_testing();
