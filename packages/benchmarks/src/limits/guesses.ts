/**
 * Connections that send wrong keys without pause: their cost in server memory, log lines, and latency for a valid key.
 */
import { Embedded, eventually, Fleet } from "@quarterdeck/harness"
import { Console, Effect, FileSystem, Path, Ref, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { createHash } from "node:crypto"
import { fileURLToPath } from "node:url"
import type { Claim } from "../claim/Claim.ts"
import { percentile } from "../claim/Measure.ts"
import type { Extent } from "../claim/Suite.ts"
import * as Connections from "./Connections.ts"

const SERVER = fileURLToPath(new URL("../limitsServer.ts", import.meta.url))
const LOAD = fileURLToPath(new URL("../limitsLoad.ts", import.meta.url))
const CONNECTIONS = 32
const WARM_SECONDS = 3
const MB = 1_000_000
const KIB = 1_024

const keyOf = (index: number): string => `benchmark-viewer-${index}-0123456789`
const GOOD_KEYS = Array.from({ length: CONNECTIONS }, (_, index) => keyOf(index))
/** The key of the client that is measured during the load. */
const OWN_KEY = keyOf(CONNECTIONS)

class LoadFailed extends Schema.TaggedError<LoadFailed>()("LoadFailed", { problem: Schema.String }) {
  override get message(): string {
    return this.problem
  }
}

export const guesses = Effect.fnUntraced(function* ({ quick }: Extent) {
  const seconds = quick ? 4 : 10
  yield* Console.error(`${CONNECTIONS} connections with wrong keys, then with good ones, ${seconds} s each`)
  const server = yield* started
  yield* beside(server.url, WARM_SECONDS, [OWN_KEY])

  const before = yield* server.residentBytes
  const linesBefore = yield* server.refusalLines
  const wrong = yield* beside(server.url, seconds, [])
  const after = yield* server.residentBytes
  const linesAfter = yield* server.refusalLines
  const good = yield* beside(server.url, seconds, GOOD_KEYS)
  if (wrong.load.get(429) === undefined || (good.load.get(200) ?? 0) === 0) {
    return yield* new LoadFailed({ problem: "the loads were not answered as they should be" })
  }
  const claims: ReadonlyArray<Claim> = [
    {
      claim: `memory that ${CONNECTIONS} connections with wrong keys take in ${seconds} s`,
      ours: { value: Math.max(0, after - before) / MB, unit: "MB" },
      goal: { _tag: "absolute", atMost: 50 },
      note: `${told(wrong.load)}; ${(before / MB).toFixed(0)} MB before`
    },
    {
      claim: "log lines of their refusals a second",
      ours: { value: (linesAfter - linesBefore) / seconds, unit: "count" },
      goal: { _tag: "absolute", atMost: 10 }
    },
    {
      claim: "a good key's answer beside them from another address, p99",
      ours: { value: percentile(wrong.own, 0.99), unit: "ms" },
      peer: { name: `beside ${CONNECTIONS} connections of good keys`, value: percentile(good.own, 0.99), unit: "ms" },
      goal: { _tag: "ratio", atMost: 3 },
      note: `a cached list; medians ${percentile(wrong.own, 0.5).toFixed(1)} and ${percentile(good.own, 0.5).toFixed(1)} ms; the peer's load: ${told(good.load)}; limits of keys off; loads share the processors`
    }
  ]
  return claims
}, Effect.scoped)

/** Prints the number of answers per status. **Example** `50 of 401, 12,044 of 429` */
const told = (load: ReadonlyMap<number, number>): string =>
  [...load].map(([status, times]) => `${times.toLocaleString("en-US")} of ${status}`).join(", ")

const decodeCounts = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Natural)))

/** Sends requests with its own key from 127.0.0.2, while another process sends a load from 127.0.0.1. */
const beside = Effect.fnUntraced(function* (url: string, seconds: number, keys: ReadonlyArray<string>) {
  const path = `${url}/api/v1/workloads`
  const child = yield* ChildProcess.make(
    process.execPath,
    ["--conditions=@quarterdeck/source", LOAD, path, String(CONNECTIONS), String(seconds), ...keys],
    { stderr: "inherit" }
  )
  const own = Connections.run({ url: path, localAddress: "127.0.0.2", connections: 1, keyOf: () => OWN_KEY, seconds })
  const answered = yield* Effect.mapError(own, (cause) => new LoadFailed({ problem: cause.message }))
  const counts = yield* decodeCounts(yield* Stream.mkString(Stream.decodeText(child.stdout)))
  const load = new Map(Object.entries(counts).map(([status, times]) => [Number(status), times]))
  return { own: answered.get(200) ?? [], load }
}, Effect.scoped)

const isRefusal = (line: string): boolean => /"message":"requests? refused"|"status":4\d\d/.test(line)

/** Starts the service in a separate process, with two clusters. */
const started = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-limits-" })
  const fleet = yield* Fleet.make({ driver: Embedded.driver, parent: "hub", children: ["prod"] })
  const [kubeconfig, keys, data] = [
    path.join(directory, "kubeconfig"),
    path.join(directory, "keys"),
    path.join(directory, "data")
  ]
  yield* files.writeFileString(kubeconfig, fleet.kubeconfig, { mode: 0o600 })
  const entries = [...GOOD_KEYS, OWN_KEY].map((key) => ({
    name: "viewer",
    hash: createHash("sha256").update(key, "utf8").digest("hex"),
    rule: { role: "Viewer" }
  }))
  yield* files.writeFileString(keys, JSON.stringify(entries), { mode: 0o600 })
  const child = yield* ChildProcess.make(process.execPath, [
    "--conditions=@quarterdeck/source",
    SERVER,
    kubeconfig,
    keys,
    data
  ])
  const url = yield* Ref.make("")
  const refusals = yield* Ref.make(0)
  const linesOf = (output: typeof child.stdout) => output.pipe(Stream.decodeText(), Stream.splitLines)
  yield* Effect.forkScoped(
    Stream.runForEach(Stream.merge(linesOf(child.stdout), linesOf(child.stderr)), (line) => {
      if (line.startsWith("http:")) return Ref.set(url, line)
      return isRefusal(line) ? Ref.update(refusals, (count) => count + 1) : Effect.void
    })
  )
  const address = yield* eventually("the server listens", Ref.get(url), (found) => found !== "", {
    within: "60 seconds"
  })
  yield* eventually(
    "the service is ready",
    Effect.promise(() => fetch(`${address}/readyz`)),
    ({ status }) => status === 200,
    { within: "60 seconds" }
  )
  return {
    url: address,
    refusalLines: Ref.get(refusals),
    residentBytes: Effect.map(
      files.readFileString(`/proc/${child.pid}/status`),
      (text) => Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1] ?? Number.NaN) * KIB
    )
  }
})
