/**
 * Schemas of the built-in kinds, as the real server publishes them.
 *
 * **Source** `/openapi/v3` of Kubernetes 1.36; `SchemaFile.ts` of the harness writes the file.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { EMPTY, isArray, isObject, type JsonObject, parse } from "../core/Json.ts"

export const FILE = fileURLToPath(new URL("../../openapi/schemas.jsonl", import.meta.url))

/** Prefix of a reference to a schema. */
export const REFERENCE = "#/components/schemas/"

interface Loaded {
  /** Lines of the file by schema name. */
  readonly texts: ReadonlyMap<string, string>
  readonly parsed: Map<string, JsonObject>
}

let loaded: Loaded | undefined

const load = (): Loaded => {
  const texts = new Map<string, string>()
  const text = readFileSync(FILE, "utf8")
  for (let start = 0; start < text.length;) {
    const end = text.indexOf("\n", start)
    const line = text.slice(start, end)
    texts.set(line.slice(2, line.indexOf('"', 2)), line)
    start = end + 1
  }
  return { texts, parsed: new Map() }
}

export const names = (): ReadonlyArray<string> => [...(loaded ??= load()).texts.keys()]

/**
 * Returns the schema with a name; empty if the name is unknown.
 *
 * **Limits** the first call in a process reads the file, 1 MB. A schema is parsed when it is first needed, because
 * parsing all of them would dominate a cluster's start time.
 */
export const get = (name: string): JsonObject => {
  const { parsed, texts } = (loaded ??= load())
  const known = parsed.get(name)
  if (known !== undefined) return known
  const text = texts.get(name)
  const line = text === undefined ? [] : parse(text)
  const schema = isArray(line) && isObject(line[1]) ? line[1] : EMPTY
  parsed.set(name, schema)
  return schema
}

/** Groups whose Go packages are outside `io.k8s.api`. */
const ELSEWHERE = new Map([
  ["apiextensions.k8s.io", "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions"],
  ["apiregistration.k8s.io", "io.k8s.kube-aggregator.pkg.apis.apiregistration"]
])

/** Name of a kind's schema. */
export const nameOf = (group: string, version: string, kind: string): string => {
  const home = ELSEWHERE.get(group) ?? `io.k8s.api.${group === "" ? "core" : group.split(".")[0]}`
  return `${home}.${version}.${kind}`
}
