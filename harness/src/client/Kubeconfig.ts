/** Kubeconfig files: what kubectl and every client library read to reach clusters. */
import { Redacted } from "effect"
import { stringify } from "yaml"

/** One context: a cluster, and who reaches it. */
export interface KubeconfigContext {
  /** The name of the context and of the cluster. */
  readonly name: string
  readonly server: string
  readonly caPem: string
  readonly user: string
  readonly token: Redacted.Redacted<string>
}

/**
 * Prints a kubeconfig with one context a cluster; the first one is current.
 *
 * **Shape** the user's entry is named `<user>@<cluster>`, because every cluster has tokens of its own. The text holds
 * those tokens: whoever reads it is that user.
 */
export const print = (contexts: ReadonlyArray<KubeconfigContext>): string =>
  stringify(
    {
      apiVersion: "v1",
      kind: "Config",
      clusters: contexts.map(({ name, server, caPem }) => ({
        name,
        cluster: { server, "certificate-authority-data": Buffer.from(caPem).toString("base64") }
      })),
      users: contexts.map(({ name, user, token }) => ({
        name: `${user}@${name}`,
        user: { token: Redacted.value(token) }
      })),
      contexts: contexts.map(({ name, user }) => ({ name, context: { cluster: name, user: `${user}@${name}` } })),
      ...(contexts[0] === undefined ? {} : { "current-context": contexts[0].name })
    },
    // kubectl reads YAML 1.1, in which `no` and `1_000` are not text.
    { lineWidth: 0, compat: "yaml-1.1" }
  )
