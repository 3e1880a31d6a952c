/**
 * One watch: what a client is told from a version on.
 *
 * **Source** Kubernetes, "API concepts: Efficient detection of changes"; KEP-3157 for the initial events.
 */
import { Result } from "effect"
import type { Kernel } from "../core/Kernel.ts"
import { apiVersionOf } from "../core/Resource.ts"
import { type Failure, tooLargeVersion, toJson } from "../core/Status.ts"
import type { Change } from "../core/Store.ts"
import type { Stored } from "../core/Stored.ts"
import * as Representation from "../forms/Representation.ts"
import { type Selection, selects, selectsAll, type WatchQuery } from "./Query.ts"

export type EventType = "ADDED" | "MODIFIED" | "DELETED"

/** Where a watch begins. */
export interface Beginning {
  /** Objects told as new before anything else; none for a watch that goes on from a version. */
  readonly initial: ReadonlyArray<Stored>
  /** Changes after the client's version that have already happened. */
  readonly missed: ReadonlyArray<Change>
  /** The version that the initial objects show, when the client wants a bookmark behind them. */
  readonly marked: number | undefined
  /** Changes up to here are told by `initial` and `missed`, or are older than what the client knows. */
  readonly revision: number
}

/**
 * Finds out what a watch has to tell before it goes live.
 *
 * **Errors** the failure is told as an event of the stream: 410 when the history does not reach back to the client's
 * version, 504 when the initial objects are asked for at a version that does not exist yet.
 */
export const begin = (
  kernel: Kernel,
  renderer: Representation.Renderer,
  namespace: string,
  query: WatchQuery
): Result.Result<Beginning, Failure> => {
  const { store } = kernel
  const from = query.revision
  const fresh = query.initialEvents ?? (from === undefined || from === 0)
  if (fresh) {
    if (from !== undefined && from > store.revision) return Result.fail(tooLargeVersion(from, store.revision))
    const listed = store.list(renderer.resource, namespace)
    const initial = selectsAll(query.selection) ? listed : listed.filter((stored) => selects(query.selection, stored))
    return Result.succeed({
      initial,
      missed: [],
      marked: query.bookmarks ? store.revision : undefined,
      revision: store.revision
    })
  }
  const known = from === undefined || from === 0 ? store.revision : from
  if (known < store.compacted) {
    return Result.fail({
      code: 410,
      reason: "Expired",
      message: `too old resource version: ${known} (${store.compacted})`
    })
  }
  return Result.succeed({
    initial: [],
    missed: store.changesSince(renderer.resource, known),
    marked: undefined,
    revision: Math.max(store.revision, known)
  })
}

/** What a change means to a watch of a namespace and a selection; `undefined` when it means nothing. */
export const eventOf = (
  change: Change,
  namespace: string,
  selection: Selection
): { readonly type: EventType; readonly stored: Stored } | undefined => {
  const inside = (stored: Stored | undefined) =>
    stored !== undefined && (namespace === "" || stored.namespace === namespace) && selects(selection, stored)
  const { after, before, revision } = change
  if (after !== undefined && inside(after)) return { type: inside(before) ? "MODIFIED" : "ADDED", stored: after }
  // What leaves is told as it was, under the number of the change that took it away.
  if (before === undefined || !inside(before)) return undefined
  return { type: "DELETED", stored: before.at(revision) }
}

/** One line of the stream. */
export const line = (type: EventType, renderer: Representation.Renderer, stored: Stored, first: boolean): string =>
  `{"type":"${type}","object":${Representation.inEvent(renderer, stored, first)}}\n`

export const initialEventsEnd = (renderer: Representation.Renderer, revision: number, first: boolean): string =>
  bookmarkLine(renderer, revision, first, { "k8s.io/initial-events-end": "true" })

export const bookmarkLine = (
  renderer: Representation.Renderer,
  revision: number,
  first: boolean,
  annotations?: { readonly [key: string]: string }
): string => `{"type":"BOOKMARK","object":${Representation.bookmark(renderer, revision, annotations, first)}}\n`

export const errorLine = (failure: Failure): string => `{"type":"ERROR","object":${JSON.stringify(toJson(failure))}}\n`

/**
 * Shares the text of an event among all watches that show it in the same form.
 *
 * **Limits** remembers the lines of one change at a time, so a change costs one serialisation a form however many
 * watch.
 */
export class SharedLines {
  #revision = -1
  readonly #lines = new Map<string, Buffer>()

  line(type: EventType, renderer: Representation.Renderer, stored: Stored): Buffer {
    if (this.#revision !== stored.revision) {
      this.#revision = stored.revision
      this.#lines.clear()
    }
    const key = `${type} ${formOf(renderer)} ${stored.uid}`
    const known = this.#lines.get(key)
    if (known !== undefined) return known
    const made = Buffer.from(line(type, renderer, stored, false))
    this.#lines.set(key, made)
    return made
  }
}

/** Names the form in which a watch shows objects; a kind may be watched in several versions at once. */
const formOf = (renderer: Representation.Renderer): string =>
  `${apiVersionOf(renderer.resource)} ${representationOf(renderer)}`

const representationOf = ({ representation }: Representation.Renderer): string => {
  switch (representation._tag) {
    case "Whole":
      return "whole"
    case "Partial":
      return `partial ${representation.groupVersion}`
    case "Table":
      return `table ${representation.groupVersion} ${representation.include}`
  }
}
