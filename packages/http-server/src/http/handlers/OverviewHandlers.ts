/**
 * `GET /api/v1/overview`.
 */
import { Api } from "@quarterdeck/contract/Api"
import type { Overview } from "@quarterdeck/contract/OverviewGroup"
import * as Access from "@quarterdeck/keys/Access"
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as TargetResolution from "../guard/TargetResolution.ts"
import * as ListPage from "../lists/ListPage.ts"
import * as ListReply from "../lists/ListReply.ts"
import * as FleetOverview from "../overview/FleetOverview.ts"
import * as OverviewAccess from "../overview/OverviewAccess.ts"
import * as OverviewCosts from "../overview/OverviewCosts.ts"
import * as ListRefusal from "../refusal/ListRefusal.ts"

export const OverviewHandlers = HttpApiBuilder.group(
  Api,
  "overview",
  Effect.fn(function* (handlers) {
    const readFleet = yield* FleetOverview.make
    const readCosts = yield* OverviewCosts.make
    const readAccess = yield* OverviewAccess.make

    return handlers.handle(
      "read",
      Effect.fnUntraced(function* ({ query }) {
        const { timeoutMs } = yield* ListPage.fromQuery(query, "status")
        const caller = yield* TargetResolution.admit
        const { principal, target } = caller
        const mayReadCosts = Access.decide(principal.rule, "cost", "read") === "allowed"
        const [fleet, costs, access] = yield* Effect.all(
          [
            readFleet(caller, timeoutMs).pipe(Effect.catch(ListRefusal.fromError)),
            mayReadCosts ? orMissing("costs", readCosts(principal, target, timeoutMs)) : Effect.undefined,
            orMissing("keys and denials", readAccess(principal, timeoutMs))
          ],
          { concurrency: 3 }
        )
        return yield* ListReply.ofOverview({
          ...fleet,
          ...(costs?.value === undefined ? {} : { cost: costs.value.cost }),
          ...(access.value === undefined ? {} : { access: access.value }),
          partial: fleet.partial || costs?.isMissing === true || costs?.value?.partial === true || access.isMissing
        } satisfies Overview)
      })
    )
  })
)

/**
 * Leaves out a part whose store fails or is not read by the deadline, so that the rest of the overview is shown. The
 * reply is then partial.
 */
const orMissing = <A, E, R>(part: string, read: Effect.Effect<A, E, R>) =>
  read.pipe(
    Effect.map((value) => ({ value, isMissing: false })),
    Effect.catch((error) =>
      Effect.as(Effect.logError(`the overview lacks its ${part}`, error), { value: undefined, isMissing: true })
    )
  )
