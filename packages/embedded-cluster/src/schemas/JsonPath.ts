/**
 * JSON paths in CustomResourceDefinitions: `.status.conditions[?(@.type=="Ready")].status`.
 *
 * **Source** Kubernetes, "JSONPath Support"; the part of its grammar that printer columns and selectable fields may
 * use.
 */
import { at, equals, isArray, isObject, type Json, parse as parseJson } from "../core/Json.ts"

type Step =
  | { readonly _tag: "Field"; readonly name: string }
  | { readonly _tag: "Index"; readonly index: number }
  | { readonly _tag: "Every" }
  | { readonly _tag: "Where"; readonly path: ReadonlyArray<string>; readonly equal: boolean; readonly value: Json }

export type JsonPath = ReadonlyArray<Step>

const FIELD = /^\.((?:[^.[\]\\]|\\.)+)/
const QUOTED = /^\[(?:'([^']*)'|"([^"]*)")\]/
const INDEX = /^\[(-?[0-9]+)\]/
const EVERY = /^(?:\[\*\]|\.\*)/
const WHERE = /^\[\?\(\s*@((?:\.[A-Za-z0-9_-]+)+)\s*(==|!=)\s*("[^"]*"|'[^']*'|[0-9.]+|true|false)\s*\)\]/

/** Parses a path. Returns `undefined` if the text is not a path. */
export const parse = (text: string): JsonPath | undefined => {
  const steps: Array<Step> = []
  let rest = text.startsWith(".") || text.startsWith("[") ? text : `.${text}`
  while (rest !== "") {
    const [step, length] = stepAt(rest) ?? [undefined, 0]
    if (step === undefined) return undefined
    steps.push(step)
    rest = rest.slice(length)
  }
  return steps
}

const stepAt = (text: string): readonly [Step, number] | undefined => {
  const every = EVERY.exec(text)
  if (every !== null) return [{ _tag: "Every" }, every[0].length]
  const named = FIELD.exec(text)
  if (named !== null) return [{ _tag: "Field", name: (named[1] ?? "").replaceAll(/\\(.)/g, "$1") }, named[0].length]
  const quoted = QUOTED.exec(text)
  if (quoted !== null) return [{ _tag: "Field", name: quoted[1] ?? quoted[2] ?? "" }, quoted[0].length]
  const index = INDEX.exec(text)
  if (index !== null) return [{ _tag: "Index", index: Number(index[1]) }, index[0].length]
  const where = WHERE.exec(text)
  if (where === null) return undefined
  const [whole, path = "", operator, literal = ""] = where
  const value = literal.startsWith("'") ? literal.slice(1, -1) : parseJson(literal)
  return [{ _tag: "Where", path: path.slice(1).split("."), equal: operator === "==", value }, whole.length]
}

/** Values at a path; empty if the path matches nothing. */
export const find = (path: JsonPath, value: Json): ReadonlyArray<Json> =>
  path.reduce<ReadonlyArray<Json>>((found, step) => found.flatMap((one) => follow(step, one)), [value])

const follow = (step: Step, value: Json): ReadonlyArray<Json> => {
  switch (step._tag) {
    case "Field": {
      const next = at(value, step.name)
      return next === undefined ? [] : [next]
    }
    case "Index": {
      const next = isArray(value) ? value.at(step.index) : undefined
      return next === undefined ? [] : [next]
    }
    case "Every":
      return isArray(value) ? value : isObject(value) ? Object.values(value) : []
    case "Where":
      return isArray(value) ? value.filter((item) => equals(at(item, ...step.path), step.value) === step.equal) : []
  }
}
