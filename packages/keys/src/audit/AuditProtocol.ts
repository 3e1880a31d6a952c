/**
 * What the audit's store and its worker thread say to each other.
 */

/** What a list is narrowed to. **Units** instants in milliseconds since the epoch; `sinceMs <= at < untilMs`. */
export interface AuditQuery {
  readonly sinceMs?: number
  readonly untilMs?: number
  readonly keyId?: string
  readonly decision?: string
  readonly resource?: string
  readonly verb?: string
  readonly cluster?: string
}

/** The place of an event in the list, newest first. */
export interface AuditPosition {
  readonly atMs: number
  readonly number: number
}

/** Opens the file, and closes it. **Shape** `access` `write` makes the file where there is none. */
export type LifeCall =
  | { readonly operation: "open"; readonly path: string; readonly access: "read" | "write" }
  | { readonly operation: "close" }

/** Gives a page, newest first. **Limits** at worst looks at every row. */
export interface ListCall {
  readonly operation: "list"
  readonly query: AuditQuery
  readonly after?: AuditPosition
  readonly limit: number
}

/** What is done with a file that is open for writing. */
export type StatementCall =
  /** Gives the last link. **Shape** all bodies or none. */
  | { readonly operation: "append"; readonly bodies: ReadonlyArray<{ readonly atMs: number; readonly body: string }> }
  /** Gives the row with a number, if there is one. */
  | { readonly operation: "find"; readonly number: number }
  /** Gives the last link. */
  | { readonly operation: "last" }
  /** Fails where nothing could be appended; appends nothing. */
  | { readonly operation: "probe" }
  /** Gives the last of the oldest rows that all lie before an instant, if there is one. */
  | { readonly operation: "lastBefore"; readonly beforeMs: number }
  /** Removes the rows up to a number, and notes what they ended with. */
  | {
      readonly operation: "prune"
      readonly number: number
      readonly hash: string
      readonly atMs: number
      readonly signature: string
    }

export type Call = LifeCall | ListCall | StatementCall

/** What a call came to. **Shape** every call answers with rows, often none. */
export type Outcome =
  | { readonly outcome: "done"; readonly rows: ReadonlyArray<unknown> }
  | { readonly outcome: "failed"; readonly message: string }
