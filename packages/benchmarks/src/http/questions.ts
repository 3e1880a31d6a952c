/**
 * Requests for pages of workloads, all different, and for refusals.
 */
import type { Key } from "../load/Programs.ts"
import type { Question } from "../load/Plan.ts"

const KEYS = 100
const SORTS = ["name", "namespace", "cluster", "kind", "status", "createdAt", "cpuRequestMillis", "memoryRequestBytes"]
const ORDERS = ["asc", "desc"]
/** Name filters. The empty text filters nothing. */
const NAMES = [
  "",
  "a",
  "c",
  "e",
  "i",
  "o",
  "r",
  "s",
  "t",
  "-",
  "-0",
  "-1",
  "-2",
  "-3",
  "-4",
  "1",
  "2",
  "3",
  "4",
  "5",
  "6",
  "7"
]
/** Number of namespaces that the requests filter by. */
const PLACES = 2
/** Step for mixing. It has no factor in common with the number of requests, so it visits each once. */
const STRIDE = 7_919

/** Keys with three scopes: everything, two clusters, half of the namespaces. */
export const keysOf = (clusters: ReadonlyArray<string>, namespaces: ReadonlyArray<string>): ReadonlyArray<Key> =>
  Array.from({ length: KEYS }, (_, index) => {
    const raw = `benchmark-reader-${index}-0123456789`
    if (index % 4 === 1) return { raw, rule: { role: "Viewer", targetClusters: clusters.slice(0, 2) } }
    return index % 4 === 3
      ? { raw, rule: { role: "Viewer", targetNamespaces: [{ namespaceNames: halfOf(namespaces) }] } }
      : { raw, rule: { role: "Viewer" } }
  })

/** Keys whose rule selects the namespaces with a label. */
export const labelKeysOf = (matchLabels: Readonly<Record<string, string>>): ReadonlyArray<Key> =>
  Array.from({ length: KEYS }, (_, index) => ({
    raw: `benchmark-label-reader-${index}-0123456789`,
    rule: { role: "Viewer", targetNamespaces: [{ namespaceNames: [], labelSelector: { matchLabels } }] }
  }))

/** The same request with unknown keys, all different. */
export const guessesOf = (count: number): ReadonlyArray<Question> =>
  Array.from({ length: count }, (_, index) => ({ key: `benchmark-guess-${index}`, path: "/api/v1/workloads" }))

const halfOf = (namespaces: ReadonlyArray<string>) => namespaces.slice(0, Math.ceil(namespaces.length / 2))

/** All combinations of key, order, name and namespace, mixed. **Shape** never requests anything outside of a key's scope. */
export const questionsOf = (keys: ReadonlyArray<Key>, namespaces: ReadonlyArray<string>): ReadonlyArray<Question> => {
  const places = ["", ...halfOf(namespaces).slice(0, PLACES)]
  const plain = keys.flatMap(({ raw: key }) =>
    SORTS.flatMap((sort) =>
      ORDERS.flatMap((order) => NAMES.flatMap((name) => places.map((place) => ({ key, sort, order, name, place }))))
    )
  )
  const mixed = plain.flatMap((_, index) => plain[(index * STRIDE) % plain.length] ?? [])
  return mixed.map(({ key, name, order, place, sort }) => {
    const filters = `${name === "" ? "" : `&name=${name}`}${place === "" ? "" : `&namespace=${place}`}`
    return { key, path: `/api/v1/workloads?limit=100&sort=${sort}&order=${order}${filters}` }
  })
}
