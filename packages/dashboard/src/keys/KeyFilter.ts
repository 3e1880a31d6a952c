/**
 * What a list of keys is narrowed to, as its address says it.
 */
import type { KeyQuestion } from "../api/KeyQueries.ts"
import type { Status } from "../api/Shapes.ts"

export const STATUSES: ReadonlyArray<Status> = ["active", "expiring", "expired", "revoked"]

/**
 * What narrows the list of keys; empty texts and no status narrow nothing.
 *
 * **Shape** `name` is a part of it, `createdBy` an id.
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

/** Writes a filter into an address, and leaves the rest of that alone. **Shape** what narrows nothing is not said. */
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

/** Makes what the server is asked. */
export const questionOf = ({ createdBy, name, status }: KeyFilter): KeyQuestion => ({
  ...(name.trim() === "" ? {} : { name: name.trim() }),
  ...(status === undefined ? {} : { status }),
  ...(createdBy === "" ? {} : { createdBy })
})
