/** Checks of this machine: the programs of clusters, and the tools that build and run them. */
import { readFile } from "node:fs/promises"
import { Effect, Option } from "effect"
import * as GoToolchain from "../drivers/control-plane/assets/GoToolchain.ts"
import {
  buildCommand,
  cachedVersions,
  find,
  KUBERNETES_VERSION,
  PROGRAMS
} from "../drivers/control-plane/assets/Programs.ts"
import * as Containers from "../drivers/k3s/Containers.ts"
import * as Images from "../drivers/k3s/Images.ts"
import { type Finding, ok, warn } from "./Finding.ts"

const WITHOUT_GO = "install Go 1.26 or newer to build programs; downloads and the driver embedded do not need it"
const WITHOUT_DOCKER = "start Docker to use the driver k3s, or set DOCKER_HOST to a running engine"
/** The capability is bit 24. Without it k3s cannot raise limits inside its container. */
const CAP_SYS_RESOURCE = 1n << 24n

export const go: Effect.Effect<Finding> = GoToolchain.find.pipe(
  Effect.map((version) => ok("Go", version)),
  Effect.catch((error) => Effect.succeed(warn("Go", error.message, WITHOUT_GO)))
)

/** Checks the programs that the driver control-plane uses by default, then those of each cached release. */
export const programs: Effect.Effect<ReadonlyArray<Finding>> = Effect.gen(function* () {
  const places = yield* Effect.forEach(PROGRAMS, (name) =>
    Effect.map(find(name), (place) => ({ name: name as string, place: Option.getOrUndefined(place) }))
  )
  const absent = places.flatMap(({ name, place }) => (place === undefined ? [name] : []))
  const origins = [...new Set(places.flatMap(({ place }) => (place === undefined ? [] : [place.origin as string])))]
  const used =
    absent.length === 0
      ? ok("programs", `found in ${origins.join(", ")}`)
      : warn("programs", `${absent.join(", ")} not found`, `run \`${buildCommand()}\` for the driver control-plane`)
  const cached = yield* Effect.forEach(yield* cachedVersions, (version) => ofRelease(version))
  return [used, ...cached]
})

const ofRelease = Effect.fnUntraced(function* (version: string) {
  const name = `programs ${version}`
  const absent = yield* Effect.filter(PROGRAMS, (program) => Effect.map(find(program, version), Option.isNone))
  if (absent.length === 0) return ok(name, "all in the cache")
  const command = version === KUBERNETES_VERSION ? buildCommand() : buildCommand(version.slice(1))
  return warn(name, `${absent.join(", ")} not in the cache`, `run \`${command}\``)
})

/** Checks Docker, its control groups, and whether it has an image for the driver k3s. */
export const docker: Effect.Effect<ReadonlyArray<Finding>> = Effect.gen(function* () {
  const { CgroupVersion, ServerVersion } = yield* Containers.info
  const choice = yield* Images.choose({})
  const cgroups =
    CgroupVersion === "2"
      ? ok("control groups", "version 2")
      : warn(
          "control groups",
          `version ${CgroupVersion ?? "1"}`,
          "k3s 1.35 and newer require version 2; the harness configures its kubelet to start anyway"
        )
  return [
    ok("Docker", ServerVersion),
    cgroups,
    choice._tag === "Chosen" ? ok("k3s image", choice.image.name) : warn("k3s image", "none", choice.remedy)
  ]
}).pipe(Effect.catch((error) => Effect.succeed([warn("Docker", error.message, WITHOUT_DOCKER)])))

/** Checks the capabilities of this process, which only Linux reports. */
export const capabilities: Effect.Effect<ReadonlyArray<Finding>> = Effect.promise(async () => {
  const mask = /^CapBnd:\s+([0-9a-f]+)$/m.exec(await readFile("/proc/self/status", "utf8").catch(() => ""))?.[1]
  if (mask === undefined) return []
  const may = (BigInt(`0x${mask}`) & CAP_SYS_RESOURCE) !== 0n
  return [
    may
      ? ok("CAP_SYS_RESOURCE", "available")
      : warn(
          "CAP_SYS_RESOURCE",
          "missing",
          `privileged k3s cannot start here; \`${Images.IMAGE_COMMAND}\` builds an image that does not need it`
        )
  ]
})
