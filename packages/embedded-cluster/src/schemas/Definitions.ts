/**
 * The schemas of the kinds that are built in, as the real server publishes them.
 *
 * **Source** `/openapi/v3` of Kubernetes 1.36; `SchemaFile.ts` writes the file.
 */
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { EMPTY, isArray, isObject, type JsonObject, parse } from "../core/Json.ts"

export const FILE = fileURLToPath(new URL("../../openapi/schemas.jsonl", import.meta.url))

/** The prefix of a reference to a schema. */
export const REFERENCE = "#/components/schemas/"

interface Loaded {
  /** The text of each schema that nobody has asked for yet. */
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

/** The names of all schemas. */
export const names = (): ReadonlyArray<string> => [...(loaded ??= load()).texts.keys()]

/**
 * The schema of a name, empty for one that is not known.
 *
 * **Limits** the file is read on the first call in this process, 1 MB; a schema is parsed when it is first asked for: all of
 * them would take 15 ms of the 22 in which three clusters are ready (`bench harness`).
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

/** Groups whose types do not stand where those of all others stand. */
const ELSEWHERE = new Map([
  ["apiextensions.k8s.io", "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions"],
  ["apiregistration.k8s.io", "io.k8s.kube-aggregator.pkg.apis.apiregistration"]
])

/** The name under which the schema of a kind is known. */
export const nameOf = (group: string, version: string, kind: string): string => {
  const home = ELSEWHERE.get(group) ?? `io.k8s.api.${group === "" ? "core" : group.split(".")[0]}`
  return `${home}.${version}.${kind}`
}
