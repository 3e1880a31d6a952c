/**
 * Statements for the rows of the cost history. Each blob has a checksum.
 *
 * The checksum covers the key of the row too, so that a blob in a wrong row counts as damage.
 */
import * as Calendar from "./Calendar.ts"
import type { DatabaseSync, SQLOutputValue } from "node:sqlite"
import { crc32 } from "node:zlib"
import { Damaged, number, text } from "./SqlValue.ts"

/** Level of steps that are hours of a day. */
export const HOURS = 0
/** Level of steps that are days of a month. */
export const DAYS = 1

export interface StepKey {
  readonly cluster: number
  readonly level: number
  readonly epoch: number
  readonly step: number
}

/** Sums of a step. **Units** `known` in seconds since the start of the epoch. */
interface StepSums {
  readonly known: number
  readonly mask: number
  readonly sums: Uint8Array
}

interface StepRow extends StepKey, StepSums {
  readonly slots: Uint8Array | undefined
  readonly detail: Uint8Array | undefined
}

/** Encoded slots of the series that first appear in a step, if there are any. */
interface StepSlots {
  readonly step: number
  readonly slots: Uint8Array | undefined
}

/** **Units** `estimatedToMs` in milliseconds since the epoch. */
interface ClusterRow {
  readonly id: number
  readonly name: string
  readonly estimatedToMs: number
}

const prepared = (database: DatabaseSync) => {
  const where = "WHERE cluster = ? AND level = ? AND epoch = ?"
  return {
    clusters: database.prepare("SELECT id, name, estimated_to FROM clusters ORDER BY id"),
    addCluster: database.prepare("INSERT INTO clusters (name, next_series) VALUES (?, 0) RETURNING id"),
    places: database.prepare("SELECT level, epoch, step, mask FROM steps WHERE cluster = ?"),
    slotsAt: database.prepare(`SELECT slots, slots_crc AS crc FROM steps ${where} AND step = ?`),
    slots: database.prepare(`SELECT step, slots, slots_crc AS crc FROM steps ${where} ORDER BY step`),
    sums: database.prepare(`SELECT known, mask, sums, sums_crc AS crc FROM steps ${where} AND step = ?`),
    detail: database.prepare(`SELECT detail, detail_crc AS crc FROM steps ${where} AND step = ?`),
    put: database.prepare(
      `INSERT INTO steps (cluster, level, epoch, step, known, mask, sums_crc, slots_crc, detail_crc, sums, slots, detail)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
    ),
    removeFrom: database.prepare(`DELETE FROM steps ${where} AND step >= ?`),
    removeStep: database.prepare(`DELETE FROM steps ${where} AND step = ?`),
    exactHours: database.prepare("SELECT day, mask FROM exact_hours WHERE cluster = ?"),
    putExact: database.prepare("INSERT OR REPLACE INTO exact_hours (cluster, day, mask) VALUES (?, ?, ?)"),
    removeExact: database.prepare("DELETE FROM exact_hours WHERE cluster = ? AND day < ?"),
    markPruned: database.prepare("INSERT OR IGNORE INTO pruned (cluster) VALUES (?)"),
    pruned: database.prepare("SELECT cluster FROM pruned"),
    unmarkPruned: database.prepare("DELETE FROM pruned WHERE cluster = ?")
  }
}

/** Reads and writes the rows of steps and clusters. **Errors** Reads throw `Damaged` for a damaged row. */
export class Rows {
  readonly #statements: ReturnType<typeof prepared>

  constructor(database: DatabaseSync) {
    this.#statements = prepared(database)
  }

  clusters(): ReadonlyArray<ClusterRow> {
    return this.#statements.clusters
      .all()
      .map((row) => ({ id: number(row["id"]), name: text(row["name"]), estimatedToMs: number(row["estimated_to"]) }))
  }

  addCluster(name: string): number {
    return number(this.#statements.addCluster.get(name)?.["id"])
  }

  places(cluster: number): ReadonlyArray<StepKey & { readonly mask: number }> {
    return this.#statements.places.all(cluster).map((row) => ({
      cluster,
      level: number(row["level"]),
      epoch: number(row["epoch"]),
      step: number(row["step"]),
      mask: number(row["mask"])
    }))
  }

  slotsOf(cluster: number, level: number, epoch: number): ReadonlyArray<StepSlots> {
    return this.#statements.slots.all(cluster, level, epoch).map((row) => {
      const step = number(row["step"])
      return { step, slots: this.#checked(row["slots"], row["crc"], { cluster, level, epoch, step }, "slots") }
    })
  }

  sumsOf(key: StepKey): StepSums {
    const row = this.#statements.sums.get(key.cluster, key.level, key.epoch, key.step)
    if (row === undefined) throw new Damaged(`${this.#describe(key)} is missing`)
    const known = number(row["known"])
    const mask = number(row["mask"])
    const sums = this.#checked(row["sums"], row["crc"], key, "sums", [known, mask])
    if (sums === undefined) throw new Damaged(`${this.#describe(key)} has no sums`)
    return { known, mask, sums }
  }

  slotsAt(key: StepKey): Uint8Array | undefined {
    const row = this.#statements.slotsAt.get(key.cluster, key.level, key.epoch, key.step)
    return row === undefined ? undefined : this.#checked(row["slots"], row["crc"], key, "slots")
  }

  detailOf(key: StepKey): Uint8Array {
    const row = this.#statements.detail.get(key.cluster, key.level, key.epoch, key.step)
    const detail = row === undefined ? undefined : this.#checked(row["detail"], row["crc"], key, "detail")
    if (detail === undefined) throw new Damaged(`${this.#describe(key)} has no detail`)
    return detail
  }

  put(row: StepRow): void {
    const { cluster, detail, epoch, known, level, mask, slots, step, sums } = row
    this.#statements.put.run(
      cluster,
      level,
      epoch,
      step,
      known,
      mask,
      checksum(sums, row, [known, mask]),
      slots === undefined ? null : checksum(slots, row),
      detail === undefined ? null : checksum(detail, row),
      sums,
      slots ?? null,
      detail ?? null
    )
  }

  removeFrom(cluster: number, level: number, epoch: number, step: number): void {
    this.#statements.removeFrom.run(cluster, level, epoch, step)
  }

  removeStep({ cluster, epoch, level, step }: StepKey): void {
    this.#statements.removeStep.run(cluster, level, epoch, step)
  }

  /** Reads the bit masks of the hours that need no estimate although they lie before `estimatedToMs`, by day. */
  exactHours(cluster: number): Map<number, number> {
    return new Map(this.#statements.exactHours.all(cluster).map((row) => [number(row["day"]), number(row["mask"])]))
  }

  putExact(cluster: number, day: number, mask: number): void {
    this.#statements.putExact.run(cluster, day, mask)
  }

  removeExactBefore(cluster: number, day: number): void {
    this.#statements.removeExact.run(cluster, day)
  }

  markPruned(cluster: number): void {
    this.#statements.markPruned.run(cluster)
  }

  unmarkPruned(cluster: number): void {
    this.#statements.unmarkPruned.run(cluster)
  }

  pruned(): ReadonlyArray<number> {
    return this.#statements.pruned.all().map(({ cluster }) => number(cluster))
  }

  /** Describes a step for error messages. */
  #describe({ cluster, epoch, level, step }: StepKey): string {
    const found = this.#statements.clusters.all().find(({ id }) => id === cluster)
    const name = found === undefined ? String(cluster) : text(found["name"])
    return level === HOURS
      ? `the hour ${Calendar.printHour(Calendar.startOf(epoch, step))} of cluster ${name}`
      : `the day ${Calendar.printDay(Calendar.startOf(Calendar.firstDayOf(epoch) + step))} of cluster ${name}`
  }

  #checked(
    blob: SQLOutputValue | undefined,
    crc: SQLOutputValue | undefined,
    key: StepKey,
    what: string,
    facts?: ReadonlyArray<number>
  ): Uint8Array | undefined {
    if (blob === null && crc === null) return undefined
    if (!(blob instanceof Uint8Array) || checksum(blob, key, facts) !== crc) {
      throw new Damaged(`the ${what} of ${this.#describe(key)} are damaged`)
    }
    return blob
  }
}

const checksum = (
  bytes: Uint8Array,
  { cluster, epoch, level, step }: StepKey,
  facts: ReadonlyArray<number> = []
): number => crc32(bytes, crc32(new Uint8Array(Float64Array.of(cluster, level, epoch, step, ...facts).buffer)))
