/**
 * A real OpenID Connect provider on loopback, with two people whom tests sign in and put into groups.
 */
import { Effect, type Scope } from "effect"
import { generateKeyPairSync, type KeyObject, sign } from "node:crypto"
import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { Provider } from "oidc-provider"

export const CLIENT_ID = "quarterdeck"
export const CLIENT_SECRET = "a secret of the client, 0123456789"

export interface TestProvider {
  readonly issuer: string
  /** The groups of people, by their subject; tests change them. */
  readonly groups: Map<string, ReadonlyArray<string>>
  /** How often the token endpoint and the user info were asked. */
  readonly asked: { count: number }
  /** Where the provider lets browsers be sent back to. */
  readonly allow: (publicUrl: string) => void
  /** Makes the provider forget every token that it gave. */
  readonly revokeAll: () => void
  /** Signs every further ID token with a key that the provider does not publish. */
  readonly forge: () => void
}

const html = (body: string): string => `<!doctype html><html lang="en"><title>Test provider</title>${body}</html>`

/** Serves a provider until the scope ends. */
export const serve: Effect.Effect<TestProvider, never, Scope.Scope> = Effect.gen(function* () {
  const groups = new Map<string, ReadonlyArray<string>>()
  const asked = { count: 0 }
  let areRevoked = false
  const foreignKey = generateKeyPairSync("rsa", { modulusLength: 2_048 }).privateKey
  let isForging = false
  let handle: (request: IncomingMessage, response: ServerResponse) => Promise<void> = () => Promise.resolve()
  const server = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((request, response) => void handle(request, response))
      server.listen(0, "127.0.0.1")
      await once(server, "listening")
      return server
    }),
    (server) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        server.close()
        await once(server, "close")
      })
  )
  const address = server.address()
  const issuer = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`
  const clients: Array<string> = []
  const make = () =>
    new Provider(issuer, {
      clients: clients.map((url) => ({
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        token_endpoint_auth_method: "client_secret_post" as const,
        redirect_uris: [`${url}/auth/oidc/callback`],
        post_logout_redirect_uris: [`${url}/`]
      })),
      pkce: { required: () => true },
      claims: { openid: ["sub"], profile: ["name"], groups: ["groups"] },
      findAccount: (_, accountId) =>
        Promise.resolve({
          accountId,
          claims: () => ({ sub: accountId, name: `${accountId} of the tests`, groups: groups.get(accountId) ?? [] })
        }),
      cookies: { keys: ["only for tests"] },
      features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
      interactions: { url: (_, { uid }) => `/interaction/${uid}` }
    })
  let provider = make()

  /** Lets whoever is named in the query in, without a password. */
  const interact = async (request: IncomingMessage, response: ServerResponse) => {
    const { params, prompt, session } = await provider.interactionDetails(request, response)
    const login = new URL(request.url ?? "/", issuer).searchParams.get("login")
    if (prompt.name === "login" && login === null) {
      const links = ["ada", "grace"].map((name) => `<li><a href="?login=${name}">${name}</a></li>`)
      response.setHeader("content-type", "text/html; charset=utf-8").end(html(`<ul>${links.join("")}</ul>`))
      return
    }
    if (prompt.name === "login") {
      await provider.interactionFinished(request, response, { login: { accountId: login ?? "" } })
      return
    }
    const grant = new provider.Grant({ accountId: session?.accountId ?? "", clientId: CLIENT_ID })
    grant.addOIDCScope(String(params["scope"]))
    const grantId = await grant.save()
    await provider.interactionFinished(request, response, { consent: { grantId } }, { mergeWithLastSubmission: true })
  }

  handle = async (request, response) => {
    const path = request.url ?? "/"
    if (path === "/token" || path === "/me") {
      asked.count += 1
      if (areRevoked) {
        response.writeHead(401, { "www-authenticate": 'Bearer error="invalid_token"' }).end()
        return
      }
      if (isForging) resign(response, foreignKey)
    }
    if (path.startsWith("/interaction/")) await interact(request, response)
    else await provider.callback()(request, response)
  }

  return {
    issuer,
    groups,
    asked,
    allow: (publicUrl) => {
      clients.push(publicUrl)
      provider = make()
    },
    revokeAll: () => {
      areRevoked = true
    },
    forge: () => {
      isForging = true
    }
  }
})

/** Replaces the signature of the ID token in a reply that has not been sent yet. */
const resign = (response: ServerResponse, key: KeyObject): void => {
  const end = response.end.bind(response)
  response.end = (chunk?: unknown) => {
    const text = String(chunk)
    const [token, head, claims] = /"id_token":"([\w-]+)\.([\w-]+)\.[\w-]+"/.exec(text) ?? []
    if (token === undefined) return end(text)
    const signed = sign("sha256", Buffer.from(`${head}.${claims}`), key).toString("base64url")
    const body = text.replace(token, `"id_token":"${head}.${claims}.${signed}"`)
    response.setHeader("content-length", Buffer.byteLength(body))
    return end(body)
  }
}
