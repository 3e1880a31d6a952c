/**
 * `quarterdeck clusters add` and `drop`: register and drop clusters of a running server.
 */
import { RegisteredCluster } from "@quarterdeck/contract/ClustersGroup"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as ApiClient from "../request/ApiClient.ts"
import { misused } from "../print/CommandFailure.ts"
import * as Connection from "../request/Connection.ts"
import * as Input from "../request/Input.ts"
import * as Print from "../print/Print.ts"

const PATH = "/api/v1/clusters"
/** The server's limit for the body. **Units** bytes. */
const MAX_BYTES = 256 * 1024

const isClusterName = Schema.is(ClusterName)

const name = Argument.String("name").pipe(
  Argument.filter(isClusterName, () => "1 to 253 of A-Z a-z 0-9 . _ -, first and last a letter or digit"),
  Argument.withDescription("Name of the cluster in keys and requests")
)

const fileFlag = (flag: string, description: string) =>
  Flag.String(flag).pipe(Flag.withDescription(description), Flag.optional)

const flags = {
  kubeconfig: fileFlag("kubeconfig", "Kubeconfig file whose current context is the cluster; - for standard input"),
  server: fileFlag("server", "Address of the API server, https://…; needs --ca-file and --token-file"),
  caFile: fileFlag("ca-file", "File of the certificate authority in PEM; - for standard input"),
  tokenFile: fileFlag("token-file", "File of the bearer token; - for standard input"),
  tlsServerName: fileFlag("tls-server-name", "Name in the API server's certificate, if it differs from the host name"),
  proxyUrl: fileFlag("proxy-url", "HTTP or SOCKS5 proxy in front of the cluster"),
  labels: Flag.KeyValuePair("label").pipe(
    Flag.withDescription("Label of the cluster, key=value; may be given several times"),
    Flag.optional
  )
}

/** The flag or argument of each field of the body. */
const FLAGS = {
  name: "NAME",
  kubeconfig: "--kubeconfig",
  server: "--server",
  caData: "--ca-file",
  token: "--token-file",
  tlsServerName: "--tls-server-name",
  proxyUrl: "--proxy-url",
  labels: "--label"
}

type Given = { readonly [Name in Exclude<keyof typeof flags, "labels">]: Option.Option<string> } & {
  readonly labels: Option.Option<Readonly<Record<string, string>>>
}

/** Makes the body from flags and files. **Errors** `CommandFailure` for conflicting flags and unreadable files. */
const bodyOf = Effect.fnUntraced(function* (given: Given) {
  const { caFile, kubeconfig, labels, proxyUrl, server, tlsServerName, tokenFile } = given
  if (Option.isSome(kubeconfig)) {
    const others = [caFile, proxyUrl, server, tlsServerName, tokenFile]
    if (others.some(Option.isSome) || Option.isSome(labels)) {
      return yield* misused("--kubeconfig cannot be used with the other flags of the cluster")
    }
    return { kubeconfig: yield* Input.read(kubeconfig.value, MAX_BYTES) }
  }
  if (Option.isNone(server) || Option.isNone(caFile) || Option.isNone(tokenFile)) {
    return yield* misused("give --kubeconfig, or --server, --ca-file and --token-file")
  }
  if (caFile.value === "-" && tokenFile.value === "-") {
    return yield* misused("--ca-file and --token-file cannot both be standard input")
  }
  const authority = yield* Input.read(caFile.value, MAX_BYTES)
  const token = yield* Input.read(tokenFile.value, MAX_BYTES)
  return {
    server: server.value,
    caData: Buffer.from(authority, "utf8").toString("base64"),
    token: token.trim(),
    ...(Option.isSome(tlsServerName) && { tlsServerName: tlsServerName.value }),
    ...(Option.isSome(proxyUrl) && { proxyUrl: proxyUrl.value }),
    ...(Option.isSome(labels) && { labels: labels.value })
  }
})

export const clustersAddCommand = Command.make(
  "add",
  { name, ...flags, url: Connection.urlFlag },
  Effect.fn("clusters add")(function* ({ name, url, ...given }) {
    const connection = yield* Connection.read(url)
    const body = { name, ...(yield* bodyOf(given)) }
    const { cluster } = yield* ApiClient.call(connection, RegisteredCluster, {
      method: "POST",
      path: PATH,
      body,
      flags: FLAGS
    })
    const version = cluster.version === null ? "" : `, ${cluster.version}`
    yield* Print.note(`registered ${cluster.name}${version}`)
  })
).pipe(
  Command.withDescription(
    "Register a cluster. The server connects to it first. Credentials are read from a file or standard input, never from the command line, and stored encrypted. The server refuses credential plugins, file paths, unverified certificates, and link-local and metadata addresses. It refuses loopback addresses unless a setting allows them."
  ),
  Command.withShortDescription("Register a cluster"),
  Command.withExamples([
    { command: "quarterdeck clusters add prod --kubeconfig prod.yaml" },
    {
      command:
        "kubectl config view --minify --flatten --raw --context prod | quarterdeck clusters add prod --kubeconfig -",
      description: "One context of a larger kubeconfig"
    },
    {
      command:
        "quarterdeck clusters add prod --server https://prod.example.com:6443 --ca-file ca.crt --token-file token --label region=eu"
    }
  ])
)

export const clustersDropCommand = Command.make(
  "drop",
  { name, url: Connection.urlFlag },
  Effect.fn("clusters drop")(function* ({ name, url }) {
    const connection = yield* Connection.read(url)
    yield* ApiClient.run(connection, { method: "DELETE", path: `${PATH}/${encodeURIComponent(name)}` })
    yield* Print.note(`dropped ${name}`)
  })
).pipe(
  Command.withDescription(
    "Drop a cluster that was registered at run time, with its credentials. Its cost history remains. Clusters of the server's kubeconfig cannot be dropped."
  ),
  Command.withShortDescription("Drop a registered cluster"),
  Command.withExamples([{ command: "quarterdeck clusters drop prod" }])
)
