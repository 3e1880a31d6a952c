/**
 * Ledger of the hours and days that count, which are those that reads see. Nothing becomes visible except by a commit
 * to the ledger.
 *
 * Commits are numbered. All rows of a commit appear at once. A writer reads the first `n` commits before it writes commit
 * `n + 1`, and a read as of commit `n` sees exactly the first `n` commits. ClickHouse ensures that each number is used
 * once: it drops the second insertion with the same deduplication token.
 */
import { Effect, Semaphore } from "effect"
import { randomBytes } from "node:crypto"
import type { CostError } from "../../hour/CostError.ts"
import { Damaged, number, text } from "../sqlite/SqlValue.ts"
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../hour/Units.ts"
import { type Client, unavailable } from "./Client.ts"

/** Maximum number of attempts to commit. Each failed attempt means that another process committed. */
const MAX_ATTEMPTS = 200

export type Span = "hour" | "day"
/** **Shape** `folded`: the day is kept only as a daily total, or the hour belongs to such a day. */
export type State = "closed" | "folded" | "gone"

/**
 * Ledger entry of an hour or a day. **Shape** `generation` marks the rows of the hour or day in the other tables.
 * `size` is the number of series of a closed hour, otherwise 0.
 */
export interface Entry {
  readonly cluster: string
  readonly span: Span
  readonly startMs: number
  readonly state: State
  readonly generation: number
  readonly size: number
  readonly knownSeconds: number
}

/** Entries that were prepared as of commit number `last`. */
export interface Seen {
  readonly last: number
  readonly entries: ReadonlyArray<Entry>
}

export interface CommitLog {
  /** Reads the number of the last commit, 0 if there is none. */
  readonly last: (action: string) => Effect.Effect<number, CostError>
  /**
   * Commits the entries that `prepare` returns. Commits nothing if there are none.
   *
   * **Shape** `prepare` gets the number of the last commit, and reads as of that commit. It runs again if another process
   * commits first. If `seen` is given, the first attempt uses its entries instead of calling `prepare`.
   *
   * **Limits** One commit of this process at a time, in the order of calls. 200 attempts.
   */
  readonly commit: (
    action: string,
    prepare: (last: number) => Effect.Effect<ReadonlyArray<Entry>, CostError>,
    seen?: Seen
  ) => Effect.Effect<void, CostError>
  /** Reads the states of hours and days as of a commit. **Limits** Send a bounded list of starts: it is one SQL parameter. */
  readonly standing: (asked: {
    readonly action: string
    readonly last: number
    readonly clusters: ReadonlyArray<string>
    readonly starts: ReadonlyArray<number>
  }) => Effect.Effect<(span: Span, cluster: string, startMs: number) => State | undefined, CostError>
}

/**
 * Returns a random generation number, which marks the rows of one write. **Limits** 53 bits, so that a collision is
 * improbable.
 */
export const generation = (): number => Number(BigInt.asUintN(53, randomBytes(8).readBigUInt64BE()))

/** Returns the seconds since the epoch, clamped to the range of `DateTime`. */
export const secondsOf = (ms: number): number => Math.min(Math.max(Math.floor(ms / SECOND_MS), 0), 0xff_ff_ff_ff)

const COLUMNS = ["cluster", "span", "start", "commit", "state", "generation", "size", "known_seconds"] as const

export const make = Effect.fnUntraced(function* ({ insert, read }: Client) {
  const turn = yield* Semaphore.make(1)

  const last: CommitLog["last"] = (action) =>
    Effect.gen(function* () {
      let found = 0
      yield* read({ action, sql: "SELECT max(commit) FROM ledger" }, ([commit]) => {
        found = number(commit)
      })
      return found
    })

  /** Returns true if the ledger has this commit of this process. A commit that lost the race left no rows. */
  const holds = (action: string, commit: number, { cluster, generation, span, startMs }: Entry) =>
    Effect.gen(function* () {
      let found = false
      const params = { cluster, span, start: secondsOf(startMs), commit, generation }
      const sql = `SELECT generation FROM ledger WHERE cluster = {cluster:String} AND span = {span:String}
        AND start = toDateTime({start:UInt32}) AND commit = {commit:UInt64}`
      yield* read({ action, sql, params }, ([stored]) => {
        found ||= number(stored) === generation
      })
      return found
    })

  const attempt = Effect.fnUntraced(function* (
    action: string,
    prepare: (last: number) => Effect.Effect<ReadonlyArray<Entry>, CostError>,
    seen?: Seen
  ) {
    const look = Effect.gen(function* () {
      const found = yield* last(action)
      return { last: found, entries: yield* prepare(found) }
    })
    for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts++) {
      const { entries, last } = attempts === 0 && seen !== undefined ? seen : yield* look
      const commit = last + 1
      const [first] = entries
      if (first === undefined) return
      const add = insert({
        action,
        table: "ledger",
        columns: COLUMNS,
        token: `commit-${commit}`,
        rows: entries.map((entry) => [
          ...[entry.cluster, entry.span, secondsOf(entry.startMs), commit, entry.state],
          ...[entry.generation, entry.size, entry.knownSeconds]
        ])
      })
      // A failed insertion may have been carried out. The server drops the retry then.
      yield* Effect.retry(add, { times: 2 })
      if (yield* holds(action, commit, first)) return
    }
    return yield* unavailable(action, new Error(`other processes committed first, ${MAX_ATTEMPTS} times in a row`))
  })

  return {
    last,
    commit: (action, prepare, seen) => turn.withPermit(attempt(action, prepare, seen)),
    standing: Effect.fnUntraced(function* ({ action, clusters, last, starts }) {
      const found = new Map<string, State>()
      const keyOf = (span: string, cluster: string, seconds: number) => `${span} ${seconds} ${cluster}`
      const params = { last, clusters, starts: starts.map(secondsOf) }
      const sql = `SELECT span, cluster, toUnixTimestamp(start), argMax(state, commit) FROM ledger
        WHERE cluster IN {clusters:Array(String)} AND toUnixTimestamp(start) IN {starts:Array(UInt32)}
          AND commit <= {last:UInt64}
        GROUP BY span, cluster, start`
      yield* read({ action, sql, params }, ([span, cluster, seconds, state]) => {
        found.set(keyOf(text(span), text(cluster), number(seconds)), stateOf(state))
      })
      return (span, cluster, startMs) => found.get(keyOf(span, cluster, secondsOf(startMs)))
    })
  } satisfies CommitLog
})

export const spanOf = (value: unknown): Span => {
  if (value === "hour" || value === "day") return value
  throw new Damaged("a row of the ledger has an unknown span")
}

export const stateOf = (value: unknown): State => {
  if (value === "closed" || value === "folded" || value === "gone") return value
  throw new Damaged("a row of the ledger has an unknown state")
}

/**
 * A read of a window as of a commit. A daily total belongs to the window that contains the start of the day's last
 * hour.
 */
export interface Asked {
  readonly clusters: ReadonlyArray<string>
  readonly startMs: number
  readonly endMs: number
  readonly last: number
}

/** Returns the parameters of {@link counting}. */
export const paramsOf = ({ clusters, endMs, last, startMs }: Asked) => {
  const toDay = (ms: number) => secondsOf(ms - DAY_MS + HOUR_MS)
  return {
    clusters,
    last,
    from: secondsOf(startMs),
    to: secondsOf(endMs),
    day_from: toDay(startMs),
    day_to: toDay(endMs)
  }
}

/** SQL conditions for the hours of a window, and for its days. */
export const IN_HOURS =
  "cluster IN {clusters:Array(String)} AND start >= toDateTime({from:UInt32}) AND start < toDateTime({to:UInt32})"
export const IN_DAYS =
  "cluster IN {clusters:Array(String)} AND start >= toDateTime({day_from:UInt32}) AND start < toDateTime({day_to:UInt32})"

/** Returns a query, with the given columns, for the ledger entries that count in a window. */
export const counting = (span: Span, columns: string): string =>
  `SELECT ${columns} FROM (
    SELECT cluster, span, start, argMax((state, generation, size, known_seconds), commit) AS found
    FROM ledger
    WHERE span = '${span}' AND ${span === "hour" ? IN_HOURS : IN_DAYS} AND commit <= {last:UInt64}
    GROUP BY cluster, span, start
    HAVING found.1 = '${span === "hour" ? "closed" : "folded"}'
  )`
