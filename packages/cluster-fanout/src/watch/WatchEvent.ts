/**
 * Events delivered to a watch subscriber.
 */
import type { Coverage } from "../kube/Coverage.ts"

/**
 * One event of a watch.
 *
 * **Shape** `Row`: a row is new or has changed. `Gone`: a row was removed or is no longer visible to the reader.
 * `Coverage`: the state of a cluster has changed. `Ready`: the initial rows of all clusters that answered in time, or
 * all missed changes, were sent. `Reset`: discard all rows received so far.
 *
 * `id` is the position to resume from. The ids of `Reset` and of initial rows contain no position.
 */
export type WatchEvent<Row> =
  | { readonly _tag: "Row"; readonly id: string; readonly row: Row }
  | { readonly _tag: "Gone"; readonly id: string; readonly row: Row }
  | { readonly _tag: "Coverage"; readonly coverage: Coverage }
  | { readonly _tag: "Ready"; readonly id: string }
  | { readonly _tag: "Reset"; readonly id: string }

/** Receives the events of one reader. */
export interface WatchSink<Row> {
  /** Receives changes. **Limits** called while all readers are notified: must be quick. */
  readonly push: (events: ReadonlyArray<WatchEvent<Row>>) => void
  /** Receives the initial rows. They are encoded only when the reader has room for them. */
  readonly pushLater: (events: Iterable<WatchEvent<Row>>) => void
  /**
   * Receives a large batch, encoded only when the reader has room for it. If too many events wait, the reader is
   * disconnected.
   */
  readonly pushMany: (events: ReadonlyArray<WatchEvent<Row>>) => void
  /** Called when no more events will come, because of a defect. */
  readonly broken: (defect: unknown) => void
}
