/**
 * Puts together the volumes and load balancers of an hour that is over.
 */
import type { LoadBalancerFacts, Span, VolumeFacts } from "../../allocation/HourFacts.ts"
import * as VolumeSize from "../../allocation/VolumeSize.ts"
import type { Line } from "./Answer.ts"
import * as Minutes from "./Minutes.ts"
import { SLICE_SERVICE } from "./PastQuestions.ts"
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

type SpansOf = (line: Line) => ReadonlyArray<Span>

const spanReader =
  (hourMs: number, wasSeen: (place: number) => boolean): SpansOf =>
  ({ points }) => {
    const minutes = Minutes.none()
    Minutes.addBits(minutes, hourMs, points)
    return Minutes.within(
      hourMs,
      Minutes.spans(
        Minutes.closed(minutes, (place) => !wasSeen(place)),
        hourMs
      )
    )
  }

/**
 * Gives the volumes.
 *
 * A claim that has a volume, with the bytes that it requests, and a volume that no claim has, with its capacity.
 * A claim that waits for its volume is none. `large` says how many are larger than they may count.
 */
export const volumes = (
  answers: VolumeAnswers,
  hourMs: number,
  wasSeen: (place: number) => boolean
): { readonly volumes: ReadonlyArray<VolumeFacts>; readonly large: number } => {
  const spansOf = spanReader(hourMs, wasSeen)
  const claimBytes = new Map(answers.claimBytes.map((line) => [claimOf(line), valueOf(line)]))
  const volumeBytes = new Map(answers.volumeBytes.map((line) => [volumeOf(line), valueOf(line)]))
  const claimed = new Set(answers.claims.map(({ labels }) => labels["volumename"]))
  const claimedVolumes = answers.claims.map((line) => {
    const { namespace = "", persistentvolumeclaim: claim = "", storageclass = "", volumename: name = "" } = line.labels
    const bytes = claimBytes.get(claimOf(line)) ?? volumeBytes.get(name) ?? 0
    return { namespace, claim, name, storageClass: storageclass, bytes, spans: spansOf(line) }
  })
  const free = answers.volumes
    .filter((line) => !claimed.has(volumeOf(line)))
    .map((line) => {
      const name = volumeOf(line)
      const { storageclass: storageClass = "" } = line.labels
      return { namespace: "", claim: "", name, storageClass, bytes: volumeBytes.get(name) ?? 0, spans: spansOf(line) }
    })
  const all = [...claimedVolumes, ...free].filter(({ spans }) => spans.length > 0)
  return {
    volumes: all.map((volume) => ({ ...volume, bytes: VolumeSize.bounded(volume.bytes) })),
    large: all.filter(({ bytes }) => VolumeSize.isLarge(bytes)).length
  }
}

const claimOf = ({ labels }: Line): string => `${labels["namespace"] ?? ""}/${labels["persistentvolumeclaim"] ?? ""}`
const volumeOf = ({ labels }: Line): string => labels["persistentvolume"] ?? ""
const valueOf = ({ points }: Line): number => points[0]?.value ?? 0

/** The pods behind Services, by `namespace/name`. */
type PodsBehind = (namespace: string, service: string) => ReadonlyArray<string>

/**
 * Gives the load balancers, for as long as they had an address.
 *
 * The pods behind one are those of its EndpointSlices and of its Endpoints, found by name or by address. Where metrics tell of
 * neither, there are none.
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

/** Finds pods by their addresses: those on their node's network all have the node's. */
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
 * Finds pods by EndpointSlices.
 *
 * **Source** Kubernetes, `pkg/controller/endpointslice`: a slice is named by its Service, a dash and five characters, cut
 * to 63; its label `kubernetes.io/service-name` is in metrics only where kube-state-metrics allows it.
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
    // kube-state-metrics before 2.11 told no namespace of slices; that of their pods is the same.
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
