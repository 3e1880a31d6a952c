/** The user that a request's credentials identify. */
export interface User {
  readonly name: string
  readonly groups: ReadonlyArray<string>
  readonly uid?: string
  /** Further attributes, such as the pod that a service account token is bound to. */
  readonly extra?: Readonly<Record<string, ReadonlyArray<string>>>
}
