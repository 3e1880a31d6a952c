/**
 * The client addresses that a key may be used from.
 */
import { Schema } from "effect"
import * as AddressRange from "./AddressRange.ts"

/** Maximum number of ranges per key. */
export const MAX_RANGES = 32

const PROBLEMS: Record<AddressRange.RangeProblem, string> = {
  syntax: "expected an address or a range in CIDR notation, such as 203.0.113.0/24 or 2001:db8::/32",
  hostBits: "has bits set after its prefix; write the first address of the range, such as 10.0.0.0/8"
}

const Range = Schema.String.check(
  Schema.makeFilter((text) => {
    const range = AddressRange.parse(text)
    return typeof range !== "string" || PROBLEMS[range]
  })
)

/**
 * Ranges in CIDR notation. A key without the list may be used from any address.
 *
 * **Shape** an empty list is refused, so that it cannot be mistaken for a list of every address.
 */
export const AllowFrom = Schema.Array(Range).check(
  Schema.isMinLength(1, {
    expected: "at least one range; leave the field out to inherit the ranges of the calling key"
  }),
  Schema.isMaxLength(MAX_RANGES, { expected: `at most ${MAX_RANGES} ranges` })
)
export type AllowFrom = typeof AllowFrom.Type

const compile = (list: AllowFrom): ReadonlyArray<AddressRange.AddressRange> =>
  list.flatMap((text) => {
    const range = AddressRange.parse(text)
    return typeof range === "string" ? [] : [range]
  })

/** Cache of parsed ranges: each request of a stored key checks the same list. */
const compiled = new WeakMap<AllowFrom, ReadonlyArray<AddressRange.AddressRange>>()

const rangesOf = (list: AllowFrom): ReadonlyArray<AddressRange.AddressRange> => {
  const known = compiled.get(list)
  if (known !== undefined) return known
  const ranges = compile(list)
  compiled.set(list, ranges)
  return ranges
}

/** Prints each range in canonical form, without duplicates. */
export const canonical = (list: AllowFrom): AllowFrom => [...new Set(compile(list).map(AddressRange.print))]

/**
 * Checks whether a list permits a client address.
 *
 * **Shape** a missing list permits every address. A list permits no address that is missing or cannot be parsed.
 */
export const permits = (list: AllowFrom | undefined, address: string | undefined): boolean => {
  if (list === undefined) return true
  const parsed = address === undefined ? undefined : AddressRange.parseAddress(address)
  return parsed !== undefined && rangesOf(list).some((range) => AddressRange.contains(range, parsed))
}

/**
 * Checks whether each range of the inner list lies within a range of the outer list.
 *
 * **Shape** a missing inner list lies only within a missing outer list. An inner range must lie
 * within a single outer range: two outer ranges that cover it together do not suffice.
 */
export const isWithin = (inner: AllowFrom | undefined, outer: AllowFrom | undefined): boolean => {
  if (outer === undefined) return true
  if (inner === undefined) return false
  return rangesOf(inner).every((range) => rangesOf(outer).some((other) => AddressRange.isWithin(range, other)))
}
