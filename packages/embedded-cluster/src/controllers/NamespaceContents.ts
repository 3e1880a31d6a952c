/**
 * Creates the default objects of each namespace: the ServiceAccount `default` and the ConfigMap with the cluster's CA
 * certificate.
 *
 * **Source** Kubernetes, `pkg/controller/serviceaccount` and `pkg/controller/certificates/rootcacertpublisher`.
 */
import { equals, type JsonObject } from "../core/Json.ts"
import type { Kernel } from "../core/Kernel.ts"
import * as Resources from "../core/Resources.ts"
import type { Change } from "../core/Store.ts"
import type { Stored } from "../core/Stored.ts"
import { type Controller, existing, ownKey } from "./Controller.ts"
import { change, create } from "./ControllerWrites.ts"
import { objectOf } from "./Views.ts"
import { areWhole } from "./WholeNamespaces.ts"

const ACCOUNT = "default"
const CERTIFICATE = "kube-root-ca.crt"

const named =
  (name: string) =>
  ({ after, before }: Change): ReadonlyArray<string> => {
    const stored = after ?? before
    return stored?.name === name ? [stored.namespace] : []
  }

export const namespaceContents: Controller = {
  name: "namespace-contents",
  watches: [
    { resource: Resources.namespaces, keys: ownKey },
    { resource: Resources.serviceAccounts, keys: named(ACCOUNT) },
    { resource: Resources.configMaps, keys: named(CERTIFICATE) }
  ],
  reconcile: (turn, key) => {
    const home = existing(turn, Resources.namespaces, key)
    if (home === undefined || !isActive(home)) return
    const { store } = turn.kernel
    if (store.get(Resources.serviceAccounts, `${key}/${ACCOUNT}`) === undefined)
      create(turn, Resources.serviceAccounts, key, { metadata: { name: ACCOUNT } })
    const data: JsonObject = { "ca.crt": turn.caPem }
    const published = store.get(Resources.configMaps, `${key}/${CERTIFICATE}`)
    if (published === undefined) {
      create(turn, Resources.configMaps, key, { metadata: { name: CERTIFICATE, annotations: DESCRIBED }, data })
    } else if (!equals(objectOf(published)["data"], data)) {
      change(turn, Resources.configMaps, published, (object) => ({ ...object, data }))
    }
  }
}

const RESOURCES = { serviceaccounts: Resources.serviceAccounts, configmaps: Resources.configMaps }

/** Returns whether every namespace that is not terminating has its default objects. */
export const areComplete = ({ store }: Kernel): boolean =>
  areWhole({
    namespaces: store
      .list(Resources.namespaces, "")
      .filter(isActive)
      .map(({ name }) => name),
    has: ({ name, plural }, namespace) => store.get(RESOURCES[plural], `${namespace}/${name}`) !== undefined
  })

const isActive = ({ fields }: Stored): boolean => fields["status.phase"] !== "Terminating"

const DESCRIBED = {
  "kubernetes.io/description":
    "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the "
    + "internal service IP or kubernetes.default.svc. No other usage is guaranteed across distributions of Kubernetes clusters."
}
