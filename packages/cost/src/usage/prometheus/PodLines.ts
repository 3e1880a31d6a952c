/**
 * The pods of an hour, and the series of each, matched by UID or else by namespace and name.
 *
 * Many installations drop the label `uid` to reduce the number of series.
 */
import type { Line } from "./Answer.ts"
import * as MinuteMask from "./MinuteMask.ts"

/** A pod's identity in metrics. **Shape** `uid` is empty if the metrics lack it. */
export interface PodName {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/**
 * A pod according to its series.
 *
 * **Shape** `key` is the UID or else the name. If pods of that name ran on several nodes, the node is appended, and `minutes`
 * marks the minutes in which this pod existed. `isNewest` is true for the last of several pods of one name.
 */
export interface Pod extends PodName {
  readonly key: string
  readonly node: string
  readonly minutes?: MinuteMask.MinuteMask
  readonly isNewest: boolean
}

/** Returns a unique key, because Kubernetes names contain no slash. */
const nameOf = ({ labels }: Pick<Line, "labels">): string => `${labels["namespace"] ?? ""}/${labels["pod"] ?? ""}`
const uidOf = ({ labels }: Pick<Line, "labels">): string => labels["uid"] ?? ""
const valueOf = ({ points }: Line): number => points[0]?.value ?? 0

/** Sorts series by when they were last seen, newest last. Stable. */
export const oldestFirst = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> =>
  lines.toSorted((one, other) => valueOf(one) - valueOf(other))

/**
 * Returns the pods.
 *
 * A series without UID belongs to the newest pod of its name that has one. Without such a pod, each node gets a pod of its own,
 * because pods never move between nodes.
 */
export const pods = (
  info: ReadonlyArray<Line>,
  withoutUid: ReadonlyArray<Line>,
  hourMs: number,
  wasSeen: (place: number) => boolean
): ReadonlyArray<Pod> => {
  const places = Map.groupBy(withoutUid, nameOf)
  const found = [...Map.groupBy(oldestFirst(info), nameOf)].flatMap(([name, lines]): ReadonlyArray<Pod> => {
    const identified = lines.filter((line) => uidOf(line) !== "")
    return identified.length > 0 ? ofUids(identified) : ofNodes(lines, places.get(name) ?? [], hourMs, wasSeen)
  })
  return found.toSorted((one, other) => (sortKey(one) < sortKey(other) ? -1 : 1))
}

const sortKey = ({ key, name, namespace }: Pod): string => `${namespace}/${name}/${key}`

const nodeOf = (lines: ReadonlyArray<Line>): string =>
  lines.findLast(({ labels }) => (labels["node"] ?? "") !== "")?.labels["node"] ?? ""

const named = ({ labels: { namespace = "", pod: name = "" } }: Line) => ({ namespace, name })

/** Merges the series of a UID. A pod has one series before it is bound to a node, and another after. */
const ofUids = (lines: ReadonlyArray<Line>): ReadonlyArray<Pod> => {
  const newest = lines.at(-1)?.labels["uid"]
  return [...Map.groupBy(lines, uidOf)].flatMap(([uid, podLines]): ReadonlyArray<Pod> => {
    const [first] = podLines
    if (first === undefined) return []
    return [{ ...named(first), uid, key: uid, node: nodeOf(podLines), isNewest: uid === newest }]
  })
}

const ofNodes = (
  lines: ReadonlyArray<Line>,
  places: ReadonlyArray<Line>,
  hourMs: number,
  wasSeen: (place: number) => boolean
): ReadonlyArray<Pod> => {
  const [first] = lines
  if (first === undefined) return []
  const key = nameOf(first)
  const node = nodeOf(lines)
  const identity = { ...named(first), uid: "" }
  const onNodes = Map.groupBy(places, ({ labels }) => labels["node"] ?? "")
  if (onNodes.size < 2) return [{ ...identity, key, node, isNewest: true }]
  return Array.from(onNodes, ([name, podLines]): Pod => {
    const minutes = MinuteMask.none()
    for (const { points } of podLines) MinuteMask.addBits(minutes, hourMs, points)
    const there = MinuteMask.closed(minutes, (place) => !wasSeen(place))
    return { ...identity, key: `${key}/${name}`, node: name, minutes: there, isNewest: name === node }
  })
}

/** Returns the series of a pod. */
export type LinesOf = (pod: Pick<Pod, "namespace" | "name" | "uid" | "isNewest">) => ReadonlyArray<Line>

const NONE: ReadonlyArray<Line> = []

/** Indexes series by pod. */
export const byPod = (lines: ReadonlyArray<Line>): LinesOf => {
  const byUid = Map.groupBy(lines, uidOf)
  const nameless = Map.groupBy(byUid.get("") ?? NONE, nameOf)
  // If a pod's own series lack the UID, all series of its name belong to it.
  let byName: ReadonlyMap<string, ReadonlyArray<Line>> | undefined
  return ({ isNewest, name, namespace, uid }) => {
    const key = `${namespace}/${name}`
    if (uid === "") return (byName ??= Map.groupBy(lines, nameOf)).get(key) ?? NONE
    const ownLines = byUid.get(uid) ?? NONE
    const without = isNewest ? (nameless.get(key) ?? NONE) : NONE
    return without.length === 0 ? ownLines : [...ownLines, ...without]
  }
}
