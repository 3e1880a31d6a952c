/**
 * A registered cluster: its name, its role in the fleet, and its connection.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Redacted } from "effect"
import type { AddressRule } from "./AddressRule.ts"

/** A client certificate and its private key. */
export interface ClientCertificate {
  readonly certificate: PemSource
  readonly key: PemSource
}

/**
 * The credential that requests are sent with.
 *
 * **Shape** `clientCertificate` is presented in addition to a token or a password, as kubectl does.
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
  /** Read again whenever the file changes, because mounted service account tokens rotate. */
  | { readonly _tag: "TokenFile"; readonly path: string; readonly clientCertificate?: ClientCertificate }
  | {
      readonly _tag: "Basic"
      readonly username: string
      readonly password: Redacted.Redacted
      readonly clientCertificate?: ClientCertificate
    }
  | ({ readonly _tag: "ClientCertificate" } & ClientCertificate)
  | { readonly _tag: "Exec"; readonly plugin: ExecPlugin }

/** PEM text, inline or in a file that is read again whenever it changes. */
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
  /** True if the plugin needs `KUBERNETES_EXEC_INFO` to describe the cluster. */
  readonly provideClusterInfo: boolean
  readonly interactiveMode: "Never" | "IfAvailable" | "Always"
  /** The extension `client.authentication.k8s.io/exec` of the kubeconfig's cluster, unchanged. */
  readonly config?: unknown
}

/** The user that requests impersonate. **Source** Kubernetes, "User impersonation". */
export interface Impersonation {
  readonly user: string
  readonly uid?: string
  readonly groups: ReadonlyArray<string>
  readonly extra: Readonly<Record<string, ReadonlyArray<string>>>
}

/** Connection settings of one API server. */
export interface Connection {
  /** Base URL, `https://host:port[/prefix]`, no trailing slash. */
  readonly server: string
  readonly certificateAuthority?: PemSource
  /** The name that the server's certificate must contain, if it differs from the host. */
  readonly tlsServerName?: string
  readonly insecureSkipTlsVerify: boolean
  readonly proxyUrl?: string
  readonly credential: Credential
  readonly impersonation?: Impersonation
  /** Rule for every address that is connected to. If absent, all addresses are allowed. */
  readonly addressRule?: AddressRule
}

/**
 * A registered cluster. `generation` identifies its connection in pools and caches, and changes whenever the connection
 * does.
 */
export interface Cluster {
  readonly name: ClusterName
  readonly role: "parent" | "child"
  readonly labels: Readonly<Record<string, string>>
  readonly origin: "kubeconfig" | "inCluster" | "registered"
  readonly connection: Connection
  readonly generation: string
}
