/**
 * The options of a host that embeds the service: the settings of the YAML file, all optional, and the host's own ports.
 */
import { decodeRules, type GroupRule } from "@quarterdeck/keys/Person"
import { Result } from "effect"
import * as Ports from "./Ports.ts"
import { combine, type Settings } from "./Settings.ts"
import { type Problem, SettingsError } from "./SettingsError.ts"
import * as SettingsFile from "./SettingsFile.ts"

/**
 * The options of a host that embeds the service. docs/reference/settings.md describes each setting. The settings of the
 * listener are missing, because the host has its own.
 */
export interface Options extends Ports.Ports {
  readonly server?: {
    readonly metrics?: Settings["server"]["metrics"]
    readonly allowedOrigins?: ReadonlyArray<string>
    readonly allowedHosts?: ReadonlyArray<string>
    readonly publicUrl?: string
    readonly trustedProxies?: ReadonlyArray<string>
  }
  readonly clusters?: {
    readonly kubeconfig?: ReadonlyArray<string>
    readonly names?: Readonly<Record<string, string>>
    readonly parent?: string
    readonly header?: string
    readonly allowLoopback?: boolean
    readonly secretFile?: string
    readonly argoSecrets?: ReadonlyArray<string>
    readonly profiles?: ReadonlyArray<string>
    readonly allowedCommands?: ReadonlyArray<string>
  }
  readonly keys?: {
    readonly file?: string | ReadonlyArray<string>
    readonly bootstrapFile?: string
    readonly maxLifetime?: string
    readonly maxLifetimeOfPeople?: string
    readonly maxPerMaker?: number
  }
  readonly oidc?: {
    readonly issuer?: string
    readonly clientId?: string
    readonly clientSecretFile?: string
    readonly groupsClaim?: string
    readonly scopes?: ReadonlyArray<string>
    readonly rules?: ReadonlyArray<GroupRule>
  }
  readonly fanOut?: Partial<Settings["fanOut"]>
  readonly limits?: Partial<Settings["limits"]>
  readonly cost?: {
    readonly url?: string
    readonly usage?: string
    readonly usageByCluster?: Readonly<Record<string, string>>
    readonly usageClusterLabel?: string
    readonly foldedPrefixes?: ReadonlyArray<string>
    readonly accelerators?: ReadonlyArray<string>
    readonly sampleSeconds?: number
    readonly hourlyDays?: number
    readonly retentionDays?: number
  }
  readonly audit?: Partial<Omit<Settings["audit"], "export">> & {
    readonly export?: {
      readonly to?: string
      readonly secretFile?: string
      readonly caFile?: string
    }
  }
  readonly webhooks?: Partial<Settings["webhooks"]>
  readonly dataDirectory?: string
  readonly telemetry?: Partial<Settings["telemetry"]>
}

/** The decoded settings, and the ports that the host provides. */
export interface Setup {
  readonly settings: Settings
  readonly ports: Ports.Ports
}

/**
 * Validates options by the rules of the settings file, and the host's ports. Does not read the environment.
 *
 * **Errors** `SettingsError`, with the name of each invalid option.
 */
export const decode = (options: Options): Result.Result<Setup, SettingsError> => {
  const { clusterRegistry, costStore, keyStore, usageSources, ...written } = options
  const ports: Ports.Ports = {
    ...(clusterRegistry === undefined ? {} : { clusterRegistry }),
    ...(costStore === undefined ? {} : { costStore }),
    ...(keyStore === undefined ? {} : { keyStore }),
    ...(usageSources === undefined ? {} : { usageSources })
  }
  // JSON is YAML, so the parser of the settings file validates the options too.
  const file = SettingsFile.parse("options", JSON.stringify(written), { name: "options", alsoHolds: Ports.names })
  const loaded = combine({}, {}, file)
  const problems = [
    ...problemsOfRules(options.oidc?.rules),
    ...(Result.isFailure(loaded) ? loaded.failure.problems : []),
    ...Ports.problemsOf(ports, ({ path }) => (file.given.get(path)?.value ?? null) !== null)
  ]
  if (Result.isFailure(loaded) || problems.length > 0) return Result.fail(new SettingsError({ problems }))
  return Result.succeed({ settings: loaded.success.settings, ports })
}

/** Validates rules before they become JSON. JSON omits `undefined`, and a missing scope would mean everything. */
const problemsOfRules = (rules: ReadonlyArray<GroupRule> | undefined): ReadonlyArray<Problem> => {
  const read = rules === undefined ? Result.succeed([]) : decodeRules(rules)
  if (Result.isSuccess(read)) return []
  const { field, problem } = read.failure
  return [{ origin: { _tag: "File", path: "options" }, message: `oidc.rules${field}: ${problem}` }]
}
