/**
 * Kills a cluster's programs if this process dies without running its finalizers.
 *
 * A shell reads from a pipe that only this process holds. This process reports each process group that starts or ends.
 * If the pipe closes without a final message, the shell kills the reported groups and removes the directory. This is a
 * portable substitute for a parent-death signal.
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

/** Starts the watchdog of a directory. Closing the scope ends the watchdog without killing anything. */
export const make = (directory: string): Effect.Effect<Watchdog, MachineRefused, Scope.Scope> =>
  Effect.gen(function* () {
    const shell = yield* Effect.acquireRelease(
      attempt("start the watchdog", () => started(directory)),
      (shell) => Effect.sync(() => shell.stdin?.end("farewell\n"))
    )
    const send = (line: string) => Effect.sync(() => shell.stdin?.write(line))
    return {
      watch: (group) => send(`watch ${group}\n`),
      release: (group) => send(`release ${group}\n`)
    }
  })

const started = (directory: string): Promise<ChildProcess> =>
  new Promise((resolve, reject) => {
    // A separate session, so that Ctrl-C in the terminal does not end the watchdog.
    const shell = spawn("/bin/sh", ["-c", SCRIPT, "quarterdeck-watchdog", directory], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
      cwd: "/"
    })
    // The watchdog itself may be killed. A write to it then does nothing, and the sweep at the next start cleans up.
    shell.stdin?.on("error", () => {})
    shell.unref()
    shell.once("spawn", () => resolve(shell))
    shell.once("error", reject)
  })
