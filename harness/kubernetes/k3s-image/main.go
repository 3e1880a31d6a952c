// Command k3s is the entry point of the harness's own image. It accepts the command line of k3s, runs the programs of a
// real control plane instead, and prints the same line as k3s when it is ready.
//
// There is no kubelet: `server` starts etcd, the API server, the controller manager and the scheduler. Files have the same
// paths as in k3s, so that tests work with both images.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

const (
	serverDir      = "/var/lib/rancher/k3s/server"
	tlsDir         = serverDir + "/tls"
	credDir        = serverDir + "/cred"
	dataDir        = serverDir + "/db/etcd"
	kubeconfigPath = "/etc/rancher/k3s/k3s.yaml"
	securePort     = "6443"
	etcdURL        = "http://127.0.0.1:2379"
	serviceRange   = "10.43.0.0/16"
	serviceAddress = "10.43.0.1"
)

func main() {
	if err := run(os.Args); err != nil {
		fmt.Fprintf(os.Stderr, "level=fatal msg=%q\n", err.Error())
		os.Exit(1)
	}
}

func run(args []string) error {
	name := filepath.Base(args[0])
	if len(args) > 1 && name == "k3s" {
		name = args[1]
		args = args[1:]
	}
	switch name {
	case "server":
		flags, err := parseFlags(args[1:])
		if err != nil {
			return err
		}
		return serve(flags)
	case "kubectl":
		env := os.Environ()
		if os.Getenv("KUBECONFIG") == "" {
			env = append(env, "KUBECONFIG="+kubeconfigPath)
		}
		return syscall.Exec("/bin/kubectl", append([]string{"kubectl"}, args[1:]...), env)
	case "compact-history":
		return compactHistory()
	default:
		return fmt.Errorf("no help topic for '%s': this image has server, kubectl and compact-history", name)
	}
}
