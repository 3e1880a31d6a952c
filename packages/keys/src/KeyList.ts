/**
 * Lists the keys of a caller's realm, page by page.
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

/** What a list is narrowed to. **Shape** `createdBy` is a key's id, `name` a part of the name; together they narrow on. */
interface ListFilter {
  readonly createdBy?: string
  readonly name?: string
  readonly status?: Status
}

/**
 * Which page of the list, and which keys are in it.
 *
 * **Shape** `position` is the `next` of an earlier page with the same filter; absent starts at the beginning.
 */
export interface ListOptions extends ListFilter {
  readonly limit: number
  readonly position?: string
}

/** One page of keys. **Shape** `next` is present when there is more: base64url, at most 1,024 characters. */
export interface KeyPage {
  readonly apiKeys: ReadonlyArray<ApiKey>
  readonly next?: string
}

interface Row {
  readonly position: ListPosition.ListPosition
  readonly apiKey: ApiKey
}

/** The caller's keys of the store after a place, at most `wanted`. */
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

/** Lists, deploy-time keys first. **Errors** `RoleForbidden`, `InvalidPosition`. */
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
  // One more than asked for tells whether there is more.
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
