//go:build tools

// Package etcd pins etcd, so that go.sum verifies its sources. It is the release that kubeadm uses for this Kubernetes
// (DefaultEtcdVersion), with the library versions of the control plane, so that both share compiled packages.
package etcd

import (
	_ "go.etcd.io/etcd/server/v3"
)
