/**
 * The image that `pnpm image` builds, for tests that run it in a real Docker engine.
 *
 * A run leaves them out where the engine has no such image, unless `QUARTERDECK_REQUIRE` names `image` (separated by commas
 * from others): then they run, and fail.
 */
import { eventually, type NotYet } from "@quarterdeck/harness"
import { Clock, Config, Effect, Schema, type Scope } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"

export const NAME = "quarterdeck:local"
const VARIABLE = "QUARTERDECK_REQUIRE"

const run = promisify(execFile)

/** A command of Docker ended with another status than 0. */
class DockerRefused extends Schema.TaggedError<DockerRefused>()("DockerRefused", { problem: Schema.String }) {
  override get message(): string {
    return this.problem
  }
}

/** Runs the program `docker`, and gives what it wrote on both streams. */
export const docker = (...args: ReadonlyArray<string>) =>
  Effect.tryPromise({
    try: (signal) => run("docker", [...args], { signal }),
    catch: (cause) => new DockerRefused({ problem: cause instanceof Error ? cause.message : String(cause) })
  })

const find = Effect.gen(function* () {
  const required = (yield* Config.String(VARIABLE).pipe(Config.withDefault(""))).split(",").map((name) => name.trim())
  const isThere = yield* docker("image", "inspect", NAME).pipe(
    Effect.as(true),
    Effect.orElseSucceed(() => false)
  )
  return isThere || required.includes("image")
})

/** Whether the tests of the image are part of this run. */
export const runs = await Effect.runPromise(find)

/** Says in a suite that its tests are left out, where they are. */
export const sayIfLeftOut = (it: {
  readonly effect: (name: string, test: () => Effect.Effect<void>) => void
}): void => {
  if (runs) return
  it.effect(
    `is left out: there is no image ${NAME}; \`npx pnpm@12 image\` builds it as root on Debian`,
    () => Effect.void
  )
}

/** As little as a container can have: no rights, and nothing to write to but what a mount gives. */
export const CONFINED = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges"] as const
/** A data directory that goes with its container. */
export const MEMORY = ["--tmpfs", "/data:uid=65532,gid=65532,mode=0700"] as const

/** Facts of the image. */
export const inspected = Effect.flatMap(docker("image", "inspect", NAME), ({ stdout }) => decodeImages(stdout))

const decodeImages = Schema.decodeUnknownEffect(
  Schema.fromJsonString(
    Schema.Tuple([
      Schema.Struct({
        Size: Schema.Number,
        Config: Schema.Struct({
          User: Schema.String,
          Env: Schema.Array(Schema.String),
          Entrypoint: Schema.Array(Schema.String),
          Cmd: Schema.Array(Schema.String),
          Volumes: Schema.Record(Schema.String, Schema.Unknown),
          ExposedPorts: Schema.Record(Schema.String, Schema.Unknown),
          Labels: Schema.Record(Schema.String, Schema.String)
        })
      })
    ])
  )
)

/** Runs a command of the program to its end, in a container of its own, and gives both streams. */
export const command = (...args: ReadonlyArray<string>) => docker("run", "--rm", ...CONFINED, NAME, ...args)

/** The network of a cluster that is a container; the engine's own may be there too. */
export const networkOf = Effect.fnUntraced(function* ({ server }: { readonly server: string }) {
  const { stdout: id } = yield* docker("ps", "--quiet", "--filter", `publish=${new URL(server).port}`)
  const names = "{{range $name, $_ := .NetworkSettings.Networks}}{{println $name}}{{end}}"
  const { stdout } = yield* docker("inspect", "--format", names, id.trim())
  return stdout.split("\n").find((name) => name.startsWith("quarterdeck-")) ?? stdout
})

/** A container of the image that runs until its scope ends. */
export interface Container {
  readonly id: string
  /** All that the program logged. */
  readonly log: Effect.Effect<string, DockerRefused>
  /** Sends SIGTERM as `docker stop` does, and tells how the program ended. */
  readonly stop: Effect.Effect<{ readonly status: number; readonly tookMs: number }, DockerRefused>
  /** The address that the server says in its log. */
  readonly url: Effect.Effect<string, NotYet>
  /** The address on this machine of its port 8080, where that is published. */
  readonly published: Effect.Effect<string, DockerRefused>
}

/** A docker that has to kill a server which does not end needs to be told when. */
const KILLED_AFTER_SECONDS = 60

/** Makes a container of the image with options of `docker run` and arguments of the program, and starts it. */
export const start = Effect.fnUntraced(function* (
  options: ReadonlyArray<string>,
  args: ReadonlyArray<string> = []
): Effect.fn.Return<Container, DockerRefused, Scope.Scope> {
  const id = yield* Effect.acquireRelease(
    Effect.map(docker("create", ...options, NAME, ...args), ({ stdout }) => stdout.trim()),
    (container) => Effect.orDie(docker("rm", "--force", "--volumes", container))
  )
  yield* docker("start", id)
  const log = Effect.map(docker("logs", id), ({ stderr, stdout }) => stdout + stderr)
  return {
    id,
    log,
    stop: Effect.gen(function* () {
      const startedAt = yield* Clock.currentTimeMillis
      yield* docker("stop", "--time", String(KILLED_AFTER_SECONDS), id)
      const tookMs = (yield* Clock.currentTimeMillis) - startedAt
      const { stdout } = yield* docker("inspect", "--format", "{{.State.ExitCode}}", id)
      return { status: Number(stdout), tookMs }
    }),
    url: eventually(
      "the server says where it listens",
      Effect.map(log, (text) => ({ url: LISTENING.exec(text)?.[1] ?? "", text })),
      ({ url }) => url !== "",
      { within: "30 seconds", every: "200 millis" }
    ).pipe(Effect.map(({ url }) => url)),
    published: Effect.map(docker("port", id, "8080/tcp"), ({ stdout }) => `http://${stdout.trim()}`)
  }
})

const LISTENING = /listening on (https?:\/\/[^\s"]+)/
