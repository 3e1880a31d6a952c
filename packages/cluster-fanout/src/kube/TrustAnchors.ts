/**
 * Makes TLS contexts from a cluster's certificate authorities.
 *
 * OpenSSL tries only one of several authorities with the same subject, unless key identifiers distinguish them. Go, and
 * so kubectl, tries all. For bundles with such authorities, further contexts contain one authority of each subject.
 */
import { Redacted, Result } from "effect"
import { X509Certificate } from "node:crypto"
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls"
import type { TlsMaterial } from "./credential/Credentials.ts"

/** Contexts in addition to the first, which contains every authority. */
const MAX_VARIANTS = 8

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * Makes the TLS contexts of a cluster, in the order to try.
 *
 * **Shape** empty without an authority and a client certificate: then Node's own root certificates apply. Any
 * certificate in the bundle is a trust anchor, as in Go, including intermediate authorities and server certificates.
 * Unreadable blocks are skipped.
 *
 * **Errors** a message if no block of the bundle is readable, or if the client certificate is unusable.
 */
export const secureContexts = ({
  certificateAuthority,
  client
}: TlsMaterial): Result.Result<ReadonlyArray<SecureContext>, string> => {
  if (certificateAuthority === undefined && client === undefined) return Result.succeed([])
  const authorities = certificateAuthority === undefined ? undefined : readable(certificateAuthority)
  if (authorities?.length === 0) {
    return Result.fail("the certificate authority is not PEM, or contains no readable certificate")
  }
  const clientOptions = client && { cert: Redacted.value(client.certificate), key: Redacted.value(client.key) }
  const make = (options: SecureContextOptions) => createSecureContext({ ...options, ...clientOptions })
  return Result.try({
    try: () =>
      authorities === undefined
        ? [make({})]
        : variantsOf(authorities).map((ca) => make({ ca: ca.map(String), allowPartialTrustChain: true })),
    // The cause is dropped: OpenSSL may quote the unreadable text.
    catch: () => "the client certificate and its key are not PEM, or do not match"
  })
}

const readable = (pem: string): ReadonlyArray<X509Certificate> =>
  (pem.match(CERTIFICATE) ?? []).flatMap((block) =>
    Result.match(Result.try({ try: () => new X509Certificate(block), catch: () => "unreadable" }), {
      onFailure: () => [],
      onSuccess: (certificate) => [certificate]
    })
  )

/** Returns all authorities first, then sets with one authority of each subject. */
const variantsOf = (authorities: ReadonlyArray<X509Certificate>): ReadonlyArray<ReadonlyArray<X509Certificate>> => {
  const bySubject = [...Map.groupBy(authorities, ({ subject }) => subject).values()]
  const largest = Math.min(MAX_VARIANTS, Math.max(...bySubject.map(({ length }) => length)))
  if (largest === 1) return [authorities]
  const variants = Array.from({ length: largest }, (_, index) =>
    bySubject.flatMap((group) => group.slice(index % group.length).slice(0, 1))
  )
  return [authorities, ...variants]
}
