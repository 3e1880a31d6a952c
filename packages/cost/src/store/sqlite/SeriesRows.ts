/**
 * The series of clusters in the file: their keys by id, and their ids by digest.
 */
import type { DatabaseSync } from "node:sqlite"
// As a whole: a Node that lacks one of its functions could not say which one is needed.
import zlib from "node:zlib"
import type { FreshSeries } from "./CostProtocol.ts"
import { DIGEST_LENGTH, digestOf } from "./SeriesDigest.ts"
import { Damaged, number, text } from "./SqlValue.ts"

/** Series that appeared together. The first has the id `first`; those that were swept are empty. */
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

/** Reads and writes the series of each cluster. */
export class SeriesRows {
  readonly #statements: ReturnType<typeof prepared>
  /** The block that was read last: it is asked for page by page. */
  #last: (Block & { readonly cluster: number }) | undefined

  constructor(database: DatabaseSync) {
    this.#statements = prepared(database)
  }

  /** Counts the ids that a cluster has given. */
  idsGiven(cluster: number): number {
    return number(this.#statements.next.get(cluster)?.["next"])
  }

  /** Gives the ids of series, and new ones to those that have none. */
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
   * Reads the series of ids that rise; one that was swept is empty. **Errors** throws where they are damaged.
   *
   * **Limits** holds the block that was read last: ids that rise read each block once.
   */
  textsOf(cluster: number, ids: Int32Array): ReadonlyArray<string> {
    return Array.from(ids, (id) => {
      const block = this.#blockAt(cluster, id)
      return block?.texts[id - block.first] ?? ""
    })
  }

  /**
   * Lists the first id of each block, with its series where they can be read.
   *
   * Of the blocks that there are now, each read when it comes: what is done to those before it is no matter.
   * **Limits** holds one.
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

  /** Forgets that a series has an id. */
  removeId(cluster: number, text: string, id: number): void {
    this.#statements.remove.run(cluster, digestOf(text), id)
  }

  /** Forgets all ids but some, whatever has them. **Limits** reads every id of the cluster. */
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
