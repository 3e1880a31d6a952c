/**
 * Parts of the page that are loaded when they are shown first.
 */
import { Effect, Schedule } from "effect"
import { type ComponentType, lazy, type LazyExoticComponent } from "react"

/** A network that changes under the browser, as when a laptop is moved, is there again within some seconds. */
const AGAIN = { times: 4, schedule: Schedule.exponential("250 millis") }

/** Makes a component of a module's that is loaded when it is shown, and again where the network failed meanwhile. */
export const lazyPart = <Name extends string, Props>(
  name: Name,
  load: () => Promise<Readonly<Record<Name, ComponentType<Props>>>>
): LazyExoticComponent<ComponentType<Props>> =>
  lazy(async () => ({ default: (await Effect.runPromise(Effect.retry(Effect.tryPromise(load), AGAIN)))[name] }))
