/**
 * `pnpm screenshots [FOLDER]`: pictures of every page of the dashboard, at 390 and 1440 pixels, light and dark, of a
 * server over three seeded clusters.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Embedded } from "@quarterdeck/harness"
import { Console, Effect, FileSystem, Logger, Path, References, Stdio } from "effect"
import * as Chromium from "./Chromium.ts"
import { Deployment } from "./Deployment.ts"
import * as DashboardWalk from "./DashboardWalk.ts"

const SCHEMES = ["light", "dark"] as const
const DEFAULT_FOLDER = "node_modules/.cache/screenshots"

const shoot = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { args } = yield* Stdio.Stdio
  const [folder = DEFAULT_FOLDER] = yield* args
  yield* files.makeDirectory(folder, { recursive: true })
  const { url } = yield* Deployment
  yield* DashboardWalk.prepare
  for (const colorScheme of SCHEMES) {
    for (const [size, viewport] of DashboardWalk.SIZES) {
      yield* Effect.scoped(
        Effect.gen(function* () {
          const page = yield* Chromium.open("about:blank")
          yield* Effect.promise(async () => {
            await page.setViewportSize(viewport)
            await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
            for await (const name of DashboardWalk.pages(page, url)) {
              // What moves has come to rest.
              await page.evaluate("Promise.all(document.getAnimations().map((one) => one.finished)).then(() => null)")
              // As tall as the page, so that nothing that stays in place stands in the middle of the picture.
              const height = await page.evaluate<number>("document.documentElement.scrollHeight")
              await page.setViewportSize({ ...viewport, height: Math.max(height, viewport.height) })
              await page.screenshot({ path: path.join(folder, `${name}-${size}-${colorScheme}.png`) })
              await page.setViewportSize(viewport)
            }
          })
        })
      )
    }
  }
  yield* Console.log(`the pictures are in ${path.resolve(folder)}`)
})

NodeRuntime.runMain(
  shoot.pipe(
    Effect.provide(
      Deployment.layerOfProgram({
        driver: Embedded.driver,
        prepare: DashboardWalk.fill
      })
    ),
    Effect.scoped,
    Effect.provide([NodeServices.layer, Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])]),
    Effect.provideService(References.MinimumLogLevel, "Error")
  )
)
