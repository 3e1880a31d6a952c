/**
 * Begins a suite of pages in a browser.
 */
import { describe, it, layer, type Vitest } from "@effect/vitest"
import type { Layer } from "effect"
import * as Chromium from "./Chromium.ts"

/** Tests pages of one deployment. **Shape** says that they are left out where the machine has no browser. */
export const suite = <R, E>(
  title: string,
  deployed: Layer.Layer<R, E>,
  tests: (it: Vitest.MethodsNonLive<R>) => void
): void => {
  describe(`${title}, in a browser`, () => {
    Chromium.sayIfLeftOut(it)
    if (Chromium.runs) layer(deployed, { excludeTestServices: true, timeout: "120 seconds" })(tests)
  })
}
