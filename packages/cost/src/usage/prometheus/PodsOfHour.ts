/**
 * Builds the pods of a past hour from metrics: owners, requests and container runs.
 */
import type { ContainerFacts, PodFacts, Span, UsageSlices } from "../../allocation/HourFacts.ts"
import { HOUR_MS } from "../../hour/Units.ts"
import type { HourOfUsage } from "../UsageSource.ts"
import { withEgress } from "../EgressByName.ts"
import type { Line } from "./Answer.ts"
import * as GpuNames from "./GpuNames.ts"
import * as MinuteMask from "./MinuteMask.ts"
import * as Owners from "./Owners.ts"
import { byPod, type LinesOf, type Pod } from "./PodLines.ts"
import { endedAt, startedAt } from "./ContainerRuns.ts"
import { keyOf as usageKeyOf } from "./UsageOfHour.ts"

/** The query results that pods are built from. */
export interface PodAnswers extends Owners.OwnerAnswers {
  readonly running: ReadonlyArray<Line>
  readonly podStarts: ReadonlyArray<Line>
  readonly podEnds: ReadonlyArray<Line>
  readonly starts: ReadonlyArray<Line>
  readonly cgroupStarts: ReadonlyArray<Line>
  readonly requests: ReadonlyArray<Line>
  readonly reportedRequests: ReadonlyArray<Line>
  readonly refusedRequests: ReadonlyArray<Line>
  readonly fittingRequests: ReadonlyArray<Line>
  readonly sidecars: ReadonlyArray<Line>
  readonly outOfMemory: ReadonlyArray<Line>
  readonly mounts: ReadonlyArray<Line>
  readonly accelerators?: GpuNames.AcceleratorNames
}

/** A container of a pod in metrics. */
interface Container {
  readonly name: string
  readonly isInit: boolean
  readonly minutes: MinuteMask.MinuteMask
  readonly requests: Map<string, number>
  /** True if no other pod had the same name, so usage under the name is certainly this container's. */
  isAlone: boolean
}

/**
 * Returns the pods with a container that ran in the hour.
 *
 * A container ran in the minutes in which it was reported running. Gaps of up to four minutes count as running if nothing was
 * scraped in them (`wasSeen`). Start times and the pod's end refine this to seconds. If no series reports it running, but the
 * pod started and ended by the hour's end, it ran in between. If no series reports any container of the pod, it ran while its
 * usage was measured, unless pods share the name. Successive pods of one name share the measured usage by run time, and egress
 * by duration.
 */
export const read = (
  pods: ReadonlyArray<Pod>,
  answers: PodAnswers,
  usage: HourOfUsage,
  hourMs: number,
  wasSeen: (place: number) => boolean
): ReadonlyArray<PodFacts> => {
  const containersOf = containerFinder(answers, usage, pods, hourMs)
  const workloadOf = Owners.resolver(answers, pods)
  const slices = new Map(
    usage.containers.map((measured) => [usageKeyOf({ labels: { ...measured, slices: "" } }), measured.slices])
  )
  const mounts = byPod(answers.mounts)
  const runsOf = runFinder(answers, hourMs, wasSeen)
  const sidecars = byPod(answers.sidecars)
  const killed = byPod(answers.outOfMemory)

  const ran = pods.flatMap((pod): ReadonlyArray<PodFacts> => {
    const containers = [...containersOf(pod).values()].flatMap((container): ReadonlyArray<ContainerFacts> => {
      const measured = slices.get(`${pod.namespace}/${pod.name}/${container.name}`)
      const runs = runsOf(pod, container, measured)
      return runs.length === 0
        ? []
        : [
            {
              name: container.name,
              role: container.isInit ? (isAmong(sidecars(pod), container) ? "sidecar" : "init") : "main",
              runs,
              ...requestsOf(container.requests, answers.accelerators),
              isOomKilled: isAmong(killed(pod), container),
              ...(measured !== undefined && { usage: measured })
            }
          ]
    })
    if (containers.length === 0) return []
    return [
      {
        uid: pod.key,
        namespace: pod.namespace,
        name: pod.name,
        node: pod.node,
        workload: workloadOf(pod),
        containers,
        claims: [...new Set(mounts(pod).map(({ labels }) => labels["persistentvolumeclaim"] ?? ""))]
      }
    ]
  })
  return withEgress(ran, usage.egress, hourMs)
}

const isAmong = (lines: ReadonlyArray<Line>, { name }: Container): boolean =>
  lines.some(({ labels }) => labels["container"] === name)

const containerFinder = (
  answers: PodAnswers,
  usage: HourOfUsage,
  pods: ReadonlyArray<Pod>,
  hourMs: number
): ((pod: Pod) => ReadonlyMap<string, Container>) => {
  const running = byPod(answers.running)
  const requests = byPod(answers.requests)
  const refused = byPod(answers.refusedRequests)
  const fitting = byPod(answers.fittingRequests)
  const reported = byPod(answers.reportedRequests)
  const byName = Map.groupBy(pods, ({ name, namespace }) => `${namespace}/${name}`)
  const measured = Map.groupBy(usage.containers, ({ namespace, pod }) => `${namespace}/${pod}`)
  return (pod) => {
    const found = new Map<string, Container>()
    const enter = (name: string, isInit: boolean): Container => {
      const container = found.get(name) ?? {
        name,
        isInit,
        minutes: MinuteMask.none(),
        requests: new Map<string, number>(),
        isAlone: false
      }
      found.set(name, container)
      return container
    }
    const isInit = ({ labels }: Line): boolean => labels["role"] === "init"
    for (const line of running(pod)) {
      MinuteMask.addBits(enter(line.labels["container"] ?? "", isInit(line)).minutes, hourMs, line.points)
    }
    // Granted requests take precedence over requests that fit the node, and those over requests in the spec.
    const tooMuch = new Set(refused(pod).map(partOf))
    const fits = fitting(pod).filter((line) => tooMuch.has(partOf(line)))
    for (const line of [...requests(pod), ...fits, ...reported(pod)]) {
      const { container = "", resource = "" } = line.labels
      enter(container, isInit(line)).requests.set(resource, line.points[0]?.value ?? 0)
    }
    const key = `${pod.namespace}/${pod.name}`
    if (byName.get(key)?.length === 1) {
      for (const { container } of measured.get(key) ?? []) enter(container, false).isAlone = true
    }
    if (pod.minutes !== undefined) for (const { minutes } of found.values()) MinuteMask.keepOnly(minutes, pod.minutes)
    return found
  }
}

const partOf = ({ labels }: Line): string => `${labels["container"]}/${labels["resource"]}`

const requestsOf = (requests: ReadonlyMap<string, number>, accelerators: GpuNames.AcceleratorNames | undefined) => {
  const others = [...requests].filter(([resource]) => resource !== "cpu" && resource !== "memory")
  return {
    cpuRequestMillis: (requests.get("cpu") ?? 0) * 1_000,
    memoryRequestBytes: requests.get("memory") ?? 0,
    ...GpuNames.sorted(others, accelerators)
  }
}

const runFinder = (answers: PodAnswers, hourMs: number, wasSeen: (place: number) => boolean) => {
  const starts = byPod(answers.starts)
  const cgroupStartsMs = Map.groupBy(answers.cgroupStarts, usageKeyOf)
  const podStarts = byPod(answers.podStarts)
  const running = byPod(answers.running)
  const podEnds = byPod(answers.podEnds)

  return (pod: Pod, container: Container, measured: UsageSlices | undefined): ReadonlyArray<Span> => {
    const endMs = instantOf(podEnds, pod)
    const seen = MinuteMask.spans(
      MinuteMask.closed(container.minutes, (place) => !wasSeen(place)),
      hourMs
    )
    if (seen.length === 0 && measured !== undefined && container.isAlone && running(pod).length === 0) {
      return Array.from(measured.fromMs, (fromMs, index) => ({ fromMs, toMs: measured.toMs[index] ?? fromMs }))
    }
    if (seen.length === 0) {
      const startMs = instantOf(podStarts, pod)
      const isUnseen =
        !container.isInit
        && pod.minutes === undefined
        && startMs !== undefined
        && endMs !== undefined
        && endMs <= hourMs + HOUR_MS
      return isUnseen ? MinuteMask.within(hourMs, [{ fromMs: startMs, toMs: endMs }]) : []
    }
    const starting = starts(pod).filter(({ labels }) => labels["container"] === container.name)
    const known =
      starting.length > 0 ? starting : (cgroupStartsMs.get(`${pod.namespace}/${pod.name}/${container.name}`) ?? [])
    const exact = seen.map((span) => startedAt(span, known.map(msOf)))
    return MinuteMask.within(
      hourMs,
      container.isInit ? exact : [...exact.slice(0, -1), ...exact.slice(-1).map((span) => endedAt(span, endMs))]
    )
  }
}

const msOf = ({ points }: Line): number => (points[0]?.value ?? 0) * 1_000

/** Returns the latest instant in a pod's series. */
const instantOf = (linesOf: LinesOf, pod: Pod): number | undefined => {
  const lines = linesOf(pod)
  return lines.length === 0 ? undefined : Math.max(...lines.map(msOf))
}
