/**
 * Memory of three embedded clusters full of pods, including Node, the published build of the harness and the seed.
 */
import { Console, Effect, FileSystem, Schema } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { stripTypeScriptTypes } from "node:module"
import { fileURLToPath } from "node:url"
import type { Claim } from "../claim/Claim.ts"
import type { Extent, Part } from "../claim/Suite.ts"
import * as PodsMissing from "./podsMissing.ts"

const PACKAGE = fileURLToPath(new URL("../../", import.meta.url))
const PROBE = fileURLToPath(new URL("../harnessMemory.ts", import.meta.url))
const CLUSTERS = 3
const PODS = 5_000
/** Minimum number of workloads of a seed. */
const FEWEST_PODS = 3
const QUICK_PODS = 1_000
const GOAL_MB = 400
const BYTES_PER_MB = 1_000_000

const decode = Schema.decodeEffect(
  Schema.fromJsonString(Schema.Struct({ rssBytes: Schema.Natural, pods: Schema.Natural }))
)

/** Builds the harness and the probe. Node's own type stripping would take 30 MB in the measured process. */
const built = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  yield* spawner.string(ChildProcess.make("tsc", ["-b", "../../harness"], { cwd: PACKAGE }))
  const directory = yield* files.makeTempDirectoryScoped({ directory: PACKAGE, prefix: ".probe-" })
  const probe = `${directory}/harnessMemory.mjs`
  yield* files.writeFileString(probe, stripTypeScriptTypes(yield* files.readFileString(PROBE)))
  return probe
})

const measure = Effect.fnUntraced(function* (probe: string, pods: number, flags: ReadonlyArray<string>) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const text = yield* spawner.string(
    ChildProcess.make(process.execPath, [...flags, "--expose-gc", probe, String(pods)])
  )
  const measured = yield* decode(text)
  yield* PodsMissing.check({ asked: CLUSTERS * pods, found: measured.pods })
  return measured
})

/** Flags of two runs: by default, V8 lets its heap grow while memory is free; a flag limits this. */
const SETTINGS = [
  { name: "V8 as it is", flags: [] },
  { name: "node --optimize-for-size", flags: ["--optimize-for-size"] }
] as const

const measureAll = Effect.fnUntraced(function* ({ quick }: Extent) {
  const pods = quick ? QUICK_PODS : PODS
  const probe = yield* built
  return yield* Effect.forEach(SETTINGS, ({ flags, name }) =>
    Effect.gen(function* () {
      yield* Console.error(`memory of three embedded clusters with ${pods} pods each, ${name}`)
      const empty = yield* measure(probe, FEWEST_PODS, flags)
      const full = yield* measure(probe, pods, flags)
      return {
        claim: `three embedded clusters with ${pods} pods each, RSS, ${name}`,
        ours: { value: full.rssBytes / BYTES_PER_MB, unit: "MB" },
        peer: { name: "the same with almost none", value: empty.rssBytes / BYTES_PER_MB, unit: "MB" },
        goal: { _tag: "absolute", atMost: GOAL_MB },
        note: `${full.pods} pods counted in all, seeded in the same process`
      } satisfies Claim
    })
  )
})

export const memory: Part = { name: "memory, embedded", measure: measureAll }
