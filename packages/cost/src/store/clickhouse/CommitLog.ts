/**
 * Says which hours count: the one place where anything becomes visible.
 *
 * Commits are numbered, each number is taken once, and all rows of a commit appear at once: whoever adds number `n + 1`
 * has seen all that the first `n` say, and whoever reads as of `n` sees neither more nor less. The server holds it: of
 * two insertions under one token it drops the second.
 */
import { Effect, Semaphore } from "effect"
import { randomBytes } from "node:crypto"
import type { CostError } from "../../hour/CostError.ts"
import { Damaged, number, text } from "../sqlite/SqlValue.ts"
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../hour/Units.ts"
import { type Client, unavailable } from "./Client.ts"

/** Other programs may be faster this many times; each time one of them has got on. */
const MAX_ATTEMPTS = 200

export type Span = "hour" | "day"
/** `folded` is an hour that is kept within its day only, or that day. */
export type State = "closed" | "folded" | "gone"

/** What holds of an hour or a day. **Shape** `size` counts its series, where they are to be read one by one. */
export interface Entry {
  readonly cluster: string
  readonly span: Span
  readonly startMs: number
  readonly state: State
  readonly generation: number
  readonly size: number
  readonly knownSeconds: number
}

/** Entries that are right as of a commit. */
export interface Seen {
  readonly last: number
  readonly entries: ReadonlyArray<Entry>
}

export interface CommitLog {
  /** The number of the last commit, 0 where there is none. */
  readonly last: (action: string) => Effect.Effect<number, CostError>
  /**
   * Adds a commit of what `prepare` gives.
   *
   * **Shape** `prepare` is told the last commit, looks at what holds as of it, and is asked again whenever another
   * program was faster; nothing is added where it gives nothing. Who has looked already says as of which commit, in
   * `seen`, and is not asked before the first attempt.
   *
   * **Limits** one commit of this program at a time, in the order of calls.
   */
  readonly commit: (
    action: string,
    prepare: (last: number) => Effect.Effect<ReadonlyArray<Entry>, CostError>,
    seen?: Seen
  ) => Effect.Effect<void, CostError>
  /** What holds as of a commit, of some hours and days that may be none. **Limits** a bound list of instants. */
  readonly standing: (asked: {
    readonly action: string
    readonly last: number
    readonly clusters: ReadonlyArray<string>
    readonly starts: ReadonlyArray<number>
  }) => Effect.Effect<(span: Span, cluster: string, startMs: number) => State | undefined, CostError>
}

/** A name for rows that belong together. **Limits** 53 bits: two that count will not meet. */
export const generation = (): number => Number(BigInt.asUintN(53, randomBytes(8).readBigUInt64BE()))

/** Within what the server's instants can be. */
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

  /** Whether this very commit is there: one that lost has left nothing. */
  const holds = (action: string, commit: number, { cluster, generation, span, startMs }: Entry) =>
    Effect.gen(function* () {
      let found = false
      const params = { cluster, span, start: secondsOf(startMs), commit, generation }
      const sql = `SELECT generation FROM ledger WHERE cluster = {cluster:String} AND span = {span:String}
        AND start = toDateTime({start:UInt32}) AND commit = {commit:UInt64}`
      yield* read({ action, sql, params }, ([found_]) => {
        found ||= number(found_) === generation
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
      // Whether a failed one was carried out, only another tells: it is dropped then.
      yield* Effect.retry(add, { times: 2 })
      if (yield* holds(action, commit, first)) return
    }
    return yield* unavailable(action, new Error(`other programs were faster ${MAX_ATTEMPTS} times`))
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

/** Reads a span. */
export const spanOf = (value: unknown): Span => {
  if (value === "hour" || value === "day") return value
  throw new Damaged("a row of the ledger has a span that is none")
}

/** Reads a state. */
export const stateOf = (value: unknown): State => {
  if (value === "closed" || value === "folded" || value === "gone") return value
  throw new Damaged("a row of the ledger has a state that is none")
}

/** What counts within a window. A whole day counts where its last hour would. */
export interface Asked {
  readonly clusters: ReadonlyArray<string>
  readonly startMs: number
  readonly endMs: number
  readonly last: number
}

/** The parameters of {@link counting}. */
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

/** Where an hour of a window is, and where a day of it. */
export const IN_HOURS =
  "cluster IN {clusters:Array(String)} AND start >= toDateTime({from:UInt32}) AND start < toDateTime({to:UInt32})"
export const IN_DAYS =
  "cluster IN {clusters:Array(String)} AND start >= toDateTime({day_from:UInt32}) AND start < toDateTime({day_to:UInt32})"

/** A query for what counts of a window, with some columns of it. */
export const counting = (span: Span, columns: string): string =>
  `SELECT ${columns} FROM (
    SELECT cluster, span, start, argMax((state, generation, size, known_seconds), commit) AS found
    FROM ledger
    WHERE span = '${span}' AND ${span === "hour" ? IN_HOURS : IN_DAYS} AND commit <= {last:UInt64}
    GROUP BY cluster, span, start
    HAVING found.1 = '${span === "hour" ? "closed" : "folded"}'
  )`
