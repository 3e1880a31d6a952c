/**
 * The settings of clusters that are registered at run time.
 */
import * as Kind from "./Kind.ts"
import { optional, withDefault } from "./Row.ts"

export const registration = {
  allowLoopback: withDefault("false", {
    path: "clusters.allowLoopback",
    flag: "allow-loopback-clusters",
    kind: Kind.truth,
    description:
      "Whether clusters with a loopback address may be registered at run time. Those of a kubeconfig given at start may have any address."
  }),
  secretFile: optional({
    path: "clusters.secretFile",
    flag: "secret-file",
    kind: Kind.path,
    description:
      "File of 32 random bytes, under which credentials of clusters registered at run time are encrypted. Unset: one is made in the data directory."
  }),
  argoSecrets: optional({
    path: "clusters.argoSecrets",
    flag: "argo-secrets",
    kind: Kind.namespaces,
    description:
      "Namespaces of the parent whose Secrets of Argo CD (label argocd.argoproj.io/secret-type: cluster) are clusters, followed as they change. Unset: none."
  }),
  profiles: optional({
    path: "clusters.profiles",
    flag: "cluster-profiles",
    kind: Kind.namespaces,
    description:
      "Namespaces of the parent whose ClusterProfiles (multicluster.x-k8s.io) are clusters, followed as they change. Unset: none."
  }),
  allowedCommands: optional({
    path: "clusters.allowedCommands",
    flag: "allowed-commands",
    kind: Kind.commands,
    description:
      "Credential plugins that such Secrets and ClusterProfiles may have run where the server runs, each with its arguments, parted by spaces, * for one plain value; a ClusterProfile names one without arguments by its file name. Unset: none."
  })
}
