#!/bin/sh
# Makes the certificates of the TLS tests again: an authority, a carrier (carrier.test, 127.0.0.1), one that has expired,
# and a client. They last until 2120, so the tests need no openssl; the keys protect nothing but tests.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cat >ca.cnf <<'END'
[ca]
default_ca = tests
[tests]
database = issued
serial = serial
new_certs_dir = .
default_md = sha256
policy = names
unique_subject = no
[names]
commonName = supplied
[authority]
basicConstraints = critical, CA:TRUE
keyUsage = critical, keyCertSign
[leaf]
basicConstraints = CA:FALSE
subjectAltName = DNS:carrier.test, IP:127.0.0.1
END
: >issued
echo 01 >serial

# name, subject, kind, end, and by whom it is signed
certify() {
  name=$1 subject=$2 kind=$3 end=$4
  shift 4
  openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$name.key"
  openssl req -new -key "$name.key" -subj "/CN=$subject" -out "$name.csr"
  openssl ca -batch -notext -config ca.cnf -extensions "$kind" -startdate 20200101000000Z -enddate "$end" \
    -in "$name.csr" -out "$name.pem" -keyfile ca.key "$@"
}

certify ca 'Morsel test authority' authority 21200101000000Z -selfsign
certify carrier carrier.test leaf 21200101000000Z -cert ca.pem
certify expired carrier.test leaf 20200102000000Z -cert ca.pem
certify client client.test leaf 21200101000000Z -cert ca.pem
cp ca.pem carrier.pem carrier.key expired.pem expired.key client.pem client.key "$folder"
