/**
 * Uses existing clusters from the contexts of a kubeconfig.
 *
 * It touches only its own objects: namespaces with the caller's name prefix and the run's labels, and cluster-scoped
 * objects with those labels. Closing the scope removes them. {@link sweep} removes what killed runs left.
 */
import { Duration, Effect, Option, Redacted, Ref, type Scope } from "effect"
import type { ApiError } from "../../client/ApiError.ts"
import { type ClusterApi, make as makeApi } from "../../client/ClusterApi.ts"
import { type ClusterDriver, type ClusterOptions, found, missing, type RunningCluster } from "../ClusterDriver.ts"
import { accountName, type Home, make as makeHome, untilEmpowered } from "./Home.ts"
import * as KubeconfigFile from "./KubeconfigFile.ts"
import { type Marks, marksOf, newRun, selectingTests } from "./Marks.ts"
import { removeLeftovers, removeRun, type SweptRun } from "./Sweep.ts"
import { HarnessError, InvalidFleet, MachineRefused, NotSupported } from "../../machine/HarnessError.ts"
import { inRealTime } from "../../machine/Machine.ts"
import * as ApiReset from "../../state/ApiReset.ts"
import type { GrantOptions, Subject } from "../../client/UserAccess.ts"

export interface ExistingOptions {
  /** Path of a kubeconfig, or its text. */
  readonly kubeconfig: string
  /** Context of each cluster of the fleet. Defaults to the context named like the cluster. */
  readonly contexts?: Readonly<Record<string, string>>
  /** Prefix of the names of the driver's namespaces, such as `ci`: at most 30 lower-case letters, digits and dashes. */
  readonly namespacePrefix: string
}

/** An existing cluster, and the run's objects in it. */
export interface ExistingCluster extends RunningCluster {
  /**
   * Labels that mark an object as the run's own. A test adds them to its cluster-scoped objects, so that they are
   * removed with the run.
   */
  readonly labels: Marks
  /** Creates a namespace of the run and returns its name, `<prefix>-<run>-<name>`. */
  readonly namespace: (name: string) => Effect.Effect<string, HarnessError>
  /**
   * Returns the token of a user. The administrator has the context's own token, unless that token expires. Other users
   * have the tokens of service accounts, because users and groups cannot be created in an existing cluster.
   */
  readonly credentials: (user: string) => Effect.Effect<Redacted.Redacted<string>, HarnessError>
  /**
   * Returns the options for `UserAccess.grant`: the user's service account as the subject, the run's labels, and no
   * creation of namespaces.
   */
  readonly granting: (user: string) => GrantOptions
}

export interface ExistingDriver extends ClusterDriver {
  readonly start: (options: ClusterOptions) => Effect.Effect<ExistingCluster, HarnessError, Scope.Scope>
}

const NAME = "existing"
const PREFIX = /^[a-z]([a-z0-9-]{0,28}[a-z0-9])?$/
const NAMESPACE_NAME = /^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/
/** Minimum age of the objects that a sweep removes for a run on another machine, whose process cannot be checked. */
const OLDER_THAN: Duration.Input = "24 hours"
const ADMIN_ACCOUNT = "admin"

/**
 * Creates a driver for the clusters of a kubeconfig.
 *
 * Users other than the administrator are service accounts in a namespace of the run. They have no `groups`, and RBAC
 * names them as `ServiceAccount`. If the context has no lasting token (client certificate, exec plugin), the administrator is a
 * service account bound to `cluster-admin`. The context's user needs the permission to bind that role.
 *
 * **Errors** `start` fails with `InvalidFleet` for a missing context or an invalid prefix, and with `NotSupported` for
 * `from`. `kill`, `restart`, `restartEmpty`, `expireHistory` and `save` are `NotSupported`.
 *
 * **Limits** `reset` and `checkpoint` cover only the run's namespaces and labelled objects. `controllers` and `version`
 * are those of the cluster. Kubeconfigs with `insecure-skip-tls-verify`, `tls-server-name` or `proxy-url` are refused.
 *
 * **Example**
 *
 * ```ts
 * const driver = Existing.make({ kubeconfig: "/home/me/.kube/config", contexts: { eu: "kind-eu" }, namespacePrefix: "ci" })
 * const eu = yield* driver.start({ name: "eu", users })
 * const namespace = yield* eu.namespace("shop") // ci-1f2e3d4c5b-shop
 * ```
 */
export const make = (options: ExistingOptions): ExistingDriver => ({
  name: NAME,
  available: Effect.map(Effect.result(KubeconfigFile.read(options.kubeconfig)), (file) =>
    file._tag === "Success"
      ? found(`a kubeconfig with ${file.success.contexts.length} contexts`)
      : missing(`cannot use the kubeconfig (${file.failure.message})`)
  ),
  start: (cluster) => inRealTime(start(options, cluster))
})

/**
 * Removes the objects of dead runs and returns what it removed.
 *
 * It sweeps the clusters of `contexts`, or of the kubeconfig's current context if none is named. A run is dead if its
 * process on this machine is dead. The state of runs of other machines is unknown, so their objects are removed once
 * they are older than `olderThan` (default 24 h).
 *
 * **Limits** touches only namespaces with the harness's labels and the name prefix, and labelled cluster-scoped
 * objects.
 */
export const sweep = Effect.fn("Existing.sweep")(function* (
  options: ExistingOptions & { readonly olderThan?: Duration.Input }
): Effect.fn.Return<ReadonlyArray<SweptRun>, HarnessError> {
  yield* Effect.mapError(checkPrefix(options.namespacePrefix), (reason) => new HarnessError({ reason }))
  const file = yield* Effect.mapError(KubeconfigFile.read(options.kubeconfig), (reason) => new HarnessError({ reason }))
  const named = Object.values(options.contexts ?? {})
  const contexts = named.length > 0 ? named : Option.toArray(Option.fromUndefinedOr(file.current))
  const olderThanMs = Duration.toMillis(options.olderThan ?? OLDER_THAN)
  const swept = yield* Effect.forEach(new Set(contexts), (context) =>
    Effect.scoped(
      Effect.flatMap(apiOfContext(file, context), (api) => removeLeftovers(api, options.namespacePrefix, olderThanMs))
    ).pipe(Effect.mapError(asHarnessError(context, "sweep the objects of dead runs")))
  )
  return swept.flat()
}, inRealTime)

/** Creates a client with the credentials of the context's user. */
const apiOfContext = Effect.fnUntraced(function* (file: KubeconfigFile.KubeconfigFile, context: string) {
  const { caPem, certificate, server, token } = yield* file.enter(context)
  return yield* makeApi({
    cluster: context,
    server,
    caPem,
    token,
    ...(certificate === undefined ? {} : { certificate })
  })
})

const start = Effect.fnUntraced(function* (
  options: ExistingOptions,
  cluster: ClusterOptions
): Effect.fn.Return<ExistingCluster, HarnessError, Scope.Scope> {
  const { name, users } = cluster
  const { namespacePrefix: prefix } = options
  const failed = (action: string) => Effect.mapError(asHarnessError(name, action))
  const notSupported = (what: string) =>
    Effect.fail(new HarnessError({ cluster: name, reason: new NotSupported({ driver: NAME, what }) }))
  if (cluster.from !== undefined) return yield* notSupported("a start from saved objects")
  yield* failed("use the prefix")(checkPrefix(prefix))
  const file = yield* failed("read the kubeconfig")(KubeconfigFile.read(options.kubeconfig))
  const entry = yield* failed("get the credentials of the context")(file.enter(options.contexts?.[name] ?? name))
  const { caPem, certificate, server } = entry
  const contextApi = yield* makeApi({
    cluster: name,
    server,
    caPem,
    token: entry.token,
    ...(certificate === undefined ? {} : { certificate })
  })

  const run = yield* newRun
  const labels = yield* marksOf(run)
  const home = yield* Effect.acquireRelease(
    failed("create a namespace for the run")(makeHome(contextApi, `${prefix}-${run}`, labels)),
    // If the cluster is unreachable, the next sweep removes the objects.
    () => Effect.ignore(removeRun(contextApi, prefix, run), { log: "Warn" })
  )
  const isLasting = certificate === undefined && !entry.expires
  const admin = isLasting ? entry.token : yield* failed("create an administrator")(adminToken(home))
  const api = isLasting ? contextApi : yield* makeApi({ cluster: name, server, caPem, token: admin })
  if (!isLasting) yield* failed("wait for the administrator's permissions")(untilEmpowered(api))
  const tokens = new Map<string, Redacted.Redacted<string>>()
  const subjects = new Map<string, Subject>()
  for (const [place, user] of users.entries()) {
    const isAdmin = user.groups.includes("system:masters")
    const account = accountName(user.name, place)
    tokens.set(user.name, isAdmin ? admin : yield* failed("create a user")(home.account(account)))
    if (!isAdmin) subjects.set(user.name, { kind: "ServiceAccount", name: account, namespace: home.namespace })
  }

  const scope: ApiReset.Scope = { labelSelector: selectingTests(run) }
  const checkpoint = yield* Ref.make<ApiReset.Captured>({ objects: new Map() })
  return {
    name,
    server,
    caPem,
    labels,
    namespace: (wanted) => failed("create a namespace")(namespaceOf(api, prefix, run, labels, wanted)),
    credentials: (user) => {
      const token = tokens.get(user)
      const problem = `no user is named ${user}`
      return token === undefined
        ? Effect.fail(new HarnessError({ cluster: name, reason: new InvalidFleet({ problem }) }))
        : Effect.succeed(token)
    },
    granting: (user) => {
      const subject = subjects.get(user)
      return { labels, makesNamespaces: false, ...(subject === undefined ? {} : { subject }) }
    },
    checkpoint: failed("take a checkpoint")(
      Effect.flatMap(ApiReset.capture(api, scope), (now) => Ref.set(checkpoint, now))
    ).pipe(inRealTime),
    reset: failed("reset the run's objects")(
      Effect.flatMap(Ref.get(checkpoint), (before) => ApiReset.restore(api, before, scope))
    ).pipe(inRealTime),
    kill: notSupported("killing a cluster"),
    restart: notSupported("a restart"),
    restartEmpty: notSupported("a restart without objects"),
    expireHistory: notSupported("expiring the history"),
    save: () => notSupported("saving a cluster"),
    logs: Effect.succeed(`the log of ${name} is only available where the cluster runs: ${server}\n`)
  }
})

const checkPrefix = (prefix: string): Effect.Effect<void, InvalidFleet> =>
  PREFIX.test(prefix)
    ? Effect.void
    : Effect.fail(
        new InvalidFleet({
          problem: `the namespace prefix ${prefix} is not 1 to 30 lower-case letters, digits and dashes`
        })
      )

const adminToken = Effect.fnUntraced(function* (home: Home) {
  const token = yield* home.account(ADMIN_ACCOUNT)
  yield* home.empower(ADMIN_ACCOUNT)
  return token
})

const namespaceOf = Effect.fnUntraced(function* (
  api: ClusterApi,
  prefix: string,
  run: string,
  labels: Marks,
  wanted: string
) {
  if (!NAMESPACE_NAME.test(wanted)) {
    const problem = `the namespace name ${wanted} is not 1 to 22 lower-case letters, digits and dashes`
    return yield* new InvalidFleet({ problem })
  }
  const name = `${prefix}-${run}-${wanted}`
  yield* api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name, labels } })
  return name
})

const asHarnessError =
  (cluster: string, action: string) =>
  (error: ApiError | InvalidFleet | MachineRefused): HarnessError =>
    new HarnessError({
      cluster,
      reason: error._tag === "ApiError" ? new MachineRefused({ action, cause: error }) : error
    })
