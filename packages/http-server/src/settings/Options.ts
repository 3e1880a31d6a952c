/**
 * The settings as a host that embeds the service writes them: those of the YAML file, all optional.
 */
import type { GroupRule } from "@quarterdeck/keys/Person"
import { Result } from "effect"
import { combine, type Settings } from "./Settings.ts"
import type { SettingsError } from "./SettingsError.ts"
import * as SettingsFile from "./SettingsFile.ts"

/** **Shape** docs/reference/settings.md tells each; the listener's own are the host's business. */
export interface Options {
  readonly server?: {
    readonly metrics?: Settings["server"]["metrics"]
    readonly allowedOrigins?: ReadonlyArray<string>
    readonly publicUrl?: string
    readonly trustedProxies?: ReadonlyArray<string>
  }
  readonly clusters?: {
    readonly kubeconfig?: ReadonlyArray<string>
    readonly names?: Readonly<Record<string, string>>
    readonly parent?: string
    readonly header?: string
  }
  readonly keys?: {
    readonly file?: string | ReadonlyArray<string>
    readonly bootstrapFile?: string
    readonly maxLifetime?: string
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
    readonly sampleSeconds?: number
    readonly hourlyDays?: number
    readonly retentionDays?: number
  }
  readonly dataDirectory?: string
  readonly telemetry?: Partial<Settings["telemetry"]>
}

/**
 * Checks options as a settings file is checked.
 *
 * **Errors** `SettingsError`, with the name of each setting at fault. The environment is not read.
 */
export const toSettings = (options: Options): Result.Result<Settings, SettingsError> =>
  // JSON is YAML, so that one reader judges both.
  Result.map(combine({}, {}, SettingsFile.parse("options", JSON.stringify(options))), ({ settings }) => settings)
