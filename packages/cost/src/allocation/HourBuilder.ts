/**
 * Builds an hour's quantities by workload from its observations.
 *
 * The rules are documented with examples in `docs/cost-model/allocation.md`.
 */
import * as Allocation from "./Allocation.ts"
import type { Hour } from "../hour/Hour.ts"
import type { HourFacts, PodFacts } from "./HourFacts.ts"
import type { HourUsage } from "../savings/HourUsage.ts"
import { MANAGEMENT, type Series, UNMOUNTED } from "../hour/Series.ts"
import { HOUR_SECONDS, KIB_BYTES } from "../hour/Units.ts"
import * as ContainerRows from "./ContainerRows.ts"
import { egressOf } from "./EgressPart.ts"
import * as IdleAllocation from "./IdleAllocation.ts"
import * as PodHosts from "./PodHosts.ts"
import * as SeriesAccounts from "./SeriesAccounts.ts"
import { type Holder, split } from "./SharedHolding.ts"
import { fromSpans, overlap, secondsIn, type Intervals, union } from "./Intervals.ts"

/** State that the steps of building an hour share. */
interface Build {
  readonly facts: HourFacts
  readonly seen: Intervals
  readonly hosts: PodHosts.Hosts
  readonly accounts: SeriesAccounts.SeriesAccounts
}

/**
 * Builds an hour.
 *
 * **Shape** quantities only: the cost columns are 0 until `HourCosts.reprice` fills them. All times are clipped to the
 * hour and to `seen`. Workloads plus idle equal the nodes' capacity exactly. The quantities of two builds, each with a
 * part of `seen`, add up to those of one build with both parts, except for `coveredSeconds`. The order of observations
 * does not matter.
 *
 * **Units** whole numbers, rounded as described in `allocation/Accrual`. Instants are truncated to the second.
 *
 * **Limits** pure, and linear in slices and runs.
 */
export const build = (facts: HourFacts): Hour => {
  const { cluster, startMs } = facts
  const seen = fromSpans(facts.seen, startMs)
  const knownSeconds = secondsIn(seen)
  const into: Build = { facts, seen, hosts: PodHosts.make(facts, seen), accounts: SeriesAccounts.make() }
  chargePods(into)
  chargeVolumes(into)
  chargeLoadBalancers(into)
  IdleAllocation.charge(into.hosts, into.accounts)
  SeriesAccounts.accountOf(into.accounts, controlPlane).amounts.existedSeconds = knownSeconds
  const when = knownSeconds === HOUR_SECONDS ? {} : { seen }
  return { cluster, startMs, knownSeconds, ...SeriesAccounts.toHour(into.accounts), ...when }
}

/**
 * Returns the container usage for the recommender.
 *
 * **Shape** one row per container with at least a second of known usage, or with an OOM kill. Init containers have no
 * row; sidecars do.
 */
export const usageOf = (facts: HourFacts): HourUsage => {
  const { cluster, startMs } = facts
  const seen = fromSpans(facts.seen, startMs)
  const hosts = PodHosts.make(facts, seen)
  const containers = facts.pods.flatMap((pod) => ContainerRows.fromPod(pod, hosts.of(pod).limits, seen, startMs))
  return { cluster, startMs, containers }
}

const controlPlane: Series = { namespace: "", kind: MANAGEMENT, name: "control-plane", uid: "", labels: {} }

const unmounted = (namespace: string, name: string): Series => ({
  namespace,
  kind: UNMOUNTED,
  name,
  uid: "",
  labels: {}
})

const chargePods = (into: Build): void => {
  for (const pod of into.facts.pods) {
    const account = SeriesAccounts.accountOf(into.accounts, pod.workload)
    const host = into.hosts.of(pod)
    chargeContainers(into, pod, account, host)
    if (pod.egress === undefined) continue
    const { internetKib, regionKib, zoneKib } = egressOf(pod, pod.egress, into.seen, into.facts.startMs)
    account.amounts.zoneEgressKib += zoneKib
    account.amounts.regionEgressKib += regionKib
    account.amounts.internetEgressKib += internetKib
  }
}

const chargeContainers = (
  { facts: { startMs }, seen }: Build,
  pod: PodFacts,
  account: SeriesAccounts.Account,
  host: PodHosts.Host
): void => {
  const { amounts } = account
  const main: Array<number> = []
  for (const container of pod.containers) {
    const runs = overlap(fromSpans(container.runs, startMs), seen)
    if (runs.length === 0) continue
    if (container.role === "main") main.push(...runs)
    const allocation = Allocation.ofContainer(container, runs, startMs, host)
    SeriesAccounts.allocate(account, host.priceClass, allocation)
    PodHosts.addCompute(host.allocated, allocation)
    amounts.cpuUsedMilliSeconds += allocation.cpuUsedMilliSeconds
    amounts.memoryUsedKibSeconds += allocation.memoryUsedKibSeconds
    amounts.cpuRequestedMilliSeconds += allocation.cpuRequestedMilliSeconds
    amounts.memoryRequestedKibSeconds += allocation.memoryRequestedKibSeconds
    amounts.cpuRequestedKnownMilliSeconds += allocation.cpuRequestedKnownMilliSeconds
    amounts.memoryRequestedKnownKibSeconds += allocation.memoryRequestedKnownKibSeconds
    account.seconds += allocation.seconds
    account.knownSeconds += allocation.knownSeconds
  }
  const running = union(main)
  const seconds = secondsIn(running)
  account.running.push(...running)
  amounts.replicaSeconds += seconds
  if (host.isSpot) amounts.spotSeconds += seconds
}

const chargeVolumes = ({ facts, accounts, seen }: Build): void => {
  if (facts.volumes.length === 0) return
  const mounting = new Map<string, Array<PodFacts>>()
  for (const pod of facts.pods) {
    for (const claim of new Set(pod.claims)) {
      const key = claimKey(pod.namespace, claim)
      const pods = mounting.get(key)
      if (pods === undefined) mounting.set(key, [pod])
      else pods.push(pod)
    }
  }
  for (const { bytes, claim, name, namespace, spans, storageClass } of facts.volumes) {
    const there = fromSpans(spans, facts.startMs)
    const pods = claim === "" ? [] : (mounting.get(claimKey(namespace, claim)) ?? [])
    const kib = Math.round(bytes / KIB_BYTES)
    split(kib, there, seen, holdersOf(accounts, pods, facts.startMs), (owner, kibSeconds) => {
      const account = owner ?? SeriesAccounts.accountOf(accounts, unmounted(namespace, claim === "" ? name : claim))
      SeriesAccounts.store(account, storageClass, kibSeconds)
    })
  }
}

/** Returns the key of a claim. It is unique, because neither part may contain a slash. */
const claimKey = (namespace: string, claim: string): string => `${namespace}/${claim}`

const chargeLoadBalancers = ({ facts, accounts, seen }: Build): void => {
  if (facts.loadBalancers.length === 0) return
  const behind = new Set(facts.loadBalancers.flatMap(({ pods }) => pods))
  const podOf = new Map(facts.pods.filter(({ uid }) => behind.has(uid)).map((pod) => [pod.uid, pod]))
  for (const { name, namespace, pods, spans } of facts.loadBalancers) {
    const there = fromSpans(spans, facts.startMs)
    const known = [...new Set(pods)].flatMap((uid) => podOf.get(uid) ?? [])
    split(1, there, seen, holdersOf(accounts, known, facts.startMs), (owner, seconds) => {
      const account = owner ?? SeriesAccounts.accountOf(accounts, unmounted(namespace, name))
      account.amounts.loadBalancerSeconds += seconds
    })
  }
}

/**
 * Returns the pods as holders of a volume or load balancer. A pod holds the volume or load balancer from the pod's
 * first start to its last end, including the time between restarts.
 */
const holdersOf = (
  accounts: SeriesAccounts.SeriesAccounts,
  pods: ReadonlyArray<PodFacts>,
  startMs: number
): ReadonlyArray<Holder<SeriesAccounts.Account>> =>
  pods.map((pod) => {
    const owner = SeriesAccounts.accountOf(accounts, pod.workload)
    const runs = pod.containers.flatMap((container) => container.runs)
    const fromMs = runs.reduce((least, run) => Math.min(least, run.fromMs), Infinity)
    const toMs = runs.reduce((most, run) => Math.max(most, run.toMs), -Infinity)
    return { key: owner.key, owner, held: fromSpans([{ fromMs, toMs }], startMs) }
  })
