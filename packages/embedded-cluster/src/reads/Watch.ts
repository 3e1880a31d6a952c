/**
 * Events of one watch, starting at a resource version.
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

/** State of a watch before live events. */
export interface Beginning {
  /** Objects sent first as `ADDED`; empty for a watch that resumes at a version. */
  readonly initial: ReadonlyArray<Stored>
  /** Changes between the client's version and now. */
  readonly missed: ReadonlyArray<Change>
  /** Version of the initial objects, if the client wants a bookmark after them. */
  readonly marked: number | undefined
  /** Revision up to which `initial` and `missed` are complete. Live events are the later changes. */
  readonly revision: number
}

/**
 * Collects the events that a watch sends before live events.
 *
 * **Errors** sent as an event of the stream: 410 if the history no longer reaches back to the client's version, 504
 * if initial objects are requested at a future version.
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

/**
 * Converts a change to the event that a watch of a namespace and selection sends. Returns `undefined` if the watch is
 * not affected.
 */
export const eventOf = (
  change: Change,
  namespace: string,
  selection: Selection
): { readonly type: EventType; readonly stored: Stored } | undefined => {
  const inside = (stored: Stored | undefined) =>
    stored !== undefined && (namespace === "" || stored.namespace === namespace) && selects(selection, stored)
  const { after, before, revision } = change
  if (after !== undefined && inside(after)) return { type: inside(before) ? "MODIFIED" : "ADDED", stored: after }
  // An object that leaves the selection is sent in its old form, with the revision of the change.
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
 * **Limits** caches the lines of one change at a time, so a change is serialized once per form, for any number of
 * watches.
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

/** Cache key of the form in which a watch shows objects. Watches may use different versions of a kind. */
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
