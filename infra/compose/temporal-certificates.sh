#!/bin/sh
# Runs at each start. Makes certificates for Temporal in two folders, unless they are there: `server` for the server, `client` for
# its callers. The key of their authority is thrown away, so nobody can make more.
set -eu
cd "${1:-/certificates}"
test ! -e client/client-key.pem || exit 0
mkdir -p server client
drafts=$(mktemp -d)
trap 'rm -rf "$drafts"' EXIT
days=3650
subject() { printf '%s\n' "/CN=$1"; }

openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days "$days" -subj "$(subject 'treeos authority')" \
  -addext keyUsage=critical,keyCertSign -keyout "$drafts/ca-key.pem" -out "$drafts/ca.pem"
# The services of one server show each other its certificate too, so it is one for clients as well.
printf 'subjectAltName=DNS:treeos-temporal,DNS:temporal,DNS:localhost,IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth\n' >"$drafts/server"
printf 'extendedKeyUsage=clientAuth\n' >"$drafts/client"
for name in server client; do
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj "$(subject "treeos-$name")" \
    -keyout "$drafts/$name-key.pem" -out "$drafts/$name.csr"
  openssl x509 -req -in "$drafts/$name.csr" -CA "$drafts/ca.pem" -CAkey "$drafts/ca-key.pem" -CAcreateserial \
    -days "$days" -extfile "$drafts/$name" -out "$drafts/$name.pem"
done
# The programs that read these run as other users, in containers. On the host only root reaches the volumes.
chmod 644 "$drafts"/*.pem
for name in server client; do
  cp "$drafts/ca.pem" "$drafts/$name.pem" "$name/"
  cp "$drafts/$name-key.pem" "$name/" # last: the folder is whole once it is there
done
