/**
 * The private directory of one cluster, and the removal of directories whose owners died.
 *
 * A directory's name contains its owner, so every directory has a known owner. The file `programs` in it lists the
 * numbers of the cluster's processes, one per line; the next start kills those that a dead owner left running. A
 * process that the owner could not list before its death is found by an environment variable.
 */
import { appendFileSync } from "node:fs"
import { lstat, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { MachineRefused } from "./HarnessError.ts"
import { attempt, attemptSync, setting } from "./Machine.ts"
import * as Owner from "./Owner.ts"
import { commandOf, signalGroup, startedWith } from "./Processes.ts"

export interface Workspace {
  readonly path: string
  /** Records a program of this directory. Its command line must contain the directory's name. */
  readonly note: (pid: number) => Effect.Effect<void, MachineRefused>
}

const PROGRAMS = "programs"
const VARIABLE = "QUARTERDECK_HARNESS_DIRECTORY"

/** Returns the environment variable by which a sweep finds the programs of a directory. */
export const variableOf = (path: string): Readonly<Record<string, string>> => ({ [VARIABLE]: path })

/** Name of a directory: the owner, then a unique suffix. */
const NAME = /^([0-9]+_[A-Za-z0-9-]+_[A-Za-z0-9]+)_[^_]+$/

/**
 * Creates a directory that only this user can read. Closing the scope removes it.
 *
 * **Limits** first sweeps the directories of dead owners. `root` defaults to this user's directory in the temporary
 * directory.
 */
export const make = (root?: string): Effect.Effect<Workspace, MachineRefused, Scope.Scope> =>
  Effect.gen(function* () {
    const home = root ?? (yield* defaultRoot)
    yield* attempt("prepare the directory of all clusters", () => prepare(home))
    yield* sweep(home)
    const path = yield* Effect.acquireRelease(
      attempt("create a cluster's directory", async () => mkdtemp(join(home, `${Owner.print(await Owner.self())}_`))),
      (path) => attempt("remove a cluster's directory", () => remove(path)).pipe(Effect.orDie)
    )
    return {
      path,
      note: (pid) => attemptSync("note a program", () => appendFileSync(join(path, PROGRAMS), `${pid}\n`))
    }
  })

/**
 * Kills the programs and removes the directories of dead owners. Returns the names of the directories.
 *
 * **Limits** kills only processes whose command line names the directory that lists them, or that were started with its
 * {@link variableOf}. Removes only directories of the same process namespace.
 */
export const sweep = (root: string): Effect.Effect<ReadonlyArray<string>, MachineRefused> =>
  attempt("sweep what ended runs left", async () => {
    const swept: Array<string> = []
    for (const name of await readdir(root).catch(emptyIfAbsent)) {
      const owner = Owner.parse(NAME.exec(name)?.[1] ?? "")
      if (owner === undefined || (await Owner.stateOf(owner)) !== "dead") continue
      await endPrograms(join(root, name), name)
      await remove(join(root, name))
      swept.push(name)
    }
    return swept
  })

const endPrograms = async (path: string, name: string): Promise<void> => {
  const noted = await readFile(join(path, PROGRAMS), "utf8").catch(() => "")
  for (const line of noted.split("\n")) {
    const pid = Number(line)
    if (line === "" || !Number.isSafeInteger(pid) || pid <= 1) continue
    if ((await commandOf(pid))?.includes(name)) signalGroup(pid, "SIGKILL")
  }
  for (const pid of await startedWith(`${VARIABLE}=${path}`)) signalGroup(pid, "SIGKILL")
}

/**
 * Removes a directory. A program that is being killed may still create a file, so the removal is retried, up to 20
 * times.
 */
const remove = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })

const prepare = async (root: string): Promise<void> => {
  await mkdir(root, { recursive: true, mode: 0o700 })
  const found = await lstat(root)
  const uid = process.getuid?.()
  // Every user can write to the temporary directory. A directory or link of this name that another user made could
  // expose the tokens.
  if (!found.isDirectory() || (uid !== undefined && found.uid !== uid)) {
    throw new Error(`${root} belongs to another user or is not a directory`)
  }
}

/**
 * Default directory of all workspaces. Its path is short, because the paths of Unix sockets below it must not exceed
 * about 100 characters.
 */
export const defaultRoot: Effect.Effect<string> = Effect.map(setting("TMPDIR"), (temporary) =>
  join(temporary ?? "/tmp", `quarterdeck-${process.getuid?.() ?? "user"}`)
)

const emptyIfAbsent = (cause: unknown): Array<string> => {
  if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return []
  throw cause
}
