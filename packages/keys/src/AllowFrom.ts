/**
 * The client addresses that a key may be used from.
 */
import { Schema } from "effect"
import * as AddressRange from "./AddressRange.ts"

/** The most ranges of one key. */
export const MAX_RANGES = 32

const PROBLEMS: Record<AddressRange.RangeProblem, string> = {
  syntax: "expected an address or a range in CIDR notation, such as 203.0.113.0/24 or 2001:db8::/32",
  hostBits: "has bits set behind its prefix; write the first address of the range, such as 10.0.0.0/8"
}

const Range = Schema.String.check(
  Schema.makeFilter((text) => {
    const range = AddressRange.parse(text)
    return typeof range !== "string" || PROBLEMS[range]
  })
)

/**
 * Ranges in CIDR notation. A key without the list is used from anywhere.
 *
 * **Shape** an empty list is refused: a present field never means everywhere.
 */
export const AllowFrom = Schema.Array(Range).check(
  Schema.isMinLength(1, { expected: "at least one range; leave the field out to take the ranges of the key's maker" }),
  Schema.isMaxLength(MAX_RANGES, { expected: `at most ${MAX_RANGES} ranges` })
)
export type AllowFrom = typeof AllowFrom.Type

const compile = (list: AllowFrom): ReadonlyArray<AddressRange.AddressRange> =>
  list.flatMap((text) => {
    const range = AddressRange.parse(text)
    return typeof range === "string" ? [] : [range]
  })

/** The parsed ranges of the lists in use. A list of a stored key is read for each request of the key. */
const compiled = new WeakMap<AllowFrom, ReadonlyArray<AddressRange.AddressRange>>()

const rangesOf = (list: AllowFrom): ReadonlyArray<AddressRange.AddressRange> => {
  const known = compiled.get(list)
  if (known !== undefined) return known
  const ranges = compile(list)
  compiled.set(list, ranges)
  return ranges
}

/** Prints each range in its canonical form, once. */
export const canonical = (list: AllowFrom): AllowFrom => [...new Set(compile(list).map(AddressRange.print))]

/**
 * Checks whether a list permits a client address.
 *
 * **Shape** no list permits every address; a list never permits an address that is unknown or cannot be read.
 */
export const permits = (list: AllowFrom | undefined, address: string | undefined): boolean => {
  if (list === undefined) return true
  const parsed = address === undefined ? undefined : AddressRange.parseAddress(address)
  return parsed !== undefined && rangesOf(list).some((range) => AddressRange.contains(range, parsed))
}

/**
 * Checks whether one list lies inside another: each of its ranges inside one of the other's.
 *
 * **Shape** a missing list lies only inside a missing list. A range that only several of the other's cover together is
 * not inside.
 */
export const isWithin = (inner: AllowFrom | undefined, outer: AllowFrom | undefined): boolean => {
  if (outer === undefined) return true
  if (inner === undefined) return false
  return rangesOf(inner).every((range) => rangesOf(outer).some((other) => AddressRange.isWithin(range, other)))
}
