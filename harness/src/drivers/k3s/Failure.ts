/** Explains why a container failed, from Docker's report and the container's log. */
import { ContainerFailed, type ContainerFailure } from "../../machine/HarnessError.ts"
import type { ContainerState } from "./Containers.ts"

type Kind = (typeof ContainerFailure)["Type"]

interface Symptom {
  readonly kind: Kind
  /** Matched against Docker's refusal and the last lines of the log. */
  readonly shows: RegExp
  readonly remedy: string
}

/** Number of log lines that an error shows. */
const SHOWN_LINES = 15
const SHOWN_CHARACTERS = 300

/** The known reasons for failures. A cause comes before its effects, so the first match is the cause. */
const SYMPTOMS: ReadonlyArray<Symptom> = [
  {
    kind: "PrivilegedRefused",
    shows:
      /unable to apply caps|privileged mode is (?:incompatible|not)|privileged containers? (?:is|are) not allowed/i,
    remedy:
      "this machine does not allow privileged containers: run Docker with all capabilities (CAP_SYS_RESOURCE among"
      + " them), or use the image that the harness builds, which needs no privileges"
  },
  {
    kind: "InotifyLimits",
    shows: /too many open files|inotify_init|inotify.*(?:limit|no space left)/i,
    remedy:
      "the machine's inotify limits are exhausted: raise them with"
      + " `sysctl fs.inotify.max_user_instances=512 fs.inotify.max_user_watches=524288`"
  },
  {
    kind: "Cgroups",
    shows:
      /evacuate root cgroup|cgroup v1 (?:support|host)|host using cgroup v1|find (?:memory|cpu|cpuset) cgroup|cgroup.*(?:read-only|permission denied|not permitted)/i,
    remedy:
      'the container cannot use the machine\'s control groups: keep it privileged and try `cgroupns: "private"`, or use a'
      + " machine with cgroup v2"
  },
  {
    kind: "NoNetwork",
    shows: /non-overlapping IPv4 address pool|network [\w-]+ not found/i,
    remedy:
      "Docker has no free network: remove unused ones with `docker network prune`, or extend `default-address-pools`"
  },
  {
    kind: "DiskFull",
    shows: /no space left on device|disk quota exceeded/i,
    remedy: "Docker's disk is full: free space, for instance with `docker system prune`"
  },
  {
    kind: "BadFlag",
    shows: /unknown (?:shorthand )?flag|flag provided but not defined|invalid argument .* for "?-|unexpected argument/i,
    remedy: "a program refused one of its flags: correct `args`, or use an image of a version that supports the flag"
  }
]

/** Creates the error. **Limits** shows the last 15 lines of the log, 300 characters each. */
export const failure = (known: {
  /** The reason why Docker refused to create or start the container. */
  readonly refusal?: string | undefined
  readonly state?: ContainerState | undefined
  readonly lines: ReadonlyArray<string>
}): ContainerFailed => {
  const outcome = known.state === undefined ? (known.refusal ?? "the container ended") : outcomeOf(known.state)
  const lastLines = known.lines
    .filter((line) => line.trim() !== "")
    .slice(-SHOWN_LINES)
    .map((line) => line.slice(0, SHOWN_CHARACTERS))
  if (known.state?.OOMKilled === true) {
    const remedy = "the container ran out of memory: real k3s needs about 1 GB"
    return new ContainerFailed({ kind: "OutOfMemory", outcome, remedy, lastLines })
  }
  const evidence = [known.refusal ?? "", known.state?.Error ?? "", ...lastLines].join("\n")
  const { kind, remedy } = SYMPTOMS.find(({ shows }) => shows.test(evidence)) ?? {
    kind: "Exited" as const,
    remedy: lastLines.length === 0 ? "it wrote no log" : "see its log"
  }
  return new ContainerFailed({ kind, outcome, remedy, lastLines })
}

const outcomeOf = ({ Error, ExitCode }: ContainerState): string =>
  Error === "" ? `exit status ${ExitCode}` : `exit status ${ExitCode}: ${Error}`
