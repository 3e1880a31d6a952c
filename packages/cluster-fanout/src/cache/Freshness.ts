/**
 * Staleness of a cached cluster: the time since its data was last confirmed as current, and the limits of that time.
 */
import type { Sync } from "./KindTable.ts"

/** Rows are stale after this time without an event, a bookmark or a probe. */
const STALE_AFTER_MS = 90_000

/** If namespace labels were not confirmed as current for this time, selectors on them match nothing. */
const LABELS_PROVEN_FOR_MS = 30_000

/**
 * Sync state of one kind, and the time at which its rows were last confirmed as current. **Units** milliseconds by
 * `steadyClock`.
 */
export interface Proof {
  readonly sync: Sync
  readonly provenAt: number | undefined
}

/** Returns the age of one kind's rows: the time since an event, a bookmark or a list last confirmed them. */
export const ageMs = ({ provenAt }: Proof, now: number): number => Math.max(0, now - (provenAt ?? 0))

/**
 * Returns the time since the last contact that confirmed one kind's rows.
 *
 * **Shape** a probe counts while the kind's watch runs, because a running watch would report changes. A probe does not
 * count after the watch has failed, and never lowers `ageMs`.
 */
export const silentMs = (proof: Proof, probedAt: number | undefined, now: number): number => {
  const { sync } = proof
  const isLive = sync._tag === "Synced" && sync.live
  return Math.min(ageMs(proof, now), isLive && probedAt !== undefined ? Math.max(0, now - probedAt) : Infinity)
}

export const isStale = (silentMs: number, isSilent: boolean): boolean => isSilent || silentMs >= STALE_AFTER_MS

/**
 * Returns whether namespaces are current enough to decide access by their labels. A probe of the server does not count.
 */
export const provesLabels = ({ provenAt, sync }: Proof, now: number): boolean =>
  sync._tag === "Synced" && provenAt !== undefined && now - provenAt <= LABELS_PROVEN_FOR_MS
