/**
 * A registered cluster: its name, its place in the fleet, and how to reach it.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Redacted } from "effect"
import type { AddressRule } from "./AddressRule.ts"

/** A certificate that the client presents, and its private key. */
export interface ClientCertificate {
  readonly certificate: PemSource
  readonly key: PemSource
}

/**
 * How a request proves who it is.
 *
 * **Shape** `clientCertificate` is presented beside a token or a password, as kubectl does.
 *
 * **Source** kubeconfig `users[].user`; `client.authentication.k8s.io/v1`.
 */
export type Credential =
  | { readonly _tag: "None" }
  | {
      readonly _tag: "Token"
      readonly token: Redacted.Redacted
      readonly clientCertificate?: ClientCertificate
    }
  /** Re-read when it changes: mounted service-account tokens rotate. */
  | { readonly _tag: "TokenFile"; readonly path: string; readonly clientCertificate?: ClientCertificate }
  | {
      readonly _tag: "Basic"
      readonly username: string
      readonly password: Redacted.Redacted
      readonly clientCertificate?: ClientCertificate
    }
  | ({ readonly _tag: "ClientCertificate" } & ClientCertificate)
  | { readonly _tag: "Exec"; readonly plugin: ExecPlugin }

/** PEM text given in place, or in a file that is re-read when it changes. */
export type PemSource =
  | { readonly _tag: "Data"; readonly pem: Redacted.Redacted }
  | { readonly _tag: "File"; readonly path: string }

/** A credential plugin. **Source** KEP-541. */
export interface ExecPlugin {
  readonly apiVersion: string
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly env: ReadonlyArray<readonly [name: string, value: Redacted.Redacted]>
  readonly installHint?: string
  /** Whether the plugin wants `KUBERNETES_EXEC_INFO` to describe the cluster. */
  readonly provideClusterInfo: boolean
  readonly interactiveMode: "Never" | "IfAvailable" | "Always"
  /** The extension `client.authentication.k8s.io/exec` of the kubeconfig's cluster, as written. */
  readonly config?: unknown
}

/** Whom a request claims to be, beside who sends it. **Source** Kubernetes, "User impersonation". */
export interface Impersonation {
  readonly user: string
  readonly uid?: string
  readonly groups: ReadonlyArray<string>
  readonly extra: Readonly<Record<string, ReadonlyArray<string>>>
}

/** How to reach one API server. */
export interface Connection {
  /** Base URL, `https://host:port[/prefix]`, no trailing slash. */
  readonly server: string
  readonly certificateAuthority?: PemSource
  /** The name that the server's certificate must carry, when it differs from the host. */
  readonly tlsServerName?: string
  readonly insecureSkipTlsVerify: boolean
  readonly proxyUrl?: string
  readonly credential: Credential
  readonly impersonation?: Impersonation
  /** What every address must keep to that is connected to; absent lets any pass. */
  readonly addressRule?: AddressRule
}

/** A registered cluster; `generation` changes whenever the connection does, and names it in pools and caches. */
export interface Cluster {
  readonly name: ClusterName
  readonly role: "parent" | "child"
  readonly labels: Readonly<Record<string, string>>
  readonly origin: "kubeconfig" | "inCluster" | "registered"
  readonly connection: Connection
  readonly generation: string
}
