/**
 * State of an object before and after a change, for the outcome event of the audit.
 */
import type { ApiKey } from "@quarterdeck/keys/ApiKey"
import { type AuditState, fittingState } from "@quarterdeck/keys/AuditEvent"
import * as Rule from "@quarterdeck/keys/Rule"
import { DateTime, type Effect, Result } from "effect"
import * as RequestRecord from "../request/RequestRecord.ts"

const write = RequestRecord.writer("change")

/** Records the changed state of the current request. **Limits** 4 KiB each; larger fields are left out. */
export const note = ({
  after,
  before
}: {
  readonly before?: AuditState
  readonly after?: AuditState
}): Effect.Effect<void> =>
  write({
    change: {
      ...(before === undefined ? {} : { before: fittingState(before) }),
      ...(after === undefined ? {} : { after: fittingState(after) })
    }
  })

/** Returns the fields of a key that decide what it may do. Its description is omitted, since it can be any text. */
export const stateOf = ({ allowFrom, expiresAt, name, rule }: ApiKey): AuditState => ({
  name,
  role: rule.role,
  ...(expiresAt === undefined ? {} : { expiresAt: DateTime.formatIso(expiresAt) }),
  ...(rule.targetClusters === undefined ? {} : { targetClusters: rule.targetClusters }),
  ...(allowFrom === undefined ? {} : { allowFrom }),
  ...(rule.targetNamespaces === undefined
    ? {}
    : {
        targetNamespaces: rule.targetNamespaces.map(({ labelSelector, namespaceNames }) => ({
          namespaceNames,
          ...(labelSelector?.matchLabels === undefined
            ? {}
            : { labelSelector: { matchLabels: labelSelector.matchLabels } })
        }))
      })
})

/** Returns the rule in the state of a key; `undefined` if the state was truncated or its rule is not valid. */
export const ruleOf = (state: AuditState): Rule.Rule | undefined => {
  if (state["isTruncated"] !== undefined) return undefined
  const members = Object.entries(state).filter(([name]) => Object.hasOwn(Rule.Rule.fields, name))
  return Result.getOrUndefined(Rule.decode(Object.fromEntries(members)))
}
