//go:build tools

// Package helm pins helm, with which charts are tested, so that go.sum verifies its sources.
// It is the minor release that uses this Kubernetes' client.
package helm

import (
	_ "helm.sh/helm/v4/cmd/helm"
)
