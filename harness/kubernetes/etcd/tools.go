//go:build tools

// Package etcd pins the store behind a Kubernetes API server, so that go.sum verifies every byte it is built from.
package etcd

import (
	_ "go.etcd.io/etcd/server/v3"
)
