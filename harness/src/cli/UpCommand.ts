/** The command `harness up`: starts a fleet for manual work and holds it until it is interrupted. */
import { resolve } from "node:path"
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { misused } from "./CommandFailure.ts"
import * as HeldFleet from "./HeldFleet.ts"
import * as DriverName from "./DriverName.ts"

const DEFAULT_NAME = "default"
const CLUSTER_NAME = /^[!-~]{1,253}$/

/**
 * Cluster names, the parent first: `hub,prod,stage`. Checked here so that an invalid name fails before anything starts.
 */
const Clusters = Schema.String.check(
  Schema.makeFilter((text) => {
    const names = text.split(",")
    if (!names.every((name) => CLUSTER_NAME.test(name))) {
      return "comma-separated names of 1 to 253 printable characters without spaces"
    }
    return new Set(names).size === names.length || "comma-separated names without duplicates"
  })
)

export const upCommand = Command.make(
  "up",
  {
    driver: Flag.Literals("driver", DriverName.NAMES).pipe(
      Flag.withDescription("Driver that runs the clusters"),
      Flag.withDefault("embedded")
    ),
    clusters: Flag.String("clusters").pipe(
      Flag.withMetavar("NAMES"),
      Flag.withDescription("Cluster names, comma-separated, the parent first"),
      Flag.withSchema(Clusters),
      Flag.withDefault("hub,prod,stage")
    ),
    seed: Flag.Literals("seed", ["tiny", "small", "medium", "large"]).pipe(
      Flag.withDescription("Fill the clusters with the workloads of an online shop of this size"),
      Flag.optional
    ),
    faults: Flag.Boolean("faults").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Put a proxy in front of each cluster, for `harness fault` and for tests")
    ),
    controllers: Flag.Boolean("controllers").pipe(
      Flag.withDefault(false),
      Flag.withDescription("Run controllers and a scheduler: deployments roll out, dependents are garbage-collected")
    ),
    kubelet: Flag.Boolean("kubelet").pipe(
      Flag.withDefault(false),
      Flag.withDescription(
        "Simulate kubelets: pods become ready, jobs complete, nodes stay alive. Needs nodes: --seed creates some"
      )
    ),
    usage: Flag.Boolean("usage").pipe(
      Flag.withDefault(false),
      Flag.withDescription(
        "Report simulated usage of pods and nodes, so that `kubectl top` works. Needs running pods: --seed creates some"
      )
    ),
    name: Flag.String("name").pipe(
      Flag.withMetavar("NAME"),
      Flag.withDescription("Name of the fleet, for `down` and `status`"),
      Flag.withSchema(HeldFleet.Name),
      Flag.withDefault(DEFAULT_NAME)
    ),
    kubeconfig: Flag.String("kubeconfig").pipe(
      Flag.withMetavar("FILE"),
      Flag.withDescription(
        "File to write the kubeconfig to (default: in the state directory); for the driver existing, the file to read"
      ),
      Flag.optional
    ),
    detach: Flag.Boolean("detach").pipe(
      Flag.withDefault(false),
      Flag.withAlias("d"),
      Flag.withDescription("Hold the fleet in a background process, and return once the fleet is ready")
    )
  },
  Effect.fn("up")(function* (flags) {
    const [parent = "", ...children] = flags.clusters.split(",")
    if (flags.driver === "existing" && Option.isNone(flags.kubeconfig)) {
      return yield* misused("--kubeconfig is missing: the driver existing reads its clusters from that file")
    }
    if (flags.driver === "existing" && flags.usage) {
      return yield* misused(
        "--usage is not available with the driver existing: existing clusters report their own usage"
      )
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
    "Start clusters and hold them until Ctrl-C. Prints how to connect to them; on a terminal it shows their state."
  ),
  Command.withShortDescription("Start clusters for manual work"),
  Command.withExamples([
    { command: "harness up --seed medium", description: "Three clusters in this process, with workloads" },
    { command: "harness up --driver control-plane --controllers --kubelet", description: "Real API servers" },
    {
      command: "harness up --seed small --usage",
      description: "Then kubectl top pods --all-namespaces works"
    },
    { command: "harness up --faults", description: "Then in another terminal: harness fault prod latency ms=500" },
    {
      command: "harness up --name demo --detach && eval $(harness status demo --export)",
      description: "In the background"
    }
  ])
)
