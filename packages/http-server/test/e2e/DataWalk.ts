/**
 * A walk through the pages of clusters, workloads and costs, on the demo, for pictures and for audits.
 */
import type { Page } from "playwright-core"
import * as Chromium from "./Chromium.ts"
import { signIn } from "./DashboardWalk.ts"
import type { Demo } from "./Demo.ts"

type Walk = (page: Page, demo: Demo["Service"]) => AsyncIterable<string>

/** Signs in where a walk begins. */
const enter = async (page: Page, { key, url }: Demo["Service"], place: string): Promise<void> => {
  await Chromium.load(page, `${url}/#${place}`)
  await signIn(page, key("ADMIN"))
}

async function* overview(page: Page, demo: Demo["Service"]) {
  await enter(page, demo, "/")
  await page.locator("[data-attention]").first().waitFor()
  await page.getByText("3 of 3 clusters answer").waitFor()
  yield "overview"
}

async function* clusters(page: Page, demo: Demo["Service"]) {
  const { url } = demo
  await enter(page, demo, "/clusters")
  await page.locator("[data-cluster=stage]").waitFor()
  await page.getByText("3 of 3 clusters answer").waitFor()
  await page
    .locator("[data-cluster=prod]")
    .getByText(/^\$[1-9]/)
    .waitFor()
  yield "clusters"
  await page.getByRole("button", { name: /^Clusters:/ }).click()
  await page.getByRole("radio", { name: "All clusters" }).waitFor()
  yield "switcher"
  await page.keyboard.press("Escape")
  await page.keyboard.press("?")
  await page.getByText("Go to Workloads").waitFor()
  yield "keys-help"
  await page.keyboard.press("Escape")
  await page.getByText("Go to Workloads").waitFor({ state: "hidden" })
  await page.keyboard.press("Control+k")
  await page.getByRole("combobox").fill("pro")
  await page.getByRole("option").first().waitFor()
  yield "palette"
  await page.keyboard.press("Escape")
  await page.goto(`${url}/#/clusters?cluster=nowhere`)
  await page.getByText("cluster_not_found").waitFor()
  yield "cluster-unknown"
  await page.goto(`${url}/#/clusters/prod`)
  await page.getByRole("table", { name: "Most expensive namespaces" }).waitFor()
  yield "cluster"
  await page.getByRole("button", { name: "Remove", exact: true }).click()
  await page.getByRole("button", { name: "Cancel" }).waitFor()
  yield "cluster-drop"
  await page.getByRole("button", { name: "Cancel" }).click()
  await page.goto(`${url}/#/clusters/-/register`)
  await page.getByLabel("Name", { exact: true }).fill("prod.eu")
  await page.getByRole("textbox", { name: "Kubeconfig" }).waitFor()
  yield "register-cluster"
  await page.getByRole("radio", { name: "Address, authority and token" }).check()
  await page.getByLabel("Address of the API server").fill("https://169.254.169.254")
  await page.getByLabel("Certificate authority").fill("LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t")
  await page.getByLabel("Token", { exact: true }).fill("not a real one")
  await page.getByRole("button", { name: "Register", exact: true }).click()
  await page.getByText("which is refused").waitFor()
  yield "register-cluster-refused"
}

async function* workloads(page: Page, demo: Demo["Service"]) {
  const { url } = demo
  await enter(page, demo, "/workloads")
  await page.locator("[data-workload]").first().waitFor()
  await page.locator("[data-chip=degraded]").waitFor()
  yield "workloads"
  await page.locator("[data-chip=degraded]").click()
  await page.locator("[data-chip=degraded][aria-pressed=true]").waitFor()
  yield "workloads-degraded"
  await page.locator("[data-chip=degraded]").click()
  const boxes = page.locator("[data-workload] input[type=checkbox]")
  await boxes.nth(0).click()
  await boxes.nth(2).click({ modifiers: ["Shift"] })
  await page.getByText("3 selected", { exact: true }).waitFor()
  yield "workloads-selected"
  await page.getByRole("region", { name: "Selected workloads" }).getByRole("button", { name: "Restart" }).click()
  await page.getByText("Nothing is changed yet.").waitFor()
  yield "workloads-restart"
  await page.getByRole("button", { name: "Cancel" }).click()
  await page.getByRole("button", { name: "Clear", exact: true }).last().click()
  await page.getByRole("searchbox", { name: "Name" }).fill("nothing is called this")
  await page.getByText("No workload matches").waitFor()
  yield "workloads-none"
  await page.goto(`${url}/#/workloads/prod/payments/Deployment/reporting`)
  await page.getByRole("table", { name: "Containers" }).waitFor()
  yield "workload"
  await page.getByRole("tab", { name: "Cost" }).click()
  await page.getByRole("button", { name: "Copy the recommended requests" }).waitFor()
  await page.getByRole("region", { name: "Cost history" }).getByRole("img").waitFor()
  yield "workload-cost"
  await page.goto(`${url}/#/workloads/prod/shop/Deployment/search`)
  await page.getByText(/^1 of 2 ready\. search-/).waitFor()
  await page.getByRole("table", { name: "Containers" }).waitFor()
  yield "workload-crashing"
  await page.goto(`${url}/#/workloads/prod/payments/Deployment/reporting?tab=pods`)
  await page
    .getByRole("button", { name: /^Log of reporting-/ })
    .first()
    .click()
  await page.getByRole("log").waitFor()
  yield "workload-log"
  await page.getByRole("button", { name: "Restart", exact: true }).click()
  await page.getByRole("table", { name: "Preview" }).waitFor()
  yield "workload-restart"
  await page.getByRole("button", { name: "Cancel" }).click()
}

async function* lists(page: Page, demo: Demo["Service"]) {
  const { url } = demo
  await enter(page, demo, "/pods?sort=restarts&order=desc")
  await page.locator("[data-row]").first().waitFor()
  yield "pods"
  await page.goto(`${url}/#/pods?name=nothing+is+called+this`)
  await page.getByText("No pod matches the filter").waitFor()
  yield "pods-none"
  await page.goto(`${url}/#/events`)
  await page.locator("[data-row]").first().waitFor()
  yield "events"
  await page.goto(`${url}/#/namespaces`)
  await page.locator("[data-row]").first().waitFor()
  yield "namespaces"
}

async function* costs(page: Page, demo: Demo["Service"]) {
  const { url } = demo
  await enter(page, demo, "/cost")
  await page.getByRole("table", { name: "Costs by group" }).waitFor()
  // The pointer rests where somebody signed in: over the chart, its legend tells of one step alone.
  await page.mouse.move(0, 0)
  await page.getByText("Not covered").waitFor()
  yield "cost"
  await page.getByRole("button", { name: "Show as a table" }).click()
  await page.getByRole("table", { name: "Costs by step" }).waitFor()
  yield "cost-table"
  await page.getByRole("button", { name: /explain the cost of payments/ }).click()
  await page.getByRole("button", { name: /explain the cost of reporting/ }).waitFor()
  yield "cost-explained"
  await page.getByRole("button", { name: /explain the cost of reporting/ }).click()
  await page.getByRole("table", { name: "Cost by step" }).waitFor()
  yield "workload-explained"
  await page.keyboard.press("Escape")
  await page.getByRole("dialog").waitFor({ state: "hidden" })
  await page.goto(`${url}/#/cost?cluster=prod&by=workload&namespace=payments`)
  await page.getByRole("button", { name: "Remove Namespace: payments" }).waitFor()
  yield "cost-filtered"
  await page.getByRole("table", { name: "Costs by group" }).getByRole("link", { name: "reporting" }).click()
  await page.getByRole("region", { name: "Explanation", exact: true }).getByRole("table").first().waitFor()
  yield "cost-workload"
  await page.goto(`${url}/#/cost/savings?group=label`)
  const savings = page.getByRole("table", { name: "Savings by workload" })
  await savings.getByRole("link", { name: "reporting" }).waitFor()
  yield "savings"
  await savings.getByRole("link", { name: "reporting" }).click()
  await page.getByRole("button", { name: "Copy the recommended requests" }).waitFor()
  yield "savings-details"
}

async function* prices(page: Page, demo: Demo["Service"]) {
  await enter(page, demo, "/settings/prices")
  const cpu = page.getByLabel("Google Cloud: Core hour", { exact: true })
  await cpu.waitFor()
  yield "prices"
  await cpu.fill("0.05")
  await page.getByRole("table", { name: "Effect by part" }).waitFor()
  yield "prices-effect"
}

/** The walks, each of which opens its pages as a reader would, and says when one stands. */
export const walks: Readonly<Record<string, Walk>> = { overview, clusters, workloads, lists, costs, prices }
