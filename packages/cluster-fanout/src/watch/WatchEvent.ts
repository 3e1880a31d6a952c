/**
 * What somebody hears who follows rows instead of listing them.
 */
import type { Coverage } from "../kube/Coverage.ts"

/**
 * One event of a watch.
 *
 * **Shape** `Row` is there now, new or changed; `Gone` is no longer there, or no longer the reader's to see. `Ready` follows the
 * first full set. `Reset` tells the reader to forget all that it was told. `id` is where to go on from; that of `Reset`, and
 * of a row within the first set, names no place.
 */
export type WatchEvent<Row> =
  | { readonly _tag: "Row"; readonly id: string; readonly row: Row }
  | { readonly _tag: "Gone"; readonly id: string; readonly row: Row }
  | { readonly _tag: "Coverage"; readonly coverage: Coverage }
  | { readonly _tag: "Ready"; readonly id: string }
  | { readonly _tag: "Reset"; readonly id: string }

/** Takes the events of one reader. */
export interface WatchSink<Row> {
  /** Takes what changed. **Limits** called within the change of all readers: must be quick. */
  readonly push: (events: ReadonlyArray<WatchEvent<Row>>) => void
  /** Takes what a reader begins with, of any number, made when the reader has room for it. */
  readonly pushLater: (events: Iterable<WatchEvent<Row>>) => void
  /** Takes many changes at once, whose texts are made when the reader has room for them; one that leaves too many waiting is cut. */
  readonly pushMany: (events: ReadonlyArray<WatchEvent<Row>>) => void
  /** Nothing more will come, for what makes the events is broken. */
  readonly broken: (defect: unknown) => void
}
