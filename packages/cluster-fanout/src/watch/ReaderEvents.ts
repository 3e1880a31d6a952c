/**
 * The events of one reader: all rows or the missed changes, then each change of the rows that the reader may see.
 *
 * Stores no rows. The log and the reported rows, which all readers share, determine what the reader has received.
 */
import { bindingOf, type ChangeLog, idNowhere, type NumberedChange, parseId, printId } from "./ChangeLog.ts"
import type { WatchEvent, WatchSink } from "./WatchEvent.ts"

type RowEvent<Row> = Extract<WatchEvent<Row>, { readonly _tag: "Row" | "Gone" }>

/** The rows that one reader may see. */
export interface ReaderScope<Row> {
  readonly isVisible: (row: Row) => boolean
  /** Returns a visible row without the parts that the reader may not see. */
  readonly shown: (row: Row) => Row
  /** Called when the reader has one row more or less. */
  readonly count: (row: Row, by: 1 | -1) => void
}

/**
 * Maximum number of events in a batch that is encoded at once. A larger batch is encoded when the reader has room for
 * it.
 */
const LARGE_BATCH = 500

export class ReaderEvents<Row> {
  readonly #log: ChangeLog<Row>
  readonly #scope: ReaderScope<Row>
  readonly #sink: WatchSink<Row>
  #binding = ""

  constructor(log: ChangeLog<Row>, scope: ReaderScope<Row>, sink: WatchSink<Row>) {
    this.#log = log
    this.#scope = scope
    this.#sink = sink
  }

  /** Binds the positions to the facts that determine the rows that the reader has received. */
  bind(facts: unknown): void {
    this.#binding = bindingOf(facts)
  }

  /** Sends the missed changes. If there is no id or the id is unknown, sends the rows. */
  begin(lastEventId: string | undefined, rows: Iterable<Row>): void {
    const { isVisible } = this.#scope
    const from = lastEventId === undefined ? undefined : parseId(lastEventId, this.#log.name, this.#binding)
    const missed = from === undefined ? undefined : this.#log.since(from)
    if (lastEventId !== undefined && missed === undefined)
      this.#sink.push([{ _tag: "Reset", id: idNowhere(this.#log.name) }])
    // Rows that become visible between now and their delivery are sent by a later `move`.
    const visible = Array.from(rows).filter(isVisible)
    for (const row of visible) this.#scope.count(row, 1)
    // Missed changes are encoded at once: visibility may change before the reader has room for them.
    this.#sink.pushLater(
      missed === undefined ? this.#rowsOf(visible) : missed.flatMap((change) => this.#eventOf(change) ?? [])
    )
  }

  /** Sends changes. */
  take(changes: ReadonlyArray<NumberedChange<Row>>): void {
    const { count, isVisible } = this.#scope
    const events: Array<RowEvent<Row>> = []
    for (const change of changes) {
      const event = this.#eventOf(change)
      if (event === undefined) continue
      events.push(event)
      if (event._tag === "Gone") count(event.row, -1)
      else if (change.previous === undefined || !isVisible(change.previous)) count(event.row, 1)
    }
    if (events.length > LARGE_BATCH) this.#sink.pushMany(events)
    else if (events.length > 0) this.#sink.push(events)
  }

  /** Sends rows whose visibility has changed, after `bind`. */
  move(rows: ReadonlyArray<Row>): void {
    if (rows.length === 0) return
    const { count, isVisible, shown } = this.#scope
    // A reader that has received only some of these events matches neither the old nor the new scope, so only the last
    // event has a position.
    const nowhere = idNowhere(this.#log.name)
    const events = rows.map((row, place): RowEvent<Row> => {
      const id = place === rows.length - 1 ? this.#id(this.#log.last) : nowhere
      count(row, isVisible(row) ? 1 : -1)
      return { _tag: isVisible(row) ? "Row" : "Gone", id, row: shown(row) }
    })
    this.#sink.pushMany(events)
  }

  /** Makes the event after the first set. */
  ready(): WatchEvent<Row> {
    return { _tag: "Ready", id: this.#id(this.#log.last) }
  }

  #id(number: number): string {
    return printId(this.#log.name, number, this.#binding)
  }

  #eventOf({ next, number, previous }: NumberedChange<Row>): RowEvent<Row> | undefined {
    const { isVisible, shown } = this.#scope
    if (next !== undefined && isVisible(next)) return { _tag: "Row", id: this.#id(number), row: shown(next) }
    if (previous !== undefined && isVisible(previous))
      return { _tag: "Gone", id: this.#id(number), row: shown(previous) }
    return undefined
  }

  /** Yields rows as events. Skips rows that became hidden meanwhile. */
  *#rowsOf(rows: ReadonlyArray<Row>): Generator<RowEvent<Row>, undefined> {
    const { isVisible, shown } = this.#scope
    const id = idNowhere(this.#log.name)
    for (const row of rows) if (isVisible(row)) yield { _tag: "Row", id, row: shown(row) }
  }
}
