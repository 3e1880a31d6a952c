import { assert } from "@effect/vitest"
import { Embedded, eventually, Fault, type Fleet } from "@quarterdeck/harness"
import { Effect } from "effect"
import type { Page, Request } from "playwright-core"
import { at, type MadeKind, prepare, workloadOf } from "./actedOn.ts"
import * as Chromium from "./Chromium.ts"
import { signIn } from "./DashboardWalk.ts"
import { Deployment, type KeyName, rawKey, to } from "./Deployment.ts"
import { suite } from "./PageSuite.ts"

const fill = (fleet: Fleet["Service"]) => Effect.forEach(fleet.clusters, prepare, { discard: true })
const options = { driver: Embedded.driver, faults: true, prepare: fill }

/** Makes a workload of one replica, and gives what asks its cluster for it. */
const make = Effect.fnUntraced(function* (cluster: string, name: string, kind: MadeKind = "Deployment") {
  const { api } = yield* (yield* Deployment).fleet.cluster(cluster)
  const workload = workloadOf(kind, name, "shop")
  yield* api.create(workload)
  return api.get({ apiVersion: workload.apiVersion, kind, name, namespace: "shop" })
})

/** Opens the list of workloads whose names have a part in common, once it holds so many. */
const open = Effect.fnUntraced(function* (
  name: string,
  count: number,
  key: KeyName | { readonly raw: string } = "operator"
) {
  const { url } = yield* Deployment
  const page = yield* Chromium.open(`${url}/#/workloads?name=${name}`)
  yield* Effect.promise(async () => {
    await signIn(page, typeof key === "string" ? rawKey(key) : key.raw)
    await page.locator(`[data-total="${count}"]`).waitFor()
  })
  return page
})

const box = (page: Page, name: string) => page.getByRole("checkbox", { name: new RegExp(`^Select \\w+ ${name} in `) })
const bar = (page: Page) => page.getByRole("region", { name: "Selected workloads" })
const dialog = (page: Page) => page.getByRole("dialog")
const row = (page: Page, name: string) => dialog(page).getByRole("row", { name: new RegExp(`^${name} `) })

/** What the page has sent to change workloads, dry runs left out. */
const sentBy = (page: Page) => {
  const sent: Array<{ readonly key: string | undefined; readonly names: ReadonlyArray<string> }> = []
  page.on("request", (request: Request) => {
    const body: unknown = request.url().endsWith("/workloads/actions") ? request.postDataJSON() : undefined
    const targets = at(body, "targets")
    if (at(body, "dryRun") === true || !Array.isArray(targets)) return
    sent.push({
      key: request.headers()["idempotency-key"],
      names: targets.map((target) => String(at(target, "name")))
    })
  })
  return sent
}

const choose = async (page: Page, names: ReadonlyArray<string>, action: string): Promise<void> => {
  for (const name of names) await box(page, name).check()
  await bar(page).getByRole("button", { name: action, exact: true }).click()
}

const isAnswering = (cluster: string) =>
  Effect.gen(function* () {
    const { clusters } = yield* (yield* Deployment).workloads("", { headers: to(cluster) })
    return clusters.map(({ status }) => status)
  })

suite("changing many workloads", Deployment.layer(options), (it) => {
  it.effect("shows what each cluster says would change, and changes those that can be when told so", () =>
    Effect.gen(function* () {
      const web = yield* make("prod", "try-web")
      const api = yield* make("stage", "try-api")
      yield* make("prod", "try-agent", "DaemonSet")
      const page = yield* open("try-", 3)
      yield* Effect.promise(async () => {
        assert.strictEqual(await bar(page).count(), 0)
        await choose(page, ["try-web", "try-api", "try-agent"], "Scale")
        const show = dialog(page).getByRole("button", { name: "Preview" })
        assert.isTrue(await show.isDisabled())
        await dialog(page).getByLabel("Replicas for each").fill("3")
        await show.click()
        await dialog(page).getByText("Nothing is changed yet. The change applies to 2 of 3 workloads").waitFor()
        await row(page, "try-web").getByText("1 to 3").waitFor()
        await row(page, "try-web").getByText("Ready").waitFor()
        await row(page, "try-agent").getByText("A DaemonSet cannot be scaled. action_unsupported").waitFor()
      })
      assert.deepStrictEqual([at(yield* web, "spec", "replicas"), at(yield* api, "spec", "replicas")], [1, 1])
      yield* Effect.promise(async () => {
        await dialog(page).getByRole("button", { name: "Scale 2 workloads" }).click()
        await dialog(page).getByText("Done", { exact: true }).waitFor()
        await dialog(page).getByText("2 applied. ").waitFor()
        await row(page, "try-api").getByText("Applied").waitFor()
        await row(page, "try-agent").getByText("Skipped: refused").waitFor()
        await dialog(page).getByRole("button", { name: "Close" }).last().click()
        await bar(page).waitFor({ state: "detached" })
      })
      assert.deepStrictEqual([at(yield* web, "spec", "replicas"), at(yield* api, "spec", "replicas")], [3, 3])
    })
  )

  it.effect("asks once more what would change when the network breaks off the answer", () =>
    Effect.gen(function* () {
      yield* make("prod", "torn-web")
      const page = yield* open("torn-web", 1)
      let asked = 0
      yield* Effect.promise(async () => {
        await page.route(/\/workloads\/actions$/, (route) =>
          asked++ === 0 ? route.abort("internetdisconnected") : route.continue()
        )
        await choose(page, ["torn-web"], "Restart")
        await row(page, "torn-web").getByText("Ready").waitFor()
      })
      assert.strictEqual(asked, 2)
    })
  )

  it.effect("rows are selected by Shift, all at once, and by the keyboard alone", () =>
    Effect.gen(function* () {
      for (const letter of ["a", "b", "c", "d", "e"]) yield* make("prod", `pick-${letter}`)
      const page = yield* open("pick-", 5)
      yield* Effect.promise(async () => {
        const chosen = (count: number) =>
          bar(page).getByRole("status").getByText(`${count} selected`, { exact: true }).waitFor()
        await box(page, "pick-b").click()
        await box(page, "pick-d").click({ modifiers: ["Shift"] })
        await chosen(3)
        await box(page, "pick-c").uncheck()
        await chosen(2)
        await bar(page).getByRole("button", { name: "Select all 5 shown" }).click()
        await chosen(5)
        await bar(page).getByRole("button", { name: "Clear" }).click()
        await bar(page).waitFor({ state: "detached" })
        await page.getByRole("checkbox", { name: "Select all shown" }).check()
        await chosen(5)
        await page.getByRole("checkbox", { name: "Select all shown" }).uncheck()

        await box(page, "pick-a").focus()
        await page.keyboard.press("Space")
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("ArrowDown")
        await page.keyboard.press("Shift+Space")
        await chosen(3)
        await page.keyboard.press("ArrowUp")
        await page.keyboard.press("Space")
        await chosen(2)
        await page.keyboard.press("Enter")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await dialog(page).getByText("The change applies to 2 of 2 workloads").waitFor()
        await page.keyboard.press("Escape")
        await dialog(page).waitFor({ state: "detached" })
        await chosen(2)
        // What a filter hides is not acted on.
        await page.getByRole("searchbox", { name: "Name" }).fill("pick-a")
        await chosen(1)
      })
    })
  )

  it.effect("what fails is told with its reason, and tried again alone, as a change of its own", () =>
    Effect.gen(function* () {
      const alive = yield* make("prod", "fail-alive")
      const dead = yield* make("stage", "fail-dead")
      const page = yield* open("fail-", 2)
      const sent = sentBy(page)
      const generations = Effect.all([alive, dead]).pipe(
        Effect.map((found) => found.map((object) => Number(at(object, "metadata", "generation"))))
      )
      const before = yield* generations
      const stage = yield* (yield* Deployment).fleet.cluster("stage")
      yield* Effect.promise(async () => {
        await choose(page, ["fail-alive", "fail-dead"], "Restart")
        await dialog(page).getByText("The change applies to 2 of 2 workloads").waitFor()
      })
      yield* Effect.scoped(
        Effect.andThen(
          stage.inject(Fault.cut),
          Effect.promise(async () => {
            await dialog(page).getByRole("button", { name: "Restart 2 workloads" }).click()
            await row(page, "fail-alive").getByText("Applied").waitFor()
            await row(page, "fail-dead").getByText("Failed", { exact: true }).waitFor()
            await row(page, "fail-dead").getByText("Nothing was changed.").waitFor()
            await dialog(page).getByText("Some workloads were not changed").waitFor()
          })
        )
      )
      yield* eventually("stage answers again", isAnswering("stage"), ([status]) => status === "ok", {
        within: "30 seconds"
      })
      yield* Effect.promise(async () => {
        await dialog(page).getByRole("button", { name: "Retry 1 failed workload" }).click()
        await row(page, "fail-dead").getByText("Applied").waitFor()
        await dialog(page).getByText("Done", { exact: true }).waitFor()
      })
      assert.deepStrictEqual(
        sent.map(({ names }) => names),
        [["fail-alive", "fail-dead"], ["fail-dead"]]
      )
      assert.notStrictEqual(sent[0]?.key, sent[1]?.key)
      assert.deepStrictEqual(
        yield* generations,
        before.map((generation) => generation + 1)
      )
    })
  )

  it.effect("an answer that is lost is asked for again under the same key, and nothing is done twice", () =>
    Effect.gen(function* () {
      const lost = yield* make("prod", "lost-web")
      const page = yield* open("lost-", 1)
      const sent = sentBy(page)
      const before = Number(at(yield* lost, "metadata", "generation"))
      yield* Effect.promise(async () => {
        await choose(page, ["lost-web"], "Restart")
        await dialog(page).getByText("The change applies to 1 of 1 workload").waitFor()
        let losses = 0
        await page.route("**/workloads/actions", async (route) => {
          losses++
          if (losses > 2) return route.continue()
          // The server has done it; its answer does not come.
          await route.fetch()
          return route.abort("connectionreset")
        })
        await dialog(page).getByRole("button", { name: "Restart 1 workload" }).click()
        await dialog(page).getByText("The page sends the same call again; nothing is done twice").waitFor()
        await dialog(page).getByText("1 applied. ").waitFor()
      })
      assert.strictEqual(sent.length, 3)
      assert.strictEqual(new Set(sent.map(({ key }) => key)).size, 1)
      assert.strictEqual(Number(at(yield* lost, "metadata", "generation")), before + 1)
    })
  )

  it.effect("who stops watching is told that it goes on, and may watch again; nothing is done twice", () =>
    Effect.gen(function* () {
      const quick = yield* make("prod", "left-quick")
      const slow = yield* make("stage", "left-slow")
      const page = yield* open("left-", 2)
      const sent = sentBy(page)
      const stage = yield* (yield* Deployment).fleet.cluster("stage")
      const generationOf = (found: typeof slow) =>
        Effect.map(found, (object) => Number(at(object, "metadata", "generation")))
      const before = yield* Effect.all([generationOf(quick), generationOf(slow)])
      yield* Effect.promise(async () => {
        await choose(page, ["left-quick", "left-slow"], "Restart")
        await dialog(page).getByText("The change applies to 2 of 2 workloads").waitFor()
      })
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* stage.inject(Fault.latency({ ms: 700 }))
          yield* Effect.promise(async () => {
            await dialog(page).getByRole("button", { name: "Restart 2 workloads" }).click()
            await row(page, "left-quick").getByText("Applied").waitFor()
            await dialog(page).getByText("1 of 2 workloads: 1 applied, 1 running").waitFor()
            await page.keyboard.press("Escape")
            await dialog(page).getByText("The change continues on the server").waitFor()
            await row(page, "left-slow").getByText("Not reported").waitFor()
          })
          yield* eventually(
            "what was begun is done",
            generationOf(slow),
            (generation) => generation === (before[1] ?? 0) + 1,
            { within: "30 seconds" }
          )
        })
      )
      yield* Effect.promise(async () => {
        await dialog(page).getByRole("button", { name: "Watch again" }).click()
        await dialog(page).getByText("2 applied. ").waitFor()
        await dialog(page).getByRole("button", { name: "Close" }).last().click()
      })
      assert.strictEqual(new Set(sent.map(({ key }) => key)).size, 1)
      assert.deepStrictEqual(
        yield* Effect.all([generationOf(quick), generationOf(slow)]),
        before.map((generation) => generation + 1)
      )
    })
  )

  it.effect("a key that was narrowed meanwhile is refused as a whole, and it is said that nothing was done", () =>
    Effect.gen(function* () {
      const { call, createKey } = yield* Deployment
      const web = yield* make("prod", "narrow-web")
      const { apiKey, raw } = yield* createKey({ name: "to be narrowed", rule: { role: "Operator" } })
      const before = at(yield* web, "metadata", "generation")
      const page = yield* open("narrow-", 1, { raw })
      yield* Effect.promise(async () => {
        await choose(page, ["narrow-web"], "Pause")
        await dialog(page).getByText("The change applies to 1 of 1 workload").waitFor()
      })
      const rule = { role: "Operator", targetNamespaces: [{ namespaceNames: ["payments"] }] }
      const narrowed = yield* call(`/api/v1/apiKeys/${apiKey.id}`, { method: "PATCH", key: "admin", body: { rule } })
      assert.strictEqual(narrowed.status, 200)
      yield* Effect.promise(async () => {
        await dialog(page).getByRole("button", { name: "Pause 1 workload" }).click()
        await dialog(page).getByText("namespace_forbidden").waitFor()
        await dialog(page).getByText("Nothing was done by this call").waitFor()
        await row(page, "narrow-web").getByText("Not reported").waitFor()
      })
      assert.strictEqual(at(yield* web, "metadata", "generation"), before)
    })
  )

  it.effect("a Viewer selects nothing", () =>
    Effect.gen(function* () {
      yield* make("prod", "view-web")
      const page = yield* open("view-", 1, "viewer")
      assert.strictEqual(yield* Effect.promise(() => page.getByRole("table").getByRole("checkbox").count()), 0)
    })
  )
})
