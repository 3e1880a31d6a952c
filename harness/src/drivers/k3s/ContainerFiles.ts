/** Files that are copied into a cluster's container before its start, and out of it. */
import { Effect } from "effect"
import { list } from "tar"
import type { ClusterUser } from "../ClusterDriver.ts"
import type { MachineRefused } from "../../machine/HarnessError.ts"
import { attempt } from "../../machine/Machine.ts"
import * as TokenFile from "../TokenFile.ts"
import * as Packages from "./Packages.ts"

export interface ContainerFile {
  readonly path: string
  readonly content: string | Buffer
  readonly mode: number
}

/** Path of the token file. Outside `/run`, which is empty at every start. */
export const TOKENS_PATH = "/etc/quarterdeck/tokens.csv"

const TLS_PARENT = "/var/lib/rancher/k3s/server"
/**
 * CA certificates and keys, and the service account key. If these files exist at a start, k3s creates no new ones, so
 * certificates and service account tokens stay valid.
 *
 * **Source** K3s documentation, "Using custom CA certificates".
 */
const IDENTITY = /(?:-ca\.(?:crt|key)|\/service\.key)$/
const PRIVATE = 0o600

/** Returns the file of users and tokens. */
export const tokens = (users: ReadonlyArray<ClusterUser>): ContainerFile => ({
  path: TOKENS_PATH,
  mode: PRIVATE,
  content: TokenFile.print(users)
})

/** Reads a cluster's CA certificates and keys and its service account key from a running or stopped container. */
export const identity = (id: string): Effect.Effect<ReadonlyArray<ContainerFile>, MachineRefused> =>
  Effect.map(filesIn(id, `${TLS_PARENT}/tls`), (files) => files.filter(({ path }) => IDENTITY.test(path)))

/** Reads the files of a directory in a container. Their paths are absolute. */
export const filesIn = (id: string, directory: string): Effect.Effect<ReadonlyArray<ContainerFile>, MachineRefused> =>
  attempt("read files of the cluster's container", async () => {
    const { container } = await Packages.engine()
    const archive = await container.fetchArchive(container.getById(id), directory)
    // Paths in the archive start with the directory's name.
    const parent = directory.slice(0, directory.lastIndexOf("/"))
    const files: Array<Promise<ContainerFile>> = []
    const parser = list({
      onReadEntry: (entry) => {
        if (entry.type !== "File") return
        const path = `${parent}/${entry.path}`
        files.push(entry.concat().then((content) => ({ path, content, mode: entry.mode ?? PRIVATE })))
      }
    })
    for await (const chunk of archive) parser.write(Buffer.from(chunk))
    parser.end()
    return await Promise.all(files)
  })
