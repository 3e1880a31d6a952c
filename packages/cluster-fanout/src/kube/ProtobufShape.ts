/** Describes the protobuf fields to read and their form in the API's JSON. */

/**
 * A field to read.
 *
 * **Shape** `omitsZero`: the JSON omits the field if it is empty, 0 or false, although the protobuf contains it. An
 * `inline` message has no name in the JSON: its fields belong to the enclosing object. A `time` is RFC 3339 in seconds,
 * absent for Go's zero time.
 */
export type Field =
  | { readonly type: "integer"; readonly name: string; readonly omitsZero: boolean }
  | { readonly type: "flag"; readonly name: string; readonly omitsZero: boolean }
  | { readonly type: "text"; readonly name: string; readonly omitsZero: boolean }
  | { readonly type: "time" | "bytes"; readonly name: string }
  | { readonly type: "map"; readonly name: string; readonly values: "texts" | "quantities" }
  | { readonly type: "message" | "messages"; readonly name: string; readonly shape: Shape }
  | { readonly type: "inline"; readonly shape: Shape }

/** The fields of a message by number. Fields without an entry are skipped. */
export type Shape = ReadonlyArray<Field | undefined>

export const make = (fields: Readonly<Record<number, Field>>): Shape => {
  const largest = Math.max(...Object.keys(fields).map(Number))
  return Array.from({ length: largest + 1 }, (_, number) => fields[number])
}

export const text = (name: string): Field => ({ type: "text", name, omitsZero: false })
export const filledText = (name: string): Field => ({ type: "text", name, omitsZero: true })
export const integer = (name: string): Field => ({ type: "integer", name, omitsZero: false })
export const nonZero = (name: string): Field => ({ type: "integer", name, omitsZero: true })
export const flag = (name: string): Field => ({ type: "flag", name, omitsZero: false })
export const raisedFlag = (name: string): Field => ({ type: "flag", name, omitsZero: true })
export const time = (name: string): Field => ({ type: "time", name })
export const bytes = (name: string): Field => ({ type: "bytes", name })
export const texts = (name: string): Field => ({ type: "map", name, values: "texts" })
export const quantities = (name: string): Field => ({ type: "map", name, values: "quantities" })
export const message = (name: string, shape: Shape): Field => ({ type: "message", name, shape })
export const messages = (name: string, shape: Shape): Field => ({ type: "messages", name, shape })
export const inline = (shape: Shape): Field => ({ type: "inline", shape })
