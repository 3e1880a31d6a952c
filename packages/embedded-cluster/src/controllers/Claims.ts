/**
 * Binds each PersistentVolumeClaim to a fitting volume, or to a new volume that is created for the claim.
 *
 * **Limits** a claim is bound immediately, whatever its storage class; no storage is provisioned. A claim with the
 * empty class binds only to an existing volume.
 *
 * **Source** Kubernetes, `pkg/controller/volume/persistentvolume`.
 */
import { arrayAt, at, type JsonObject, objectAt, put, textAt } from "../core/Json.ts"
import * as Resources from "../core/Resources.ts"
import type { Stored } from "../core/Stored.ts"
import { type Controller, existing, ownKey, type Turn } from "./Controller.ts"
import { change, create, remove, writeStatus } from "./ControllerWrites.ts"
import { amounts, objectOf } from "./Views.ts"

export const claims: Controller = {
  name: "persistentvolume-binder",
  watches: [
    { resource: Resources.persistentVolumeClaims, keys: ownKey },
    {
      resource: Resources.persistentVolumes,
      keys: ({ after }) => (after !== undefined && phaseOf(after) === "" ? [`${VOLUME}${after.key}`] : [])
    },
    {
      resource: Resources.persistentVolumes,
      keys: ({ after }, { kernel }) =>
        after !== undefined && phaseOf(after) === "Available"
          ? kernel.store
              .list(Resources.persistentVolumeClaims, "")
              .filter((claim) => phaseOf(claim) === "Pending")
              .map(({ key }) => key)
          : []
    }
  ],
  reconcile: (turn, key) => {
    if (key.startsWith(VOLUME)) {
      const volume = existing(turn, Resources.persistentVolumes, key.slice(VOLUME.length))
      const isNew = volume !== undefined && phaseOf(volume) === ""
      if (isNew) writeStatus(turn, Resources.persistentVolumes, volume, { phase: "Available" })
      return
    }
    const claim = existing(turn, Resources.persistentVolumeClaims, key)
    if (claim === undefined) {
      release(turn, key)
      return
    }
    const object = objectOf(claim)
    if (at(object, "metadata", "deletionTimestamp") !== undefined || phaseOf(claim) === "Bound") return
    const volume = fitting(turn, claim) ?? provision(turn, claim)
    if (volume !== undefined) bind(turn, claim, volume)
  }
}

/** Prefix of the queue keys of volumes. No namespace starts with it. */
const VOLUME = "volume:"

const phaseOf = (stored: Stored): string => textAt(objectOf(stored), "status", "phase")

const sizeOf = (object: JsonObject, ...path: ReadonlyArray<string>): number =>
  amounts(at(object, ...path)).get("storage") ?? 0

/** Finds the smallest free volume that satisfies a claim. */
const fitting = ({ kernel }: Turn, claim: Stored): Stored | undefined => {
  const object = objectOf(claim)
  const name = textAt(object, "spec", "volumeName")
  const wanted = sizeOf(object, "spec", "resources", "requests")
  const modes = arrayAt(object, "spec", "accessModes")
  return kernel.store
    .list(Resources.persistentVolumes, "")
    .filter((volume) => {
      const candidate = objectOf(volume)
      const owner = textAt(candidate, "spec", "claimRef", "name")
      const reserved = owner === claim.name && textAt(candidate, "spec", "claimRef", "namespace") === claim.namespace
      if (name !== "" || reserved) return volume.name === name || (reserved && name === "")
      const has = arrayAt(candidate, "spec", "accessModes")
      return (
        owner === ""
        && textAt(candidate, "spec", "storageClassName") === textAt(object, "spec", "storageClassName")
        && modes.every((mode) => has.includes(mode))
        && sizeOf(candidate, "spec", "capacity") >= wanted
      )
    })
    .toSorted(
      (left, right) => sizeOf(objectOf(left), "spec", "capacity") - sizeOf(objectOf(right), "spec", "capacity")
    )[0]
}

const PROVISIONER = "quarterdeck.dev/embedded"

const provision = (turn: Turn, claim: Stored): Stored | undefined => {
  const object = objectOf(claim)
  const isStatic = at(object, "spec", "storageClassName") === "" || textAt(object, "spec", "volumeName") !== ""
  if (isStatic) return undefined
  const name = `pvc-${claim.uid}`
  const storageClass = textAt(object, "spec", "storageClassName")
  create(turn, Resources.persistentVolumes, "", {
    metadata: { name, annotations: { "pv.kubernetes.io/provisioned-by": PROVISIONER } },
    spec: {
      capacity: { storage: textAt(object, "spec", "resources", "requests", "storage") },
      accessModes: arrayAt(object, "spec", "accessModes"),
      claimRef: referenceTo(claim),
      persistentVolumeReclaimPolicy: "Delete",
      volumeMode: textAt(object, "spec", "volumeMode") || "Filesystem",
      ...(storageClass === "" ? {} : { storageClassName: storageClass }),
      hostPath: { path: `/var/lib/embedded/${name}`, type: "" }
    }
  })
  return turn.kernel.store.get(Resources.persistentVolumes, name)
}

const referenceTo = (claim: Stored): JsonObject => ({
  kind: "PersistentVolumeClaim",
  apiVersion: "v1",
  namespace: claim.namespace,
  name: claim.name,
  uid: claim.uid,
  resourceVersion: String(claim.revision)
})

const bind = (turn: Turn, claim: Stored, volume: Stored): void => {
  const { store } = turn.kernel
  if (textAt(objectOf(volume), "spec", "claimRef", "uid") !== claim.uid)
    change(turn, Resources.persistentVolumes, volume, (object) => put(object, ["spec", "claimRef"], referenceTo(claim)))
  const taken = store.get(Resources.persistentVolumes, volume.key)
  if (taken !== undefined) writeStatus(turn, Resources.persistentVolumes, taken, { phase: "Bound" })
  change(turn, Resources.persistentVolumeClaims, claim, (object) => {
    const annotations = {
      ...objectAt(object, "metadata", "annotations"),
      "pv.kubernetes.io/bind-completed": "yes",
      "pv.kubernetes.io/bound-by-controller": "yes"
    }
    return put(put(object, ["spec", "volumeName"], volume.name), ["metadata", "annotations"], annotations)
  })
  const bound = store.get(Resources.persistentVolumeClaims, claim.key)
  if (bound === undefined) return
  writeStatus(turn, Resources.persistentVolumeClaims, bound, {
    phase: "Bound",
    accessModes: arrayAt(objectOf(volume), "spec", "accessModes"),
    capacity: objectAt(objectOf(volume), "spec", "capacity")
  })
}

/** Deletes or releases the volume of a deleted claim, by the volume's reclaim policy. */
const release = (turn: Turn, key: string): void => {
  for (const volume of turn.kernel.store.list(Resources.persistentVolumes, "")) {
    const object = objectOf(volume)
    const claim = objectAt(object, "spec", "claimRef")
    if (`${textAt(claim, "namespace")}/${textAt(claim, "name")}` !== key || textAt(claim, "uid") === "") continue
    if (textAt(object, "spec", "persistentVolumeReclaimPolicy") === "Delete")
      remove(turn, Resources.persistentVolumes, volume)
    else writeStatus(turn, Resources.persistentVolumes, volume, { phase: "Released" })
  }
}
