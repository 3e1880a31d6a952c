/** Labels of the objects that a run creates in an existing cluster: the run and its owner. */
import { createHash, randomBytes } from "node:crypto"
import { hostname } from "node:os"
import { Clock, Effect } from "effect"
import * as Owner from "../../machine/Owner.ts"
import type { KubeObject } from "../../client/KubeObject.ts"

const DOMAIN = "harness.quarterdeck.dev"
/** The run that created the object. */
export const RUN = `${DOMAIN}/run`
/** The process of the run. */
export const OWNER = `${DOMAIN}/owner`
/** A digest of the machine's name, because process numbers are valid on one machine only. */
export const MACHINE = `${DOMAIN}/machine`
/** Marks objects that the driver needs as long as the run lasts. A reset keeps them. */
export const HOME = `${DOMAIN}/home`

export type Marks = Readonly<Record<string, string>>

const RUN_BYTES = 5
const MACHINE_CHARACTERS = 12

/** Returns a random name for a run, of letters and digits. */
export const newRun: Effect.Effect<string> = Effect.sync(() => randomBytes(RUN_BYTES).toString("hex"))

export const marksOf = (run: string): Effect.Effect<Marks> =>
  Effect.promise(async () => ({ [RUN]: run, [OWNER]: Owner.print(await Owner.self()), [MACHINE]: machine() }))

const machine = (): string => createHash("sha256").update(hostname()).digest("hex").slice(0, MACHINE_CHARACTERS)

/** Returns the label selector for all objects of a run. {@link selectingTests} leaves out those marked {@link HOME}. */
export const selecting = (run: string): string => `${RUN}=${run}`
export const selectingTests = (run: string): string => `${RUN}=${run},!${HOME}`

/**
 * Returns whether an object can be swept: the process of its run is dead, or that process is on another machine and the
 * object is older than `olderThanMs`.
 *
 * An object that lacks one of the labels is never swept.
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
