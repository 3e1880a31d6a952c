package main

// servers are etcd and the API server, in the order of their start.
func servers(address string, given flags) [][]string {
	etcd := []string{
		"--data-dir=" + dataDir,
		"--listen-client-urls=" + etcdURL,
		"--advertise-client-urls=" + etcdURL,
		"--listen-peer-urls=http://127.0.0.1:2380",
		"--initial-advertise-peer-urls=http://127.0.0.1:2380",
		"--initial-cluster=default=http://127.0.0.1:2380",
		// The data must survive the container's processes, but not the machine.
		"--unsafe-no-fsync",
		// A single member elects itself; with the default timeout it first waits a second. Shorter heartbeats cost processor time.
		"--heartbeat-interval=50",
		"--election-timeout=250",
		"--logger=zap",
		"--log-level=error",
	}
	apiServer := []string{
		"--etcd-servers=" + etcdURL,
		"--bind-address=0.0.0.0",
		"--advertise-address=" + address,
		"--secure-port=" + securePort,
		"--cert-dir=" + tlsDir + "/temporary-certs",
		"--tls-cert-file=" + certPath("serving-kube-apiserver"),
		"--tls-private-key-file=" + keyPath("serving-kube-apiserver"),
		"--client-ca-file=" + certPath("client-ca"),
		"--kubelet-client-certificate=" + certPath("client-kube-apiserver"),
		"--kubelet-client-key=" + keyPath("client-kube-apiserver"),
		"--proxy-client-cert-file=" + certPath("client-auth-proxy"),
		"--proxy-client-key-file=" + keyPath("client-auth-proxy"),
		"--requestheader-client-ca-file=" + certPath("request-header-ca"),
		"--requestheader-allowed-names=system:auth-proxy",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-username-headers=X-Remote-User",
		"--service-account-issuer=https://kubernetes.default.svc.cluster.local",
		"--service-account-key-file=" + keyPath("service"),
		"--service-account-signing-key-file=" + keyPath("service"),
		"--service-cluster-ip-range=" + serviceRange,
		"--api-audiences=https://kubernetes.default.svc.cluster.local,k3s",
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		"--allow-privileged=true",
		"--anonymous-auth=false",
		"--profiling=false",
	}
	return [][]string{
		append([]string{"etcd"}, merge(etcd, given.etcd)...),
		append([]string{"kube-apiserver"}, merge(apiServer, given.apiServer)...),
	}
}

// controllers need a ready server: without one they exit after ten seconds.
func controllers(given flags) [][]string {
	controller := []string{
		"--kubeconfig=" + credDir + "/controller.kubeconfig",
		"--root-ca-file=" + certPath("server-ca"),
		"--service-account-private-key-file=" + keyPath("service"),
		"--cluster-signing-cert-file=" + certPath("client-ca"),
		"--cluster-signing-key-file=" + keyPath("client-ca"),
		"--use-service-account-credentials=true",
		"--leader-elect=false",
		"--secure-port=0",
		"--profiling=false",
		// With the defaults the first reconciliation of a new cluster waits for seconds.
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
	}
	scheduler := []string{
		"--kubeconfig=" + credDir + "/scheduler.kubeconfig",
		"--leader-elect=false",
		"--secure-port=0",
		"--profiling=false",
	}
	lines := [][]string{append([]string{"kube-controller-manager"}, merge(controller, given.controller)...)}
	if given.noScheduler {
		return lines
	}
	return append(lines, append([]string{"kube-scheduler"}, merge(scheduler, given.scheduler)...))
}
