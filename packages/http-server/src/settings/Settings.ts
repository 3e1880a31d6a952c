/**
 * The server's settings, read once at startup from flags, environment variables and a YAML file.
 */
import type { UsageSetting } from "@quarterdeck/cost/usage/UsageSetting"
import type { GroupRule } from "@quarterdeck/keys/Person"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { type Duration, Effect, Option, type Redacted, Result } from "effect"
import type { RateLimitSettings } from "../limits/RateLimits.ts"
import type * as CostKind from "./CostKind.ts"
import * as AuditExport from "./AuditExport.ts"
import * as Kind from "./Kind.ts"
import * as Nearest from "./Nearest.ts"
import { type Origin, type Problem, SettingsError } from "./SettingsError.ts"
import * as SettingsFile from "./SettingsFile.ts"
import { Surroundings } from "./Surroundings.ts"
import { type Row, rows, table } from "./Table.ts"
import { FOREIGN_VARIABLES, isServiceLink, VARIABLE_PREFIX, variableOf } from "./Variables.ts"

/**
 * Every setting, decoded.
 *
 * **Units** milliseconds where a name ends in `Ms`. **Shape** docs/reference/settings.md describes each setting.
 * `undefined` means not set and without a default.
 */
export interface Settings {
  readonly server: {
    readonly host: string
    readonly port: number
    /** If `undefined`, the server uses plain HTTP. */
    readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined
    readonly shutdownMs: number
    readonly metrics: "protected" | "public" | "off"
    /** Empty when not set. */
    readonly allowedOrigins: ReadonlyArray<string>
    /** Empty when not set. */
    readonly allowedHosts: ReadonlyArray<string>
    readonly publicUrl: string | undefined
    /** Empty when not set. */
    readonly trustedProxies: ReadonlyArray<string>
  }
  /** `ClusterSources.resolve` decides the fallbacks of settings that are not set. */
  readonly clusters: {
    /** Empty when not set. */
    readonly kubeconfig: ReadonlyArray<string>
    readonly names: Kind.ClusterNames
    readonly parent: ClusterName | undefined
    readonly header: string
    readonly allowLoopback: boolean
    /** If `undefined`, the server creates a file in the data directory. */
    readonly secretFile: string | undefined
    /** Empty when not set, like the next two. */
    readonly argoSecrets: ReadonlyArray<string>
    readonly profiles: ReadonlyArray<string>
    readonly allowedCommands: ReadonlyArray<string>
  }
  readonly keys: {
    /** Empty when not set. */
    readonly files: ReadonlyArray<string>
    readonly bootstrapFile: string | undefined
    readonly maxLifetime: Duration.Duration
    /** If `undefined`, only `maxLifetime` applies. */
    readonly maxLifetimeOfPeople: Duration.Duration | undefined
    readonly maxPerMaker: number
  }
  /** If `undefined`, people sign in with API keys only. */
  readonly oidc: OidcSettings | undefined
  readonly fanOut: {
    readonly timeoutMs: number
    readonly maxTimeoutMs: number
    readonly perCluster: number
    readonly maxNames: number
    readonly maxObjects: number
  }
  readonly limits: RateLimitSettings
  readonly cost: {
    /** If `undefined`, the history is in SQLite in the data directory, or in the host's store. */
    readonly url: Redacted.Redacted | undefined
    readonly usage: UsageSetting
    readonly usageByCluster: CostKind.UsageByCluster
    readonly usageClusterLabel: string | undefined
    /** Empty when not set. */
    readonly foldedPrefixes: ReadonlyArray<string>
    /** Empty when not set. */
    readonly accelerators: ReadonlyArray<string>
    readonly sampleSeconds: number
    readonly hourlyDays: number
    readonly retentionDays: number
  }
  readonly audit: AuditExport.AuditSettings
  readonly webhooks: AuditExport.WebhookSettings
  readonly dataDirectory: string
  readonly telemetry: {
    readonly logLevel: "trace" | "debug" | "info" | "warn" | "error"
    readonly logFormat: "text" | "json"
    readonly otlpEndpoint: string | undefined
  }
}

/** The settings of sign-in through OpenID Connect. */
export interface OidcSettings {
  readonly issuer: string
  readonly clientId: string
  /** `undefined` for a public client. */
  readonly clientSecretFile: string | undefined
  readonly groupsClaim: string
  readonly scopes: ReadonlyArray<string> | undefined
  readonly rules: ReadonlyArray<GroupRule>
  /** The address at which browsers reach this server. */
  readonly publicUrl: string
}

/** The settings. `origins` has the source of each value, by the setting's path. */
export interface Loaded {
  readonly settings: Settings
  readonly origins: ReadonlyMap<string, Origin>
}

/** The parsed command line. **Shape** `flags` by name, without dashes. `config` is the path of the YAML file. */
export interface CommandLine {
  readonly flags: Readonly<Record<string, string>>
  readonly config?: string | undefined
}

/**
 * Reads the settings. Flags override environment variables, which override the file, which overrides the defaults.
 *
 * **Errors** `SettingsError` with every problem: unknown settings and variables, invalid values (also overridden ones),
 * and settings that contradict or lack each other.
 *
 * **Limits** reads one file.
 */
export const load = Effect.fn("Settings.load")(function* (commandLine: CommandLine) {
  const { variables } = yield* Surroundings
  const file = commandLine.config === undefined ? SettingsFile.empty : yield* SettingsFile.read(commandLine.config)
  return yield* Effect.fromResult(combine(commandLine.flags, variables, file))
})

/**
 * Merges the sources into settings, without reading files or the environment.
 */
export const combine = (
  flags: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string>>,
  file: SettingsFile.Contents
): Result.Result<Loaded, SettingsError> => {
  const sources: Sources = { flags, variables: ownVariables(variables), file }
  const reading = new Reading(sources, [...file.problems, ...unknownVariables(sources.variables)])
  const read = <A>(row: Row<A>): A => reading.read(row)
  const tlsFiles: TlsFiles = { certFile: read(table.tlsCertFile), keyFile: read(table.tlsKeyFile) }
  const settings = settingsOf(read, tlsFiles)
  requireTogether(reading, settings, tlsFiles)
  AuditExport.requireTogether(reading, settings.audit.export, settings.webhooks.allowedHosts)
  const { origins, problems } = reading
  return problems.length > 0 ? Result.fail(new SettingsError({ problems })) : Result.succeed({ settings, origins })
}

/** The sources of values, without the defaults. */
interface Sources {
  readonly flags: Readonly<Record<string, string>>
  readonly variables: ReadonlyMap<string, string>
  readonly file: SettingsFile.Contents
}

/** Decodes settings one by one, and collects the origin of each value and all problems. */
class Reading {
  readonly #sources: Sources
  readonly #refused = new Set<Row<unknown>>()
  readonly problems: Array<Problem>
  readonly origins = new Map<string, Origin>()

  constructor(sources: Sources, problems: Array<Problem>) {
    this.#sources = sources
    this.problems = problems
  }

  read<A>(row: Row<A>): A {
    const candidates: Array<{ readonly origin: Origin; readonly value: A }> = []
    for (const { form, given } of givenFor(row, this.#sources)) {
      // An empty entry of the file counts as missing if the setting has no default.
      if (given.value === null && row.initialText === undefined) continue
      const value = Kind.decode(form, given.value)
      if (Option.isSome(value)) {
        candidates.push({ origin: given.origin, value: value.value })
        continue
      }
      this.#refused.add(row)
      const fault = row.kind.faultIn?.(given.value) ?? ` must be ${row.kind.allowed}${found(given)}`
      this.problems.push({ origin: given.origin, message: `${row.path}${fault}` })
    }
    const [strongest] = candidates
    this.origins.set(row.path, strongest?.origin ?? { _tag: "Default" })
    return strongest === undefined ? row.initial : strongest.value
  }

  /** Returns true if any source sets the setting, even to an invalid value. */
  isGiven(row: Row<unknown>): boolean {
    return this.#refused.has(row) || (this.origins.get(row.path)?._tag ?? "Default") !== "Default"
  }

  /**
   * Adds a problem at the origin of the first of the given settings that a source sets. Adds nothing if one of the
   * settings is already invalid.
   */
  blame(message: string, ...blamed: ReadonlyArray<Row<unknown>>): void {
    if (blamed.some((row) => this.#refused.has(row))) return
    const origin = blamed
      .map((row) => this.origins.get(row.path))
      .find((origin) => origin !== undefined && origin._tag !== "Default")
    this.problems.push({ origin: origin ?? { _tag: "Default" }, message })
  }
}

/** The TLS files. Valid settings have both or neither. */
interface TlsFiles {
  readonly certFile: string | undefined
  readonly keyFile: string | undefined
}

const settingsOf = (read: <A>(row: Row<A>) => A, { certFile, keyFile }: TlsFiles): Settings => ({
  server: {
    host: read(table.host),
    port: read(table.port),
    tls: certFile === undefined || keyFile === undefined ? undefined : { certFile, keyFile },
    shutdownMs: read(table.shutdownMs),
    metrics: read(table.metrics),
    allowedOrigins: read(table.allowedOrigins) ?? [],
    allowedHosts: read(table.allowedHosts) ?? [],
    publicUrl: read(table.publicUrl),
    trustedProxies: read(table.trustedProxies) ?? []
  },
  clusters: {
    kubeconfig: read(table.kubeconfig) ?? [],
    names: read(table.clusterNames) ?? {},
    parent: read(table.parent),
    header: read(table.clusterHeader),
    allowLoopback: read(table.allowLoopback),
    secretFile: read(table.secretFile),
    argoSecrets: read(table.argoSecrets) ?? [],
    profiles: read(table.profiles) ?? [],
    allowedCommands: read(table.allowedCommands) ?? []
  },
  keys: {
    files: read(table.keysFile) ?? [],
    bootstrapFile: read(table.bootstrapKeyFile),
    maxLifetime: read(table.keyMaxLifetime),
    maxLifetimeOfPeople: read(table.keyMaxLifetimeOfPeople),
    maxPerMaker: read(table.keyMaxPerMaker)
  },
  oidc: oidcOf(read),
  fanOut: {
    timeoutMs: read(table.fanOutTimeoutMs),
    maxTimeoutMs: read(table.fanOutMaxTimeoutMs),
    perCluster: read(table.fanOutPerCluster),
    maxNames: read(table.fanOutMaxNames),
    maxObjects: read(table.fanOutMaxObjects)
  },
  limits: {
    keyPerSecond: read(table.keyPerSecond),
    keyBurst: read(table.keyBurst),
    failedPerSecond: read(table.failedPerSecond),
    failedBurst: read(table.failedBurst)
  },
  cost: {
    url: read(table.costUrl),
    usage: read(table.usage),
    usageByCluster: read(table.usageByCluster) ?? {},
    usageClusterLabel: read(table.usageClusterLabel),
    foldedPrefixes: read(table.foldedPrefixes) ?? [],
    accelerators: read(table.accelerators) ?? [],
    sampleSeconds: read(table.sampleSeconds),
    hourlyDays: read(table.hourlyDays),
    retentionDays: read(table.retentionDays)
  },
  ...AuditExport.read(read),
  dataDirectory: read(table.dataDirectory),
  telemetry: {
    logLevel: read(table.logLevel),
    logFormat: read(table.logFormat),
    otlpEndpoint: read(table.otlpEndpoint)
  }
})

/** Returns the OpenID Connect settings, or `undefined` if a required one is missing. */
const oidcOf = (read: <A>(row: Row<A>) => A): OidcSettings | undefined => {
  const [issuer, clientId, rules] = [read(table.oidcIssuer), read(table.oidcClientId), read(table.oidcRules)]
  const publicUrl = read(table.publicUrl)
  const optional = {
    clientSecretFile: read(table.oidcClientSecretFile),
    groupsClaim: read(table.oidcGroupsClaim),
    scopes: read(table.oidcScopes)
  }
  if (issuer === undefined || clientId === undefined || rules === undefined || publicUrl === undefined) return undefined
  return { issuer, clientId, rules, publicUrl, ...optional }
}

/** The OpenID Connect settings that must be set together or not at all. */
const OIDC_ROWS: ReadonlyArray<Row<unknown>> = [table.oidcIssuer, table.oidcClientId, table.oidcRules]

/** Reports settings that contradict or lack each other. */
const requireTogether = (reading: Reading, { cost, fanOut }: Settings, { certFile, keyFile }: TlsFiles): void => {
  if ((certFile === undefined) !== (keyFile === undefined)) {
    const [present, missing] =
      certFile === undefined ? [table.tlsKeyFile, table.tlsCertFile] : [table.tlsCertFile, table.tlsKeyFile]
    reading.blame(`${present.path} needs ${missing.path}: give both or neither`, present, missing)
  }
  const present = OIDC_ROWS.find((row) => reading.isGiven(row))
  const missing = [...OIDC_ROWS, table.publicUrl].filter((row) => !reading.isGiven(row))
  if (present !== undefined && missing.length > 0) {
    reading.blame(`${present.path} needs ${missing.map(({ path }) => path).join(", ")} too`, present, ...missing)
  }
  /** Requires that the first number is at most the second. */
  const requireOrder = (less: Row<number>, more: Row<number>, [value, limit]: readonly [number, number]): void => {
    if (value > limit) reading.blame(`${less.path} (${value}) must not be above ${more.path} (${limit})`, less, more)
  }
  requireOrder(table.fanOutTimeoutMs, table.fanOutMaxTimeoutMs, [fanOut.timeoutMs, fanOut.maxTimeoutMs])
  requireOrder(table.hourlyDays, table.retentionDays, [cost.hourlyDays, cost.retentionDays])
}

/** A value that a source sets, with the decoder for it. */
interface Candidate<A> {
  readonly form: Kind.Kind<A>["fromText"]
  readonly given: Pick<SettingsFile.Given, "origin" | "value"> & { readonly found?: string }
}

/** Lists the values that the sources set, in order of precedence. */
const givenFor = <A>(row: Row<A>, { file, flags, variables }: Sources): ReadonlyArray<Candidate<A>> => {
  const candidates: Array<Candidate<A>> = []
  if (Object.hasOwn(flags, row.flag)) {
    candidates.push({
      form: row.kind.fromText,
      given: { origin: { _tag: "Flag", name: row.flag }, value: flags[row.flag] }
    })
  }
  const name = variableOf(row)
  if (variables.has(name)) {
    candidates.push({
      form: row.kind.fromText,
      given: { origin: { _tag: "Environment", name }, value: variables.get(name) }
    })
  }
  const inFile = file.given.get(row.path)
  if (inFile !== undefined) candidates.push({ form: row.kind.fromYaml, given: inFile })
  return candidates
}

const found = (given: Candidate<unknown>["given"]): string => {
  if (given.found !== undefined) return `, found ${given.found}`
  return given.value === "" ? ", found nothing" : ""
}

/** Returns the variables with Quarterdeck's prefix, without those that Kubernetes adds for a Service. */
const ownVariables = (variables: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(variables).filter(
      ([name, value]) => name.startsWith(VARIABLE_PREFIX) && !isServiceLink(name, value, variables)
    )
  )

const KNOWN_VARIABLES: ReadonlySet<string> = new Set([...rows.map(variableOf), ...FOREIGN_VARIABLES])

const unknownVariables = (variables: ReadonlyMap<string, string>): ReadonlyArray<Problem> => {
  return [...variables.keys()]
    .filter((name) => !KNOWN_VARIABLES.has(name))
    .map((name) => ({
      origin: { _tag: "Environment", name },
      message: `is not a variable of Quarterdeck${meant(name)}`
    }))
}

/** Suggests a variable for an unknown one. Compares names without the common prefix. */
const meant = (variable: string): string => {
  const bare = (name: string) => name.slice(VARIABLE_PREFIX.length)
  const nearest = Nearest.find(bare(variable), Array.from(KNOWN_VARIABLES, bare))
  return nearest === undefined
    ? `; the server's variables are ${rows.map(variableOf).join(", ")}`
    : Nearest.suggestion(`${VARIABLE_PREFIX}${nearest}`)
}
