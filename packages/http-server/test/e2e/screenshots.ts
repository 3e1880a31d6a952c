/**
 * `pnpm screenshots [FOLDER]`: pictures of every page of the dashboard, at 390 and 1440 pixels, light and dark: of the
 * demo those of clusters, workloads and costs, of a server over three seeded clusters those of keys.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Embedded } from "@quarterdeck/harness"
import { Console, Effect, FileSystem, Logger, Path, References, Stdio } from "effect"
import * as Chromium from "./Chromium.ts"
import { Deployment } from "./Deployment.ts"
import * as DashboardWalk from "./DashboardWalk.ts"
import * as DataWalk from "./DataWalk.ts"
import { Demo } from "./Demo.ts"
import type { Page } from "playwright-core"

const SCHEMES = ["light", "dark"] as const
const DEFAULT_FOLDER = "node_modules/.cache/screenshots"

/** Waits two frames, and until what moves has come to rest, or is gone. */
const AT_REST = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  .then(() => Promise.allSettled(document.getAnimations().map((one) => one.finished)))
  .then(() => null)`

/** Photographs each page of a walk, in both colours and at each size. */
const shoot = Effect.fnUntraced(function* (folder: string, walk: (page: Page) => AsyncIterable<string>) {
  const path = yield* Path.Path
  for (const colorScheme of SCHEMES) {
    for (const [size, viewport] of DashboardWalk.SIZES) {
      yield* Effect.scoped(
        Effect.gen(function* () {
          const page = yield* Chromium.open("about:blank")
          yield* Effect.promise(async () => {
            await page.setViewportSize(viewport)
            await page.emulateMedia({ colorScheme, reducedMotion: "reduce" })
            for await (const name of walk(page)) {
              await page.evaluate(AT_REST)
              // As tall as the page, so that nothing that stays in place stands in the middle of the picture.
              const height = await page.evaluate<number>("document.documentElement.scrollHeight")
              await page.setViewportSize({ ...viewport, height: Math.max(height, viewport.height) })
              // What stands in place grows with the window.
              await page.evaluate(AT_REST)
              await page.screenshot({ path: path.join(folder, `${name}-${size}-${colorScheme}.png`) })
              await page.setViewportSize(viewport)
            }
          })
        })
      )
    }
  }
})

const shootKeys = Effect.fnUntraced(function* (folder: string) {
  const { url } = yield* Deployment
  yield* DashboardWalk.prepare
  yield* shoot(folder, (page) => DashboardWalk.pages(page, url))
})

const shootData = Effect.fnUntraced(function* (folder: string) {
  const demo = yield* Demo
  for (const walk of Object.values(DataWalk.walks)) yield* shoot(folder, (page) => walk(page, demo))
})

const main = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { args } = yield* Stdio.Stdio
  const [folder = DEFAULT_FOLDER] = yield* args
  yield* files.makeDirectory(folder, { recursive: true })
  yield* shootData(folder).pipe(Effect.provide(Demo.layer))
  yield* shootKeys(folder).pipe(
    Effect.provide(Deployment.layerOfProgram({ driver: Embedded.driver, prepare: DashboardWalk.fill }))
  )
  yield* Console.log(`the pictures are in ${path.resolve(folder)}`)
})

NodeRuntime.runMain(
  main.pipe(
    Effect.scoped,
    Effect.provide([
      NodeServices.layer,
      Chromium.Chromium.layer,
      Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])
    ]),
    Effect.provideService(References.MinimumLogLevel, "Error")
  )
)
