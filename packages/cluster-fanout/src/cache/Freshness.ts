/**
 * How long ago the view of a cluster was proven to be current, and what follows from it.
 */
import type { Sync } from "./KindTable.ts"

/** Without an event, a bookmark or a probe for so long, rows are called stale. */
const STALE_AFTER_MS = 90_000

/** Without proof on the namespaces for so long, a label selector matches nothing. */
const LABELS_PROVEN_FOR_MS = 30_000

/** What is known of one kind. **Units** milliseconds by `steadyClock`. */
export interface Proof {
  readonly sync: Sync
  readonly provenAt: number | undefined
}

/** Gives the age of one kind's rows: since an event, a bookmark or a list last proved them. */
export const ageMs = ({ provenAt }: Proof, now: number): number => Math.max(0, now - (provenAt ?? 0))

/**
 * Gives for how long nothing has been heard that concerns one kind's rows.
 *
 * **Shape** a probe of the server counts while the kind's watch runs: it has nothing to tell then. It says nothing of
 * a watch that has failed, and proves no row.
 */
export const silentMs = (proof: Proof, probedAt: number | undefined, now: number): number => {
  const { sync } = proof
  const isLive = sync._tag === "Synced" && sync.live
  return Math.min(ageMs(proof, now), isLive && probedAt !== undefined ? Math.max(0, now - probedAt) : Infinity)
}

export const isStale = (silentMs: number, isSilent: boolean): boolean => isSilent || silentMs >= STALE_AFTER_MS

/** Tells whether a namespace view is current enough to decide by its labels; a probe of the server proves nothing here. */
export const provesLabels = ({ provenAt, sync }: Proof, now: number): boolean =>
  sync._tag === "Synced" && provenAt !== undefined && now - provenAt <= LABELS_PROVEN_FOR_MS
