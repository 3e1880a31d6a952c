/**
 * The table of all settings. Flags, environment variables, the YAML file, help and reference derive from it.
 */
import * as ClusterHeader from "@quarterdeck/targeting/ClusterHeader"
import * as CostRows from "./CostRows.ts"
import * as KeyRows from "./KeyRows.ts"
import * as Kind from "./Kind.ts"
import * as OidcKind from "./OidcKind.ts"
import * as FanOutRows from "./FanOutRows.ts"
import * as RegistrationRows from "./RegistrationRows.ts"
import * as AuditRows from "./AuditRows.ts"
import { optional, type Row, withDefault } from "./Row.ts"

export type { Row }

export const table = {
  host: withDefault("127.0.0.1", {
    path: "server.host",
    flag: "host",
    kind: Kind.host,
    description: "Address to listen on. 0.0.0.0 or :: listens on every interface."
  }),
  port: withDefault("8080", {
    path: "server.port",
    flag: "port",
    kind: Kind.wholeNumber(0, 65_535),
    description: "Port to listen on. 0 chooses a free port."
  }),
  tlsCertFile: optional({
    path: "server.tls.certFile",
    flag: "tls-cert-file",
    kind: Kind.path,
    description: "PEM certificate chain for HTTPS, reloaded when it changes. Needs server.tls.keyFile."
  }),
  tlsKeyFile: optional({
    path: "server.tls.keyFile",
    flag: "tls-key-file",
    kind: Kind.path,
    description: "PEM private key of the certificate, reloaded when it changes. Needs server.tls.certFile."
  }),
  shutdownMs: withDefault("10000", {
    path: "server.shutdownMs",
    flag: "shutdown-ms",
    kind: Kind.wholeNumber(0, 600_000),
    unit: "ms",
    description: "Time for requests in flight to finish when the server stops."
  }),
  metrics: withDefault("protected", {
    path: "server.metrics",
    flag: "metrics",
    kind: Kind.choice(["protected", "public", "off"]),
    description: "Access to /metrics. protected: unscoped Admin keys. public: every client. off: no client."
  }),
  allowedOrigins: optional({
    path: "server.allowedOrigins",
    flag: "allowed-origins",
    kind: Kind.origins,
    description:
      "Origins of browser pages to accept in addition to the server's own, for a proxy that changes Host. The server sends no CORS headers."
  }),
  allowedHosts: optional({
    path: "server.allowedHosts",
    flag: "allowed-hosts",
    kind: Kind.hosts,
    description:
      "Additional names to accept in the Host header of /mcp when the server listens on loopback. Other names are refused, against DNS rebinding."
  }),
  publicUrl: optional({
    path: "server.publicUrl",
    flag: "public-url",
    kind: Kind.endpoint,
    description:
      "Address at which browsers reach the server through a proxy. Its origin counts as the server's own. With https, session cookies are Secure."
  }),
  trustedProxies: optional({
    path: "server.trustedProxies",
    flag: "trusted-proxies",
    kind: Kind.addressRanges,
    description:
      "Addresses of proxies to trust. The server takes the client's address from their X-Forwarded-For, for logs, the limit of failed authentications and allowFrom of keys. It takes the scheme from their X-Forwarded-Proto."
  }),
  kubeconfig: optional({
    path: "clusters.kubeconfig",
    flag: "kubeconfig",
    kind: Kind.pathList,
    description:
      "Kubeconfig files. Each context is one cluster. Unset: the pod's own cluster, else KUBECONFIG, else ~/.kube/config."
  }),
  clusterNames: optional({
    path: "clusters.names",
    flag: "cluster-names",
    kind: Kind.clusterNames,
    description:
      "Cluster names by context. Unset: the name of the context, with each run of characters other than A-Z a-z 0-9 . _ - replaced by one -."
  }),
  parent: optional({
    path: "clusters.parent",
    flag: "parent",
    kind: Kind.clusterName,
    description:
      "Cluster that a request without a target addresses. Unset: in a pod the cluster `parent`, which is the pod's own, else the current context."
  }),
  clusterHeader: withDefault(ClusterHeader.DEFAULT_NAME, {
    path: "clusters.header",
    flag: "cluster-header",
    kind: Kind.headerName,
    description: "Name of the request header that names the target clusters."
  }),
  ...RegistrationRows.registration,
  ...KeyRows.keys,
  oidcIssuer: optional({
    path: "oidc.issuer",
    flag: "oidc-issuer",
    kind: OidcKind.issuer,
    description:
      "Issuer of the OpenID Connect provider for sign-in, exactly as in its discovery document. Needs oidc.clientId, oidc.rules and server.publicUrl. Unset: people sign in with API keys."
  }),
  oidcClientId: optional({
    path: "oidc.clientId",
    flag: "oidc-client-id",
    kind: OidcKind.text,
    description:
      "Client id of this server at the provider. Register the redirect address auth/oidc/callback below server.publicUrl there."
  }),
  oidcClientSecretFile: optional({
    path: "oidc.clientSecretFile",
    flag: "oidc-client-secret-file",
    kind: Kind.path,
    description: "File with the client secret, read at startup. Unset: a public client, which uses PKCE only."
  }),
  oidcGroupsClaim: withDefault("groups", {
    path: "oidc.groupsClaim",
    flag: "oidc-groups-claim",
    kind: OidcKind.text,
    description: "Claim that lists a person's groups, in the ID token or else in the user info."
  }),
  oidcScopes: optional({
    path: "oidc.scopes",
    flag: "oidc-scopes",
    kind: OidcKind.scopes,
    description:
      "Scopes to request; must include openid. Unset: openid, profile, email, and groups if the provider supports it."
  }),
  oidcRules: optional({
    path: "oidc.rules",
    flag: "oidc-rules",
    kind: OidcKind.rules,
    description:
      "Access rules of groups. If a person is in several groups, the first match in this list applies. A person in none of them cannot sign in."
  }),
  ...FanOutRows.fanOut,
  keyPerSecond: withDefault("50", {
    path: "limits.keyPerSecond",
    flag: "limits-key-per-second",
    kind: Kind.wholeNumber(0, 1_000_000),
    description: "Requests per second allowed for each key. A live read counts once per cluster. 0 disables the limit."
  }),
  keyBurst: withDefault("100", {
    path: "limits.keyBurst",
    flag: "limits-key-burst",
    kind: Kind.wholeNumber(0, 1_000_000),
    description: "Burst of requests allowed for each key. 0 disables the limit."
  }),
  failedPerSecond: withDefault("10", {
    path: "limits.failedPerSecond",
    flag: "limits-failed-per-second",
    kind: Kind.wholeNumber(0, 1_000_000),
    description:
      "Failed authentication attempts per second allowed for each client address (for IPv6, each /64). Valid keys do not count. 0 disables the limit."
  }),
  failedBurst: withDefault("50", {
    path: "limits.failedBurst",
    flag: "limits-failed-burst",
    kind: Kind.wholeNumber(0, 1_000_000),
    description: "Burst of failed authentication attempts allowed for each client address. 0 disables the limit."
  }),
  ...CostRows.cost,
  ...AuditRows.rows,
  dataDirectory: withDefault("./quarterdeck-data", {
    path: "dataDirectory",
    flag: "data",
    kind: Kind.path,
    description: "Directory for the server's data, such as its SQLite files. Created with mode 0700 if it is missing."
  }),
  logLevel: withDefault("info", {
    path: "telemetry.logLevel",
    flag: "log-level",
    kind: Kind.choice(["trace", "debug", "info", "warn", "error"]),
    description: "Lowest level of log entries to write."
  }),
  logFormat: withDefault("text", {
    path: "telemetry.logFormat",
    flag: "log-format",
    kind: Kind.choice(["text", "json"]),
    description: "Format of log entries, one per line."
  }),
  otlpEndpoint: optional({
    path: "telemetry.otlpEndpoint",
    flag: "otlp-endpoint",
    kind: Kind.endpoint,
    description:
      "OpenTelemetry collector that receives traces, metrics and logs (OTLP over HTTP). Unset: none are sent."
  })
}

/** The settings, in the order of the reference. */
export const rows: ReadonlyArray<Row<unknown>> = Object.values(table)
