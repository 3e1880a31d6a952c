/**
 * Validates the name of a field manager.
 *
 * **Source** Kubernetes 1.36, `ValidateFieldManager`.
 */
import { type FieldError, invalidValue, tooLong } from "../core/Status.ts"

const MAX_BYTES = 128
const FIELD = "fieldManager"

/** Checks a name. **Shape** an empty name is valid: the manager is then named after the user agent. */
export const errors = (name: string): ReadonlyArray<FieldError> => [
  ...(Buffer.byteLength(name) > MAX_BYTES ? [tooLong(FIELD, MAX_BYTES)] : []),
  // The real server reports each invalid character separately.
  ...Array.from(name)
    .filter((character) => !PRINTABLE.test(character))
    .map(() => invalidValue(FIELD, name, "must contain only printable characters"))
]

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u
