package main

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
)

const kubeconfigText = `apiVersion: v1
kind: Config
clusters:
- cluster:
    certificate-authority-data: %s
    server: https://127.0.0.1:%s
  name: default
contexts:
- context:
    cluster: default
    user: default
  name: default
current-context: default
users:
- name: default
  user:
    client-certificate-data: %s
    client-key-data: %s
`

// writeKubeconfig writes a kubeconfig with an embedded client certificate.
func writeKubeconfig(path, client string) error {
	var encoded [3]string
	for index, file := range []string{certPath("server-ca"), certPath(client), keyPath(client)} {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		encoded[index] = base64.StdEncoding.EncodeToString(text)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	text := fmt.Sprintf(kubeconfigText, encoded[0], securePort, encoded[1], encoded[2])
	return os.WriteFile(path, []byte(text), 0o600)
}
