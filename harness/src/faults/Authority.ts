/** Issues the certificates of a proxy that terminates TLS: valid ones, and invalid ones of several kinds. */
// The X.509 library needs this import first, for its decorators' metadata.
import "reflect-metadata"
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator
} from "@peculiar/x509"
import { Effect, Redacted } from "effect"
import type { webcrypto } from "node:crypto"
import { MachineRefused } from "../machine/HarnessError.ts"
import type { StaleCertificate } from "./Fault.ts"

/** A server's certificate with its key, as PEM. */
export interface ServerKeys {
  readonly cert: string
  readonly key: Redacted.Redacted<string>
}

export type Problem = NonNullable<StaleCertificate["problem"]>

export interface Authority {
  /** The CA certificates that clients trust. */
  readonly caPem: string
  /** Issues a certificate for 127.0.0.1, ::1 and localhost, or one with the given problem. */
  readonly issue: (problem?: Problem) => Effect.Effect<ServerKeys, MachineRefused>
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" }
/** Validity period that contains every time to which a test may set its clock. */
const ALWAYS = { notBefore: new Date(0), notAfter: new Date("9999-12-31T23:59:59Z") }
const LONG_AGO = { notBefore: new Date("2000-01-01T00:00:00Z"), notAfter: new Date("2000-01-02T00:00:00Z") }
const FAR_AHEAD = { notBefore: new Date("9000-01-01T00:00:00Z"), notAfter: ALWAYS.notAfter }

const HERE = [
  { type: "ip", value: "127.0.0.1" },
  { type: "ip", value: "::1" },
  { type: "dns", value: "localhost" }
] as const
const ELSEWHERE = [{ type: "dns", value: "elsewhere.example" }] as const

/** Creates a certificate authority for one cluster's proxy. Its key never leaves the process. */
export const make = (cluster: string): Effect.Effect<Authority, MachineRefused> =>
  Effect.map(
    attempt(() => selfSigned(`quarterdeck faults of ${cluster}`)),
    (root) => ({
      caPem: pemOf(root.certificate),
      issue: (problem) =>
        attempt(async () => {
          const signer = problem === "unknownAuthority" ? await selfSigned("quarterdeck unknown authority") : root
          return await signed(signer, problem)
        })
    })
  )

interface Signer {
  readonly certificate: X509Certificate
  readonly keys: webcrypto.CryptoKeyPair
}

const selfSigned = async (name: string): Promise<Signer> => {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: "01",
    name: [{ CN: [name] }],
    ...ALWAYS,
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey)
    ]
  })
  return { certificate, keys }
}

const signed = async (signer: Signer, problem: Problem | undefined): Promise<ServerKeys> => {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"])
  const validity = problem === "expired" ? LONG_AGO : problem === "notYetValid" ? FAR_AHEAD : ALWAYS
  const certificate = await X509CertificateGenerator.create({
    serialNumber: Buffer.from(crypto.getRandomValues(new Uint8Array(8)))
      .toString("hex")
      .replace(/^./, "1"),
    subject: [{ CN: ["quarterdeck faults"] }],
    issuer: signer.certificate.subject,
    ...validity,
    publicKey: keys.publicKey,
    signingKey: signer.keys.privateKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      await AuthorityKeyIdentifierExtension.create(signer.keys.publicKey),
      new SubjectAlternativeNameExtension([...(problem === "wrongHost" ? ELSEWHERE : HERE)])
    ]
  })
  return { cert: pemOf(certificate), key: Redacted.make(await keyPem(keys.privateKey)) }
}

const pemOf = (certificate: X509Certificate): string => `${certificate.toString("pem")}\n`

const keyPem = async (key: webcrypto.CryptoKey): Promise<string> => {
  const text = Buffer.from(await crypto.subtle.exportKey("pkcs8", key)).toString("base64")
  return `-----BEGIN PRIVATE KEY-----\n${text.match(/.{1,64}/g)?.join("\n") ?? ""}\n-----END PRIVATE KEY-----\n`
}

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, MachineRefused> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) => new MachineRefused({ action: "issue the certificate of a proxy", cause })
  })
