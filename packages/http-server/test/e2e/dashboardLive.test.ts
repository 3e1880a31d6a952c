import { assert } from "@effect/vitest"
import { Embedded, eventually, Fault, type Fleet } from "@quarterdeck/harness"
import { Effect } from "effect"
import { connect, createServer, type Server, type Socket } from "node:net"
import type { Page, Request } from "playwright-core"
import { prepare, workloadOf } from "./actedOn.ts"
import * as Chromium from "./Chromium.ts"
import { signIn } from "./DashboardWalk.ts"
import { Deployment, rawKey, to } from "./Deployment.ts"
import { suite } from "./PageSuite.ts"
import { open as openStream, workloads } from "./StreamReader.ts"

const fill = (fleet: Fleet["Service"]) => Effect.forEach(fleet.clusters, prepare, { discard: true })
const options = { driver: Embedded.driver, faults: true, prepare: fill }

const named = (name: string) => ({ apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name })

const prod = Effect.flatMap(Deployment, ({ fleet }) => fleet.cluster("prod"))
const make = (name: string) => Effect.flatMap(prod, ({ api }) => api.create(workloadOf("Deployment", name, "shop")))
const scale = (name: string, replicas: number) =>
  Effect.flatMap(prod, ({ api }) => api.patch(named(name), { spec: { replicas } }))

/** Waits until the service lists so many workloads of that name. */
const isListed = Effect.fnUntraced(function* (name: string, count: number) {
  const deployment = yield* Deployment
  yield* eventually(
    `${count} of ${name} are listed`,
    deployment.workloads(`?name=${name}`, { headers: to("*") }),
    ({ workloads }) => workloads.length === count
  )
})

/** A way to the service that can be cut: what is open breaks off, and nothing new gets through until it is mended. */
const wayTo = Effect.fnUntraced(function* (url: string) {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let isCut = false
  const accept = (socket: Socket) => {
    if (isCut) return void socket.destroy()
    const onward = connect(Number(port), hostname)
    for (const [one, other] of [
      [socket, onward],
      [onward, socket]
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on("error", () => other.destroy())
      one.on("close", () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  }
  const cut = () => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  const listening = Effect.callback<Server>((resume) => {
    const server = createServer(accept).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
  })
  const server = yield* Effect.acquireRelease(listening, (server) =>
    Effect.callback<void>((resume) => {
      cut()
      server.close(() => resume(Effect.void))
    })
  )
  const address = server.address()
  const mend = () => {
    isCut = false
  }
  return { url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`, cut, mend }
})

/** Opens the list of workloads whose names have a part in common. */
const open = Effect.fnUntraced(function* (
  name: string,
  begin: (page: Page) => Promise<void> = async () => {},
  at?: string
) {
  const { url } = yield* Deployment
  const page = yield* Chromium.open(`${at ?? url}/#/workloads?name=${name}`)
  yield* Effect.promise(async () => {
    await begin(page)
    await signIn(page, rawKey("operator"))
  })
  return page
})

const isStream = (request: Request) => request.url().includes("/workloads/watch?")

/** Shows the page, or another in its place, and waits until the stream of one that is hidden is closed. */
const turn = async (page: Page, visibility: "hidden" | "visible") => {
  const closed = visibility === "hidden" ? page.waitForEvent("requestfailed", isStream) : undefined
  await page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "${visibility}", configurable: true })
    document.dispatchEvent(new Event("visibilitychange"))`)
  await closed
}

const state = (page: Page, word: string) => page.locator(`[data-live="${word}"]`).waitFor()
const row = (page: Page, name: string) => page.locator("[data-workload]").filter({ hasText: name })
const wants = (page: Page, name: string, replicas: number) =>
  row(page, name).getByText(`of ${replicas}`, { exact: false }).waitFor()

suite("a list of workloads that is live", Deployment.layer(options), (it) => {
  it.effect("shows what changes elsewhere in its place, what is gone, and what is new when asked", () =>
    Effect.gen(function* () {
      for (const name of ["live-a", "live-b"]) yield* make(name)
      yield* isListed("live-", 2)
      const page = yield* open("live-")
      yield* Effect.promise(() => state(page, "live"))
      yield* Effect.promise(() => row(page, "live-a").waitFor())
      const lists: Array<string> = []
      page.on("request", (request) => {
        if (request.url().includes("/api/v1/workloads?")) lists.push(request.url())
      })
      yield* scale("live-a", 3)
      yield* Effect.promise(() => wants(page, "live-a", 3))
      yield* Effect.flatMap(prod, ({ api }) => api.delete(named("live-b")))
      yield* make("live-c")
      yield* Effect.promise(async () => {
        await row(page, "live-b").getByText("gone").waitFor()
        assert.strictEqual(await row(page, "live-b").getByRole("checkbox").count(), 0)
        const show = page.getByRole("button", { name: "Show 1 new workload" })
        await show.waitFor()
        assert.strictEqual(await row(page, "live-c").count(), 0)
        assert.deepStrictEqual(lists, [])
        await show.click()
        await row(page, "live-c").waitFor()
        await row(page, "live-b").waitFor({ state: "detached" })
        await show.waitFor({ state: "detached" })
      })
    })
  )

  it.effect("stays as it is while it is paused", () =>
    Effect.gen(function* () {
      yield* make("held-a")
      yield* isListed("held-", 1)
      const page = yield* open("held-")
      yield* Effect.promise(() => state(page, "live"))
      yield* scale("held-a", 3)
      yield* Effect.promise(async () => {
        await wants(page, "held-a", 3)
        await page.getByRole("button", { name: "Pause updates" }).click()
        await state(page, "paused")
        await page.getByText("as of ").waitFor()
      })
      yield* scale("held-a", 4)
      const deployment = yield* Deployment
      yield* eventually(
        "the service lists it",
        deployment.workloads("?name=held-", { headers: to("*") }),
        ({ workloads }) => workloads[0]?.replicas.desired === 4
      )
      yield* Effect.promise(async () => {
        assert.strictEqual(await row(page, "held-a").getByText("of 3").count(), 1)
        await page.getByRole("button", { name: "Resume updates" }).press("Enter")
        await state(page, "live")
        await wants(page, "held-a", 4)
      })
    })
  )

  it.effect("is read every few seconds where the key has too many streams, and live when one ends", () =>
    Effect.gen(function* () {
      yield* make("busy-a")
      yield* isListed("busy-", 1)
      yield* Effect.gen(function* () {
        for (let count = 0; count < 5; count++) {
          const reader = yield* openStream(workloads, "/api/v1/workloads/watch", { key: "operator" })
          assert.strictEqual(reader.status, 200)
        }
        const page = yield* open("busy-")
        yield* Effect.promise(() => state(page, "busy"))
        yield* scale("busy-a", 5)
        yield* Effect.promise(() => wants(page, "busy-a", 5))
      }).pipe(Effect.scoped)
      const page = yield* open("busy-")
      yield* Effect.promise(() => state(page, "live"))
    })
  )

  it.effect("is read until it can be followed, and says so", () =>
    Effect.gen(function* () {
      yield* make("lost-a")
      yield* isListed("lost-", 1)
      const page = yield* open("lost-", async (page) => {
        await page.route("**/workloads/watch?*", (route) => route.abort())
      })
      yield* Effect.promise(async () => {
        await state(page, "connecting")
        await row(page, "lost-a").waitFor()
      })
      yield* scale("lost-a", 6)
      yield* Effect.promise(async () => {
        await wants(page, "lost-a", 6)
        await page.unroute("**/workloads/watch?*")
        await state(page, "live")
      })
    })
  )

  it.effect("stays as it was told while the server is away, says so, and goes on where it was", () =>
    Effect.gen(function* () {
      const { url } = yield* Deployment
      yield* make("away-a")
      yield* isListed("away-", 1)
      const way = yield* wayTo(url)
      const page = yield* open("away-", undefined, way.url)
      const resumed: Array<string | undefined> = []
      page.on("request", (request) => {
        if (isStream(request)) resumed.push(request.headers()["last-event-id"])
      })
      yield* Effect.promise(() => state(page, "live"))
      yield* scale("away-a", 3)
      yield* Effect.promise(async () => {
        await wants(page, "away-a", 3)
        way.cut()
        await state(page, "connecting")
        await page.getByText("no_answer").waitFor()
        assert.strictEqual(await row(page, "away-a").getByText("of 3").count(), 1)
      })
      yield* scale("away-a", 7)
      yield* Effect.promise(async () => {
        way.mend()
        await state(page, "live")
        await wants(page, "away-a", 7)
        await page.getByText("no_answer").waitFor({ state: "detached" })
      })
      assert.isString(resumed.at(-1))
    }).pipe(Effect.scoped)
  )

  it.effect("is followed over one stream, while the page is seen", () =>
    Effect.gen(function* () {
      yield* make("seen-a")
      yield* isListed("seen-", 1)
      let begun = 0
      const page = yield* open("seen-", async (page) => {
        page.on("request", (request) => {
          if (isStream(request)) begun += 1
        })
      })
      yield* Effect.promise(async () => {
        await state(page, "live")
        await turn(page, "hidden")
        await state(page, "connecting")
      })
      yield* scale("seen-a", 3)
      yield* Effect.promise(async () => {
        await turn(page, "visible")
        await state(page, "live")
        await wants(page, "seen-a", 3)
        assert.strictEqual(begun, 2)
        const closed = page.waitForEvent("requestfailed", isStream)
        await page.getByRole("link", { name: "Clusters" }).click()
        await closed
      })
    })
  )

  it.effect("tells that a cluster does not answer, and keeps its rows", () =>
    Effect.gen(function* () {
      yield* make("dead-a")
      yield* isListed("dead-", 1)
      const page = yield* open("dead-")
      yield* Effect.promise(async () => {
        await state(page, "live")
        await page.locator('[data-coverage="prod"][data-health="ok"]').waitFor()
      })
      const { inject } = yield* prod
      yield* inject(Fault.cut)
      yield* Effect.promise(async () => {
        await page.locator('[data-coverage="prod"]:not([data-health="ok"])').waitFor()
        await row(page, "dead-a").waitFor()
        await state(page, "live")
      })
    }).pipe(Effect.scoped)
  )
})
