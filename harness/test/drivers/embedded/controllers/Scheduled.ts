/** What the real scheduler leaves behind by chance. */
import { isObject, type Json, type JsonObject, textAt } from "@quarterdeck/embedded-cluster/Json"

const GONE = /^running Bind plugin "DefaultBinder": pods "[^"]+" not found$/

/**
 * Gives a condition of a pod that has its node as every such pod has it. The real scheduler notes by name that it could not
 * bind a pod which was gone: where another one has that name by then, as in a stateful set, that one bears the note for good.
 */
export const settled = (pod: JsonObject, condition: Json): Json => {
  const isBound = textAt(pod, "spec", "nodeName") !== ""
  if (!isBound || !isObject(condition) || condition["type"] !== "PodScheduled") return condition
  if (condition["reason"] !== "SchedulerError" || !GONE.test(textAt(condition, "message"))) return condition
  return { lastTransitionTime: condition["lastTransitionTime"] ?? null, status: "True", type: "PodScheduled" }
}
