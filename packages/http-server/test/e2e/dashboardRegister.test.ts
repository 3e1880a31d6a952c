import { assert } from "@effect/vitest"
import { Embedded } from "@quarterdeck/harness"
import { Effect } from "effect"
import type { Page } from "playwright-core"
import * as Chromium from "./Chromium.ts"
import { signIn } from "./DashboardWalk.ts"
import { Deployment, type KeyName, rawKey } from "./Deployment.ts"
import { remainsOf } from "./PageRemains.ts"
import { suite } from "./PageSuite.ts"
import { drop, partsOf, plainServer, register } from "./registered.ts"

const REGISTER = "#/clusters/-/register"
const options = {
  driver: Embedded.driver,
  children: ["prod", "stage"],
  kubeconfig: (fleet: { readonly parent: { readonly kubeconfig: string } }) => Effect.succeed(fleet.parent.kubeconfig),
  options: { clusters: { allowLoopback: true } }
}

const open = Effect.fnUntraced(function* (place: string, key: KeyName = "admin") {
  const { url } = yield* Deployment
  const page = yield* Chromium.open(`${url}/${place}`)
  yield* Effect.promise(() => signIn(page, rawKey(key)))
  return page
})

const kubeconfigOf = (cluster: string) =>
  Effect.flatMap(Deployment, ({ fleet }) => Effect.map(fleet.cluster(cluster), ({ kubeconfig }) => kubeconfig))

const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true })

/** What a field says is wrong with it, once it says so, and whether its reader was brought to it. */
const faultOf = async (page: Page, label: string): Promise<string> => {
  const field = page.getByLabel(label, { exact: true })
  await field.and(page.locator("[aria-invalid=true]:focus")).waitFor()
  const described = (await field.getAttribute("aria-describedby")) ?? ""
  const id = described.split(" ").find((id) => id.endsWith("-error"))
  return page.locator(`[id="${id}"]`).innerText()
}

suite("registering clusters", Deployment.layer(options), (it) => {
  it.effect("a kubeconfig that is pasted is registered, listed with its version, and kept nowhere in the browser", () =>
    Effect.gen(function* () {
      const kubeconfig = yield* kubeconfigOf("prod")
      const { token } = yield* partsOf("prod")
      const page = yield* open("#/clusters")
      const remains = yield* Effect.promise(async () => {
        await page.getByRole("link", { name: "Register a cluster" }).click()
        await page.getByLabel("Name", { exact: true }).fill("prod.eu")
        await page.getByLabel("Kubeconfig", { exact: true }).fill(kubeconfig)
        assert.include(await remainsOf(page), token)
        await button(page, "Register").click()
        await page.getByRole("heading", { name: "prod.eu is registered" }).waitFor()
        await page.getByText("reachable", { exact: true }).waitFor()
        await page.getByText(/^v1\./).waitFor()
        const remains = await remainsOf(page)
        await page.getByRole("link", { name: "All clusters" }).click()
        await page.locator("[data-cluster='prod.eu']").getByText("reachable", { exact: true }).waitFor()
        await page.getByText("2 of 2 clusters answer").waitFor()
        return remains + (await remainsOf(page))
      })
      assert.notInclude(remains, token)
      assert.strictEqual((yield* drop("prod.eu")).status, 204)
    })
  )

  it.effect("of a file its name is shown alone; what was chosen or typed is gone when the page is left", () =>
    Effect.gen(function* () {
      const kubeconfig = yield* kubeconfigOf("stage")
      const parts = yield* partsOf("stage")
      const page = yield* open(REGISTER)
      yield* Effect.promise(async () => {
        const choose = async (text = kubeconfig) => {
          const chooser = page.waitForEvent("filechooser")
          await page.getByRole("button", { name: /^Choose (a|another) file$/ }).click()
          const file = { name: "stage.yaml", mimeType: "application/yaml", buffer: Buffer.from(text) }
          await (await chooser).setFiles(file)
          await page.getByText(/^stage\.yaml, [\d,]+ characters$/).waitFor()
        }
        await choose()
        assert.notInclude(await page.locator("body").innerText(), parts.token)
        await button(page, "Remove file").click()
        await page.getByLabel("Kubeconfig", { exact: true }).waitFor()
        await choose()
        await page.getByRole("radio", { name: "Address, authority and token" }).check()
        await page.getByLabel("Token", { exact: true }).fill(parts.token)
        await page.getByRole("link", { name: "Cancel" }).click()
        await page.getByRole("heading", { name: "Clusters", exact: true }).waitFor()
        assert.notInclude(await remainsOf(page), parts.token)
        await page.goBack()
        await page.getByLabel("Kubeconfig", { exact: true }).waitFor()
        assert.strictEqual(await page.getByLabel("Kubeconfig", { exact: true }).inputValue(), "")
        await page.getByRole("radio", { name: "Address, authority and token" }).check()
        assert.strictEqual(await page.getByLabel("Token", { exact: true }).inputValue(), "")

        await page.getByRole("radio", { name: "A kubeconfig" }).check()
        await choose("not: [yaml")
        await page.getByLabel("Name", { exact: true }).fill("other")
        await button(page, "Register").click()
        await page.getByRole("alert").getByText("is not YAML").waitFor()
        await button(page, "Remove file").and(page.locator(":focus")).waitFor()
        await choose()
        await page.getByLabel("Name", { exact: true }).fill("hub/")
        await button(page, "Register").click()
        assert.include(await faultOf(page, "Name"), "A-Z a-z 0-9")
        await page.getByLabel("Name", { exact: true }).fill("stage")
        await button(page, "Register").click()
        await page.getByRole("heading", { name: "stage is registered" }).waitFor()
      })
      assert.strictEqual((yield* drop("stage")).status, 204)
    })
  )

  it.effect("what is refused is told beside its field, in the server's words, and the reader is brought there", () =>
    Effect.gen(function* () {
      const kubeconfig = yield* kubeconfigOf("prod")
      const { server, token } = yield* partsOf("prod")
      const page = yield* open(REGISTER)
      yield* Effect.promise(async () => {
        const name = page.getByLabel("Name", { exact: true })
        const text = page.getByLabel("Kubeconfig", { exact: true })
        const submit = () => button(page, "Register").click()
        await submit()
        assert.strictEqual(await faultOf(page, "Name"), "Enter a name for the cluster")
        await name.fill("no name")
        await text.fill("kind: Config")
        await submit()
        assert.include(await faultOf(page, "Name"), "A-Z a-z 0-9")

        await name.fill("hub")
        await text.fill(kubeconfig)
        await submit()
        assert.include(await faultOf(page, "Name"), "a cluster named hub exists already")
        await name.fill("new")
        const cases = [
          ["not: [yaml", "is not YAML"],
          [kubeconfig.replaceAll(server, "https://169.254.169.254"), "link-local"],
          [kubeconfig.replaceAll(server, "https://127.0.0.1:1"), "ECONNREFUSED"],
          [kubeconfig.replaceAll(token, "not-this-one"), "refused the service's credential"],
          [kubeconfig.replace(/token: .*/, "tokenFile: /etc/passwd"), "tokenFile"],
          [kubeconfig.replace(/token: .*/, "exec: { command: touch }"), "exec"]
        ] as const
        for (const [posted, words] of cases) {
          await text.fill(posted)
          await submit()
          assert.include(await faultOf(page, "Kubeconfig"), words)
        }
        // What is changed is no longer wrong.
        await text.fill(kubeconfig)
        assert.strictEqual(await page.locator("[aria-invalid=true]").count(), 0)
      })
    })
  )

  it.effect("a cluster that says nothing is waited for, which the page tells, and then refused", () =>
    Effect.gen(function* () {
      const silent = yield* plainServer(() => undefined)
      const { caData, token } = yield* partsOf("prod")
      const page = yield* open(REGISTER)
      yield* Effect.promise(async () => {
        await page.getByLabel("Name", { exact: true }).fill("silent")
        await page.getByRole("radio", { name: "Address, authority and token" }).check()
        await page.getByLabel("Address of the API server").fill(silent.server)
        await page.getByLabel("Certificate authority").fill(Buffer.from(caData, "base64").toString())
        await page.getByLabel("Token", { exact: true }).fill(token)
        await page.keyboard.press("Enter")
        await page.getByRole("status").getByText("waits up to 5 seconds for each").waitFor()
        assert.include(await faultOf(page, "Address of the API server"), "did not answer within 5000 ms")
        // Nothing of it need be typed again.
        assert.strictEqual(await page.getByLabel("Token", { exact: true }).inputValue(), token)
      })
    }).pipe(Effect.scoped)
  )

  it.effect("a registered cluster is dropped once its name is typed; a configured one is not, and it is said why", () =>
    Effect.gen(function* () {
      yield* register({ ...(yield* partsOf("prod")), labels: { region: "eu" } })
      const page = yield* open("#/clusters/prod?cluster=prod")
      yield* Effect.promise(async () => {
        await button(page, "Remove").click()
        const dialog = page.getByRole("dialog", { name: "Remove this cluster?" })
        const confirm = dialog.getByRole("button", { name: "Remove", exact: true })
        assert.isTrue(await confirm.isDisabled())
        await dialog.getByLabel("Type the cluster's name to confirm").fill("stage")
        assert.isTrue(await confirm.isDisabled())
        await dialog.getByLabel("Type the cluster's name to confirm").fill("prod")
        await confirm.click()
        await page.getByText("1 of 1 cluster answers").waitFor()
        assert.strictEqual(await page.locator("[data-cluster=prod]").count(), 0)
        await page.getByRole("link", { name: "hub", exact: true }).click()
        await page.getByText("The parent cluster comes from the server's configuration").waitFor()
        assert.strictEqual(await button(page, "Remove").count(), 0)
      })
    })
  )

  for (const key of ["prodAdmin", "operator", "viewer"] as const) {
    it.effect(`is not offered to ${key}`, () =>
      Effect.gen(function* () {
        const page = yield* open(REGISTER, key)
        yield* Effect.promise(async () => {
          await page.getByText("Your key cannot register clusters").waitFor()
          assert.strictEqual(await button(page, "Register").count(), 0)
          await page.getByRole("link", { name: "Clusters" }).first().click()
          await page.getByRole("heading", { name: "Clusters", exact: true }).waitFor()
          assert.strictEqual(await page.getByRole("link", { name: "Register a cluster" }).count(), 0)
        })
      })
    )
  }
})

suite("clusters of the configuration", Deployment.layer({ driver: Embedded.driver, children: ["prod"] }), (it) => {
  it.effect("are not dropped, and it is said why", () =>
    Effect.gen(function* () {
      const page = yield* open("#/clusters/prod")
      yield* Effect.promise(async () => {
        await button(page, "Remove").click()
        const dialog = page.getByRole("dialog", { name: "Remove this cluster?" })
        await dialog.getByLabel("Type the cluster's name to confirm").fill("prod")
        await dialog.getByRole("button", { name: "Remove", exact: true }).click()
        await dialog.getByText("cluster_configured").waitFor()
        await dialog.getByText("comes from the server's configuration; remove it there").waitFor()
        await dialog.getByRole("button", { name: "Cancel" }).click()
        await dialog.waitFor({ state: "detached" })
      })
    })
  )

  it.effect("a loopback address is refused where no setting allows it", () =>
    Effect.gen(function* () {
      const kubeconfig = yield* kubeconfigOf("prod")
      const page = yield* open(REGISTER)
      yield* Effect.promise(async () => {
        await page.getByLabel("Name", { exact: true }).fill("other")
        await page.getByLabel("Kubeconfig", { exact: true }).fill(kubeconfig)
        await button(page, "Register").click()
        assert.include(await faultOf(page, "Kubeconfig"), "loopback")
      })
    })
  )
})
