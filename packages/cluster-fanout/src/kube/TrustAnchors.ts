/**
 * Certificate authorities of a cluster as TLS contexts.
 *
 * OpenSSL takes one of several authorities with the same subject and does not go back to the others, unless key
 * identifiers tell them apart. Go, and so kubectl, tries each of them. A bundle with such authorities gets further
 * contexts, each without the others of a subject.
 */
import { Redacted, Result } from "effect"
import { X509Certificate } from "node:crypto"
import { createSecureContext, type SecureContext, type SecureContextOptions } from "node:tls"
import type { TlsMaterial } from "./credential/Credentials.ts"

/** Contexts beyond the first, which has every authority. */
const MAX_VARIANTS = 8

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * Makes the TLS contexts of a cluster, in the order to try.
 *
 * **Shape** none when neither authority nor client certificate is given: then Node's own roots count. Any certificate of
 * the bundle is an anchor, as in Go: an intermediate authority and a server's own certificate too. Blocks that cannot be
 * read are passed over.
 *
 * **Errors** a sentence, when no block of the bundle can be read, or the client certificate cannot be used.
 */
export const secureContexts = ({
  certificateAuthority,
  client
}: TlsMaterial): Result.Result<ReadonlyArray<SecureContext>, string> => {
  if (certificateAuthority === undefined && client === undefined) return Result.succeed([])
  const authorities = certificateAuthority === undefined ? undefined : readable(certificateAuthority)
  if (authorities?.length === 0) {
    return Result.fail("the certificate authority is not PEM, or holds no certificate that can be read")
  }
  const own = client && { cert: Redacted.value(client.certificate), key: Redacted.value(client.key) }
  const make = (options: SecureContextOptions) => createSecureContext({ ...options, ...own })
  return Result.try({
    try: () =>
      authorities === undefined
        ? [make({})]
        : variantsOf(authorities).map((ca) => make({ ca: ca.map(String), allowPartialTrustChain: true })),
    // The cause is dropped: OpenSSL may quote what it could not read.
    catch: () => "the client certificate and its key are not PEM, or do not belong together"
  })
}

const readable = (pem: string): ReadonlyArray<X509Certificate> =>
  (pem.match(CERTIFICATE) ?? []).flatMap((block) =>
    Result.match(Result.try({ try: () => new X509Certificate(block), catch: () => "unreadable" }), {
      onFailure: () => [],
      onSuccess: (certificate) => [certificate]
    })
  )

/** All authorities first, then one of each subject at a time. */
const variantsOf = (authorities: ReadonlyArray<X509Certificate>): ReadonlyArray<ReadonlyArray<X509Certificate>> => {
  const bySubject = [...Map.groupBy(authorities, ({ subject }) => subject).values()]
  const most = Math.min(MAX_VARIANTS, Math.max(...bySubject.map(({ length }) => length)))
  if (most === 1) return [authorities]
  const variants = Array.from({ length: most }, (_, index) =>
    bySubject.flatMap((group) => group.slice(index % group.length).slice(0, 1))
  )
  return [authorities, ...variants]
}
