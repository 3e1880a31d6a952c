/**
 * The suites of claims, by what they measure.
 */
import type { Suite } from "./claim/Suite.ts"
import { closings } from "./cost/closings.ts"
import { kills } from "./cost/kills.ts"
import { reports } from "./cost/reports.ts"
import { scale } from "./cost/scale.ts"
import { ControlPlane } from "@quarterdeck/harness"
import { lackOf } from "./harness/lack.ts"
import { changes } from "./fleet/changes.ts"
import { live } from "./fleet/live.ts"
import { reads } from "./fleet/reads.ts"
import { controlPlanes, pods } from "./fleet/syncs.ts"
import { memory } from "./harness/memory.ts"
import { resets } from "./harness/resets.ts"
import { seeds } from "./harness/seeds.ts"
import { starts } from "./harness/starts.ts"
import { clusters, pages, refusals } from "./http/reads.ts"
import { guesses } from "./limits/guesses.ts"
import { followed } from "./logs/followed.ts"
import { delays } from "./streams/delays.ts"

/** The claims of costs: reports, closing of hours, storage, a large fleet, and no loss of closed hours. */
const cost: Suite = {
  name: "cost",
  parts: () => [
    { name: "reports", measure: reports },
    { name: "closings", measure: closings },
    { name: "a large fleet", measure: scale },
    { name: "closings that are killed", measure: kills }
  ]
}

/** The claims for large fleets: pages, walks, syncs, live lists, and the delay of changes. */
const fleet: Suite = {
  name: "fleet",
  parts: () => [
    { name: "page and walk", measure: reads },
    { name: "pods", measure: pods },
    { name: "live", measure: live },
    { name: "changes", measure: changes },
    { name: "first sync, control-plane", lacks: lackOf(ControlPlane.driver), measure: controlPlanes }
  ]
}

/** The claims of the harness: starts, resets, seeds and memory of several clusters. */
const harness: Suite = {
  name: "harness",
  parts: (extent) => [...starts(extent), ...resets, seeds, memory]
}

/** The claims of reads and refusals over HTTP, relative to a server that only writes the same bytes. */
const http: Suite = {
  name: "http",
  parts: () => [
    { name: "clusters", measure: clusters },
    { name: "pages", measure: pages },
    { name: "refusals", measure: refusals }
  ]
}

/** The claims of rate limits: a client that guesses keys costs other clients little. */
const limits: Suite = { name: "limits", parts: () => [{ name: "guesses of keys", measure: guesses }] }

/** The claims of logs: following a log takes no memory, however long the log and slow the client. */
const logs: Suite = { name: "logs", parts: () => [{ name: "a log that is followed", measure: followed }] }

/** The claims of streams: changes arrive soon, readers miss none, and memory stays flat. */
const streams: Suite = { name: "streams", parts: () => [{ name: "changes of workloads", measure: delays }] }

/** All suites, in the order of a run. */
export const suites: ReadonlyArray<Suite> = [cost, fleet, harness, http, limits, logs, streams]
