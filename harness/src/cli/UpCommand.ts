/** `harness up`: holds a fleet for work by hand, until it is told to stop. */
import { resolve } from "node:path"
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { misused } from "./CommandFailure.ts"
import * as HeldFleet from "./HeldFleet.ts"
import * as DriverName from "./DriverName.ts"

const DEFAULT_NAME = "default"
const CLUSTER_NAME = /^[!-~]{1,253}$/

/** Names of clusters, the parent first; `hub,prod,stage`. What a fleet refuses is refused before anything starts. */
const Clusters = Schema.String.check(
  Schema.makeFilter((text) => {
    const names = text.split(",")
    if (!names.every((name) => CLUSTER_NAME.test(name))) {
      return "names with commas between them, each of 1 to 253 printable characters without spaces"
    }
    return new Set(names).size === names.length || "names with commas between them, each of them once"
  })
)

export const upCommand = Command.make(
  "up",
  {
    driver: Flag.Literals("driver", DriverName.NAMES).pipe(
      Flag.withDescription("What runs the clusters"),
      Flag.withDefault("embedded")
    ),
    clusters: Flag.String("clusters").pipe(
      Flag.withMetavar("NAMES"),
      Flag.withDescription("Names of the clusters with commas between them, the parent first"),
      Flag.withSchema(Clusters),
      Flag.withDefault("hub,prod,stage")
    ),
    seed: Flag.Literals("seed", ["tiny", "small", "medium", "large"]).pipe(
      Flag.withDescription("Fill the clusters with the workloads of an online shop, of this size"),
      Flag.optional
    ),
    faults: Flag.Boolean("faults").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Put a proxy before each cluster, for `harness fault` and tests that connect")
    ),
    controllers: Flag.Boolean("controllers").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Run controllers and scheduler: deployments roll out, owners take what they own with them")
    ),
    kubelet: Flag.Boolean("kubelet").pipe(
      Flag.withDefault(false),
      Flag.withDescription(
        "Run a stand-in for the kubelets: pods become ready, jobs end, nodes stay alive. Needs nodes: --seed writes some"
      )
    ),
    usage: Flag.Boolean("usage").pipe(
      Flag.withDefault(false),
      Flag.withDescription(
        "Tell what pods and nodes use, so that `kubectl top` works. Needs pods that run: --seed writes some"
      )
    ),
    name: Flag.String("name").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("What down and status call the fleet"),
      Flag.withSchema(HeldFleet.Name),
      Flag.withDefault(DEFAULT_NAME)
    ),
    kubeconfig: Flag.String("kubeconfig").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription(
        "Where the kubeconfig goes (default the state directory); for the driver existing, where it comes from"
      ),
      Flag.optional
    ),
    detach: Flag.Boolean("detach").pipe(
      Flag.withDefault(false),
      Flag.withAlias("d"),
      Flag.withDescription("Leave a process in the background that holds the fleet, and return once it is ready")
    )
  },
  Effect.fn("up")(function* (flags) {
    const [parent = "", ...children] = flags.clusters.split(",")
    if (flags.driver === "existing" && Option.isNone(flags.kubeconfig)) {
      return yield* misused("--kubeconfig is missing: the driver existing finds its clusters there")
    }
    if (flags.driver === "existing" && flags.usage) {
      return yield* misused("--usage cannot be had with the driver existing: such clusters tell usage themselves")
    }
    const options = {
      ...flags,
      parent,
      children,
      seed: Option.getOrUndefined(flags.seed),
      kubeconfig: Option.getOrUndefined(Option.map(flags.kubeconfig, (path) => resolve(path)))
    }
    if (flags.detach) {
      const { detach } = yield* Effect.promise(() => import("./Detach.ts"))
      return yield* detach(options)
    }
    const { hold } = yield* Effect.promise(() => import("./Hold.ts"))
    return yield* hold(options)
  })
).pipe(
  Command.withDescription(
    "Start clusters and hold them until Ctrl-C. Prints how to use them; a terminal shows their state meanwhile."
  ),
  Command.withShortDescription("Hold clusters for work by hand"),
  Command.withExamples([
    { command: "harness up --seed medium", description: "Three clusters in this process, with workloads" },
    { command: "harness up --driver control-plane --controllers --kubelet", description: "Real API servers" },
    {
      command: "harness up --seed small --usage",
      description: "kubectl top pods --all-namespaces has something to say"
    },
    { command: "harness up --faults", description: "Then in another terminal: harness fault prod latency ms=500" },
    {
      command: "harness up --name demo --detach && eval $(harness status demo --export)",
      description: "In the background"
    }
  ])
)
