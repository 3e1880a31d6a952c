/**
 * Begins a suite of pages in a browser.
 */
import { describe, it, layer, type Vitest } from "@effect/vitest"
import { Layer } from "effect"
import * as Chromium from "./Chromium.ts"

/** Tests pages of one deployment. **Shape** says that they are left out where the machine has no browser. */
export const suite = <R, E>(
  title: string,
  deployed: Layer.Layer<R, E>,
  tests: (it: Vitest.MethodsNonLive<R | Chromium.Chromium>) => void
): void => {
  describe(`${title}, in a browser`, () => {
    Chromium.sayIfLeftOut(it)
    if (Chromium.runs)
      layer(Layer.merge(deployed, Chromium.Chromium.layer), { excludeTestServices: true, timeout: "120 seconds" })(
        tests
      )
  })
}
