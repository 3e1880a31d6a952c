/** What the audit can be asked for is what its events are about. */
import { assert, it } from "@effect/vitest"
import { AuditedResource, unroutedResources } from "@quarterdeck/contract/AuditGroup"
import * as Endpoints from "../../../src/http/request/Endpoints.ts"

it("the audit can be asked for the resource of every route, and for what has none", () => {
  const ofRoutes = Endpoints.all.flatMap(({ policy }) =>
    typeof policy === "object"
      ? [policy.resource, ...(policy.ofOthers === undefined ? [] : [policy.ofOthers.resource])]
      : []
  )
  const all = new Set<string>([...ofRoutes, ...unroutedResources])
  assert.sameMembers([...AuditedResource.literals], [...all])
})
