/** What stands in the place of tests whose program the machine lacks. */
import { Effect } from "effect"

/** Adds a test that says so: without one, the run would look like a whole one, and a file without tests would fail. */
export const sayLeftOut = (
  it: { readonly effect: (name: string, test: () => Effect.Effect<void>) => void },
  why: string
): void => it.effect(`is left out: ${why}`, () => Effect.void)

/** What brings the programs of Kubernetes that are no part of a cluster. */
export const noProgram = (name: "kubectl" | "helm"): string =>
  `there is no ${name}; run \`npx pnpm@12 assets build --with helm\`, which needs Go, or set TEST_ASSET_${name.toUpperCase()}`
