/**
 * Narrows the keys that are shown.
 */
import type { ApiKey, Status } from "../api/Shapes.ts"

/** **Shape** `name` is a part of it, whatever its case; `undefined` shows every status. */
export interface KeyFilter {
  readonly name: string
  readonly status: Status | undefined
}

export const matches = ({ name, status }: KeyFilter, key: ApiKey): boolean =>
  key.name.toLowerCase().includes(name.trim().toLowerCase()) && (status === undefined || key.status === status)
