//go:build tools

// Package helm pins the package manager that charts are tested with, so that go.sum verifies every byte it is built from.
package helm

import (
	_ "helm.sh/helm/v4/cmd/helm"
)
