/** Kubeconfig files, which kubectl and client libraries read to connect to clusters. */
import { Redacted } from "effect"
import { stringify } from "yaml"

/** One context: a cluster and the user that connects to it. */
export interface KubeconfigContext {
  /** The name of the context and of the cluster. */
  readonly name: string
  readonly server: string
  readonly caPem: string
  readonly user: string
  readonly token: Redacted.Redacted<string>
}

/**
 * Prints a kubeconfig with one context per cluster. The first one is current.
 *
 * **Shape** a user entry is named `<user>@<cluster>`, because each cluster has its own tokens. The text contains the
 * tokens, so treat it as a secret.
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
    // kubectl reads YAML 1.1, in which an unquoted `no` or `1_000` is not a string.
    { lineWidth: 0, compat: "yaml-1.1" }
  )
