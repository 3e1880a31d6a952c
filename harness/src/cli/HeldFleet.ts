/**
 * Fleets that processes hold for manual work. The files of each are in the user's state directory.
 *
 * **Shape** `<name>.lock` names the process that holds the fleet, and exists as long as the fleet. `<name>.json` has
 * the connection data once the fleet is ready. `<name>.kubeconfig` is its kubeconfig, `<name>.log` the log of a
 * background process. `<name>.placed` records a kubeconfig written elsewhere.
 */
import { mkdir, readdir, readFile, rm } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { Effect, Option, Schedule, Schema, type Scope } from "effect"
import { FleetConnection } from "../fleet/FleetConnection.ts"
import type { MachineRefused } from "../machine/HarnessError.ts"
import * as LockFile from "../machine/LockFile.ts"
import { attempt, inRealTime, setting } from "../machine/Machine.ts"
import * as Owner from "../machine/Owner.ts"
import * as WholeFile from "../machine/WholeFile.ts"
import * as PlacedKubeconfig from "./PlacedKubeconfig.ts"

/** Name of a fleet. File names contain it, so it is short and valid on every file system. */
export const Name = Schema.String.check(
  Schema.isPattern(/^[a-z0-9][a-z0-9-]{0,62}$/, { message: "lower-case letters, digits and dashes" })
)

/** The data of a ready fleet. */
const Record = Schema.Struct({
  version: Schema.Literal(1),
  driver: Schema.String,
  /** ISO 8601, UTC. */
  readyAt: Schema.String,
  handle: FleetConnection
})
export type Record = typeof Record.Type

const decodeRecord = Schema.decodeUnknownOption(Schema.fromJsonString(Record))
const encodeRecord = Schema.encodeEffect(Schema.fromJsonString(Record))

/**
 * Interval and number of retries of a claim. A sweep, which removes the files of dead holders, briefly locks their
 * names.
 */
const SWEEP_EVERY = "50 millis"
const SWEEP_RETRIES = 10

/** Name of a file of a fleet. Names of drafts have a suffix with their owner. */
const FILE = /^([a-z0-9][a-z0-9-]{0,62})\.(?:lock|json|kubeconfig|log|placed)$/

/** Paths of the files of one fleet. */
export interface Files {
  readonly lock: string
  readonly record: string
  readonly kubeconfig: string
  readonly log: string
  /** See {@link PlacedKubeconfig}. */
  readonly placed: string
}

/** A fleet, as its files describe it. Without a record it is starting or stopping. */
export interface HeldFleet {
  readonly name: string
  readonly owner: Owner.Owner
  readonly state: "alive" | "dead" | "elsewhere"
  readonly record?: Record
  readonly files: Files
}

/** Returns `${XDG_STATE_HOME:-~/.local/state}/quarterdeck/fleets`. */
export const directory: Effect.Effect<string> = Effect.gen(function* () {
  const state = (yield* setting("XDG_STATE_HOME")) ?? join((yield* setting("HOME")) ?? homedir(), ".local", "state")
  return join(state, "quarterdeck", "fleets")
})

/** Returns the paths of a fleet's files. */
export const filesOf = (name: string): Effect.Effect<Files> =>
  Effect.map(directory, (root) => ({
    lock: join(root, `${name}.lock`),
    record: join(root, `${name}.json`),
    kubeconfig: join(root, `${name}.kubeconfig`),
    log: join(root, `${name}.log`),
    placed: join(root, `${name}.placed`)
  }))

/**
 * Claims a name for this process. Closing the scope removes the fleet's files and releases the name.
 *
 * Returns None if another process holds the name. Removes the files of a dead holder.
 */
export const claim = (name: string): Effect.Effect<Option.Option<Files>, MachineRefused, Scope.Scope> =>
  Effect.gen(function* () {
    const files = yield* filesOf(name)
    const root = yield* directory
    yield* attempt("create the directory of held fleets", () => mkdir(root, { recursive: true, mode: 0o700 }))
    const holder = yield* Effect.acquireRelease(
      attempt("claim the fleet's name", () => LockFile.take(files.lock)).pipe(
        Effect.repeat({
          schedule: Schedule.spaced(SWEEP_EVERY),
          times: SWEEP_RETRIES,
          while: (holder) => holder !== undefined
        }),
        inRealTime
      ),
      (holder) =>
        holder === undefined
          ? attempt("release the fleet's name", () => removeAll(files)).pipe(Effect.orDie)
          : Effect.void
    )
    if (holder !== undefined) return Option.none()
    yield* attempt("remove the files of an earlier fleet", () =>
      removeAll({ record: files.record, kubeconfig: files.kubeconfig, placed: files.placed })
    )
    return Option.some(files)
  })

/**
 * Writes the files by which other processes find a fleet. Each is written atomically and readable only by this user.
 */
export const publish = Effect.fnUntraced(function* (
  files: Files,
  kubeconfig: string,
  record: Omit<Record, "version">
): Effect.fn.Return<void, MachineRefused> {
  const text = yield* Effect.orDie(encodeRecord({ version: 1, ...record }))
  yield* attempt("write the fleet's files", async () => {
    await WholeFile.write(files.kubeconfig, kubeconfig)
    await WholeFile.write(files.record, text)
  })
})

/** Returns every fleet with a lock file, including those of dead processes. */
export const list: Effect.Effect<ReadonlyArray<HeldFleet>, MachineRefused> = Effect.gen(function* () {
  const root = yield* directory
  const names = yield* attempt("read the directory of held fleets", async () => {
    const entries = await readdir(root).catch(emptyIfAbsent)
    return entries.flatMap((entry) => (entry.endsWith(".lock") ? [entry.slice(0, -".lock".length)] : []))
  })
  const found = yield* Effect.forEach(names.toSorted(), find)
  return found.flatMap((fleet) => Option.toArray(fleet))
})

/** Returns the fleet of that name. */
export const find = Effect.fnUntraced(function* (
  name: string
): Effect.fn.Return<Option.Option<HeldFleet>, MachineRefused> {
  const files = yield* filesOf(name)
  const owner = yield* attempt("read the holder of a fleet", () => LockFile.ownerOf(files.lock))
  if (owner === undefined) return Option.none()
  const state = yield* attempt("check the holder of a fleet", () => Owner.stateOf(owner))
  const text = yield* attempt("read a fleet's record", () => readFile(files.record, "utf8").catch(() => ""))
  const record = decodeRecord(text)
  return Option.some({
    name,
    owner,
    state,
    files,
    ...Option.match(record, { onNone: () => ({}), onSome: (record) => ({ record }) })
  })
})

/**
 * Removes the files of dead holders. Returns the names of their fleets.
 *
 * **Limits** takes a fleet's lock first, so the files of a new holder are safe.
 */
export const sweep: Effect.Effect<ReadonlyArray<string>, MachineRefused> = Effect.gen(function* () {
  const root = yield* directory
  const entries = yield* attempt("read the directory of held fleets", () => readdir(root).catch(emptyIfAbsent))
  yield* Effect.forEach(entries, (entry) => attempt("remove a dead process's draft", () => sweepDraft(root, entry)))
  const names = new Set(entries.flatMap((entry) => FILE.exec(entry)?.[1] ?? []))
  return yield* Effect.filter([...names].toSorted(), clear)
})

/** Removes the files of a fleet without a living holder. Returns false if another process holds it. */
export const clear = Effect.fnUntraced(function* (name: string): Effect.fn.Return<boolean, MachineRefused> {
  const files = yield* filesOf(name)
  return yield* attempt("remove a dead fleet's files", async () => {
    const owner = await LockFile.ownerOf(files.lock)
    if (owner !== undefined && (await Owner.stateOf(owner)) !== "dead") return false
    if ((await LockFile.take(files.lock)) !== undefined) return false
    try {
      const { lock: _, ...others } = files
      await removeAll(others)
    } finally {
      await LockFile.release(files.lock)
    }
    return true
  }).pipe(Effect.uninterruptible)
})

const sweepDraft = async (root: string, entry: string): Promise<void> => {
  const owner = FILE.test(entry) ? undefined : Owner.parse(entry)
  if (owner === undefined || (await Owner.stateOf(owner)) !== "dead") return
  await rm(join(root, entry), { force: true })
}

/**
 * The lock is removed last: without a lock there are no other files. The record of a placed kubeconfig is removed after
 * that kubeconfig.
 */
const removeAll = async (files: Partial<Files>): Promise<void> => {
  if (files.placed !== undefined) await PlacedKubeconfig.removeLeft(files.placed)
  for (const path of [files.record, files.kubeconfig, files.log, files.placed, files.lock]) {
    if (path !== undefined) await rm(path, { force: true })
  }
}

const emptyIfAbsent = (cause: unknown): Array<string> => {
  if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return []
  throw cause
}
