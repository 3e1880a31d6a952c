/**
 * Changes many workloads in one call.
 */
import { BulkActionResult } from "@quarterdeck/contract/WorkloadsGroup"
import { Effect, Option, Schedule, Schema } from "effect"
import type { Change } from "./ActionQueries.ts"
import * as ActionProgress from "./ActionProgress.ts"
import type { BulkCall, End, Outcome } from "./BulkCall.ts"
import { ApiFailure } from "./Client.ts"
import { noAnswer, send } from "./File.ts"
import type { WorkloadName } from "./WorkloadQueries.ts"

const PATH = "/api/v1/workloads/actions"

const bodyOf = ({ action, replicas }: Change, workloads: ReadonlyArray<WorkloadName>) => ({
  action,
  ...(action === "scale" ? { replicas } : {}),
  targets: workloads.map(({ cluster, kind, name, namespace }) => ({ cluster, namespace, kind, name }))
})

const decodeResult = Schema.decodeUnknownOption(Schema.fromJsonString(BulkActionResult))

/** Retries after a change of network, which aborts running requests. */
const RETRY = { times: 2, schedule: Schedule.exponential("250 millis") }

/**
 * Previews a change. Lost replies are retried, which is safe because nothing is changed.
 *
 * **Errors** rejects with `ApiFailure`.
 */
export const preview = (
  change: Change,
  workloads: ReadonlyArray<WorkloadName>,
  signal: AbortSignal
): Promise<ReadonlyArray<Outcome>> => {
  const attempt = Effect.tryPromise({ try: () => previewOnce(change, workloads, signal), catch: (failure) => failure })
  const isLost = (failure: unknown) => !signal.aborted && failure instanceof ApiFailure && failure.code === "no_answer"
  return Effect.runPromise(Effect.retry(attempt, { ...RETRY, while: isLost }))
}

const previewOnce = async (
  change: Change,
  workloads: ReadonlyArray<WorkloadName>,
  signal: AbortSignal
): Promise<ReadonlyArray<Outcome>> => {
  const response = await send(PATH, {
    method: "POST",
    headers: {},
    body: { ...bodyOf(change, workloads), dryRun: true },
    signal
  })
  const text = await response.text().catch(() => {
    throw noAnswer()
  })
  const result = Option.getOrUndefined(decodeResult(text))
  if (result === undefined) throw noAnswer()
  return result.outcomes
}

/**
 * Changes workloads and reports each outcome as soon as it is known.
 *
 * **Errors** rejects with `ApiFailure`. Nothing was done, except after `no_answer` and `outcome_unknown`. After `no_answer` the
 * same call may be sent again.
 */
export const perform = async (
  { change, key, workloads }: BulkCall,
  { onOutcome, signal }: { readonly signal: AbortSignal; readonly onOutcome: (outcome: Outcome) => void }
): Promise<End> => {
  const response = await send(PATH, {
    method: "POST",
    headers: { accept: "text/event-stream", "idempotency-key": key },
    body: bodyOf(change, workloads),
    signal
  })
  const reader = ActionProgress.reader(onOutcome)
  const text = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  for (;;) {
    const part = await text?.read().catch(() => {
      throw noAnswer()
    })
    const end = reader.end()
    if (end !== undefined) return end
    if (part === undefined || part.done) throw noAnswer()
    if (!reader.feed(part.value)) {
      await text?.cancel()
      throw noAnswer()
    }
  }
}
