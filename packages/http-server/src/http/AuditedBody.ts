/**
 * Tells the audit what a body names, before anything of it is decided.
 */
import { BulkActionRequest } from "@quarterdeck/contract/WorkloadsGroup"
import { Effect, Option, Result, Schema } from "effect"
import * as RequestRecord from "./RequestRecord.ts"
import * as StrictJson from "./StrictJson.ts"

/** Where many workloads are changed at once. */
const ACTIONS_PATH = "/api/v1/workloads/actions"

const decode = Schema.decodeUnknownOption(BulkActionRequest, { onExcessProperty: "error" })

/**
 * Notes which workloads the body of the current request names, if that is what it names.
 *
 * **Shape** a body that does not decode is left out, for it may hold a secret; so is the text of a selector.
 */
export const note = Effect.fnUntraced(function* (path: string, text: string) {
  if (path !== ACTIONS_PATH) return
  const body = Option.getOrUndefined(Option.flatMap(Result.getSuccess(StrictJson.parse(text)), decode))
  if (body === undefined) return
  const { action, targets } = body
  if (targets === undefined) {
    return yield* RequestRecord.note({ target: { asked: "", clusters: [], object: `${action}: workloads by label` } })
  }
  yield* RequestRecord.note({
    target: {
      asked: [...new Set(targets.map(({ cluster }) => cluster))].join("|"),
      clusters: [],
      namespaces: namespacesOf(targets),
      object: objectOf(action, targets.length)
    }
  })
})

/** The namespaces of workloads, each once. */
export const namespacesOf = (targets: ReadonlyArray<{ readonly namespace: string }>): ReadonlyArray<string> => [
  ...new Set(targets.map(({ namespace }) => namespace))
]

/** Names what is done to how many workloads. **Example** `restart: 3 workloads` */
export const objectOf = (action: string, count: number): string =>
  `${action}: ${count} ${count === 1 ? "workload" : "workloads"}`
