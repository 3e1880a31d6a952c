/**
 * What three embedded clusters full of pods take in memory, everything included: Node, the harness, the seed.
 */
import { Console, Effect, Schema } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { fileURLToPath } from "node:url"
import type { Claim } from "../Claim.ts"
import type { Extent } from "../Suite.ts"

const PROBE = fileURLToPath(new URL("../harnessMemory.ts", import.meta.url))
const PODS = 5_000
const QUICK_PODS = 1_000
const GOAL_MB = 400
const BYTES_PER_MB = 1_000_000

const decode = Schema.decodeEffect(
  Schema.fromJsonString(Schema.Struct({ rssBytes: Schema.Natural, pods: Schema.Natural }))
)

const measure = Effect.fnUntraced(function* (pods: number) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const text = yield* spawner.string(
    ChildProcess.make(process.execPath, ["--conditions=source", "--expose-gc", PROBE, String(pods)])
  )
  return yield* decode(text)
})

export const memory = Effect.fnUntraced(function* ({ quick }: Extent) {
  const pods = quick ? QUICK_PODS : PODS
  yield* Console.error(`memory of three embedded clusters with ${pods} pods each`)
  const empty = yield* measure(1)
  const full = yield* measure(pods)
  return {
    claim: `three embedded clusters with ${pods} pods each, RSS`,
    ours: { value: full.rssBytes / BYTES_PER_MB, unit: "MB" },
    peer: { name: "the same with almost none", value: empty.rssBytes / BYTES_PER_MB, unit: "MB" },
    goal: { _tag: "absolute", atMost: GOAL_MB },
    note: `${full.pods} pods in all`
  } satisfies Claim
})
