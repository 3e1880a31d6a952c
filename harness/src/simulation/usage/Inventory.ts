/** The objects of a cluster as rows: read once, or kept up to date. */
import { Deferred, Effect, Result, type Scope } from "effect"
import type { ApiError } from "../../client/ApiError.ts"
import type { ClusterApi } from "../../client/ClusterApi.ts"
import type { KubeObject } from "../../client/KubeObject.ts"
import { type Follower, follow } from "../kubelet/Follow.ts"
import * as Rows from "./Rows.ts"

/** All rows of one kind, in the order of arrival. */
export interface Table<A extends Rows.Row> {
  readonly rows: () => Iterable<A>
  readonly size: () => number
}

export interface Inventory {
  readonly pods: Table<Rows.PodRow>
  readonly nodes: Table<Rows.NodeRow>
  readonly namespaces: Table<Rows.Row>
  readonly replicaSets: Table<Rows.Row>
  readonly jobs: Table<Rows.Row>
  readonly volumes: Table<Rows.VolumeRow>
  readonly claims: Table<Rows.ClaimRow>
  readonly services: Table<Rows.ServiceRow>
  /** Returns the workload of a pod: the Deployment instead of its ReplicaSet, the CronJob instead of its Job. */
  readonly workloadOf: (pod: Rows.PodRow) => { readonly kind: string; readonly name: string }
}

const PAGE = 500

const table = <A extends Rows.Row>(read: Rows.Read<A>) => {
  const rows = new Map<string, A>()
  const put = Effect.fnUntraced(function* (object: KubeObject) {
    const row = read(object)
    if (Result.isSuccess(row)) rows.set(row.success.uid, row.success)
    else yield* Effect.logWarning(`${object.kind} ${object.metadata.name} is ignored: ${row.failure.message}`)
  })
  const follower: Follower = {
    put,
    remove: (uid) => Effect.sync(() => rows.delete(uid)),
    retain: (uids) =>
      Effect.sync(() => {
        for (const uid of [...rows.keys()]) if (!uids.has(uid)) rows.delete(uid)
      })
  }
  return { rows: () => rows.values(), size: () => rows.size, follower }
}

const tables = () => {
  const pods = table(Rows.readPod)
  const nodes = table(Rows.readNode)
  const namespaces = table(Rows.readNamed)
  const replicaSets = table(Rows.readNamed)
  const jobs = table(Rows.readNamed)
  const volumes = table(Rows.readVolume)
  const claims = table(Rows.readClaim)
  const services = table(Rows.readService)
  const kinds = [
    { apiVersion: "v1", kind: "Node", follower: nodes.follower },
    { apiVersion: "v1", kind: "Namespace", follower: namespaces.follower },
    { apiVersion: "apps/v1", kind: "ReplicaSet", follower: replicaSets.follower },
    { apiVersion: "batch/v1", kind: "Job", follower: jobs.follower },
    { apiVersion: "v1", kind: "PersistentVolume", follower: volumes.follower },
    { apiVersion: "v1", kind: "PersistentVolumeClaim", follower: claims.follower },
    { apiVersion: "v1", kind: "Service", follower: services.follower },
    { apiVersion: "v1", kind: "Pod", follower: pods.follower }
  ]
  const ownerIn = (owners: Table<Rows.Row>, namespace: string, name: string) => {
    for (const row of owners.rows()) if (row.name === name && row.namespace === namespace) return row.owner
    return undefined
  }
  const workloadOf = (pod: Rows.PodRow) => {
    const { name, namespace, owner } = pod
    if (owner === undefined) return { kind: "Pod", name }
    if (owner.kind === "ReplicaSet") {
      const hash = pod.labels["pod-template-hash"]
      // The name contains the Deployment's name, except for ReplicaSets without an owner.
      if (hash !== undefined && owner.name.endsWith(`-${hash}`)) {
        return { kind: "Deployment", name: owner.name.slice(0, -hash.length - 1) }
      }
      return owner
    }
    return owner.kind === "Job" ? (ownerIn(jobs, namespace, owner.name) ?? owner) : owner
  }
  const inventory: Inventory = {
    pods,
    nodes,
    namespaces,
    replicaSets,
    jobs,
    volumes,
    claims,
    services,
    workloadOf
  }
  return { inventory, kinds }
}

/** Reads the present objects of a cluster, in pages of 500. */
export const read = (api: ClusterApi): Effect.Effect<Inventory, ApiError> =>
  Effect.gen(function* () {
    const { inventory, kinds } = tables()
    for (const { apiVersion, follower, kind } of kinds) {
      let next: string | undefined
      do {
        const page = yield* api.list({
          apiVersion,
          kind,
          limit: PAGE,
          ...(next === undefined ? {} : { continue: next })
        })
        yield* Effect.forEach(page.items, follower.put, { discard: true })
        next = page.continue
      } while (next !== undefined && next !== "")
    }
    return inventory
  })

/**
 * Keeps the rows of a cluster up to date until the scope closes. Returns once all kinds have been listed.
 *
 * **Limits** eight watches; about 1 KB per pod.
 */
export const live = (api: ClusterApi): Effect.Effect<Inventory, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { inventory, kinds } = tables()
    const listed = yield* Effect.forEach(kinds, ({ follower, ...kind }) =>
      Effect.gen(function* () {
        const done = yield* Deferred.make<void>()
        yield* Effect.forkScoped(follow(api, kind, follower, Deferred.succeed(done, undefined)))
        return Deferred.await(done)
      })
    )
    yield* Effect.all(listed, { discard: true })
    return inventory
  })

/**
 * Returns the inventory as if its objects had existed, and its running containers had been running, since an instant.
 */
export const since = (inventory: Inventory, fromMs: number): Inventory => {
  const older = <A extends Rows.Row>(table: Table<A>, change: (row: A) => A): Table<A> => ({
    size: table.size,
    *rows() {
      for (const row of table.rows()) yield change(row)
    }
  })
  const created = <A extends Rows.Row>(row: A): A => ({ ...row, createdMs: Math.min(row.createdMs, fromMs) })
  const started = (pod: Rows.PodRow): Rows.PodRow => ({
    ...created(pod),
    ...(pod.startMs === undefined ? {} : { startMs: Math.min(pod.startMs, fromMs) }),
    containers: pod.containers.map((container) =>
      container.run === undefined || container.run.toMs !== undefined
        ? container
        : { ...container, run: { fromMs: Math.min(container.run.fromMs, fromMs) } }
    )
  })
  return {
    pods: older(inventory.pods, started),
    nodes: older(inventory.nodes, created),
    namespaces: older(inventory.namespaces, created),
    replicaSets: older(inventory.replicaSets, created),
    jobs: older(inventory.jobs, created),
    volumes: older(inventory.volumes, created),
    claims: older(inventory.claims, created),
    services: older(inventory.services, created),
    workloadOf: inventory.workloadOf
  }
}
