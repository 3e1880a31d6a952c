/**
 * Opens a server's cost history for local commands.
 */
import type { CostError } from "@quarterdeck/cost/CostError"
import type { CostHistories } from "@quarterdeck/cost/CostHistories"
import type { CostStore } from "@quarterdeck/cost/CostStore"
import type { HistoryStore } from "@quarterdeck/cost/HistoryStore"
import { Effect, FileSystem, Layer, Option, Path, type Scope } from "effect"
import { Flag } from "effect/cli"
import * as CostKind from "../../settings/CostKind.ts"
import * as Kind from "../../settings/Kind.ts"
import { Surroundings } from "../../settings/Surroundings.ts"
import { table } from "../../settings/Table.ts"
import { variableOf } from "../../settings/Variables.ts"
import * as DirectoryLock from "../../services/DirectoryLock.ts"
import * as SystemRefusal from "../../settings/SystemRefusal.ts"
import { type CommandFailure, failed, fromError, misused } from "../print/CommandFailure.ts"

const { costUrl, dataDirectory } = table

/** The `--data` flag, as in `serve`. */
export const dataFlag = Flag.String(dataDirectory.flag).pipe(
  Flag.withMetavar(dataDirectory.kind.word),
  Flag.withDescription(
    `Data directory of the server [${variableOf(dataDirectory)}; default ${dataDirectory.initialText ?? "none"}]`
  ),
  Flag.optional
)

/** Returns the directory from the flag, else from the environment variable, else the server's default. */
export const directoryOf = (flag: Option.Option<string>) =>
  Effect.map(Surroundings, ({ variables }) =>
    Option.getOrElse(flag, () => variables[variableOf(dataDirectory)] ?? dataDirectory.initialText ?? ".")
  )

/**
 * Finds the file of a history in SQLite. Does not create one.
 *
 * **Errors** `CommandFailure`, also if the environment names a ClickHouse server and no directory is given.
 */
export const find = Effect.fn("CostHistory.find")(function* (flag: Option.Option<string>) {
  const files = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const { FILE_NAME } = yield* sqlite
  const { variables } = yield* Surroundings
  if (Option.isNone(flag) && variables[variableOf(costUrl)] !== undefined) {
    return yield* misused(
      `${variableOf(costUrl)} names a ClickHouse server, which checks its own data; use --${dataDirectory.flag} for a history in SQLite`
    )
  }
  const directory = yield* directoryOf(flag)
  const file = join(directory, FILE_NAME)
  yield* files
    .access(file, { readable: true, writable: true })
    .pipe(
      Effect.mapError(({ reason }) =>
        failed(
          reason._tag === "NotFound"
            ? `no cost history in ${directory}: name the server's data directory with --${dataDirectory.flag}`
            : `cannot use ${file}: ${SystemRefusal.print(reason)}`
        )
      )
    )
  return { directory, file }
})

/** Loads the whole cost package. Only commands on a history load it, so that others start faster. */
export const wholePackage = Effect.promise(() => import("@quarterdeck/cost"))

/** Loads the SQLite store. Only commands on its file load it, so that others start faster. */
export const sqlite = Effect.promise(() => import("@quarterdeck/cost/store/Sqlite"))

/** Makes a failure that names the file. */
export const failure =
  (file: string) =>
  (error: CostError): CommandFailure =>
    failed(`${file}: ${error.message}`)

/** The flags that locate a history. */
export const storeFlags = {
  data: dataFlag,
  costUrl: Flag.String(costUrl.flag).pipe(
    Flag.withMetavar(costUrl.kind.word),
    Flag.withDescription(
      `ClickHouse server that keeps the history [${variableOf(costUrl)}]; use the variable for a password`
    ),
    Flag.optional
  )
}

interface Place {
  readonly data: Option.Option<string>
  readonly costUrl: Option.Option<string>
}

type System = FileSystem.FileSystem | Path.Path

/** A history. **Shape** `use` opens the history while `work` runs, and holds the lock of its data directory. */
interface History {
  readonly name: string
  readonly use: <A, E, R>(
    work: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | CommandFailure, Exclude<R, CostStore | CostHistories> | System>
}

/** Returns an existing history. **Errors** `CommandFailure` if there is none. */
export const existing = (place: Place) =>
  open(place, (data) => Effect.map(find(data), ({ directory, file }) => ({ directory, name: file })))

/** Returns a history, which `use` creates in a directory that has none. **Errors** `CommandFailure`. */
export const wanted = (place: Place) =>
  open(place, (data) => Effect.map(directoryOf(data), (directory) => ({ directory, name: directory })))

const opened = (
  name: string,
  layer: Layer.Layer<CostStore | CostHistories, CostError>,
  before: Effect.Effect<void, CommandFailure, System | Scope.Scope> = Effect.void
): History => ({
  name,
  use: (work) =>
    Effect.scoped(
      Effect.andThen(before, Effect.mapError(Layer.build(layer), failure(name))).pipe(
        Effect.flatMap((services) => Effect.provideContext(work, services))
      )
    )
})

/**
 * Locks the data directory until the scope ends. Creates a missing directory.
 *
 * **Errors** `CommandFailure` with the process id of a server that uses the directory.
 */
const hold = (directory: string) => Effect.mapError(DirectoryLock.forCommand(directory), fromError)

/** Runs work while the data directory is locked. **Errors** `CommandFailure` while a server uses the directory. */
export const alone =
  (directory: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.scoped(Effect.andThen(hold(directory), work))

/** Locates the history: by the given flag, else by the ClickHouse address in the environment, else by the directory. */
const open = Effect.fnUntraced(function* <E, R>(
  place: Place,
  directoryOfPlace: (data: Option.Option<string>) => Effect.Effect<{ directory: string; name: string }, E, R>
) {
  const { variables } = yield* Surroundings
  const { CostHistories } = yield* Effect.promise(() => import("@quarterdeck/cost/CostHistories"))
  const withHistories = <A>(stores: Layer.Layer<A | CostStore | HistoryStore, CostError>) =>
    CostHistories.layer.pipe(Layer.provideMerge(stores))
  if (Option.isSome(place.data) && Option.isSome(place.costUrl)) {
    return yield* misused(`--${dataDirectory.flag} and --${costUrl.flag} cannot be used together`)
  }
  const variable = Option.isSome(place.data) ? undefined : variables[variableOf(costUrl)]
  const address = Option.getOrElse(place.costUrl, () => variable)
  if (address === undefined) {
    const { directory, name } = yield* directoryOfPlace(place.data)
    const { layerSqlite } = yield* sqlite
    return opened(name, withHistories(layerSqlite({ directory, isAlone: true })), hold(directory))
  }
  const url = Kind.decode(CostKind.storeAddress.fromText, address)
  if (Option.isNone(url)) {
    const source = Option.isSome(place.costUrl) ? `--${costUrl.flag}` : variableOf(costUrl)
    return yield* misused(`${source} must be ${CostKind.storeAddress.allowed}`)
  }
  const { layerClickHouse } = yield* Effect.promise(() => import("@quarterdeck/cost/store/ClickHouse"))
  return opened("ClickHouse", withHistories(layerClickHouse({ url: url.value })))
})
