/**
 * Settings of the sampler.
 */
import { Context } from "effect"

/**
 * Settings of the sampler. **Units** are part of the names.
 *
 * - `graceSeconds`: an hour is closed at the first sample this long after its end, because late measurements may arrive.
 * - `listSeconds`: interval of volume and load balancer lists. Items that exist only between two lists are missed.
 * - `maxPendingHours`: how long an ended hour waits for its usage, the store, or back-filled hours.
 * - `repriceHours`: hours that are rewritten in one batch.
 * - `foldedPrefixes`: bare pods and ownerless Jobs with such a name prefix are charged as one workload.
 */
export const SamplerSettings = Context.Reference<{
  readonly sampleSeconds: number
  readonly graceSeconds: number
  readonly sampleTimeoutSeconds: number
  readonly listSeconds: number
  readonly hourlyDays: number
  readonly retentionDays: number
  readonly maxPendingHours: number
  readonly repriceHours: number
  readonly foldedPrefixes: ReadonlyArray<string>
}>("@quarterdeck/cost/sampler/SamplerSettings", {
  defaultValue: () => ({
    sampleSeconds: 60,
    graceSeconds: 60,
    sampleTimeoutSeconds: 20,
    listSeconds: 60,
    hourlyDays: 100,
    retentionDays: 400,
    maxPendingHours: 12,
    repriceHours: 24,
    foldedPrefixes: []
  })
})
export type SamplerSettings = (typeof SamplerSettings)["Service"]
