/** Takes checkpoints of a control plane's objects, and restores them. */
import { Effect, Option, Ref, Schema } from "effect"
import { request, Agent } from "undici"
import type { ClusterNotReady, MachineRefused } from "../../machine/HarnessError.ts"
import { areWhole, untilWhole } from "@quarterdeck/embedded-cluster/WholeNamespaces"
import type { ServiceAccountKeys } from "./ControlPlaneFiles.ts"
import * as ControlPlaneKinds from "./ControlPlaneKinds.ts"
import * as ControlPlaneSave from "./ControlPlaneSave.ts"
import * as EtcdClient from "./EtcdClient.ts"
import { NAMESPACES, PREFIX } from "./EtcdKeys.ts"
import * as EtcdState from "./EtcdState.ts"
import { attempt } from "../../machine/Machine.ts"
import type { ProbeOptions } from "./ServerProbe.ts"

export interface ControlPlaneState {
  /** Makes the present objects the state that `reset` restores. */
  readonly checkpoint: Effect.Effect<void, MachineRefused>
  /** Restores the last checkpoint, then waits until the server serves the restored custom kinds and no others. */
  readonly reset: Effect.Effect<void, ClusterNotReady | MachineRefused>
  readonly save: (directory: string) => Effect.Effect<void, MachineRefused>
  /** Waits until a server that has just started serves every custom kind in its store. */
  readonly kindsServed: Effect.Effect<void, ClusterNotReady | MachineRefused>
}

const DEFINITIONS = "/apiextensions.k8s.io/customresourcedefinitions/"

const Version = Schema.fromJsonString(Schema.Struct({ gitVersion: Schema.NonEmptyString }))
const decodeVersion = Schema.decodeUnknownPromise(Version)

/** Takes a first checkpoint of a ready cluster. **Limits** holds its objects in memory, as stored. */
export const make = Effect.fnUntraced(function* (options: {
  readonly driver: string
  readonly socket: string
  readonly probe: ProbeOptions
  readonly keys: ServiceAccountKeys
  readonly issuers: ReadonlyArray<string>
  /** True if controllers run, which create objects in every new namespace. */
  readonly controllers: boolean
}): Effect.fn.Return<ControlPlaneState, MachineRefused> {
  const withEtcd = <A, E>(use: (etcd: EtcdClient.Etcd) => Effect.Effect<A, E>) =>
    Effect.scoped(Effect.flatMap(EtcdClient.connect(options.socket), use))
  const present = withEtcd((etcd) =>
    Effect.andThen(options.controllers ? untilWhole(namespacesAreWhole(etcd)) : Effect.void, EtcdState.capture(etcd))
  )
  const checkpoint = yield* Ref.make(yield* present)

  return {
    checkpoint: Effect.flatMap(present, (now) => Ref.set(checkpoint, now)),
    reset: Effect.gen(function* () {
      const before = yield* Ref.get(checkpoint)
      const restored = yield* withEtcd((etcd) => EtcdState.restore(etcd, before))
      yield* Ref.set(checkpoint, restored.captured)
      const kinds = [
        ...restored.removed.map((key) => ControlPlaneKinds.absent(key.slice(key.lastIndexOf("/") + 1))),
        ...restored.written.flatMap((key) => kindIn(restored.captured, key))
      ]
      if (kinds.length > 0) yield* ControlPlaneKinds.served(options.probe, kinds)
    }),
    kindsServed: Effect.gen(function* () {
      const now = yield* withEtcd(EtcdState.capture)
      const kinds = [...now.keys()].filter((key) => key.includes(DEFINITIONS)).flatMap((key) => kindIn(now, key))
      if (kinds.length > 0) yield* ControlPlaneKinds.served(options.probe, kinds)
    }),
    save: Effect.fnUntraced(function* (directory) {
      const kubernetes = yield* versionOf(options.probe)
      yield* withEtcd((etcd) =>
        ControlPlaneSave.write(directory, options.driver, etcd, {
          kubernetes,
          keys: options.keys,
          issuers: options.issuers
        })
      )
    })
  }
})

const namespacesAreWhole = Effect.fnUntraced(function* (etcd: EtcdClient.Etcd) {
  const [namespaces, ...given] = yield* Effect.all([
    etcd.read(NAMESPACES),
    etcd.read(`${PREFIX}serviceaccounts/`, { keysOnly: true }),
    etcd.read(`${PREFIX}configmaps/`, { keysOnly: true })
  ])
  const keys = new Set(given.flatMap(({ entries }) => entries.map(({ key }) => key)))
  return areWhole({
    // The phase appears as plain text in the stored value, in both encodings.
    namespaces: namespaces.entries
      .filter(({ value }) => !Buffer.from(value, "base64").includes("Terminating"))
      .map(({ key }) => key.slice(NAMESPACES.length)),
    has: ({ name, plural }, namespace) => keys.has(`${PREFIX}${plural}/${namespace}/${name}`)
  })
})

const kindIn = (captured: EtcdState.Captured, key: string): ReadonlyArray<ControlPlaneKinds.ExpectedKind> =>
  Option.toArray(ControlPlaneKinds.expected(Buffer.from(captured.get(key)?.value ?? "", "base64").toString()))

const versionOf = ({ server, caPem }: ProbeOptions): Effect.Effect<string, MachineRefused> =>
  attempt("ask the cluster for its version", async (signal) => {
    const agent = new Agent({ connect: { ca: caPem } })
    try {
      const { body } = await request(`${server}/version`, { dispatcher: agent, signal })
      return (await decodeVersion(await body.text())).gitVersion
    } finally {
      await agent.destroy()
    }
  })
