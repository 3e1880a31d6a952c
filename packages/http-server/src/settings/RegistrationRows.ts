/**
 * The settings of clusters registered at run time.
 */
import * as Kind from "./Kind.ts"
import { optional, withDefault } from "./Row.ts"

export const registration = {
  allowLoopback: withDefault("false", {
    path: "clusters.allowLoopback",
    flag: "allow-loopback-clusters",
    kind: Kind.truth,
    description:
      "Allows registering clusters with a loopback address at run time. Clusters from kubeconfig files may have any address."
  }),
  secretFile: optional({
    path: "clusters.secretFile",
    flag: "secret-file",
    kind: Kind.path,
    description:
      "File of 32 random bytes: the key that encrypts credentials of clusters registered at run time. Unset: the server creates one in the data directory."
  }),
  argoSecrets: optional({
    path: "clusters.argoSecrets",
    flag: "argo-secrets",
    kind: Kind.namespaces,
    description:
      "Namespaces of the parent cluster to watch for Argo CD cluster Secrets (label argocd.argoproj.io/secret-type: cluster). Each Secret registers a cluster. Unset: none."
  }),
  profiles: optional({
    path: "clusters.profiles",
    flag: "cluster-profiles",
    kind: Kind.namespaces,
    description:
      "Namespaces of the parent cluster to watch for ClusterProfiles (multicluster.x-k8s.io). Each ClusterProfile registers a cluster. Unset: none."
  }),
  allowedCommands: optional({
    path: "clusters.allowedCommands",
    flag: "allowed-commands",
    kind: Kind.commands,
    description:
      "Credential plugins that Argo CD Secrets and ClusterProfiles may run on the server. Write each with its arguments, separated by spaces; * matches one plain argument. A ClusterProfile refers to a plugin without arguments by its file name. Unset: none."
  })
}
