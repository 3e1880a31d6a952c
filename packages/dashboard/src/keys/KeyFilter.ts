/**
 * The filter and the order of the key list. The page's address holds them.
 */
import type { KeyParameters } from "../api/KeyQueries.ts"
import type { Status } from "../api/Shapes.ts"
import { type Mark, MARKS, type Sorting, SORTS } from "./KeyMarks.ts"

export const STATUSES: ReadonlyArray<Status> = ["active", "expiring", "expired", "revoked"]

/**
 * Filter of the key list. Empty strings, an absent status and no marks match every key.
 *
 * **Shape** `name` matches a part of the name. `createdBy` is an id. The server does not know `marks` and the order: the
 * page applies them to the keys that it has loaded.
 */
export interface KeyFilter extends Sorting {
  readonly name: string
  readonly status: Status | undefined
  readonly createdBy: string
  readonly marks: ReadonlyArray<Mark>
}

export const NO_FILTER: KeyFilter = {
  name: "",
  status: undefined,
  createdBy: "",
  marks: [],
  sort: undefined,
  order: "asc"
}

export const statusOf = (text: string | null): Status | undefined => STATUSES.find((status) => status === text)

export const parse = (search: URLSearchParams): KeyFilter => {
  const marks = search.getAll("mark")
  const sort = SORTS.find((one) => one === search.get("sort"))
  return {
    name: search.get("name") ?? "",
    status: statusOf(search.get("status")),
    createdBy: search.get("createdBy") ?? "",
    marks: MARKS.filter((mark) => marks.includes(mark)),
    sort,
    order: sort !== undefined && search.get("order") === "desc" ? "desc" : "asc"
  }
}

/** Writes a filter into an address. Other parameters stay. **Shape** empty values are omitted. */
export const write = (search: URLSearchParams, filter: KeyFilter): URLSearchParams => {
  const { createdBy, marks, name, order, sort, status } = filter
  const next = new URLSearchParams(search)
  for (const [key, value] of [
    ["name", name],
    ["status", status ?? ""],
    ["createdBy", createdBy],
    ["sort", sort ?? ""],
    ["order", sort !== undefined && order === "desc" ? order : ""]
  ] as const) {
    if (value === "") next.delete(key)
    else next.set(key, value)
  }
  next.delete("mark")
  for (const mark of marks) next.append("mark", mark)
  return next
}

export const isNarrowed = ({ createdBy, marks, name, status }: KeyFilter): boolean =>
  name.trim() !== "" || status !== undefined || createdBy !== "" || marks.length > 0

/** Checks whether the page must load every key, because the server knows neither the marks nor the order. */
export const needsAll = ({ marks, sort }: KeyFilter): boolean => marks.length > 0 || sort !== undefined

/** Makes the API parameters of a filter. */
export const parametersOf = ({ createdBy, name, status }: KeyFilter): KeyParameters => ({
  ...(name.trim() === "" ? {} : { name: name.trim() }),
  ...(status === undefined ? {} : { status }),
  ...(createdBy === "" ? {} : { createdBy })
})
