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
  })
}
