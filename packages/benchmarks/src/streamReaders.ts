/**
 * A process of many readers of the workload stream.
 *
 * Argument: the file to write its port into. Commands are request paths. Each reply is a `Reading` of src/load/Reading.ts.
 * - `/open` with an `Opening` opens the readers and waits until all have the whole set.
 * - `/begin` discards the recorded arrivals.
 * - `/end` with `Writes` waits until all readers agree with a fresh list, measures the delay of each write to each reader,
 *   and closes the readers.
 */
import { createServer, type IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { setTimeout as passed } from "node:timers/promises"
import { listen, orSay } from "./load/Ready.ts"
import { percentile } from "./claim/Measure.ts"
import { keyOf, namedOf, nowMs, Reader } from "./streams/Reader.ts"
import { decodeOpening, decodeWrites, type Opening, type Reading, type Writes } from "./load/Reading.ts"

const [ready = ""] = process.argv.slice(2)

const WITHIN_MS = 15_000
const AGAIN_MS = 100

let opening: Opening = { port: 0, keys: [], readers: 0 }
let readers: ReadonlyArray<Reader> = []

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  const end = nowMs() + WITHIN_MS
  while (!(await holds()) && nowMs() < end) await passed(AGAIN_MS)
}

const reading = (differing: number, writes: Writes): Reading => {
  const delays = readers.flatMap(({ arrivals }) => writes.map(([row, at]) => arrivals.delayOf(row, at)))
  const told = delays.filter((delay) => delay !== undefined)
  return {
    ready: readers.filter(({ isReady }) => isReady).length,
    differing,
    untold: delays.length - told.length,
    ended: readers.filter(({ isEnded }) => isEnded).length,
    resets: readers.reduce((sum, { resets }) => sum + resets, 0),
    told: told.length,
    p50: told.length === 0 ? 0 : percentile(told, 0.5),
    p99: told.length === 0 ? 0 : percentile(told, 0.99)
  }
}

const open = async (plan: Opening): Promise<Reading> => {
  opening = plan
  readers = Array.from({ length: plan.readers }, (_, index) => {
    return new Reader(plan.port, plan.keys[index % plan.keys.length] ?? "")
  })
  await until(() => readers.every(({ isEnded, isReady }) => isReady || isEnded))
  return reading(0, [])
}

/** Returns the rows of a live list, by key. */
const listed = async (): Promise<ReadonlyMap<string, string>> => {
  const reply = await fetch(`http://127.0.0.1:${opening.port}/api/v1/workloads?limit=5000&consistency=live`, {
    headers: { authorization: `Bearer ${opening.keys[0] ?? ""}`, "x-service-cluster": "*" }
  })
  const list: unknown = await reply.json()
  const rows: unknown = typeof list === "object" && list !== null ? Reflect.get(list, "workloads") : []
  return new Map(Array.isArray(rows) ? rows.map((row) => [keyOf(namedOf(row)), JSON.stringify(row)]) : [])
}

const agrees = ({ rows }: Reader, list: ReadonlyMap<string, string>): boolean =>
  rows.size === list.size && [...list].every(([key, row]) => rows.get(key) === row)

const end = async (writes: Writes): Promise<Reading> => {
  let differing = readers.length
  await until(async () => {
    const list = await listed()
    differing = readers.filter((reader) => !agrees(reader, list)).length
    return differing === 0
  })
  const result = reading(differing, writes)
  for (const reader of readers) reader.close()
  readers = []
  return result
}

const answer = async (request: IncomingMessage): Promise<unknown> => {
  try {
    const body = await text(request)
    if (request.url === "/open") return await open(decodeOpening(body))
    if (request.url === "/end") return await end(decodeWrites(body))
    for (const { arrivals } of readers) arrivals.clear()
    return reading(0, [])
  } catch (error) {
    return { problem: String(error) }
  }
}

const server = createServer((request, response) => {
  void answer(request).then((result) => response.end(JSON.stringify(result)))
})
await orSay(ready, () => listen(server, ready))
