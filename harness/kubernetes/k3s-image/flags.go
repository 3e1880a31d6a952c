package main

import (
	"fmt"
	"slices"
	"strings"
)

// flags holds the flags of k3s that this program uses.
type flags struct {
	names      []string
	apiServer  []string
	controller []string
	scheduler  []string
	etcd       []string
	// noScheduler is true with --disable-scheduler.
	noScheduler bool
}

// parseFlags parses the flags of `k3s server`. Flags for the kubelet, the network or add-ons are accepted and ignored;
// arguments that are not flags are refused.
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

// merge appends the user's flags to the defaults. A user's flag replaces a default of the same name, as in k3s.
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
