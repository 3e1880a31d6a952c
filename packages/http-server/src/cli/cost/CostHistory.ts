/**
 * The history of costs that a server keeps in its data directory, as the local commands find it.
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

/** The flag that names the directory, as `serve` has it. */
export const dataFlag = Flag.String(dataDirectory.flag).pipe(
  Flag.withMetavar(dataDirectory.kind.word),
  Flag.withDescription(
    `Data directory of the server [${variableOf(dataDirectory)}; default ${dataDirectory.initialText ?? "none"}]`
  ),
  Flag.optional
)

/** Names the directory: the flag, else the variable, else the default of the server. */
export const directoryOf = (flag: Option.Option<string>) =>
  Effect.map(Surroundings, ({ variables }) =>
    Option.getOrElse(flag, () => variables[variableOf(dataDirectory)] ?? dataDirectory.initialText ?? ".")
  )

/**
 * Finds the file, so that none is made where there was none.
 *
 * **Errors** `CommandFailure`, also where the variables say that the history is in ClickHouse and no directory is given.
 */
export const find = Effect.fn("CostHistory.find")(function* (flag: Option.Option<string>) {
  const files = yield* FileSystem.FileSystem
  const { join } = yield* Path.Path
  const { FILE_NAME } = yield* sqlite
  const { variables } = yield* Surroundings
  if (Option.isNone(flag) && variables[variableOf(costUrl)] !== undefined) {
    return yield* misused(
      `${variableOf(costUrl)} names a ClickHouse server, which checks its own data; --${dataDirectory.flag} names a directory with a history in SQLite`
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
            ? `no history of costs in ${directory}: name the data directory of the server by --${dataDirectory.flag}`
            : `cannot use ${file}: ${SystemRefusal.print(reason)}`
        )
      )
    )
  return { directory, file }
})

/** The whole package, which is loaded by the commands that work on a history alone: with it, every other would start later. */
export const wholePackage = Effect.promise(() => import("@quarterdeck/cost"))

/** Loaded by the commands that open the file alone, so that the others start sooner. */
export const sqlite = Effect.promise(() => import("@quarterdeck/cost/store/Sqlite"))

/** Tells a failure with the file that it is of. */
export const failure =
  (file: string) =>
  (error: CostError): CommandFailure =>
    failed(`${file}: ${error.message}`)

/** The flags that say where a history is. */
export const storeFlags = {
  data: dataFlag,
  costUrl: Flag.String(costUrl.flag).pipe(
    Flag.withMetavar(costUrl.kind.word),
    Flag.withDescription(
      `ClickHouse server that keeps the history [${variableOf(costUrl)}]; a password stands better in the variable`
    ),
    Flag.optional
  )
}

interface Place {
  readonly data: Option.Option<string>
  readonly costUrl: Option.Option<string>
}

type System = FileSystem.FileSystem | Path.Path

/** A history. **Shape** `use` opens it for as long as some work takes; nobody else has its data directory meanwhile. */
interface History {
  readonly name: string
  readonly use: <A, E, R>(
    work: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | CommandFailure, Exclude<R, CostStore | CostHistories> | System>
}

/** Opens a history that must be there. **Errors** `CommandFailure`. */
export const existing = (place: Place) =>
  open(place, (data) => Effect.map(find(data), ({ directory, file }) => ({ directory, name: file })))

/** Opens a history, and makes one in a directory that has none. **Errors** `CommandFailure`. */
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
 * Has the data directory alone, made where it is missing, until the scope ends.
 *
 * **Errors** `CommandFailure` that names the process of a server which runs there.
 */
const hold = (directory: string) => Effect.mapError(DirectoryLock.forCommand(directory), fromError)

/** Does some work on a data directory that nobody else has meanwhile. **Errors** `CommandFailure` while a server runs. */
export const alone =
  (directory: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.scoped(Effect.andThen(hold(directory), work))

/** Opens the history: by the flag that is given, else the variable of the server, else the directory. */
const open = Effect.fnUntraced(function* <E, R>(
  place: Place,
  directoryOfPlace: (data: Option.Option<string>) => Effect.Effect<{ directory: string; name: string }, E, R>
) {
  const { variables } = yield* Surroundings
  const { CostHistories } = yield* Effect.promise(() => import("@quarterdeck/cost/CostHistories"))
  const withHistories = <A>(stores: Layer.Layer<A | CostStore | HistoryStore, CostError>) =>
    CostHistories.layer.pipe(Layer.provideMerge(stores))
  if (Option.isSome(place.data) && Option.isSome(place.costUrl)) {
    return yield* misused(`--${dataDirectory.flag} and --${costUrl.flag} name two histories: give one`)
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
