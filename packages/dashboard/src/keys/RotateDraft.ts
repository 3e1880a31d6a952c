/**
 * A rotation as its dialog holds it, before it is asked for.
 */
import { RotateApiKey } from "@quarterdeck/contract/ApiKeysGroup"
import { Result, Schema } from "effect"
import type { FieldErrors } from "../form/FieldErrors.ts"
import { type ExpiryDraft, expireOf, expiryError } from "./KeyDraft.ts"

/** When the old key ends, and when the new one does; `grace` as the API takes it. */
export interface RotateDraft {
  readonly grace: string
  /** When the new key ends; `undefined`: as the old one would have. */
  readonly expiry: ExpiryDraft | undefined
}

interface Grace {
  readonly value: string
  readonly label: string
}

const AT_ONCE: Grace = { value: "0h", label: "Not at all: it ends at once" }

const GRACES: ReadonlyArray<Grace> = [
  { value: "24h", label: "For a day" },
  { value: "1h", label: "For an hour" },
  { value: "7d", label: "For 7 days" },
  { value: "30d", label: "For 30 days" }
]

/** How long the old key may live on. **Shape** the page's own key stays until the page is signed in with the new one. */
export const gracesOf = (isOwn: boolean): ReadonlyArray<Grace> => (isOwn ? GRACES : [...GRACES, AT_ONCE])

export const STANDARD: RotateDraft = { grace: "24h", expiry: undefined }

const decode = Schema.decodeUnknownResult(RotateApiKey)

/** Makes the body of the call. **Errors** {@link FieldErrors}, of the field `expire`. */
export const toBody = ({ expiry, grace }: RotateDraft): Result.Result<RotateApiKey, FieldErrors> => {
  const fault = expiry === undefined ? undefined : expiryError(expiry)
  if (fault !== undefined) return Result.fail({ expire: fault })
  const expire = expiry === undefined ? undefined : expireOf(expiry)
  return Result.mapError(decode({ grace, ...(expire === undefined ? {} : { expire }) }), () => ({
    expire: "Choose when the new key ends"
  }))
}
