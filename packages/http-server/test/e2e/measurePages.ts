/**
 * `pnpm pages:measure`: measures the page of workloads over 10,000 of them in 20 clusters: rows in the page, questions a
 * pause in typing, how long a search takes beside the API's call alone, and the longest task of a search and a scroll.
 *
 * Prints a table in Markdown; exit status 0 only if every goal is met. Processor time is what is judged, so that a busy
 * machine says the same as an idle one.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Embedded, Seed } from "@quarterdeck/harness"
import { Console, Effect, Logger, References } from "effect"
import { availableParallelism, cpus, loadavg } from "node:os"
import type { Page } from "playwright-core"
import * as Chromium from "./Chromium.ts"
import { signIn } from "./DashboardWalk.ts"
import { Deployment, rawKey } from "./Deployment.ts"
import { longestTaskMs } from "./LongTasks.ts"

const CHILDREN = Array.from({ length: 19 }, (_, index) => `child-${String(index + 1).padStart(2, "0")}`)
const WORKLOADS = 500
const ROUNDS = 5

const GOALS = { rows: 100, questions: 1, ratio: 3, taskMs: 50 }

const median = (values: ReadonlyArray<number>): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

const rowsInPage = (page: Page): Promise<number> => page.locator("[data-workload]").count()

/** Scrolls as far as there is, and gives the most rows that were in the page on the way. */
const scrolled = async (page: Page): Promise<number> => {
  let most = await rowsInPage(page)
  for (let step = 0; step < 20; step++) {
    await page.mouse.wheel(0, 2_000)
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    most = Math.max(most, await rowsInPage(page))
  }
  return most
}

/** Waits until the rows of a search are in the page, and says when that was. **Units** milliseconds of the page's clock. */
const shownAt = (page: Page, name: string): Promise<number> =>
  page.evaluate<number>(`new Promise((done) => {
    const look = () => {
      const rows = [...document.querySelectorAll("[data-workload] a")]
      const isShown = rows.length > 0 && rows.every(({ textContent }) => textContent.includes(${JSON.stringify(name)}))
      if (isShown) requestAnimationFrame(() => done(performance.now()))
      else requestAnimationFrame(look)
    }
    look()
  })`)

/** When the question of a search left, by the page's clock. */
const askedAt = (page: Page, name: string): Promise<number> =>
  page.evaluate<number>(`performance.getEntriesByType("resource")
    .filter(({ name }) => name.includes("/api/v1/workloads?") && name.includes(${JSON.stringify(`name=${name}`)}))
    .map(({ startTime }) => startTime)[0]`)

/** Asks the API what the page asks, and nothing else. **Units** milliseconds. */
const callAlone = (page: Page, name: string): Promise<number> =>
  page.evaluate<number>(`(async () => {
    const before = performance.now()
    const query = new URLSearchParams({ sort: "name", order: "asc", name: ${JSON.stringify(name)}, limit: "100" })
    const reply = await fetch("api/v1/workloads?" + query, { headers: { "x-service-cluster": "*" } })
    await reply.text()
    return performance.now() - before
  })()`)

const search = async (page: Page, name: string): Promise<void> => {
  await page.getByRole("searchbox", { name: "Name" }).fill("")
  await page.getByRole("searchbox", { name: "Name" }).pressSequentially(name, { delay: 30 })
}

interface Round {
  readonly questions: number
  readonly searchMs: number
  readonly callMs: number
  readonly taskMs: number
}

/** Names that a part of the workloads has, each another question. */
const NAMES = ["00", "11", "22", "13", "04"]

const roundOf = async (page: Page, name: string): Promise<Round> => {
  const asked = new Set<string>()
  const note = (address: string): void => {
    const text = new URL(address).searchParams.get("name")
    if (address.includes("/api/v1/workloads?") && text !== null) asked.add(text)
  }
  const callMs = await callAlone(page, name)
  page.on("request", (request) => note(request.url()))
  await page.evaluate("performance.clearResourceTimings()")
  const { longestMs, result } = await longestTaskMs(page, async () => {
    await search(page, name)
    const at = await shownAt(page, name)
    const searchMs = at - (await askedAt(page, name))
    await scrolled(page)
    return searchMs
  })
  page.removeAllListeners("request")
  await page.evaluate("scrollTo(0, 0)")
  return { questions: asked.size, searchMs: result, callMs, taskMs: longestMs }
}

const measure = Effect.gen(function* () {
  const { url } = yield* Deployment
  const page = yield* Chromium.open(`${url}/#/workloads`)
  return yield* Effect.promise(async () => {
    await page.setViewportSize({ width: 1_440, height: 900 })
    await signIn(page, rawKey("admin"))
    const total = Number(await page.locator("[data-total]").getAttribute("data-total"))
    await page.locator("[data-workload]").first().waitFor()
    // The first search reads what later ones have.
    await roundOf(page, "3")
    const rounds: Array<Round> = []
    for (const name of NAMES.slice(0, ROUNDS)) rounds.push(await roundOf(page, name))
    await search(page, "1")
    await shownAt(page, "1")
    await page.setViewportSize({ width: 3_840, height: 2_160 })
    const rows = await scrolled(page)
    return { total, rounds, rows }
  })
})

const report = Effect.gen(function* () {
  const { rounds, rows, total } = yield* measure
  const questions = Math.max(...rounds.map((round) => round.questions))
  const searchMs = median(rounds.map((round) => round.searchMs))
  const callMs = median(rounds.map((round) => round.callMs))
  const taskMs = median(rounds.map((round) => round.taskMs))
  const lines = [
    ["Most rows in the page while scrolling at 3840 x 2160", String(rows), `at most ${GOALS.rows}`, rows <= GOALS.rows],
    ["Requests after a pause in typing", String(questions), String(GOALS.questions), questions === GOALS.questions],
    [
      "From a search's request to its rows, divided by the API call alone",
      `${(searchMs / callMs).toFixed(2)} (${searchMs.toFixed(0)} by ${callMs.toFixed(0)} ms)`,
      `at most ${GOALS.ratio}`,
      searchMs / callMs <= GOALS.ratio
    ],
    [
      "Longest task of a search and a scroll, processor time, median of 5 traces",
      `${taskMs.toFixed(0)} ms`,
      `at most ${GOALS.taskMs} ms`,
      taskMs <= GOALS.taskMs
    ]
  ] as const
  const machine = `${availableParallelism()} x ${cpus()[0]?.model ?? "unknown"}, load ${loadavg()[0]?.toFixed(1)}`
  yield* Console.log(
    [
      `${total} workloads in ${CHILDREN.length + 1} clusters; ${machine}; Node ${process.version}`,
      "",
      "| what | measured | goal | |",
      "|---|---|---|---|",
      ...lines.map(
        ([what, measured, goal, isMet]) => `| ${what} | ${measured} | ${goal} | ${isMet ? "met" : "missed"} |`
      )
    ].join("\n")
  )
  if (!lines.every(([, , , isMet]) => isMet)) process.exitCode = 1
})

NodeRuntime.runMain(
  report.pipe(
    Effect.provide(
      Deployment.layerOfProgram({
        driver: Embedded.driver,
        children: CHILDREN,
        prepare: (fleet) => Seed.fill(fleet, { seed: 1, size: { workloads: WORKLOADS, pods: WORKLOADS } })
      })
    ),
    Effect.scoped,
    Effect.provide([
      NodeServices.layer,
      Chromium.Chromium.layer,
      Logger.layer([Logger.withConsoleError(Logger.formatLogFmt)])
    ]),
    Effect.provideService(References.MinimumLogLevel, "Error")
  )
)
