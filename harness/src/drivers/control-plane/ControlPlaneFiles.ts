/** Files that a control plane reads at its start. */
import { generateKeyPairSync } from "node:crypto"
import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import type { ClusterUser } from "../ClusterDriver.ts"
import type { MachineRefused } from "../../machine/HarnessError.ts"
import * as Kubeconfig from "../../client/Kubeconfig.ts"
import { attempt } from "../../machine/Machine.ts"
import type { ServerCertificate } from "@quarterdeck/embedded-cluster/ServerCertificate"
import * as TokenFile from "../TokenFile.ts"

export interface ControlPlanePaths {
  readonly directory: string
  readonly tokens: string
  readonly serviceAccountKey: string
  readonly serviceAccountPublicKey: string
  readonly pki: string
  readonly data: string
  readonly controllersKubeconfig: string
}

/** Key pair for the tokens of service accounts, as PEM. */
export interface ServiceAccountKeys {
  readonly privateKey: string
  readonly publicKey: string
}

export const pathsIn = (directory: string): ControlPlanePaths => ({
  directory,
  tokens: join(directory, "tokens.csv"),
  serviceAccountKey: join(directory, "sa.key"),
  serviceAccountPublicKey: join(directory, "sa.pub"),
  pki: join(directory, "pki"),
  data: join(directory, "etcd"),
  controllersKubeconfig: join(directory, "controllers.yaml")
})

/** Generates a new key pair. */
export const serviceAccountKeys: Effect.Effect<ServiceAccountKeys> = Effect.sync(() => {
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" })
  return {
    privateKey: pair.privateKey.export({ type: "sec1", format: "pem" }).toString(),
    publicKey: pair.publicKey.export({ type: "spki", format: "pem" }).toString()
  }
})

/**
 * Writes the tokens, the key pair for service accounts, and the server's certificate. Without a certificate the server
 * would generate RSA keys, which takes a tenth of its start time.
 */
export const write = (
  paths: ControlPlanePaths,
  users: ReadonlyArray<ClusterUser>,
  keys: ServiceAccountKeys,
  certificate: ServerCertificate
): Effect.Effect<void, MachineRefused> =>
  attempt("write the control plane's files", async () => {
    await mkdir(paths.pki, { mode: 0o700 })
    await Promise.all([
      writePrivate(join(paths.pki, "apiserver.crt"), certificate.certificatePem),
      writePrivate(join(paths.pki, "apiserver.key"), Redacted.value(certificate.keyPem)),
      writePrivate(paths.serviceAccountKey, keys.privateKey),
      writePrivate(paths.serviceAccountPublicKey, keys.publicKey),
      writePrivate(paths.tokens, TokenFile.print(users))
    ])
  })

/** Writes the kubeconfig of the controller manager and the scheduler. */
export const writeControllersKubeconfig = (
  paths: ControlPlanePaths,
  context: Kubeconfig.KubeconfigContext
): Effect.Effect<void, MachineRefused> =>
  attempt("write the controllers' kubeconfig", () =>
    writePrivate(paths.controllersKubeconfig, Kubeconfig.print([context]))
  )

const writePrivate = (path: string, text: string): Promise<void> => writeFile(path, text, { mode: 0o600 })
