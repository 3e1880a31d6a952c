/** A place that publishes archives as the Kubernetes project does, and one that does everything wrong. */
import { createHash } from "node:crypto"
import { createServer, type RequestListener } from "node:http"
import { Effect, type Scope } from "effect"
import { Header, type HeaderData } from "tar"

export interface Entry extends HeaderData {
  readonly path: string
  readonly content?: string
}

const BLOCK = 512

/** Makes a gzipped tar archive with the headers as they are given, possible or not. */
export const archiveOf = async (entries: ReadonlyArray<Entry>): Promise<Buffer> => {
  const { gzipSync } = await import("node:zlib")
  const blocks = entries.flatMap(({ content = "", ...data }) => {
    const header = Buffer.alloc(BLOCK)
    new Header({ mode: 0o644, size: Buffer.byteLength(content), type: "File", ...data }).encode(header)
    const body = Buffer.alloc(Math.ceil(Buffer.byteLength(content) / BLOCK) * BLOCK)
    body.write(content)
    return [header, body]
  })
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]))
}

/** The entries of a good archive. */
export const PROGRAM_ENTRIES: ReadonlyArray<Entry> = [
  { path: "controller-tools/envtest/", type: "Directory", size: 0 },
  ...["etcd", "kube-apiserver", "kubectl"].map((name) => ({
    path: `controller-tools/envtest/${name}`,
    content: `#!/bin/sh\necho ${name}\n`
  }))
]

export const sha512 = (bytes: Buffer): string => createHash("sha512").update(bytes).digest("hex")

/** Answers on a loopback port until the scope closes. */
export const serving = (listener: RequestListener): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<ReturnType<typeof createServer>>((resolve) => {
          const server = createServer(listener)
          server.listen(0, "127.0.0.1", () => resolve(server))
        })
    ),
    (server) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            server.close(() => resolve())
            server.closeAllConnections()
          })
      )
  ).pipe(
    Effect.map((server) => {
      const address = server.address()
      if (address === null || typeof address === "string") throw new Error("it listens on a port")
      return `http://127.0.0.1:${address.port}`
    })
  )

/** The index of one release for one kind of machine. */
export const indexOf = (hash: string, link: string, version = "v1.33.2"): string =>
  `releases:\n  ${version}:\n    envtest-${version}-linux-amd64.tar.gz:\n      hash: ${hash}\n      selfLink: ${link}\n`
