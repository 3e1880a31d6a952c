/**
 * The form of a rotation: its fields and the request body made of them.
 */
import { RotateApiKey } from "@quarterdeck/contract/ApiKeysGroup"
import { Result, Schema } from "effect"
import type { FieldErrors } from "../form/FieldErrors.ts"
import { type ExpiryDraft, expireOf, expiryError } from "./KeyDraft.ts"

/** Fields of a rotation. `grace` is the API parameter. */
export interface RotateDraft {
  readonly grace: string
  /** Expiry of the new key; `undefined`: the expiry of the old key. */
  readonly expiry: ExpiryDraft | undefined
}

interface Grace {
  readonly value: string
  readonly label: string
}

const AT_ONCE: Grace = { value: "0h", label: "Not at all (ends now)" }

const GRACES: ReadonlyArray<Grace> = [
  { value: "24h", label: "For a day" },
  { value: "1h", label: "For an hour" },
  { value: "7d", label: "For 7 days" },
  { value: "30d", label: "For 30 days" }
]

/** Returns the grace periods to choose from. **Shape** the page must sign in with its new key before its old key ends. */
export const gracesOf = (isOwn: boolean): ReadonlyArray<Grace> => (isOwn ? GRACES : [...GRACES, AT_ONCE])

export const STANDARD: RotateDraft = { grace: "24h", expiry: undefined }

const decode = Schema.decodeUnknownResult(RotateApiKey)

/** Makes the body of the rotation. **Errors** {@link FieldErrors} of the field `expire`. */
export const toBody = ({ expiry, grace }: RotateDraft): Result.Result<RotateApiKey, FieldErrors> => {
  const error = expiry === undefined ? undefined : expiryError(expiry)
  if (error !== undefined) return Result.fail({ expire: error })
  const expire = expiry === undefined ? undefined : expireOf(expiry)
  return Result.mapError(decode({ grace, ...(expire === undefined ? {} : { expire }) }), () => ({
    expire: "Choose an expiry for the new key"
  }))
}
