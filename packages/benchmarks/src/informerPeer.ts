/**
 * A peer of the service: informers of the official JavaScript client.
 *
 * Arguments: the kubeconfig, the total number of objects, the kinds (`pods,deployments`), the file to write its port into.
 * `/sync` starts one informer per kind and cluster. It replies when all objects are there, with `Figures` from before and
 * after.
 */
import { AppsV1Api, CoreV1Api, KubeConfig, type KubernetesObject, makeInformer } from "@kubernetes/client-node"
import { createServer } from "node:http"
import * as Figures from "./load/Figures.ts"
import { listen, orSay } from "./load/Ready.ts"

const [kubeconfig = "", total = "0", kinds = "pods", ready = ""] = process.argv.slice(2)

const probe = Figures.make()
const config = new KubeConfig()
config.loadFromFile(kubeconfig)

/** Every object by uid, because a restarted informer reports an object again. */
const held = new Map<string, KubernetesObject>()

const listOf = (own: KubeConfig, kind: string) => {
  const core = own.makeApiClient(CoreV1Api)
  const apps = own.makeApiClient(AppsV1Api)
  if (kind === "pods") return { path: "/api/v1/pods", list: () => core.listPodForAllNamespaces() }
  return kind === "deployments"
    ? { path: "/apis/apps/v1/deployments", list: () => apps.listDeploymentForAllNamespaces() }
    : { path: "/apis/apps/v1/replicasets", list: () => apps.listReplicaSetForAllNamespaces() }
}

const sync = (): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const before = probe.take(true)
    const put = (object: KubernetesObject) => {
      held.set(object.metadata?.uid ?? "", object)
      if (held.size === Number(total)) {
        const synced = probe.take(false)
        resolve({ before, synced, collected: probe.take(true) })
      }
    }
    for (const { name } of config.getContexts()) {
      const own = new KubeConfig()
      own.loadFromFile(kubeconfig)
      own.setCurrentContext(name)
      for (const kind of kinds.split(",")) {
        const { list, path } = listOf(own, kind)
        const informer = makeInformer<KubernetesObject>(own, path, list)
        informer.on("add", put)
        informer.on("error", reject)
        informer.start().catch(reject)
      }
    }
  })

const server = createServer((_, response) => {
  void sync().then(
    (figures) => response.end(JSON.stringify(figures)),
    (error: unknown) => response.end(JSON.stringify({ problem: String(error) }))
  )
})
await orSay(ready, () => listen(server, ready))
