/**
 * The TLS certificate of a cluster's server.
 */
// The X.509 library needs this import first, for the metadata of its decorators.
import "reflect-metadata"
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator
} from "@peculiar/x509"
import { Effect, Redacted } from "effect"
import { MachineRefused } from "../core/Machine.ts"

export interface ServerCertificate {
  /** PEM. The certificate is self-signed, so it also verifies the server. */
  readonly certificatePem: string
  readonly keyPem: Redacted.Redacted<string>
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }

/** Names of a server: for clients outside the cluster, and for pods. */
const NAMES = [
  ...["127.0.0.1", "10.0.0.1"].map((value) => ({ type: "ip", value }) as const),
  ...[
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local"
  ].map((value) => ({ type: "dns", value }) as const)
]

/**
 * Issues a certificate for the names of a cluster's server.
 *
 * **Shape** every cluster has its own key and subject, so one cluster's certificate does not verify another cluster.
 * The certificate never expires, whatever clock a test sets.
 */
export const issue = (cluster: string): Effect.Effect<ServerCertificate, MachineRefused> =>
  Effect.tryPromise({
    try: async () => {
      const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"])
      const certificate = await X509CertificateGenerator.createSelfSigned({
        serialNumber: "01",
        name: [{ CN: [`quarterdeck cluster ${cluster}`] }],
        notBefore: new Date(0),
        notAfter: new Date("9999-12-31T23:59:59Z"),
        keys,
        signingAlgorithm: ALGORITHM,
        extensions: [
          new BasicConstraintsExtension(true, 0, true),
          new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyCertSign, true),
          new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
          new SubjectAlternativeNameExtension(NAMES)
        ]
      })
      const key = Buffer.from(await crypto.subtle.exportKey("pkcs8", keys.privateKey)).toString("base64")
      const lines = key.match(/.{1,64}/g)?.join("\n") ?? ""
      return {
        certificatePem: `${certificate.toString("pem")}\n`,
        keyPem: Redacted.make(`-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`)
      }
    },
    catch: (cause) => new MachineRefused({ action: "issue the certificate of a cluster", cause })
  })
