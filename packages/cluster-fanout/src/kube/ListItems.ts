/** Parses a page of a list item by item, so that a large page does not block the event loop. */
import { Result } from "effect"
import type { KubeObject } from "./KubeObject.ts"
import { type ListPage, parseJson, toObject, toPage } from "./KubeObjectJson.ts"

type Read = Result.Result<ListPage, string>

export interface ListItems {
  /** Parses one more item, if the items can be separated. Returns whether more remain. */
  readonly step: () => boolean
  /** Returns the page once everything is parsed. **Errors** the problem of the page. */
  readonly page: () => Read
}

/** Separators of the items of a page. */
interface Seams {
  /** Everything before the first item. */
  readonly head: Buffer
  /** The bytes that end an item and begin the next one. */
  readonly seam: Buffer
}

const ITEMS = Buffer.from('"items":[')
const LONGEST_KEY = 64
/** Size up to which a page is parsed in one step: about a fifth of a millisecond's work. */
const SMALL_BYTES = 32 * 1024

/**
 * Starts to parse a page.
 *
 * **Shape** the result equals that of parsing the page at once. Servers write all items of a list alike, so each item
 * begins with the same key. The text from one such beginning to the next is an item if it parses as one. If it does
 * not, or if a server writes items differently, the rest is parsed in one step.
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

  /** Parses the rest as a page of its own. */
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
 * Finds the separators of the items. Returns `undefined` unless the text up to the items, closed by `]}`, parses as
 * JSON. Otherwise the `items` key that was found may be nested or part of a text.
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
