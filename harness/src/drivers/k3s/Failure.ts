/** Why a container failed, told from what Docker and its log say, and what would help. */
import { ContainerFailed, type ContainerFailure } from "../../machine/HarnessError.ts"
import type { ContainerState } from "./Containers.ts"

type Kind = (typeof ContainerFailure)["Type"]

interface Symptom {
  readonly kind: Kind
  /** Looked for in the refusal and in the last lines. */
  readonly shows: RegExp
  readonly remedy: string
}

/** Lines of the log that an error shows: enough for a stack of messages, and still one screen. */
const SHOWN_LINES = 15
const SHOWN_CHARACTERS = 300

/** The first that shows is the cause: what stands above explains what stands below. */
const SYMPTOMS: ReadonlyArray<Symptom> = [
  {
    kind: "PrivilegedRefused",
    shows:
      /unable to apply caps|privileged mode is (?:incompatible|not)|privileged containers? (?:is|are) not allowed/i,
    remedy:
      "this machine does not let Docker run privileged containers: run it with all capabilities (CAP_SYS_RESOURCE among"
      + " them), or use the image that the harness builds, which needs none"
  },
  {
    kind: "InotifyLimits",
    shows: /too many open files|inotify_init|inotify.*(?:limit|no space left)/i,
    remedy:
      "the machine's inotify limits are used up: raise them by"
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
      "Docker has no network to give: remove unused ones by `docker network prune`, or widen `default-address-pools`"
  },
  {
    kind: "DiskFull",
    shows: /no space left on device|disk quota exceeded/i,
    remedy: "Docker's disk is full: make room, for instance by `docker system prune`"
  },
  {
    kind: "BadFlag",
    shows: /unknown (?:shorthand )?flag|flag provided but not defined|invalid argument .* for "?-|unexpected argument/i,
    remedy: "a program did not take one of its flags: correct `args`, or take an image of a version that knows it"
  }
]

/** Makes the error from what is known. **Limits** shows the last 15 lines of the log, 300 characters each. */
export const failure = (known: {
  /** Why Docker refused to make or start it. */
  readonly refusal?: string | undefined
  readonly state?: ContainerState | undefined
  readonly lines: ReadonlyArray<string>
}): ContainerFailed => {
  const outcome = known.state === undefined ? (known.refusal ?? "it ended") : outcomeOf(known.state)
  const lastLines = known.lines
    .filter((line) => line.trim() !== "")
    .slice(-SHOWN_LINES)
    .map((line) => line.slice(0, SHOWN_CHARACTERS))
  if (known.state?.OOMKilled === true) {
    const remedy = "the machine or the container's limit left it too little memory: real k3s takes about 1 GB"
    return new ContainerFailed({ kind: "OutOfMemory", outcome, remedy, lastLines })
  }
  const evidence = [known.refusal ?? "", known.state?.Error ?? "", ...lastLines].join("\n")
  const { kind, remedy } = SYMPTOMS.find(({ shows }) => shows.test(evidence)) ?? {
    kind: "Exited" as const,
    remedy: lastLines.length === 0 ? "it wrote no log" : "its log says why"
  }
  return new ContainerFailed({ kind, outcome, remedy, lastLines })
}

const outcomeOf = ({ Error, ExitCode }: ContainerState): string =>
  Error === "" ? `exit status ${ExitCode}` : `exit status ${ExitCode}: ${Error}`
