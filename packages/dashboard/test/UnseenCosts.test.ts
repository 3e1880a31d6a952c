import { assert, describe, it } from "@effect/vitest"
import { ApiKeyList } from "@quarterdeck/contract/ApiKeysGroup"
import { WorkloadList } from "@quarterdeck/contract/WorkloadsGroup"
import { Schema } from "effect"
import { fileURLToPath } from "node:url"
import { runnerImport } from "vite"
import type { CostTotals } from "../src/api/CostQueries.ts"
import type * as Rendered from "./rendered.tsx"

const RENDERED = fileURLToPath(new URL("rendered.tsx", import.meta.url))

const CONDITIONS = ["@quarterdeck/source", "module", "import", "default"]

/** Stands in for a browser in the modules that read the document and its address when they load. */
const BROWSER = `
  const location = { href: "http://127.0.0.1/" }
  const document = { baseURI: location.href, querySelector: () => null };`

/** The components are JSX, which Node does not read: Vite translates them, as it does for a browser. */
const { module: rendered } = await runnerImport<typeof Rendered>(RENDERED, {
  logLevel: "error",
  plugins: [{ name: "browser", transform: (code) => (code.includes("document.") ? `${BROWSER}${code}` : code) }],
  environments: { inline: { resolve: { conditions: CONDITIONS, externalConditions: CONDITIONS } } }
})

const decodeCoverage = Schema.decodeUnknownSync(WorkloadList.fields.clusters.value)

/** The reply of a server that saw a cluster for some hours of a day. */
const reportOf = (hoursCovered: number, totals: Partial<CostTotals> = {}) => ({
  window: { start: "2026-11-01T00:00:00.000Z", end: "2026-11-02T00:00:00.000Z" },
  currency: "USD",
  partial: false,
  totals: { ...NOTHING, ...totals },
  clusters: [
    {
      ...decodeCoverage({ name: "hub", status: "ok", source: "cache", count: 0, ageMs: 0, latencyMs: 0 }),
      status: "ok" as const,
      hoursCovered,
      hoursInWindow: 24
    }
  ]
})

const NOTHING: CostTotals = {
  totalCost: 0,
  cpuCost: 0,
  memoryCost: 0,
  gpuCost: 0,
  storageCost: 0,
  networkCost: 0,
  loadBalancerCost: 0,
  replicaHours: 0,
  spotHours: 0,
  onDemandHours: 0,
  spotPercent: 0,
  onDemandPercent: 0,
  cpuCoreHours: 0,
  memoryByteHours: 0,
  cpuRequestedCoreHours: 0,
  cpuUsedCoreHours: 0,
  memoryRequestedByteHours: 0,
  memoryUsedByteHours: 0,
  cpuEfficiency: null,
  memoryEfficiency: null,
  efficiency: null,
  savingsAvailable: 0,
  costIncrease: 0,
  hoursExisted: 0,
  hoursCovered: 0
}

const [caller] = Schema.decodeUnknownSync(ApiKeyList.fields.apiKeys)([
  {
    id: "0f8fad5b-d9cb-469f-a165-70867728950e",
    name: "admin",
    rule: { role: "Admin" },
    status: "active",
    source: "created",
    createdAt: "2026-11-01T00:00:00.000Z"
  }
])

/** Texts of a page, without its tags. */
const textsOf = (html: string): ReadonlyArray<string> =>
  html
    .replaceAll(/<style[^]*?<\/style>/g, "")
    .split(/<[^>]+>/)
    .filter((text) => text.trim() !== "")

/** The figure that follows a name, and the note below the figure. */
const figureOf = (texts: ReadonlyArray<string>, name: string): ReadonlyArray<string> =>
  texts.slice(texts.indexOf(name) + 1).slice(0, 2)

describe("costs of a time", () => {
  it("of which nothing was seen have no figure, and say that they are not known yet", () => {
    const texts = textsOf(rendered.costFigures({ ...reportOf(0), rows: [{ group: {}, ...NOTHING }] }))
    assert.deepStrictEqual(figureOf(texts, "Total"), ["–", "Not known yet: no data for this period"])
    assert.deepStrictEqual(figureOf(texts, "Efficiency"), ["–", "Usage of requests: CPU –, memory –"])
    assert.deepStrictEqual(figureOf(texts, "Savings available"), ["–", "– of the total"])
    assert.notMatch(texts.join(" "), /0/)
  })

  it("that was seen are zero where nothing ran", () => {
    const texts = textsOf(rendered.costFigures({ ...reportOf(24), rows: [{ group: {}, ...NOTHING }] }))
    assert.deepStrictEqual(figureOf(texts, "Total"), ["$0.00", "100% of the period covered"])
    assert.deepStrictEqual(figureOf(texts, "Savings available"), ["$0.00", "– of the total"])
  })

  it.each([
    [0, "Savings are not known yet: no data for this period."],
    [24, "Recommended requests would have saved $0.00 of $0.00."]
  ])("of which %d h were seen have these savings: %s", (hoursCovered, sentence) => {
    if (caller === undefined) assert.fail("the key was not decoded")
    const texts = textsOf(rendered.savingsPage({ ...reportOf(hoursCovered), aggregatedWorkloads: [] }, caller))
    assert.include(texts, sentence)
  })
})
