/** What a cluster's container is made of. */
import type { LogTail } from "@quarterdeck/embedded-cluster/LogTail"
import type { ContainerFile } from "./ContainerFiles.ts"
import type { Image } from "./Images.ts"
import type { Place } from "./Network.ts"

/** The port of the API server inside the container. */
export const INNER_PORT = 6443

export interface ContainerOptions {
  readonly cluster: string
  readonly image: Image
  readonly place: Place
  /** The port on the Docker host; a fixed one, because Docker would choose another at every start. */
  readonly port: number
  /** The address on the Docker host that the port listens on; absent means all. */
  readonly hostIp?: string | undefined
  readonly privileged: boolean
  readonly cgroupns: "host" | "private" | undefined
  readonly command: ReadonlyArray<string>
  readonly files: ReadonlyArray<ContainerFile>
  readonly startWithinMs: number
  readonly log: LogTail
}
