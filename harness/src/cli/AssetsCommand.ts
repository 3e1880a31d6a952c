/** The command `harness assets`: lists, builds and downloads the programs of real control planes. */
import { Effect, Option } from "effect"
import { Argument, Command, Flag, TerminalCapabilities } from "effect/cli"
import { build } from "../drivers/control-plane/assets/Build.ts"
import { download, INDEX_VARIABLE } from "../drivers/control-plane/assets/Download.ts"
import {
  cachedVersions,
  find,
  KUBERNETES_VERSION,
  OPTIONAL_PROGRAMS,
  PROGRAMS
} from "../drivers/control-plane/assets/Programs.ts"
import { fromError } from "./CommandFailure.ts"
import * as Print from "./Print.ts"

const version = Argument.String("version").pipe(
  Argument.withDescription("Kubernetes release: 1.33 (its newest patch) or 1.33.2"),
  Argument.optional
)

const printPlace = Effect.fnUntraced(function* (name: Parameters<typeof find>[0], release?: string) {
  const place = yield* find(name, release)
  yield* Print.line(
    Option.match(place, {
      onNone: () => `${name}: not found`,
      onSome: ({ path, origin }) => `${name}: ${path} (${origin})`
    })
  )
})

const listCommand = Command.make(
  "list",
  {},
  Effect.fn("assets.list")(function* () {
    for (const name of [...PROGRAMS, ...OPTIONAL_PROGRAMS]) yield* printPlace(name)
    for (const cached of yield* cachedVersions) {
      const found = yield* Effect.filter([...PROGRAMS, ...OPTIONAL_PROGRAMS], (name) =>
        Effect.map(find(name, cached), Option.isSome)
      )
      yield* Print.line(`cached ${cached}: ${found.length === 0 ? "nothing" : found.join(", ")}`)
    }
  })
).pipe(
  Command.withDescription(
    "Print where each program is found and which releases are cached. Searched in this order: the "
      + "files that TEST_ASSET_ETCD, TEST_ASSET_KUBE_APISERVER and TEST_ASSET_KUBECTL name, the directory that "
      + "KUBEBUILDER_ASSETS names, the cache, /usr/local/kubebuilder/bin."
  ),
  Command.withShortDescription("Print where each program is found")
)

const buildCommand = Command.make(
  "build",
  {
    version,
    extra: Flag.Literals("with", OPTIONAL_PROGRAMS).pipe(
      Flag.withDescription("Additional program to build; may be repeated"),
      Flag.atLeast(0)
    )
  },
  Effect.fn("assets.build")(function* ({ extra, version }) {
    const built = yield* build(yield* lineWriter, { extra, ...Option.match(version, none) }).pipe(
      Effect.mapError(fromError)
    )
    yield* Print.line(
      built.programs.length === 0 ? "nothing to build: all programs are present" : `built ${built.programs.join(", ")}`
    )
    for (const name of [...PROGRAMS, ...extra])
      yield* printPlace(name, Option.isSome(version) ? built.version : undefined)
  })
).pipe(
  Command.withDescription(
    `Build the programs that are missing from their Go modules, ${KUBERNETES_VERSION} unless another release is named. `
      + "Needs Go 1.26; the first build takes about 4 minutes and 4 GB of Go's caches."
  ),
  Command.withShortDescription("Build missing programs from Go modules"),
  Command.withExamples([
    { command: "harness assets build", description: "The release that the harness is tested with" },
    { command: "harness assets build 1.33", description: "The newest patch of another minor release" },
    { command: "harness assets build --with helm", description: "Also build helm, for tests of charts" }
  ])
)

const downloadCommand = Command.make(
  "download",
  {
    version,
    index: Flag.String("index").pipe(
      Flag.withMetavar("URL"),
      Flag.withDescription(`URL of the archive index [${INDEX_VARIABLE}; default: the Kubernetes project's]`),
      Flag.optional
    )
  },
  Effect.fn("assets.download")(function* ({ index, version }) {
    const progress = yield* progressBar
    const got = yield* download({
      progress: progress.update,
      ...Option.match(version, none),
      ...Option.match(index, { onNone: () => ({}), onSome: (index) => ({ index }) })
    }).pipe(Effect.ensuring(progress.clear), Effect.mapError(fromError))
    yield* Print.line(`downloaded ${got.programs.join(", ")} ${got.version} to ${got.directory}`)
  })
).pipe(
  Command.withDescription(
    "Download the archive that the Kubernetes project publishes for tests: etcd, kube-apiserver and kubectl. Its SHA-512 "
      + "is verified against the index before installation. The archive lacks the controllers: build those."
  ),
  Command.withShortDescription("Download published programs")
)

const imageCommand = Command.make(
  "image",
  {},
  Effect.fn("assets.image")(function* () {
    const { build } = yield* Effect.promise(() => import("../drivers/k3s/LocalImage.ts"))
    const name = yield* build(yield* lineWriter).pipe(Effect.mapError(fromError))
    yield* Print.line(`built ${name}`)
  })
).pipe(
  Command.withDescription(
    "Build an image for the driver k3s from the programs of the control plane, for machines without access to a registry. "
      + "Needs Docker, Go 1.26 and a static busybox; about 5 s."
  ),
  Command.withShortDescription("Build an image for the driver k3s")
)

export const assetsCommand = Command.make("assets").pipe(
  Command.withDescription("List, build and download the programs of real control planes."),
  Command.withShortDescription("List, build and download the programs of control planes"),
  Command.withSubcommands([listCommand, buildCommand, downloadCommand, imageCommand])
)

const none = {
  onNone: (): { readonly version?: string } => ({}),
  onSome: (version: string): { readonly version?: string } => ({ version })
}

/** Returns a function that prints a line. The effect that it returns does not require the standard streams. */
const lineWriter = Effect.map(
  Effect.context<Print.Streams>(),
  (context) => (text: string) => Effect.provideContext(Print.line(text), context)
)

/** Shows a download's progress on one line of a terminal. Prints nothing if the output is not a terminal. */
const progressBar = Effect.gen(function* () {
  const { canAnimate } = yield* TerminalCapabilities.TerminalCapabilities
  const context = yield* Effect.context<Print.Streams>()
  let shown = ""
  const show = (text: string) => {
    if (!canAnimate || text === shown) return Effect.void
    shown = text
    return Effect.provideContext(Print.output(`\r\u001b[K${text}`), context)
  }
  const mebibytes = (bytes: number) => `${Math.floor(bytes / 1024 / 1024)} MiB`
  return {
    update: ({ receivedBytes, totalBytes }: { readonly receivedBytes: number; readonly totalBytes?: number }) =>
      show(`${mebibytes(receivedBytes)}${totalBytes === undefined ? "" : ` of ${mebibytes(totalBytes)}`}`),
    clear: Effect.suspend(() => show(""))
  }
})
