/** Clusters of a held fleet that are made to fail by hand, while a program uses them. */
import { assert, describe, it } from "@effect/vitest"
import { KubeConfig, Metrics } from "@kubernetes/client-node"
import { get } from "node:https"
import { Effect, Fiber, Option } from "effect"
import { readFile } from "node:fs/promises"
import { eventually } from "../../src/machine/Eventually.ts"
import { LIMIT, place } from "./Place.ts"

/** The status that a client gets of a cluster who comes as the kubeconfig says; none when nobody answers. */
const statusFor = (config: KubeConfig, name: string) =>
  Effect.promise(async () => {
    const cluster = config.getCluster(name)
    const ca = Buffer.from(cluster?.caData ?? "", "base64").toString()
    return await new Promise<number | undefined>((resolve) => {
      get(`${cluster?.server}/readyz`, { ca, agent: false }, (response) => {
        response.resume()
        resolve(response.statusCode)
      }).once("error", () => resolve(undefined))
    })
  })

describe("a held fleet", () => {
  it.effect(
    "has clusters that are killed, restarted, emptied and made to fail by commands, and tells what pods use",
    () =>
      Effect.gen(function* () {
        const { harness, program, status } = yield* place
        assert.deepStrictEqual(yield* harness("kill prod"), {
          code: 1,
          out: "",
          err: "harness: no fleet is held; start one with harness up\n"
        })
        const up = yield* program("up --detach --clusters hub,prod --seed small --faults --usage")
        assert.strictEqual(up.code, 0, up.err)
        const [fleet] = yield* status
        const config = new KubeConfig()
        config.loadFromString(yield* Effect.promise(() => readFile(fleet?.kubeconfig ?? "", "utf8")))
        const ready = Effect.map(status, ([fleet]) =>
          fleet?.clusters.filter(({ isReady }) => isReady).map(({ name }) => name)
        )

        config.setCurrentContext("prod")
        const { items } = yield* Effect.promise(() => new Metrics(config).getPodMetrics())
        assert.isAbove(items.length, 10)

        const killed = yield* harness("kill prod")
        assert.deepStrictEqual([killed.code, killed.out], [0, "prod is down; restart it with: harness restart prod\n"])
        assert.deepStrictEqual(yield* ready, ["hub"])
        assert.deepStrictEqual(yield* harness("restart prod"), { code: 0, out: "prod is ready\n", err: "" })
        assert.deepStrictEqual(yield* ready, ["hub", "prod"])
        yield* eventually(
          "metrics are back",
          Effect.option(Effect.tryPromise(() => new Metrics(config).getPodMetrics())),
          Option.exists(({ items }) => items.length > 10),
          { within: "60 seconds" }
        )

        const fault = yield* Effect.forkChild(harness("fault prod unauthorized match.path=/readyz"))
        yield* eventually("prod refuses", statusFor(config, "prod"), (status) => status === 401)
        assert.strictEqual(yield* statusFor(config, "hub"), 200)
        const cut = yield* harness("fault hub cut --for 100ms")
        assert.deepStrictEqual(cut, { code: 0, out: "hub: cut, for 100ms\n", err: "" })
        assert.strictEqual(yield* statusFor(config, "hub"), 200)
        assert.strictEqual(yield* statusFor(config, "prod"), 401)
        yield* Fiber.interrupt(fault)
        yield* eventually("the fault has healed", statusFor(config, "prod"), (status) => status === 200)

        const emptied = yield* harness("restart prod --empty --name default")
        assert.deepStrictEqual(emptied, { code: 0, out: "prod is ready, and empty\n", err: "" })
        const lost = yield* Effect.forkChild(harness("fault hub black-hole"))
        yield* eventually("hub is silent", Effect.timeoutOption(statusFor(config, "hub"), "200 millis"), Option.isNone)
        assert.strictEqual((yield* harness("down")).code, 0)
        const { code, err } = yield* Fiber.join(lost)
        assert.deepStrictEqual([code, err], [1, "harness: the fleet was taken down, which ended the fault\n"])
      }),
    LIMIT
  )

  it.effect(
    "says what is wrong with a command that is to make a cluster fail",
    () =>
      Effect.gen(function* () {
        const { harness, program } = yield* place
        assert.strictEqual((yield* program("up --detach --clusters hub,prod")).code, 0)
        for (const [args, code, line] of [
          ["kill uk", 1, "the fleet default has no cluster uk; it has hub, prod"],
          ["restart prod --name other", 1, "no fleet named other is held; held: default"],
          ["fault prod cut", 1, "the fleet was started without faults; start it with harness up --faults"],
          ["fault prod latency ms=soon", 2, "latency: ms must be"],
          ["fault prod cut --for ever", 2, "--for must be a time such as 30s, 5m or 1h30m, not ever"],
          ["fault prod", 2, "fault is missing"],
          ["up --driver existing --kubeconfig x --usage", 2, "--usage is not available with the driver existing"]
        ] as const) {
          const refused = yield* harness(args)
          assert.strictEqual(refused.code, code, refused.err)
          assert.isTrue(refused.err.startsWith(`harness: ${line}`), refused.err)
        }
      }),
    LIMIT
  )
})
