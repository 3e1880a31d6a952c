/** Writes the logs of the demo's pods: lines that fit the workload, up to the present second. */
import { Embedded } from "@quarterdeck/harness"
import { DateTime, Option, Schema } from "effect"

type PodLog = NonNullable<Embedded.EmbeddedSettings["podLog"]>

const HOUR_MS = 3_600_000
/** Interval between two lines of a log. */
const LINE_MS = 4_000

const Run = Schema.Struct({ startedAt: Schema.DateTimeUtcFromString })
const Ended = Schema.Struct({ finishedAt: Schema.DateTimeUtcFromString, exitCode: Schema.Finite })
const State = Schema.Struct({ running: Schema.optionalKey(Run), terminated: Schema.optionalKey(Ended) })
const LoggedPod = Schema.Struct({
  metadata: Schema.Struct({ name: Schema.String }),
  status: Schema.Struct({
    containerStatuses: Schema.Array(
      Schema.Struct({ name: Schema.String, state: State, lastState: Schema.optionalKey(State) })
    )
  })
})
const decodePod = Schema.decodeUnknownOption(LoggedPod)

/**
 * Returns the log of a container, with a time before each line.
 *
 * **Limits** at most the last two hours, a line every 4 s.
 */
export const make =
  (nowMs: () => number): PodLog =>
  (pod, container) => {
    const decoded = Option.getOrUndefined(decodePod(pod))
    const status = decoded?.status.containerStatuses.find(({ name }) => name === container)
    if (decoded === undefined || status === undefined) return undefined
    const { running, terminated = status.lastState?.terminated } = status.state
    if (running !== undefined) {
      return written(decoded.metadata.name, container, DateTime.toEpochMillis(running.startedAt), nowMs())
    }
    if (terminated === undefined) return undefined
    const endedMs = DateTime.toEpochMillis(terminated.finishedAt)
    const lines =
      terminated.exitCode === 0
        ? [`starting ${container}`, "step 1 of 2 done", "step 2 of 2 done", "all steps done"]
        : [
            `starting ${container}`,
            "connecting to postgres://catalog-db:5432",
            'FATAL password authentication failed for user "app"',
            `exit status ${terminated.exitCode}`
          ]
    return printed(lines.map((line) => [endedMs, line]))
  }

const written = (pod: string, container: string, startedMs: number, nowMs: number): string => {
  const fromMs = Math.max(startedMs, Math.floor(nowMs / HOUR_MS - 1) * HOUR_MS)
  const start: ReadonlyArray<Line> =
    fromMs === startedMs
      ? [
          [startedMs, `starting ${container} as ${pod}`],
          [startedMs, "configuration read, ready for work"]
        ]
      : []
  const first = Math.ceil((fromMs + 1) / LINE_MS)
  const count = Math.max(0, Math.floor(nowMs / LINE_MS) - first + 1)
  const seed = numberOf(pod)
  const lines = Array.from({ length: count }, (_, at): Line => {
    const slot = first + at
    return [slot * LINE_MS, lineOf(container, scrambled(slot * 31 + seed))]
  })
  return printed([...start, ...lines])
}

type Line = readonly [atMs: number, text: string]

const printed = (lines: ReadonlyArray<Line>): string =>
  lines.map(([atMs, text]) => `${new Date(atMs).toISOString()} ${text}\n`).join("")

const numberOf = (text: string): number => Buffer.from(text).reduce((sum, byte) => (sum * 33 + byte) % 1_000_003, 7)

/** Returns a number that looks random but is the same for the same input, so that a log does not change. */
const scrambled = (number: number): number => {
  const mixed = Math.imul(number ^ (number >>> 15), 0x2c_1b_3c_6d)
  return (mixed ^ (mixed >>> 12)) >>> 0
}

const lineOf = (container: string, random: number): string => {
  const lines = LINES[container] ?? OTHER
  const line = lines[random % lines.length] ?? ""
  // Each placeholder shows other digits of the number.
  return line.replaceAll(/#+/g, (place, at: number) =>
    String(10 ** (place.length - 1) + (Math.floor(random / (at + 7)) % (9 * 10 ** (place.length - 1))))
  )
}

const OTHER = ["GET /healthz 200 #ms", "handled request #### in ##ms", "cache: ### entries, ## hits a second"]

const REQUESTS = [
  "GET / 200 ##ms",
  "GET /products/#### 200 ##ms",
  "GET /products/#### 304 #ms",
  "POST /cart/items 201 ##ms",
  "GET /search?q=boots 200 ###ms",
  "GET /products/##### 404 #ms"
]

/** Lines of each workload. **Shape** a run of `#` becomes a number of as many digits. */
const LINES: Readonly<Record<string, ReadonlyArray<string>>> = {
  web: REQUESTS,
  gateway: ["POST /payments 201 ###ms", "GET /payments/##### 200 ##ms", "POST /refunds 202 ###ms"],
  ingress: ["shop/web 200 ##ms", "payments/gateway 201 ###ms", "reloaded ## routes"],
  checkout: ["order ##### placed, # items", "order ##### paid in ###ms", "payment of order ##### retried once"],
  cart: ["cart #####: # items", "cart ##### expired", "GET /cart/##### 200 #ms"],
  search: ['query "boots" ### results in ##ms', 'query "lamp" ## results in ##ms', "index refreshed in ###ms"],
  assistant: ["answered question #### in ####ms, ### tokens", "session #### opened", "session #### closed"],
  thumbnails: ["resized image ##### to 320x240 in ##ms", "resized image ##### to 640x480 in ##ms", "queue: ### images"],
  "image-resizer": ["resized image ##### in ##ms", "queue: ## images"],
  recommender: ["scored ### products for visitor ##### in ##ms", "model read: version 3.1"],
  ledger: ["posted entry #####", "posted ## entries in ##ms", "balance checked, no difference"],
  reporting: ["no report requested", "report 'daily revenue' is up to date", "waiting for requests"],
  events: ["partition payments-# appended ### records", "rolled segment of payments-# at offset #####"],
  "catalog-db": ["LOG: checkpoint complete: wrote ### buffers", "LOG: duration: ## ms, SELECT of 1 row"],
  coredns: ["A web.shop.svc.cluster.local. NOERROR ##us", "A ledger.payments.svc.cluster.local. NOERROR ##us"],
  "log-agent": ["flushed ### records to storage", "tail: opened ## files"],
  "debug-shell": ["/ # sleep"]
}
