/** The examples of the task page on fleets, as its reader copies them: plain vitest, without Effect. */
import { CoreV1Api, KubeConfig } from "@kubernetes/client-node"
import { Embedded, Fleet } from "@quarterdeck/harness"
import { mkdtemp, readFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"

test("a viewer reads pods of its namespace, and nothing else", async () => {
  await using fleet = await Fleet.start({
    driver: Embedded.driver,
    parent: "hub",
    children: ["eu"],
    users: [
      {
        name: "viewer",
        groups: ["support"],
        rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get", "list"], namespaces: ["shop"] }]
      }
    ]
  })
  const kubeconfig = new KubeConfig()
  kubeconfig.loadFromString(fleet.kubeconfigFor("viewer"))
  kubeconfig.setCurrentContext("eu")
  const pods = kubeconfig.makeApiClient(CoreV1Api)
  expect((await pods.listNamespacedPod({ namespace: "shop" })).items).toEqual([])
  await expect(pods.listNamespacedSecret({ namespace: "shop" })).rejects.toThrow("secrets is forbidden")
})

test("begins with what manifests say", async () => {
  await using fleet = await Fleet.start({
    driver: Embedded.driver,
    parent: "hub",
    children: ["eu", "us"],
    manifests: [join(import.meta.dirname, "manifests")]
  })
  const web = { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "web" }
  for (const cluster of fleet.clusters) {
    await cluster.delete(web)
    await cluster.reset()
    expect((await cluster.get(web)).metadata.name).toBe("web")
  }
})

test("rolls out a deployment until its pods are available", async () => {
  await using fleet = await Fleet.start({
    driver: Embedded.driver,
    parent: "hub",
    controllers: true,
    kubelet: true,
    manifests: [join(import.meta.dirname, "manifests")]
  })
  await fleet.parent.create({ apiVersion: "v1", kind: "Node", metadata: { name: "node-1" } })
  const web = { apiVersion: "apps/v1", kind: "Deployment", namespace: "shop", name: "web" }
  await expect
    .poll(async () => (await fleet.parent.get(web))["status"], { timeout: 20_000 })
    .toMatchObject({ availableReplicas: 2 })
})

test("counts the deployments of an online shop", async () => {
  await using fleet = await Fleet.start({ driver: Embedded.driver, parent: "hub", children: ["eu"] })
  const plans = await fleet.seed({ size: "tiny" })
  const { items } = await fleet.cluster("eu").list({ apiVersion: "apps/v1", kind: "Deployment" })
  const planned = plans[1]?.workloads.filter(({ template }) => template.kind === "Deployment")
  expect(items).toHaveLength(planned?.length ?? 0)
})

test("begins with the objects of a fleet that was saved", async () => {
  const directory = join(await mkdtemp(join(tmpdir(), "fleet-")), "saved")
  const clusters = { driver: Embedded.driver, parent: "hub", children: ["eu"] }
  {
    await using first = await Fleet.start(clusters)
    await first.seed({ size: "tiny" })
    await first.save(directory)
  }
  await using second = await Fleet.start({ ...clusters, from: directory })
  expect((await second.cluster("eu").list({ apiVersion: "v1", kind: "Node" })).items).toHaveLength(2)
})

test("a release that the driver does not have is refused, with the one that it has", async () => {
  await expect(Fleet.start({ driver: Embedded.driver, parent: "hub", version: "1.20" })).rejects.toThrow(
    "the embedded driver does not support Kubernetes 1.20; it implements v1.36.3"
  )
})

test("every example of the page is one of these tests", async () => {
  const here = await readFile(import.meta.filename, "utf8")
  const page = await readFile(join(import.meta.dirname, "../../../docs/tasks/harness-fleet.md"), "utf8")
  const examples = [...page.matchAll(/^```ts\n(test[^]*?)^```$/gm)].map(([, example = ""]) => example)
  expect(examples).toHaveLength(5)
  for (const example of examples) expect(here).toContain(example)
})
