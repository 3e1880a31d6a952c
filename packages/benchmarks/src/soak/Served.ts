/**
 * The service in a separate process, for soaks, with an HTTP client and its heap size.
 */
import { eventually } from "@quarterdeck/harness"
import { Effect, FileSystem, Path, Ref, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { createHash } from "node:crypto"
import { fileURLToPath } from "node:url"

const SERVER = fileURLToPath(new URL("../chaosServer.ts", import.meta.url))
const KEY = "soak-admin-0123456789"
/** Timeout of a request. Longer than the longest deadline that the service allows. */
const ANSWERED_WITHIN = "60 seconds"

/** Starts the service with one unscoped key. */
export const start = Effect.fnUntraced(function* (kubeconfig: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-soak-" })
  const [config, keys] = [path.join(directory, "kubeconfig"), path.join(directory, "keys")]
  yield* files.writeFileString(config, kubeconfig, { mode: 0o600 })
  const hash = createHash("sha256").update(KEY, "utf8").digest("hex")
  yield* files.writeFileString(keys, JSON.stringify([{ name: "soak", hash, rule: { role: "Admin" } }]), { mode: 0o600 })
  const child = yield* ChildProcess.make(
    process.execPath,
    ["--conditions=@quarterdeck/source", "--expose-gc", SERVER, config, keys, path.join(directory, "data")],
    { stderr: "inherit" }
  )
  const url = yield* Ref.make("")
  const heaps = yield* Ref.make<ReadonlyArray<number>>([])
  yield* Effect.forkScoped(
    Stream.runForEach(child.stdout.pipe(Stream.decodeText(), Stream.splitLines), (line) => {
      if (line.startsWith("http:")) return Ref.set(url, line)
      const heap = /^heap (\d+)$/.exec(line)?.[1]
      return heap === undefined ? Effect.void : Ref.update(heaps, (before) => [...before, Number(heap)])
    })
  )
  const address = yield* eventually("the server listens", Ref.get(url), (found) => found !== "", {
    within: "60 seconds"
  })
  const ask = (target: string, headers: Readonly<Record<string, string>> = {}) =>
    Effect.tryPromise(async (signal) => {
      const reply = await fetch(`${address}${target}`, {
        headers: { ...headers, authorization: `Bearer ${KEY}` },
        signal
      })
      return { status: reply.status, text: await reply.text() }
    }).pipe(Effect.timeout(ANSWERED_WITHIN))
  yield* eventually("the service is ready", ask("/readyz"), ({ status }) => status === 200, { within: "120 seconds" })
  return {
    ask,
    /** Collects garbage and returns the heap size. **Units** bytes. */
    heap: Effect.gen(function* () {
      const before = (yield* Ref.get(heaps)).length
      process.kill(child.pid, "SIGUSR2")
      const seen = yield* eventually("the server tells its heap", Ref.get(heaps), ({ length }) => length > before, {
        within: "30 seconds"
      })
      return seen.at(-1) ?? Number.NaN
    })
  }
})

export type Served = Effect.Success<ReturnType<typeof start>>
