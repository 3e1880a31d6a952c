/**
 * The workload that a command names, in the syntax of kubectl.
 */
import { ClusterList } from "@quarterdeck/contract/ClustersGroup"
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import { Effect, Option, Schema } from "effect"
import { Argument, type Command, Flag } from "effect/cli"
import * as ApiClient from "../request/ApiClient.ts"
import { misused } from "../print/CommandFailure.ts"
import type { Connection } from "../request/Connection.ts"
import * as KindNames from "../../http/request/KindNames.ts"

const isClusterName = Schema.is(ClusterName.ClusterName)

/** The argument and flags that name a workload. */
export const flags = {
  workload: Argument.String("workload").pipe(
    Argument.withDescription("Kind and name as in kubectl: deployment/web, sts/db, cj/report"),
    Argument.filter(
      (text) => /^[^/]+\/[^/]+$/.test(text),
      () => "a kind and a name, such as deployment/web"
    )
  ),
  namespace: Flag.String("namespace").pipe(
    Flag.withAlias("n"),
    Flag.withMetavar("NAME"),
    Flag.withDescription("Namespace"),
    Flag.withDefault("default")
  ),
  cluster: Flag.String("cluster").pipe(
    Flag.withAlias("c"),
    Flag.withMetavar("NAME"),
    Flag.withDescription("Cluster. Without the flag: the server's parent cluster"),
    Flag.filter(isClusterName, () => "the name of one cluster"),
    Flag.optional
  )
}

/** A workload of a cluster. */
export interface WorkloadName {
  readonly cluster: string
  readonly namespace: string
  readonly kind: string
  readonly name: string
}

/** The flag or argument of each part of the path. */
export const flagOf = { cluster: "--cluster", namespace: "--namespace", kind: "workload", name: "workload" }

/**
 * Reads the name of a workload.
 *
 * **Errors** `CommandFailure`, with exit code 2 if no cluster is given and the server's parent cluster is outside the
 * key's scope.
 *
 * **Limits** one request if no cluster is given, for the parent's name.
 */
export const read = Effect.fnUntraced(function* (
  connection: Connection,
  { cluster, namespace, workload }: Command.Command.Config.Infer<typeof flags>
) {
  const [kind = "", name = ""] = workload.split("/")
  const named: WorkloadName = {
    cluster: Option.isSome(cluster) ? cluster.value : yield* parentOf(connection),
    namespace,
    kind: KindNames.parse(kind),
    name
  }
  return named
})

/**
 * Returns the name of the server's parent cluster. **Errors** `CommandFailure` with exit code 2 if it is outside the
 * key's scope.
 */
export const parentOf = Effect.fnUntraced(function* (connection: Connection) {
  const { clusters } = yield* ApiClient.call(connection, ClusterList, {
    method: "GET",
    path: "/api/v1/clusters",
    query: [["limit", "5000"]]
  })
  const parent = clusters.find(({ role }) => role === "parent")
  if (parent === undefined)
    return yield* misused("the server's parent cluster is outside the key's scope: name the cluster with --cluster")
  return parent.name
})

/** The path of a workload in the API. */
export const pathOf = ({ cluster, kind, name, namespace }: WorkloadName): string =>
  `/api/v1/workloads/${[cluster, namespace, kind, name].map(encodeURIComponent).join("/")}`

/** Prints a workload with its place. **Example** `Deployment/web in prod/shop` */
export const print = ({ cluster, kind, name, namespace }: WorkloadName): string =>
  `${kind}/${name} in ${cluster}/${namespace}`
