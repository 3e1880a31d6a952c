/**
 * The parts of the service that a host may give instead of those that the settings choose.
 */
import type { UsageSources } from "@quarterdeck/cost"
import type { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import type { KubeApi } from "@quarterdeck/cluster-fanout/KubeApi"
import type { CostStore } from "@quarterdeck/cost/CostStore"
import type { KeyStore } from "@quarterdeck/keys/KeyStore"
import { Effect, Layer, Predicate, Stream } from "effect"
import type { Problem } from "./SettingsError.ts"
import { type Row, table } from "./Table.ts"

/**
 * The host's own parts; a part that is not given is the one that the settings choose.
 *
 * **Shape** a value is the host's: it must work from the start until `dispose` has returned, and the service does not close
 * it. A layer is the service's: it is built while the service starts and closed after the last of its users, and an Effect
 * application that provides the same layer elsewhere shares the one that is built.
 */
export interface Ports {
  /** Keeps created keys; sessions of the pages stay in the data directory. */
  readonly keyStore?: KeyStore["Service"] | Layer.Layer<KeyStore, unknown>
  /** Says which clusters there are, in place of `clusters.kubeconfig`, `clusters.names` and `clusters.parent`. */
  readonly clusterRegistry?: ClusterRegistry["Service"] | Layer.Layer<ClusterRegistry, unknown>
  /**
   * Says where usage comes from, in place of `cost.usage`, `cost.usageByCluster` and `cost.usageClusterLabel`.
   *
   * **Shape** a layer may use the service's own access to clusters, as `MetricsApi.make` does.
   */
  readonly usageSources?:
    | UsageSources.UsageSources["Service"]
    | Layer.Layer<UsageSources.UsageSources, unknown, KubeApi | ClusterRegistry>
  /** Keeps the history of costs, in place of `cost.url`; recommendations and prices stay in the data directory. */
  readonly costStore?: CostStore["Service"] | Layer.Layer<CostStore, unknown>
}

export type PortName = keyof Ports

/** What a member of a port is. */
type Form = "function" | "Effect" | "Stream"

interface Facts {
  readonly port: string
  readonly members: Readonly<Record<string, Form>>
  /** What the host decides by giving the port, and the settings that would decide it too. */
  readonly decides: string
  readonly replaces: ReadonlyArray<Row<unknown>>
}

const facts = {
  keyStore: {
    port: "KeyStore",
    members: {
      insert: "function",
      findByHash: "function",
      find: "function",
      list: "function",
      revoke: "function",
      revokeAll: "function",
      findLiving: "function",
      update: "function",
      rotate: "function",
      touch: "function",
      count: "Effect"
    } satisfies Record<keyof KeyStore["Service"], Form>,
    decides: "where created keys are kept",
    replaces: []
  },
  clusterRegistry: {
    port: "ClusterRegistry",
    members: { snapshot: "Effect", changes: "Stream" } satisfies Record<keyof ClusterRegistry["Service"], Form>,
    decides: "which clusters there are",
    replaces: [table.kubeconfig, table.clusterNames, table.parent]
  },
  usageSources: {
    port: "UsageSources",
    members: { of: "function" } satisfies Record<keyof UsageSources.UsageSources["Service"], Form>,
    decides: "where usage comes from",
    replaces: [table.usage, table.usageByCluster, table.usageClusterLabel]
  },
  costStore: {
    port: "CostStore",
    members: {
      close: "function",
      rewrite: "function",
      hours: "function",
      sums: "function",
      sumsByStep: "function",
      extents: "Effect",
      prune: "function"
    } satisfies Record<keyof CostStore["Service"], Form>,
    decides: "where the history of costs is kept",
    replaces: [table.costUrl]
  }
} satisfies Record<PortName, Facts>

/** The names of all ports, as options spell them. */
export const names: ReadonlyArray<string> = Object.keys(facts)

const isForm: Record<Form, (value: unknown) => boolean> = {
  function: Predicate.isFunction,
  Effect: Effect.isEffect,
  Stream: Stream.isStream
}

/**
 * Lists what is wrong with ports: one that is neither a layer nor has the members of its port, and settings that a port
 * replaces and that are set all the same.
 */
export const problemsOf = (ports: Ports, isSet: (row: Row<unknown>) => boolean): ReadonlyArray<Problem> =>
  Object.entries<Facts>(facts).flatMap(([name, { decides, members, port, replaces }]) => {
    const given: unknown = Reflect.get(ports, name)
    if (given === undefined) return []
    const wrong = Layer.isLayer(given)
      ? []
      : Object.entries(members).filter(([member, form]) => !isForm[form](memberOf(given, member)))
    const lacks = wrong.map(([member, form]) => `${member} must be ${form === "Effect" ? "an" : "a"} ${form}`)
    return [
      ...(lacks.length === 0 ? [] : [`${name} must be a ${port} or a Layer of one: ${lacks.join(", ")}`]),
      ...replaces.filter(isSet).map(({ path }) => `${name} and ${path} both say ${decides}: give one of them`)
    ].map((message): Problem => ({ origin: { _tag: "File", path: "options" }, message }))
  })

const memberOf = (given: unknown, member: string): unknown =>
  Predicate.hasProperty(given, member) ? given[member] : undefined
