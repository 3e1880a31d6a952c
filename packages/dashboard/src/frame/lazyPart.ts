/**
 * Components whose code is loaded when they are first shown.
 */
import { Effect, Schedule } from "effect"
import { type ComponentType, lazy, type LazyExoticComponent } from "react"

/** Retries for about four seconds: a laptop that changes its network is online again within seconds. */
const RETRY = { times: 4, schedule: Schedule.exponential("250 millis") }

/** Makes a lazy component of a module's export. Loading is retried if the network fails. */
export const lazyPart = <Name extends string, Props>(
  name: Name,
  load: () => Promise<Readonly<Record<Name, ComponentType<Props>>>>
): LazyExoticComponent<ComponentType<Props>> =>
  lazy(async () => ({ default: (await Effect.runPromise(Effect.retry(Effect.tryPromise(load), RETRY)))[name] }))
