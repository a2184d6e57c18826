package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

const (
	caFile        = "ca.pem"
	caKeyFile     = "ca-key.pem" // stays on this machine: it can make certificates for anyone
	clientFile    = "client.pem"
	clientKeyFile = "client-key.pem"

	serverName       = "treeos-temporal" // callers check this name, so that the address may be any
	clientName       = "treeos-client"
	certificateYears = 10
)

// authority makes and checks the certificates of one server. Its files are in a folder that only their owner can read.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// openAuthority reads the authority in a folder. A folder that is not there is made whole: with an authority, and a
// certificate for callers.
func openAuthority(folder string) (*authority, error) {
	if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
		if err := makeAuthority(folder, "treeos authority", writeCallers); err != nil {
			return nil, err
		}
	} else if err != nil {
		return nil, err
	}
	if err := requirePrivate("--tls-dir", filepath.Join(folder, clientKeyFile)); err != nil {
		return nil, err
	}
	return readAuthority("--tls-dir", folder)
}

// readAuthority reads what makeAuthority made.
func readAuthority(flagName, folder string) (*authority, error) {
	for _, path := range []string{folder, filepath.Join(folder, caKeyFile)} {
		if err := requirePrivate(flagName, path); err != nil {
			return nil, err
		}
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(folder, caFile), filepath.Join(folder, caKeyFile))
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", flagName, folder, err)
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok || !pair.Leaf.IsCA {
		return nil, fmt.Errorf("%s %s: %s is not the certificate of an authority with an ECDSA key", flagName, folder, caFile)
	}
	return &authority{certificate: pair.Leaf, key: key}, nil
}

// makeAuthority makes a folder whole: with an authority, and with what else is written there.
func makeAuthority(folder, name string, writeMore func(*authority, string) error) error {
	draft := folder + ".new"
	if err := os.RemoveAll(draft); err != nil {
		return err
	}
	if err := os.MkdirAll(draft, 0o700); err != nil {
		return err
	}
	key, err := newKey()
	if err != nil {
		return err
	}
	template := newTemplate(name)
	template.IsCA, template.MaxPathLenZero, template.KeyUsage = true, true, x509.KeyUsageCertSign
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return err
	}
	if err := writePair(draft, caFile, caKeyFile, der, key); err != nil {
		return err
	}
	if err := writeMore(&authority{certificate: parsed, key: key}, draft); err != nil {
		return err
	}
	return os.Rename(draft, folder)
}

// writeCallers writes the certificate that callers of the frontend show.
func writeCallers(a *authority, folder string) error {
	client := newTemplate(clientName)
	client.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	der, key, err := a.sign(client)
	if err != nil {
		return err
	}
	return writePair(folder, clientFile, clientKeyFile, der, key)
}

// serverTLS makes a certificate for this start, and lets in who shows a certificate of this authority.
func (a *authority) serverTLS(ip net.IP) (*tls.Config, error) {
	template := newTemplate(serverName)
	template.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	template.DNSNames = []string{serverName, "localhost"}
	template.IPAddresses = []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback}
	if !ip.IsUnspecified() {
		template.IPAddresses = append(template.IPAddresses, ip)
	}
	der, key, err := a.sign(template)
	if err != nil {
		return nil, err
	}
	authorities := x509.NewCertPool()
	authorities.AddCert(a.certificate)
	return &tls.Config{
		MinVersion: tls.VersionTLS13, NextProtos: []string{"h2"},
		Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}},
		ClientAuth:   tls.RequireAndVerifyClientCert, ClientCAs: authorities,
	}, nil
}

func (a *authority) sign(template *x509.Certificate) ([]byte, *ecdsa.PrivateKey, error) {
	key, err := newKey()
	if err != nil {
		return nil, nil, err
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.certificate, key.Public(), a.key)
	return der, key, err
}

func newKey() (*ecdsa.PrivateKey, error) { return ecdsa.GenerateKey(elliptic.P256(), rand.Reader) }

func newTemplate(name string) *x509.Certificate {
	now := time.Now()
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		panic(err) // the system has no randomness
	}
	return &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, BasicConstraintsValid: true,
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(certificateYears, 0, 0), KeyUsage: x509.KeyUsageDigitalSignature,
	}
}

func writePair(folder, certificateName, keyName string, der []byte, key crypto.Signer) error {
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	for _, file := range []struct {
		name, kind string
		bytes      []byte
	}{{certificateName, "CERTIFICATE", der}, {keyName, "PRIVATE KEY", keyDER}} {
		text := pem.EncodeToMemory(&pem.Block{Type: file.kind, Bytes: file.bytes})
		if err := os.WriteFile(filepath.Join(folder, file.name), text, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// requirePrivate refuses a file or folder that other users of the machine could read.
func requirePrivate(flagName, path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if info.Mode().Perm()&0o077 == 0 {
		return nil
	}
	mode := "600"
	if info.IsDir() {
		mode = "700"
	}
	return fmt.Errorf("%s %s can be read by other users: chmod %s %s", flagName, path, mode, path)
}
