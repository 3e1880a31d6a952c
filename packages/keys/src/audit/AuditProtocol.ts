/**
 * What the audit's store and its worker thread say to each other.
 */
import type { DiskReserve } from "@quarterdeck/sqlite-thread"

/**
 * What a list is narrowed to.
 *
 * **Units** instants in milliseconds since the epoch. **Shape** `sinceMs` and `untilMs` cut the chain, not the instants:
 * the list begins with the first event of the chain that is not older than `sinceMs`, and holds every event behind it,
 * also a folded one that was written later with an older instant.
 */
export interface AuditQuery {
  readonly sinceMs?: number
  readonly untilMs?: number
  readonly keyId?: string
  readonly decision?: string
  readonly resource?: string
  readonly verb?: string
  readonly cluster?: string
  readonly within?: AuditScope
}

/**
 * What a scoped reader may see by names alone.
 *
 * **Shape** an absent field is not narrowed. Events on API keys pass: whether a key lies in a realm is not in the audit.
 */
export interface AuditScope {
  readonly clusters?: ReadonlyArray<string>
  readonly namespaces?: ReadonlyArray<string>
}

/** How much of the audit is taken. **Units** bytes, of denials and of everything else. */
export interface AuditUsage {
  readonly deniedBytes: number
  readonly otherBytes: number
}

/** Opens the file, and closes it. **Shape** `access` `write` makes the file where there is none. */
export type LifeCall =
  | { readonly operation: "open"; readonly path: string; readonly access: "read" | "write" }
  | { readonly operation: "close" }

/** Lists events in the chain's order, the last first. **Limits** reads at most `scan` rows below the row `before`. */
export interface ListCall {
  readonly operation: "list"
  readonly query: AuditQuery
  readonly before?: number
  readonly limit: number
  readonly scan: number
}

/**
 * The rows that a list found. **Shape** `before` is where the list goes on, and absent at the end of the chain or of the
 * query.
 */
export interface ListAnswer {
  readonly rows: ReadonlyArray<unknown>
  readonly before?: number
}

/** Reads rows in the chain's order, the first first. **Limits** `limit` rows; ends after the row that reaches `maxBytes`. */
export interface RangeCall {
  readonly operation: "range"
  readonly after: number
  readonly limit: number
  readonly maxBytes: number
}

export type ReadCall = ListCall | RangeCall

/** What is done with a file that is open for writing. */
export type StatementCall =
  /** Gives the last link and the usage. **Shape** all bodies or none. */
  | {
      readonly operation: "append"
      readonly bodies: ReadonlyArray<{ readonly atMs: number; readonly body: string; readonly isDenial: boolean }>
    }
  /** Gives the row with a number, if there is one. */
  | { readonly operation: "find"; readonly number: number }
  /** Gives the last link and the usage. */
  | { readonly operation: "last" }
  /** Fails where nothing could be appended; appends nothing. */
  | { readonly operation: "probe" }
  /** Gives the last of the oldest rows that all lie before an instant, if there is one. */
  | { readonly operation: "lastBefore"; readonly beforeMs: number }
  /** Removes the rows up to a number, and notes what they ended with. Gives the last link and the usage. */
  | {
      readonly operation: "prune"
      readonly number: number
      readonly hash: string
      readonly atMs: number
      readonly signature: string
    }

export type Call = LifeCall | ReadCall | StatementCall

/** What a call came to. **Shape** every call answers with rows, often none. */
export type Outcome = { readonly outcome: "done"; readonly rows: ReadonlyArray<unknown> } | DiskReserve.Failed
