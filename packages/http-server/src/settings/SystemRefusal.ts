/**
 * Words for the reasons why the system refuses a file operation.
 */
import type { PlatformError } from "effect"

type Reason = PlatformError.PlatformError["reason"]

const WORDS: Record<Reason["_tag"], string> = {
  AlreadyExists: "exists already",
  BadArgument: "is not a valid path",
  BadResource: "is not a usable file",
  Busy: "is in use",
  InvalidData: "contains data that the system cannot read",
  NotFound: "does not exist",
  PermissionDenied: "permission denied",
  TimedOut: "the system did not answer in time",
  UnexpectedEof: "ends too early",
  Unknown: "the system refused access",
  WouldBlock: "is in use",
  WriteZero: "the disk is full"
}

/** Returns the words for a reason, without error numbers and system calls. */
export const print = (reason: Reason): string => WORDS[reason._tag]
