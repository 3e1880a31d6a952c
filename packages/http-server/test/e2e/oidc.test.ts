import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { AuditList } from "@quarterdeck/contract/AuditGroup"
import { Readiness } from "@quarterdeck/contract/HealthGroup"
import { Embedded, Fleet } from "@quarterdeck/harness"
import { SessionLimits } from "@quarterdeck/keys/Sessions"
import { Context, Duration, Effect, FileSystem, Layer, Path, Schema } from "effect"
import * as Listener from "../../src/Listener.ts"
import { Quarterdeck } from "../../src/Quarterdeck.ts"
import * as Chromium from "./Chromium.ts"
import * as IdentityProvider from "./identityProvider.ts"
import { serviceLog } from "./serviceLog.ts"

const RULES = [
  { group: "platform", rule: { role: "Admin" as const } },
  { group: "shop", rule: { role: "Viewer" as const, targetNamespaces: [{ namespaceNames: ["shop"] }] } }
]

/** A server over one cluster, where people sign in at a provider; claims count for as long as the test says. */
const start = Effect.fnUntraced(function* (claims: Duration.Duration) {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const provider = yield* IdentityProvider.serve
  const fleet = yield* Fleet.make({ driver: Embedded.driver, parent: "hub" })
  const directory = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-oidc-" })
  const [kubeconfig, clientSecretFile] = [path.join(directory, "kubeconfig"), path.join(directory, "secret")]
  yield* files.writeFileString(kubeconfig, fleet.kubeconfig)
  yield* files.writeFileString(clientSecretFile, `${IdentityProvider.CLIENT_SECRET}\n`)
  const listener = yield* Listener.bind({ host: "127.0.0.1", port: 0, shutdownMs: 1_000 })
  provider.allow(listener.url)
  const limits = yield* SessionLimits
  const services = yield* Layer.build(
    Quarterdeck.layer({
      server: { publicUrl: listener.url },
      clusters: { kubeconfig: [kubeconfig] },
      oidc: { issuer: provider.issuer, clientId: IdentityProvider.CLIENT_ID, clientSecretFile, rules: RULES },
      dataDirectory: path.join(directory, "data")
    })
  ).pipe(Effect.provideService(SessionLimits, { ...limits, claims }))
  yield* listener.serve(Context.get(services, Quarterdeck).nodeHandler)
  return { provider, url: listener.url }
})

type Started = Effect.Success<ReturnType<typeof start>>

const log = serviceLog()
const run = <A, E>(claims: Duration.Duration, body: (started: Started) => Effect.Effect<A, E>) =>
  Effect.flatMap(start(claims), body).pipe(
    Effect.scoped,
    Effect.provide(Layer.provideMerge(log.layer, NodeServices.layer))
  )

/** A browser without a screen: keeps cookies by host and port, and follows links by hand. */
const browser = () => {
  const cookies = new Map<string, Map<string, string>>()
  const get = async (url: URL): Promise<Response> => {
    const jar = cookies.get(url.host) ?? new Map<string, string>()
    cookies.set(url.host, jar)
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(url, { redirect: "manual", headers: cookie === "" ? {} : { cookie } })
    for (const line of response.headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split("; ")
      const at = pair.indexOf("=")
      const isGone = attributes.includes("Max-Age=0") || /expires=thu, 01 jan 1970/i.test(line)
      if (isGone) jar.delete(pair.slice(0, at))
      else jar.set(pair.slice(0, at), pair.slice(at + 1))
    }
    return response
  }
  const walk = async (url: URL): Promise<URL> => {
    const response = await get(url)
    const next = response.headers.get("location")
    if (next !== null) return walk(new URL(next, url))
    if (!url.pathname.startsWith("/interaction/") || url.searchParams.has("login")) return url
    return walk(new URL(`${url.pathname}?login=ada`, url))
  }
  return { cookies, get, walk }
}

const Caller = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.optionalKey(Schema.String),
    rule: Schema.optionalKey(Schema.Unknown),
    code: Schema.optionalKey(Schema.String),
    detail: Schema.optionalKey(Schema.String)
  })
)
const session = async (get: (url: URL) => Promise<Response>, url: string) =>
  Schema.decodeSync(Caller)(await (await get(new URL("/api/v1/session", url))).text())

describe("signing in at an identity provider", () => {
  it.live("an Admin of everything reads of it in /readyz, where it answers without a problem", () =>
    run(Duration.minutes(5), ({ provider, url }) =>
      Effect.promise(async () => {
        provider.groups.set("ada", ["platform"])
        const { get, walk } = browser()
        await walk(new URL("/auth/oidc/login", url))
        const readiness = Schema.decodeSync(Schema.fromJsonString(Readiness))(
          await (await get(new URL("/readyz", url))).text()
        )
        assert.deepStrictEqual(readiness.details?.identityProvider, {})
      })
    )
  )

  it.live("lets a person in with the rule of the first group that has one, and back to the place they came from", () =>
    run(Duration.minutes(5), ({ provider, url }) =>
      Effect.promise(async () => {
        provider.groups.set("ada", ["everybody", "shop", "platform"])
        const { cookies, get, walk } = browser()
        const end = await walk(new URL("/auth/oidc/login?place=/users/api-keys?createdBy=x", url))
        assert.strictEqual(end.href, `${url}/#/users/api-keys?createdBy=x`)
        assert.deepInclude(await session(get, url), { id: "oidc:ada", rule: RULES[0]?.rule })
        assert.deepStrictEqual([...(cookies.get(new URL(url).host)?.keys() ?? [])], ["qd_session"])
      })
    )
  )

  it.live("reads the groups again, and ends the session when no group has a rule any more", () =>
    run(Duration.millis(1), ({ provider, url }) =>
      Effect.promise(async () => {
        provider.groups.set("ada", ["platform"])
        const { get, walk } = browser()
        await walk(new URL("/auth/oidc/login", url))
        assert.deepInclude(await session(get, url), { rule: RULES[0]?.rule })
        provider.groups.set("ada", ["shop"])
        assert.deepInclude(await session(get, url), { rule: RULES[1]?.rule })
        provider.groups.set("ada", [])
        assert.deepInclude(await session(get, url), {
          code: "session_ended",
          detail: "the session has ended: no group of the person has a rule here"
        })
      })
    )
  )

  it.live("refuses a sign-in whose ID token was signed by a foreign key", () =>
    run(Duration.millis(1), ({ provider, url }) =>
      Effect.promise(async () => {
        provider.groups.set("ada", ["platform"])
        provider.forge()
        assert.strictEqual((await browser().walk(new URL("/auth/oidc/login", url))).href, `${url}/?oidc=refused`)
      })
    )
  )

  it.live("ends the session when the provider takes its tokens back", () =>
    run(Duration.millis(1), ({ provider, url }) =>
      Effect.promise(async () => {
        provider.groups.set("ada", ["platform"])
        const { get, walk } = browser()
        await walk(new URL("/auth/oidc/login", url))
        assert.deepInclude(await session(get, url), { id: "oidc:ada" })
        provider.revokeAll()
        assert.deepInclude(await session(get, url), { code: "session_ended" })
      })
    )
  )

  it.live("signs out here and at the provider, where the next sign-in asks who it is", () =>
    run(Duration.minutes(5), ({ provider, url }) =>
      Effect.promise(async () => {
        provider.groups.set("ada", ["platform"])
        const { get, walk } = browser()
        await walk(new URL("/auth/oidc/login", url))
        const out = await get(new URL("/auth/oidc/logout", url))
        assert.match(out.headers.get("location") ?? "", new RegExp(`^${provider.issuer}/session/end\\?`))
        assert.deepInclude(await session(get, url), { code: "missing_credential" })
      })
    )
  )

  it.live("refuses an answer of the provider that the browser did not ask for, and a person without a rule", () =>
    run(Duration.minutes(5), ({ provider, url }) =>
      Effect.promise(async () => {
        provider.groups.set("ada", ["platform"])
        const [one, other] = [browser(), browser()]
        const asked = await one.get(new URL("/auth/oidc/login", url))
        const answer = new URL(asked.headers.get("location") ?? "")
        assert.strictEqual(answer.searchParams.get("code_challenge_method"), "S256")
        const foreign = new URL(`/auth/oidc/callback?code=x&state=${answer.searchParams.get("state")}`, url)
        assert.strictEqual((await other.walk(foreign)).href, `${url}/?oidc=expired`)
        assert.strictEqual((await one.walk(foreign)).href, `${url}/?oidc=refused`)
        const forged = new URL("/auth/oidc/callback?code=x&state=y", url)
        await one.get(new URL("/auth/oidc/login", url))
        assert.strictEqual((await one.walk(forged)).href, `${url}/?oidc=refused`)
        provider.groups.set("ada", ["sales"])
        assert.strictEqual((await browser().walk(new URL("/auth/oidc/login", url))).href, `${url}/?oidc=no_rule`)
      })
    )
  )

  it.live("tells the audit who signed in and out, and that somebody was refused", () =>
    run(Duration.minutes(5), ({ provider, url }) =>
      Effect.promise(async () => {
        provider.groups.set("ada", ["sales"])
        await browser().walk(new URL("/auth/oidc/login", url))
        provider.groups.set("ada", ["platform"])
        const { get, walk } = browser()
        await walk(new URL("/auth/oidc/login", url))
        await get(new URL("/auth/oidc/logout", url))
        const again = browser()
        await again.walk(new URL("/auth/oidc/login", url))
        const reply = await again.get(new URL("/api/v1/audit?resource=session", url))
        const events = Schema.decodeUnknownSync(Schema.fromJsonString(AuditList))(await reply.text()).events.filter(
          ({ status }) => status !== 0
        )
        assert.deepStrictEqual(
          events.map(({ actor, decision, verb, via }) => [actor.subject, actor.kind, decision, verb, via]),
          [
            ["ada", "session", "allow", "create", "page"],
            ["ada", "session", "allow", "delete", "page"],
            ["ada", "session", "allow", "create", "page"],
            [undefined, "anonymous", "deny", "create", "page"]
          ]
        )
      })
    )
  )

  it.live("sends nobody to another site, whatever place is asked for", () =>
    run(Duration.minutes(5), ({ provider, url }) =>
      Effect.promise(async () => {
        provider.groups.set("ada", ["platform"])
        for (const place of ["//evil.example", "https://evil.example", "/a\r\nb", "/<script>"]) {
          const login = new URL("/auth/oidc/login", url)
          login.searchParams.set("place", place)
          const end = await browser().walk(login)
          assert.strictEqual(`${end.origin}${end.pathname}`, `${url}/`)
        }
      })
    )
  )
})

describe("signing in at an identity provider, in a browser", () => {
  Chromium.sayIfLeftOut(it)
  if (!Chromium.runs) return

  it.live("two people of two groups see what their rules let them, and sign out", () =>
    run(Duration.minutes(5), ({ provider, url }) =>
      Effect.gen(function* () {
        provider.groups.set("ada", ["platform"])
        provider.groups.set("grace", ["shop"])
        for (const [name, role] of [
          ["ada", "Admin"],
          ["grace", "Viewer"]
        ] as const) {
          const page = yield* Chromium.open(`${url}/#/own-key`)
          yield* Effect.promise(async () => {
            await page.getByRole("link", { name: "Sign in with your organization" }).click()
            await page.getByRole("link", { name }).click()
            await page.getByText(`oidc:${name}`).first().waitFor()
            assert.include(await page.locator("main").innerText(), role)
            assert.isTrue(page.url().endsWith("#/own-key"), page.url())
          })
        }
      }).pipe(Effect.scoped, Effect.provide(Chromium.Chromium.layer))
    )
  )

  it.live("says why nobody was signed in", () =>
    run(Duration.minutes(5), ({ url }) =>
      Effect.gen(function* () {
        const page = yield* Chromium.open(`${url}/`)
        yield* Effect.promise(async () => {
          await page.getByRole("link", { name: "Sign in with your organization" }).click()
          await page.getByRole("link", { name: "grace" }).click()
          await page.getByRole("alert").getByText("None of your groups has a rule on this server").waitFor()
        })
      }).pipe(Effect.scoped, Effect.provide(Chromium.Chromium.layer))
    )
  )
})
