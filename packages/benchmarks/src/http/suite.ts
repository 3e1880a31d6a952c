/**
 * The claims of reads over HTTP, relative to a server that only writes the same bytes.
 */
import type { Suite } from "../claim/Suite.ts"
import { clusters, pages } from "./reads.ts"

export const http: Suite = {
  name: "http",
  parts: () => [
    { name: "clusters", measure: clusters },
    { name: "pages", measure: pages }
  ]
}
