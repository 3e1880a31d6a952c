/** Messages between a process that runs a fleet and processes that control it, as JSON. */
import { Schema } from "effect"
import { Fault } from "../faults/Fault.ts"
import { HarnessError } from "../machine/HarnessError.ts"

/** Actions on a cluster that return no value. */
export const Action = Schema.Literals(["kill", "restart", "restartEmpty", "expireHistory", "checkpoint", "reset"])
export type Action = typeof Action.Type

/**
 * One request. `Save` without a cluster saves the whole fleet. `Hold` injects a fault that lasts until its connection
 * closes or `Heal` names its id. The reply to `Heal` comes after the fault is gone.
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

/** The result of a call. Only `Logs` and `Pid` return a value. */
export const Reply = Schema.Union([
  Schema.TaggedStruct("Done", { text: Schema.optionalKey(Schema.String), pid: Schema.optionalKey(Schema.Int) }),
  Schema.TaggedStruct("Failed", { error: HarnessError })
])
export type Reply = typeof Reply.Type

export const decodeCall = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.toCodecJson(Call)))
export const encodeCall = Schema.encodeEffect(Schema.fromJsonString(Schema.toCodecJson(Call)))
export const decodeReply = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.toCodecJson(Reply)))
export const encodeReply = Schema.encodeEffect(Schema.fromJsonString(Schema.toCodecJson(Reply)))
