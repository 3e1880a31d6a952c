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
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const validity = 10 * 365 * 24 * time.Hour

// authority signs certificates. Its files survive restarts, so that clients keep trusting the cluster.
type authority struct {
	certificate *x509.Certificate
	key         crypto.Signer
	pem         []byte
}

// certPath and keyPath are the paths that k3s uses.
func certPath(name string) string { return filepath.Join(tlsDir, name+".crt") }
func keyPath(name string) string  { return filepath.Join(tlsDir, name+".key") }

// loadAuthority reads an authority's files, and creates them if they are missing.
func loadAuthority(name string) (authority, error) {
	if _, err := os.Stat(certPath(name)); os.IsNotExist(err) {
		template := &x509.Certificate{
			Subject:               pkix.Name{CommonName: fmt.Sprintf("k3s-%s@%d", name, time.Now().Unix())},
			IsCA:                  true,
			BasicConstraintsValid: true,
			KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
		}
		if err := issue(name, template, nil); err != nil {
			return authority{}, err
		}
	}
	pair, err := tls.LoadX509KeyPair(certPath(name), keyPath(name))
	if err != nil {
		return authority{}, err
	}
	key, ok := pair.PrivateKey.(crypto.Signer)
	if !ok {
		return authority{}, fmt.Errorf("the key of %s cannot sign", name)
	}
	text, err := os.ReadFile(certPath(name))
	return authority{certificate: pair.Leaf, key: key, pem: text}, err
}

// client issues a client certificate for a user and its group.
func (signer authority) client(name, user, group string) error {
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: user},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	}
	if group != "" {
		template.Subject.Organization = []string{group}
	}
	return issue(name, template, &signer)
}

// serving issues the server's certificate for its names and addresses. It runs at every start, because they may change.
func (signer authority) serving(name string, hosts []string) error {
	template := &x509.Certificate{
		Subject:     pkix.Name{CommonName: "kube-apiserver"},
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, host := range hosts {
		if address := net.ParseIP(host); address != nil {
			template.IPAddresses = append(template.IPAddresses, address)
		} else {
			template.DNSNames = append(template.DNSNames, host)
		}
	}
	return issue(name, template, &signer)
}

// issue creates and writes a key and a certificate. Without a signer the certificate is self-signed.
func issue(name string, template *x509.Certificate, signer *authority) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return err
	}
	template.SerialNumber = serial
	template.NotBefore = time.Now().Add(-time.Hour)
	template.NotAfter = time.Now().Add(validity)
	parent, parentKey := template, crypto.Signer(key)
	var chain []byte
	if signer != nil {
		parent, parentKey, chain = signer.certificate, signer.key, signer.pem
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), parentKey)
	if err != nil {
		return err
	}
	if err := writeKey(keyPath(name), key); err != nil {
		return err
	}
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	return os.WriteFile(certPath(name), append(text, chain...), 0o644)
}

// ensureServiceAccountKey creates the key that signs service account tokens, if it is missing.
func ensureServiceAccountKey() error {
	if _, err := os.Stat(keyPath("service")); err == nil {
		return nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	return writeKey(keyPath("service"), key)
}

func writeKey(path string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600)
}

// ownNames returns the names and addresses of this machine.
func ownNames() ([]string, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	service := strings.Split("kubernetes kubernetes.default kubernetes.default.svc kubernetes.default.svc.cluster.local", " ")
	names := append([]string{"localhost", host, serviceAddress}, service...)
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	for _, address := range addresses {
		if network, ok := address.(*net.IPNet); ok {
			names = append(names, network.IP.String())
		}
	}
	return names, nil
}

// advertised returns the first address that other machines can use.
func advertised() (string, error) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return "", err
	}
	for _, address := range addresses {
		if network, ok := address.(*net.IPNet); ok && network.IP.IsGlobalUnicast() && network.IP.To4() != nil {
			return network.IP.String(), nil
		}
	}
	return "", fmt.Errorf("this container has no network")
}
