/** Files of deploy-time keys, loaded for a test. */
import { Effect, Layer } from "effect"
import { writeFile } from "node:fs/promises"
import { KeyConfig } from "../src/KeyConfig.ts"
import { KeyStore } from "../src/KeyStore.ts"
import { layerMemory } from "../src/store/Memory.ts"
import { collectLogs, eventually } from "./observed.ts"
import { hashOf, record } from "./samples.ts"

export const entry = (name: string, digit: string, more: object = {}) => ({
  name,
  hash: hashOf(digit),
  rule: { role: "Viewer" },
  ...more
})
export const listOf = (...entries: ReadonlyArray<object>) => JSON.stringify(entries)

export const write = (path: string, text: string) => Effect.promise(() => writeFile(path, text))
export const namesIn = Effect.flatMap(KeyConfig, ({ current }) =>
  Effect.map(current, ({ byId }) => [...byId.values()].map(({ name }) => name))
)
export const health = Effect.flatMap(KeyConfig, (config) => config.health)
export const waitForNames = (...names: ReadonlyArray<string>) =>
  eventually(Effect.map(namesIn, (found) => found.join() === names.join()))
export const waitForAlarm = (part: string) =>
  eventually(Effect.map(health, ({ alarm }) => alarm !== undefined && alarm.problem.includes(part)))
export const waitForCalm = eventually(Effect.map(health, ({ alarm }) => alarm === undefined))

/** Runs a test with loaded files, and with a store that contains one created key with the hash `e…`. */
export const withFiles = <A, E>(
  paths: ReadonlyArray<string>,
  body: Effect.Effect<A, E, KeyConfig>,
  logs: Layer.Layer<never> = collectLogs().layer
) =>
  body.pipe(
    Effect.provide(Layer.fresh(KeyConfig.layerFiles(paths))),
    Effect.provide(
      Layer.effectDiscard(
        Effect.flatMap(KeyStore, (store) => store.insert(record({ id: "key_e", hash: hashOf("e") })))
      ).pipe(Layer.provideMerge(Layer.fresh(layerMemory)))
    ),
    Effect.provide(logs)
  )

export const withFile = <A, E>(path: string, body: Effect.Effect<A, E, KeyConfig>, logs?: Layer.Layer<never>) =>
  withFiles([path], body, logs)
