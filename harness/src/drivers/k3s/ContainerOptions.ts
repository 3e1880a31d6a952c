import type { LogTail } from "@quarterdeck/embedded-cluster/LogTail"
import type { ContainerFile } from "./ContainerFiles.ts"
import type { Image } from "./Images.ts"
import type { Place } from "./Network.ts"

/** Port of the API server in the container. */
export const INNER_PORT = 6443

export interface ContainerOptions {
  readonly cluster: string
  readonly image: Image
  readonly place: Place
  /** Port on the Docker host. Fixed, because Docker would choose another port at every start. */
  readonly port: number
  /** Address on the Docker host on which the port listens. Absent: all addresses. */
  readonly hostIp?: string | undefined
  readonly privileged: boolean
  readonly cgroupns: "host" | "private" | undefined
  readonly command: ReadonlyArray<string>
  readonly files: ReadonlyArray<ContainerFile>
  readonly startWithinMs: number
  readonly log: LogTail
}
