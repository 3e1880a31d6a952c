/**
 * The layers that the routes need, wired from the settings and the host's ports.
 */
import {
  Accelerators,
  Breaker,
  BulkActions,
  DataEpoch,
  KubeLogs,
  KubeWriter,
  PodLogs,
  Transport,
  WorkloadActions
} from "@quarterdeck/cluster-fanout"
import {
  AuditExporter,
  AuditKey,
  AuditLog,
  AuditStore,
  Cached,
  DiskReserve,
  IdempotencyStore,
  KeyEpoch,
  KnownKeys,
  RegisteredClusterStore,
  SessionStore
} from "@quarterdeck/keys"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { ClusterCache } from "@quarterdeck/cluster-fanout/ClusterCache"
import { ClusterReader } from "@quarterdeck/cluster-fanout/ClusterReader"
import { ClusterWatch } from "@quarterdeck/cluster-fanout/ClusterWatch"
import { Clusters } from "@quarterdeck/cluster-fanout/Clusters"
import { Events } from "@quarterdeck/cluster-fanout/Events"
import { FanOut } from "@quarterdeck/cluster-fanout/FanOut"
import { KubeApi, MaxObjects } from "@quarterdeck/cluster-fanout/KubeApi"
import { Namespaces } from "@quarterdeck/cluster-fanout/Namespaces"
import { Pods } from "@quarterdeck/cluster-fanout/Pods"
import { WorkloadDetails } from "@quarterdeck/cluster-fanout/WorkloadDetails"
import { WorkloadWatch } from "@quarterdeck/cluster-fanout/WorkloadWatch"
import { Workloads } from "@quarterdeck/cluster-fanout/Workloads"
import { Authenticator } from "@quarterdeck/keys/Authenticator"
import { KeyConfig } from "@quarterdeck/keys/KeyConfig"
import { KeyIssuer, MakerLimits, MaxLifetime } from "@quarterdeck/keys/KeyIssuer"
import { IdentityProvider } from "@quarterdeck/keys/IdentityProvider"
import { GroupRules } from "@quarterdeck/keys/Person"
import { KeyStore } from "@quarterdeck/keys/KeyStore"
import { Sessions } from "@quarterdeck/keys/Sessions"
import { layerSqlite } from "@quarterdeck/keys/store/Sqlite"
import { Effect, Layer } from "effect"
import { AuditTrail } from "./http/audit/AuditTrail.ts"
import * as AuditSinks from "./services/AuditSinks.ts"
import * as Costs from "./Costs.ts"
import * as CursorKeyFile from "./services/CursorKeyFile.ts"
import * as DirectoryLock from "./services/DirectoryLock.ts"
import * as FirstKey from "./services/FirstKey.ts"
import { FailedAttempts } from "./http/guard/FailedAttempts.ts"
import { Guard } from "./http/guard/Guard.ts"
import { HotReads } from "./http/hot/HotReads.ts"
import { Idempotency } from "./services/Idempotency.ts"
import * as IdentityClient from "./services/IdentityClient.ts"
import * as InstallationKey from "./services/InstallationKey.ts"
import { KeyLimit } from "./http/guard/KeyLimit.ts"
import { Streams } from "./http/stream/Streams.ts"
import { TrustedProxies } from "./limits/ClientAddress.ts"
import { RateLimits } from "./limits/RateLimits.ts"
import { RefusalLines } from "./limits/RefusalLog.ts"
import * as KeysByLabel from "./services/KeysByLabel.ts"
import { Deadlines } from "./http/lists/ListPage.ts"
import { MetricsAccess } from "./http/pages/MetricsRoute.ts"
import * as McpHost from "./http/mcp/McpHost.ts"
import * as ProcessMetrics from "./http/pages/ProcessMetrics.ts"
import { AllowedOrigins } from "./http/guard/Origin.ts"
import { PublicUrl } from "./http/request/RequestConnection.ts"
import { ClusterRegistrar } from "./services/ClusterRegistrar.ts"
import * as ParentClusters from "./services/ParentClusters.ts"
import * as Registrations from "./services/Registrations.ts"
import * as Registry from "./services/Registry.ts"
import { TargetOptions } from "./http/guard/ResolvedRequest.ts"
import * as HostPort from "./services/HostPort.ts"
import type { Ports } from "./settings/Ports.ts"
import type { Settings } from "./settings/Settings.ts"
import { Surroundings } from "./settings/Surroundings.ts"

/**
 * Provides the settings that layers read from Effect references, and the counters of changes of cluster data and keys.
 */
const references = ({ clusters, fanOut, keys, limits, oidc, server }: Settings) =>
  Layer.mergeAll(
    Layer.sync(DataEpoch.CurrentDataEpoch, () => new DataEpoch.DataEpoch()),
    Layer.sync(KeyEpoch.CurrentKeyEpoch, () => new KeyEpoch.KeyEpoch()),
    Layer.succeed(TargetOptions, { header: clusters.header, maxNames: fanOut.maxNames }),
    Layer.succeed(MaxObjects, fanOut.maxObjects),
    Layer.succeed(Deadlines, { timeoutMs: fanOut.timeoutMs, maxTimeoutMs: fanOut.maxTimeoutMs }),
    Layer.succeed(MetricsAccess, server.metrics),
    Layer.succeed(AllowedOrigins, server.allowedOrigins),
    Layer.succeed(McpHost.McpHosts, { listensOn: server.host, allowed: server.allowedHosts }),
    Layer.succeed(PublicUrl, server.publicUrl),
    Layer.succeed(TrustedProxies, server.trustedProxies),
    Layer.succeed(RateLimits, limits),
    Layer.succeed(MaxLifetime, keys.maxLifetime),
    Layer.succeed(MakerLimits, { maxPerMaker: keys.maxPerMaker, maxLifetimeOfPeople: keys.maxLifetimeOfPeople }),
    Layer.succeed(GroupRules, oidc?.rules ?? []),
    Layer.effect(
      Transport.TransportLimits,
      Effect.map(Transport.TransportLimits, (limits) => ({
        ...limits,
        callConnections: fanOut.perCluster,
        writeConnections: fanOut.perCluster
      }))
    )
  )

/** Provides the stores of keys, sessions, idempotent calls and registered clusters. A cache wraps the key store. */
const keyStore = ({ dataDirectory: directory }: Settings, { keyStore: given }: Ports) => {
  const sqlite = layerSqlite({ directory })
  if (given === undefined) return Cached.layerCached.pipe(Layer.provideMerge(sqlite))
  const others = Layer.mergeAll(
    Layer.effect(SessionStore.SessionStore, SessionStore.SessionStore),
    Layer.effect(IdempotencyStore.IdempotencyStore, IdempotencyStore.IdempotencyStore),
    Layer.effect(RegisteredClusterStore.RegisteredClusterStore, RegisteredClusterStore.RegisteredClusterStore)
  ).pipe(Layer.provide(sqlite))
  return Layer.merge(Cached.layerCached.pipe(Layer.provide(HostPort.layer("keyStore", KeyStore, given))), others)
}

/** Provides the audit of the data directory. **Errors** `AuditStoreError` when it cannot be opened. */
const audit = ({ audit, dataDirectory: directory, webhooks }: Settings) =>
  Layer.merge(
    AuditLog.AuditLog.layer({ directory }),
    exportedAudit({ audit, dataDirectory: directory, webhooks })
  ).pipe(
    Layer.provideMerge(AuditStore.AuditStore.layerSqlite({ directory })),
    Layer.provide(Layer.effect(AuditKey.AuditKey, InstallationKey.readOrMake(directory, AuditKey.KEY_FILE))),
    Layer.provide(Layer.succeed(AuditLog.AuditSettings, audit))
  )

const exportedAudit = ({
  audit: { export: settings },
  dataDirectory: directory,
  webhooks
}: Pick<Settings, "audit" | "dataDirectory" | "webhooks">) =>
  settings === undefined
    ? Layer.empty
    : Layer.unwrap(Effect.map(AuditSinks.make(settings, webhooks), (sink) => AuditExporter.layer({ directory, sink })))

const keys = (settings: Settings, ports: Ports) =>
  Layer.mergeAll(Sessions.layer, KeyIssuer.layer, Idempotency.layer).pipe(
    Layer.provideMerge(Authenticator.layer),
    Layer.provideMerge(KnownKeys.KnownKeys.layer),
    Layer.provideMerge(
      settings.keys.files.length === 0 ? KeyConfig.layerNone : KeyConfig.layerFiles(settings.keys.files)
    ),
    Layer.provideMerge(Layer.merge(keyStore(settings, ports), identities(settings)))
  )

/** Provides the identity provider, or none without OpenID Connect settings. */
const identities = ({ oidc }: Settings) =>
  oidc === undefined ? IdentityProvider.layerNone : IdentityClient.layer(oidc)

const clusters = (settings: Settings) =>
  Layer.mergeAll(
    Layer.mergeAll(BulkActions.BulkActions.layer, WorkloadWatch.layer).pipe(
      Layer.provideMerge(Layer.merge(Workloads.layer, WorkloadActions.WorkloadActions.layer))
    ),
    Pods.layer,
    Events.layer,
    PodLogs.PodLogs.layer,
    WorkloadDetails.layer,
    Namespaces.layer,
    ClusterWatch.layer.pipe(Layer.provideMerge(Clusters.layer)),
    ClusterRegistrar.layer
  ).pipe(
    Layer.provideMerge(Layer.merge(FanOut.layer, ClusterReader.layer)),
    Layer.provideMerge(
      Layer.merge(
        Layer.provide(ClusterCache.layer, Layer.succeed(Accelerators.Accelerators, settings.cost.accelerators)),
        CursorKeyFile.layer(settings.dataDirectory)
      )
    ),
    Layer.provideMerge(
      Layer.mergeAll(KubeApi.layer, KubeWriter.KubeWriter.layer, KubeLogs.KubeLogs.layer, Breaker.Breakers.layer)
    )
  )

const guard = Layer.merge(Guard.layer, HotReads.layer).pipe(
  Layer.provideMerge(
    Layer.mergeAll(AuditTrail.layer, FailedAttempts.layer, KeyLimit.layer, RefusalLines.layer, Streams.layer)
  )
)

/** Locks the data directory from before its first file is opened until after its last is closed. */
const directory = ({ dataDirectory }: Settings) => Layer.effectDiscard(DirectoryLock.forServer(dataDirectory))

/** Checks the keys files before the startup writes anything. */
const readable = ({ keys: { files } }: Settings) => Layer.effectDiscard(KeyConfig.check(files))

/**
 * Provides the services of the routes.
 *
 * **Shape** built from the last line up: kubeconfig and keys files are read first, then stores and watches open. The
 * first key is written last, when nothing else can fail.
 *
 * **Errors** every reason why the service cannot start with these settings. The parts already opened are closed.
 */
export const layer = (settings: Settings, ports: Ports) =>
  Layer.mergeAll(guard, KeysByLabel.layer, FirstKey.layer(settings.keys), Registry.announce, ProcessMetrics.layer).pipe(
    Layer.provideMerge(Costs.layer(settings, ports)),
    Layer.provideMerge(clusters(settings)),
    Layer.provideMerge(ParentClusters.layer(settings).pipe(Layer.provide(KubeApi.layer))),
    // The layers above this line use this registry, which adds clusters registered at run time to `Registry.layer` below.
    Layer.provideMerge(Registrations.layer(settings)),
    Layer.provideMerge(keys(settings, ports)),
    Layer.provideMerge(audit(settings)),
    Layer.provideMerge(DiskReserve.layer({ directory: settings.dataDirectory })),
    Layer.provideMerge(directory(settings)),
    Layer.provideMerge(readable(settings)),
    Layer.provideMerge(Registry.layer(settings, ports)),
    Layer.provideMerge(references(settings)),
    Layer.provide([NodeServices.layer, Surroundings.layerProcess])
  )
