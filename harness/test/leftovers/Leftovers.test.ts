/**
 * Nothing stays behind: whatever the moment at which a program is killed that runs clusters, the next start and a sweep
 * find and remove all of it, and touch nothing of a program that lives.
 */
import { assert, describe, it } from "@effect/vitest"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readdir, readFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { Effect, Random } from "effect"
import * as Drivers from "../../src/drivers/Drivers.ts"
import { eventually } from "../../src/machine/Eventually.ts"
import { inRealTime } from "../../src/machine/Machine.ts"
import * as Containers from "../../src/drivers/k3s/Containers.ts"
import { temporaryDirectory } from "../machine/Fixture.ts"

const HOLDER = new URL("Holder.ts", import.meta.url).pathname
const HARNESS = new URL("../../src/cli/harness.ts", import.meta.url).pathname
/** How often a program is killed on each driver; the command `kills:check` does it more often. */
const KILLS = Number(process.env["LEFTOVERS_KILLS"] ?? 6)
if (!Number.isSafeInteger(KILLS) || KILLS < 1) throw new Error("LEFTOVERS_KILLS must be a whole number from 1 on")
/** On every container and network of the harness; it holds the number of the process that owns it. */
const OWNER_LABEL = "io.quarterdeck.harness.owner"
const SEED = "leftovers"

/** Long enough for every phase of a fleet to be hit: the program's start, the clusters' start, their life, their end. */
const LATEST_KILL_MS: Readonly<Record<string, number>> = { embedded: 1_500, "control-plane": 6_000, k3s: 12_000 }

interface Place {
  /** Where everything of this test lies; nothing of another run does. */
  readonly home: string
  readonly env: NodeJS.ProcessEnv
}

const place = Effect.map(temporaryDirectory, (home): Place => ({
  home,
  env: {
    ...process.env,
    TMPDIR: home,
    XDG_STATE_HOME: join(home, "state")
  }
}))

const started = ({ env }: Place, driver: string, how: "once" | "forever") =>
  Effect.acquireRelease(
    Effect.sync(() =>
      spawn(process.execPath, ["--conditions=@quarterdeck/source", HOLDER, driver, how], {
        env,
        stdio: ["pipe", "pipe", "inherit"]
      })
    ),
    (child) => ended(child, "SIGKILL")
  )

const ended = (child: ChildProcess, signal: NodeJS.Signals): Effect.Effect<void> =>
  Effect.promise(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const closed = once(child, "exit")
    child.kill(signal)
    await closed
  })

/** Waits for the first line that tells a cluster. */
const serverOf = (child: ChildProcess): Effect.Effect<URL> =>
  Effect.promise(async () => {
    if (child.stdout === null) throw new Error("it has an output")
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.startsWith("ready ")) return new URL(line.slice("ready ".length))
    }
    throw new Error("it ended before its clusters were ready")
  })

const listens = (server: URL): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const socket = connect({ host: server.hostname, port: Number(server.port) })
    socket.once("connect", () => resume(Effect.succeed(true)))
    socket.once("error", () => resume(Effect.succeed(false)))
    return Effect.sync(() => socket.destroy())
  })

interface Found {
  readonly pid: number
  readonly line: string
}

/** Processes whose command line names the place: programs of clusters, and those who watch over them. */
const processesOf = ({ home }: Place): Effect.Effect<ReadonlyArray<Found>> =>
  Effect.promise(async () => {
    const numbers = (await readdir("/proc")).filter((name) => /^[0-9]+$/.test(name))
    const found = await Promise.all(
      numbers.map(async (number): Promise<Found> => {
        const line = await readFile(`/proc/${number}/cmdline`, "utf8").catch(() => "")
        return { pid: Number(number), line: line.replaceAll("\0", " ") }
      })
    )
    return found.filter(({ line }) => line.includes(home))
  })

/** Kills those who would clean up after a process, so that only the next start and a sweep can. */
const killWatchdogs = (here: Place, owner: number): Effect.Effect<void> =>
  Effect.map(processesOf(here), (found) => {
    const watchdogs = found.filter(({ line }) => line.includes("quarterdeck-watchdog") && line.includes(`/${owner}_`))
    for (const { pid } of watchdogs) process.kill(pid, "SIGKILL")
  })

const filesOf = ({ home }: Place): Effect.Effect<ReadonlyArray<string>> =>
  Effect.promise(async () => {
    const roots = (await readdir(home)).filter((name) => name.startsWith("quarterdeck-"))
    return (await Promise.all(roots.map((root) => readdir(join(home, root))))).flat()
  })

/** Containers and networks of one of these processes; none where no engine answers. */
const containersOf = (pids: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const all = [...(yield* Containers.list(OWNER_LABEL)), ...(yield* Containers.listNetworks(OWNER_LABEL))]
    const owners = all.map(({ labels }) => labels[OWNER_LABEL] ?? "")
    return owners.filter((owner) => pids.some((pid) => new RegExp(`/${pid}[_/]`).test(owner)))
  }).pipe(Effect.catchTag("EngineUnreachable", () => Effect.succeed([])))

const sweep = ({ env }: Place) =>
  Effect.promise(async () => {
    const child = spawn(process.execPath, ["--conditions=@quarterdeck/source", HARNESS, "sweep"], {
      env,
      stdio: ["ignore", "ignore", "inherit"]
    })
    await once(child, "exit")
    return child.exitCode
  })

const { run } = await Effect.runPromise(Drivers.selected)

describe.each(run.filter(({ name }) => name !== "existing").map(({ name }) => name))("after kills on %s", (driver) => {
  it.effect(
    "nothing is left once somebody starts again and sweeps, and a living program keeps all of its own",
    () =>
      Effect.gen(function* () {
        const here = yield* place
        const survivor = yield* started(here, driver, "once")
        const server = yield* serverOf(survivor)
        const filesOfSurvivor = yield* filesOf(here)
        const processesOfSurvivor = yield* processesOf(here)

        const killed: Array<number> = []
        // One kill in each part of the time of a start, in random order, so that a few kills cover early and late phases.
        const parts = yield* Random.shuffle(Array.from({ length: KILLS }, (_, part) => part))
        for (const [round, part] of parts.entries()) {
          const afterMs = ((yield* Random.nextBetween(part, part + 1)) * (LATEST_KILL_MS[driver] ?? 6_000)) / KILLS
          const child = yield* started(here, driver, "forever")
          // The test kills at random moments, so there is no condition to wait for. The moments are the same in each run. How
          // far a start is by then depends on the machine; no assertion below depends on it.
          yield* Effect.sleep(afterMs)
          killed.push(child.pid ?? 0)
          if (round % 2 === 1) yield* killWatchdogs(here, child.pid ?? 0)
          yield* ended(child, "SIGKILL")
        }

        yield* Effect.scoped(
          Effect.flatMap(started(here, driver, "once"), (again) =>
            Effect.gen(function* () {
              yield* serverOf(again)
              again.stdin?.end()
              yield* Effect.promise(async () => again.exitCode ?? (await once(again, "exit")))
            })
          )
        )
        assert.strictEqual(yield* sweep(here), 0)

        yield* eventually(
          "only the living program's processes are there",
          processesOf(here),
          (found) => found.length === processesOfSurvivor.length,
          { within: "60 seconds" }
        )
        yield* eventually(
          "only the living program's files are there",
          filesOf(here),
          (found) => JSON.stringify(found.toSorted()) === JSON.stringify(filesOfSurvivor.toSorted()),
          { within: "60 seconds" }
        )
        assert.deepStrictEqual(yield* containersOf(killed), [])
        assert.isTrue(yield* listens(server))

        survivor.stdin?.end()
        yield* Effect.promise(async () => survivor.exitCode ?? (await once(survivor, "exit")))
        assert.deepStrictEqual(yield* filesOf(here), [])
        yield* eventually("no process is there", processesOf(here), (found) => found.length === 0, {
          within: "60 seconds"
        })
        assert.deepStrictEqual(yield* containersOf([survivor.pid ?? 0]), [])
      }).pipe(Random.withSeed(SEED), inRealTime),
    { timeout: 600_000 }
  )
})
