/** What several files do with the same borrowed fleet at the same time: whatever one does, the next must not notice. */
import * as Fault from "@quarterdeck/harness/Fault"
import { borrowedFleet } from "@quarterdeck/harness/vitest/SharedFleetTest"
import { Effect } from "effect"
import { test } from "vitest"

const LEFT = { apiVersion: "v1", kind: "Namespace", metadata: { name: "left" } }

/** Each round borrows the fleet anew, finds it as it began, and leaves it in disorder. */
export const borrows = (): void => {
  test("has the fleet for itself, as it began", { timeout: 60_000 }, async ({ expect }) => {
    const round = Effect.scoped(
      Effect.gen(function* () {
        const fleet = yield* borrowedFleet("quiet")
        const [hub, eu] = [fleet.parent, yield* fleet.cluster("eu")]
        expect(yield* fleet.kubeconfigFor("viewer")).toContain(eu.server)
        // Refused as a conflict if another file, or the round before, had it still.
        yield* hub.api.create(LEFT)
        yield* eu.api.create(LEFT)
        yield* hub.inject(Fault.blackHole)
        yield* eu.kill
        return hub.server
      })
    )
    const first = await Effect.runPromise(round)
    // It was not started anew meanwhile.
    expect(await Effect.runPromise(round)).toBe(first)
  })
}
