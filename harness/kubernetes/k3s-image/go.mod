module github.com/quarterdeck/harness/kubernetes/k3s-image

go 1.26.0
