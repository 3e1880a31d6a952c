/**
 * Reads the body that registers a cluster.
 */
import { type AddressRule, PostedConnection, type RegisteredClusters } from "@quarterdeck/cluster-fanout"
import type { RegisterCluster } from "@quarterdeck/contract/ClustersGroup"
import type * as Problem from "@quarterdeck/contract/Problem"
import { Effect } from "effect"
import { refuse } from "../refusal/Refusal.ts"

/** Fields that a kubeconfig replaces. */
const PARTS = ["server", "caData", "token", "tlsServerName", "proxyUrl", "labels"] as const
const NEEDED = ["server", "caData", "token"] as const

/**
 * Makes a registration from the body of a request.
 *
 * **Errors** the problems `invalid_body` for missing or conflicting fields, and `cluster_refused`.
 */
export const read = Effect.fnUntraced(function* (
  body: RegisterCluster,
  rule: AddressRule.AddressRule
): Effect.fn.Return<RegisteredClusters.Registration, Problem.Problem> {
  const { caData, kubeconfig, labels = {}, name, proxyUrl, server, tlsServerName, token } = body
  if (kubeconfig !== undefined) {
    const other = PARTS.find((field) => body[field] !== undefined)
    if (other !== undefined) {
      return yield* refuse("invalid_body", { detail: `${other}: not allowed together with kubeconfig`, field: other })
    }
    return { name, labels, connection: yield* orRefuse(PostedConnection.fromKubeconfig(kubeconfig, rule)) }
  }
  if (server === undefined || caData === undefined || token === undefined) {
    const missing = NEEDED.find((field) => body[field] === undefined) ?? "kubeconfig"
    const detail = `${missing}: is required unless kubeconfig is set; without kubeconfig, set ${NEEDED.join(", ")}`
    return yield* refuse("invalid_body", { detail, field: missing })
  }
  const parts = {
    server,
    caData,
    token,
    ...(tlsServerName === undefined ? {} : { tlsServerName }),
    ...(proxyUrl === undefined ? {} : { proxyUrl })
  }
  return { name, labels, connection: yield* orRefuse(PostedConnection.fromParts(parts, rule)) }
})

const orRefuse = (connection: ReturnType<typeof PostedConnection.fromParts>) =>
  Effect.fromResult(connection).pipe(
    Effect.catch(({ field, message: detail }) => refuse("cluster_refused", { detail, field }))
  )
