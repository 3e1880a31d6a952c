/**
 * Puts together the volumes and load balancers of an hour that is over.
 */
import type { LoadBalancerFacts, Span, VolumeFacts } from "../../allocation/HourFacts.ts"
import * as VolumeSize from "../../allocation/VolumeSize.ts"
import type { Line } from "./Answer.ts"
import * as Minutes from "./Minutes.ts"

export interface VolumeAnswers {
  readonly claims: ReadonlyArray<Line>
  readonly volumes: ReadonlyArray<Line>
  readonly claimBytes: ReadonlyArray<Line>
  readonly volumeBytes: ReadonlyArray<Line>
}

export interface LoadBalancerAnswers {
  readonly loadBalancers: ReadonlyArray<Line>
  readonly endpoints: ReadonlyArray<Line>
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

/**
 * Gives the load balancers, for as long as they had an address.
 *
 * The pods behind one are found by the addresses of its endpoints; where those are not told, none are.
 */
export const loadBalancers = (
  answers: LoadBalancerAnswers,
  hourMs: number,
  wasSeen: (place: number) => boolean
): ReadonlyArray<LoadBalancerFacts> => {
  const spansOf = spanReader(hourMs, wasSeen)
  const endpoints = Map.groupBy(answers.endpoints, ({ labels }) => `${labels["namespace"]}/${labels["endpoint"]}`)
  // Pods on their node's network all have its address.
  const podsWithAddress = answers.pods.filter(
    ({ labels }) => labels["host_network"] !== "true" && (labels["pod_ip"] ?? "") !== ""
  )
  const byAddress = Map.groupBy(podsWithAddress, ({ labels }) => `${labels["namespace"]}/${labels["pod_ip"]}`)
  return answers.loadBalancers.flatMap((line): ReadonlyArray<LoadBalancerFacts> => {
    const { namespace = "", service: name = "" } = line.labels
    const spans = spansOf(line)
    if (spans.length === 0) return []
    const behind = (endpoints.get(`${namespace}/${name}`) ?? []).flatMap(({ labels }) =>
      (byAddress.get(`${namespace}/${labels["ip"]}`) ?? []).map((pod) => pod.labels["uid"] ?? "")
    )
    return [{ namespace, name, spans, pods: [...new Set(behind)] }]
  })
}
