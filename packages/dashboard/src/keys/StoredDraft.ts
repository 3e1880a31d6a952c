/**
 * The unfinished form of a new key, kept in the browser tab so that it survives a reload and a sign-out.
 *
 * The draft contains no secret. It is offered only to the caller who wrote it, and for the same parameters of the address.
 */
import { Option, Schema } from "effect"
import type { KeyDraft } from "./KeyDraft.ts"

/** Name of the entry in the session storage. */
const ENTRY = "quarterdeck.keyDraft"

/** A larger draft is not kept. **Units** characters. */
const MAX_LENGTH = 65_536

const Names = Schema.Array(Schema.String)
const Selector = Schema.Struct({
  namespaceNames: Names,
  labelSelector: Schema.optionalKey(Schema.Struct({ matchLabels: Schema.Record(Schema.String, Schema.String) }))
})
const Draft = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  allowFrom: Names,
  role: Schema.Literals(["Viewer", "Operator", "Admin"]),
  clusters: Schema.optionalKey(Names),
  selectors: Schema.optionalKey(
    Schema.Array(Schema.Struct({ id: Schema.Int, names: Names, labels: Names, within: Schema.optionalKey(Selector) }))
  ),
  expiry: Schema.Union([
    Schema.Struct({ _tag: Schema.Literal("Never") }),
    Schema.Struct({ _tag: Schema.Literal("After"), count: Schema.String, unit: Schema.Literals(["d", "y"]) }),
    Schema.Struct({ _tag: Schema.Literal("On"), date: Schema.String })
  ])
})

const decode = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ callerId: Schema.String, search: Schema.String, draft: Draft }))
)

/** The caller and the parameters of the address that a draft belongs to. */
export interface DraftOwner {
  readonly callerId: string
  readonly search: string
}

/** Returns the kept draft of a caller, if there is one. */
export const read = (storage: Storage, { callerId, search }: DraftOwner): KeyDraft | undefined => {
  const kept = Option.getOrUndefined(decode(storage.getItem(ENTRY)))
  if (kept === undefined || kept.callerId !== callerId || kept.search !== search) return undefined
  return { ...kept.draft, clusters: kept.draft.clusters, selectors: kept.draft.selectors }
}

/** Keeps a draft, and replaces the one before. */
export const write = (storage: Storage, owner: DraftOwner, draft: KeyDraft): void => {
  const text = JSON.stringify({ ...owner, draft })
  if (text.length <= MAX_LENGTH) storage.setItem(ENTRY, text)
}

export const clear = (storage: Storage): void => storage.removeItem(ENTRY)
