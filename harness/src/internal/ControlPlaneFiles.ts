/**
 * The files that a control plane reads at its start, and the certificate that it writes.
 *
 * @since 0.1.0
 */
import { generateKeyPairSync } from "node:crypto"
import { access, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Redacted, Schedule } from "effect"
import type { ClusterUser } from "../ClusterDriver.ts"
import { ClusterNotReady, type MachineRefused } from "../HarnessError.ts"
import * as Kubeconfig from "../Kubeconfig.ts"
import { attempt } from "./Machine.ts"

export interface ControlPlanePaths {
  readonly directory: string
  readonly tokens: string
  readonly serviceAccountKey: string
  readonly serviceAccountPublicKey: string
  readonly pki: string
  readonly data: string
  readonly controllersKubeconfig: string
}

/** The pair that signs the tokens of service accounts, as PEM. */
export interface ServiceAccountKeys {
  readonly privateKey: string
  readonly publicKey: string
}

const CERTIFICATE_EVERY = "20 millis"
const CERTIFICATE_WITHIN = "60 seconds"
const CERTIFICATE_WITHIN_MS = 60_000
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n?/g

export const pathsIn = (directory: string): ControlPlanePaths => ({
  directory,
  tokens: join(directory, "tokens.csv"),
  serviceAccountKey: join(directory, "sa.key"),
  serviceAccountPublicKey: join(directory, "sa.pub"),
  pki: join(directory, "pki"),
  data: join(directory, "etcd"),
  controllersKubeconfig: join(directory, "controllers.yaml")
})

/** Makes a key pair that no cluster has had. */
export const serviceAccountKeys: Effect.Effect<ServiceAccountKeys> = Effect.sync(() => {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" })
  return {
    privateKey: pair.privateKey.export({ type: "sec1", format: "pem" }).toString(),
    publicKey: pair.publicKey.export({ type: "spki", format: "pem" }).toString()
  }
})

/** Writes who may come in, and the key pair that signs the tokens of service accounts. */
export const write = (
  paths: ControlPlanePaths,
  users: ReadonlyArray<ClusterUser>,
  keys: ServiceAccountKeys
): Effect.Effect<void, MachineRefused> =>
  attempt("write the control plane's files", async () => {
    await Promise.all([
      writePrivate(paths.serviceAccountKey, keys.privateKey),
      writePrivate(paths.serviceAccountPublicKey, keys.publicKey),
      writePrivate(paths.tokens, users.map(tokenLine).join(""))
    ])
  })

/** Writes the credential of the controller manager and the scheduler. */
export const writeControllersKubeconfig = (
  paths: ControlPlanePaths,
  context: Kubeconfig.KubeconfigContext
): Effect.Effect<void, MachineRefused> =>
  attempt("write the controllers' kubeconfig", () =>
    writePrivate(paths.controllersKubeconfig, Kubeconfig.print([context]))
  )

/** Waits until the server has written its certificate, and gives the authority that signed it. */
export const authority = (paths: ControlPlanePaths): Effect.Effect<string, ClusterNotReady> =>
  attempt("read the server's certificate", async () => {
    const chain = (await readFile(join(paths.pki, "apiserver.crt"), "utf8")).match(CERTIFICATE) ?? []
    // The key is written last.
    await access(join(paths.pki, "apiserver.key"))
    // The server signs its own certificate with an authority that it appends and then forgets.
    const signer = chain[1]
    if (signer === undefined) throw new Error("the certificate is not whole yet")
    return signer
  }).pipe(
    Effect.retry(Schedule.spaced(CERTIFICATE_EVERY)),
    Effect.timeout(CERTIFICATE_WITHIN),
    Effect.mapError(
      () =>
        new ClusterNotReady({ waitedMs: CERTIFICATE_WITHIN_MS, last: "the server wrote no certificate", lastLines: [] })
    )
  )

/** A line of the server's token file: CSV of token, name, uid and a quoted list of groups. */
const tokenLine = (user: ClusterUser): string =>
  `${[Redacted.value(user.token), user.name, user.name, user.groups.join(",")].map(quoted).join(",")}\n`

const quoted = (field: string): string => `"${field.replaceAll('"', '""')}"`

const writePrivate = (path: string, text: string): Promise<void> => writeFile(path, text, { mode: 0o600 })
