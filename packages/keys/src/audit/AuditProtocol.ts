/**
 * Protocol between the audit's store and its worker threads.
 */
import type { DiskReserve } from "@quarterdeck/sqlite-thread"

/**
 * Filter of a list.
 *
 * **Units** instants in milliseconds since the epoch. **Shape** `sinceMs` and `untilMs` select a part of the chain: the list
 * starts with the first event that is not older than `sinceMs`. It includes every later event of the chain, even a folded
 * event with an older instant.
 */
export interface AuditQuery {
  readonly sinceMs?: number
  readonly untilMs?: number
  readonly keyId?: string
  readonly decision?: string
  readonly resource?: string
  readonly verb?: string
  readonly cluster?: string
  /** Part of the caller's name or id. */
  readonly actor?: string
  /** Part of the object's name or id. With `within`, the caller matches events on API keys. */
  readonly object?: string
  readonly within?: AuditScope
}

/**
 * The names that a scoped reader may see.
 *
 * **Shape** an absent field means no restriction. Events on API keys always pass, also a search by object, since this filter
 * does not compare rules of keys; the caller filters them.
 */
export interface AuditScope {
  readonly clusters?: ReadonlyArray<string>
  readonly namespaces?: ReadonlyArray<string>
}

/** Size of the audit. **Units** bytes of denials, and bytes of all other events. */
export interface AuditUsage {
  readonly deniedBytes: number
  readonly otherBytes: number
}

/** Opens or closes the file. With the access `write`, a missing file is created. */
export type LifeCall =
  | { readonly operation: "open"; readonly path: string; readonly access: "read" | "write" }
  | { readonly operation: "close" }

/** Lists events in reverse order of the chain. **Limits** reads at most `scan` rows before the row `before`. */
export interface ListCall {
  readonly operation: "list"
  readonly query: AuditQuery
  readonly before?: number
  readonly limit: number
  readonly scan: number
}

/**
 * Result of a list. **Shape** `before`: the position of the next page; absent at the end of the chain or of the selected
 * part.
 */
export interface ListAnswer {
  readonly rows: ReadonlyArray<unknown>
  readonly before?: number
}

/** Reads rows in the order of the chain. **Limits** `limit` rows; ends after the row that reaches `maxBytes`. */
export interface RangeCall {
  readonly operation: "range"
  readonly after: number
  readonly limit: number
  readonly maxBytes: number
}

/** Counts the denials since an instant, folded ones included. **Limits** reads at most the newest `scan` rows. */
export interface DenialsCall {
  readonly operation: "denials"
  readonly sinceMs: number
  readonly scan: number
}

export type ReadCall = ListCall | RangeCall | DenialsCall

/** A call on a file that is open for writing. */
export type StatementCall =
  /** Appends the JSON texts of events, all or none. Returns the number and hash of the last row, and the usage. */
  | {
      readonly operation: "append"
      readonly bodies: ReadonlyArray<{ readonly atMs: number; readonly body: string; readonly isDenial: boolean }>
    }
  /** Returns row `number`, if it exists. */
  | { readonly operation: "find"; readonly number: number }
  /** Returns the number and hash of the last row, and the usage. */
  | { readonly operation: "last" }
  /** Fails if an append would fail. Appends nothing. */
  | { readonly operation: "probe" }
  /** Returns the row before the first row whose time is `beforeMs` or later. If no row is that late, returns the last row. */
  | { readonly operation: "lastBefore"; readonly beforeMs: number }
  /**
   * Removes the rows up to row `number`, and stores a signed checkpoint. Returns the number and hash of the last row,
   * and the usage.
   */
  | {
      readonly operation: "prune"
      readonly number: number
      readonly hash: string
      readonly atMs: number
      readonly signature: string
    }

export type Call = LifeCall | ReadCall | StatementCall

/** Result of a call. **Shape** every successful call returns rows, possibly none. */
export type Outcome = { readonly outcome: "done"; readonly rows: ReadonlyArray<unknown> } | DiskReserve.Failed
