/**
 * A walk through every page of the dashboard and the states that a reader meets, for pictures and for audits.
 */
import { type Fleet, Seed } from "@quarterdeck/harness"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import * as Chromium from "./Chromium.ts"
import { Deployment, rawKey } from "./Deployment.ts"

export const SIZES = [
  ["390", { width: 390, height: 844 }],
  ["1440", { width: 1440, height: 900 }]
] as const

/** Fills the clusters that the pages show. */
export const fill = (fleet: Fleet["Service"]) => Seed.fill(fleet, { seed: 1, size: "small" })

const KEYS = [
  {
    name: "ci deploys",
    description: "Deploys the shop from the office and the build machines",
    rule: { role: "Operator", targetClusters: ["prod", "stage"] },
    allowFrom: ["203.0.113.0/24", "2001:db8::/32"],
    expire: "90d"
  },
  { name: "grafana", rule: { role: "Viewer" } },
  {
    name: "storefront team",
    rule: {
      role: "Viewer",
      targetNamespaces: [{ namespaceNames: [], labelSelector: { matchLabels: { team: "storefront" } } }]
    },
    expire: "5d"
  }
]

/** Makes the keys that the pages show. */
export const prepare = Effect.gen(function* () {
  const { call, createKey } = yield* Deployment
  for (const key of KEYS) yield* createKey(key)
  const makeBy = Effect.fnUntraced(function* (maker: string, made: string) {
    const { apiKey, raw } = yield* createKey({ name: maker, rule: { role: "Admin" } })
    yield* call("/api/v1/apiKeys", { method: "POST", bearer: raw, body: { name: made, rule: { role: "Viewer" } } })
    return apiKey.id
  })
  yield* makeBy("platform team", "night jobs")
  const contractor = yield* makeBy("contractor", "left behind")
  yield* call(`/api/v1/apiKeys/${contractor}`, { method: "DELETE", key: "admin" })
})

/** Signs in on the page that asks for it. */
export const signIn = async (page: Page, key: string): Promise<void> => {
  await page.getByLabel("API key", { exact: true }).fill(key)
  await page.getByRole("button", { name: "Sign in" }).click()
  await page.getByRole("heading", { level: 1 }).waitFor()
}

/** Presses Tab until the element of a name has the focus. */
export const tabTo = async (page: Page, role: Parameters<Page["getByRole"]>[0], name: string): Promise<void> => {
  const wanted = page.getByRole(role, { name, exact: true })
  await wanted.waitFor()
  for (let presses = 0; presses < 60; presses++) {
    if ((await wanted.and(page.locator(":focus")).count()) > 0) return
    await page.keyboard.press("Tab")
  }
  throw new Error(`Tab does not reach the ${role} ${name}`)
}

/** Adds names or labels to a field that holds several. */
export const addTags = async (page: Page, name: string, tags: ReadonlyArray<string>): Promise<void> => {
  const field = page.getByRole("combobox", { name })
  for (const tag of tags) {
    await field.fill(tag)
    await field.press("Enter")
    await page.locator(".mantine-Pill-label").getByText(tag, { exact: true }).waitFor()
  }
}

/** Chooses what to do with a key of the list; of several of one name with the one of an id, or the newest. */
export const chooseAction = async (page: Page, name: string, action: string, id?: string): Promise<void> => {
  const list = id === undefined ? page : page.locator(`[data-key="${id}"]`)
  await list
    .getByRole("button", { name: `Actions of ${name}`, exact: true })
    .last()
    .click()
  await page.getByRole("menuitem", { name: action, exact: true }).click()
}

/** Opens each page as a reader would, and says when it stands. */
export async function* pages(page: Page, url: string) {
  await Chromium.load(page, `${url}/#/users/api-keys`)
  await page.getByRole("button", { name: "Sign in" }).waitFor()
  yield "sign-in"
  await signIn(page, "qd_notquitearealkey")
  await page.getByRole("alert").waitFor()
  yield "sign-in-refused"
  await signIn(page, rawKey("admin"))
  await page.getByText("ci deploys").waitFor()
  yield "api-keys"
  await page.getByLabel("Name", { exact: true }).fill("nothing is called this")
  await page.getByText("No key matches").waitFor()
  yield "api-keys-none"
  await page.getByRole("button", { name: "Show every key" }).click()
  await page.getByRole("button", { name: "Actions of grafana" }).click()
  await page.getByRole("menuitem", { name: "Revoke" }).waitFor()
  yield "key-actions"
  // A menu hides where its button is scrolled away, as for a picture of the whole page.
  await page.keyboard.press("Escape")
  await page.getByRole("menu").waitFor({ state: "detached" })
  await chooseAction(page, "grafana", "Revoke")
  await page.getByRole("button", { name: "Cancel" }).waitFor()
  yield "revoke"
  await page.getByRole("button", { name: "Cancel" }).click()
  await chooseAction(page, "platform team", "Revoke")
  await page.getByLabel("Also the key descended from it").check()
  yield "revoke-children"
  await page.getByRole("button", { name: "Cancel" }).click()
  await chooseAction(page, "grafana", "Rotate")
  await page.getByLabel("Expiry of the new key").waitFor()
  yield "rotate"
  await page.getByRole("button", { name: "Cancel" }).click()
  await chooseAction(page, "storefront team", "Rotate")
  await page.getByRole("button", { name: "Rotate", exact: true }).click()
  await page.getByText("Helm values").waitFor()
  yield "key-rotated"
  await page.getByRole("button", { name: "Done" }).click()
  await chooseAction(page, "ci deploys", "Rename or narrow")
  await page.getByRole("heading", { name: "Rename or narrow ci deploys" }).waitFor()
  await page.getByText(/namespaces in 2 clusters/).waitFor()
  yield "change-key"
  await page.getByRole("link", { name: "Cancel" }).click()
  await page.getByRole("link", { name: "Create API Key" }).click()
  await page.getByLabel("Name", { exact: true }).fill("shop on call")
  await page.getByLabel("Description", { exact: true }).fill("Reads the shop at night")
  await addTags(page, "Allowed from", ["203.0.113.0/24"])
  await page.getByLabel("Only these", { exact: true }).check()
  await addTags(page, "Cluster names", ["prod", "later"])
  await page.getByLabel("Only namespaces with these names or labels").check()
  await addTags(page, "Namespace names", ["shop", "platform"])
  await page.getByRole("combobox", { name: "Namespace names" }).blur()
  await page.getByText("2 namespaces in 2 clusters").waitFor()
  yield "create-key"
  await page.getByLabel("Name", { exact: true }).fill("")
  await page.getByRole("button", { name: "Create key" }).click()
  await page.getByText("Enter a name for the key").waitFor()
  yield "create-key-fault"
  await page.getByLabel("Name", { exact: true }).fill("shop on call")
  await page.getByRole("button", { name: "Create key" }).click()
  await page.getByText("Helm values").waitFor()
  yield "key-created"
  await page.goto(`${url}/#/audit`)
  await page.locator("[data-event]").first().waitFor()
  yield "audit"
  await page.locator("[data-event]").first().getByRole("button").click()
  await page.getByRole("table", { name: "Event details" }).waitFor()
  yield "audit-event"
  await page.getByRole("button", { name: "Close" }).click()
  await page.getByLabel("Resource", { exact: true }).selectOption("namespaces")
  await page.getByText("No event matches").waitFor()
  yield "audit-none"
  await page.goto(`${url}/#/own-key`)
  await page.getByRole("heading", { name: "Your key" }).waitFor()
  yield "own-key"
  await page.getByRole("button", { name: /^Signed in with/ }).click()
  await page.getByRole("menuitem", { name: "Sign out", exact: true }).click()
  await page.goto(`${url}/#/users/api-keys`)
  await signIn(page, rawKey("viewer"))
  await page.getByRole("alert").waitFor()
  yield "api-keys-forbidden"
}
