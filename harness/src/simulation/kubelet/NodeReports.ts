/** Reports of a kubelet about its node: status, lease and readiness. */
import { Clock, Effect } from "effect"
import type { ClusterApi } from "../../client/ClusterApi.ts"
import { type Calls, DONE } from "./Calls.ts"
import { covers } from "./StatusContainment.ts"
import * as NodeStatus from "./NodeStatus.ts"
import type { NodeView } from "./NodeView.ts"

const NOT_READY = "node.kubernetes.io/not-ready"

/** Creates the calls that report nodes. Without `always`, `report` skips a status that the server already has. */
export const make = (options: {
  readonly api: ClusterApi
  readonly calls: Calls
  readonly version: string
  readonly addressOf: (node: NodeView) => string
}) => {
  const { addressOf, api, calls, version } = options
  const report = Effect.fnUntraced(function* (node: NodeView, always: boolean) {
    const rendered = NodeStatus.render(node, { version, address: addressOf(node) })
    if (!always && covers(node.status, rendered)) return DONE
    return yield* calls.nodeStatus(node, NodeStatus.stamped(rendered, node, yield* Clock.currentTimeMillis))
  })
  const removeTaint = Effect.fnUntraced(function* (node: NodeView) {
    const taints = node.spec?.taints ?? []
    if (taints.every(({ key }) => key !== NOT_READY)) return DONE
    const others = taints.filter(({ key }) => key !== NOT_READY)
    return yield* calls.nodeSpec(node.metadata.name, { taints: others.length === 0 ? null : others })
  })
  const renew = Effect.fnUntraced(function* (node: NodeView) {
    const nowMs = yield* Clock.currentTimeMillis
    const { name } = node.metadata
    const renewed = yield* calls.renewLease(NodeStatus.LEASE_NAMESPACE, name, NodeStatus.microTime(nowMs))
    if (renewed._tag !== "Refused" || renewed.code !== 404) return
    yield* api
      .create(NodeStatus.lease(node, nowMs))
      .pipe(Effect.catch((error) => Effect.logDebug(`no lease for node ${name}: ${error.message}`)))
  })
  return { report, removeTaint, renew }
}
