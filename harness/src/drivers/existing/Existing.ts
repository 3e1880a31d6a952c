/**
 * Uses clusters that run already, and are not ours: those of a kubeconfig's contexts.
 *
 * It touches only what it made: namespaces whose names begin with a prefix of the caller's and which carry the run's
 * labels, and objects outside namespaces with those labels. Everything goes when the scope closes; what a killed run
 * leaves, {@link sweep} removes.
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
  /** The path of a kubeconfig, or its text. */
  readonly kubeconfig: string
  /** The context of each cluster of the fleet; a cluster that is not named here has a context of its own name. */
  readonly contexts?: Readonly<Record<string, string>>
  /** How the names of the driver's namespaces begin: `ci`, at most 30 lower-case letters, digits and dashes. */
  readonly namespacePrefix: string
}

/** A cluster of somebody else, and the run's place in it. */
export interface ExistingCluster extends RunningCluster {
  /**
   * The labels that mark an object as the run's own. A test puts them on what it makes outside namespaces, so that it
   * goes with the run.
   */
  readonly labels: Marks
  /** Makes a namespace of the run and gives its name, `<prefix>-<run>-<name>`. */
  readonly namespace: (name: string) => Effect.Effect<string, HarnessError>
  /**
   * The token of a user: the context's own for the administrator where it has a lasting one, else that of a service
   * account, because nobody can mint users or groups in a foreign cluster.
   */
  readonly credentials: (user: string) => Effect.Effect<Redacted.Redacted<string>, HarnessError>
  /** How `UserAccess.grant` gives rights to a user of this cluster: to its service account, in namespaces that exist. */
  readonly granting: (user: string) => GrantOptions
}

export interface ExistingDriver extends ClusterDriver {
  readonly start: (options: ClusterOptions) => Effect.Effect<ExistingCluster, HarnessError, Scope.Scope>
}

const NAME = "existing"
const PREFIX = /^[a-z]([a-z0-9-]{0,28}[a-z0-9])?$/
const NAMESPACE_NAME = /^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/
/** How old something must be whose owner cannot be asked, because it ran on another machine. */
const OLDER_THAN: Duration.Input = "24 hours"
const ADMIN_ACCOUNT = "admin"

/**
 * Makes a driver of the clusters of a kubeconfig.
 *
 * Users other than the administrator are service accounts in a namespace of the run: `groups` are not theirs,
 * and RBAC names them as `ServiceAccount`. An administrator without a lasting token (client certificate, exec plugin) is
 * a service account bound to `cluster-admin`, which the context's own user must be allowed to bind.
 *
 * **Errors** `start` fails with `InvalidFleet` for a context that does not exist or an unfit prefix, and with
 * `NotSupported` for `from`. `kill`, `restart`, `restartEmpty`, `expireHistory` and `save` are `NotSupported`.
 *
 * **Limits** `reset` and `checkpoint` see the run's namespaces and labelled objects alone. `controllers` and `version`
 * are the cluster's own. A kubeconfig that skips verification, names another TLS server or a proxy is refused.
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
      : missing(`name a kubeconfig that can be read (${file.failure.message})`)
  ),
  start: (cluster) => inRealTime(start(options, cluster))
})

/**
 * Removes what runs left that ended without cleaning up, and says what it removed.
 *
 * It sweeps the clusters of `contexts`, or of the kubeconfig's current context when none is named. A run has ended
 * when its process on this machine is dead; of a run elsewhere that is not known, so its leftovers go when they are older
 * than `olderThan` (default 24 h).
 *
 * **Limits** namespaces with the harness's labels whose names begin with the prefix, and labelled objects outside
 * namespaces: never anything else.
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
      Effect.flatMap(ownApi(file, context), (api) => removeLeftovers(api, options.namespacePrefix, olderThanMs))
    ).pipe(Effect.mapError(asHarnessError(context, "sweep what ended runs left")))
  )
  return swept.flat()
}, inRealTime)

/** A client of the context's own user. */
const ownApi = Effect.fnUntraced(function* (file: KubeconfigFile.KubeconfigFile, context: string) {
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
  const entry = yield* failed("enter the cluster")(file.enter(options.contexts?.[name] ?? name))
  const { caPem, certificate, server } = entry
  const own = yield* makeApi({
    cluster: name,
    server,
    caPem,
    token: entry.token,
    ...(certificate === undefined ? {} : { certificate })
  })

  const run = yield* newRun
  const labels = yield* marksOf(run)
  const home = yield* Effect.acquireRelease(
    failed("make a namespace for the run")(makeHome(own, `${prefix}-${run}`, labels)),
    // The cluster may be out of reach by now; the next sweep finds what stays.
    () => Effect.ignore(removeRun(own, prefix, run), { log: "Warn" })
  )
  const isLasting = certificate === undefined && !entry.isPassing
  const admin = isLasting ? entry.token : yield* failed("make an administrator")(empowered(home))
  const api = isLasting ? own : yield* makeApi({ cluster: name, server, caPem, token: admin })
  if (!isLasting) yield* failed("wait for the administrator's rights")(untilEmpowered(api))
  const tokens = new Map<string, Redacted.Redacted<string>>()
  const subjects = new Map<string, Subject>()
  for (const [place, user] of users.entries()) {
    const isAdmin = user.groups.includes("system:masters")
    const account = accountName(user.name, place)
    tokens.set(user.name, isAdmin ? admin : yield* failed("make a user")(home.account(account)))
    if (!isAdmin) subjects.set(user.name, { kind: "ServiceAccount", name: account, namespace: home.namespace })
  }

  const scope: ApiReset.Scope = { labelSelector: selectingTests(run) }
  const captured = yield* Ref.make<ApiReset.Captured>({ objects: new Map() })
  return {
    name,
    server,
    caPem,
    labels,
    namespace: (wanted) => failed("make a namespace")(namespaceOf(api, prefix, run, labels, wanted)),
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
      Effect.flatMap(ApiReset.capture(api, scope), (now) => Ref.set(captured, now))
    ).pipe(inRealTime),
    reset: failed("reset the run's objects")(
      Effect.flatMap(Ref.get(captured), (before) => ApiReset.restore(api, before, scope))
    ).pipe(inRealTime),
    kill: notSupported("taking a cluster away"),
    restart: notSupported("a restart"),
    restartEmpty: notSupported("a restart without objects"),
    expireHistory: notSupported("forgetting the history"),
    save: () => notSupported("saving a cluster"),
    logs: Effect.succeed(`the log of ${name} is kept where it runs: ${server}\n`)
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

const empowered = Effect.fnUntraced(function* (home: Home) {
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
