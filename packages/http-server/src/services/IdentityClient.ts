/**
 * The OpenID Connect client of the configured identity provider.
 *
 * **Source** OpenID Connect Core 1.0 §3.1 (authorization code flow), RFC 7636 (PKCE), RP-Initiated Logout 1.0.
 */
import { type Identified, IdentityProvider, NotVouched } from "@quarterdeck/keys/IdentityProvider"
import { SecretFileAccess } from "@quarterdeck/keys"
import * as Person from "@quarterdeck/keys/Person"
import { Context, Duration, Effect, FileSystem, Layer, Option, Predicate, Redacted, Schema } from "effect"
import * as openid from "openid-client"
import type { OidcSettings } from "../settings/Settings.ts"
import * as SystemRefusal from "../settings/SystemRefusal.ts"

/** Timeout of one call to the provider. */
const TIMEOUT_SECONDS = 10
/** Time to cache the discovery document. The library reloads the signing keys when it meets an unknown one. */
const DISCOVERY = Duration.hours(1)
/** Timeout of the availability check, and the minimum interval between checks. */
const CHECK_DEADLINE = "2 seconds"
const CHECKED_EVERY = "10 seconds"

/** The secrets of one sign-in, which the browser must bring back. */
export const Login = Schema.Struct({ state: Schema.String, nonce: Schema.String, verifier: Schema.String })
export type Login = typeof Login.Type

/** The client secret cannot be read. */
export class ClientSecretUnreadable extends Schema.TaggedError<ClientSecretUnreadable>()("ClientSecretUnreadable", {
  path: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `oidc.clientSecretFile ${this.path}: ${this.problem}`
  }
}

/** The tokens of a session: `access` and `refresh` to read the claims again, `id` to sign out at the provider. */
const Tokens = Schema.fromJsonString(
  Schema.Struct({
    access: Schema.String,
    refresh: Schema.optionalKey(Schema.String),
    id: Schema.optionalKey(Schema.String)
  })
)
type Tokens = typeof Tokens.Type

export class IdentityClient extends Context.Service<
  IdentityClient,
  {
    /** Starts a sign-in. Returns the provider's page for the browser. **Errors** `NotVouched` if the provider fails. */
    readonly begin: Effect.Effect<{ readonly url: URL; readonly login: Login }, NotVouched>
    /** Completes a sign-in from the query of the provider's redirect. **Errors** `NotVouched` if any check fails. */
    readonly finish: (query: URLSearchParams, login: Login) => Effect.Effect<Identified, NotVouched>
    /** Returns the provider's sign-out page, or `none` if the provider has none or cannot be reached. */
    readonly endSession: (tokens: Redacted.Redacted) => Effect.Effect<Option.Option<URL>>
    readonly readAgain: IdentityProvider["Service"]["readAgain"]
    /** Returns why sign-in at the provider fails now, or `none` if the provider answers. **Limits** {@link CHECK_DEADLINE}. */
    readonly problem: Effect.Effect<Option.Option<string>>
  }
>()("@quarterdeck/http-server/IdentityClient") {}

/**
 * Provides the client, and the `IdentityProvider` that sessions use.
 *
 * **Shape** if the provider does not answer, the server logs a warning and starts. Sign-in with keys still works.
 *
 * **Errors** `ClientSecretUnreadable`.
 */
export const layer = (settings: OidcSettings) =>
  Layer.effect(
    IdentityProvider,
    Effect.map(IdentityClient, ({ readAgain }) => IdentityProvider.of({ readAgain }))
  ).pipe(Layer.provideMerge(Layer.effect(IdentityClient, make(settings))))

/** Returns the redirect address of the sign-in. */
const callbackOf = ({ publicUrl }: Pick<OidcSettings, "publicUrl">): URL => below(publicUrl, "auth/oidc/callback")

/** Returns an address below the server's public address. */
export const below = (publicUrl: string, path: string): URL =>
  new URL(path, publicUrl.endsWith("/") ? publicUrl : `${publicUrl}/`)

/** Verifies the signature of every ID token with the provider's keys. The library does not by default. */
const SIGNATURES_CHECKED = [openid.enableNonRepudiationChecks]

/** Allows a plain HTTP issuer, which the settings accept only on loopback. */
// oxlint-disable-next-line typescript/no-deprecated -- the library marks it as deprecated only as a warning; it stays.
const OVER_PLAIN_HTTP = [...SIGNATURES_CHECKED, openid.allowInsecureRequests]

const make = Effect.fnUntraced(function* (settings: OidcSettings) {
  const authentication = yield* clientAuthentication(settings.clientSecretFile)
  const discover = discoveryOf(settings, authentication)
  // Failures are not cached: the next sign-in retries.
  const [cached, forget] = yield* Effect.cachedInvalidateWithTTL(discover, DISCOVERY)
  const provider = Effect.tapError(cached, () => forget)

  const begin = Effect.gen(function* () {
    const configuration = yield* provider
    const login: Login = {
      state: openid.randomState(),
      nonce: openid.randomNonce(),
      verifier: openid.randomPKCECodeVerifier()
    }
    const challenge = yield* Effect.promise(() => openid.calculatePKCECodeChallenge(login.verifier))
    const supported = configuration.serverMetadata().scopes_supported ?? []
    const scopes = settings.scopes ?? [
      "openid",
      "profile",
      "email",
      ...(supported.includes("groups") ? ["groups"] : [])
    ]
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: callbackOf(settings).href,
      scope: scopes.join(" "),
      state: login.state,
      nonce: login.nonce,
      code_challenge: challenge,
      code_challenge_method: "S256"
    })
    return { url, login }
  })

  const finish = Effect.fn("IdentityClient.finish")(function* (query: URLSearchParams, login: Login) {
    const configuration = yield* provider
    const back = callbackOf(settings)
    back.search = query.toString()
    const reply = yield* asked("the sign-in", () =>
      openid.authorizationCodeGrant(configuration, back, {
        pkceCodeVerifier: login.verifier,
        expectedState: login.state,
        expectedNonce: login.nonce,
        idTokenExpected: true
      })
    )
    return yield* identify(configuration, settings, reply, undefined)
  })

  const readAgain = Effect.fn("IdentityClient.readAgain")(function* ({ person, tokens }: Identified) {
    const configuration = yield* provider
    const kept = yield* Schema.decodeEffect(Tokens)(Redacted.value(tokens)).pipe(
      Effect.mapError(() => new NotVouched({ problem: "the tokens stored with the session cannot be read" }))
    )
    const { refresh } = kept
    const reply: Reply =
      refresh === undefined
        ? { access_token: kept.access }
        : yield* asked("the token refresh", () => openid.refreshTokenGrant(configuration, refresh))
    return yield* identify(configuration, settings, reply, { subject: person.subject, kept })
  })

  const endSession = (tokens: Redacted.Redacted) =>
    Effect.gen(function* () {
      const configuration = yield* provider
      if (configuration.serverMetadata().end_session_endpoint === undefined) return Option.none()
      const { id } = yield* Schema.decodeEffect(Tokens)(Redacted.value(tokens))
      return Option.some(
        openid.buildEndSessionUrl(configuration, {
          post_logout_redirect_uri: below(settings.publicUrl, "").href,
          ...(id === undefined ? {} : { id_token_hint: id })
        })
      )
    }).pipe(
      // Signing out of Quarterdeck succeeds even if the provider does not answer. The provider's own session then remains.
      Effect.catch((error) =>
        Effect.as(Effect.logWarning("the sign-out at the identity provider failed", error.message), Option.none())
      )
    )

  const problem = yield* problemOf(discover)
  yield* Effect.forkScoped(warnOf(settings, problem))

  return IdentityClient.of({ begin, finish, readAgain, endSession, problem })
})

const discoveryOf = ({ clientId, issuer }: OidcSettings, authentication: openid.ClientAuth) =>
  asked("its discovery document", () =>
    openid.discovery(new URL(issuer), clientId, undefined, authentication, {
      timeout: TIMEOUT_SECONDS,
      execute: issuer.startsWith("http:") ? OVER_PLAIN_HTTP : SIGNATURES_CHECKED
    })
  )

/** Checks that the provider answers. **Limits** at most one check per {@link CHECKED_EVERY}. */
const problemOf = (discover: Effect.Effect<unknown, NotVouched>) =>
  discover.pipe(
    Effect.timeoutOrElse({
      duration: CHECK_DEADLINE,
      orElse: () => new NotVouched({ problem: `the identity provider did not answer within ${CHECK_DEADLINE}` })
    }),
    Effect.match({ onFailure: ({ message }) => Option.some(message), onSuccess: () => Option.none<string>() }),
    Effect.cachedWithTTL(CHECKED_EVERY)
  )

const warnOf = ({ issuer }: Pick<OidcSettings, "issuer">, problem: Effect.Effect<Option.Option<string>>) =>
  Effect.flatMap(problem, (found) =>
    Option.isNone(found)
      ? Effect.void
      : Effect.logWarning(`${found.value} (${issuer}); until it answers, people can sign in only with API keys`)
  )

/** The fields of a token endpoint's reply that the client reads. */
interface Reply {
  readonly access_token: string
  readonly refresh_token?: string
  readonly id_token?: string
  readonly claims?: () => Readonly<Record<string, unknown>> | undefined
}

/** The person and tokens of a session whose claims are read again. */
interface Before {
  readonly subject: string
  readonly kept: Tokens
}

/** Returns the person and groups, from the ID token or else from the user info. */
const identify = Effect.fnUntraced(function* (
  configuration: openid.Configuration,
  { groupsClaim }: OidcSettings,
  reply: Reply,
  before: Before | undefined
): Effect.fn.Return<Identified, NotVouched> {
  const signed = reply.claims?.() ?? {}
  const subject = before?.subject ?? signed["sub"]
  if (typeof subject !== "string" || subject === "")
    return yield* new NotVouched({ problem: "the identity provider named no subject (claim sub)" })
  if (signed["sub"] !== undefined && signed["sub"] !== subject) {
    return yield* new NotVouched({ problem: "the identity provider named another subject (claim sub) than before" })
  }
  const isEnough = signed[groupsClaim] !== undefined
  const told: Readonly<Record<string, unknown>> = isEnough
    ? signed
    : {
        ...signed,
        ...(yield* asked("the user info", () => openid.fetchUserInfo(configuration, reply.access_token, subject)))
      }
  const claimedName = told["name"] ?? told["preferred_username"] ?? told["email"]
  const [refresh, id] = [reply.refresh_token ?? before?.kept.refresh, reply.id_token ?? before?.kept.id]
  const tokens: Tokens = {
    access: reply.access_token,
    ...(refresh === undefined ? {} : { refresh }),
    ...(id === undefined ? {} : { id })
  }
  return {
    person: { subject, name: Person.nameOf(claimedName, subject), groups: groupsOf(told[groupsClaim]) },
    tokens: Redacted.make(Schema.encodeSync(Tokens)(tokens), { label: "IdentityTokens" })
  }
})

/** Returns the groups in a claim. Some providers send a single group as text. Other values are ignored. */
const groupsOf = (claim: unknown): ReadonlyArray<string> =>
  (Array.isArray(claim) ? claim : [claim]).filter((group): group is string => typeof group === "string")

const clientAuthentication = Effect.fnUntraced(function* (path: string | undefined) {
  if (path === undefined) return openid.None()
  const files = yield* FileSystem.FileSystem
  const secret = (yield* files
    .readFileString(path)
    .pipe(
      Effect.mapError(({ reason }) => new ClientSecretUnreadable({ path, problem: SystemRefusal.print(reason) }))
    )).trim()
  yield* SecretFileAccess.warn("oidc.clientSecretFile", path)
  if (secret === "") return yield* new ClientSecretUnreadable({ path, problem: "the file is empty" })
  return openid.ClientSecretPost(secret)
})

/** Calls the library. Its errors may contain tokens, so the failure has only the error's type and the provider's code. */
const asked = <A>(what: string, call: () => Promise<A>): Effect.Effect<A, NotVouched> =>
  Effect.tryPromise({
    try: call,
    catch: (cause) => {
      const code = connectionCodeOf(cause)
      return new NotVouched({
        problem:
          code === undefined
            ? `the identity provider refused ${what}: ${codeOf(cause)}`
            : `the identity provider cannot be reached for ${what}: ${code}`
      })
    }
  })

/** Returns the system's code of a failed connection, from the chain of causes that `fetch` adds. */
const connectionCodeOf = (cause: unknown): string | undefined => {
  if (!Predicate.hasProperty(cause, "cause")) return undefined
  const below = cause.cause
  const code = Predicate.hasProperty(below, "code") ? below.code : undefined
  if (typeof code === "string" && /^(?:E[A-Z]+|[A-Z_]*CERT[A-Z_]*|DEPTH_ZERO_[A-Z_]+)$/.test(code)) return code
  return connectionCodeOf(below)
}

const codeOf = (cause: unknown): string => {
  if (cause instanceof openid.ResponseBodyError || cause instanceof openid.AuthorizationResponseError) {
    // An `AuthorizationResponseError` comes from the browser, so its text is not trusted.
    return /^[a-z_]{1,64}$/.test(cause.error) ? cause.error : "an error"
  }
  if (cause instanceof openid.ClientError && cause.code !== undefined) return cause.code
  return cause instanceof Error ? cause.name : "it failed"
}
