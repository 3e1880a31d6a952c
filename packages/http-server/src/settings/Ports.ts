/**
 * The ports that a host may implement itself, instead of the adapters that the settings select.
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
 * The host's own implementations. The settings select the adapter of each port that is missing here.
 *
 * **Shape** the host owns a value: the value must work until `dispose` has returned, and the service does not close it.
 * The service owns a layer: it builds the layer at startup and closes it after its last user. An Effect application
 * that provides the same layer elsewhere shares one instance with the service.
 */
export interface Ports {
  /** Stores created keys. Dashboard sessions stay in the data directory. */
  readonly keyStore?: KeyStore["Service"] | Layer.Layer<KeyStore, unknown>
  /** Lists the clusters, instead of `clusters.kubeconfig`, `clusters.names` and `clusters.parent`. */
  readonly clusterRegistry?: ClusterRegistry["Service"] | Layer.Layer<ClusterRegistry, unknown>
  /**
   * Provides usage, instead of `cost.usage`, `cost.usageByCluster` and `cost.usageClusterLabel`.
   *
   * **Shape** a layer may use the service's own access to clusters, as `MetricsApi.make` does.
   */
  readonly usageSources?:
    | UsageSources.UsageSources["Service"]
    | Layer.Layer<UsageSources.UsageSources, unknown, KubeApi | ClusterRegistry>
  /** Stores the cost history, instead of `cost.url`. Recommendations and prices stay in the data directory. */
  readonly costStore?: CostStore["Service"] | Layer.Layer<CostStore, unknown>
}

export type PortName = keyof Ports

/** The type of a port's member. */
type Form = "function" | "Effect" | "Stream"

interface Facts {
  readonly port: string
  readonly members: Readonly<Record<string, Form>>
  /** The decision that the port makes, for messages. `replaces` lists the settings that make the same decision. */
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

/** The option names of all ports. */
export const names: ReadonlyArray<string> = Object.keys(facts)

const isForm: Record<Form, (value: unknown) => boolean> = {
  function: Predicate.isFunction,
  Effect: Effect.isEffect,
  Stream: Stream.isStream
}

/**
 * Lists the problems of ports: a value that is neither a layer nor has the port's members, and a setting that is set
 * although a port replaces it.
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
      ...replaces.filter(isSet).map(({ path }) => `${name} and ${path} both decide ${decides}: set only one of them`)
    ].map((message): Problem => ({ origin: { _tag: "File", path: "options" }, message }))
  })

const memberOf = (given: unknown, member: string): unknown =>
  Predicate.hasProperty(given, member) ? given[member] : undefined
