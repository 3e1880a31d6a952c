/**
 * The container of one cluster, started by testcontainers.
 *
 * **Limits** importing this file loads the optional packages.
 */
import { K3sContainer } from "@testcontainers/k3s"
import { type ContainerOptions, INNER_PORT } from "./ContainerOptions.ts"
import { CLUSTER_LABEL } from "./Labels.ts"
import { followInto } from "./ContainerLog.ts"

type Hook = (id: string) => Promise<void>

/** Overrides settings that `K3sContainer` fixes and only a subclass can change. */
export class ClusterContainer extends K3sContainer {
  readonly #created: Hook

  constructor(options: ContainerOptions, owner: Readonly<Record<string, string>>, created: Hook) {
    super(options.image.name)
    this.#created = created
    const { hostIp, port } = options
    this.hostConfig.Privileged = options.privileged
    // The type of the engine's API lacks this field.
    Object.assign(this.hostConfig, { CgroupnsMode: options.cgroupns })
    // Removes the bind mount of the host's control groups, which testcontainers has added.
    if (options.cgroupns !== "host") this.withBindMounts([])
    // Publishes only the API server's port; if Docker is on this machine, only on the loopback address.
    this.exposedPorts = []
    this.createOpts.ExposedPorts = {}
    this.withExposedPorts({ container: INNER_PORT, host: port })
    this.hostConfig.PortBindings = {
      [`${INNER_PORT}/tcp`]: [{ HostPort: String(port), ...(hostIp === undefined ? {} : { HostIp: hostIp }) }]
    }
    this.withNetworkMode(options.place.network)
      .withNetworkAliases(options.place.alias)
      .withHostname(options.place.alias)
      .withCommand([...options.command])
      .withLabels({ ...owner, [CLUSTER_LABEL]: options.cluster })
      .withCopyContentToContainer(
        options.files.map(({ content, mode, path }) => ({ content: Buffer.from(content), mode, target: path }))
      )
      .withStartupTimeout(options.startWithinMs)
      // The harness removes containers itself; the reaper would need another image.
      .withAutoCleanup(false)
      .withLogConsumer((stream) => followInto(options.log, stream))
  }

  protected override containerCreated(id: string): Promise<void> {
    return this.#created(id)
  }
}
