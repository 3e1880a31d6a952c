/**
 * Runs the exec plugin of a kubeconfig to get a credential.
 *
 * **Source** https://kubernetes.io/docs/reference/config-api/client-authentication.v1
 */
import { execFile } from "node:child_process"
import { resolve } from "node:path"
import { promisify } from "node:util"
import { Effect, Schema } from "effect"
import type { MachineRefused } from "../../machine/HarnessError.ts"
import { attempt } from "../../machine/Machine.ts"

/** The entry `exec` of a kubeconfig's user. */
export const Plugin = Schema.Struct({
  apiVersion: Schema.String,
  command: Schema.String,
  args: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.String))),
  env: Schema.optionalKey(Schema.NullOr(Schema.Array(Schema.Struct({ name: Schema.String, value: Schema.String })))),
  provideClusterInfo: Schema.optionalKey(Schema.Boolean)
})
export type ExecPlugin = typeof Plugin.Type

const Credential = Schema.fromJsonString(
  Schema.Struct({
    status: Schema.Struct({
      token: Schema.optionalKey(Schema.String),
      clientCertificateData: Schema.optionalKey(Schema.String),
      clientKeyData: Schema.optionalKey(Schema.String)
    })
  })
)
const decodeCredential = Schema.decodeUnknownPromise(Credential)

const WITHIN_MS = 60_000
const launch = promisify(execFile)

/**
 * Runs the plugin and parses its output.
 *
 * A command with a slash is relative to `directory`, the kubeconfig's directory. The plugin gets this process's
 * environment.
 *
 * **Limits** 60 s. The plugin must not prompt the user.
 */
export const run = (
  plugin: ExecPlugin,
  cluster: { readonly server: string; readonly caPem: string },
  directory: string | undefined
): Effect.Effect<(typeof Credential.Type)["status"], MachineRefused> =>
  attempt(`get a credential from ${plugin.command}`, async (signal) => {
    const spec = {
      interactive: false,
      ...(plugin.provideClusterInfo === true
        ? {
            cluster: {
              server: cluster.server,
              "certificate-authority-data": Buffer.from(cluster.caPem).toString("base64")
            }
          }
        : {})
    }
    const info = JSON.stringify({ apiVersion: plugin.apiVersion, kind: "ExecCredential", spec })
    const isPath = plugin.command.includes("/") && directory !== undefined
    const { stdout } = await launch(isPath ? resolve(directory, plugin.command) : plugin.command, plugin.args ?? [], {
      signal,
      timeout: WITHIN_MS,
      env: {
        // oxlint-disable-next-line node/no-process-env -- like kubectl, it passes the whole environment: the variables that plugins read are not known.
        ...process.env,
        ...Object.fromEntries((plugin.env ?? []).map(({ name, value }) => [name, value])),
        KUBERNETES_EXEC_INFO: info
      }
    })
    return (await decodeCredential(stdout)).status
  })
