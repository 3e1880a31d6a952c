/**
 * Says in words why the system refused a file.
 */
import type { PlatformError } from "effect"

type Reason = PlatformError.PlatformError["reason"]

const WORDS: Record<Reason["_tag"], string> = {
  AlreadyExists: "exists already",
  BadArgument: "is no path that the system takes",
  BadResource: "is no file that can be used",
  Busy: "is in use",
  InvalidData: "holds what the system cannot read",
  NotFound: "does not exist",
  PermissionDenied: "permission denied",
  TimedOut: "the system did not answer in time",
  UnexpectedEof: "ends too early",
  Unknown: "the system refused it",
  WouldBlock: "is in use",
  WriteZero: "there is no room left"
}

/** Gives the words, without the system's own numbers and calls. */
export const print = (reason: Reason): string => WORDS[reason._tag]
