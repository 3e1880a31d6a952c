/**
 * The private directory of one cluster, and the removal of those whose owners died without removing them.
 *
 * A directory's name says which process owns it, so that no moment exists in which it has no owner. Beside the data it
 * holds the file `programs`, one process number a line, so that the next start can end what a dead owner left running. A program
 * whose owner was killed before it could note it is known by a variable that it was started with.
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
  /** Notes a program that runs for this directory; its command line must name the directory. */
  readonly note: (pid: number) => Effect.Effect<void, MachineRefused>
}

const PROGRAMS = "programs"
const VARIABLE = "QUARTERDECK_HARNESS_DIRECTORY"

/** What a program of a directory is to be started with, so that it is found whenever its owner dies. */
export const variableOf = (path: string): Readonly<Record<string, string>> => ({ [VARIABLE]: path })

/** The owner, then what makes the name the only one. */
const NAME = /^([0-9]+_[A-Za-z0-9-]+_[A-Za-z0-9]+)_[^_]+$/

/**
 * Makes a directory that only this user can read, and removes it with the scope.
 *
 * **Limits** first sweeps what dead owners left; `root` defaults to a directory of this user in the temporary directory.
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
 * Ends the programs and removes the directories of owners that no longer run; gives the directories' names.
 *
 * **Limits** touches only processes whose command line names the directory they were noted in, or that were started with
 * {@link variableOf} it, and only directories made in the same process namespace.
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

/** A program that is just being killed may still create a file, so a directory that fills up again is tried anew. */
const remove = (path: string): Promise<void> =>
  rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })

const prepare = async (root: string): Promise<void> => {
  await mkdir(root, { recursive: true, mode: 0o700 })
  const found = await lstat(root)
  const uid = process.getuid?.()
  // The temporary directory is open to everyone: somebody else's directory or link of this name would read our tokens.
  if (!found.isDirectory() || (uid !== undefined && found.uid !== uid)) {
    throw new Error(`${root} belongs to somebody else`)
  }
}

/** Short, because the sockets in it lie deep and the system takes no more than about 100 characters. */
export const defaultRoot: Effect.Effect<string> = Effect.map(setting("TMPDIR"), (temporary) =>
  join(temporary ?? "/tmp", `quarterdeck-${process.getuid?.() ?? "user"}`)
)

const emptyIfAbsent = (cause: unknown): Array<string> => {
  if (cause instanceof Error && "code" in cause && cause.code === "ENOENT") return []
  throw cause
}
