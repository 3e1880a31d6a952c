/**
 * The driver `k3s`, apart from the rest because it needs `testcontainers` and `@testcontainers/k3s`, which are optional:
 * without them `K3s.driver.available` says what brings them, and a start fails with the same words.
 *
 * **Example**
 *
 * ```ts
 * import { Fleet } from "@quarterdeck/harness"
 * import { K3s } from "@quarterdeck/harness/k3s"
 *
 * const fleet = yield* Fleet.make({ driver: K3s.driver, parent: "hub", children: ["eu", "us"] })
 * ```
 */
export * as K3s from "./drivers/k3s/K3s.ts"
export * as LocalImage from "./drivers/k3s/LocalImage.ts"
export * as Sweep from "./drivers/k3s/Sweep.ts"
