/**
 * Reads a cluster from a ClusterProfile of an inventory.
 *
 * **Source** KEP-4322; KEP-5339 for its access providers.
 */
import * as ClusterName from "@quarterdeck/targeting/ClusterName"
import { Option, Result, Schema } from "effect"
import { basename } from "node:path"
import * as AllowedCommand from "./AllowedCommand.ts"
import { type ForeignRules, make } from "./ForeignConnection.ts"
import type { Refusal } from "./KubeconfigConnection.ts"
import { ClusterEntry, printName } from "./KubeconfigDocument.ts"
import type { Registration } from "./RegisteredClusters.ts"

const Profile = Schema.Struct({
  metadata: Schema.Struct({
    name: Schema.String,
    labels: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
  }),
  status: Schema.optionalKey(
    Schema.Struct({
      accessProviders: Schema.optionalKey(
        Schema.Array(Schema.Struct({ name: Schema.String, cluster: Schema.optionalKey(ClusterEntry) }))
      )
    })
  )
})
const decode = Schema.decodeUnknownOption(Profile)

/** Access providers listed in an error message. */
const MAX_PRINTED = 10

/**
 * Reads a ClusterProfile. Uses the first access provider whose name is the file name of a command that is allowed
 * without arguments.
 *
 * **Shape** the command runs as a credential plugin, which receives the cluster in `KUBERNETES_EXEC_INFO`.
 *
 * **Errors** why the profile cannot be used, including that no provider is allowed.
 */
export const read = (object: unknown, rules: ForeignRules): Result.Result<Registration, Refusal> =>
  Result.gen(function* () {
    const incomplete = (message: string) => Result.fail<Refusal>({ code: "contextIncomplete", message })
    const profile = Option.getOrUndefined(decode(object))
    if (profile === undefined) return yield* incomplete("status.accessProviders is not of the expected shape")
    const { labels = {}, name: text } = profile.metadata
    const name = ClusterName.fromText(text)
    if (name === undefined) {
      return yield* Result.fail<Refusal>({
        code: "nameInvalid",
        message: `its name cannot be turned into a cluster name (${ClusterName.ALLOWED})`
      })
    }
    const providers = profile.status?.accessProviders ?? []
    if (providers.length === 0) return yield* incomplete("status.accessProviders is empty")
    for (const provider of providers) {
      const command = AllowedCommand.plain(rules.allowedCommands).find((allowed) => basename(allowed) === provider.name)
      if (command === undefined) continue
      if (provider.cluster === undefined)
        return yield* incomplete(`access provider ${printName(provider.name)} has no cluster entry`)
      const exec = { apiVersion: "client.authentication.k8s.io/v1", command, args: [], provideClusterInfo: true }
      return { name, labels, connection: yield* make(provider.cluster, { exec }, rules) }
    }
    const names = providers
      .slice(0, MAX_PRINTED)
      .map((provider) => printName(provider.name))
      .join(", ")
    return yield* Result.fail<Refusal>({
      code: "execUnsupported",
      message: `none of its access providers (${names}) is listed in clusters.allowedCommands without arguments`
    })
  })
