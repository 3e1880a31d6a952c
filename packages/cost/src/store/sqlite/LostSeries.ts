/**
 * Finds series that cannot be read, and replaces them by placeholders.
 */
import { digestOf } from "./SeriesDigest.ts"
import type { SeriesRows } from "./SeriesRows.ts"

/** Returns those of the `named` ids that have no readable series, ascending. */
export const among = (series: SeriesRows, cluster: number, named: ReadonlySet<number>): ReadonlyArray<number> =>
  lostOf(named, readableIn(series, cluster))

/**
 * Removes unreadable blocks, and adds a placeholder series for each of the `named` ids in them.
 *
 * Any other series of those blocks gets a new id when it appears again.
 */
export const mend = (series: SeriesRows, cluster: number, named: ReadonlySet<number>): void => {
  for (const { block, first } of series.blocks(cluster)) if (block === undefined) series.removeBlock(cluster, first)
  const readable = readableIn(series, cluster)
  series.removeIdsBut(cluster, readable)
  for (const id of lostOf(named, readable)) {
    const text = JSON.stringify(["", "Unknown", `lost-${id}`, "", []])
    series.addId(cluster, digestOf(text), id)
    series.put(cluster, { first: id, texts: [text] })
  }
}

const readableIn = (series: SeriesRows, cluster: number): ReadonlySet<number> => {
  const readable = new Set<number>()
  for (const { block } of series.blocks(cluster)) {
    if (block === undefined) continue
    for (const [place, text] of block.texts.entries()) if (text !== "") readable.add(block.first + place)
  }
  return readable
}

const lostOf = (named: ReadonlySet<number>, readable: ReadonlySet<number>): ReadonlyArray<number> =>
  [...named].filter((id) => !readable.has(id)).toSorted((a, b) => a - b)
