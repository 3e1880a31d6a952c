/**
 * Lists the keys that a caller may see, page by page.
 */
import { DateTime, Effect, Order } from "effect"
import type { ApiKey, Status } from "./ApiKey.ts"
import { ofConfigured, ofCreated } from "./ApiKeyView.ts"
import { InvalidPosition, type KeyStoreError } from "./KeyError.ts"
import {
  type Caller,
  type Failure,
  findOrphans,
  type Keys,
  refuse,
  requireRole,
  SCAN,
  showAmong,
  visibleTo
} from "./KeyRealm.ts"
import type { KeyRecord, Position } from "./KeyStore.ts"
import * as ListPosition from "./ListPosition.ts"

/** Filter of a list. **Shape** `createdBy`: a key id. `name`: a substring of the name. A key must match every given field. */
interface ListFilter {
  readonly createdBy?: string
  readonly name?: string
  readonly status?: Status
}

/**
 * The page to read, and its filter.
 *
 * **Shape** `position`: the `next` of an earlier page with the same filter; absent for the first page.
 */
export interface ListOptions extends ListFilter {
  readonly limit: number
  readonly position?: string
}

/** One page of keys. **Shape** `next`: present if more keys follow; base64url, at most 1,024 characters. */
export interface KeyPage {
  readonly apiKeys: ReadonlyArray<ApiKey>
  readonly next?: string
}

interface Row {
  readonly position: ListPosition.ListPosition
  readonly apiKey: ApiKey
}

/** Reads created keys that the caller may see: those after a position, and at most `wanted` of them. */
const scan = Effect.fnUntraced(function* (
  { store }: Keys,
  caller: Caller,
  wanted: number,
  after: Position | undefined,
  isWanted: (key: KeyRecord) => boolean
): Effect.fn.Return<ReadonlyArray<KeyRecord>, KeyStoreError> {
  const found: Array<KeyRecord> = []
  let from = after
  while (found.length < wanted) {
    const page = yield* store.list({ limit: SCAN, ...(from === undefined ? {} : { after: from }) })
    found.push(...page.filter(visibleTo(caller)).filter(isWanted))
    from = page.at(-1)
    if (page.length < SCAN) break
  }
  return found.slice(0, wanted)
})

/** Lists keys, deploy-time keys first. **Errors** `RoleForbidden`, `InvalidPosition`. */
export const list = Effect.fnUntraced(function* (
  keys: Keys,
  caller: Caller,
  { limit, position, ...filter }: ListOptions
): Effect.fn.Return<KeyPage, Failure> {
  yield* requireRole(caller, "read")
  const from = position === undefined ? undefined : ListPosition.parse(position)
  if (position !== undefined && from === undefined) return yield* refuse(new InvalidPosition({}))
  const now = yield* DateTime.now
  const { byId } = yield* keys.config.current
  const configured =
    from?.source === "created"
      ? []
      : [...byId.values()]
          .filter(visibleTo(caller))
          .filter((key) => matches(ofConfigured(key, now), filter))
          .filter((key) => from === undefined || configuredOrder(key, from.after) > 0)
          .toSorted(configuredOrder)
  // Reads one key more than the limit, to know whether another page follows.
  const created = yield* scan(
    keys,
    caller,
    limit + 1 - configured.length,
    from?.source === "created" ? from.after : undefined,
    (key) => matches(ofCreated(key, now), filter)
  )
  const orphans = yield* findOrphans(keys, created, now)
  const rows = [
    ...configured.map((key): Row => ({
      position: { source: "configured", after: key },
      apiKey: ofConfigured(key, now)
    })),
    ...created.map((key): Row => ({
      position: { source: "created", after: key },
      apiKey: showAmong(orphans, key, now)
    }))
  ]
  const shown = rows.slice(0, limit)
  const last = rows.length > limit ? shown.at(-1) : undefined
  return {
    apiKeys: shown.map(({ apiKey }) => apiKey),
    ...(last === undefined ? {} : { next: ListPosition.print(last.position) })
  }
})

const matches = (key: ApiKey, { createdBy, name, status }: ListFilter): boolean =>
  (createdBy === undefined || key.createdBy === createdBy)
  && (name === undefined || key.name.includes(name))
  && (status === undefined || key.status === status)

const configuredOrder: Order.Order<ListPosition.ConfiguredPosition> = Order.combine(
  Order.mapInput(Order.String, (key: ListPosition.ConfiguredPosition) => key.name),
  Order.mapInput(Order.String, (key: ListPosition.ConfiguredPosition) => key.id)
)
