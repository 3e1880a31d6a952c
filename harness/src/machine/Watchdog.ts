/**
 * Ends a cluster's programs when this process dies in a way that runs no finalizer.
 *
 * A shell waits on a pipe that only this process holds. While we live we tell it which process groups run; when the pipe
 * ends without a farewell, it kills them and removes the directory. It is the portable form of a parent-death signal.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { Effect, type Scope } from "effect"
import { MachineRefused } from "./HarnessError.ts"
import { attempt } from "./Machine.ts"

export interface Watchdog {
  readonly watch: (group: number) => Effect.Effect<void>
  readonly release: (group: number) => Effect.Effect<void>
}

const SCRIPT = `
groups=" "
while read -r word id; do
  case $word in
    watch) groups="$groups$id " ;;
    release) groups="\${groups%% "$id" *} \${groups#* "$id" }" ;;
    farewell) exit 0 ;;
  esac
done
for id in $groups; do kill -s KILL -- "-$id"; done 2>/dev/null
tries=0
until rm -rf -- "$1" 2>/dev/null || [ "$tries" -ge 20 ]; do tries=$((tries + 1)); sleep 0.1; done
`

/** Starts the watchdog of a directory; closing the scope sends it away without harm. */
export const make = (directory: string): Effect.Effect<Watchdog, MachineRefused, Scope.Scope> =>
  Effect.gen(function* () {
    const shell = yield* Effect.acquireRelease(
      attempt("start the watchdog", () => started(directory)),
      (shell) => Effect.sync(() => shell.stdin?.end("farewell\n"))
    )
    const tell = (line: string) => Effect.sync(() => shell.stdin?.write(line))
    return {
      watch: (group) => tell(`watch ${group}\n`),
      release: (group) => tell(`release ${group}\n`)
    }
  })

const started = (directory: string): Promise<ChildProcess> =>
  new Promise((resolve, reject) => {
    // A session of its own: the terminal's Ctrl-C must reach us, not the one who cleans up after us.
    const shell = spawn("/bin/sh", ["-c", SCRIPT, "quarterdeck-watchdog", directory], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
      cwd: "/"
    })
    // Somebody else may kill it; then the sweep at the next start is what is left, and writing to it is no failure.
    shell.stdin?.on("error", () => {})
    shell.unref()
    shell.once("spawn", () => resolve(shell))
    shell.once("error", reject)
  })
