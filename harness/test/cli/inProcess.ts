/** The command within the tests' process: all of it but its start, which takes longer than most of what it does. */
import { NodeServices } from "@effect/platform-node"
import { format } from "node:util"
import { ConfigProvider, Console, Effect, Fiber, Layer, Runtime, Sink, Stdio } from "effect"
import * as HarnessCommand from "../../src/cli/HarnessCommand.ts"

export interface Finished {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs the command on streams of its own; the environment is what its settings are read from, and not that of programs. */
export const runInProcess = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>>
): Effect.Effect<Finished> =>
  Effect.callback((resume) => {
    const streams = { out: "", err: "" }
    const write = (stream: keyof typeof streams, part: string | Uint8Array) => {
      streams[stream] += typeof part === "string" ? part : new TextDecoder().decode(part)
    }
    const sink = (stream: keyof typeof streams) => () =>
      Sink.forEach((part: string | Uint8Array) => Effect.sync(() => write(stream, part)))
    const line =
      (stream: keyof typeof streams) =>
      (...values: ReadonlyArray<unknown>) =>
        write(stream, `${format(...values)}\n`)
    const printed = { ...console, log: line("out"), info: line("out"), error: line("err"), warn: line("err") }
    const stdio = Stdio.layerTest({ args: Effect.succeed(args), stdout: sink("out"), stderr: sink("err") })
    const platform = Layer.mergeAll(
      Layer.provideMerge(stdio, NodeServices.layer),
      Layer.succeed(Console.Console, printed),
      ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
    )
    let running: Fiber.Fiber<unknown, unknown> | undefined
    const runMain = Runtime.makeRunMain(({ fiber, teardown }) => {
      running = fiber
      fiber.addObserver((exit) => teardown(exit, (code) => resume(Effect.succeed({ ...streams, code }))))
    })
    runMain(Effect.provide(HarnessCommand.main, platform))
    return Effect.suspend(() => (running === undefined ? Effect.void : Fiber.interrupt(running)))
  })
