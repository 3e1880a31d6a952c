/**
 * The name by which a writer is known among those who manage the fields of an object.
 *
 * **Source** Kubernetes 1.36, `ValidateFieldManager`.
 */
import { type FieldError, invalidValue, tooLong } from "../core/Status.ts"

const MAX_BYTES = 128
const FIELD = "fieldManager"

/** Finds what is wrong with a name. **Shape** none at all is right: then the program that writes gives its own. */
export const errors = (name: string): ReadonlyArray<FieldError> => [
  ...(Buffer.byteLength(name) > MAX_BYTES ? [tooLong(FIELD, MAX_BYTES)] : []),
  // The real server finds fault with each character by itself.
  ...Array.from(name)
    .filter((character) => !PRINTABLE.test(character))
    .map(() => invalidValue(FIELD, name, "must hold printable characters only"))
]

const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]$/u
