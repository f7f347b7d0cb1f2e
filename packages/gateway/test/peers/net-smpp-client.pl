#!/usr/bin/perl
# A client of ours made of Net::SMPP, for clients.test.ts: it binds, submits one message with registered_delivery if it may,
# acknowledges what it is told, and writes each as one JSON object a line.
#
# Usage: net-smpp-client.pl PORT BIND VERSION; BIND is "transceiver", "transmitter" or "receiver", VERSION "33" or "34".
use strict;
use warnings;
use JSON::PP;
use Net::SMPP;

my ($port, $as, $version) = @ARGV;
my $bind = "new_$as";
$| = 1;

my ($smpp, $bound) = Net::SMPP->$bind('127.0.0.1', port => $port, smpp_version => hex $version,
    interface_version => hex $version, system_id => 'acme', password => 'Right-1') or die "cannot bind: $!";
print encode_json({ event => 'bound', status => $bound->{status} }), "\n";
if ($as ne 'receiver') {
    my $answer = $smpp->submit_sm(source_addr_ton => 1, source_addr_npi => 1, source_addr => '41790000001', dest_addr_ton => 1,
        dest_addr_npi => 1, destination_addr => '41791230001', registered_delivery => 1, short_message => 'Hello');
    print encode_json({ event => 'submitted', status => $answer->{status}, id => $answer->{message_id} }), "\n";
}
while (my $pdu = $smpp->read_pdu) {
    my $name = $pdu->explain_cmd;
    if ($name eq 'deliver_sm') {
        print encode_json({ event => 'told', esm_class => $pdu->{esm_class}, data_coding => $pdu->{data_coding},
            source => $pdu->{source_addr}, destination => $pdu->{destination_addr},
            text => $pdu->{short_message} || $pdu->{message_payload} || '', receipted => $pdu->{receipted_message_id} // '',
            state => defined $pdu->{message_state} ? unpack 'C', $pdu->{message_state} : undef }), "\n";
        $smpp->deliver_sm_resp(seq => $pdu->{seq}, message_id => '');
    }
    elsif ($name eq 'enquire_link') { $smpp->enquire_link_resp(seq => $pdu->{seq}) }
    elsif ($name eq 'unbind') { $smpp->unbind_resp(seq => $pdu->{seq}); last }
}
