/**
 * Debian's Chromium, for tests of pages: found on the `PATH`, or demanded. The shell without windows goes before the whole
 * browser: it shows the same pages for less of the processor.
 *
 * A run leaves out the tests of pages where the machine lacks it, unless `QUARTERDECK_REQUIRE` names `chromium` (separated
 * by commas from others): then they run, and fail.
 */
import { NodeServices } from "@effect/platform-node"
import { Config, Console, Context, Effect, Exit, FileSystem, Layer, Option, Path } from "effect"
import { type Browser, chromium, type Page, type Request } from "playwright-core"

const NAME = "chromium"
/** In the order of preference. */
const PROGRAMS = ["chromium-headless-shell", NAME]
const VARIABLE = "QUARTERDECK_REQUIRE"

const setting = (name: string) => Config.String(name).pipe(Config.withDefault(""))

const find = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const directories = (yield* setting("PATH")).split(":")
  const candidates = PROGRAMS.flatMap((program) => directories.map((directory) => paths.join(directory, program)))
  const found = yield* Effect.filter(candidates, (path) => files.exists(path))
  const required = (yield* setting(VARIABLE)).split(",").map((name) => name.trim())
  return { path: Option.fromUndefinedOr(found[0]), isRequired: required.includes(NAME) }
})

const { isRequired, path } = await Effect.runPromise(Effect.provide(find, NodeServices.layer))

/** Whether the tests of pages are part of this run. */
export const runs = isRequired || Option.isSome(path)

/** Says in a suite that its tests are left out, where they are. */
export const sayIfLeftOut = (it: {
  readonly effect: (name: string, test: () => Effect.Effect<void>) => void
}): void => {
  if (!runs) it.effect(`is left out: there is no ${NAME} on the PATH`, () => Effect.void)
}

/** What hangs ends with its test; a busy machine takes many times what an idle one does. */
const PATIENCE_MS = 100_000

/** What a page shows that a test has failed on is read at once, or not at all. */
const LOOK_MS = 5_000

/** Runs as root too, in a profile of its own that goes with it, and calls nobody but the page's server. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

const launch: Effect.Effect<Browser> = Option.match(path, {
  onNone: () => Effect.die(new Error(`${NAME} is not on the PATH, and ${VARIABLE} names it`)),
  onSome: (executablePath) => Effect.promise(() => chromium.launch({ executablePath, headless: true, args: FLAGS }))
})

/** A running browser: one for all tests of a file, as each start takes a second of the processor. */
export class Chromium extends Context.Service<Chromium, Browser>()("@quarterdeck/http-server/test/Chromium") {
  static readonly layer = Layer.effect(
    Chromium,
    Effect.acquireRelease(launch, (one) => Effect.promise(() => one.close()))
  )
}

/**
 * Opens a page that shares nothing with others, as in a browser of its own, and is closed with the scope. A test that fails
 * says what its pages showed.
 */
export const open = Effect.fnUntraced(function* (url: string) {
  const browser = yield* Chromium
  const context = yield* Effect.acquireRelease(
    Effect.promise(() => browser.newContext()),
    (one) => Effect.promise(() => one.close())
  )
  const page = yield* Effect.promise(() => context.newPage())
  page.setDefaultTimeout(PATIENCE_MS)
  const failed: Array<string> = []
  page.on("requestfailed", (request) => failed.push(`${request.url()}: ${request.failure()?.errorText}`))
  yield* Effect.addFinalizer((exit) => (Exit.isSuccess(exit) ? Effect.void : say(page, failed)))
  yield* Effect.promise(() => load(page, url))
  return page
})

const NETWORK_CHANGED = "ERR_NETWORK_CHANGED"
/** What Chromium shows in place of an address that failed; it may come only once the next is asked for, which it interrupts. */
const ERROR_PAGE = "chrome-error://"
/** A load right after one that was broken off meets what is left of that, whose address it has. */
const INTERRUPTED = "interrupted by another navigation"

/**
 * Loads an address.
 *
 * Containers that other tests start change the machine's network, which breaks off what a browser is loading: a page whose own
 * first part it was stays empty, as it would for a person, who loads it again.
 */
export const load = async (page: Page, url: string): Promise<void> => {
  let isBroken = false
  const note = (request: Request) => {
    isBroken ||= request.failure()?.errorText.includes(NETWORK_CHANGED) === true
  }
  page.on("requestfailed", note)
  try {
    let isThere = false
    do {
      isBroken = false
      // The same address with another fragment would load nothing.
      isThere = await (isThere ? page.reload() : page.goto(url)).then(
        () => true,
        (error: unknown) => {
          const said = String(error)
          if (![NETWORK_CHANGED, ERROR_PAGE, INTERRUPTED].some((known) => said.includes(known))) throw error
          return false
        }
      )
    } while (isBroken || !isThere)
  } finally {
    page.off("requestfailed", note)
  }
}

/** Says where a page is, what it shows, or why that cannot be read, and which of its requests had no reply. */
const say = (page: Page, failed: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.flatMap(
    Effect.promise(() => page.locator("body").innerText({ timeout: LOOK_MS }).catch(String)),
    (shown) => Console.error([`the page ${page.url()} showed:`, shown, "without a reply:", ...failed].join("\n"))
  )
