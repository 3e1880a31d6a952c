/**
 * Fleets that are held for work by hand: what is known of each lies in the user's state directory.
 *
 * **Shape** `<name>.lock` names the process that holds the fleet and is there as long as it does; `<name>.json` tells the
 * rest once the fleet is ready, `<name>.kubeconfig` enters it, `<name>.log` is what a holder in the background says.
 * `<name>.placed` notes where else a kubeconfig lies.
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

/** Names files, so it is short, and the same on every file system. */
export const Name = Schema.String.check(
  Schema.isPattern(/^[a-z0-9][a-z0-9-]{0,62}$/, { message: "small letters, digits and dashes" })
)

/** What a holder tells once its fleet is ready. */
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

/** Who removes what a dead holder left has the name for a moment: a name that is taken is looked at again. */
const SWEEP_EVERY = "50 millis"
const SWEEP_LOOKS = 10

/** A file of a fleet; drafts of these end with the process that writes them. */
const FILE = /^([a-z0-9][a-z0-9-]{0,62})\.(?:lock|json|kubeconfig|log|placed)$/

/** The files of one fleet. */
export interface Files {
  readonly lock: string
  readonly record: string
  readonly kubeconfig: string
  readonly log: string
  /** See {@link PlacedKubeconfig}. */
  readonly placed: string
}

/** One fleet, as its files tell; without a record it is still starting, or ending. */
export interface HeldFleet {
  readonly name: string
  readonly owner: Owner.Owner
  readonly state: "alive" | "dead" | "elsewhere"
  readonly record?: Record
  readonly files: Files
}

/** `${XDG_STATE_HOME:-~/.local/state}/quarterdeck/fleets` */
export const directory: Effect.Effect<string> = Effect.gen(function* () {
  const state = (yield* setting("XDG_STATE_HOME")) ?? join((yield* setting("HOME")) ?? homedir(), ".local", "state")
  return join(state, "quarterdeck", "fleets")
})

/** Names the files of a fleet. */
export const filesOf = (name: string): Effect.Effect<Files> =>
  Effect.map(directory, (root) => ({
    lock: join(root, `${name}.lock`),
    record: join(root, `${name}.json`),
    kubeconfig: join(root, `${name}.kubeconfig`),
    log: join(root, `${name}.log`),
    placed: join(root, `${name}.placed`)
  }))

/**
 * Takes a name for this process and gives it back, with its files, when the scope closes.
 *
 * Gives none when the name is taken now, else the files. What a dead holder of the name left is removed.
 */
export const claim = (name: string): Effect.Effect<Option.Option<Files>, MachineRefused, Scope.Scope> =>
  Effect.gen(function* () {
    const files = yield* filesOf(name)
    const root = yield* directory
    yield* attempt("make the directory of held fleets", () => mkdir(root, { recursive: true, mode: 0o700 }))
    const holder = yield* Effect.acquireRelease(
      attempt("take the fleet's name", () => LockFile.take(files.lock)).pipe(
        Effect.repeat({
          schedule: Schedule.spaced(SWEEP_EVERY),
          times: SWEEP_LOOKS,
          while: (holder) => holder !== undefined
        }),
        inRealTime
      ),
      (holder) =>
        holder === undefined
          ? attempt("give back the fleet's name", () => removeAll(files)).pipe(Effect.orDie)
          : Effect.void
    )
    if (holder !== undefined) return Option.none()
    yield* attempt("remove what an earlier fleet left", () =>
      removeAll({ record: files.record, kubeconfig: files.kubeconfig, placed: files.placed })
    )
    return Option.some(files)
  })

/** Writes what others may know of a fleet; each file is there whole or not at all, and its user's alone. */
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

/** Finds every fleet that is held, or that somebody held until they died. */
export const list: Effect.Effect<ReadonlyArray<HeldFleet>, MachineRefused> = Effect.gen(function* () {
  const root = yield* directory
  const names = yield* attempt("read the directory of held fleets", async () => {
    const entries = await readdir(root).catch(emptyIfAbsent)
    return entries.flatMap((entry) => (entry.endsWith(".lock") ? [entry.slice(0, -".lock".length)] : []))
  })
  const found = yield* Effect.forEach(names.toSorted(), find)
  return found.flatMap((fleet) => Option.toArray(fleet))
})

/** Finds a fleet by its name. */
export const find = Effect.fnUntraced(function* (
  name: string
): Effect.fn.Return<Option.Option<HeldFleet>, MachineRefused> {
  const files = yield* filesOf(name)
  const owner = yield* attempt("read who holds a fleet", () => LockFile.ownerOf(files.lock))
  if (owner === undefined) return Option.none()
  const state = yield* attempt("look at who holds a fleet", () => Owner.stateOf(owner))
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
 * Removes what dead holders left, and names their fleets.
 *
 * **Limits** a fleet's files go through its lock alone, so those of a holder that comes meanwhile stay.
 */
export const sweep: Effect.Effect<ReadonlyArray<string>, MachineRefused> = Effect.gen(function* () {
  const root = yield* directory
  const entries = yield* attempt("read the directory of held fleets", () => readdir(root).catch(emptyIfAbsent))
  yield* Effect.forEach(entries, (entry) => attempt("remove a dead process's draft", () => sweepDraft(root, entry)))
  const names = new Set(entries.flatMap((entry) => FILE.exec(entry)?.[1] ?? []))
  return yield* Effect.filter([...names].toSorted(), clear)
})

/** Removes the files of a fleet that nobody holds, and says whether there were any to remove. */
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

/** The lock goes last: who finds no lock finds nothing else either. A note goes after what it speaks of. */
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
