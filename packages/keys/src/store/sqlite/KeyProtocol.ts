/**
 * Protocol between the key store and its worker thread.
 */
import type { DiskReserve } from "@quarterdeck/sqlite-thread"

/** A key as a row. **Units** instants in milliseconds since the epoch. `rule` and `allowFrom` are JSON. */
export interface Row {
  readonly id: string
  readonly hash: string
  readonly name: string
  readonly description: string | null
  readonly start: string
  readonly rule: string
  readonly allowFrom: string | null
  readonly createdAtMs: number
  readonly createdBy: string | null
  readonly line: string | null
  readonly maker: string | null
  readonly rotatedFrom: string | null
  readonly rotatedAtMs: number | null
  readonly expiresAtMs: number | null
  readonly revokedAtMs: number | null
  readonly revokedBy: string | null
  readonly lastUsedAtMs: number | null
}

/** A session as a row. **Units** instants in milliseconds since the epoch. `person` is JSON; null for a key's session. */
export interface SessionRow {
  readonly hash: string
  readonly owner: string
  readonly person: string | null
  readonly createdAtMs: number
  readonly lastUsedAtMs: number
}

/** A registered cluster as a row. **Units** instants in milliseconds since the epoch. */
export interface ClusterRecordRow {
  readonly name: string
  readonly sealed: string
  readonly createdAtMs: number
  readonly createdBy: string
}

/** Maximum number of live keys of the maker of a new key. */
export interface QuotaRow {
  readonly most: number
  readonly atMs: number
}

export type Call =
  | { readonly operation: "open"; readonly path: string }
  | { readonly operation: "close" }
  | { readonly operation: "insert"; readonly row: Row; readonly quota: QuotaRow | null }
  | { readonly operation: "findByHash"; readonly hash: string }
  | { readonly operation: "find"; readonly id: string }
  | { readonly operation: "list"; readonly limit: number; readonly afterMs: number; readonly afterId: string }
  | { readonly operation: "revoke"; readonly id: string; readonly atMs: number; readonly by: string | null }
  | {
      readonly operation: "revokeAll"
      readonly ids: ReadonlyArray<string>
      readonly atMs: number
      readonly by: string | null
    }
  | { readonly operation: "findLiving"; readonly lines: ReadonlyArray<string>; readonly atMs: number }
  | {
      readonly operation: "update"
      readonly id: string
      readonly name: string | null
      readonly description: string | null
      readonly rule: string | null
      readonly allowFrom: string | null
    }
  | {
      readonly operation: "rotate"
      readonly id: string
      readonly atMs: number
      readonly endsAtMs: number
      readonly successor: Row
      readonly quota: QuotaRow | null
    }
  | { readonly operation: "touch"; readonly uses: ReadonlyArray<{ readonly id: string; readonly atMs: number }> }
  | { readonly operation: "count" }
  | {
      readonly operation: "insertSession"
      readonly row: SessionRow
      readonly createdBeforeMs: number
      readonly lastUsedBeforeMs: number
      readonly perOwner: number
    }
  | { readonly operation: "findSession"; readonly hash: string }
  | { readonly operation: "newestSessions"; readonly count: number }
  | { readonly operation: "touchSession"; readonly hash: string; readonly atMs: number }
  | {
      readonly operation: "replaceSessionOwner"
      readonly hash: string
      readonly owner: string
      readonly person: string | null
    }
  | { readonly operation: "removeSession"; readonly hash: string }
  | { readonly operation: "removeSessionsOfOwner"; readonly owner: string }
  | {
      readonly operation: "beginIdempotent"
      readonly owner: string
      readonly key: string
      readonly fingerprint: string
      readonly atMs: number
      readonly begunBeforeMs: number
      readonly mostCount: number
      readonly mostSize: number
    }
  | { readonly operation: "endIdempotent"; readonly owner: string; readonly key: string; readonly answer: string }
  | { readonly operation: "removeIdempotent"; readonly owner: string; readonly key: string }
  | { readonly operation: "listClusters" }
  | { readonly operation: "insertCluster"; readonly row: ClusterRecordRow; readonly most: number }
  | { readonly operation: "removeCluster"; readonly name: string }

/** Result of a call. **Shape** every successful call returns rows, possibly none. */
export type Outcome =
  | { readonly outcome: "done"; readonly rows: ReadonlyArray<unknown> }
  /** The maker of a new key has the maximum number of live keys. Nothing was stored. */
  | { readonly outcome: "full" }
  | DiskReserve.Failed
  | { readonly outcome: "tooNew"; readonly found: number; readonly supported: number }
