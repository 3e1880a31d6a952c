/**
 * The driver `k3s`. It is a separate module because it needs the optional packages `testcontainers` and
 * `@testcontainers/k3s`. Without them `K3s.driver.available` returns how to install them, and a start fails with the same
 * message.
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
