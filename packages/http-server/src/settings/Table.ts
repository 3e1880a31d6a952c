/**
 * Every setting of the server, once: flags, environment, YAML, help and reference are read from here.
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
    description: "Address to listen on; 0.0.0.0 or :: for every interface."
  }),
  port: withDefault("8080", {
    path: "server.port",
    flag: "port",
    kind: Kind.wholeNumber(0, 65_535),
    description: "Port to listen on; 0 takes a free one."
  }),
  tlsCertFile: optional({
    path: "server.tls.certFile",
    flag: "tls-cert-file",
    kind: Kind.path,
    description: "PEM certificate chain to serve HTTPS with, re-read when it changes; needs server.tls.keyFile."
  }),
  tlsKeyFile: optional({
    path: "server.tls.keyFile",
    flag: "tls-key-file",
    kind: Kind.path,
    description: "PEM private key of the certificate, re-read when it changes; needs server.tls.certFile."
  }),
  shutdownMs: withDefault("10000", {
    path: "server.shutdownMs",
    flag: "shutdown-ms",
    kind: Kind.wholeNumber(0, 600_000),
    unit: "ms",
    description: "How long requests in flight may take to end once the server is told to stop."
  }),
  metrics: withDefault("protected", {
    path: "server.metrics",
    flag: "metrics",
    kind: Kind.choice(["protected", "public", "off"]),
    description: "Who reads /metrics: an unscoped Admin key, everybody, nobody."
  }),
  allowedOrigins: optional({
    path: "server.allowedOrigins",
    flag: "allowed-origins",
    kind: Kind.origins,
    description:
      "Origins of browser pages to let pass beside the server's own, for a proxy that changes Host; no CORS headers are sent."
  }),
  allowedHosts: optional({
    path: "server.allowedHosts",
    flag: "allowed-hosts",
    kind: Kind.hosts,
    description:
      "Names in Host that /mcp answers to beside the server's own, where it listens on loopback: a web page must not reach it by a name of its own."
  }),
  publicUrl: optional({
    path: "server.publicUrl",
    flag: "public-url",
    kind: Kind.endpoint,
    description:
      "Address that browsers reach the server at, where a proxy stands in front: with https the cookies of sessions are Secure, and its origin is the server's own."
  }),
  trustedProxies: optional({
    path: "server.trustedProxies",
    flag: "trusted-proxies",
    kind: Kind.addressRanges,
    description:
      "Addresses of proxies whose X-Forwarded-For says who the client is, for log lines, the limit of failed authentications and the allowFrom of keys, and whose X-Forwarded-Proto says whether it came by HTTPS."
  }),
  kubeconfig: optional({
    path: "clusters.kubeconfig",
    flag: "kubeconfig",
    kind: Kind.pathList,
    description:
      "Kubeconfig files; each context is one cluster. Unset: in a pod its own cluster, else KUBECONFIG, else ~/.kube/config."
  }),
  clusterNames: optional({
    path: "clusters.names",
    flag: "cluster-names",
    kind: Kind.clusterNames,
    description:
      "Names of clusters by context. Unset: the context's own, with every run of other characters than A-Z a-z 0-9 . _ - made one -."
  }),
  parent: optional({
    path: "clusters.parent",
    flag: "parent",
    kind: Kind.clusterName,
    description:
      "Cluster that requests without a target address. Unset: in a pod `parent`, its own cluster, else the current context."
  }),
  clusterHeader: withDefault(ClusterHeader.DEFAULT_NAME, {
    path: "clusters.header",
    flag: "cluster-header",
    kind: Kind.headerName,
    description: "Name of the header that names the target."
  }),
  ...RegistrationRows.registration,
  ...KeyRows.keys,
  oidcIssuer: optional({
    path: "oidc.issuer",
    flag: "oidc-issuer",
    kind: OidcKind.issuer,
    description:
      "OpenID Connect provider that people sign in at, as its discovery document names itself; needs oidc.clientId, oidc.rules and server.publicUrl. Unset: people sign in with keys."
  }),
  oidcClientId: optional({
    path: "oidc.clientId",
    flag: "oidc-client-id",
    kind: OidcKind.text,
    description:
      "What the provider calls this server. Its redirect address there: auth/oidc/callback below server.publicUrl."
  }),
  oidcClientSecretFile: optional({
    path: "oidc.clientSecretFile",
    flag: "oidc-client-secret-file",
    kind: Kind.path,
    description: "File with the client's secret, read at each start. Unset: a public client, by PKCE alone."
  }),
  oidcGroupsClaim: withDefault("groups", {
    path: "oidc.groupsClaim",
    flag: "oidc-groups-claim",
    kind: OidcKind.text,
    description: "Claim of the ID token, or else of the user info, that lists the groups of a person."
  }),
  oidcScopes: optional({
    path: "oidc.scopes",
    flag: "oidc-scopes",
    kind: OidcKind.scopes,
    description:
      "Scopes to ask for, openid among them. Unset: openid, profile, email, and groups where the provider says that it has it."
  }),
  oidcRules: optional({
    path: "oidc.rules",
    flag: "oidc-rules",
    kind: OidcKind.rules,
    description:
      "What the members of groups may do; of several groups of a person the first in this list counts, and who is in none is not let in."
  }),
  ...FanOutRows.fanOut,
  keyPerSecond: withDefault("50", {
    path: "limits.keyPerSecond",
    flag: "limits-key-per-second",
    kind: Kind.wholeNumber(0, 1_000_000),
    description: "Requests a second of one key; a live read counts once for each cluster. 0: no limit."
  }),
  keyBurst: withDefault("100", {
    path: "limits.keyBurst",
    flag: "limits-key-burst",
    kind: Kind.wholeNumber(0, 1_000_000),
    description: "Requests of one key at once. 0: no limit."
  }),
  failedPerSecond: withDefault("10", {
    path: "limits.failedPerSecond",
    flag: "limits-failed-per-second",
    kind: Kind.wholeNumber(0, 1_000_000),
    description:
      "Keys that are none a second, from one address (of IPv6 one /64); valid keys do not count. 0: no limit."
  }),
  failedBurst: withDefault("50", {
    path: "limits.failedBurst",
    flag: "limits-failed-burst",
    kind: Kind.wholeNumber(0, 1_000_000),
    description: "Keys that are none at once, from one address. 0: no limit."
  }),
  ...CostRows.cost,
  ...AuditRows.rows,
  dataDirectory: withDefault("./quarterdeck-data", {
    path: "dataDirectory",
    flag: "data",
    kind: Kind.path,
    description: "Directory of the SQLite files, made with mode 0700."
  }),
  logLevel: withDefault("info", {
    path: "telemetry.logLevel",
    flag: "log-level",
    kind: Kind.choice(["trace", "debug", "info", "warn", "error"]),
    description: "Least severe log entries to write."
  }),
  logFormat: withDefault("text", {
    path: "telemetry.logFormat",
    flag: "log-format",
    kind: Kind.choice(["text", "json"]),
    description: "Form of log entries, one a line."
  }),
  otlpEndpoint: optional({
    path: "telemetry.otlpEndpoint",
    flag: "otlp-endpoint",
    kind: Kind.endpoint,
    description: "OpenTelemetry collector (OTLP over HTTP) to send traces, metrics and logs to. Unset: sends nothing."
  })
}

/** The settings, in the order of the reference. */
export const rows: ReadonlyArray<Row<unknown>> = Object.values(table)
