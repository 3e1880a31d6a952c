/**
 * The labels of everything that a run makes in a cluster of others: whose it is, and whether anybody still needs it.
 */
import { createHash, randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { Clock, Effect } from "effect"
import * as Owner from "../../machine/Owner.ts"
import type { KubeObject } from "../../client/KubeObject.ts"

const DOMAIN = "harness.quarterdeck.dev"
/** The run that made it. */
export const RUN = `${DOMAIN}/run`
/** The process of the run. */
export const OWNER = `${DOMAIN}/owner`
/** A digest of the machine's name: process numbers mean nothing on another one. */
export const MACHINE = `${DOMAIN}/machine`
/** What the driver itself needs as long as the run lasts; a reset leaves it. */
export const HOME = `${DOMAIN}/home`

export type Marks = Readonly<Record<string, string>>

const RUN_BYTES = 5
const MACHINE_CHARACTERS = 12

/** The name of a new run: letters and digits, so that it can stand in names. */
export const newRun: Effect.Effect<string> = Effect.sync(() => randomBytes(RUN_BYTES).toString("hex"))

export const marksOf = (run: string): Effect.Effect<Marks> =>
  Effect.promise(async () => ({ [RUN]: run, [OWNER]: Owner.print(await Owner.self()), [MACHINE]: machine() }))

const machine = (): string => createHash("sha256").update(hostname()).digest("hex").slice(0, MACHINE_CHARACTERS)

/** Selects everything of a run, or only what its tests made. */
export const selecting = (run: string): string => `${RUN}=${run}`
export const selectingTests = (run: string): string => `${RUN}=${run},!${HOME}`

/**
 * Whether nobody needs an object any more: the process that made it is dead, or cannot be seen from here and the object
 * is older than `olderThanMs`.
 *
 * What lacks one of the marks is nobody's leftover.
 */
export const isLeftover = Effect.fnUntraced(function* (object: KubeObject, olderThanMs: number) {
  const labels = object.metadata.labels ?? {}
  const owner = Owner.parse(labels[OWNER] ?? "")
  if (labels[RUN] === undefined || owner === undefined) return false
  const state = labels[MACHINE] === machine() ? yield* Effect.promise(() => Owner.stateOf(owner)) : "elsewhere"
  if (state !== "elsewhere") return state === "dead"
  const created = Date.parse(String(object.metadata["creationTimestamp"]))
  return (yield* Clock.currentTimeMillis) - created > olderThanMs
})
