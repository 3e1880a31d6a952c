/**
 * Puts together the pods of an hour that is over: their owners, what they asked for, when their containers ran.
 */
import type { ContainerFacts, PodFacts, Span, UsageSlices } from "../../allocation/HourFacts.ts"
import { HOUR_MS } from "../../hour/Units.ts"
import type { HourOfUsage } from "../UsageSource.ts"
import { withEgress } from "../EgressByName.ts"
import type { Line } from "./Answer.ts"
import * as GpuNames from "./GpuNames.ts"
import * as Minutes from "./Minutes.ts"
import * as Owners from "./Owners.ts"
import { endedAt, startedAt } from "./Runs.ts"
import { keyOf as usageKeyOf } from "./UsageOfHour.ts"

/** The answers that pods are made from. */
export interface PodAnswers extends Owners.OwnerAnswers {
  readonly pods: ReadonlyArray<Line>
  readonly running: ReadonlyArray<Line>
  readonly podStarts: ReadonlyArray<Line>
  readonly podEnds: ReadonlyArray<Line>
  readonly starts: ReadonlyArray<Line>
  readonly cgroupStarts: ReadonlyArray<Line>
  readonly requests: ReadonlyArray<Line>
  readonly sidecars: ReadonlyArray<Line>
  readonly outOfMemory: ReadonlyArray<Line>
  readonly mounts: ReadonlyArray<Line>
}

/** What a container was seen as, by its pod's uid and its name. */
interface Container {
  readonly name: string
  readonly isInit: boolean
  readonly minutes: Minutes.Minutes
  readonly requests: Map<string, number>
  /** Whether what was measured under its name can be no other's. */
  isAlone: boolean
}

/** A pod by what its series say. */
interface Pod extends Owners.PodName {
  node: string
}

/**
 * Gives the pods of which a container ran in the hour.
 *
 * A container ran in the minutes in which it was seen running, and in those of at most four in between in which
 * nothing was seen (`wasSeen`); its starts and its pod's end put seconds to that. One that nobody saw running, though its
 * pod began and ended in the hour, ran from the one to the other; without any word of running, one ran while it was
 * measured, unless its pod shared its name with another. Pods that follow each other under one name share what was
 * measured under it: each has what falls into its runs, and a part of the traffic by how long it ran.
 */
export const read = (
  answers: PodAnswers,
  usage: HourOfUsage,
  hourMs: number,
  wasSeen: (place: number) => boolean
): ReadonlyArray<PodFacts> => {
  const pods = podsOf(answers.pods)
  const containers = containersOf(answers, usage, pods, hourMs)
  const workloadOf = Owners.resolver(answers)
  const slices = new Map(usage.containers.map((one) => [usageKeyOf({ labels: { ...one, slices: "" } }), one.slices]))
  const mounts = Map.groupBy(answers.mounts, uidOf)
  const runsOf = runFinder(answers, hourMs, wasSeen)
  const sidecars = new Set(answers.sidecars.map(keyOf))
  const killed = new Set(answers.outOfMemory.map(keyOf))

  const ran = [...pods.values()].flatMap((pod): ReadonlyArray<PodFacts> => {
    const own = [...(containers.get(pod.uid)?.values() ?? [])].flatMap((one): ReadonlyArray<ContainerFacts> => {
      const measured = slices.get(`${pod.namespace}/${pod.name}/${one.name}`)
      const runs = runsOf(pod, one, measured)
      const key = `${pod.uid}/${one.name}`
      return runs.length === 0
        ? []
        : [
            {
              name: one.name,
              role: one.isInit ? (sidecars.has(key) ? "sidecar" : "init") : "main",
              runs,
              ...requestsOf(one.requests),
              isOomKilled: killed.has(key),
              ...(measured !== undefined && { usage: measured })
            }
          ]
    })
    if (own.length === 0) return []
    return [
      {
        uid: pod.uid,
        namespace: pod.namespace,
        name: pod.name,
        node: pod.node,
        workload: workloadOf(pod),
        containers: own,
        claims: [...new Set((mounts.get(pod.uid) ?? []).map(({ labels }) => labels["persistentvolumeclaim"] ?? ""))]
      }
    ]
  })
  return withEgress(ran, usage.egress, hourMs)
}

const uidOf = ({ labels }: Line): string => labels["uid"] ?? ""
const keyOf = ({ labels }: Line): string => `${labels["uid"] ?? ""}/${labels["container"] ?? ""}`

/** A pod has a series before it is bound and another after. */
const podsOf = (lines: ReadonlyArray<Line>): ReadonlyMap<string, Pod> => {
  const pods = new Map<string, Pod>()
  for (const { labels } of lines) {
    const { namespace = "", node = "", pod: name = "", uid = "" } = labels
    const pod = pods.get(uid) ?? { namespace, name, uid, node }
    pods.set(uid, pod)
    if (node !== "") pod.node = node
  }
  return pods
}

const containersOf = (
  { requests, running }: PodAnswers,
  usage: HourOfUsage,
  pods: ReadonlyMap<string, Pod>,
  hourMs: number
): ReadonlyMap<string, ReadonlyMap<string, Container>> => {
  const found = new Map<string, Map<string, Container>>()
  const enter = (uid: string, name: string, isInit: boolean): Container => {
    const ofPod = found.get(uid) ?? new Map<string, Container>()
    found.set(uid, ofPod)
    const one = ofPod.get(name) ?? {
      name,
      isInit,
      minutes: Minutes.none(),
      requests: new Map<string, number>(),
      isAlone: false
    }
    ofPod.set(name, one)
    return one
  }
  for (const line of [...running, ...requests]) {
    const { container = "", resource, role } = line.labels
    const one = enter(uidOf(line), container, role === "init")
    if (resource === undefined) Minutes.addBits(one.minutes, hourMs, line.points)
    else one.requests.set(resource, line.points[0]?.value ?? 0)
  }
  const byName = Map.groupBy(pods.values(), ({ name, namespace }) => `${namespace}/${name}`)
  for (const { container, namespace, pod } of usage.containers) {
    const [first, ...others] = byName.get(`${namespace}/${pod}`) ?? []
    if (first !== undefined && others.length === 0) enter(first.uid, container, false).isAlone = true
  }
  return found
}

const requestsOf = (requests: ReadonlyMap<string, number>) => {
  const others = [...requests].filter(([resource]) => resource !== "cpu" && resource !== "memory")
  return {
    cpuRequestMillis: (requests.get("cpu") ?? 0) * 1_000,
    memoryRequestBytes: requests.get("memory") ?? 0,
    ...GpuNames.sorted(others)
  }
}

const runFinder = (answers: PodAnswers, hourMs: number, wasSeen: (place: number) => boolean) => {
  const startsMs = Map.groupBy(answers.starts, keyOf)
  const cgroupStartsMs = Map.groupBy(answers.cgroupStarts, usageKeyOf)
  const podStartsMs = new Map(answers.podStarts.map((line) => [uidOf(line), msOf(line)]))
  const isTold = new Set(answers.running.map(uidOf))
  const podEndsMs = new Map(answers.podEnds.map((line) => [uidOf(line), msOf(line)]))

  return (pod: Pod, container: Container, measured: UsageSlices | undefined): ReadonlyArray<Span> => {
    const endMs = podEndsMs.get(pod.uid)
    const seen = Minutes.spans(
      Minutes.closed(container.minutes, (place) => !wasSeen(place)),
      hourMs
    )
    if (seen.length === 0 && measured !== undefined && container.isAlone && !isTold.has(pod.uid)) {
      return Array.from(measured.fromMs, (fromMs, index) => ({ fromMs, toMs: measured.toMs[index] ?? fromMs }))
    }
    if (seen.length === 0) {
      const startMs = podStartsMs.get(pod.uid)
      const isUnseen = !container.isInit && startMs !== undefined && endMs !== undefined && endMs <= hourMs + HOUR_MS
      return isUnseen ? Minutes.within(hourMs, [{ fromMs: startMs, toMs: endMs }]) : []
    }
    const known =
      startsMs.get(`${pod.uid}/${container.name}`)
      ?? cgroupStartsMs.get(`${pod.namespace}/${pod.name}/${container.name}`)
      ?? []
    const exact = seen.map((span) => startedAt(span, known.map(msOf)))
    return Minutes.within(
      hourMs,
      container.isInit ? exact : [...exact.slice(0, -1), ...exact.slice(-1).map((span) => endedAt(span, endMs))]
    )
  }
}

const msOf = ({ points }: Line): number => (points[0]?.value ?? 0) * 1_000
