/**
 * The port behind open hours that outlive the program: what is noted of them with every sample.
 *
 * Adapters: `sampler/JournalFiles`; {@link layerNone} here.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, Effect, Layer, Option } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type { Backlog } from "./Backlog.ts"
import type { JournalEntry } from "./JournalEntry.ts"

export type { Backlog } from "./Backlog.ts"

/** An hour that was not finished. **Units** milliseconds since the epoch. */
export interface KeptHour {
  readonly cluster: ClusterName
  readonly startMs: number
}

/**
 * Keeps open hours until they are finished.
 */
export class HourJournal extends Context.Service<
  HourJournal,
  {
    /** Every hour of which something is kept, oldest first. */
    readonly kept: Effect.Effect<ReadonlyArray<KeptHour>, CostError>
    /** Reads what is kept of an hour. What a crash left half written is left out. */
    readonly read: (hour: KeptHour) => Effect.Effect<ReadonlyArray<JournalEntry>, CostError>
    /** Adds to an hour; it survives a crash from then on. Entries are asked for some at a time. */
    readonly append: (hour: KeptHour, entries: Iterable<JournalEntry>) => Effect.Effect<void, CostError>
    /** Forgets an hour. */
    readonly remove: (hour: KeptHour) => Effect.Effect<void, CostError>
    /** Gives what is still to be filled in of the time in which a cluster was not sampled, if that was noted. */
    readonly backfill: (cluster: ClusterName) => Effect.Effect<Option.Option<Backlog>, CostError>
    readonly noteBackfill: (cluster: ClusterName, backlog: Backlog) => Effect.Effect<void, CostError>
    /** Gives what was noted of every cluster. */
    readonly backfills: Effect.Effect<ReadonlyMap<ClusterName, Backlog>, CostError>
    /** Tells whether a cluster's past is to be gone over from its beginning. */
    readonly isRestartAsked: (cluster: ClusterName) => Effect.Effect<boolean, CostError>
    /** Asks for that, or takes it back once it has begun; also from another program, while one samples. */
    readonly askRestart: (cluster: ClusterName, isAsked: boolean) => Effect.Effect<void, CostError>
    /** Gives from where on hours are still to be rewritten, if that was noted. */
    readonly reprice: Effect.Effect<Option.Option<number>, CostError>
    readonly noteReprice: (fromMs: Option.Option<number>) => Effect.Effect<void, CostError>
  }
>()("@quarterdeck/cost/sampler/HourJournal") {
  /** Keeps nothing: an open hour ends with the program. */
  static readonly layerNone: Layer.Layer<HourJournal> = Layer.succeed(
    HourJournal,
    HourJournal.of({
      kept: Effect.succeed([]),
      read: () => Effect.succeed([]),
      append: () => Effect.void,
      remove: () => Effect.void,
      backfill: () => Effect.succeed(Option.none()),
      noteBackfill: () => Effect.void,
      backfills: Effect.succeed(new Map()),
      isRestartAsked: () => Effect.succeed(false),
      askRestart: () => Effect.void,
      reprice: Effect.succeed(Option.none()),
      noteReprice: () => Effect.void
    })
  )
}
