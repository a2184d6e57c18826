#!/bin/sh
# Runs at each start. Adds the namespace and the search attributes that are missing. Reads TEMPORAL_ADDRESS.
set -eu
namespace=default
temporal() {
  command temporal "$@" --tls-ca-path /certificates/client/ca.pem --tls-cert-path /certificates/client/client.pem \
    --tls-key-path /certificates/client/client-key.pem --tls-server-name treeos-temporal
}
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  temporal operator cluster health && break
  test "$attempt" -lt 10 || exit 1
  sleep 2
done
temporal operator namespace describe --namespace "$namespace" >/dev/null 2>&1 ||
  temporal operator namespace create --namespace "$namespace" --retention 2160h # 90 days
known=$(temporal operator search-attribute list --namespace "$namespace")
for name in TreeosReality TreeosBeing TreeosCognition TreeosRole; do
  echo "$known" | grep -qw "$name" ||
    temporal operator search-attribute create --namespace "$namespace" --name "$name" --type Keyword
done
