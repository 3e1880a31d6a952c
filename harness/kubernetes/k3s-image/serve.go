package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// Usually two seconds; much longer on a busy machine.
const startWithin = 110 * time.Second

// serve runs the control plane until one of its programs ends or the container is stopped.
func serve(given flags) error {
	if err := prepare(given.names); err != nil {
		return err
	}
	address, err := advertised()
	if err != nil {
		return err
	}
	stopped := make(chan os.Signal, 1)
	signal.Notify(stopped, syscall.SIGTERM, syscall.SIGINT)
	ended := make(chan error, 4)
	if err := startAll(servers(address, given), ended); err != nil {
		return err
	}
	ready := make(chan error, 1)
	go func() { ready <- complete(given, ended) }()
	for {
		select {
		case <-stopped:
			// The programs end with the container's first process; the store survives a power failure.
			return nil
		case err := <-ended:
			return err
		case err := <-ready:
			if err != nil {
				return err
			}
			fmt.Fprintln(os.Stderr, `level=info msg="Node controller sync successful"`)
		}
	}
}

// prepare writes missing certificates and credentials, and a new server certificate.
func prepare(names []string) error {
	for _, directory := range []string{tlsDir, credDir, dataDir} {
		if err := os.MkdirAll(directory, 0o700); err != nil {
			return err
		}
	}
	server, err := loadAuthority("server-ca")
	if err != nil {
		return err
	}
	client, err := loadAuthority("client-ca")
	if err != nil {
		return err
	}
	proxy, err := loadAuthority("request-header-ca")
	if err != nil {
		return err
	}
	own, err := ownNames()
	if err != nil {
		return err
	}
	steps := []func() error{
		ensureServiceAccountKey,
		func() error { return server.serving("serving-kube-apiserver", append(own, names...)) },
		func() error { return proxy.client("client-auth-proxy", "system:auth-proxy", "") },
		func() error { return client.client("client-kube-apiserver", "k3s-apiserver", "system:masters") },
		func() error { return client.client("client-admin", "system:admin", "system:masters") },
		func() error { return client.client("client-controller", "system:kube-controller-manager", "") },
		func() error { return client.client("client-scheduler", "system:kube-scheduler", "") },
		func() error { return writeKubeconfig(kubeconfigPath, "client-admin") },
		func() error { return writeKubeconfig(credDir+"/controller.kubeconfig", "client-controller") },
		func() error { return writeKubeconfig(credDir+"/scheduler.kubeconfig", "client-scheduler") },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// start runs a program and reports its end. The program ends with this one, the first process of the container.
func start(line []string, ended chan<- error) error {
	command := exec.Command("/bin/"+line[0], line[1:]...)
	command.Stdout = os.Stdout
	command.Stderr = os.Stderr
	if line[0] == "kube-apiserver" {
		// Less frequent garbage collection makes the server start a sixth faster, for 100 MB more memory.
		command.Env = append([]string{"GOGC=400", "GOMEMLIMIT=1GiB"}, os.Environ()...)
	}
	if err := command.Start(); err != nil {
		return err
	}
	go func() {
		err := command.Wait()
		if err == nil {
			err = fmt.Errorf("exit status 0")
		}
		ended <- fmt.Errorf("%s exited: %w", line[0], err)
	}()
	return nil
}

func startAll(lines [][]string, ended chan<- error) error {
	for _, line := range lines {
		if err := start(line, ended); err != nil {
			return err
		}
	}
	return nil
}

// complete starts the controllers once the server is ready, and returns when they have created the first service account.
func complete(given flags, ended chan<- error) error {
	client, err := adminClient()
	if err != nil {
		return err
	}
	deadline := time.Now().Add(startWithin)
	if err := waitFor(client, "/readyz", deadline); err != nil {
		return err
	}
	if err := startAll(controllers(given), ended); err != nil {
		return err
	}
	return waitFor(client, "/api/v1/namespaces/default/serviceaccounts/default", deadline)
}

func waitFor(client *http.Client, path string, deadline time.Time) error {
	last := "no answer yet"
	for time.Now().Before(deadline) {
		status, problem := statusOf(client, path)
		if status == http.StatusOK {
			return nil
		}
		last = problem
		time.Sleep(50 * time.Millisecond)
	}
	return fmt.Errorf("not ready after %s: %s: %s", startWithin, path, last)
}

func statusOf(client *http.Client, path string) (int, string) {
	answer, err := client.Get("https://127.0.0.1:" + securePort + path)
	if err != nil {
		return 0, strings.TrimSpace(err.Error())
	}
	defer answer.Body.Close()
	return answer.StatusCode, answer.Status
}

func adminClient() (*http.Client, error) {
	pair, err := tls.LoadX509KeyPair(certPath("client-admin"), keyPath("client-admin"))
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(certPath("server-ca"))
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(text)
	config := &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: roots}
	return &http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{TLSClientConfig: config}}, nil
}
