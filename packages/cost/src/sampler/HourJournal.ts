/**
 * The journal of open hours, which must survive a restart.
 *
 * Adapters: `sampler/JournalFiles`; {@link layerNone} here.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, Effect, Layer, Option } from "effect"
import type { CostError } from "../hour/CostError.ts"
import type { Backlog } from "./Backlog.ts"
import type { JournalEntry } from "./JournalEntry.ts"

export type { Backlog } from "./Backlog.ts"

/** An hour that is not finished. **Units** milliseconds since the epoch. */
export interface KeptHour {
  readonly cluster: ClusterName
  readonly startMs: number
}

export class HourJournal extends Context.Service<
  HourJournal,
  {
    /** Lists all journaled hours, oldest first. */
    readonly kept: Effect.Effect<ReadonlyArray<KeptHour>, CostError>
    /** Reads the entries of an hour. Entries damaged by a crash are skipped. */
    readonly read: (hour: KeptHour) => Effect.Effect<ReadonlyArray<JournalEntry>, CostError>
    /** Appends entries to an hour. Once the call returns, the entries survive a crash. `entries` is consumed lazily. */
    readonly append: (hour: KeptHour, entries: Iterable<JournalEntry>) => Effect.Effect<void, CostError>
    /** Replaces all entries of an hour. If it fails, the old entries are unchanged. */
    readonly replace: (hour: KeptHour, entries: Iterable<JournalEntry>) => Effect.Effect<void, CostError>
    /** Deletes an hour from the journal. */
    readonly remove: (hour: KeptHour) => Effect.Effect<void, CostError>
    /** Returns the recorded past hours of a cluster that are still to back-fill, if any. */
    readonly backfill: (cluster: ClusterName) => Effect.Effect<Option.Option<Backlog>, CostError>
    readonly noteBackfill: (cluster: ClusterName, backlog: Backlog) => Effect.Effect<void, CostError>
    /** Returns the recorded past hours of all clusters that are still to back-fill. */
    readonly backfills: Effect.Effect<ReadonlyMap<ClusterName, Backlog>, CostError>
    /** Returns true if a restart of a cluster's back-fill is requested. */
    readonly isRestartAsked: (cluster: ClusterName) => Effect.Effect<boolean, CostError>
    /** Requests a back-fill restart, or clears the request once it has started. Another process may call it too. */
    readonly askRestart: (cluster: ClusterName, isAsked: boolean) => Effect.Effect<void, CostError>
    /**
     * Returns the instant from which closed hours must be repriced, if one is recorded. **Units** milliseconds since
     * the epoch.
     */
    readonly reprice: Effect.Effect<Option.Option<number>, CostError>
    readonly noteReprice: (fromMs: Option.Option<number>) => Effect.Effect<void, CostError>
  }
>()("@quarterdeck/cost/sampler/HourJournal") {
  /** Stores nothing, so an open hour is lost when the process ends. */
  static readonly layerNone: Layer.Layer<HourJournal> = Layer.succeed(
    HourJournal,
    HourJournal.of({
      kept: Effect.succeed([]),
      read: () => Effect.succeed([]),
      append: () => Effect.void,
      replace: () => Effect.void,
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
