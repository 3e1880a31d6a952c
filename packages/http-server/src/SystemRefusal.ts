/**
 * Says in words why the system refused a file.
 *
 * @since 0.1.0
 */
import type { PlatformError } from "effect"

type Reason = PlatformError.PlatformError["reason"]

const WORDS: Partial<Record<Reason["_tag"], string>> = {
  NotFound: "does not exist",
  PermissionDenied: "permission denied"
}

/** Gives the words, without the system's own numbers and calls. */
export const print = (reason: Reason): string => WORDS[reason._tag] ?? reason._tag
