/**
 * The stream of a shown list. It is closed while the page is hidden.
 */
import { useDocumentVisibility } from "@mantine/hooks"
import { Effect } from "effect"
import { useEffect, useState } from "react"
import { ApiFailure } from "../api/Client.ts"
import { type Connect, follow, type Followed, type Loss } from "../api/FollowedFeed.ts"
import { followWorkloads } from "../api/followWorkloads.ts"
import type { WorkloadParameters } from "../api/WorkloadQueries.ts"
import * as ClusterTarget from "../api/ClusterTarget.ts"

/** Pause in typing before the stream is opened. */
const SETTLED_MS = 400

const CONNECTING: Followed = { state: "connecting" }

interface ListRequest {
  readonly target: ClusterTarget.ClusterTarget
  readonly parameters: WorkloadParameters
}

/** Follows a list while `isWanted` is true. **Shape** each change of the stream gives a new value. */
export const useWorkloadFeed = (
  target: ClusterTarget.ClusterTarget,
  parameters: WorkloadParameters,
  isWanted: boolean
): Followed => {
  const isFollowed = useDocumentVisibility() !== "hidden" && isWanted
  const request = useStableRequest(target, parameters)
  const [state, setState] = useState({ request, followed: CONNECTING })

  useEffect(() => {
    if (!isFollowed) return undefined
    const controller = new AbortController()
    const following = follow(connectionOf(request), (followed) => setState({ request, followed }))
    Effect.runFork(Effect.delay(following, SETTLED_MS), { signal: controller.signal })
    return () => {
      controller.abort()
      setState(({ followed, ...rest }) => ({ ...rest, followed: { ...followed, ...CONNECTING } }))
    }
  }, [request, isFollowed])

  return state.request === request ? state.followed : CONNECTING
}

const connectionOf =
  (request: ListRequest): Connect =>
  (feed, onReceived) =>
    Effect.tryPromise({
      try: (signal) => followWorkloads({ ...request, feed, onReceived, signal }),
      catch: (error): Loss => (error instanceof ApiFailure ? error : {})
    })

/** Returns the same object while the request stays the same. **Shape** the order of the list is ignored: a stream has none. */
const useStableRequest = (
  target: ClusterTarget.ClusterTarget,
  { kind = [], labelSelector = "", name = "", namespace = [], status = [] }: WorkloadParameters
): ListRequest => {
  const key = JSON.stringify([ClusterTarget.keyOf(target), kind, labelSelector, name, namespace, status])
  const parameters: WorkloadParameters = {
    kind,
    namespace,
    status,
    ...(labelSelector === "" ? {} : { labelSelector }),
    ...(name === "" ? {} : { name })
  }
  const [state, setState] = useState({ key, request: { target, parameters } })
  if (state.key === key) return state.request
  const next = { key, request: { target, parameters } }
  setState(next)
  return next.request
}
