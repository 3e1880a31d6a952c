/** Readers that were cut since they took nothing, as the metrics count them: of every service of this process. */
import { Effect } from "effect"
import { Deployment } from "./Deployment.ts"

const COUNT = /^quarterdeck_stream_ends_total\{[^}]*code="too_slow"[^}]*\} (\d+)$/gm

export const slowReaders = Effect.gen(function* () {
  const { text } = yield* (yield* Deployment).call("/metrics", { key: "admin" })
  return [...text.matchAll(COUNT)].reduce((sum, [, count]) => sum + Number(count), 0)
})
