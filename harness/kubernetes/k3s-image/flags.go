package main

import (
	"fmt"
	"slices"
	"strings"
)

// flags is what the command line of k3s says that matters here.
type flags struct {
	names      []string
	apiServer  []string
	controller []string
	scheduler  []string
	etcd       []string
	// noScheduler is true with --disable-scheduler.
	noScheduler bool
}

// parseFlags reads the flags of `k3s server`. Those that only a kubelet, a network or an add-on would heed are taken and
// ignored; what is no flag of any kind is refused.
func parseFlags(args []string) (flags, error) {
	var parsed flags
	for index := 0; index < len(args); index++ {
		argument := args[index]
		if !strings.HasPrefix(argument, "-") {
			return parsed, fmt.Errorf("unexpected argument %q", argument)
		}
		name, value, given := strings.Cut(strings.TrimLeft(argument, "-"), "=")
		if !given && index+1 < len(args) && !strings.HasPrefix(args[index+1], "-") {
			index++
			value = args[index]
		}
		switch name {
		case "tls-san":
			names := strings.FieldsFunc(value, func(r rune) bool { return r == ',' })
			parsed.names = append(parsed.names, names...)
		case "kube-apiserver-arg":
			parsed.apiServer = append(parsed.apiServer, "--"+value)
		case "kube-controller-manager-arg", "kube-controller-arg":
			parsed.controller = append(parsed.controller, "--"+value)
		case "kube-scheduler-arg":
			parsed.scheduler = append(parsed.scheduler, "--"+value)
		case "etcd-arg":
			parsed.etcd = append(parsed.etcd, "--"+value)
		case "disable-scheduler":
			parsed.noScheduler = value != "false"
		}
	}
	return parsed, nil
}

// merge puts the user's flags after ours, and drops ours where the user's has the same name, as k3s does.
func merge(ours, users []string) []string {
	merged := slices.DeleteFunc(slices.Clone(ours), func(flag string) bool {
		return slices.ContainsFunc(users, func(other string) bool { return flagName(other) == flagName(flag) })
	})
	return append(merged, users...)
}

func flagName(flag string) string {
	name, _, _ := strings.Cut(flag, "=")
	return name
}
