/** What may be asked of a fleet that another process runs, and what is answered, as JSON. */
import { Schema } from "effect"
import { Fault } from "../faults/Fault.ts"
import { HarnessError } from "../machine/HarnessError.ts"

/** What a cluster may be told that gives nothing back. */
export const Action = Schema.Literals(["kill", "restart", "restartEmpty", "expireHistory", "checkpoint", "reset"])
export type Action = typeof Action.Type

/**
 * One call. Without a cluster it is for the whole fleet. `Hold` keeps its connection: the fault lasts until it
 * ends, however it ends, or until `Heal` names it; the answer to that comes when the fault is gone.
 */
export const Call = Schema.Union([
  Schema.TaggedStruct("Act", { cluster: Schema.String, action: Action }),
  Schema.TaggedStruct("ActOnAll", { action: Schema.Literals(["checkpoint", "reset"]) }),
  Schema.TaggedStruct("Save", { cluster: Schema.optionalKey(Schema.String), directory: Schema.NonEmptyString }),
  Schema.TaggedStruct("Logs", { cluster: Schema.String }),
  Schema.TaggedStruct("Pid", { cluster: Schema.String }),
  Schema.TaggedStruct("Hold", { id: Schema.NonEmptyString, cluster: Schema.String, fault: Fault }),
  Schema.TaggedStruct("Heal", { id: Schema.NonEmptyString })
])
export type Call = typeof Call.Type

/** What comes back: a value, which only `Logs` and `Pid` have, or why not. */
export const Reply = Schema.Union([
  Schema.TaggedStruct("Done", { text: Schema.optionalKey(Schema.String), pid: Schema.optionalKey(Schema.Int) }),
  Schema.TaggedStruct("Failed", { error: HarnessError })
])
export type Reply = typeof Reply.Type

export const decodeCall = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.toCodecJson(Call)))
export const encodeCall = Schema.encodeEffect(Schema.fromJsonString(Schema.toCodecJson(Call)))
export const decodeReply = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.toCodecJson(Reply)))
export const encodeReply = Schema.encodeEffect(Schema.fromJsonString(Schema.toCodecJson(Reply)))
