//go:build tools

// Package etcd pins the store behind a Kubernetes API server, so that go.sum verifies every byte it is built from. It is the
// release that kubeadm starts below this Kubernetes (DefaultEtcdVersion), with the libraries of the control plane: what is
// compiled for one serves the other.
package etcd

import (
	_ "go.etcd.io/etcd/server/v3"
)
