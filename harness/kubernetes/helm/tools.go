//go:build tools

// Package helm pins the package manager that charts are tested with, so that go.sum
// verifies every byte it is built from. It is of the minor release that is made with this Kubernetes' client.
package helm

import (
	_ "helm.sh/helm/v4/cmd/helm"
)
