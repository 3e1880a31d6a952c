/** A vitest reporter that says last which programs' tests a run left out, and what would bring them. */
import { Console, Effect, Option } from "effect"
import * as Assets from "../harness/src/assets/Programs.ts"
import { needed } from "../harness/test/usage/Programs.ts"
import * as ClickHouse from "../packages/cost/test/clickhouse/Found.ts"

const leftOut = Effect.gen(function* () {
  const built = yield* Effect.filter(["kubectl", "helm"] as const, (name) =>
    Effect.map(Assets.find(name), Option.isNone)
  )
  const installed = yield* Effect.filter(["prometheus", "promtool"], (name) =>
    Effect.map(
      Effect.promise(() => needed(name)),
      ({ runs }) => !runs
    )
  )
  const { runs } = yield* ClickHouse.find
  return [
    ...(built.length === 0 ? [] : [`${built.join(", ")} (run \`npx pnpm@12 assets build --with helm\`; needs Go)`]),
    ...(installed.length === 0 ? [] : [`${installed.join(", ")} (not on the PATH; Debian's package is prometheus)`]),
    ...(runs ? [] : [`clickhouse (${ClickHouse.REMEDY})`])
  ]
})

/** The reporter, by the shape of vitest's own `Reporter`. */
export class LeftOutPrograms {
  readonly onTestRunEnd = (): Promise<void> =>
    Effect.runPromise(
      Effect.flatMap(leftOut, (names) =>
        names.length === 0 ? Effect.void : Console.log(`programs left out: ${names.join("; ")}`)
      )
    )
}
