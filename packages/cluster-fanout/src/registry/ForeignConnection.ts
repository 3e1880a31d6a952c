/**
 * Makes connections from untrusted input, such as objects of a cluster.
 */
import { Result } from "effect"
import * as AddressRule from "./AddressRule.ts"
import * as AllowedCommand from "./AllowedCommand.ts"
import type { Connection } from "./Cluster.ts"
import { connectionOf, type Refusal } from "./KubeconfigConnection.ts"
import { type ClusterEntry, printName, type UserEntry } from "./KubeconfigDocument.ts"
import * as ProxyUrl from "./ProxyUrl.ts"

/** Limits of what the input may make the service do. */
export interface ForeignRules {
  readonly addressRule: AddressRule.AddressRule
  /** Credential plugins that may run, with their arguments. `AllowedCommand.isAllowed` defines the syntax. */
  readonly allowedCommands: ReadonlyArray<string>
}

/**
 * Environment variables that a plugin may be given. They select an account or a region. Other variables could make the
 * plugin run any program or read any file.
 */
const ALLOWED_ENV: ReadonlySet<string> = new Set([
  ...["AWS_REGION", "AWS_DEFAULT_REGION", "AWS_STS_REGIONAL_ENDPOINTS"],
  ...["AZURE_CLIENT_ID", "AZURE_TENANT_ID", "AZURE_ENVIRONMENT", "AAD_SERVICE_PRINCIPAL_CLIENT_ID"],
  ...["CLOUDSDK_CORE_PROJECT"]
])

const refuse = (code: Refusal["code"], message: string) => Result.fail<Refusal>({ code, message })

/**
 * Joins a cluster and a user in kubeconfig form.
 *
 * **Errors** rejects file references, unverified certificates, plugins that are not allowed and forbidden addresses,
 * besides the errors of a kubeconfig.
 */
export const make = (
  cluster: ClusterEntry,
  user: UserEntry,
  { addressRule, allowedCommands }: ForeignRules
): Result.Result<Connection, Refusal> =>
  Result.gen(function* () {
    const file = fileIn(cluster, user)
    if (file !== undefined)
      return yield* refuse("credentialUnsupported", `${file} is refused: it would read a file on the service's machine`)
    if (cluster["insecure-skip-tls-verify"] === true) {
      return yield* refuse(
        "credentialUnsupported",
        "insecure-skip-tls-verify is refused: the server's certificate would not be checked"
      )
    }
    if (user.exec !== undefined) {
      const { args = [], command, env = [] } = user.exec
      if (!AllowedCommand.isAllowed(allowedCommands, command, args)) {
        // Arguments may contain secrets, so the message omits them.
        const what = `command ${printName(command)}${args.length === 0 ? "" : " with its arguments"}`
        return yield* refuse("execUnsupported", `${what} is not in clusters.allowedCommands`)
      }
      const foreign = env.find(({ name }) => !ALLOWED_ENV.has(name))
      if (foreign !== undefined) {
        return yield* refuse(
          "execUnsupported",
          `the plugin's environment variable ${printName(foreign.name)} is refused`
        )
      }
    }
    const connection = yield* connectionOf({ file: "/", value: cluster }, { file: "/", value: user })
    for (const [field, url, schemes] of [
      ["server", connection.server, undefined],
      ["proxy-url", connection.proxyUrl, ProxyUrl.SCHEMES]
    ] as const) {
      const fault = url === undefined ? undefined : AddressRule.faultOfUrl(url, addressRule, schemes)
      if (fault !== undefined) return yield* refuse("addressRefused", `${field} ${fault}`)
    }
    return { ...connection, addressRule }
  })

const fileIn = (cluster: ClusterEntry, user: UserEntry): string | undefined => {
  const fields = [
    ["tokenFile", user.tokenFile],
    ["client-certificate", user["client-certificate"]],
    ["client-key", user["client-key"]],
    ["certificate-authority", cluster["certificate-authority"]]
  ] as const
  return fields.find(([, path]) => path !== undefined)?.[0]
}
