/**
 * The pods of an hour, and the series that are about each: by uid, else by namespace and name.
 *
 * Many installations drop the label `uid` to have fewer series.
 */
import type { Line } from "./Answer.ts"
import * as Minutes from "./Minutes.ts"

/** The name of a pod as its metrics have it. **Shape** `uid` is empty where metrics do not tell it. */
export interface PodName {
  readonly namespace: string
  readonly name: string
  readonly uid: string
}

/**
 * A pod by what its series say.
 *
 * **Shape** `key` is the uid, or else the pod's name, with its node where pods of that name ran on several. `minutes` are
 * set in that case alone: when this one was there. `isNewest` holds for the last of several pods of one name.
 */
export interface Pod extends PodName {
  readonly key: string
  readonly node: string
  readonly minutes?: Minutes.Minutes
  readonly isNewest: boolean
}

/** No name of Kubernetes has a slash. */
const nameOf = ({ labels }: Pick<Line, "labels">): string => `${labels["namespace"] ?? ""}/${labels["pod"] ?? ""}`
const uidOf = ({ labels }: Pick<Line, "labels">): string => labels["uid"] ?? ""
const valueOf = ({ points }: Line): number => points[0]?.value ?? 0

/** Sorts series by when each was seen last, the newest at the end. Equal ones keep their order. */
export const oldestFirst = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> =>
  lines.toSorted((one, other) => valueOf(one) - valueOf(other))

/**
 * Finds the pods.
 *
 * A series without a uid is about the newest pod of its name that has one. Without such a pod, it makes a pod of its own
 * for each node: a pod never moves to another node.
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

/** A pod has a series before it is bound, and another one after. */
const ofUids = (lines: ReadonlyArray<Line>): ReadonlyArray<Pod> => {
  const newest = lines.at(-1)?.labels["uid"]
  return [...Map.groupBy(lines, uidOf)].flatMap(([uid, own]): ReadonlyArray<Pod> => {
    const [first] = own
    if (first === undefined) return []
    return [{ ...named(first), uid, key: uid, node: nodeOf(own), isNewest: uid === newest }]
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
  const one = { ...named(first), uid: "" }
  const onNodes = Map.groupBy(places, ({ labels }) => labels["node"] ?? "")
  if (onNodes.size < 2) return [{ ...one, key, node, isNewest: true }]
  return Array.from(onNodes, ([name, own]): Pod => {
    const minutes = Minutes.none()
    for (const { points } of own) Minutes.addBits(minutes, hourMs, points)
    const there = Minutes.closed(minutes, (place) => !wasSeen(place))
    return { ...one, key: `${key}/${name}`, node: name, minutes: there, isNewest: name === node }
  })
}

/** Finds the series that are about a pod. */
export type LinesOf = (pod: Pick<Pod, "namespace" | "name" | "uid" | "isNewest">) => ReadonlyArray<Line>

const NONE: ReadonlyArray<Line> = []

/** Indexes series by the pod that they are about. */
export const byPod = (lines: ReadonlyArray<Line>): LinesOf => {
  const byUid = Map.groupBy(lines, uidOf)
  const nameless = Map.groupBy(byUid.get("") ?? NONE, nameOf)
  // A pod whose own series lack the uid has those of its name, whatever uid they tell.
  let byName: ReadonlyMap<string, ReadonlyArray<Line>> | undefined
  return ({ isNewest, name, namespace, uid }) => {
    const key = `${namespace}/${name}`
    if (uid === "") return (byName ??= Map.groupBy(lines, nameOf)).get(key) ?? NONE
    const own = byUid.get(uid) ?? NONE
    const without = isNewest ? (nameless.get(key) ?? NONE) : NONE
    return without.length === 0 ? own : [...own, ...without]
  }
}
