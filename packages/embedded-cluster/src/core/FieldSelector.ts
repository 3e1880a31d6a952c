/**
 * Field selectors: `metadata.name=web,status.phase!=Running`.
 *
 * **Source** Kubernetes, `k8s.io/apimachinery/pkg/fields`.
 */
import { Result } from "effect"
import type { Resource } from "./Resource.ts"
import { badRequest, type Outcome } from "./Status.ts"

interface FieldRequirement {
  readonly field: string
  readonly value: string
  readonly equal: boolean
}

/** Requirements that must all hold. An empty list matches every object. */
export type FieldSelector = ReadonlyArray<FieldRequirement>

/** Selectable fields of one object, read once when the object is stored. */
export type Fields = Readonly<Record<string, string>>

export const matches = (selector: FieldSelector, fields: Fields): boolean =>
  selector.every(({ equal, field, value }) => ((fields[field] ?? "") === value) === equal)

/** The value that a field must equal; `undefined` if the selector does not require equality of the field. */
export const pinned = (selector: FieldSelector, field: string): string | undefined =>
  selector.find((requirement) => requirement.equal && requirement.field === field)?.value

/**
 * Parses the text of `fieldSelector` for one resource.
 *
 * **Shape** `field=value`, `==` or `!=`, joined by commas. In a value, a backslash escapes a comma, `=` or backslash.
 *
 * **Errors** 400 BadRequest if the text is not a selector, or if the resource cannot be selected by the field.
 */
export const parse = (text: string, resource: Resource): Outcome<FieldSelector> => {
  const refuse = (rule: string) => Result.fail(badRequest(`fieldSelector ${JSON.stringify(text)}: ${rule}`))
  const known = selectable(resource)
  const requirements: Array<FieldRequirement> = []
  for (const term of split(text)) {
    if (term === "") continue
    const match = /^([^=!\\]*)(==|!=|=)([\s\S]*)$/.exec(term)
    if (match === null) return refuse("each part must be field=value or field!=value")
    const [, field = "", operator, rest = ""] = match
    const value = unescape(rest)
    if (value === undefined)
      return refuse('in a value, escape ",", "=" and backslash with a backslash; nothing else may be escaped')
    if (!known.includes(field)) return refuse(`${resource.resource} are selected by ${known.join(", ")}`)
    requirements.push({ field, value, equal: operator !== "!=" })
  }
  return Result.succeed(requirements)
}

/** Escapes a value so that {@link parse} reads it back. */
export const escape = (value: string): string => value.replace(/[\\,=]/g, (character) => `\\${character}`)

/** Names of the fields that a resource can be selected by. */
const selectable = (resource: Resource): ReadonlyArray<string> => [
  "metadata.name",
  ...(resource.namespaced ? ["metadata.namespace"] : []),
  ...resource.fields.map(({ name }) => name)
]

const split = (text: string): ReadonlyArray<string> => {
  const terms: Array<string> = []
  let start = 0
  for (let index = 0; index < text.length; index++) {
    if (text[index] === "\\") index += 1
    else if (text[index] === ",") {
      terms.push(text.slice(start, index))
      start = index + 1
    }
  }
  return [...terms, text.slice(start)]
}

const unescape = (value: string): string | undefined => {
  let plain = ""
  for (let index = 0; index < value.length; index++) {
    const character = value[index]
    if (character === "=" || character === ",") return undefined
    if (character !== "\\") {
      plain += character
      continue
    }
    const next = value[index + 1]
    if (next !== "\\" && next !== "," && next !== "=") return undefined
    plain += next
    index += 1
  }
  return plain
}
