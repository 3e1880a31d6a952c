/**
 * Statements for the series of clusters: keys by id, and ids by digest.
 */
import type { DatabaseSync } from "node:sqlite"
// Default import. With named imports, a Node version without one of the functions fails before the version check.
import zlib from "node:zlib"
import type { FreshSeries } from "./CostProtocol.ts"
import { DIGEST_LENGTH, digestOf } from "./SeriesDigest.ts"
import { Damaged, number, text } from "./SqlValue.ts"

/** Keys of series that first appeared together, with ids from `first` on. The key of a removed series is empty. */
export interface Block {
  readonly first: number
  readonly texts: ReadonlyArray<string>
}

const prepared = (database: DatabaseSync) => ({
  next: database.prepare("SELECT next_series AS next FROM clusters WHERE id = ?"),
  setNext: database.prepare("UPDATE clusters SET next_series = ? WHERE id = ?"),
  find: database.prepare("SELECT id FROM series_ids WHERE cluster = ? AND digest = ?"),
  add: database.prepare("INSERT INTO series_ids (cluster, digest, id) VALUES (?, ?, ?)"),
  remove: database.prepare("DELETE FROM series_ids WHERE cluster = ? AND digest = ? AND id = ?"),
  ids: database.prepare("SELECT digest, id FROM series_ids WHERE cluster = ?"),
  firsts: database.prepare("SELECT first FROM series WHERE cluster = ? ORDER BY first"),
  block: database.prepare("SELECT first, crc, texts FROM series WHERE cluster = ? AND first = ?"),
  blockAt: database.prepare(
    "SELECT first, crc, texts FROM series WHERE cluster = ? AND first <= ? ORDER BY first DESC LIMIT 1"
  ),
  put: database.prepare("INSERT OR REPLACE INTO series (cluster, first, crc, texts) VALUES (?, ?, ?, ?)"),
  removeBlock: database.prepare("DELETE FROM series WHERE cluster = ? AND first = ?")
})

export class SeriesRows {
  readonly #statements: ReturnType<typeof prepared>
  /** The last block that was read. It is kept because callers read a block in several pages. */
  #last: (Block & { readonly cluster: number }) | undefined

  constructor(database: DatabaseSync) {
    this.#statements = prepared(database)
  }

  /** Returns the number of ids that were assigned in a cluster. */
  idsGiven(cluster: number): number {
    return number(this.#statements.next.get(cluster)?.["next"])
  }

  /** Returns the ids of series. Assigns ids to new ones. */
  idsOf(cluster: number, { digests, places, texts }: FreshSeries): Int32Array {
    if (places.length === 0) return new Int32Array(0)
    const first = this.idsGiven(cluster)
    const added: Array<string> = []
    const ids = Int32Array.from(texts.split("\n"), (text, index) => {
      const digest = digests.slice(index * DIGEST_LENGTH, (index + 1) * DIGEST_LENGTH)
      const found = this.#statements.find.get(cluster, digest)
      if (found !== undefined) return number(found["id"])
      const id = first + added.length
      this.#statements.add.run(cluster, digest, id)
      added.push(text)
      return id
    })
    if (added.length > 0) {
      this.put(cluster, { first, texts: added })
      this.#statements.setNext.run(first + added.length, cluster)
    }
    return ids
  }

  /**
   * Reads the keys of ascending ids. The key of a removed series is empty.
   *
   * **Errors** Throws `Damaged` for a damaged block.
   *
   * **Limits** Keeps the last block in memory, so that ascending ids read each block once.
   */
  textsOf(cluster: number, ids: Int32Array): ReadonlyArray<string> {
    return Array.from(ids, (id) => {
      const block = this.#blockAt(cluster, id)
      return block?.texts[id - block.first] ?? ""
    })
  }

  /**
   * Yields the first id of each block, with the block unless it is unreadable.
   *
   * Lists the blocks at the start and reads each one when it is reached, so the caller may change earlier blocks.
   *
   * **Limits** Holds one block in memory.
   */
  *blocks(cluster: number): Generator<{ readonly first: number; readonly block: Block | undefined }> {
    const firsts = this.#statements.firsts.all(cluster).map((row) => number(row["first"]))
    for (const first of firsts) {
      const row = this.#statements.block.get(cluster, first)
      if (row !== undefined) yield { first, block: readableOf(row) }
    }
  }

  put(cluster: number, { first, texts }: Block): void {
    this.#last = undefined
    const packed = zlib.zstdCompressSync(JSON.stringify(texts))
    this.#statements.put.run(cluster, first, zlib.crc32(packed), packed)
  }

  removeBlock(cluster: number, first: number): void {
    this.#last = undefined
    this.#statements.removeBlock.run(cluster, first)
  }

  /** Removes the id of a series. */
  removeId(cluster: number, text: string, id: number): void {
    this.#statements.remove.run(cluster, digestOf(text), id)
  }

  /** Removes all ids except `remaining`. **Limits** Reads every id of the cluster. */
  removeIdsBut(cluster: number, remaining: ReadonlySet<number>): void {
    const lost = this.#statements.ids.all(cluster).filter(({ id }) => !remaining.has(number(id)))
    for (const { digest = null, id = null } of lost) this.#statements.remove.run(cluster, digest, id)
  }

  addId(cluster: number, digest: string, id: number): void {
    this.#statements.add.run(cluster, digest, id)
  }

  #blockAt(cluster: number, id: number): Block | undefined {
    const last = this.#last
    if (last !== undefined && last.cluster === cluster && id >= last.first && id < last.first + last.texts.length) {
      return last
    }
    const row = this.#statements.blockAt.get(cluster, id)
    if (row === undefined) return undefined
    const block = blockOf(row)
    this.#last = { ...block, cluster }
    return block
  }
}

type Row = NonNullable<ReturnType<ReturnType<DatabaseSync["prepare"]>["get"]>>

const readableOf = (row: Row): Block | undefined => {
  try {
    return blockOf(row)
  } catch (error) {
    if (error instanceof Damaged) return undefined
    throw error
  }
}

const blockOf = (row: Row): Block => {
  const first = number(row["first"])
  const texts = row["texts"]
  if (!(texts instanceof Uint8Array) || zlib.crc32(texts) !== row["crc"]) {
    throw new Damaged(`the series from ${first} on are damaged`)
  }
  const read: unknown = JSON.parse(zlib.zstdDecompressSync(texts).toString())
  return { first, texts: Array.isArray(read) ? read.map(text) : [] }
}
