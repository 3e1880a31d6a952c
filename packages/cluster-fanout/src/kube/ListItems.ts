/** Reads a page of a list item by item, so that one of many megabytes need not be parsed in one go. */
import { Result } from "effect"
import type { KubeObject } from "./KubeObject.ts"
import { type ListPage, parseJson, toObject, toPage } from "./KubeObjectJson.ts"

type Read = Result.Result<ListPage, string>

export interface ListItems {
  /** Reads one more item, as far as it can tell them apart. **Shape** gives whether there is more. */
  readonly step: () => boolean
  /** Gives the page, once all is read. **Errors** what is wrong with it. */
  readonly page: () => Read
}

/** Where the items of a page can be cut apart. */
interface Seams {
  /** All before the first item. */
  readonly head: Buffer
  /** Ends each item but the last, and begins the next one. */
  readonly seam: Buffer
}

const ITEMS = Buffer.from('"items":[')
const LONGEST_KEY = 64
/** Read in one step: some fifth of a millisecond. */
const SMALL_BYTES = 32 * 1024

/**
 * Begins to read a page.
 *
 * **Shape** gives what reading all of it at once would give. Servers write the items of a list alike, so each begins with
 * the same key; the text from one such beginning to the next is an item if it parses as one. From where it does not, or
 * where a server writes otherwise, the rest is read in one step.
 *
 * **Limits** linear in the bytes.
 */
export const read = (body: Buffer): ListItems => {
  const seams = body.length > SMALL_BYTES ? seamsOf(body) : undefined
  const items: Array<KubeObject> = []
  let from = seams?.head.length ?? 0
  let page: Read = Result.fail("the list was not read to its end")

  const end = (last: Read) => {
    page = last
    return false
  }

  /** The rest is a page of its own: that of the last items. */
  const finish = (): boolean => {
    const rest = body.subarray(from)
    const bytes = seams === undefined ? rest : Buffer.concat([seams.head, rest])
    return end(
      Result.map(Result.flatMap(parseJson(bytes), toPage), (last) => ({ ...last, items: [...items, ...last.items] }))
    )
  }

  const step = (): boolean => {
    const at = seams === undefined ? -1 : body.indexOf(seams.seam, from)
    if (at === -1) return finish()
    const value = parseJson(body.subarray(from, at + 1))
    if (Result.isFailure(value)) return finish()
    const object = toObject(value.success)
    if (Result.isFailure(object)) return end(Result.fail(object.failure))
    items.push(object.success)
    from = at + 2
    return true
  }

  return { step, page: () => page }
}

/**
 * Finds where items can be cut apart; nothing unless all before the items is an object's beginning, as brackets of its
 * own would mislead.
 */
const seamsOf = (body: Buffer): Seams | undefined => {
  const at = body.indexOf(ITEMS)
  if (at === -1) return undefined
  const head = body.subarray(0, at + ITEMS.length)
  const beginning = body.subarray(head.length, head.length + LONGEST_KEY).toString("latin1")
  const [key] = /^\{"[A-Za-z]+":/.exec(beginning) ?? []
  if (key === undefined || Result.isFailure(parseJson(Buffer.concat([head, Buffer.from("]}")])))) return undefined
  return { head, seam: Buffer.from(`},${key}`) }
}
