/**
 * Who sends a request.
 */
/** Whom a request comes from, as its credentials say. */
export interface User {
  readonly name: string
  readonly groups: ReadonlyArray<string>
  readonly uid?: string
  /** What else is known, such as the pod that a service account's token is bound to. */
  readonly extra?: Readonly<Record<string, ReadonlyArray<string>>>
}
