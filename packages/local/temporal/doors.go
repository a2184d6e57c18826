package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"strings"
	"time"

	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/rpc/encryption"
)

const (
	keyLengthMin   = 32
	internodeName  = "treeos-internode"
	internodeYears = 100 // the certificate lives in memory, as long as the process
)

// doors says who may call this server. The frontend asks for the key, or beyond loopback for a client certificate. The
// services of one server authenticate each other by a certificate that exists in this process only (in a cluster, by
// certificates of an authority that only its processes read), because every one of
// them listens on a port of its own, and none of these ports asks for a key.
type doors struct {
	key       string      // empty when only certificates open
	frontend  *tls.Config // nil on loopback without certificates
	internode *tls.Config // nil when the server is open
	open      bool
}

func newDoors(o options) (*doors, error) {
	ip := net.ParseIP(o.ip)
	if ip == nil {
		return nil, fmt.Errorf("--ip %s is not an address", o.ip)
	}
	if o.open {
		if o.keyFile != "" || o.tlsDir != "" {
			return nil, errors.New("--open takes no key and no certificates")
		}
		if !ip.IsLoopback() {
			return nil, fmt.Errorf("--open takes a loopback address, not %s", o.ip)
		}
		return &doors{open: true}, nil
	}
	d := &doors{}
	if o.keyFile == "" && o.tlsDir == "" {
		return nil, errors.New("--key-file is missing: it names the file with the key that callers must show")
	}
	if !ip.IsLoopback() && o.tlsDir == "" {
		return nil, fmt.Errorf("--ip %s is not a loopback address: it takes --tls-dir", o.ip)
	}
	var err error
	if o.keyFile != "" {
		if d.key, err = readKey(o.keyFile); err != nil {
			return nil, err
		}
	}
	if o.tlsDir != "" {
		authority, err := openAuthority(o.tlsDir)
		if err != nil {
			return nil, err
		}
		if d.frontend, err = authority.serverTLS(ip); err != nil {
			return nil, err
		}
	}
	d.internode, err = newInternodeTLS(o.cluster.internodeDir)
	return d, err
}

// readKey refuses a key that other users of the machine could read.
func readKey(path string) (string, error) {
	if err := requirePrivate("--key-file", path); err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	key := strings.TrimSpace(string(text))
	if len(key) < keyLengthMin {
		return "", fmt.Errorf("--key-file %s holds %d characters, at least %d are needed", path, len(key), keyLengthMin)
	}
	return key, nil
}

// newInternodeTLS makes a certificate that is its own authority. Its key never leaves this process. Processes of one cluster
// have an authority in a folder instead.
func newInternodeTLS(folder string) (*tls.Config, error) {
	if folder != "" {
		authority, err := readAuthority("--internode-dir", folder)
		if err != nil {
			return nil, err
		}
		return authority.internodeTLS()
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{internodeName}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(internodeYears, 0, 0),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	return internodeConfig(tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: parsed}, parsed), nil
}

// internodeConfig lets in, and goes to, only who has a certificate of an authority.
func internodeConfig(own tls.Certificate, authority *x509.Certificate) *tls.Config {
	authorities := x509.NewCertPool()
	authorities.AddCert(authority)
	return &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: []string{"h2"}, ServerName: internodeName,
		Certificates: []tls.Certificate{own},
		RootCAs:      authorities, ClientCAs: authorities, ClientAuth: tls.RequireAndVerifyClientCert,
	}
}

// The TLS of the server's own connections.
var _ encryption.TLSConfigProvider = (*doors)(nil)

func (d *doors) GetInternodeServerConfig() (*tls.Config, error)           { return d.internode, nil }
func (d *doors) GetInternodeClientConfig() (*tls.Config, error)           { return d.internode, nil }
func (d *doors) GetFrontendServerConfig() (*tls.Config, error)            { return d.frontend, nil }
func (d *doors) GetFrontendClientConfig() (*tls.Config, error)            { return nil, nil }
func (d *doors) GetRemoteClusterClientConfig(string) (*tls.Config, error) { return nil, nil }
func (d *doors) GetExpiringCerts(time.Duration) (expiring, expired encryption.CertExpirationMap, err error) {
	return nil, nil, nil
}

var (
	_ authorization.ClaimMapper                     = (*doors)(nil)
	_ authorization.ClaimMapperWithAuthInfoRequired = (*doors)(nil)
	_ authorization.Authorizer                      = (*doors)(nil)
)

// GetClaims gives every right to who shows the key or the certificate of callers, and none to anyone else.
func (d *doors) GetClaims(shown *authorization.AuthInfo) (*authorization.Claims, error) {
	switch {
	case d.open:
		return &authorization.Claims{System: authorization.RoleAdmin}, nil
	// The handshake verified the certificate. Only that of callers has this name.
	case shown.TLSSubject != nil && shown.TLSSubject.CommonName == clientName:
		return &authorization.Claims{System: authorization.RoleAdmin, AuthType: "mtls", Subject: shown.TLSSubject.CommonName}, nil
	case d.isKey(shown.AuthToken):
		return &authorization.Claims{System: authorization.RoleAdmin, AuthType: "key", Subject: "treeos"}, nil
	}
	return nil, nil
}

// AuthInfoRequired is asked by the interceptor: an open server maps callers that show nothing too.
func (d *doors) AuthInfoRequired() bool { return !d.open }

// Authorize has no exception, not even for health checks.
func (d *doors) Authorize(
	_ context.Context, claims *authorization.Claims, _ *authorization.CallTarget,
) (authorization.Result, error) {
	if claims == nil || claims.System != authorization.RoleAdmin {
		return authorization.Result{Decision: authorization.DecisionDeny}, nil
	}
	return authorization.Result{Decision: authorization.DecisionAllow}, nil
}

func (d *doors) isKey(header string) bool {
	token, found := strings.CutPrefix(header, "Bearer ")
	return found && d.isSecret(token)
}

func (d *doors) isSecret(text string) bool {
	return d.key != "" && subtle.ConstantTimeCompare([]byte(text), []byte(d.key)) == 1
}
