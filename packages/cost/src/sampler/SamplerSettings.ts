/**
 * How often clusters are sampled, and how long hours are kept.
 */
import { Context } from "effect"

/**
 * The sampler's settings.
 *
 * An hour is closed `graceSeconds` after its end, at the next sample: what was measured before the end may come
 * after it. Volumes and load balancers are listed every `listSeconds`; those that come and go between two lists are missed. A source of usage that knows whole hours, a
 * store, and hours of the past that are filled in, are given `maxPendingHours` to come before an hour is given up. `repriceHours` are rewritten at once.
 * Bare pods and Jobs without an owner whose names begin with one of `foldedPrefixes` are charged as one workload.
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
