/**
 * The filter of the key list. The page's address holds it.
 */
import type { KeyParameters } from "../api/KeyQueries.ts"
import type { Status } from "../api/Shapes.ts"

export const STATUSES: ReadonlyArray<Status> = ["active", "expiring", "expired", "revoked"]

/**
 * Filter of the key list. Empty strings and an absent status match every key.
 *
 * **Shape** `name` matches a part of the name. `createdBy` is an id.
 */
export interface KeyFilter {
  readonly name: string
  readonly status: Status | undefined
  readonly createdBy: string
}

export const NO_FILTER: KeyFilter = { name: "", status: undefined, createdBy: "" }

export const statusOf = (text: string | null): Status | undefined => STATUSES.find((status) => status === text)

export const parse = (search: URLSearchParams): KeyFilter => ({
  name: search.get("name") ?? "",
  status: statusOf(search.get("status")),
  createdBy: search.get("createdBy") ?? ""
})

/** Writes a filter into an address. Other parameters stay. **Shape** empty values are omitted. */
export const write = (search: URLSearchParams, { createdBy, name, status }: KeyFilter): URLSearchParams => {
  const next = new URLSearchParams(search)
  for (const [key, value] of [
    ["name", name],
    ["status", status ?? ""],
    ["createdBy", createdBy]
  ] as const) {
    if (value === "") next.delete(key)
    else next.set(key, value)
  }
  return next
}

export const isNarrowed = ({ createdBy, name, status }: KeyFilter): boolean =>
  name.trim() !== "" || status !== undefined || createdBy !== ""

/** Makes the API parameters of a filter. */
export const parametersOf = ({ createdBy, name, status }: KeyFilter): KeyParameters => ({
  ...(name.trim() === "" ? {} : { name: name.trim() }),
  ...(status === undefined ? {} : { status }),
  ...(createdBy === "" ? {} : { createdBy })
})
