/**
 * Builds the volumes and load balancers of a past hour from metrics.
 */
import type { LoadBalancerFacts, Span, VolumeFacts } from "../../allocation/HourFacts.ts"
import * as VolumeSize from "../../allocation/VolumeSize.ts"
import type { Line } from "./Answer.ts"
import * as MinuteMask from "./MinuteMask.ts"
import { SLICE_SERVICE } from "./HistoricalQueries.ts"
import { byPod, type Pod } from "./PodLines.ts"

export interface VolumeAnswers {
  readonly claims: ReadonlyArray<Line>
  readonly volumes: ReadonlyArray<Line>
  readonly claimBytes: ReadonlyArray<Line>
  readonly volumeBytes: ReadonlyArray<Line>
}

export interface LoadBalancerAnswers {
  readonly loadBalancers: ReadonlyArray<Line>
  readonly endpoints: ReadonlyArray<Line>
  readonly endpointSlices: ReadonlyArray<Line>
  readonly sliceServices: ReadonlyArray<Line>
  readonly pods: ReadonlyArray<Line>
}

type MinutesOf = (line: Line) => MinuteMask.MinuteMask
type SpansOf = (line: Line) => ReadonlyArray<Span>

const minuteReader =
  (hourMs: number, wasSeen: (place: number) => boolean): MinutesOf =>
  ({ points }) => {
    const minutes = MinuteMask.none()
    MinuteMask.addBits(minutes, hourMs, points)
    return MinuteMask.closed(minutes, (place) => !wasSeen(place))
  }

const spanReader = (hourMs: number, wasSeen: (place: number) => boolean): SpansOf => {
  const minutesOf = minuteReader(hourMs, wasSeen)
  return (line) => MinuteMask.within(hourMs, MinuteMask.spans(minutesOf(line), hourMs))
}

/**
 * Returns the volumes.
 *
 * **Shape** each minute of a volume counts once. While the volume is claimed, the bytes that the claim requests count,
 * otherwise its capacity. If several volumes had the same claim name within the hour, each counts with its capacity. Claims
 * without a volume are ignored. `large` counts the volumes above the maximum size.
 */
export const volumes = (
  answers: VolumeAnswers,
  hourMs: number,
  wasSeen: (place: number) => boolean
): { readonly volumes: ReadonlyArray<VolumeFacts>; readonly large: number } => {
  const minutesOf = minuteReader(hourMs, wasSeen)
  const claimBytes = new Map(answers.claimBytes.map((line) => [claimOf(line), valueOf(line)]))
  const volumeBytes = new Map(answers.volumeBytes.map((line) => [volumeOf(line), valueOf(line)]))
  const lines = Map.groupBy(answers.claims, claimOf)
  const taken = new Map<string, MinuteMask.MinuteMask>()
  /** Returns the spans of the minutes that no earlier series of the volume covers, and marks these minutes as covered. */
  const take = (name: string, minutes: MinuteMask.MinuteMask): ReadonlyArray<Span> => {
    const before = taken.get(name) ?? MinuteMask.none()
    taken.set(
      name,
      before.map((isIn, place) => isIn | (minutes[place] ?? 0))
    )
    const left = minutes.map((isIn, place) => isIn & ~(before[place] ?? 0))
    return MinuteMask.within(hourMs, MinuteMask.spans(left, hourMs))
  }
  const claimed = answers.claims
    .map((line) => ({ line, minutes: minutesOf(line) }))
    .toSorted((one, other) => one.minutes.indexOf(1) - other.minutes.indexOf(1))
    .map(({ line, minutes }) => {
      const {
        namespace = "",
        persistentvolumeclaim: claim = "",
        storageclass = "",
        volumename: name = ""
      } = line.labels
      const [requested, capacity] = [claimBytes.get(claimOf(line)), volumeBytes.get(name)]
      const isReused = (lines.get(claimOf(line)) ?? []).some(({ labels }) => labels["volumename"] !== name)
      const bytes = (isReused ? (capacity ?? requested) : (requested ?? capacity)) ?? 0
      return { namespace, claim, name, storageClass: storageclass, bytes, spans: take(name, minutes) }
    })
  const free = answers.volumes.map((line) => {
    const name = volumeOf(line)
    const { storageclass: storageClass = "" } = line.labels
    const bytes = volumeBytes.get(name) ?? 0
    return { namespace: "", claim: "", name, storageClass, bytes, spans: take(name, minutesOf(line)) }
  })
  const all = [...claimed, ...free].filter(({ spans }) => spans.length > 0)
  return {
    volumes: all.map((volume) => ({ ...volume, bytes: VolumeSize.bounded(volume.bytes) })),
    large: all.filter(({ bytes }) => VolumeSize.isLarge(bytes)).length
  }
}

const claimOf = ({ labels }: Line): string => `${labels["namespace"] ?? ""}/${labels["persistentvolumeclaim"] ?? ""}`
const volumeOf = ({ labels }: Line): string => labels["persistentvolume"] ?? ""
const valueOf = ({ points }: Line): number => points[0]?.value ?? 0

/** Returns the pods behind a Service. */
type PodsBehind = (namespace: string, service: string) => ReadonlyArray<string>

/**
 * Returns the load balancers, and the times in which they had an address.
 *
 * Their pods come from EndpointSlices and Endpoints, matched by name or address. Without such metrics they have none.
 */
export const loadBalancers = (
  answers: LoadBalancerAnswers,
  pods: ReadonlyArray<Pod>,
  hourMs: number,
  wasSeen: (place: number) => boolean
): ReadonlyArray<LoadBalancerFacts> => {
  const spansOf = spanReader(hourMs, wasSeen)
  const finders = [endpointFinder(answers, pods), sliceFinder(answers, pods)]
  return answers.loadBalancers.flatMap((line): ReadonlyArray<LoadBalancerFacts> => {
    const { namespace = "", service: name = "" } = line.labels
    const spans = spansOf(line)
    if (spans.length === 0) return []
    return [{ namespace, name, spans, pods: [...new Set(finders.flatMap((behind) => behind(namespace, name)))] }]
  })
}

/** Returns a lookup of pods by address. Pods on the host network share their node's address and are excluded. */
const addressFinder = (
  { pods: info }: LoadBalancerAnswers,
  pods: ReadonlyArray<Pod>
): ((namespace: string, ip: string) => ReadonlyArray<string>) => {
  const infoOf = byPod(
    info.filter(({ labels }) => labels["host_network"] !== "true" && (labels["pod_ip"] ?? "") !== "")
  )
  const byAddress = new Map<string, Array<string>>()
  for (const pod of pods) {
    for (const { labels } of infoOf(pod)) {
      if (pod.minutes !== undefined && labels["node"] !== pod.node) continue
      const address = `${pod.namespace}/${labels["pod_ip"]}`
      const keys = byAddress.get(address)
      if (keys === undefined) byAddress.set(address, [pod.key])
      else keys.push(pod.key)
    }
  }
  return (namespace, ip) => byAddress.get(`${namespace}/${ip}`) ?? []
}

const endpointFinder = (answers: LoadBalancerAnswers, pods: ReadonlyArray<Pod>): PodsBehind => {
  const withAddress = addressFinder(answers, pods)
  const endpoints = Map.groupBy(answers.endpoints, ({ labels }) => `${labels["namespace"]}/${labels["endpoint"]}`)
  return (namespace, service) =>
    (endpoints.get(`${namespace}/${service}`) ?? []).flatMap(({ labels }) => withAddress(namespace, labels["ip"] ?? ""))
}

/**
 * Returns a lookup of pods by EndpointSlices.
 *
 * **Source** Kubernetes, `pkg/controller/endpointslice`: a slice is named after its Service, a dash and five characters, cut
 * to 63. Its label `kubernetes.io/service-name` is in metrics only if kube-state-metrics is configured to export it.
 */
const sliceFinder = (answers: LoadBalancerAnswers, pods: ReadonlyArray<Pod>): PodsBehind => {
  const withAddress = addressFinder(answers, pods)
  const withName = Map.groupBy(pods, ({ name, namespace }) => `${namespace}/${name}`)
  const services = new Map(
    answers.sliceServices.map(({ labels }) => [
      `${labels["namespace"]}/${labels["endpointslice"]}`,
      labels[SLICE_SERVICE] ?? ""
    ])
  )
  const byStem = Map.groupBy(answers.endpointSlices, ({ labels }) => {
    // kube-state-metrics before 2.11 reports no namespace of slices; that of their pods is the same.
    const namespace = labels["targetref_namespace"] ?? labels["namespace"] ?? ""
    const slice = labels["endpointslice"] ?? ""
    return `${namespace}/${stemOf(services.get(`${labels["namespace"]}/${slice}`)) ?? slice.slice(0, -RANDOM_LENGTH)}`
  })
  return (namespace, service) =>
    (byStem.get(`${namespace}/${stemOf(service)}`) ?? []).flatMap(({ labels }) => {
      const { address = "", targetref_kind: kind, targetref_name: name = "" } = labels
      return kind === "Pod"
        ? (withName.get(`${namespace}/${name}`) ?? []).map(({ key }) => key)
        : withAddress(namespace, address)
    })
}

const RANDOM_LENGTH = 5
const NAME_LENGTH = 63

const stemOf = (service: string | undefined): string | undefined =>
  service === undefined ? undefined : `${service}-`.slice(0, NAME_LENGTH - RANDOM_LENGTH)
